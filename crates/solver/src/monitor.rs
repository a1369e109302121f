//! Monitor of a descent: chooses the next step from records of the previous ones.

use crate::direction::Matrix;
use crate::iterate::Evaluation;
use crate::iteration::{Cut, Outcome};
use crate::line_search::VALUE_NOISE;

/// Largest fraction of the gradient (max norm) that may remain after a step whose length is to estimate the distance
/// of the minimiser. On a quadratic nothing remains. If a step has entered a logarithmic barrier too deeply, half
/// remains: the curvature grows with the force, so Newton's step is as short as the distance from the wall, for any
/// remaining path.
const MAX_CONTRACTION: f64 = 0.25;

/// Largest remaining error after a step with a kept matrix, relative to the tolerance: about that of conjugate
/// gradients after a last step.
const KEPT_MATRIX_RESIDUAL: f64 = 0.03;

/// Largest fraction of the gradient that may remain after a last step with friction if the previous step left more than
/// [`MAX_CONTRACTION`], which is the limit without friction. Where bodies stick, a velocity within the tolerance can
/// change friction by its full amount. With 0.25 the heat of an impact is wrong by up to 10 %, with 0.1 by less than 1
/// %, and piles take 5 % more iterations (`docs/notes/2026-11-28.md`, primal-dual friction). Without friction it gains
/// nothing, and `bench/mat-twist-40` takes 17 % more.
const FRICTION_RESIDUAL: f64 = 0.1;

/// Records of the iterations so far, and the step rules that depend on them.
#[derive(Debug, Clone)]
pub(crate) struct ConvergenceMonitor {
    /// Step length (m, max norm) at which the iteration has converged.
    tolerance: f64,
    /// Largest predicted decrease, a scale of values that does not depend on their zero.
    scale: f64,
    /// Increase of the value that counts as rounding, as measured by line searches.
    rounding: f64,
    /// Max norm of the gradient; NaN if it is not comparable with the next one.
    gradient_norm: f64,
    /// Ratio of the gradient norms after and before the last step; one if it is unknown or greater.
    reduction: f64,
    /// Whether at most [`MAX_CONTRACTION`] of the gradient remained after the last step.
    contracting: bool,
    /// Whether the last direction uses the requested Hessian, and this Hessian is the second derivative.
    has_exact_direction: bool,
    /// Whether the Hessian at the iterate is the second derivative.
    has_exact_hessian: bool,
    /// Whether the next iterate starts a new sequence of linearised iterates.
    needs_restart: bool,
    /// Whether exact rotations were used in the last step that contained rotations.
    rotates_steps: bool,
    /// Outcome of the last attempt.
    last_outcome: Outcome,
}

