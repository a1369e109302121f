//! The dissipation of a system over a step.

use crate::system::Layout;
use crate::{
    CouplingDissipationPotential, DissipationPotential, Hessian, Laplacian, Psd, Rounds, State,
    SystemOf, Vec3,
};
use resile_sparse::BlockSink;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The dissipation of a system over a step with its lagged quantities, as returned by [`SystemOf::lagged`]. A
/// restriction takes O(nodes); evaluation costs what the terms cost.
pub struct LaggedDissipation {
    layout: Arc<Layout>,
    /// The active bodies, ascending.
    acting: Vec<usize>,
    bodies: Arc<[Vec<Arc<dyn DissipationPotential>>]>,
    couplings: Vec<Box<dyn CouplingDissipationPotential>>,
}

impl SystemOf<'_> {
    /// Begins a step from `state`: forgets the [hints](crate::SearchHint) of earlier steps and returns the dissipation
    /// of this one.
    pub fn begin(&mut self, state: &State) -> LaggedDissipation {
        self.searched.hints.clear();
        self.lagged(state)
    }

    /// The dissipation over a step that begins with the positions and velocities of `state`. Costs a search of the
    /// couplings.
    pub fn lagged(&self, state: &State) -> LaggedDissipation {
        let State { positions: x, velocities: v, .. } = state;
        let lag_body = |b: usize| {
            self.bodies[b].dissipations.iter().map(|law| law.lagged(&x[self.nodes(b)])).collect()
        };
        LaggedDissipation {
            layout: self.layout.clone(),
            acting: self.acting.clone(),
            bodies: (0..self.bodies.len()).map(lag_body).collect(),
            couplings: self.dissipations.iter().map(|law| law.lagged(x, v)).collect(),
        }
    }

    /// The power (W) that prescribed motions supply to `dissipation` at `time` (s) and velocities `v` (m/s) with
    /// `force = dD/dv` (N): through the prescribed nodes of a body, and through kinematic bodies with friction.
    pub fn dragging_power(
        &self,
        dissipation: &LaggedDissipation,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        self.power_through(dissipation.couplings.iter(), time, v, force)
    }

    /// The power (W) that prescribed motions supply to the viscous terms between bodies, like [`Self::dragging_power`];
    /// `force` (N) is [their gradient](LaggedDissipation::add_viscous_gradient).
    pub fn viscous_dragging_power(
        &self,
        dissipation: &LaggedDissipation,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        self.power_through(dissipation.viscous(), time, v, force)
    }

    /// The power (W) that prescribed motions supply through prescribed nodes and through these `couplings`.
    fn power_through<'d>(
        &self,
        couplings: impl Iterator<Item = &'d Box<dyn CouplingDissipationPotential>>,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        let mut power = self.sum_by_body(|i| force[i].dot(self.held_part(i, v[i])));
        if let Some(kinematic) = self.kinematic_velocities(v) {
            for (body, power) in self.bodies.iter().zip(&mut power) {
                if body.is_kinematic() {
                    *power = 0.0;
                }
            }
            couplings.for_each(|d| d.add_power_by_body(time, v, &kinematic, &mut power));
        }
        power
    }
}

impl LaggedDissipation {
    /// The nodes of body `b`.
    fn nodes(&self, b: usize) -> Range<usize> {
        self.layout.starts[b]..self.layout.starts[b + 1]
    }

    /// The potentials within the active bodies, with their nodes.
    fn body_potentials(
        &self,
    ) -> impl Iterator<Item = (Range<usize>, &Vec<Arc<dyn DissipationPotential>>)> {
        self.acting.iter().map(|&b| (self.nodes(b), &self.bodies[b]))
    }

    /// Whether there is no dissipation.
    pub fn is_empty(&self) -> bool {
        self.couplings.is_empty() && self.bodies.iter().all(Vec::is_empty)
    }

    /// The dissipation of a system in which only these bodies (ascending) move.
    #[must_use]
    pub fn restricted(&self, acting: &[usize]) -> Self {
        let mut is_acting = vec![false; self.bodies.len()];
        acting.iter().for_each(|&b| is_acting[b] = true);
        Self {
            layout: self.layout.clone(),
            acting: acting.to_vec(),
            bodies: self.bodies.clone(),
            couplings: self.couplings.iter().map(|term| term.restricted(&is_acting)).collect(),
        }
    }

    /// Lags forces at the end `x` (m) of the step, which then act alone; returns whether any depends on lagged forces.
    /// See [`CouplingDissipationPotential::lag_at_end`].
    pub fn lag_at_end(&mut self, x: &[Vec3]) -> bool {
        self.couplings.iter_mut().fold(false, |found, d| d.lag_at_end(x) | found)
    }

    /// Mixes the forces lagged at both ends. `start_weights` has the weight of the start for each node; see
    /// [`CouplingDissipationPotential::mix`].
    pub fn mix(&mut self, start_weights: &[f64]) {
        self.couplings.iter_mut().for_each(|d| d.mix(start_weights));
    }

