//! Velocities under friction and damping alone: the objective and its unknowns.
//!
//! ```text
//! argmin_v  1/2 |v - u|_m^2 + h D(v)
//! ```
//!
//! with the masses m of nodes, or the [elastic inertia](super::elastic_inertia) of bodies that have one. Nodes without
//! dissipation keep `u`. Usually only the few nodes in contact have dissipation, so the problem is
//! solved for these alone.

use super::NO_INDEX;
use super::elastic_inertia::ElasticInertia;
use super::objective::linearised;
use resile_math::{Mat3, Vec3};
use resile_solver::{Linearisation, Objective};
use resile_sparse::{Assembly, BlockSink};
use resile_system::{DissipationFrame, LaggedDissipation, Psd, System};

/// The objective over the velocities (m/s) of the nodes on which any dissipation acts.
#[derive(Debug)]
pub(crate) struct FrictionObjective<'a> {
    system: &'a System,
    dissipation: &'a LaggedDissipation,
    /// The frame in which dissipation is evaluated.
    frame: DissipationFrame,
    /// The duration (s) for which it acts.
    h: f64,
    /// The velocity `u` (m/s) of each node before friction and damping act; at prescribed nodes their actual velocity.
    undamped: &'a [Vec3],
    /// The nodes whose velocities are unknowns, ascending.
    nodes: Vec<usize>,
    /// The index of each node of the system among the unknowns, or [`NO_INDEX`].
    unknown_index: Vec<usize>,
    /// Whether each unknown is free in some direction.
    free: Vec<bool>,
    /// The unknowns that are free in some directions only, with the projectors onto these.
    guided: Vec<(usize, Mat3)>,
    /// The elastic inertias that replace the masses of the nodes of affected bodies.
    inertias: Vec<&'a ElasticInertia>,
    /// Whether each node of the system belongs to a body with an elastic inertia.
    has_inertia: Vec<bool>,
}

/// A sink that marks the nodes on which a Hessian acts.
struct AffectedNodes(Vec<bool>);

impl BlockSink for AffectedNodes {
    fn add(&mut self, i: usize, j: usize, _: Mat3) {
        self.0[i] = true;
        self.0[j] = true;
    }
}

/// Whether `dissipation` acts on each node at the velocities `v` (m/s).
fn affected_nodes(
    dissipation: &LaggedDissipation,
    frame: &DissipationFrame,
    v: &[Vec3],
) -> Vec<bool> {
    let mut affected = AffectedNodes(vec![false; v.len()]);
    dissipation.add_body_hessians(frame, v, 1.0, Psd::Exact, &mut affected);
    dissipation.add_coupling_hessians(frame.time, v, &[], 1.0, Psd::Exact, &mut affected);
    affected.0
}

/// A sink that replaces the index of each node by its index among the unknowns.
struct Renumbered<'a> {
    unknown_index: &'a [usize],
    out: &'a mut Assembly,
}

impl BlockSink for Renumbered<'_> {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        self.out.add(self.unknown_index[i], self.unknown_index[j], block);
    }
}

impl<'a> FrictionObjective<'a> {
    /// The objective for `dissipation` in `frame`, acting for `h` (s) on the velocities `undamped` (m/s). Bodies on which
    /// it acts have their elastic inertia if `inertias` has one.
    pub(crate) fn new(
        system: &'a System,
        dissipation: &'a LaggedDissipation,
        (frame, h): (DissipationFrame, f64),
        undamped: &'a [Vec3],
        inertias: &'a [ElasticInertia],
    ) -> Self {
        let mut affected = affected_nodes(dissipation, &frame, undamped);
        let inertias: Vec<_> = inertias
            .iter()
            .filter(|inertia| affected[inertia.nodes.clone()].contains(&true))
            .collect();
        let mut has_inertia = vec![false; undamped.len()];
        for inertia in &inertias {
            affected[inertia.nodes.clone()].fill(true);
            has_inertia[inertia.nodes.clone()].fill(true);
        }
        let nodes: Vec<usize> = (0..undamped.len()).filter(|&i| affected[i]).collect();
        let mut unknown_index = vec![NO_INDEX; undamped.len()];
        nodes.iter().enumerate().for_each(|(index, &node)| unknown_index[node] = index);
        let free = nodes.iter().map(|&node| system.free()[node]).collect();
        let guided = system.guided().iter().filter(|(node, _)| affected[*node]);
        let guided = guided.map(|&(node, projector)| (unknown_index[node], projector)).collect();
        Self {
            system,
            dissipation,
            frame,
            h,
            undamped,
            nodes,
            unknown_index,
            free,
            guided,
            inertias,
            has_inertia,
        }
    }

