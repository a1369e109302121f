//! Line search.
//!
//! Backtracking by halves from the step bound until the value has decreased enough (Armijo; Nocedal and Wright,
//! *Numerical Optimization*, section 3.1). Near the minimiser the decrease is below the rounding of the value. The
//! test then uses the derivative along the direction, which is still accurate: the "approximate Wolfe conditions" of
//! Hager and Zhang, "A new conjugate gradient method with guaranteed descent and an efficient line search", SIAM J.
//! Optim. 16 (2005), eq. 4.1. For a quadratic both tests are equivalent.
//!
//! If a step is shortened, the quadratic model has failed, mostly beyond a kink such as the onset of static friction
//! or a barrier. The first sufficient fraction is then rarely the best one, and an evaluation of the value costs a
//! tenth of an iteration. Halving therefore continues while the value decreases.
//!
//! Values may be differences of much larger numbers: the energy of a stiff body at rest is rounded to an epsilon of its
//! modulus, for any scale of the values in a solve. Where this exceeds the permitted increase, no fraction of a step
//! seems to descend. Rounding is therefore measured after a few halvings. By the trapezoidal rule, the change of the value
//! over a fraction `f` of the step is `f (s_0 + s_f) / 2` with the slopes `s_0` and `s_f` at both ends, exactly for a
//! quadratic. If the slope is almost the same at both ends and the value does not decrease as it says, the difference is
//! rounding: a function with a derivative can rise there only if its slope changes its sign and returns. The search then
//! begins again, with this rounding as the permitted increase, and slopes decide.
//!
//! Most first tries succeed, and then the derivative is needed at the same point. It is therefore evaluated with the
//! value in one pass, which computes deformation gradients, their rotations and logarithms, and distances of pairs
//! once.

use crate::iterate::{Evaluation, Iterate};
use crate::objective::Objective;
use crate::prescribed::Prescription;
use crate::report::SolveReport;
use resile_linalg::cg::dot;
use resile_math::Vec3;
use resile_watch::{Interrupt, Stopwatch};

/// Required fraction of the decrease that the slope predicts.
pub(crate) const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Largest fraction of the slope that may remain after a shortened step.
const MAX_RELATIVE_SLOPE: f64 = 0.9;

/// Number of halvings after which the rounding of values is [measured](LineSearch::measured_rounding). On a quadratic
/// whose minimum is at the full step, 15/16 of the slope remain there, more than [`MAX_RELATIVE_SLOPE`].
const MEASURED_HALVING: usize = 4;

/// Permitted increase of the value, relative to a measured rounding: the largest of several roundings of both signs
/// whose difference has been measured once.
const ROUNDING_MARGIN: f64 = 4.0;

/// Permitted increase of the value, relative to its scale, for a step that passes the slope test. Energies are
/// differences of larger numbers: the rounding of a neo-Hookean energy at rest is an epsilon of the modulus, which in
/// a stiff body in flight is far above an epsilon of the value. Hager and Zhang use 1e-6 of the value. With 1e-12 a
/// tumbling steel cuboid was cut into substeps until its rotation was wrong by 8 % after two turns; with 1e-9 it is
/// 0.1 %.
pub(crate) const VALUE_SLACK: f64 = 1e-9;

/// Predicted decreases below this fraction of the scale of values are rounding.
pub(crate) const VALUE_NOISE: f64 = 1e-12;

/// A line search.
#[derive(Clone, Copy)]
pub(crate) struct LineSearch<'a> {
    /// The function to decrease.
    pub(crate) objective: &'a dyn Objective,
    /// The start of the step.
    pub(crate) start: &'a Iterate,
    /// The full step from the start.
    pub(crate) step: &'a [Vec3],
    /// First fraction tried: the step bound.
    pub(crate) bound: f64,
    /// Maximum number of halvings before a fraction is accepted.
    pub(crate) max_halvings: usize,
    /// The quantities to evaluate at the first trial point.
    pub(crate) first_evaluation: Evaluation,
    /// Prescribed nodes, which a full step moves exactly to their targets.
    pub(crate) prescription: &'a Prescription,
    /// Interrupts the search.
    pub(crate) interrupt: &'a Interrupt,
}

