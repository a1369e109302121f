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
//! | folder | holds | uses |
//! |---|---|---|
//! | `rigid` | inertia, free and pivoted flight of rigid bodies, the frames that turn or fall with them | |
//! | `step` | a step on its way: stages as objectives, heat, work, memory, frames in which energies are measured; the trait [`Integrator`] | `rigid` |
//! | `methods` | implicit Euler and inner theta (implicit midpoint), Newmark's family, generalized-alpha, BDF2 of variable step, average vector fields, Runge-Kutta methods of any tableau, explicit and diagonally implicit, partitioned ones too | `step` |
//! | `control` | target energies, the choice of alpha, also with friction and for bodies at rest; A-1, A-search, decoupled alpha-methods, the midpoint rule blended with backward and forward Euler | `methods` |
//! | `drive` | [`advance`]: a step from state to state, when it is taken again, plastic flow and impacts; the length of steps; the registry | `control` |
//!
//! Files beside the folders are plain data: stages, tableaux, quadratures, parameters, errors. A folder uses itself, those
//! above it in the table, and these files; a test holds that.
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

mod arc_length;
mod buckling;
mod control;
mod drive;
mod error;
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
pub use control::target::{Decay, EnergyTarget};
pub use drive::adaptive::{self, Adaptive, Measure};
pub use drive::advance::{advance, advance_to};
pub use drive::registry;
pub use error::StepError;
pub use methods::avf::Avf;
pub use methods::generalized_alpha::GeneralizedAlpha;
pub use methods::multistep::Bdf2;
pub use methods::newmark::Newmark;
pub use methods::one_step::{ImplicitEuler, Theta};
pub use methods::runge_kutta::{Companion, RungeKutta};
pub use parameters::{Allowed, ParameterError};
pub use quadrature::Quadrature;
pub use stage::{Lag, PotentialTerm, Stage};
pub use step::{
    AlphaOutcome, ElasticSlip, Ending, EnergyControl, FRICTION_ROUNDS, GroupAlpha, Heat,
    Integrator, Repeat, Rest, Scope, StageSolver, Step, StepEnd, StepReport, TracedSolve, Unknowns,
    balanced_velocities, check_memory,
};
pub use supports::{UnsupportedMotion, unsupported};
pub use tableau::{Damping, Tableau, TableauError};
pub use vibration::{Mode, ModesError, modes};
