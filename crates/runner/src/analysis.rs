//! A step of the analysis of a scene: a time step, a load step, or a step along an equilibrium path.

use super::RunError;
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
    /// The cause of the interruption, if an interruption ended the step.
    pub(super) fn interruption(&self) -> Option<Cause> {
        let failure = match self {
            Self::Time(failure) => failure,
            Self::Load(SettleFailure::Step { cause, .. } | SettleFailure::Load { cause }) => cause,
            Self::Load(_) | Self::Path(_) => return None,
        };
        match failure {
            StepFailure::Interrupted { cause, .. } => Some(*cause),
            _ => None,
        }
    }

    /// The error of a run whose step with this number to the `end` time (s) failed.
    pub(super) fn at_step(self, step: u64, end: f64) -> RunError {
        match self {
            Self::Time(failure) => RunError::Step { step, failure: Box::new(failure) },
            Self::Load(failure) => RunError::LoadStep { step, end, failure },
            Self::Path(cause) => RunError::Path { step, cause },
        }
    }
}
