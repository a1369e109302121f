#![doc = include_str!("../README.md")]
//! # Design
//!
//! Minimisation: the objective interface, Newton's method, line search, linear solvers, reports.
//!
//! [`Newton`] minimises an [`Objective`]: a smooth function of the positions of nodes, infinite outside its domain,
//! that can bound a step to stay inside. The crate does not know what the function means (a time step, a static
//! equilibrium, contact).
//!
//! # The method
//! Newton's method uses the exact Hessian while it is positive definite, and otherwise its projection to a
//! semi-definite matrix. Directions are computed by Cholesky factorisation or conjugate gradients. The line search
//! starts at the step bound; it shortens steps that do not decrease the value sufficiently and extends steps along
//! which the curvature is smaller than that of the model. The method stops when the Newton step (m), rather than the
//! gradient, is below a tolerance: the step estimates the distance to the minimiser for any stiffness. If the
//! remaining error is a few hundredths of the tolerance, the last step reuses the matrix of the previous one.
//!
//! All nodes share one step length, so a few bodies with sliding or sticking contacts can limit the step of all
//! others. A few bodies may also cause nearly all of the predicted decrease. Such bodies are solved separately if the
//! objective lists [its bodies](Objective::bodies); `part.rs` selects them.
//!
//! [`LocalGlobal`] descends by the same rules along the directions of one constant matrix, which is factorised once.
//! Its iterations are cheap, and its convergence is linear.
//!
//! # What is deliberately absent
//! Trust regions. Decisions that depend on the clock: equal input gives bitwise equal results.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod along;
mod augmented_lagrangian;
mod descent;
mod direction;
mod error;
mod failure;
mod iterate;
mod iteration;
mod line_search;
mod linear;
mod linearisation;
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
pub use linearisation::Linearisation;
pub use local_global::LocalGlobal;
pub use minimiser::Minimiser;
pub use newton::Newton;
pub use objective::Objective;
pub use report::{Phases, SolveReport};
pub use resile_math::Psd;
pub use settings::{
    Iterative, LinearChoice, LocalGlobalSettings, Method, NewtonSettings, ProjectionPolicy,
};
