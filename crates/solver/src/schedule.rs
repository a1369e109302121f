//! Schedule of exact and projected Hessians.

use crate::settings::ProjectionPolicy;
use resile_math::Psd;

/// Largest number of failures in a row that lengthen the projected phase, to 7 iterations.
const MAX_COUNTED_FAILURES: u32 = 4;

/// Chooses the next Hessian under [`ProjectionPolicy::OnDemand`].
#[derive(Debug)]
pub(crate) struct Schedule {
    policy: ProjectionPolicy,
    /// Failures of the exact Hessian in a row.
    failures: u32,
    /// Number of coming iterations that use the projected Hessian without trying the exact one.
    projections_left: u32,
}

impl Schedule {
    pub(crate) fn new(policy: ProjectionPolicy) -> Self {
        Self { policy, failures: 0, projections_left: 0 }
    }

    /// The projection of the next Hessian; counts it if a number of projected ones was scheduled.
    pub(crate) fn next(&mut self) -> Psd {
        if self.policy == ProjectionPolicy::Always {
            Psd::Clamp
        } else if self.projections_left > 0 {
            self.projections_left -= 1;
            Psd::Clamp
        } else {
            Psd::Exact
        }
    }

    /// Records a failure of the exact Hessian: after the n-th in a row, the next `2^(n-1) - 1` (at most 7) are
    /// projected.
    pub(crate) fn exact_failed(&mut self) {
        self.failures = (self.failures + 1).min(MAX_COUNTED_FAILURES);
        self.projections_left = (1 << (self.failures - 1)) - 1;
    }

    /// Records a success of the exact Hessian.
    pub(crate) fn exact_succeeded(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Psd::{Clamp, Exact};

    /// The Hessians that are tried first, if the exact one always fails.
    fn tried(schedule: &mut Schedule, iterations: usize) -> Vec<Psd> {
        let mut tried = Vec::new();
        for _ in 0..iterations {
            tried.push(schedule.next());
            if tried.last() == Some(&Exact) {
                schedule.exact_failed();
            }
        }
        tried
    }

    #[test]
    fn waits_double_up_to_seven_and_reset_on_success() {
        let mut schedule = Schedule::new(ProjectionPolicy::OnDemand);
        let waits = |tried: Vec<Psd>| -> Vec<usize> {
            tried.split(|c| *c == Exact).skip(1).map(<[_]>::len).collect()
        };
        assert_eq!(waits(tried(&mut schedule, 31)), [0, 1, 3, 7, 7, 7]);
        assert_eq!(schedule.next(), Exact);
        schedule.exact_succeeded();
        assert_eq!(waits(tried(&mut schedule, 7)), [0, 1, 3]);
    }

    #[test]
    fn always_schedule_never_waits() {
        let mut schedule = Schedule::new(ProjectionPolicy::Always);
        assert_eq!(tried(&mut schedule, 5), [Clamp; 5]);
    }
}
