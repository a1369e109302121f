#![doc = include_str!("../README.md")]
//! # Design
//!
//! Minimisation: the objective seam, Newton, line search, linear solvers, reports.
//!
//! [`Newton`] minimises an [`Objective`]: a smooth function of the positions of
//! nodes, infinite outside its domain, that can bound a step to stay inside. What
//! the function means (a time step, a static equilibrium, contact) is not known
//! here, and this crate depends on `resile-linalg` alone.
//!
//! # The method
//! Newton's method with the exact Hessian as long as that is positive definite
//! and a projected one where it is not, a Cholesky factorisation or conjugate
//! gradients for the direction, and a line search from the step bound: shorter where the value
//! asks for it, longer where the function bends less than its model. It stops
//! when the Newton step, in metres, is below a tolerance, not when the gradient
//! is: the step estimates the distance to the minimiser whatever the stiffness.
//! A step that is to clear up the last hundredths of the tolerance is by the matrix of the step before.
//!
//! One length of step holds for all nodes, so a few bodies in which things slip and stick can hold up
//! all others, and a few can have nearly all there is left to gain. These are solved for alone, if the objective
//! knows [its bodies](Objective::bodies); when, and which, says `part.rs`.
//!
//! [`LocalGlobal`] goes down by the same rules along the directions of one constant matrix,
//! factorised once: cheap iterations, linear convergence.
//!
//! # What is deliberately absent
//! Trust regions. Decisions by the clock: equal input gives equal bits.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod along;
mod descent;
mod direction;
mod error;
mod failure;
mod iteration;
mod line_search;
mod linear;
mod local_global;
mod memory;
mod metric;
mod minimiser;
mod monitor;
mod newton;
mod objective;
mod part;
mod prescribed;
mod report;
mod schedule;
mod settings;
mod stop;
mod trace;

pub use error::{LinearFailure, Quantity, SolveError};
pub use iteration::{Curvature, Cut, Iteration, Limit, Outcome};
pub use local_global::LocalGlobal;
pub use minimiser::Minimiser;
pub use newton::Newton;
pub use objective::Objective;
pub use report::{Phases, SolveReport};
pub use resile_math::Psd;
pub use settings::{
    Iterative, LinearChoice, LocalGlobalSettings, Method, NewtonSettings, ProjectionPolicy,
};
