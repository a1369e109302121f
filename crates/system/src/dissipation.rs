//! The traits of dissipation: laws, and their potentials with lagged quantities.

use crate::{Hessian, Laplacian};
use resile_math::{Psd, Vec3};
use std::fmt;
use std::sync::Arc;

/// A law of dissipation of one body.
///
/// It is a separate trait from [`Energy`](crate::Energy), so that potentials and dissipation cannot be confused and the
/// dissipated energy is always known. A law is a value that never changes; what it takes from the start of a step is in
/// the [potential](DissipationPotential) that it returns.
pub trait Dissipation: Send + Sync {
    /// The name of the term.
    fn name(&self) -> &str;

    /// Whether D is invariant under a uniform velocity of all nodes: the term acts between the nodes, not
    /// against the surroundings.
    fn is_galilean_invariant(&self) -> bool {
        false
    }

    /// The first time (s) after `time` at which the term jumps or has a kink; infinite if there is none.
    fn next_change(&self, _time: f64) -> f64 {
        f64::INFINITY
    }

    /// The potential over a step that begins at the positions `x` (m), where lagged quantities (stiffness, areas) are
    /// evaluated.
    fn lagged(&self, x: &[Vec3]) -> Arc<dyn DissipationPotential>;

    /// Adds the symmetric part of the load stiffness `-df/dx` (N/m) at `time` (s) and `x` (m), where f are the forces
    /// at rest. The default is zero, that of terms without forces at rest.
    fn add_load_stiffness(&self, _time: f64, _x: &[Vec3], _out: &mut Hessian<'_>) {}

    /// `out += scale * A u` with the antisymmetric part A of the [load stiffness](Self::add_load_stiffness) (N/m),
    /// which is zero in the directions in which the load has a potential, and the displacements `u` (m).
    fn add_antisymmetric_load(
        &self,
        _time: f64,
        (_x, _u): (&[Vec3], &[Vec3]),
        _scale: f64,
        _out: &mut [Vec3],
    ) {
    }
}

/// A dissipation potential D(v, t), in watts, with constant lagged quantities; its force is -dD/dv.
pub trait DissipationPotential: Send + Sync {
    /// D(v, t) in watts at `time` (s).
    fn value(&self, time: f64, v: &[Vec3]) -> f64;

    /// Whether D depends on the lagged shape of the body such that it has to be evaluated in a frame that rotates with
    /// the body: a stiffness that is zero for the rotation of the lagged shape is not zero for that of the rotated shape.
    fn rotates_with_body(&self) -> bool {
        false
    }

    /// `out += scale * dD/dv`.
    fn add_gradient(&self, time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]);

    /// Adds d2D/dv2 (kg/s).
    fn add_hessian(&self, time: f64, v: &[Vec3], psd: Psd, out: &mut Hessian<'_>);

    /// Adds a symmetric, positive semi-definite matrix (kg/s) with one number per pair of nodes that replaces
    /// d2D/dv2, like [`Energy::add_laplacian`](crate::Energy::add_laplacian). Each change causes a factorisation, so it
    /// should depend on `v` and on lagged quantities as little as possible.
    ///
    /// The default is the traces of the projected Hessian blocks at `v`.
    fn add_laplacian(&self, time: f64, v: &[Vec3], out: &mut Laplacian<'_>) {
        self.add_hessian(time, v, Psd::Clamp, &mut Hessian::new(out, 0, 1.0));
    }
}

/// A law of dissipation between bodies, such as friction. Node numbers are those of the system.
pub trait CouplingDissipation: Send + Sync {
    /// The name of the term.
    fn name(&self) -> &str;

    /// The potential over a step that begins at the positions `x` (m) with the velocities `v` (m/s). Normal forces and
    /// tangent planes are those at `x`; laws that distinguish static and kinetic friction do so by `v`.
    fn lagged(&self, x: &[Vec3], v: &[Vec3]) -> Box<dyn CouplingDissipationPotential>;
}

/// Stopping criteria of the iterations of [`CouplingDissipationPotential::relax`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounds {
    /// Maximum number of iterations.
    pub max_rounds: usize,
    /// The change of velocity (m/s) in an iteration at or below which it stops.
    pub tolerance: f64,
}

