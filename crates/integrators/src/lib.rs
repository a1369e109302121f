#![doc = include_str!("../README.md")]
//! # Design
//!
//! Time.
//!
//! Every implicit method here solves stages of one form,
//!
//! ```text
//! minimise over u:  1/2 |u - y|_m^2 + sum_k w_k P(a_k u + (1 - a_k) b_k) + c D(velocity(u))
//! ```
//!
//! and an integrator is the choice of `y`, of the `(w_k, a_k, b_k)`, and of what
//! it does with the answer. A [`Stage`] holds those as plain data; [`Step`] joins it with a
//! [`resile_system::System`] into an objective and gives it to Newton. Explicit
//! methods only need `grad P` and the masses. What an integrator remembers from one step
//! to the next lives in [`resile_system::State`], so that a checkpoint, a retry and a
//! move of bodies between islands treat all methods alike.
//!
//! | file | methods |
//! |---|---|
//! | `one_step` | implicit Euler, inner theta (implicit midpoint) |
//! | `newmark` | Newmark's family |
//! | `generalized_alpha` | the generalized-alpha method |
//! | `multistep` | BDF2, of variable step |
//! | `avf` | average vector fields with any quadrature |
//! | `tableau`, `methods`, `runge_kutta` | explicit and diagonally implicit Runge-Kutta, partitioned ones too: Eulers, midpoints, leapfrogs, Heun, RK4, Forest-Ruth, outer theta, SDIRK2, TR-BDF2, Bathe, and any tableau |
//! | `a_search`, `decoupled` | A-1, A-search; decoupled alpha-methods over Runge-Kutta ones |
//! | `blend` | midpoint rule blended with backward and forward Euler |
//! | `target`, `control`, `correction`, `root` | the target energy, and the choice of alpha |
//! | `frictional`, `rest` | the choice of alpha with friction, and for bodies at rest |
//! | `co_moving` | the frames in which energies are measured |
//! | `guard` | detection of steps that gain energy by contact forces at their start |
//! | `adaptive` | the length of steps |
//!
//! Powers of the time step occur in this crate and nowhere below it.
//!
//! # Guarantees
//! A failed step leaves the state unchanged. A successful step ends in an admissible state: no intersection, and no
//! inversion where the material forbids it. Straight paths that contact and materials have bounded join the start to the
//! end of the step and to each position at which a method evaluates forces:
//!
//! * *Forces at solved positions* (implicit Euler, A-1, A-search, BDF2, Newmark, the implicit
//!   stages of Runge-Kutta methods): Newton's path is bounded, and barriers push back. Such
//!   a step has a solution; where the method is unstable it may be meaningless.
//! * *Forces on the way* (inner theta, AVF): the end and every point of evaluation are
//!   bounded together. The end itself feels no barrier, so a step may end as near
//!   to a surface as collision detection allows, and then needs many iterations or halvings.
//! * *Explicit formulas* (explicit methods, ends of Runge-Kutta methods that are not their
//!   last stage, mixes): they know nothing of what they would cross. The path is checked
//!   afterwards, and a step that is not free fails ([`StepError::Blocked`]), so that the
//!   run loop takes shorter ones. Nothing crosses, but the method may stop.
//!
//! Forest-Ruth, which takes the middle of its step backwards in
//! time, cannot go together with friction, which would push there.
//!
//! # A method of one's own
//! Implement [`Integrator`]: read [`Step::state`], solve stages or evaluate gradients,
//! return the end state. `examples/pendulum.rs` does so in a few lines. A method that remembers something leaves it in
//! [`State::memory`](resile_system::State::memory) and declares it in [`Integrator::records`].
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod a_search;
mod accounting;
pub mod adaptive;
mod avf;
mod blend;
mod bounce;
mod brake;
mod co_moving;
mod control;
mod correction;
mod decoupled;
mod error;
mod filter;
mod following;
mod frame;
mod free_flight;
mod frictional;
mod generalized_alpha;
mod guard;
mod guess;
mod inertia;
mod memory;
mod methods;
mod mixing;
mod motion;
mod multistep;
mod newmark;
mod objective;
mod one_step;
mod parameters;
mod plastic;
mod prescribed_work;
pub mod registry;
mod rest;
mod restitution;
mod root;
mod rotation;
mod rubbing;
mod runge_kutta;
mod spin;
mod stage;
mod stamp;
mod step;
mod tableau;
mod target;
mod vibration;

pub use a_search::{A1, ASearch};
pub use adaptive::{Adaptive, Measure};
pub use avf::{Avf, Quadrature};
pub use blend::Blend;
pub use control::{AlphaOutcome, AlphaRule, Control, GroupAlpha};
pub use decoupled::{Decoupled, Steering};
pub use error::StepError;
pub use filter::CorrectionRule;
pub use generalized_alpha::GeneralizedAlpha;
pub use memory::{EnergyControl, check_memory};
pub use multistep::Bdf2;
pub use newmark::Newmark;
pub use one_step::{ImplicitEuler, Theta};
pub use parameters::{Allowed, ParameterError};
pub use rest::Rest;
pub use rubbing::balanced_velocities;
pub use runge_kutta::{Companion, RungeKutta};
pub use spin::MomentumRule;
pub use stage::{Lag, PotentialTerm, Stage};
pub use step::{
    Ending, FRICTION_ROUNDS, Heat, Integrator, Repeat, StageSolver, Step, StepEnd, StepReport,
    TracedSolve, Unknowns, advance, advance_to,
};
pub use tableau::{Damping, Tableau, TableauError};
pub use target::{Decay, EnergyTarget, Scope};
pub use vibration::{Mode, ModesError, modes};
