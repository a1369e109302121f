//! Bodies and the terms between them, as one set of nodes.

use crate::prepared::Searched;
use crate::{
    Body, Coupling, CouplingDissipation, CouplingPart, FlowHeat, Held, Internal, Mat3, Path,
    Prescribed, SearchHint, Vec3,
};
use std::ops::Range;
use std::sync::Arc;

/// A mechanical system that owns its bodies and terms.
pub type System = SystemOf<'static>;

/// Distance of a prescribed node from its position, in roundings of its coordinates, at or below which it is there: the
/// projection onto the held directions of a guided node sums three products.
const POSITION_ROUNDINGS: f64 = 64.0;

/// A mechanical system: the nodes of its bodies, one body after the other. It owns them as a [`System`], or borrows
/// them for `'t` as a [restriction](crate::PreparedOn::restricted) to some bodies.
#[derive(Debug)]
pub struct SystemOf<'t> {
    pub(crate) bodies: Arc<[Body]>,
    pub(crate) couplings: Vec<CouplingPart<'t>>,
    pub(crate) dissipations: Vec<Arc<dyn CouplingDissipation>>,
    pub(crate) layout: Arc<Layout>,
    /// The active bodies, ascending.
    pub(crate) acting: Vec<usize>,
    pub(crate) searched: Searched,
}

/// The nodes of all bodies.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The first node of each body, and the total number of nodes.
    pub(crate) starts: Vec<usize>,
    pub(crate) masses: Vec<f64>,
    pub(crate) free: Vec<bool>,
    /// Nodes that are free in some directions only, ascending, with the projectors onto these.
    guided: Vec<(usize, Mat3)>,
}

impl Default for System {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl System {
    /// The system of `bodies` without couplings.
    pub fn new(mut bodies: Vec<Body>) -> Self {
        let mut starts = vec![0];
        let mut masses = Vec::new();
        let mut free = Vec::new();
        let mut guided = Vec::new();
        for body in &mut bodies {
            let start = masses.len();
            masses.extend_from_slice(&body.masses);
            free.resize(masses.len(), true);
            body.prescribed.sort_by_key(|prescribed| prescribed.node);
            for conditions in body.prescribed.chunk_by(|a, b| a.node == b.node) {
                let node = start + conditions[0].node;
                match free_directions(conditions) {
                    None => free[node] = false,
                    Some(projector) => guided.push((node, projector)),
                }
            }
            starts.push(masses.len());
        }
        let layout = Arc::new(Layout { starts, masses, free, guided });
        let (acting, searched) = ((0..bodies.len()).collect(), Searched::default());
        let bodies = bodies.into();
        Self { bodies, couplings: Vec::new(), dissipations: Vec::new(), layout, acting, searched }
    }

    /// The system with one more energy between bodies.
    #[must_use]
    pub fn with_coupling(mut self, coupling: impl Coupling + 'static) -> Self {
        self.couplings.push(CouplingPart::Own(Box::new(coupling)));
        self.searched = Searched::default();
        self
    }