/// Criterion by which a trial point is accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AcceptanceCriterion {
    /// Sufficient decrease, or a reduced slope where the decrease is below rounding. `slope` is the directional
    /// derivative along the full step at its start, and `scale` the scale of values in this solve.
    /// `rounding` is the increase of the value that counts as rounding, measured in this solve.
    SufficientDecrease { slope: f64, scale: f64, rounding: f64 },
    /// Any point with a finite value.
    Finite,
}

impl AcceptanceCriterion {
    /// The criterion after the rounding of values was measured as `rounding`.
    fn with_rounding(self, measured: f64) -> Self {
        match self {
            Self::SufficientDecrease { slope, scale, rounding } => {
                let rounding = rounding.max(ROUNDING_MARGIN * measured);
                Self::SufficientDecrease { slope, scale, rounding }
            }
            Self::Finite => Self::Finite,
        }
    }

    /// The increase of the value that counts as rounding.
    fn rounding(self) -> f64 {
        match self {
            Self::SufficientDecrease { rounding, .. } => rounding,
            Self::Finite => 0.0,
        }
    }
}

/// The result of a [`LineSearch`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Searched {
    /// The fraction of the full step taken, or as error the smallest one tried.
    pub(crate) fraction: Result<f64, f64>,
    /// The increase of the value that counts as rounding.
    pub(crate) rounding: f64,
}

/// The result of [`LineSearch::shorten`].
struct ShortenedStep {
    /// The final fraction of the full step.
    fraction: f64,
    /// Number of halvings of the accepted fraction.
    halvings: usize,
}