    /// Gathers the unknowns from the velocities `v` (m/s) of all nodes.
    pub(crate) fn gather(&self, v: &[Vec3]) -> Vec<Vec3> {
        let velocity = |&node: &usize| self.system.compose(node, v[node], self.undamped[node]);
        self.nodes.iter().map(velocity).collect()
    }

    /// Calls `visit` for each node of a body with an elastic inertia, with the index among the unknowns, the velocity
    /// change (m/s) and the impulse (N s) that causes this change.
    fn for_each_elastic_impulse(&self, v: &[Vec3], mut visit: impl FnMut(usize, Vec3, Vec3)) {
        for inertia in &self.inertias {
            let first_index = self.unknown_index[inertia.nodes.start];
            let nodes = inertia.nodes.clone().enumerate();
            let changes: Vec<Vec3> =
                nodes.map(|(k, node)| v[first_index + k] - self.undamped[node]).collect();
            let mut impulses = vec![Vec3::ZERO; changes.len()];
            inertia.multiply(&changes, &mut impulses);
            for (k, (change, impulse)) in changes.into_iter().zip(impulses).enumerate() {
                visit(first_index + k, change, impulse);
            }
        }
    }

    /// Scatters the unknowns `v` (m/s) to the velocities of all nodes.
    pub(crate) fn scatter(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut velocities = self.undamped.to_vec();
        self.nodes.iter().zip(v).for_each(|(&node, v)| velocities[node] = *v);
        velocities
    }
}

impl Objective for FrictionObjective<'_> {
    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn free(&self) -> &[bool] {
        &self.free
    }

    fn guided(&self) -> &[(usize, Mat3)] {
        &self.guided
    }

    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }

    /// The inertia of prescribed nodes is not part of the value.
    fn value(&self, v: &[Vec3]) -> f64 {
        let masses = self.system.masses();
        let node_energy = |(&node, v): (&usize, &Vec3)| {
            if self.system.free()[node] && !self.has_inertia[node] {
                0.5 * masses[node] * (*v - self.undamped[node]).length_squared()
            } else {
                0.0
            }
        };
        let inertial: f64 = self.nodes.iter().zip(v).map(node_energy).sum();
        let mut elastic = 0.0;
        self.for_each_elastic_impulse(v, |_, change, impulse| elastic += 0.5 * impulse.dot(change));
        inertial + elastic + self.h * self.dissipation.value(&self.frame, &self.scatter(v))
    }

    fn gradient(&self, v: &[Vec3], out: &mut [Vec3]) {
        let mut dissipative = vec![Vec3::ZERO; self.undamped.len()];
        self.dissipation.add_gradient(&self.frame, &self.scatter(v), self.h, &mut dissipative);
        for (index, &node) in self.nodes.iter().enumerate() {
            let mass = if self.has_inertia[node] { 0.0 } else { self.system.masses()[node] };
            out[index] = mass * (v[index] - self.undamped[node]) + dissipative[node];
        }
        self.for_each_elastic_impulse(v, |index, _, impulse| out[index] += impulse);
    }

    fn linearise(&self, v: &[Vec3], previous: Option<&Linearisation>) -> Linearisation {
        linearised(self.dissipation, &self.scatter(v), previous)
    }

    fn hessian(&self, v: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        out.begin();
        for (index, &node) in self.nodes.iter().enumerate() {
            if !self.has_inertia[node] {
                out.add(index, index, Mat3::from_diagonal(Vec3::splat(self.system.masses()[node])));
            }
        }
        for inertia in &self.inertias {
            let first_index = self.unknown_index[inertia.nodes.start];
            inertia.for_each_block(|i, j, block| out.add(first_index + i, first_index + j, block));
        }
        let v = self.scatter(v);
        let mut sink = Renumbered { unknown_index: &self.unknown_index, out };
        self.dissipation.add_body_hessians(&self.frame, &v, self.h, psd, &mut sink);
        sink.out.end_static();
        let duals = &linearisation.duals;
        self.dissipation.add_coupling_hessians(self.frame.time, &v, duals, self.h, psd, &mut sink);
        out.finish();
    }

    /// The unknowns are velocities, so steps are not bounded.
    fn step_bound(&mut self, _: &[Vec3], _: &[Vec3]) -> f64 {
        1.0
    }
}
