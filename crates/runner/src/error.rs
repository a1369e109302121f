//! Errors of runs, and how runs end.

use super::pressed::Pressed;
use resile_assembly::UndefinedExpression;
use resile_integrators::{BucklingError, ModesError, PathError, StepError};
use resile_record::{CheckpointError, OutputError};
use resile_solver::SolveError;
use resile_world::{SettleFailure, StepFailure};
use std::path::PathBuf;

/// A run cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file or the folder cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The checkpoint cannot be used.
    #[error("{}; {}", .0, .0.resume_remedy())]
    Checkpoint(#[from] CheckpointError),
    /// The start did not settle; the last frame shows its last state.
    #[error(transparent)]
    Settle(#[from] SettleFailure),
    /// A load step has no equilibrium; the last equilibrium is in the folder.
    #[error("load step {step} (to t = {end} s) failed: {failure}{}", pressed_text(pressed))]
    LoadStep {
        /// Number of the step.
        step: u64,
        /// End of the step (s).
        end: f64,
        /// The failure.
        failure: SettleFailure,
        /// Bodies that block prescribed motion.
        pressed: Vec<Pressed>,
    },
    /// A body has no natural modes.
    #[error("the modes of \"{body}\" were not found: {cause}")]
    Modes {
        /// Name of the body.
        body: String,
        /// The cause.
        cause: ModesError,
    },
    /// A body has no load factors.
    #[error("the load factors of \"{body}\" were not found: {cause}; {}", remedy(cause))]
    Buckling {
        /// Name of the body.
        body: String,
        /// The cause.
        cause: BucklingError,
    },
    /// A step failed; the last valid state is in the folder.
    #[error(
        "step {step} failed: {failure}{}{}",
        pressed_text(pressed),
        lag_remedy(failure, pressed, *dirichlet_tolerance)
    )]
    Step {
        /// Number of the step.
        step: u64,
        /// The failure.
        failure: Box<StepFailure>,
        /// Bodies that block prescribed motion.
        pressed: Vec<Pressed>,
        /// The fraction of their way by which blocked held nodes may stay behind.
        dirichlet_tolerance: f64,
    },
    /// An expression has no finite value at the end of a step; the last valid state is in the folder.
    #[error("step {step} failed: {undefined}: an expression must be finite where it is used")]
    UndefinedExpression {
        /// Number of the step.
        step: u64,
        /// The expression.
        undefined: UndefinedExpression,
    },
    /// A checkpoint does not contain the direction of an equilibrium path.
    #[error("a run along an equilibrium path cannot be resumed: --force begins it anew")]
    ResumedPath,
    /// The run would replace the one from which it starts.
    #[error(
        "the run starts from the one in {} (`initial`), which it would replace: choose another folder for its results",
        folder.display()
    )]
    ReplacesInitialRun {
        /// The folder of both.
        folder: PathBuf,
    },
    /// The equilibrium path ends.
    #[error("step {step} along the equilibrium path failed: {cause}{}", path_remedy(cause))]
    Path {
        /// Number of the step.
        step: u64,
        /// The cause.
        cause: PathError,
    },
    /// The interrupt was raised during a step; the state is that before the step.
    #[error("{step} was interrupted")]
    Interrupted {
        /// The step, such as `step 3` or `step 3 of settling`.
        step: String,
    },
    /// A step exceeded its limit of time or memory; the state is that before the step.
    #[error("{step} was stopped: {failure}; {limit}")]
    Limit {
        /// The step, such as `step 3` or `step 3 of settling`.
        step: String,
        /// The interrupted solve.
        failure: Box<StepFailure>,
        /// The limit and the remedy.
        limit: String,
    },
}

impl RunError {
    /// The reason why a run ended whose step failed with this error.
    ///
    /// # Errors
    /// This error itself if it is not that of a step, for example if a file cannot be written.
    pub fn into_stop(self) -> Result<Stop, Self> {
        match self {
            Self::Interrupted { .. } => Ok(Stop::Interrupted),
            Self::Limit { .. } => Ok(Stop::Limit(self.to_string())),
            Self::UndefinedExpression { .. } => Ok(Stop::Unsolvable(self.to_string())),
            Self::Step { ref pressed, .. } | Self::LoadStep { ref pressed, .. }
                if pressed.iter().any(Pressed::is_crushed) =>
            {
                Ok(Stop::Unsolvable(self.to_string()))
            }
            Self::Step { .. } | Self::Settle(_) | Self::LoadStep { .. } | Self::Path { .. } => {
                Ok(Stop::Failed(self.to_string()))
            }
            Self::Output(_)
            | Self::Checkpoint(_)
            | Self::Modes { .. }
            | Self::Buckling { .. }
            | Self::ResumedPath
            | Self::ReplacesInitialRun { .. } => Err(self),
        }
    }
}

/// The remedy if an equilibrium path ends; empty if there is none.
fn path_remedy(cause: &PathError) -> &'static str {
    match cause {
        PathError::Unloaded { .. } => {
            "; the path ends where all loads are constant: let a `factor` or a motion go on, for example by a later point of \
             its `Table`"
        }
        PathError::Bifurcation { .. } => {
            "; a small imperfection of the shape or a small load in that direction (a hundredth of the others) lets the path \
             follow it"
        }
        PathError::NotConverged { .. } => "; a shorter `length` may help",
        PathError::Unstable(_) => "; hold the body, so that it is stable at the start",
        PathError::Coupled | PathError::History => "",
    }
}

/// Clauses about the bodies that block prescribed motion.
fn pressed_text(pressed: &[Pressed]) -> String {
    const MAX_LISTED: usize = 3;
    let clauses = pressed.iter().take(MAX_LISTED).map(|pressed| format!("; {pressed}"));
    clauses.collect()
}

/// Growth of the tolerance of Dirichlet conditions that a message suggests.
const TOLERANCE_GROWTH: f64 = 10.0;

/// The remedy for a step in which held nodes are blocked, as a clause; empty for others, if a moving obstacle, which
/// cannot lag behind its motion, crushes a body, and if the tolerance would be one or more.
fn lag_remedy(failure: &StepFailure, pressed: &[Pressed], tolerance: f64) -> String {
    let larger_tolerance = TOLERANCE_GROWTH * tolerance;
    match failure {
        StepFailure::Unsolved {
            cause: StepError::Solve { cause: SolveError::PrescribedBlocked { .. }, .. },
            ..
        } if !pressed.iter().any(Pressed::is_crushed) && larger_tolerance < 1.0 => {
            if tolerance == 0.0 {
                return "; with `solver.dirichlet_tolerance` held nodes may stay behind by a fraction of their way in a step, \
                        such as 1e-3"
                    .to_owned();
            }
            format!(
                "; held nodes already may stay behind by {tolerance:e} of their way in a step \
                 (`solver.dirichlet_tolerance`): let them by more, such as {larger_tolerance:e}"
            )
        }
        _ => String::new(),
    }
}

/// The remedy if there are no load factors.
fn remedy(cause: &BucklingError) -> &'static str {
    match cause {
        BucklingError::Unchanged => {
            "it needs a load that is not zero at the end, and a material of finite strains, such as StVK"
        }
        BucklingError::Direct(_) => "hold it so that it cannot move as a rigid body",
    }
}

/// The reason why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// All steps are complete.
    Done,
    /// The caller or the user requested it.
    Interrupted,
    /// A step failed, for this reason.
    Failed(String),
    /// A step failed for this reason, which smaller steps do not remove.
    Unsolvable(String),
    /// A step exceeded its limit of time or memory.
    Limit(String),
}