/// Input of [`CouplingDissipationPotential::relax`].
#[derive(Debug, Clone, Copy)]
pub struct VelocityRelaxation<'a> {
    /// Time (s) for which the dissipation acts.
    pub h: f64,
    /// Inverse masses of the nodes (1/kg), zero for fixed nodes.
    pub mobility: &'a [f64],
    /// Node velocities (m/s) whose dissipative forces are the initial guess.
    pub guess: &'a [Vec3],
    /// Stopping criteria.
    pub rounds: Rounds,
}

/// Dual variables of a term at an iterate of a minimisation.
#[derive(Debug, Clone, PartialEq)]
pub struct Duals {
    /// Whether the matrix at them is the second derivative.
    pub is_exact: bool,
    /// The variables, in the order of the term.
    pub values: Vec<Vec3>,
}

impl Duals {
    /// No dual variables.
    pub const NONE: Self = Self { is_exact: true, values: Vec::new() };
}

/// The potential of a dissipation between bodies.
pub trait CouplingDissipationPotential: DissipationPotential {
    /// The potential with normal forces lagged at the end `x` (m) of the step, in place of those of an earlier end. They
    /// act alone, unless those of the start are [mixed in](Self::mixed).
    fn lagged_at_end(&self, x: &[Vec3]) -> Box<dyn CouplingDissipationPotential>;

    /// Whether there are lagged forces at either end of the step, with or without weight.
    fn has_lagged_forces(&self) -> bool;

    /// The mixture of the forces lagged at both ends: those at the start of the step have the weight `w` and those at the
    /// end the weight `1 - w`, neither below zero. `start_weights` has `w` for each node; for a pair the largest of its
    /// nodes is used. The free nodes of a body must have equal weights.
    fn mixed(&self, start_weights: &[f64]) -> Box<dyn CouplingDissipationPotential>;

    /// Replaces the node velocities `v` (m/s) by an approximate minimiser of `1/2 |u - v|_m^2 + h D(u)` over `u`. Terms
    /// without a method that is faster than Newton's leave them unchanged.
    fn relax(&self, _relaxation: &VelocityRelaxation<'_>, _v: &mut [Vec3]) {}

    /// The potential restricted to these bodies, like [`Coupling::restricted`](crate::Coupling::restricted).
    fn restricted(&self, bodies: &[bool]) -> Box<dyn CouplingDissipationPotential>;

    /// The dual variables of a primal-dual method at the velocities `v` (m/s) of an iterate of a minimisation, from those
    /// of the previous iterate. For the first iterate, where `previous` is `None`, the matrix at them is the second
    /// derivative. Terms without dual variables have none.
    fn duals(&self, _v: &[Vec3], _previous: Option<&[Vec3]>) -> Duals {
        Duals::NONE
    }

    /// Adds the matrix (kg/s) of the primal-dual method at the iterate with these velocities `v` (m/s) and `duals`. It
    /// is positive semi-definite and tends to d2D/dv2 as iterates converge; without `duals` it is d2D/dv2.
    fn add_hessian_at(
        &self,
        time: f64,
        v: &[Vec3],
        _duals: &[Vec3],
        psd: Psd,
        out: &mut Hessian<'_>,
    ) {
        self.add_hessian(time, v, psd, out);
    }

    /// Whether its forces are those of dry friction, which change by their full amount within the slip speed.
    fn has_friction(&self) -> bool {
        false
    }

    /// Adds the limits (N) of dry friction of the pairs that slip at the node velocities `v` (m/s): to each body those of
    /// all of its pairs. The friction of such pairs is in error by as much as their normal forces.
    fn add_slipping_limits(&self, _v: &[Vec3], _bodies: &mut [f64]) {}

    /// Whether its forces are viscous: their heat is known separately from that of friction.
    fn is_viscous(&self) -> bool {
        false
    }

    /// Adds to each body the power `dD/dv(v) . kinematic` (W) of prescribed nodes with the velocities `kinematic`
    /// (m/s), half to each body of a pair and all to the other body for obstacles, as in
    /// [`Coupling::add_energy_by_body`](crate::Coupling::add_energy_by_body).
    fn add_power_by_body(&self, time: f64, v: &[Vec3], kinematic: &[Vec3], bodies: &mut [f64]);
}

impl fmt::Debug for dyn Dissipation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dissipation({})", self.name())
    }
}

impl fmt::Debug for dyn CouplingDissipation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CouplingDissipation({})", self.name())
    }
}
