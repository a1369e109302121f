//! What can meet in the world: surfaces of bodies, obstacles, and who ignores whom.

use resile_contact::neighbours::body_box;
use resile_contact::{
    Arrangement, Contact, ContactSettings, Friction, Obstacles, PairTable, Placed, Surface,
};
use resile_system::{Links, State, System, Vec3};
use std::sync::Arc;

pub(super) use resile_contact::Aabb;

/// The share of a body's own motion by which guessed boxes are larger than the
/// motion itself: contact changes velocities within a step. A guess too small costs a second solve,
/// one too large couples bodies that do not meet.
const GUESS_MARGIN: f64 = 0.25;

/// Surfaces of all bodies and everything they may meet.
#[derive(Debug, Clone)]
pub struct Collisions {
    /// The surface of each body.
    pub surfaces: Vec<Arc<Surface>>,
    /// What bodies collide with and that never moves.
    pub obstacles: Arc<Obstacles>,
    /// Which colliders meet; bodies come first, in the world's order.
    pub pairs: Arc<PairTable>,
    /// Parameters of barrier and friction.
    pub settings: ContactSettings,
    /// Acceleration of free fall (m/s^2), for guesses.
    pub gravity: Vec3,
}

impl Collisions {
    /// The contact of a system that consists of these bodies.
    pub fn arrange(&self, bodies: &[usize], first_nodes: impl Fn(usize) -> usize) -> Arrangement {
        let place = |(k, &b): (usize, &usize)| Placed {
            surface: self.surfaces[b].clone(),
            collider: b,
            body: k,
            first_node: first_nodes(k),
        };
        Arrangement {
            placed: bodies.iter().enumerate().map(place).collect(),
            obstacles: self.obstacles.clone(),
            pairs: self.pairs.clone(),
            settings: self.settings,
        }
    }

    /// Adds contact and friction to the system of an island.
    pub(super) fn couple(&self, system: System, bodies: &[usize]) -> System {
        let arrangement = self.arrange(bodies, |k| system.nodes(k).start);
        system
            .with_coupling(Contact::new(arrangement.clone()))
            .with_dissipation(Friction::new(arrangement))
    }

    /// The box in which a body probably stays during a step of `h`.
    pub(super) fn guess_swept(&self, body: usize, state: &State, h: f64) -> Aabb {
        let now = body_box(&self.surfaces[body], &state.positions);
        let vertices = self.surfaces[body].vertices();
        let then = Aabb::of_points(vertices.iter().map(|&i| {
            let (x, v) = (state.positions[i as usize], state.velocities[i as usize]);
            x + h * (v + h * self.gravity)
        }));
        let moved = (then.min - now.min).abs().max((then.max - now.max).abs()).max_element();
        now.hull(then).inflate(0.5 * self.settings.d_hat + GUESS_MARGIN * moved)
    }

    /// Joins bodies whose boxes overlap and that do not ignore each other.
    pub(super) fn join_overlapping(&self, boxes: &[Aabb], links: &mut Links) {
        // Sweep along x: bodies are looked at in the order in which their boxes begin.
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&a, &b| boxes[a].min.x.total_cmp(&boxes[b].min.x).then(a.cmp(&b)));
        for (k, &a) in order.iter().enumerate() {
            let reached = |b: &&usize| boxes[**b].min.x <= boxes[a].max.x;
            for &b in order[k + 1..].iter().take_while(reached) {
                if boxes[a].overlaps(&boxes[b]) && self.pairs.collide(a, b) {
                    links.join(a, b);
                }
            }
        }
    }

    /// Joins bodies that have come nearer than `d_hat` on the boxes they swept.
    pub(super) fn join_swept(&self, swept: &[Option<Aabb>], links: &mut Links) {
        // A body without a box failed or is of an island that did; it moved nowhere.
        let margin = 0.5 * self.settings.d_hat;
        let boxes: Vec<Aabb> =
            swept.iter().map(|swept| swept.map_or(Aabb::EMPTY, |b| b.inflate(margin))).collect();
        self.join_overlapping(&boxes, links);
    }
}