impl ConvergenceMonitor {
    pub(crate) fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            scale: 0.0,
            rounding: 0.0,
            gradient_norm: f64::NAN,
            reduction: 1.0,
            contracting: false,
            has_exact_direction: false,
            has_exact_hessian: true,
            needs_restart: true,
            rotates_steps: false,
            last_outcome: Outcome::NONE,
        }
    }

    /// Step length (m, max norm) at which the iteration has converged.
    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Records the max norm of the gradient.
    pub(crate) fn record_gradient_norm(&mut self, gradient_norm: f64) {
        self.contracting = gradient_norm <= MAX_CONTRACTION * self.gradient_norm;
        let reduction = gradient_norm / self.gradient_norm;
        self.reduction = if reduction < 1.0 { reduction } else { 1.0 };
        self.gradient_norm = gradient_norm;
    }

    /// Discards the stored gradient norm, because the gradient changes by causes other than a step.
    pub(crate) fn forget_gradient(&mut self) {
        self.gradient_norm = f64::NAN;
    }

    /// Whether the next iterate starts a new sequence of linearised iterates: the first one, and one after a step within
    /// the tolerance with a matrix other than the second derivative.
    pub(crate) fn needs_restart(&self) -> bool {
        self.needs_restart
    }

    /// Requests a new sequence of linearised iterates.
    pub(crate) fn request_restart(&mut self) {
        self.needs_restart = true;
    }

    /// Records a linearised iterate, and whether its Hessian is the second derivative.
    pub(crate) fn record_iterate(&mut self, has_exact_hessian: bool) {
        (self.has_exact_hessian, self.needs_restart) = (has_exact_hessian, false);
    }

    /// Whether the Hessian at the iterate is the second derivative.
    pub(crate) fn is_exact(&self) -> bool {
        self.has_exact_hessian
    }

    /// Records whether a direction uses the requested Hessian, without a shift.
    pub(crate) fn record_direction(&mut self, uses_requested_hessian: bool) {
        self.has_exact_direction = uses_requested_hessian && self.has_exact_hessian;
    }

    /// Records a predicted or achieved decrease.
    pub(crate) fn record_decrease(&mut self, decrease: f64) {
        self.scale = self.scale.max(decrease);
    }

    /// Records the outcome of an attempt.
    pub(crate) fn record_attempt(&mut self, outcome: Outcome) {
        let was_rotated = outcome.cut == Cut::Rotated;
        self.rotates_steps = was_rotated || (self.rotates_steps && !outcome.rotated_first);
        self.last_outcome = outcome;
    }

    /// The scale of values: the larger of the magnitude of `value` and the largest decrease so far.
    pub(crate) fn scale(&self, value: f64) -> f64 {
        self.scale.max(value.abs())
    }

    /// Records an increase of the value that counts as rounding.
    pub(crate) fn record_rounding(&mut self, rounding: f64) {
        self.rounding = self.rounding.max(rounding);
    }

    /// The increase of the value that counts as rounding; zero if none was measured.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Whether the predicted decrease of a step with this slope is below the rounding of `value`.
    pub(crate) fn is_noise(&self, slope: f64, value: f64) -> bool {
        -slope <= VALUE_NOISE * self.scale(value)
    }

    /// Whether the last step removed all but [`MAX_CONTRACTION`] of the gradient.
    pub(crate) fn is_contracting(&self) -> bool {
        self.contracting
    }

    /// Whether the last step was shorter than the full step, so that its slope does not predict the decrease.
    pub(crate) fn is_shortened(&self) -> bool {
        self.last_outcome.is_shortened()
    }

    /// The quantities to evaluate at the first try of a step; `evaluation` lists those needed at the accepted point.
    /// After a step that was cut, half of the first tries fail in piles of bodies, and the gradient there is wasted.
    pub(crate) fn first_evaluation(&self, evaluation: Evaluation) -> Evaluation {
        if self.is_shortened() { Evaluation::Value } else { evaluation }
    }

    /// Whether the next step is first tried with exact rotations. A body that has rotated usually continues to rotate,
    /// and each failed try costs a collision search.
    pub(crate) fn rotates_first(&self, pairs: usize) -> bool {
        self.rotates_steps && pairs > 0
    }

    /// Expected length of the step after one of this length (m, max norm), if it decreases like the gradient.
    fn expected_step(&self, step: f64) -> f64 {
        step * self.reduction
    }

    /// Whether the direction after a step of this length reuses the matrix (a simplified Newton step, as in the
    /// method of Shamanskii 1967). It does if a full step has just removed most of the gradient, and the same
    /// reduction of the remaining gradient leaves at most [`KEPT_MATRIX_RESIDUAL`] of the tolerance. The errors of such
    /// steps are systematic: a larger remainder adds up to lost energy over a run (`benches/README.md`, kept matrices).
    pub(crate) fn reuses_matrix(&self, step: f64) -> bool {
        let is_reliable = self.has_exact_direction && self.contracting && !self.is_shortened();
        let expected_error = self.expected_step(step) * self.reduction;
        is_reliable && expected_error <= KEPT_MATRIX_RESIDUAL * self.tolerance
    }

    /// Permitted relative residual of the linear system for the next step: the second choice of Eisenstat and Walker
    /// 1996, *Choosing the forcing terms in an inexact Newton method*, with their safeguard against more accuracy
    /// than the tolerance requires. `step` is the length (m) of the previous step. A step with a kept matrix is most
    /// likely the last one.
    pub(crate) fn forcing(&self, matrix: Matrix, step: f64) -> f64 {
        let required_ratio = self.tolerance / self.expected_step(step);
        match matrix {
            Matrix::Current(_) => (self.reduction * self.reduction).max(required_ratio),
            Matrix::Kept => (KEPT_MATRIX_RESIDUAL * required_ratio).min(MAX_CONTRACTION),
        }
    }

    /// Fraction to which a step within the tolerance must reduce the gradient to be the last one; `None` if there is
    /// no such condition. `last_step` and `step` are the lengths (m) of the previous and of this step.
    pub(crate) fn required_reduction(
        &self,
        matrix: Matrix,
        [last_step, step]: [f64; 2],
        has_friction: bool,
    ) -> Option<f64> {
        let max_residual = KEPT_MATRIX_RESIDUAL * self.tolerance;
        match matrix {
            Matrix::Kept if step * self.reduction.max(step / last_step) > max_residual => {
                Some(MAX_CONTRACTION.min(max_residual / step))
            }
            _ if self.contracting => None,
            _ if has_friction => Some(FRICTION_RESIDUAL),
            _ => Some(MAX_CONTRACTION),
        }
    }

    /// Whether a gradient of this max norm is at most `max_ratio` times the previous one.
    pub(crate) fn is_reduced_to(&self, gradient_norm: f64, max_ratio: f64) -> bool {
        gradient_norm <= max_ratio * self.gradient_norm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Psd;

    const HERE: Matrix = Matrix::Current(Psd::Exact);

    /// A monitor after whole steps that left these gradient norms.
    fn after(forces: &[f64]) -> ConvergenceMonitor {
        let mut monitor = ConvergenceMonitor::new(1e-3);
        for &gradient_norm in forces {
            monitor.record_direction(true);
            monitor.record_attempt(Outcome { fraction: 1.0, ..Outcome::NONE });
            monitor.record_gradient_norm(gradient_norm);
        }
        monitor
    }

    /// The same, but the last attempt was cut.
    fn cut(forces: &[f64], cut: Cut) -> ConvergenceMonitor {
        let mut monitor = after(forces);
        monitor.record_attempt(Outcome { cut, ..Outcome::NONE });
        monitor
    }

    #[test]
    fn a_matrix_is_kept_after_a_whole_contracting_step_if_next_to_nothing_is_left() {
        // A tenth of each step remains: 2.9e-5 m of 2.9e-3 m, which is below 0.03 of the tolerance.
        assert!(after(&[1.0, 0.1]).reuses_matrix(2.9e-3));
        assert!(!after(&[1.0, 0.1]).reuses_matrix(3.1e-3));
        assert!(!after(&[1.0, 0.26]).reuses_matrix(1e-9), "no contraction");
        assert!(!after(&[0.1]).reuses_matrix(1e-9), "nothing to compare with");
        for shortened in [Cut::Bound, Cut::Decrease] {
            assert!(!cut(&[1.0, 0.1], shortened).reuses_matrix(1e-9), "{shortened:?}");
        }
        for whole in [Cut::None, Cut::Rotated, Cut::Extended] {
            assert!(cut(&[1.0, 0.1], whole).reuses_matrix(1e-9), "{whole:?}");
        }
        let mut shifted = after(&[1.0, 0.1]);
        shifted.record_direction(false);
        assert!(!shifted.reuses_matrix(1e-9));
        let mut between = after(&[1.0, 0.1]);
        between.record_iterate(false);
        between.record_direction(true);
        assert!(!between.reuses_matrix(1e-9), "the matrix was not the second derivative");
        let mut moved_by_others = after(&[1.0, 0.1]);
        moved_by_others.forget_gradient();
        moved_by_others.record_gradient_norm(0.01);
        assert!(!moved_by_others.reuses_matrix(1e-9));
    }

    #[test]
    fn linear_systems_are_solved_as_exactly_as_the_gradient_fell_but_not_beyond_the_tolerance() {
        // Eisenstat and Walker: the square of the ratio of gradients.
        assert_eq!(after(&[1.0, 0.5]).forcing(HERE, 10.0), 0.25);
        // A step of 0.01 m will be followed by one of 0.001 m, the tolerance.
        assert_eq!(after(&[1.0, 0.1]).forcing(HERE, 0.01), 1.0);
        assert_eq!(after(&[1.0, 2.0]).forcing(HERE, 10.0), 1.0, "a rise says nothing");
        assert_eq!(after(&[1.0, 0.5]).forcing(Matrix::Kept, 2e-3), KEPT_MATRIX_RESIDUAL);
        assert_eq!(after(&[1.0, 0.5]).forcing(Matrix::Kept, 1e-9), MAX_CONTRACTION);
    }

    #[test]
    fn a_last_step_proves_itself_unless_the_one_before_contracted() {
        let required = |forces: &[f64], has_friction| {
            after(forces).required_reduction(HERE, [1.0, 1e-4], has_friction)
        };
        assert_eq!([true, false].map(|friction| required(&[1.0, 0.25], friction)), [None; 2]);
        assert_eq!(required(&[1.0, 0.26], true), Some(FRICTION_RESIDUAL));
        assert_eq!(required(&[1.0, 0.26], false), Some(MAX_CONTRACTION));
        // With a kept matrix there is a condition if more than 0.03 of the tolerance remains by the reduction of the
        // gradient or of the step.
        let kept = |step| after(&[1.0, 0.1]).required_reduction(Matrix::Kept, [1e-2, step], true);
        assert_eq!(kept(2.9e-4), None);
        assert_eq!(kept(4e-4), Some(0.03 * 1e-3 / 4e-4));
        assert_eq!(after(&[1.0, 0.1]).required_reduction(Matrix::Kept, [1e-4, 5e-5], true), None);
        assert!(
            after(&[1.0, 0.1]).required_reduction(Matrix::Kept, [1e-4, 1e-4], true).is_some(),
            "it fell by nothing"
        );
        assert!(
            after(&[1.0, 0.5]).is_reduced_to(0.1, 0.2)
                && !after(&[1.0, 0.5]).is_reduced_to(0.11, 0.2)
        );
    }

    #[test]
    fn a_derivative_is_not_evaluated_with_the_first_value_after_a_cut() {
        let evaluation = Evaluation::ValueAndGradient;
        for (reason, first) in [
            (Cut::None, evaluation),
            (Cut::Rotated, evaluation),
            (Cut::Extended, evaluation),
            (Cut::Refused, evaluation),
            (Cut::Bound, Evaluation::Value),
            (Cut::Decrease, Evaluation::Value),
        ] {
            assert_eq!(cut(&[], reason).first_evaluation(evaluation), first, "{reason:?}");
            assert_eq!(cut(&[], reason).first_evaluation(Evaluation::Value), Evaluation::Value);
        }
    }

    #[test]
    fn turns_are_tried_first_where_pairs_are_near_until_they_are_refused() {
        let mut monitor = ConvergenceMonitor::new(1.0);
        let mut next = |cut, rotated_first| {
            monitor.record_attempt(Outcome { cut, rotated_first, ..Outcome::NONE });
            monitor.rotates_first(1)
        };
        assert!(!next(Cut::None, false));
        assert!(next(Cut::Rotated, false) && next(Cut::Rotated, true));
        assert!(
            next(Cut::Refused, false),
            "a step that was not tried with turns says nothing of them"
        );
        assert!(!next(Cut::Decrease, true));
        assert!(next(Cut::Rotated, false));
        assert!(!monitor.rotates_first(0), "no pairs are near");
    }

    #[test]
    fn the_first_iterate_is_linearised_anew_and_others_on_request() {
        let mut monitor = ConvergenceMonitor::new(1.0);
        assert!(monitor.needs_restart());
        monitor.record_iterate(false);
        assert!(!monitor.needs_restart() && !monitor.is_exact());
        monitor.request_restart();
        assert!(monitor.needs_restart());
        monitor.record_iterate(true);
        assert!(!monitor.needs_restart() && monitor.is_exact());
    }

    #[test]
    fn noise_is_measured_by_the_largest_promise_and_the_value() {
        let mut monitor = ConvergenceMonitor::new(1.0);
        assert!(!monitor.is_noise(-1e-13, 0.0) && monitor.is_noise(-1e-13, -1.0));
        monitor.record_decrease(3.0);
        monitor.record_decrease(2.0);
        assert_eq!((monitor.scale(0.0), monitor.scale(-5.0)), (3.0, 5.0));
        assert!(monitor.is_noise(-2.9e-12, 0.0) && !monitor.is_noise(-3.1e-12, 0.0));
    }
}
