//! A step of the analysis of a scene: a time step, a load step, or a step along an equilibrium path.

use super::{Pressed, RunError};
use resile_integrators::{PathError, PathTangent};
use resile_scene::description::Analysis;
use resile_watch::Cause;
use resile_world::{SettleFailure, StepFailure, StepRecord, World};

/// The failure of a step.
#[derive(Debug)]
pub(super) enum AnalysisFailure {
    /// Failure of a time step.
    Time(StepFailure),
    /// Failure of a load step.
    Load(SettleFailure),
    /// Failure of a step along an equilibrium path.
    Path(PathError),
}

/// Takes a step of `h` (s) to the time `end` (s): a time step, a load step, or a step along an equilibrium path, which
/// updates its `tangent`. The world is unchanged if it fails.
pub(super) fn take_step(
    world: &mut World,
    analysis: &Analysis,
    tangent: &mut Option<PathTangent>,
    [h, end]: [f64; 2],
) -> Result<StepRecord, AnalysisFailure> {
    match analysis {
        Analysis::Dynamic => world.step(h, end).map_err(AnalysisFailure::Time),
        Analysis::Static => match world.load_step(h, end) {
            Ok(step) => Ok(step.record),
            Err(failure) => Err(AnalysisFailure::Load(failure)),
        },
        Analysis::ArcLength { length } => {
            let result = world.path_step(*length, tangent.as_ref());
            let (new_tangent, record) = result.map_err(AnalysisFailure::Path)?;
            *tangent = Some(new_tangent);
            Ok(record)
        }
    }
}

impl AnalysisFailure {
    /// The cause of the interruption and the interrupted step.
    ///
    /// # Errors
    /// The failure itself if it is no interruption.
    pub(super) fn into_interruption(self) -> Result<(Cause, StepFailure), Self> {
        match self {
            Self::Time(failure) => match failure {
                StepFailure::Interrupted { cause, .. } => Ok((cause, failure)),
                other => Err(Self::Time(other)),
            },
            Self::Load(failure) => interruption_of_settling(failure).map_err(Self::Load),
            Self::Path(_) => Err(self),
        }
    }

    /// The error of a run whose step with this number to the `end` time (s) failed; `pressed` are the bodies that block
    /// prescribed motion, and `dirichlet_tolerance` is that of the scene.
    pub(super) fn at_step(
        self,
        step: u64,
        end: f64,
        pressed: Vec<Pressed>,
        dirichlet_tolerance: f64,
    ) -> RunError {
        match self {
            Self::Time(failure) => {
                let failure = Box::new(failure);
                RunError::Step { step, failure, pressed, dirichlet_tolerance }
            }
            Self::Load(failure) => RunError::LoadStep { step, end, failure, pressed },
            Self::Path(cause) => RunError::Path { step, cause },
        }
    }
}

/// The cause of the interruption and the interrupted step.
///
/// # Errors
/// The failure itself if it is no interruption.
pub(super) fn interruption_of_settling(
    failure: SettleFailure,
) -> Result<(Cause, StepFailure), SettleFailure> {
    let (SettleFailure::Step { cause: step, .. } | SettleFailure::Load { cause: step }) = &failure
    else {
        return Err(failure);
    };
    let StepFailure::Interrupted { cause, .. } = **step else { return Err(failure) };
    match failure {
        SettleFailure::Step { cause: step, .. } | SettleFailure::Load { cause: step } => {
            Ok((cause, *step))
        }
        other => Err(other),
    }
}