    /// Notes the velocities `v` (m/s) of an iterate of a minimisation before its Hessian is computed; returns whether
    /// all terms add their second derivative there ([`CouplingDissipationPotential::note_iterate`]).
    pub fn note_iterate(&mut self, v: &[Vec3], restart: bool) -> bool {
        self.couplings.iter_mut().fold(true, |exact, d| d.note_iterate(v, restart) & exact)
    }

    /// Whether any term has dry friction ([`CouplingDissipationPotential::has_friction`]).
    pub fn has_friction(&self) -> bool {
        self.couplings.iter().any(|d| d.has_friction())
    }

    /// The viscous terms between bodies.
    fn viscous(&self) -> impl Iterator<Item = &Box<dyn CouplingDissipationPotential>> {
        self.couplings.iter().filter(|d| d.is_viscous())
    }

    /// Whether any term between bodies is viscous ([`CouplingDissipationPotential::is_viscous`]).
    pub fn has_viscous_couplings(&self) -> bool {
        self.viscous().next().is_some()
    }

    /// The potential D(v) (W) at `time` (s).
    pub fn value(&self, time: f64, v: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        for (nodes, potentials) in self.body_potentials() {
            sum += potentials.iter().map(|d| d.value(time, &v[nodes.clone()])).sum::<f64>();
        }
        sum + self.couplings.iter().map(|d| d.value(time, v)).sum::<f64>()
    }

    /// `out += scale * dD/dv` at `time` (s).
    pub fn add_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.add_body_gradient(time, v, scale, out);
        self.add_coupling_gradient(time, v, scale, out);
    }

    /// `out += scale * dD/dv` of the terms between bodies at `time` (s).
    pub fn add_coupling_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.couplings.iter().for_each(|d| d.add_gradient(time, v, scale, out));
    }

    /// `out += scale * dD/dv` of the viscous terms between bodies at `time` (s).
    pub fn add_viscous_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.viscous().for_each(|d| d.add_gradient(time, v, scale, out));
    }

    /// `out += scale * dD/dv` of the terms within bodies at `time` (s).
    fn add_body_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (nodes, potentials) in self.body_potentials() {
            for term in potentials {
                term.add_gradient(time, &v[nodes.clone()], scale, &mut out[nodes.clone()]);
            }
        }
    }

    /// Adds `scale * d2D/dv2` of the terms of bodies; pairs may change.
    pub fn add_body_hessians(
        &self,
        time: f64,
        v: &[Vec3],
        scale: f64,
        psd: Psd,
        out: &mut dyn BlockSink,
    ) {
        for (nodes, potentials) in self.body_potentials() {
            for term in potentials {
                let out = &mut Hessian::new(out, nodes.start, scale);
                term.add_hessian(time, &v[nodes.clone()], psd, out);
            }
        }
    }

    /// Adds `scale` times the Laplacians of the terms of bodies. See [`DissipationPotential::add_laplacian`].
    pub fn add_body_laplacians(
        &self,
        time: f64,
        v: &[Vec3],
        scale: f64,
        out: &mut dyn BlockSink<f64>,
    ) {
        for (nodes, potentials) in self.body_potentials() {
            for term in potentials {
                let out = &mut Laplacian::new(out, nodes.start, scale);
                term.add_laplacian(time, &v[nodes.clone()], out);
            }
        }
    }

    /// Adds `scale * d2D/dv2` of the terms between bodies; pairs may change.
    pub fn add_coupling_hessians(
        &self,
        time: f64,
        v: &[Vec3],
        scale: f64,
        psd: Psd,
        out: &mut dyn BlockSink,
    ) {
        for term in &self.couplings {
            term.add_hessian(time, v, psd, &mut Hessian::new(out, 0, scale));
        }
    }

    /// Approximate velocities (m/s) after dissipation at `time` (s) acted on `v` for `h` (s), without a linear system:
    /// terms of bodies are evaluated explicitly at `guess`, terms between bodies are relaxed from there. See
    /// [`CouplingDissipationPotential::relax`].
    pub fn relaxed(
        &self,
        time: f64,
        h: f64,
        v: &[Vec3],
        guess: &[Vec3],
        rounds: Rounds,
    ) -> Vec<Vec3> {
        let mobility = |(mass, free): (&f64, &bool)| if *free { 1.0 / mass } else { 0.0 };
        let mobility: Vec<f64> =
            self.layout.masses.iter().zip(&self.layout.free).map(mobility).collect();
        let mut impulses = vec![Vec3::ZERO; v.len()];
        self.add_body_gradient(time, guess, h, &mut impulses);
        let after_impulse =
            |((v, impulses), mobility): ((&Vec3, &Vec3), &f64)| *v - *impulses * *mobility;
        let mut relaxed: Vec<Vec3> =
            v.iter().zip(&impulses).zip(&mobility).map(after_impulse).collect();
        for term in &self.couplings {
            term.relax(h, (&mobility, guess), &mut relaxed, rounds);
        }
        relaxed
    }
}

impl fmt::Debug for LaggedDissipation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaggedDissipation")
            .field("couplings", &self.couplings.len())
            .finish_non_exhaustive()
    }
}
