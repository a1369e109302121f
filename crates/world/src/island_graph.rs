//! Islands: groups of bodies that are solved together in a step.

use resile_contact::Role;
use resile_system::Links;
use std::collections::BTreeSet;

/// The bodies of an island, by their indices in the world.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IslandBodies {
    /// Simulated bodies, ascending.
    pub(super) bodies: Vec<usize>,
    /// Kinematic bodies of which the island needs a copy, ascending.
    pub(super) kinematic: Vec<usize>,
}

impl IslandBodies {
    /// All bodies in the order of the island's system.
    pub(super) fn all_bodies(&self) -> Vec<usize> {
        self.bodies.iter().chain(&self.kinematic).copied().collect()
    }
}

/// Graph of potential collisions. Simulated bodies that may collide are linked and solved together. Kinematic
/// bodies do not link islands: their positions are known, so every island gets copies of those with which its
/// bodies may collide.
#[derive(Debug, Clone)]
pub(super) struct IslandGraph {
    roles: Vec<Role>,
    links: Links,
    /// Kinematic bodies with which each body may collide.
    kinematic: Vec<BTreeSet<usize>>,
}

impl IslandGraph {
    /// A graph without links.
    pub(super) fn new(roles: Vec<Role>) -> Self {
        let (links, kinematic) = (Links::new(roles.len()), vec![BTreeSet::new(); roles.len()]);
        Self { roles, links, kinematic }
    }

    /// Whether these two bodies are not linked yet.
    pub(super) fn is_unlinked(&mut self, a: usize, b: usize) -> bool {
        match (self.roles[a], self.roles[b]) {
            (Role::Simulated, Role::Simulated) => !self.links.are_joined(a, b),
            (Role::Simulated, Role::Kinematic) => !self.kinematic[a].contains(&b),
            (Role::Kinematic, Role::Simulated) => !self.kinematic[b].contains(&a),
            (Role::Kinematic, Role::Kinematic) => false,
        }
    }

    /// Links two bodies that may collide, at least one of them simulated.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        match (self.roles[a], self.roles[b]) {
            (Role::Simulated, Role::Simulated) => self.links.join(a, b),
            (Role::Simulated, Role::Kinematic) => drop(self.kinematic[a].insert(b)),
            (Role::Kinematic, _) => drop(self.kinematic[b].insert(a)),
        }
    }

    /// Joins all bodies in one island.
    pub(super) fn join_all(&mut self) {
        let simulated = self.roles.iter().position(|&role| role == Role::Simulated);
        let Some(first) = simulated else { return };
        (0..self.roles.len()).filter(|&b| b != first).for_each(|b| self.join(first, b));
    }

    /// The islands, ordered by their smallest body.
    pub(super) fn groups(&self) -> Vec<IslandBodies> {
        let is_simulated = |bodies: &Vec<usize>| self.roles[bodies[0]] == Role::Simulated;
        let groups = self.links.groups().into_iter().filter(is_simulated);
        let islands = groups.map(|bodies| {
            let kinematic: BTreeSet<usize> =
                bodies.iter().flat_map(|&b| self.kinematic[b].iter().copied()).collect();
            IslandBodies { bodies, kinematic: kinematic.into_iter().collect() }
        });
        islands.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Role::{Kinematic, Simulated};

    #[test]
    fn kinematic_body_belongs_to_islands_and_joins_none() {
        let mut graph =
            IslandGraph::new(vec![Simulated, Kinematic, Simulated, Kinematic, Simulated]);
        for (a, b) in [(0, 1), (1, 2), (4, 2), (3, 4)] {
            assert!(graph.is_unlinked(a, b) && graph.is_unlinked(b, a));
            graph.join(a, b);
            assert!(!graph.is_unlinked(a, b) && !graph.is_unlinked(b, a));
        }
        assert!(!graph.is_unlinked(1, 3), "kinematic bodies do not meet");
        let group = |bodies: &[usize], kinematic: &[usize]| IslandBodies {
            bodies: bodies.to_vec(),
            kinematic: kinematic.to_vec(),
        };
        assert_eq!(graph.groups(), [group(&[0], &[1]), group(&[2, 4], &[1, 3])]);
        graph.join_all();
        assert_eq!(graph.groups(), [group(&[0, 2, 4], &[1, 3])]);
    }
}
