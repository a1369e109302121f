#![doc = include_str!("../README.md")]
//! # Design
//!
//! Time integration. Every implicit method of this crate solves stages of one form,
//!
//! ```text
//! minimise over u:  1/2 |u - y|_m^2 + sum_k w_k P(a_k u + (1 - a_k) b_k) + c D(velocity(u))
//! ```
//!
//! An integrator chooses `y` and the `(w_k, a_k, b_k)`, and computes the end of the step from the solutions. A
//! [`Stage`] holds these numbers as plain data. [`Step`] combines it with a [`resile_system::System`] to an
//! objective, which Newton's method minimises. Explicit methods only need `grad P` and the masses. The data that a
//! method carries from one step to the next are part of [`resile_system::State`], so checkpoints, retries and moves
//! of bodies between islands are the same for all methods.
//!
//! | folder | holds | uses |
//! |---|---|---|
//! | `rigid` | inertia, free and pivoted flight of rigid bodies, the frames that rotate or fall with them | |
//! | `step` | the current step: objectives of stages, heat, work, memory, frames in which energies are measured; the trait [`Integrator`] | `rigid` |
//! | `methods` | implicit Euler and inner theta (implicit midpoint), Newmark's family, generalized-alpha, BDF2 of variable step, average vector fields, Runge-Kutta methods of any tableau (explicit, diagonally implicit, partitioned) | `step` |
//! | `control` | target energies, the choice of alpha, also with friction and for bodies at rest; A-1, A-search, decoupled alpha-methods, the midpoint rule blended with backward and forward Euler | `methods` |
//! | `drive` | [`advance`]: a step from state to state, its repetition, plastic flow and impacts; step lengths; the registry | `control` |
//!
//! The files outside these folders are plain data: stages, tableaux, quadratures, parameters, errors. A folder uses
//! only these files and the folders above it in the table, which a test enforces.
//!
//! Powers of the time step occur only in this crate and in those above it.
//!
//! # Guarantees
//! A failed step leaves the state unchanged. A successful step ends in an admissible state: no intersection, and no
//! inversion where the material forbids it. Straight paths that contact and materials have bounded join the start to
//! the end of the step and to each position at which a method evaluates forces:
//!
//! * *Forces at solved positions* (implicit Euler, A-1, A-search, BDF2, Newmark, the implicit
//!   stages of Runge-Kutta methods): Newton's path is bounded, and barriers push back. Such
//!   a step has a solution; where the method is unstable it may be meaningless.
//! * *Forces along the path* (inner theta, AVF): the end and every point of evaluation are bounded together. No barrier
//!   force acts at the end, so a step may end as near to a surface as collision detection permits. The next step then
//!   needs many iterations or halvings.
//! * *Explicit formulas* (explicit methods, ends of Runge-Kutta methods that are not their
//!   last stage, blends): the formulas do not depend on obstacles. The path is checked afterwards, and a step with a
//!   collision fails ([`StepError::Blocked`]), so that the run loop takes shorter ones. Surfaces never cross, but the
//!   run may not be able to continue.
//!
//! Forest-Ruth cannot be combined with friction: it takes the middle part of its step backwards in time, in which
//! friction would accelerate.
//!
//! # External methods
//! Implement [`Integrator`]: read [`Step::state`], solve stages or evaluate gradients, and return the end state, as in
//! `examples/pendulum.rs`. A method with data from previous steps stores them in
//! [`State::memory`](resile_system::State::memory) and declares them in [`Integrator::records`].
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod arc_length;
mod buckling;
mod control;
mod drive;
mod error;
mod load_stiffness;
mod methods;
mod parameters;
mod quadrature;
mod rigid;
mod stage;
mod step;
mod supports;
mod tableau;
mod vibration;

pub use arc_length::{PathError, PathStep, PathTangent, follow_path};
pub use buckling::{BucklingError, BucklingMode, Stiffness, buckling};
pub use control::a_search::{A1, ASearch};
pub use control::alpha_rule::{AlphaRule, Control};
pub use control::blend::Blend;
pub use control::decoupled::{Decoupled, Steering};
pub use control::filter::CorrectionRule;
pub use control::spin::MomentumRule;
pub use control::target::{DecayPhase, EnergyTarget, Ground};
pub use drive::adaptive::{self, Adaptive, Measure};
pub use drive::advance::{advance, advance_to};
pub use drive::registry;
pub use drive::scheme::{Scheme, Underlying};
pub use error::StepError;
pub use methods::*;
pub use parameters::ParameterError;
pub use quadrature::Quadrature;
pub use resile_math::parameters::{Allowed, OutOfRange};
pub use stage::{Lag, PotentialTerm, Stage};
pub use step::{
    AlphaOutcome, ElasticSlip, Ending, EnergyControl, FRICTION_ROUNDS, GroupAlpha, Heat, HeatPart,
    Integrator, Repeat, Rest, Scope, StageSolver, Step, StepEnd, StepReport, TracedSolve, Unknowns,
    VelocityTime, balanced_velocities, check_memory, slip_dissipation,
};
pub use supports::{UnsupportedMotion, is_driven, unsupported};
pub use tableau::{Damping, Tableau, TableauError};
pub use vibration::{Mode, ModesError, modes};
