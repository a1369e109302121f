//! Termination of a descent.

/// Termination test of a descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StoppingCriterion {
    /// For Newton directions: the length of a step estimates the error of the point at which it starts.
    Quadratic,
    /// For linear convergence: the ratio of steps estimates the error after the last step.
    Linear {
        /// Maximum number of iterations.
        max_iterations: Option<usize>,
        /// The last step; `None` before the first one.
        last_step: Option<LastStep>,
    },
}

/// The length of a step and its ratio to the length of the step before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LastStep {
    /// Max norm (m).
    length: f64,
    /// NaN for the first step.
    ratio: f64,
}

impl StoppingCriterion {
    /// Stops by the ratio of steps, or after `max_iterations`.
    pub(crate) fn linear(max_iterations: Option<usize>) -> Self {
        Self::Linear { max_iterations, last_step: None }
    }

    /// Sum (m) of the geometric series of steps after one of length `step` (m), with the larger of the last two ratios;
    /// stores this step. Infinite if the ratios are unknown or not below one, and for the quadratic criterion.
    pub(crate) fn remaining_error(&mut self, step: f64) -> f64 {
        let Self::Linear { last_step, .. } = self else { return f64::INFINITY };
        let (ratio, last_ratio) =
            last_step.map_or((f64::NAN, f64::NAN), |last| (step / last.length, last.ratio));
        *last_step = Some(LastStep { length: step, ratio });
        let largest_ratio = if last_ratio > ratio { last_ratio } else { ratio };
        if largest_ratio < 1.0 {
            step * largest_ratio / (1.0 - largest_ratio)
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_error_is_a_geometric_series_with_the_slower_ratio() {
        let mut stop = StoppingCriterion::linear(None);
        let mut left = |step: f64| stop.remaining_error(step);
        assert_eq!(left(1.0), f64::INFINITY, "no ratio is known");
        assert_eq!(left(0.5), 0.5, "1/4 + 1/8 + ...");
        // Ratios 1/2 and 3/4: the rest of the slower series is three steps.
        assert_eq!(left(0.375), 3.0 * 0.375);
        // 3/4, and 1/8 now.
        assert_eq!(left(0.046_875), 3.0 * 0.046_875);
        assert_eq!(left(0.093_75), f64::INFINITY, "steps grow");
        assert_eq!(left(0.093_75), f64::INFINITY, "they have grown, and do not shrink");
    }

    #[test]
    fn no_remaining_error_is_predicted_for_quadratic_convergence() {
        let mut stop = StoppingCriterion::Quadratic;
        assert_eq!([1.0, 0.5].map(|step| stop.remaining_error(step)), [f64::INFINITY; 2]);
        assert_eq!(stop, StoppingCriterion::Quadratic);
    }
}
