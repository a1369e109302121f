//! The dissipation of a system over a step.

use crate::system::Layout;
use crate::{
    CouplingDissipationPotential, DissipationPotential, Duals, Hessian, Laplacian, Mat3, Psd,
    Rounds, State, SystemOf, Vec3, VelocityRelaxation,
};
use resile_sparse::BlockSink;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The rotation of bodies from the start of a step, where shapes and stiffnesses are lagged, to the point at which
/// velocities act. Damping that [rotates with its body](DissipationPotential::rotates_with_body) has the potential
/// `D(R^T (v + c))` with the rotation `R` of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct CoRotation {
    /// The rotation `R` of each body.
    pub rotations: Vec<Mat3>,
    /// The change `c` of each nodal velocity (m/s).
    pub velocity_changes: Vec<Vec3>,
}

/// The time at which velocities act on the dissipation of a step, and the rotation of bodies there.
#[derive(Debug, Clone, Default)]
pub struct DissipationFrame {
    /// The time (s) at which terms are evaluated.
    pub time: f64,
    /// The rotation of bodies since the start of the step; `None` if no body is damped by a term that rotates with it.
    pub co_rotation: Option<Arc<CoRotation>>,
}

impl DissipationFrame {
    /// The frame at `time` (s) without rotation, as at the start of a step.
    pub fn at_start(time: f64) -> Self {
        Self { time, co_rotation: None }
    }
}

/// A sink that rotates blocks: `R block R^T`.
struct RotatedSink<'a> {
    rotation: Mat3,
    out: &'a mut dyn BlockSink,
}

impl BlockSink for RotatedSink<'_> {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        self.out.add(i, j, self.rotation * block * self.rotation.transpose());
    }
}

/// The dissipation of a system over a step with its lagged quantities, as returned by [`SystemOf::lagged`]. A
/// restriction takes O(nodes); evaluation costs what the terms cost.
pub struct LaggedDissipation {
    layout: Arc<Layout>,
    /// The active bodies, ascending.
    acting: Vec<usize>,
    bodies: Arc<[Vec<Arc<dyn DissipationPotential>>]>,
    couplings: Vec<Box<dyn CouplingDissipationPotential>>,
}

/// The rotation in which a term of a body is evaluated.
struct Rotated<'a> {
    rotation: Mat3,
    velocity_changes: &'a [Vec3],
}

impl Rotated<'_> {
    /// `R^T (v + c)` (m/s) for the nodal velocities `v` (m/s) of the body.
    fn local_velocities(&self, v: &[Vec3]) -> Vec<Vec3> {
        let transpose = self.rotation.transpose();
        v.iter().zip(self.velocity_changes).map(|(v, change)| transpose * (*v + *change)).collect()
    }
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

    /// The power (W) that prescribed motions supply against `dissipation`, for each body, at `time` (s) and nodal
    /// velocities `v` (m/s). `force` (N) is the gradient `dD/dv` of `dissipation` at all nodes. The power of a prescribed
    /// node counts for its body. The power of a kinematic body counts for the bodies that it touches, and the entry of
    /// the kinematic body itself is zero.
    pub fn prescribed_power(
        &self,
        dissipation: &LaggedDissipation,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        self.prescribed_power_of(dissipation.couplings.iter(), time, v, force)
    }

    /// [`prescribed_power`](Self::prescribed_power) against the viscous terms between bodies alone; `force` (N) is
    /// [their gradient](LaggedDissipation::add_viscous_gradient).
    pub fn viscous_prescribed_power(
        &self,
        dissipation: &LaggedDissipation,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        self.prescribed_power_of(dissipation.viscous(), time, v, force)
    }

    /// [`prescribed_power`](Self::prescribed_power) against terms with the gradient `force` (N), of which `couplings` are
    /// those between bodies.
    fn prescribed_power_of<'d>(
        &self,
        couplings: impl Iterator<Item = &'d Box<dyn CouplingDissipationPotential>>,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        let mut powers = self.sum_by_body(|i| force[i].dot(self.held_part(i, v[i])));
        if let Some(kinematic_velocities) = self.kinematic_velocities(v) {
            for (body, power) in self.bodies.iter().zip(&mut powers) {
                if body.is_kinematic() {
                    *power = 0.0;
                }
            }
            couplings
                .for_each(|d| d.add_power_by_body(time, v, &kinematic_velocities, &mut powers));
        }
        powers
    }
}

impl LaggedDissipation {
    /// The nodes of body `b`.
    fn nodes(&self, b: usize) -> Range<usize> {
        self.layout.starts[b]..self.layout.starts[b + 1]
    }