    /// The system with one more dissipation between bodies, such as friction.
    #[must_use]
    pub fn with_dissipation(mut self, dissipation: impl CouplingDissipation + 'static) -> Self {
        self.dissipations.push(Arc::new(dissipation));
        self
    }
}

impl SystemOf<'_> {
    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.layout.masses.len()
    }

    /// The nodes of body `b`.
    pub fn nodes(&self, b: usize) -> Range<usize> {
        self.layout.starts[b]..self.layout.starts[b + 1]
    }

    /// The body that a node belongs to. O(log n) of n bodies.
    pub fn body_of(&self, node: usize) -> usize {
        self.layout.starts.partition_point(|start| *start <= node) - 1
    }

    /// The active bodies, ascending: all bodies except in a [restriction](crate::PreparedOn::restricted).
    pub fn acting(&self) -> &[usize] {
        &self.acting
    }

    /// Lumped mass of each node (kg).
    pub fn masses(&self) -> &[f64] {
        &self.layout.masses
    }

    /// Whether each node is a degree of freedom in at least one direction.
    pub fn free(&self) -> &[bool] {
        &self.layout.free
    }

    /// Nodes that are free in some directions only, ascending, with the orthogonal projectors onto these.
    pub fn guided(&self) -> &[(usize, Mat3)] {
        &self.layout.guided
    }

    /// Combines two vectors at a node: the component of the first in the free directions plus that of the second in the
    /// held directions.
    pub fn compose(&self, node: usize, free: Vec3, held: Vec3) -> Vec3 {
        if !self.layout.free[node] {
            return held;
        }
        let guided = &self.layout.guided;
        match guided.binary_search_by_key(&node, |&(guided_node, _)| guided_node) {
            Ok(index) => {
                let (_, projector) = guided[index];
                held + projector * (free - held)
            }
            Err(_) => free,
        }
    }

    /// The component of a vector in the directions in which a node is free.
    pub fn free_part(&self, node: usize, vector: Vec3) -> Vec3 {
        self.compose(node, vector, Vec3::ZERO)
    }

    /// The component of a vector in the directions in which a node is held.
    pub fn held_part(&self, node: usize, vector: Vec3) -> Vec3 {
        self.compose(node, Vec3::ZERO, vector)
    }

    /// The positions (m) of prescribed nodes at `time`, by node of the system; for guided nodes those in the held
    /// directions.
    pub fn prescribed(&self, time: f64) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        self.bodies.iter().zip(&self.layout.starts).flat_map(move |(body, start)| {
            let conditions_by_node = body.prescribed.chunk_by(|a, b| a.node == b.node);
            conditions_by_node.map(move |conditions| {
                (start + conditions[0].node, prescribed_position(conditions, time))
            })
        })
    }

    /// The largest distance (m) at the positions `x` (m) of a prescribed node from its position at `time` (s), for guided
    /// nodes in the held directions. Distances at the level of rounding are zero. O(prescribed nodes).
    pub fn prescribed_lag(&self, time: f64, x: &[Vec3]) -> f64 {
        let lag = |(node, target): (usize, Vec3)| {
            let distance = self.held_part(node, target - x[node]).length();
            let rounding = POSITION_ROUNDINGS * f64::EPSILON * x[node].abs().max_element();
            if distance <= rounding { 0.0 } else { distance }
        };
        self.prescribed(time).map(lag).fold(0.0, f64::max)
    }

    /// The first time (s) after `time` at which a prescribed quantity or its velocity jumps; infinite if there is none.
    /// O(prescribed nodes).
    pub fn next_change(&self, time: f64) -> f64 {
        let next_change_of_body = |body: &Body| {
            let energies = body.energies.iter().map(|energy| energy.next_change(time));
            let dissipations = body.dissipations.iter().map(|term| term.next_change(time));
            let motions = body.prescribed.iter().map(|hold| hold.motion.next_change(time));
            energies.chain(dissipations).chain(motions).fold(f64::INFINITY, f64::min)
        };
        let changes_of_bodies = self.bodies.iter().map(next_change_of_body);
        let changes_of_couplings = self.couplings.iter().map(|coupling| coupling.next_change(time));
        changes_of_bodies.chain(changes_of_couplings).fold(f64::INFINITY, f64::min)
    }

    /// Replaces the energies of bodies by those with these history variables, which are those of the time `since` (s),
    /// or minus infinity for terms that have relaxed. O(elements) of inelastic bodies.
    pub fn set_internal(&mut self, internal: &Internal, since: f64) {
        if !self.bodies.iter().any(Body::is_inelastic) {
            return;
        }
        let body_with_internal = |(b, body): (usize, &Body)| {
            let energies = body.energies_with(internal.of(b), since);
            Body { energies, ..body.clone() }
        };
        self.bodies = self.bodies.iter().enumerate().map(body_with_internal).collect();
    }

    /// Ends a step at `time` (s) and at `x` (m) by plastic and viscous flow. Returns the history variables and the heat
    /// of each body; `None` if no body has history variables.
    pub fn flow(&self, time: f64, x: &[Vec3]) -> Option<(Internal, Vec<FlowHeat>)> {
        if !self.bodies.iter().any(Body::is_inelastic) {
            return None;
        }
        let flow_of_body = |(b, body): (usize, &Body)| body.flow(time, &x[self.nodes(b)]);
        let (variables, heats) = self.bodies.iter().enumerate().map(flow_of_body).unzip();
        Some((Internal::new(variables), heats))
    }

    /// The kinetic energy of the free nodes of each body (J), without prescribed nodes.
    pub fn kinetic_by_body(&self, v: &[Vec3]) -> Vec<f64> {
        self.sum_by_body(|i| 0.5 * self.layout.masses[i] * self.free_part(i, v[i]).length_squared())
    }

    /// Whether there is any dissipation.
    pub fn dissipates(&self) -> bool {
        !self.dissipations.is_empty() || self.is_damped()
    }

    /// Whether any body has a dissipation term.
    pub fn is_damped(&self) -> bool {
        self.bodies.iter().any(|b| !b.dissipations.is_empty())
    }

    /// Largest fraction of the straight paths that every term allows.
    pub(crate) fn step_bound(&mut self, paths: &[Path<'_>]) -> f64 {
        let mut bound = self.step_bound_of_bodies(paths);
        let Self { couplings, searched, .. } = self;
        searched.hints.resize_with(couplings.len(), SearchHint::default);
        for (coupling, hint) in couplings.iter_mut().zip(&mut searched.hints) {
            bound = bound.min(coupling.search_with(paths, hint));
        }
        bound
    }

    /// Whether any pair of surfaces has a coefficient of restitution.
    pub fn has_restitution_pairs(&self) -> bool {
        self.couplings.iter().any(|c| c.has_restitution_pairs())
    }

    /// Whether the motion of any prescribed node is not constant in time.
    pub fn is_driven(&self) -> bool {
        self.bodies.iter().any(|b| b.prescribed.iter().any(|p| !p.motion.is_fixed()))
    }

    /// Sums a quantity of nodes over each body.
    pub fn sum_by_body(&self, of_node: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.bodies.len()).map(|b| self.nodes(b).map(&of_node).sum()).collect()
    }

    /// `v` at the nodes of kinematic bodies, zero at others; `None` if there are none.
    pub(crate) fn kinematic_velocities(&self, v: &[Vec3]) -> Option<Vec<Vec3>> {
        let is_kinematic = |b: &usize| self.bodies[*b].is_kinematic();
        let mut velocities = None;
        for b in (0..self.bodies.len()).filter(is_kinematic) {
            let velocities = velocities.get_or_insert_with(|| vec![Vec3::ZERO; v.len()]);
            velocities[self.nodes(b)].copy_from_slice(&v[self.nodes(b)]);
        }
        velocities
    }

    /// Work (J) on each body through the explicit time dependence of its terms, and its part of that of couplings.
    pub fn work_by_body(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> Vec<f64> {
        let work_of_body = |b: usize| {
            let nodes = self.nodes(b);
            let (from, to) = (&from[nodes.clone()], &to[nodes]);
            self.bodies[b].energies.iter().map(|e| e.work(from, to, times)).sum()
        };
        let mut work: Vec<f64> = (0..self.bodies.len()).map(work_of_body).collect();
        self.couplings.iter().for_each(|c| c.add_work_by_body(from, to, times, &mut work));
        work
    }

    /// Whether a support to which a term ties a body moves between both `times` (s).
    pub fn has_moving_support(&self, times: [f64; 2]) -> bool {
        let moves = |velocity: Vec3| velocity != Vec3::ZERO;
        let mut terms = self.bodies.iter().flat_map(|body| &body.energies);
        terms.any(|term| term.support_velocity(times).is_some_and(moves))
    }

    /// Forces (N) on all nodes by the dead loads of bodies that differ between both `times` (s), at each of them; `None`
    /// if there are none. `x` are positions (m), on which they do not depend.
    pub fn varying_dead_loads(&self, x: &[Vec3], times: [f64; 2]) -> Option<[Vec<Vec3>; 2]> {
        let mut forces = None;
        for (b, body) in self.bodies.iter().enumerate() {
            for load in body.energies.iter().filter(|load| load.is_varying_dead_load(times)) {
                let forces = forces
                    .get_or_insert_with(|| [vec![Vec3::ZERO; x.len()], vec![Vec3::ZERO; x.len()]]);
                for (time, forces) in times.into_iter().zip(forces) {
                    let nodes = self.nodes(b);
                    load.add_gradient(time, &x[nodes.clone()], -1.0, &mut forces[nodes]);
                }
            }
        }
        forces
    }
}

/// The projector onto the free directions of a node; `None` if there are none.
fn free_directions(conditions: &[Prescribed]) -> Option<Mat3> {
    if conditions.iter().any(|condition| condition.held == Held::All) {
        return None;
    }
    let free =
        conditions.iter().fold(Mat3::IDENTITY, |free, condition| free - condition.held.projector());
    // The trace of a projector is the dimension of its range, an integer up to rounding.
    let dimension = free.x_axis.x + free.y_axis.y + free.z_axis.z;
    (dimension > 0.5).then_some(free)
}

/// The prescribed position (m) of a node in the held directions.
fn prescribed_position(conditions: &[Prescribed], time: f64) -> Vec3 {
    let full_condition = conditions.iter().find(|condition| condition.held == Held::All);
    let position = |condition: &Prescribed| {
        condition.held.part(condition.motion.position(condition.start, time))
    };
    full_condition.map_or_else(|| conditions.iter().map(position).sum(), position)
}
