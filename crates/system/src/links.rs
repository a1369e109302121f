//! Which bodies belong together: a union-find over body numbers.

use resile_math::Vec3;

/// Disjoint sets of bodies; the smallest member of a set stands for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Links {
    parent: Vec<usize>,
    /// Where (m) surfaces press on each body.
    touched: Vec<Vec<Vec3>>,
    pressed_from_outside: Vec<bool>,
}

impl Links {
    /// `bodies` sets of one body each.
    pub fn new(bodies: usize) -> Self {
        Self {
            parent: (0..bodies).collect(),
            touched: vec![Vec::new(); bodies],
            pressed_from_outside: vec![false; bodies],
        }
    }

    /// Notes that a surface presses on body `a` at a place (m): that of an obstacle or of another body.
    pub fn touch(&mut self, a: usize, place: Vec3) {
        self.touched[a].push(place);
    }

    /// Whether a surface presses on body `a`.
    pub fn touches(&self, a: usize) -> bool {
        !self.touched[a].is_empty()
    }

    /// Where (m) surfaces press on body `a`, one place a pair of primitives.
    pub fn places(&self, a: usize) -> &[Vec3] {
        &self.touched[a]
    }

    /// Notes that the surface of an obstacle presses on body `a` at a place (m).
    pub fn touch_obstacle(&mut self, a: usize, place: Vec3) {
        self.touch(a, place);
        self.pressed_from_outside[a] = true;
    }

    /// Whether the surface of an obstacle presses on body `a`.
    pub fn touches_obstacle(&self, a: usize) -> bool {
        self.pressed_from_outside[a]
    }

    /// Joins the sets of `a` and `b`.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parent[high] = low;
    }

    /// The smallest body of the set that holds `a`.
    pub fn root(&self, mut a: usize) -> usize {
        while self.parent[a] != a {
            a = self.parent[a];
        }
        a
    }

    /// The sets, each ascending, ordered by their smallest body.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of = vec![usize::MAX; self.parent.len()];
        for body in 0..self.parent.len() {
            let root = self.root(body);
            if group_of[root] == usize::MAX {
                group_of[root] = groups.len();
                groups.push(Vec::new());
            }
            groups[group_of[root]].push(body);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_ordered_by_their_smallest_body() {
        let mut links = Links::new(6);
        links.join(5, 1);
        links.join(4, 3);
        links.join(1, 4);
        assert_eq!(links.groups(), [vec![0], vec![1, 3, 4, 5], vec![2]]);
    }
}