    /// The potentials within the active bodies, each with the nodes of its body and the rotation in which it is
    /// evaluated.
    fn body_potentials<'a>(
        &'a self,
        frame: &'a DissipationFrame,
    ) -> impl Iterator<Item = (&'a dyn DissipationPotential, Range<usize>, Option<Rotated<'a>>)>
    {
        self.acting.iter().flat_map(move |&b| {
            self.bodies[b].iter().map(move |term| {
                let rotated = frame.co_rotation.as_ref().filter(|_| term.rotates_with_body());
                let rotated = rotated.map(|co_rotation| Rotated {
                    rotation: co_rotation.rotations[b],
                    velocity_changes: &co_rotation.velocity_changes[self.nodes(b)],
                });
                (&**term, self.nodes(b), rotated)
            })
        })
    }

    /// Whether a potential within body `b` [rotates with it](DissipationPotential::rotates_with_body).
    pub fn rotates_with_body(&self, b: usize) -> bool {
        self.bodies[b].iter().any(|term| term.rotates_with_body())
    }

    /// Whether any potential within a body [rotates with it](DissipationPotential::rotates_with_body).
    pub fn rotates_with_bodies(&self) -> bool {
        (0..self.bodies.len()).any(|b| self.rotates_with_body(b))
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

    /// The dissipation with forces lagged at the end `x` (m) of the step, which act alone. See
    /// [`CouplingDissipationPotential::lagged_at_end`].
    #[must_use]
    pub fn lagged_at_end(&self, x: &[Vec3]) -> Self {
        Self {
            layout: self.layout.clone(),
            acting: self.acting.clone(),
            bodies: self.bodies.clone(),
            couplings: self.couplings.iter().map(|term| term.lagged_at_end(x)).collect(),
        }
    }

    /// Whether any term between bodies has lagged forces at either end of the step.
    pub fn has_lagged_forces(&self) -> bool {
        self.couplings.iter().any(|term| term.has_lagged_forces())
    }

    /// The dissipation with the mixture of the forces lagged at both ends. `start_weights` has the weight of the start for
    /// each node; see [`CouplingDissipationPotential::mixed`].
    #[must_use]
    pub fn mixed(&self, start_weights: &[f64]) -> Self {
        Self {
            layout: self.layout.clone(),
            acting: self.acting.clone(),
            bodies: self.bodies.clone(),
            couplings: self.couplings.iter().map(|term| term.mixed(start_weights)).collect(),
        }
    }

    /// The dual variables of each term between bodies at the velocities `v` (m/s) of an iterate, from those of the
    /// `previous` one ([`CouplingDissipationPotential::duals`]).
    pub fn duals(&self, v: &[Vec3], previous: Option<&[Vec<Vec3>]>) -> Vec<Duals> {
        let previous_of = |k: usize| previous.and_then(|previous| previous.get(k));
        let terms = self.couplings.iter().enumerate();
        terms.map(|(k, term)| term.duals(v, previous_of(k).map(Vec::as_slice))).collect()
    }

    /// Whether any term has dry friction ([`CouplingDissipationPotential::has_friction`]).
    pub fn has_friction(&self) -> bool {
        self.couplings.iter().any(|d| d.has_friction())
    }

    /// The sum of the limits (N) of dry friction of the slipping pairs of each body at the node velocities `v` (m/s); see
    /// [`CouplingDissipationPotential::add_slipping_limits`].
    pub fn slipping_limits(&self, v: &[Vec3]) -> Vec<f64> {
        let mut limits = vec![0.0; self.bodies.len()];
        self.couplings.iter().for_each(|d| d.add_slipping_limits(v, &mut limits));
        limits
    }

    /// The viscous terms between bodies.
    fn viscous(&self) -> impl Iterator<Item = &Box<dyn CouplingDissipationPotential>> {
        self.couplings.iter().filter(|d| d.is_viscous())
    }

    /// Whether any term between bodies is viscous ([`CouplingDissipationPotential::is_viscous`]).
    pub fn has_viscous_couplings(&self) -> bool {
        self.viscous().next().is_some()
    }

    /// The potential D(v) (W) in `frame`.
    pub fn value(&self, frame: &DissipationFrame, v: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        for (term, nodes, rotated) in self.body_potentials(frame) {
            sum += match rotated {
                Some(rotated) => term.value(frame.time, &rotated.local_velocities(&v[nodes])),
                None => term.value(frame.time, &v[nodes]),
            };
        }
        sum + self.couplings.iter().map(|d| d.value(frame.time, v)).sum::<f64>()
    }

    /// `out += scale * dD/dv` in `frame`.
    pub fn add_gradient(&self, frame: &DissipationFrame, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.add_body_gradient(frame, v, scale, out);
        self.add_coupling_gradient(frame.time, v, scale, out);
    }

    /// `out += scale * dD/dv` of the terms between bodies at `time` (s).
    pub fn add_coupling_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.couplings.iter().for_each(|d| d.add_gradient(time, v, scale, out));
    }

    /// `out += scale * dD/dv` of the viscous terms between bodies at `time` (s).
    pub fn add_viscous_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.viscous().for_each(|d| d.add_gradient(time, v, scale, out));
    }

    /// `out += scale * dD/dv` of the terms within bodies in `frame`.
    fn add_body_gradient(
        &self,
        frame: &DissipationFrame,
        v: &[Vec3],
        scale: f64,
        out: &mut [Vec3],
    ) {
        for (term, nodes, rotated) in self.body_potentials(frame) {
            let (v, out) = (&v[nodes.clone()], &mut out[nodes]);
            let Some(rotated) = rotated else {
                term.add_gradient(frame.time, v, scale, out);
                continue;
            };
            let mut local = vec![Vec3::ZERO; v.len()];
            term.add_gradient(frame.time, &rotated.local_velocities(v), scale, &mut local);
            out.iter_mut().zip(local).for_each(|(out, local)| *out += rotated.rotation * local);
        }
    }

    /// Adds `scale * d2D/dv2` of the terms of bodies in `frame`; pairs may change.
    pub fn add_body_hessians(
        &self,
        frame: &DissipationFrame,
        v: &[Vec3],
        scale: f64,
        psd: Psd,
        out: &mut dyn BlockSink,
    ) {
        for (term, nodes, rotated) in self.body_potentials(frame) {
            let (start, v) = (nodes.start, &v[nodes]);
            let Some(rotated) = rotated else {
                term.add_hessian(frame.time, v, psd, &mut Hessian::new(out, start, scale));
                continue;
            };
            let mut sink = RotatedSink { rotation: rotated.rotation, out: &mut *out };
            let v = rotated.local_velocities(v);
            term.add_hessian(frame.time, &v, psd, &mut Hessian::new(&mut sink, start, scale));
        }
    }

    /// Adds `scale` times the Laplacians of the terms of bodies, which do not depend on rotations. See
    /// [`DissipationPotential::add_laplacian`].
    pub fn add_body_laplacians(
        &self,
        time: f64,
        v: &[Vec3],
        scale: f64,
        out: &mut dyn BlockSink<f64>,
    ) {
        for (term, nodes, _) in self.body_potentials(&DissipationFrame::at_start(time)) {
            let out = &mut Laplacian::new(out, nodes.start, scale);
            term.add_laplacian(time, &v[nodes], out);
        }
    }

    /// Adds `scale * d2D/dv2` of the terms between bodies, or the matrix at the dual variables of each term; pairs may
    /// change. Terms that `duals` does not list have their second derivative.
    pub fn add_coupling_hessians(
        &self,
        time: f64,
        v: &[Vec3],
        duals: &[Vec<Vec3>],
        scale: f64,
        psd: Psd,
        out: &mut dyn BlockSink,
    ) {
        for (k, term) in self.couplings.iter().enumerate() {
            let duals = duals.get(k).map_or(&[][..], Vec::as_slice);
            term.add_hessian_at(time, v, duals, psd, &mut Hessian::new(out, 0, scale));
        }
    }

    /// Approximate velocities (m/s) after dissipation in `frame` acted on `v` for `h` (s), without a linear system:
    /// terms of bodies are evaluated explicitly at `guess`, terms between bodies are relaxed from there. See
    /// [`CouplingDissipationPotential::relax`].
    pub fn relaxed(
        &self,
        frame: &DissipationFrame,
        h: f64,
        v: &[Vec3],
        guess: &[Vec3],
        rounds: Rounds,
    ) -> Vec<Vec3> {
        let inverse_mass = |(mass, free): (&f64, &bool)| if *free { 1.0 / mass } else { 0.0 };
        let mobility: Vec<f64> =
            self.layout.masses.iter().zip(&self.layout.free).map(inverse_mass).collect();
        let mut impulses = vec![Vec3::ZERO; v.len()];
        self.add_body_gradient(frame, guess, h, &mut impulses);
        let after_impulse =
            |((v, impulse), mobility): ((&Vec3, &Vec3), &f64)| *v - *impulse * *mobility;
        let mut relaxed: Vec<Vec3> =
            v.iter().zip(&impulses).zip(&mobility).map(after_impulse).collect();
        let relaxation = VelocityRelaxation { h, mobility: &mobility, guess, rounds };
        for term in &self.couplings {
            term.relax(&relaxation, &mut relaxed);
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
