//! When a descent is over.

/// When a descent is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stop {
    /// Directions are Newton's: the length of a step estimates what was left before it.
    Quadratic,
    /// Steps shrink by a ratio, and that estimates what is left after them.
    Linear {
        /// Iterations after which it is over in any case.
        most: Option<usize>,
        /// Max norm (m) of the last step, and its ratio to the one before.
        last: Option<(f64, f64)>,
    },
}

impl Stop {
    /// By ratio, or after so many iterations.
    pub(crate) fn linear(most: Option<usize>) -> Self {
        Self::Linear { most, last: None }
    }

    /// What of a geometric series of steps is left after one of this length (m), with the larger of
    /// the last two ratios; infinite where they do not shrink or are not known.
    pub(crate) fn left_after(&mut self, step: f64) -> f64 {
        let Self::Linear { last, .. } = self else { return f64::INFINITY };
        let (ratio, before) = last.map_or((f64::NAN, f64::NAN), |(l, ratio)| (step / l, ratio));
        *last = Some((step, ratio));
        let slowest = if before > ratio { before } else { ratio };
        if slowest < 1.0 { step * slowest / (1.0 - slowest) } else { f64::INFINITY }
    }
}
