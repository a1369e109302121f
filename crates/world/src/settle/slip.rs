//! Reference positions of slip in static analysis.
//!
//! Coulomb friction depends on the path of a motion, not on its rate. Over a load step it is the potential
//!
//! ```text
//!   sum over pairs of mu lambda f0(|T^T (u - x0)|),
//! ```
//!
//! of the displacements from the positions `x0` at its start, for any number of solution steps. `f0` smooths it over
//! the slip length. `x0` is shifted back by the elastic slip at the end of the previous load step
//! ([`resile_contact::LaggedContacts::elastic_slip`]), so that a sticking contact keeps its force without further
//! motion. Slip of contacts that begin during a load step is measured from there, unless their bodies have prescribed
//! nodes.

use crate::World;
use resile_contact::{Candidates, LaggedContacts, Role};
use resile_integrators::ElasticSlip;
use resile_system::{Quantity, Record, State, Vec3};

/// Slip length in static analysis, relative to `d_hat`. Sticking contacts are displaced by less; normal forces change
/// over `d_hat`.
const SLIP_LENGTH: f64 = 0.1;

/// Key of the record of the reference positions during a load step.
const ORIGIN_KEY: &str = "friction.origin";

/// Reference positions of slip during a load step.
#[derive(Debug, Clone)]
pub(super) struct SlipOrigin {
    /// The reference positions (m) of the nodes of each body.
    positions: Vec<Vec<Vec3>>,
    /// Whether each node was in contact after the last step, by body.
    touching: Vec<Vec<bool>>,
    /// The time (s) of these positions.
    time: f64,
    /// The slip length (m).
    pub(super) slip_length: f64,
}

impl SlipOrigin {
    /// The present positions minus the elastic slip of the last load step. `None` without friction.
    pub(super) fn new(world: &World) -> Option<Self> {
        if !world.has_friction() {
            return None;
        }
        let reference_positions = |state: &State| match ElasticSlip::recall(&state.memory) {
            Some(slip) => super::differences(&state.positions, &slip.displacements),
            None => state.positions.clone(),
        };
        let positions =
            world.members.iter().map(|member| reference_positions(&member.state)).collect();
        let time = world.members.first().map_or(0.0, |member| member.state.time);
        let touching = world.touching_nodes();
        Some(Self { positions, touching, time, slip_length: SLIP_LENGTH * world.d_hat() })
    }

    /// Moves the origin of nodes of free bodies that were not in contact before the last step to their present
    /// positions, where the slip of new contacts begins. Otherwise the fall of a body through a gap would count as slip
    /// of all contacts whose normal is not parallel to it.
    pub(super) fn move_new_contacts(&mut self, world: &World) {
        let bodies = world.members.iter().zip(&mut self.positions).zip(&self.touching);
        for ((member, origins), touching) in bodies {
            if member.role != Role::Simulated || member.body.is_held() {
                continue;
            }
            let nodes = origins.iter_mut().zip(touching).zip(&member.state.positions);
            for ((origin, _), x) in nodes.filter(|((_, was_touching), _)| !**was_touching) {
                *origin = *x;
            }
        }
        self.touching = world.touching_nodes();
    }

    /// Stores the origin in the memory of all bodies, so that the next step, of `h` (s), measures slip from it.
    pub(super) fn store(&self, world: &mut World, h: f64) {
        for (member, origins) in world.members.iter_mut().zip(&self.positions) {
            let elapsed = member.state.time - self.time;
            let rows = vec![vec![h, self.slip_length]];
            let record = Record { rows, ..Record::default() }
                .with(Quantity::Position { ago: elapsed }, origins.clone());
            member.state.memory.insert(ORIGIN_KEY, record);
        }
    }

    /// Stores the elastic slip of the present state, in which the load step ends, in the memory of all bodies.
    pub(super) fn store_elastic_slip(self, world: &mut World) {
        let Some(slip) = self.elastic_slip(world) else { return };
        let mut remaining = &slip[..];
        for member in &mut world.members {
            let (body_slip, further) = remaining.split_at(member.state.positions.len());
            let slip_length = self.slip_length;
            ElasticSlip { displacements: body_slip.to_vec(), slip_length }
                .remember(&mut member.state.memory);
            remaining = further;
        }
    }

    /// The elastic slip (m) of all nodes; `None` without contact. Kinematic bodies have none.
    fn elastic_slip(&self, world: &World) -> Option<Vec<Vec3>> {
        let (collisions, scene) = (world.collisions.as_ref()?, world.collision_scene()?);
        let x = world.concatenated(|state| &state.positions);
        let displacements = super::differences(&x, &self.positions.concat());
        // One for nodes of simulated bodies, zero for those of kinematic ones.
        let weights = world.members.iter().flat_map(|member| {
            let weight = if member.role == Role::Simulated { 1.0 } else { 0.0 };
            std::iter::repeat_n(weight, member.state.positions.len())
        });
        let candidates = Candidates::near(&scene, &x, collisions.barrier.d_hat);
        let lagged = LaggedContacts::new(&scene, &candidates, &collisions.barrier, &x);
        Some(lagged.elastic_slip(
            &scene,
            &displacements,
            self.slip_length,
            &weights.collect::<Vec<_>>(),
        ))
    }
}

impl World {
    /// Whether contact forces act on each node, by body. Takes a search: O(n log n).
    fn touching_nodes(&self) -> Vec<Vec<bool>> {
        let mut remaining = match (self.collisions.as_ref(), self.collision_scene()) {
            (Some(collisions), Some(scene)) => {
                let x = self.concatenated(|state| &state.positions);
                let candidates = Candidates::near(&scene, &x, collisions.barrier.d_hat);
                collisions.barrier.gradient(&scene, &candidates, &x)
            }
            _ => Vec::new(),
        };
        let is_touching = |member: &super::WorldBody| {
            let further = remaining.split_off(remaining.len().min(member.state.positions.len()));
            let body_forces = std::mem::replace(&mut remaining, further);
            body_forces.into_iter().map(|force| force != Vec3::ZERO).collect()
        };
        self.members.iter().map(is_touching).collect()
    }
}

/// Offset of velocities for the slip, during load steps and after them.
pub(crate) struct SlipOffset {
    /// The offset (m/s) of the velocity of each node at which friction is evaluated.
    pub(crate) velocities: Vec<Vec3>,
    /// The slip length over the length of the step (m/s).
    pub(crate) slip_speed: f64,
}

impl SlipOffset {
    /// The offset from the memory of an island: in a load step that of slip since its origin, after a load step that of
    /// the elastic slip in a step of one second. `None` in other states.
    pub(crate) fn new(state: &State) -> Option<Self> {
        if let Some(record) = state.memory.get(ORIGIN_KEY) {
            let (origin, row) = (record.fields.first()?, record.rows.first()?);
            let &[h, slip_length] = &row[..] else { return None };
            let position_pairs = state.positions.iter().zip(&origin.values);
            let velocities = position_pairs.map(|(x, reference)| (*x - *reference) / h).collect();
            return Some(Self { velocities, slip_speed: slip_length / h });
        }
        let ElasticSlip { displacements, slip_length } = ElasticSlip::recall(&state.memory)?;
        Some(Self { velocities: displacements, slip_speed: slip_length })
    }
}
