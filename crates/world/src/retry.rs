//! Retries in a step of the world.

use resile_integrators::{Repeat, StepError};

/// Kind of a retry. Each retry starts from the state before the attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// A substep that could not be solved was halved.
    Halve,
    /// Islands whose motions came within contact range of each other were merged and solved as one.
    Merge,
    /// A substep was repeated without the free motion of bodies that came into contact.
    WithoutFreeMotion,
    /// A substep was repeated with implicit Euler: bodies with a coefficient of restitution collided, or the method
    /// gained energy in contact.
    ImplicitEuler,
}

/// A [`Retry`] with the bodies and the step concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct Retried {
    /// Kind of the retry.
    pub retry: Retry,
    /// Bodies of the island, or of all merged islands, ascending.
    pub bodies: Vec<usize>,
    /// Length (s) of the repeated substep or step of the world.
    pub step: f64,
}

impl From<Repeat> for Retry {
    fn from(repeat: Repeat) -> Self {
        match repeat {
            Repeat::WithoutFreeMotion => Self::WithoutFreeMotion,
            Repeat::Bouncing | Repeat::GainingEnergy => Self::ImplicitEuler,
        }
    }
}

impl Retry {
    /// Retry after a failed substep; `None` if the step of the world fails: after an interruption, or if the substep
    /// `is_shortest`, that is, no shorter one is permitted.
    pub(super) fn after_failure(error: &StepError, is_shortest: bool) -> Option<Self> {
        (!is_shortest && error.interruption().is_none()).then_some(Self::Halve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_solver::SolveError;
    use resile_watch::Cause;

    const EXPLODED: StepError = StepError::Exploded { time: 1.0, step: 0.1, node: 0 };

    #[test]
    fn failed_substep_is_halved_unless_it_is_the_shortest() {
        assert_eq!(Retry::after_failure(&EXPLODED, false), Some(Retry::Halve));
        assert_eq!(Retry::after_failure(&EXPLODED, true), None);
    }

    #[test]
    fn interruption_is_final() {
        let cause = SolveError::Interrupted { cause: Cause::Asked, iteration: 3, pairs: 0 };
        let interrupted = StepError::Solve { time: 1.0, step: 0.1, cause };
        assert_eq!(Retry::after_failure(&interrupted, false), None);
    }
}
