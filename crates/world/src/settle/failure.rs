//! Why no equilibrium was found, and what to do.

use crate::{NodePlace, StepFailure};
use resile_integrators::StepError;
use resile_solver::SolveError;

/// No equilibrium was found.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SettleFailure {
    /// A body still moves after the maximum number of steps.
    #[error(
        "the scene did not settle in {steps} steps: \"{body}\" still moves by {displacement:.2e} m in a step of {step:.2e} s, \
         most {place}, and is {moved:.2e} m from where it began; {}",
        motion_remedy(*flows, *has_lagged_loads)
    )]
    Moves {
        /// The body with the largest displacement.
        body: String,
        /// The node with the largest displacement in the last step.
        place: Box<NodePlace>,
        /// Whether history variables of the body changed in the last step: plastic or viscous flow.
        flows: bool,
        /// Whether loads without a potential act in the scene, such as a pressure that follows an open surface.
        has_lagged_loads: bool,
        /// Displacement of the body in the last step (m).
        displacement: f64,
        /// The last step (s).
        step: f64,
        /// The largest displacement (m) of a node of the body from the start.
        moved: f64,
        /// Steps taken.
        steps: u64,
    },
    /// The loads and prescribed motions could not be advanced to the end of a load step.
    #[error("the loads and motions could not be applied: {cause}{}", load_remedy(cause))]
    Load {
        /// Error of the step.
        cause: Box<StepFailure>,
    },
    /// A step could not be solved.
    #[error(
        "step {step} of settling failed: {cause}; a start that is less compressed, or a larger \
         solver.max_iterations, may help"
    )]
    Step {
        /// Number of the step.
        step: u64,
        /// Error of the step.
        cause: Box<StepFailure>,
    },
}

/// What to do with a body that does not come to rest; `flows` if its material flows.
fn motion_remedy(flows: bool, has_lagged_loads: bool) -> &'static str {
    match (flows, has_lagged_loads) {
        (true, _) => {
            "its material flows, so it may not bear the load (plastic collapse): reduce the load, let the yield stress grow \
             (hardening), or prescribe a displacement instead of the load"
        }
        (false, true) => {
            "hold what falls or slides; pressures and torques that follow the motion may have no stable equilibrium, or one that \
             is far away: reduce them, hold the rim of the surface, or take `sim run` with damping"
        }
        (false, false) => "hold what falls or slides, or put it where something carries it",
    }
}

/// What to do if loads and prescribed motions could not be applied, as a clause.
fn load_remedy(cause: &StepFailure) -> &'static str {
    match cause {
        StepFailure::Unsolved {
            cause: StepError::Solve { cause: SolveError::PrescribedBlocked { .. }, .. },
            ..
        } => {
            "; end the motion of `hold` or of the obstacle earlier, leave room for what lies in its way, or let held nodes \
             stay behind by a fraction of their way (`solver.dirichlet_tolerance`)"
        }
        StepFailure::Unsolved {
            cause:
                StepError::Solve {
                    cause: SolveError::NotConverged { .. } | SolveError::LineSearch { .. },
                    ..
                },
            ..
        } => {
            "; the load may exceed what the structure bears (then follow its path with `--arc-length`), or have the wrong \
             unit; more load steps or a larger solver.max_iterations may help"
        }
        _ => "",
    }
}
