//! Coulomb friction, smoothed at low speed, with lagged normal forces.
//!
//! A pair with weights `w_k` and tangents `T` (3x2), lagged at some positions, slides with
//! `u = T^T sum_k w_k v_k` and dissipates
//!
//! ```text
//!   D(v) = mu lambda f0(|u|)  [W]
//!   f0(y) = -y^3/(3 eps^2) + y^2/eps + eps/3  for y < eps,   y  otherwise
//! ```
//!
//! (Li et al. 2020, IPC, section 5), so the force has the magnitude
//! `mu lambda f1(|u|)`, `f1 = 2 y/eps - y^2/eps^2` below the slip speed `eps` and 1
//! above. `lambda = |dE/dd|` in newtons. As `f1' >= 0`, D is convex and its
//! Hessian needs no projection.
//!
//! The argument is a velocity, not a displacement as in IPC. The dissipation is therefore independent of the time
//! step, and `eps` is a speed with the same meaning at every step. Displacements over a step must be divided by the
//! step.
//! Static analysis has no speeds: there slip is measured from the start of a load step, and `eps` times the length of a
//! step is a slip length ([`Friction::with_offset`], [`LaggedContacts::elastic_slip`]).

mod bonds;
mod damping;
mod dual;
mod elastic;
mod lagged;
mod potential;
mod relax;
mod rolling;
mod term;

pub use bonds::TangentialAdhesion;
pub use damping::{ContactDamping, LaggedContactDamping};
pub use lagged::{LaggedContacts, STICKING_LIMIT};
pub(crate) use lagged::{LaggedPair, NormalContact, Positions};
pub use potential::FrictionPotential;
pub use rolling::{LaggedRollingFriction, RollingFriction};
pub use term::{Friction, LaggedFriction};

/// Weight in [0, 1] of a pair with these `nodes` that was lagged at the start of a step (`end_index` 0) or at its end
/// (`end_index` 1). `start_weights` has the weight of the start for each node; the largest one of the pair counts.
pub(crate) fn lagged_weight(
    nodes: impl Iterator<Item = u32>,
    start_weights: &[f64],
    end_index: usize,
) -> f64 {
    let start_weight = nodes.map(|node| start_weights[node as usize]).fold(0.0, f64::max);
    let weight = if end_index == 0 { start_weight } else { 1.0 - start_weight };
    weight.clamp(0.0, 1.0)
}
