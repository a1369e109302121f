//! Connected bodies: a union-find over body numbers.

use resile_math::Vec3;

/// Disjoint sets of bodies, represented by their smallest members.
#[derive(Debug, Clone, PartialEq)]
pub struct Links {
    /// Parent of each body in the union-find forest; roots are their own parents.
    parent: Vec<usize>,
    /// Contact points (m) of each body.
    contact_points: Vec<Vec<Vec3>>,
    /// Whether each body is in contact with an obstacle.
    touches_obstacle: Vec<bool>,
    /// Velocities of all nodes (m/s), empty if no obstacle moves.
    velocities: Vec<Vec3>,
    /// Sums over the obstacles in contact with each body.
    obstacle_forces: Vec<ObstacleForces>,
}

/// Sums over forces of obstacles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ObstacleForces {
    /// Sum of the magnitudes of the forces (N).
    force: f64,
    /// Sum of each force times the velocity of its obstacle (N m/s).
    weighted_velocity: Vec3,
}

impl Links {
    /// `bodies` sets of one body each.
    pub fn new(bodies: usize) -> Self {
        Self {
            parent: (0..bodies).collect(),
            contact_points: vec![Vec::new(); bodies],
            touches_obstacle: vec![false; bodies],
            velocities: Vec::new(),
            obstacle_forces: vec![ObstacleForces::default(); bodies],
        }
    }

    /// These sets, with a record of the velocities of obstacles: `velocities` (m/s) are those of all nodes.
    #[must_use]
    pub fn with_velocities(self, velocities: Vec<Vec3>) -> Self {
        Self { velocities, ..self }
    }

    /// The velocities (m/s) of all nodes, if velocities of obstacles are recorded.
    pub fn velocities(&self) -> Option<&[Vec3]> {
        (!self.velocities.is_empty()).then_some(&self.velocities)
    }

    /// The number of bodies.
    pub fn body_count(&self) -> usize {
        self.parent.len()
    }

    /// Records the magnitude (N) of the `force` of an obstacle on body `a`, and the `velocity` (m/s) of the obstacle at the
    /// point of contact.
    pub fn add_obstacle_force(&mut self, a: usize, force: f64, velocity: Vec3) {
        let sums = &mut self.obstacle_forces[a];
        sums.force += force;
        sums.weighted_velocity += force * velocity;
    }

    /// The mean velocity (m/s) of the obstacles in contact with these bodies, weighted by their forces; `None` without
    /// recorded forces.
    pub fn obstacle_velocity(&self, bodies: &[usize]) -> Option<Vec3> {
        let mut total = ObstacleForces::default();
        for &b in bodies {
            total.force += self.obstacle_forces[b].force;
            total.weighted_velocity += self.obstacle_forces[b].weighted_velocity;
        }
        (total.force > 0.0).then(|| total.weighted_velocity / total.force)
    }

    /// Records a contact point (m) of body `a` with an obstacle or another body.
    pub fn touch(&mut self, a: usize, point: Vec3) {
        self.contact_points[a].push(point);
    }

    /// Whether body `a` is in contact.
    pub fn touches(&self, a: usize) -> bool {
        !self.contact_points[a].is_empty()
    }

    /// The contact points (m) of body `a`, one per pair of primitives.
    pub fn places(&self, a: usize) -> &[Vec3] {
        &self.contact_points[a]
    }

    /// Records a contact point (m) of body `a` with an obstacle.
    pub fn touch_obstacle(&mut self, a: usize, point: Vec3) {
        self.touch(a, point);
        self.touches_obstacle[a] = true;
    }

    /// Whether body `a` is in contact with an obstacle.
    pub fn touches_obstacle(&self, a: usize) -> bool {
        self.touches_obstacle[a]
    }

    /// Joins the sets of `a` and `b`.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.compress_root(a), self.compress_root(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parent[high] = low;
    }

    /// Whether `a` and `b` are in one set. Amortised O(log n), where [`root`](Self::root) may take O(n).
    pub fn are_joined(&mut self, a: usize, b: usize) -> bool {
        self.compress_root(a) == self.compress_root(b)
    }

    /// The root of `a`, with path halving.
    fn compress_root(&mut self, mut a: usize) -> usize {
        while self.parent[a] != a {
            self.parent[a] = self.parent[self.parent[a]];
            a = self.parent[a];
        }
        a
    }

    /// The smallest body of the set that holds `a`.
    pub fn root(&self, mut a: usize) -> usize {
        while self.parent[a] != a {
            a = self.parent[a];
        }
        a
    }

    /// The sets, each ascending, ordered by their smallest body. O(n).
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of = vec![0; self.parent.len()];
        // A parent comes before its children.
        for (body, &parent) in self.parent.iter().enumerate() {
            if parent == body {
                group_of[body] = groups.len();
                groups.push(vec![body]);
            } else {
                group_of[body] = group_of[parent];
                groups[group_of[body]].push(body);
            }
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

    #[test]
    fn long_chain_joined_from_its_end_is_one_set() {
        let bodies = 100_000;
        let mut links = Links::new(bodies);
        (1..bodies).rev().for_each(|b| links.join(b, b - 1));
        assert_eq!(links.groups(), [(0..bodies).collect::<Vec<_>>()]);
        // The longest chain, queried once per body.
        assert!((0..bodies).all(|_| links.are_joined(0, bodies - 1)));
    }
}
