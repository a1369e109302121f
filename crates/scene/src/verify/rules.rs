//! Who must stay apart from whom.
//!
//! The scene's `contact.off` names pairs that may pass through each other, by the names of
//! bodies, of their copies (`die[3]`) or of all copies at once (`die`).

use crate::description::{Contact, ExpandedBody, Obstacle, Scene};

/// Names of all bodies and, after them, obstacles, and the pairs that are let through.
#[derive(Debug)]
pub(super) struct Rules {
    names: Vec<String>,
    /// For each pair of `contact.off`: who is meant by its first and by its second name.
    off: Vec<[Vec<bool>; 2]>,
    /// Number of bodies; obstacles, those that move first, are numbered after them.
    bodies: usize,
}

impl Rules {
    /// The rules of a scene; none if contact is off.
    pub(super) fn of(scene: &Scene, bodies: &[ExpandedBody]) -> Option<Self> {
        let Contact::Barrier { off, .. } = &scene.contact else { return None };
        let copies = bodies.iter().map(|ExpandedBody { source, body, .. }| {
            [body.name.as_str(), scene.bodies[*source].name.as_str()]
        });
        let named = |obstacle| [Obstacle::name(obstacle); 2];
        // Obstacles that move are drawn as bodies.
        let moving = scene.obstacles.iter().filter(|o| o.motion().is_some()).map(named);
        let obstacles = scene.obstacles.iter().map(named);
        let all: Vec<[&str; 2]> = copies.chain(moving).chain(obstacles).collect();
        let meant = |name: &str| all.iter().map(|known| known.contains(&name)).collect();
        Some(Self {
            names: all.iter().map(|[own, _]| (*own).to_owned()).collect(),
            off: off.iter().map(|(a, b)| [meant(a), meant(b)]).collect(),
            bodies: bodies.len(),
        })
    }

    pub(super) fn name(&self, collider: u32) -> &str {
        &self.names[collider as usize]
    }

    /// Whether these two, which may be the same, must not pass through each other.
    /// Obstacles may stand in one another.
    pub(super) fn apart(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        let off = self.off.iter().any(|[x, y]| (x[a] && y[b]) || (x[b] && y[a]));
        !off && a.min(b) < self.bodies
    }
}
