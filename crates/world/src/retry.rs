//! What a step of the world takes again, and how.

use resile_integrators::{Repeat, StepError};

/// How something was taken again. Each time it began from the state before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// A substep that could not be solved was taken in halves.
    Halve,
    /// Islands whose motions came nearer to each other than contact reaches were merged and solved as one.
    Merge,
    /// A substep was taken without the free motion of bodies that came into contact.
    WithoutFreeMotion,
    /// A substep was taken by implicit Euler: bodies with a coefficient of restitution struck something, or the method
    /// gained energy in contact.
    ImplicitEuler,
}

/// A [`Retry`], with what was taken again.
#[derive(Debug, Clone, PartialEq)]
pub struct Retried {
    /// How.
    pub retry: Retry,
    /// The bodies of the island, ascending; of merged islands those of all.
    pub bodies: Vec<usize>,
    /// The length (s) of what was taken again: of a substep, or of the step of the world.
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
    /// What follows a substep that failed; nothing if the step of the world fails. `is_shortest` says whether no shorter
    /// substep may be taken.
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
    fn a_failed_substep_is_halved_unless_it_is_the_shortest() {
        assert_eq!(Retry::after_failure(&EXPLODED, false), Some(Retry::Halve));
        assert_eq!(Retry::after_failure(&EXPLODED, true), None);
    }

    #[test]
    fn an_interruption_is_final() {
        let cause = SolveError::Interrupted { cause: Cause::Asked, iteration: 3, pairs: 0 };
        let interrupted = StepError::Solve { time: 1.0, step: 0.1, cause };
        assert_eq!(Retry::after_failure(&interrupted, false), None);
    }
}
