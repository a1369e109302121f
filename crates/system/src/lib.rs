#![doc = include_str!("../README.md")]
//! # Design
//!
//! Mechanical systems.
//!
//! A [`System`] is a list of [`Body`]s, each with its nodes, masses and own [`Energy`] and [`Dissipation`] terms, and
//! a list of terms *between* bodies ([`Coupling`]s, mainly contact). Integrators and solvers consume a `System`;
//! materials and contact implement its traits; neither side sees the other.
//!
//! # Why bodies, and not one flat list of terms
//! Energy control acts on islands of bodies that exchange force, so energies must be known per body.
//! A term of a body therefore acts on the slice of the nodes of that body, numbered from zero, and
//! can be moved between systems without renumbering: the run loop rebuilds the systems (one per
//! island) in every step from copies of bodies, which share their terms. The price is a second trait for terms between
//! bodies.
//!
//! # What is deliberately absent
//! The time step. An energy is joules, a dissipation is watts, always; only a
//! stage of an integrator carries powers of `h`.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod arc;
mod body;
mod body_terms;
pub mod check;
mod dissipation;
mod energy;
mod flow;
mod held;
mod hint;
mod impact;
mod inelastic;
mod internal;
mod keyframes;
mod lagged;
mod limit;
mod links;
mod memory;
mod motion;
mod prepared;
mod record_format;
mod restricted;
mod samples;
mod state;
mod stress;
mod system;

pub use arc::{Bend, VelocityJump};
pub use body::{Body, Flight, Pivot, Prescribed};
pub use dissipation::{
    CouplingDissipation, CouplingDissipationPotential, Dissipation, DissipationPotential, Duals,
    Rounds, VelocityRelaxation,
};
pub use energy::{Certificate, Coupling, Energy, Hessian, Laplacian, Path};
pub use flow::FlowHeat;
pub use held::Held;
pub use hint::SearchHint;
pub use impact::{Impact, ImpulseResponse, RotationResponse};
pub use inelastic::Inelastic;
pub use internal::Internal;
pub use keyframes::{Interpolation, Key, Keyframes, KeyframesError};
pub use lagged::{CoRotation, DissipationFrame, LaggedDissipation};
pub use limit::PathLimit;
pub use links::Links;
pub use memory::{Field, Memory, Quantity, Record};
pub use motion::{Motion, Pose};
pub use prepared::{Prepared, PreparedOn};
pub use record_format::{FieldFormat, MemoryError, NumberFormat, RecordFormat};
pub use resile_math::{Mat3, Psd, Vec3};
pub use restricted::{CouplingPart, Restricted};
pub use samples::{AfterLast, SampleInterpolation, Samples, SamplesError};
pub use state::State;
pub use stress::{NodalStress, Strained, principal_stresses, von_mises};
pub use system::{System, SystemOf};
