//! Nodes on their way to a given place.

use resile_math::Vec3;

/// Iterations that prescribed nodes may take to arrive. A step bound stops a node
/// a fixed fraction before what is in the way, so a path that is free is covered
/// in a few steps and one that is not would take any number.
pub(crate) const MOST_STEPS: usize = 30;

/// The prescribed nodes of one solve.
#[derive(Debug, Clone)]
pub(crate) struct Prescription {
    targets: Vec<(usize, Vec3)>,
    start: f64,
    pub(crate) steps: usize,
}

impl Prescription {
    pub(crate) fn new(targets: &[(usize, Vec3)], u: &[Vec3]) -> Self {
        let mut out = Self { targets: targets.to_vec(), start: 0.0, steps: 0 };
        out.start = out.remaining(u);
        out
    }

    /// Largest distance still to go, in metres.
    pub(crate) fn remaining(&self, u: &[Vec3]) -> f64 {
        let path = |&(node, target): &(usize, Vec3)| (target - u[node]).length();
        self.targets.iter().map(path).fold(0.0, f64::max)
    }

    /// Fraction of the path covered.
    pub(crate) fn covered(&self, u: &[Vec3]) -> f64 {
        1.0 - self.remaining(u) / self.start
    }

    /// Whether every node is where it must end, to the bit.
    pub(crate) fn arrived(&self, u: &[Vec3]) -> bool {
        self.targets.iter().all(|&(node, target)| u[node] == target)
    }

    /// Writes the displacements still to go.
    pub(crate) fn write_step(&self, u: &[Vec3], step: &mut [Vec3]) {
        for &(node, target) in &self.targets {
            step[node] = target - u[node];
        }
    }

    /// Puts the nodes at their ends exactly, which `u + (target - u)` need not be.
    pub(crate) fn place(&self, u: &mut [Vec3]) {
        for &(node, target) in &self.targets {
            u[node] = target;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_node_with_the_longest_way_says_how_far_all_are() {
        let targets = [(0, Vec3::new(4.0, 1.0, 1.0)), (2, Vec3::new(1.0, 1.0, 3.0))];
        let start = [Vec3::ONE, Vec3::ZERO, Vec3::ONE];
        let prescription = Prescription::new(&targets, &start);
        assert_eq!((prescription.remaining(&start), prescription.covered(&start)), (3.0, 0.0));
        let mut step = [Vec3::Y; 3];
        prescription.write_step(&start, &mut step);
        assert_eq!(step, [Vec3::X * 3.0, Vec3::Y, Vec3::Z * 2.0], "others keep theirs");
        let on_the_way = [0, 1, 2].map(|i| start[i] + step[i] * 0.25);
        assert_eq!(
            (prescription.remaining(&on_the_way), prescription.covered(&on_the_way)),
            (2.25, 0.25)
        );
        assert!(!prescription.arrived(&on_the_way));
        let mut end = on_the_way;
        prescription.place(&mut end);
        assert!(prescription.arrived(&end) && end[1] == on_the_way[1]);
        assert_eq!(prescription.covered(&end), 1.0);
    }
}
