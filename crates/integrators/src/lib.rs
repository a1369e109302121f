//! Time.
//!
//! Every implicit method here solves stages of one form,
//!
//! ```text
//! minimise over u:  1/2 |u - y|_m^2 + sum_k w_k P(a_k u + (1 - a_k) b_k) + c D(velocity(u))
//! ```
//!
//! and an integrator is the choice of `y`, of the `(w_k, a_k, b_k)`, and of what
//! it does with the answer. A [`Stage`] holds those as plain data; [`solve_stage`]
//! joins it with a [`resile_system::System`] into an objective and gives it to
//! Newton. What
//! an integrator remembers from one step to the next lives in
//! [`resile_system::State`], so that a checkpoint, a retry and a move of bodies
//! between islands treat all methods alike.
//!
//! Powers of the time step occur in this crate and nowhere below it.
//!
//! # Guarantees
//! A step that fails leaves the state as it was. A step that succeeds ends in an
//! admissible state (no crossing, no inversion where the material forbids it):
//! the bound that contact and materials put on each Newton step is applied to
//! the end point of the step also by methods that evaluate forces elsewhere.

mod a_search;
mod accounting;
mod control;
mod multistep;
mod objective;
mod one_step;
mod stage;
mod step;

pub use a_search::{A1, ASearch};
pub use control::{AlphaOutcome, Control, Decay, GroupAlpha, Scope};
pub use multistep::Bdf2;
pub use one_step::{ImplicitEuler, ImplicitMidpoint, Trapezoidal};
pub use stage::{Lag, PotentialTerm, Stage};
pub use step::{Integrator, StageSolver, StepError, StepReport, solve_stage};