impl LineSearch<'_> {
    /// Searches for a fraction of the step that meets the criterion, and stores the point in `trial`. A shortened step
    /// that decreases the value sufficiently is [shortened further](Self::shorten).
    pub(crate) fn run(
        &self,
        trial: &mut Iterate,
        mut criterion: AcceptanceCriterion,
        report: &mut SolveReport,
    ) -> Searched {
        let stopwatch = Stopwatch::start();
        let mut fraction = self.backtrack(trial, &mut criterion, report);
        if let (Ok(accepted), AcceptanceCriterion::SufficientDecrease { scale, rounding, .. }) =
            (&mut fraction, criterion)
            && *accepted < 1.0
        {
            let noise = (VALUE_NOISE * scale).max(rounding);
            let shortened = self.shorten(trial, *accepted, noise);
            *accepted = shortened.fraction;
            report.backtracks += shortened.halvings;
        }
        report.phases.line_search += stopwatch.elapsed();
        Searched { fraction, rounding: criterion.rounding() }
    }

    /// Halves the step from its bound until the point in `trial` meets the criterion. If it does not after a few
    /// halvings, the rounding of values is measured and, if slopes are consistent with it, permitted by `criterion`; the
    /// search then begins again. Returns the fraction of the step, or as error the smallest one tried.
    fn backtrack(
        &self,
        trial: &mut Iterate,
        criterion: &mut AcceptanceCriterion,
        report: &mut SolveReport,
    ) -> Result<f64, f64> {
        let (mut fraction, mut halvings) = (self.bound, 0);
        loop {
            // An interrupted search has not covered the whole path.
            if self.interrupt.is_raised() {
                return Err(fraction);
            }
            let evaluation = if halvings == 0 { self.first_evaluation } else { Evaluation::Value };
            self.evaluate_at(fraction, evaluation, trial);
            if self.accepts(trial, fraction, *criterion) {
                return Ok(fraction);
            }
            if halvings == self.max_halvings {
                return Err(fraction);
            }
            halvings += 1;
            report.backtracks += 1;
            if halvings == MEASURED_HALVING + 1
                && let Some(rounding) = self.measured_rounding(trial, fraction, *criterion)
            {
                *criterion = criterion.with_rounding(rounding);
                fraction = self.bound;
            } else {
                fraction *= 0.5;
            }
        }
    }

    /// Evaluates the function at a `fraction` of the step. At a full step prescribed nodes are at their targets.
    fn evaluate_at(&self, fraction: f64, evaluation: Evaluation, trial: &mut Iterate) {
        trial.place(&self.start.u, self.step, fraction);
        if fraction == 1.0 {
            self.prescription.move_to_targets(&mut trial.u);
        }
        trial.evaluate(self.objective, evaluation);
    }

    /// The directional derivative along the full step at a trial point.
    fn slope_at(&self, trial: &mut Iterate) -> f64 {
        trial.evaluate_gradient(self.objective);
        dot(&trial.gradient, self.step)
    }

    /// The rounding of values, measured at the trial point at a `fraction` of the step, which was not accepted: the
    /// difference between the change of the value and that by the slopes at both ends. `None` if the slope there is not
    /// almost that at the start, or the value is not finite.
    fn measured_rounding(
        &self,
        trial: &mut Iterate,
        fraction: f64,
        criterion: AcceptanceCriterion,
    ) -> Option<f64> {
        let AcceptanceCriterion::SufficientDecrease { slope, .. } = criterion else { return None };
        if !trial.value.is_finite() {
            return None;
        }
        let trial_slope = self.slope_at(trial);
        if trial_slope.is_nan() || trial_slope > MAX_RELATIVE_SLOPE * slope {
            return None;
        }
        let predicted = 0.5 * fraction * (slope + trial_slope);
        Some((trial.value - self.start.value - predicted).abs())
    }

    /// Halves the `accepted` fraction of the step while the value decreases by more than `noise`. `trial` is then the
    /// point with the lowest value.
    fn shorten(&self, trial: &mut Iterate, accepted: f64, noise: f64) -> ShortenedStep {
        let (mut lowest_value, mut fraction, mut halvings) = (trial.value, accepted, 0);
        while !self.interrupt.is_raised() {
            trial.place(&self.start.u, self.step, 0.5 * fraction);
            let value = self.objective.value(&trial.u);
            // The comparison is also false for NaN.
            let is_lower = value < lowest_value - noise;
            if !is_lower {
                break;
            }
            (lowest_value, fraction, halvings) = (value, 0.5 * fraction, halvings + 1);
        }
        trial.place(&self.start.u, self.step, fraction);
        trial.value = lowest_value;
        ShortenedStep { fraction, halvings }
    }

    /// Whether the trial point at a `fraction` of the step meets the criterion; evaluates its gradient only if the value
    /// is inconclusive.
    fn accepts(&self, trial: &mut Iterate, fraction: f64, criterion: AcceptanceCriterion) -> bool {
        if !trial.value.is_finite() {
            return false;
        }
        let AcceptanceCriterion::SufficientDecrease { slope, scale, rounding } = criterion else {
            return true;
        };
        let start_value = self.start.value;
        if trial.value <= start_value + SUFFICIENT_DECREASE * fraction * slope
            && trial.value < start_value
        {
            return true;
        }
        if trial.value > start_value + rounding.max(VALUE_SLACK * scale) {
            return false;
        }
        let trial_slope = self.slope_at(trial);
        // After a rejected first trial point the minimum along the line is near; a slope as steep as at the start then
        // means that value and derivative are inconsistent.
        let has_flattened = fraction == self.bound || trial_slope >= MAX_RELATIVE_SLOPE * slope;
        has_flattened && trial_slope <= (2.0 * SUFFICIENT_DECREASE - 1.0) * slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linearisation::Linearisation;
    use resile_math::Psd;
    use resile_sparse::Assembly;
    use resile_watch::Cause;

    /// A function of one node on the x axis, listed as fractions from 1 downwards with value and derivative. All
    /// other points have a high value.
    struct Listed(Vec<[f64; 3]>, [bool; 1]);

    impl Listed {
        fn at(&self, u: &[Vec3]) -> [f64; 3] {
            let listed = self.0.iter().find(|[x, ..]| *x == u[0].x);
            listed.copied().unwrap_or([u[0].x, 9.0, 0.0])
        }
    }

    impl Objective for Listed {
        fn len(&self) -> usize {
            1
        }
        fn free(&self) -> &[bool] {
            &self.1
        }
        fn prescribed(&self) -> &[(usize, Vec3)] {
            &[]
        }
        fn value(&self, u: &[Vec3]) -> f64 {
            self.at(u)[1]
        }
        fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
            out[0] = Vec3::X * self.at(u)[2];
        }
        fn hessian(&self, _: &[Vec3], _: &Linearisation, _: Psd, _: &mut Assembly) {}
        fn step_bound(&mut self, _: &[Vec3], _: &[Vec3]) -> f64 {
            1.0
        }
    }

    /// A slope other than one, and a scale.
    const DESCENT: AcceptanceCriterion =
        AcceptanceCriterion::SufficientDecrease { slope: -2.0, scale: 4.0, rounding: 0.0 };

    /// The fraction taken by a search from 0, where the value is 1, and the number of halvings.
    fn searched(
        listed: &[[f64; 3]],
        criterion: AcceptanceCriterion,
        max_halvings: usize,
    ) -> (Result<f64, f64>, usize) {
        let objective = Listed(listed.to_vec(), [true]);
        let from = Iterate { u: vec![Vec3::ZERO], value: 1.0, ..Iterate::default() };
        let (mut trial, mut report) = (Iterate::default(), SolveReport::default());
        let search = LineSearch {
            objective: &objective,
            start: &from,
            step: &[Vec3::X],
            bound: 1.0,
            max_halvings,
            first_evaluation: Evaluation::Value,
            prescription: &Prescription::new(&[], &[], &from.u),
            interrupt: &Interrupt::new(),
        };
        let result = search.run(&mut trial, criterion, &mut report).fraction;
        assert!(result.is_err() || result == Ok(trial.u[0].x));
        (result, report.backtracks)
    }

    /// A fraction that passes every test.
    const fn good(fraction: f64) -> [f64; 3] {
        [fraction, 0.0, 0.0]
    }

    #[test]
    fn full_step_is_accepted_by_decrease_or_flat_end() {
        let taken = |value, slope| {
            let (found, backtracks) = searched(&[[1.0, value, slope], good(0.5)], DESCENT, 9);
            let whole = found == Ok(1.0);
            assert!(whole || found == Ok(0.5), "{found:?}");
            assert_eq!(backtracks, usize::from(!whole));
            whole
        };
        // A decrease of 1e-4 of the product of slope and length.
        assert!(taken(1.0 - 2.01e-4, 9.0));
        assert!(!taken(1.0 - 1.99e-4, 9.0));
        // A smaller decrease, but the slope is nearly zero: it may increase up to 0.9998 times 2.
        assert!(taken(1.0 - 1.99e-4, 1.9995));
        assert!(!taken(1.0 - 1.99e-4, 1.9997));
        // A rise of 1e-9 of the scale is rounding.
        assert!(taken(1.0 + 3.9e-9, 0.1));
        assert!(!taken(1.0 + 4.1e-9, 0.1));
        assert!(!taken(f64::INFINITY, 0.0) && !taken(f64::NAN, 0.0));
    }

    #[test]
    fn shortened_step_must_reduce_the_slope() {
        let taken = |value, slope| {
            let (found, _) =
                searched(&[[1.0, 2.0, 9.0], [0.5, value, slope], [0.25, 1.0, 0.0]], DESCENT, 9);
            found == Ok(0.5)
        };
        assert!(taken(1.0 - 1.01e-4, -9.0) && !taken(1.0 - 0.99e-4, -9.0));
        assert!(taken(1.0, -1.79) && !taken(1.0, -1.81));
    }

    #[test]
    fn cut_step_is_halved_while_the_value_decreases() {
        let below = [[1.0, 2.0, 9.0], [0.5, 0.5, 0.0], [0.25, 0.2, 0.0], [0.125, 0.3, 0.0]];
        assert_eq!(searched(&below, DESCENT, 9), (Ok(0.25), 2), "one more than it had to be");
        let level = [[1.0, 2.0, 9.0], [0.5, 0.5, 0.0], [0.25, 0.5 - 3e-12, 0.0], good(0.125)];
        assert_eq!(searched(&level, DESCENT, 9).0, Ok(0.5), "no lower but for rounding");
        let whole = [[1.0, 0.5, 0.0], good(0.5)];
        assert_eq!(searched(&whole, DESCENT, 9).0, Ok(1.0), "nothing was cut");
    }

    /// A quadratic with its minimum at the full step, of which values are rounded up by much more than the decrease.
    #[test]
    fn a_rise_that_the_slopes_contradict_is_rounding() {
        let slope = |x: f64| -2e-10 * (1.0 - x);
        let decrease = |x: f64| 2e-10 * (x - 0.5 * x * x);
        let rounded: Vec<[f64; 3]> = (0..9)
            .map(|k| 0.5f64.powi(k))
            .map(|x| [x, 1.0 + 1e-8 - decrease(x), slope(x)])
            .collect();
        let criterion = AcceptanceCriterion::SufficientDecrease {
            slope: slope(0.0),
            scale: 1.0,
            rounding: 0.0,
        };
        assert_eq!(searched(&rounded, criterion, 20), (Ok(1.0), 5));
        // A barrier: the slope changes its sign before the first trial points.
        let wall: Vec<[f64; 3]> = rounded.iter().map(|&[x, value, _]| [x, value, 1.0]).collect();
        assert!(searched(&wall, criterion, 8).0.is_err());
        // The value contradicts the slope everywhere.
        let wrong: Vec<[f64; 3]> =
            rounded.iter().map(|&[x, ..]| [x, 1.0 + x, slope(0.0)]).collect();
        assert!(searched(&wrong, criterion, 20).0.is_err());
    }

    #[test]
    fn unchanged_value_is_no_decrease() {
        let flat =
            AcceptanceCriterion::SufficientDecrease { slope: -1e-20, scale: 1.0, rounding: 0.0 };
        assert_eq!(searched(&[[1.0, 1.0, 9.0], good(0.5)], flat, 9).0, Ok(0.5));
    }

    #[test]
    fn line_search_ends_after_the_maximum_of_halvings() {
        let rising = [1.0, 0.5, 0.25, 0.125].map(|x| [x, 2.0, 1.0]);
        assert_eq!(searched(&rising, DESCENT, 0), (Err(1.0), 0));
        assert_eq!(searched(&rising, DESCENT, 2), (Err(0.25), 2));
        assert_eq!(searched(&rising, AcceptanceCriterion::Finite, 2), (Ok(1.0), 0));
        assert_eq!(
            searched(&[[1.0, f64::NAN, 0.0], rising[1]], AcceptanceCriterion::Finite, 2),
            (Ok(0.5), 1)
        );
    }

    /// The whole step ends exactly at the target even if `0.2 + (0.9 - 0.2)` is not 0.9; half of it ends half-way.
    #[test]
    fn prescribed_nodes_arrive_exactly_and_only_at_the_end() {
        let (start, end) = (Vec3::X * 0.2, Vec3::X * 0.9);
        let prescription = Prescription::new(&[(0, end)], &[], &[start]);
        let step = [end - start];
        assert_ne!(start + step[0], end);
        let half = start + step[0] * 0.5;
        let objective = Listed(vec![[end.x, 0.0, 0.0], [half.x, 0.0, 0.0]], [false]);
        let from = Iterate { u: vec![start], value: 1.0, ..Iterate::default() };
        for (bound, place) in [(1.0, end), (0.5, half)] {
            let interrupt = Interrupt::new();
            let search = LineSearch {
                objective: &objective,
                start: &from,
                step: &step,
                bound,
                max_halvings: 0,
                first_evaluation: Evaluation::ValueAndGradient,
                prescription: &prescription,
                interrupt: &interrupt,
            };
            let (mut trial, mut report) = (Iterate::default(), SolveReport::default());
            let mut run =
                || search.run(&mut trial, AcceptanceCriterion::Finite, &mut report).fraction;
            assert_eq!(run(), Ok(bound));
            interrupt.raise(Cause::Asked);
            assert_eq!(run(), Err(bound), "an interrupted search ends");
            assert_eq!(trial.u, [place]);
        }
    }

    #[test]
    fn slope_uses_free_nodes_and_is_evaluated_once_per_point() {
        let held = Listed(vec![good(0.0), [1.0, 0.0, 7.0]], [false]);
        let mut iterate = Iterate { u: vec![Vec3::X], ..Iterate::default() };
        iterate.evaluate_gradient(&held);
        assert_eq!(iterate.gradient, [Vec3::ZERO]);
        let free = Listed(held.0, [true]);
        iterate.evaluate_gradient(&free);
        assert_eq!(iterate.gradient, [Vec3::ZERO], "it is known already");
        iterate.place(&[Vec3::ZERO], &[Vec3::X * 2.0], 0.5);
        iterate.evaluate_gradient(&free);
        assert_eq!((iterate.u[0], iterate.gradient[0]), (Vec3::X, Vec3::X * 7.0));
        iterate.place(&[Vec3::ZERO], &[Vec3::X * 2.0], 0.0);
        iterate.evaluate(&free, Evaluation::ValueAndGradient);
        assert_eq!(
            (iterate.value, iterate.gradient[0], iterate.has_gradient),
            (0.0, Vec3::ZERO, true)
        );
        iterate.place(&[Vec3::ZERO], &[Vec3::X * 2.0], 0.5);
        iterate.evaluate(&free, Evaluation::Value);
        assert_eq!((iterate.value, iterate.has_gradient), (0.0, false));
    }
}
