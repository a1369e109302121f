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
