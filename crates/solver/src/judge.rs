//! The rules of a descent: what it does next, by the records of what it did.

use crate::direction::Matrix;
use crate::iteration::{Cut, Outcome};
use crate::line_search::{NOISE, Wanted};

/// What a step may leave of the gradient (max norm) for its length to say how far the
/// minimiser is. A quadratic leaves nothing, a logarithmic barrier entered too deep a
/// half: there the curvature grows with the force, and Newton's step is as short as the
/// distance from the wall whatever the path that remains.
const CONTRACTION: f64 = 0.25;

/// What a step by a matrix that was kept may leave over the tolerance: about what conjugate gradients leave
/// of a last step.
const LEFT_BY_KEPT: f64 = 0.03;

/// What a last step may leave of the gradient if the one before left more than [`CONTRACTION`]. Where bodies stick to each
/// other, the friction of velocities within the tolerance is uncertain by as much as it: with a quarter the heat of an impact
/// is wrong by up to a tenth, with 0.1 by less than a hundredth, and piles take 5 % more iterations
/// (`docs/notes/2026-11-28.md`, primal-dual friction).
const LEFT_BY_LAST: f64 = 0.1;

/// What the rules know of the iterations so far.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    /// The length of a step (m, max norm) that is short enough.
    tolerance: f64,
    /// Largest change that a direction promised: a scale of values that does not
    /// depend on where their zero is.
    scale: f64,
    /// Max norm of the gradient; not a number where it says nothing.
    force: f64,
    /// What the last step left of it; one where that says nothing.
    fall: f64,
    /// Whether the last step took most of the gradient away.
    contracting: bool,
    /// Whether the last direction is from the requested Hessian and that is the second derivative.
    as_asked: bool,
    /// Whether the Hessian at the iterate is the second derivative.
    exact: bool,
    /// Whether the next iterate is noted anew.
    anew: bool,
    /// Whether the last step that could be was taken with its turns as turns.
    turning: bool,
    /// The last attempt.
    last: Outcome,
}

impl Judge {
    pub(crate) fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            scale: 0.0,
            force: f64::NAN,
            fall: 1.0,
            contracting: false,
            as_asked: false,
            exact: true,
            anew: true,
            turning: false,
            last: Outcome::NONE,
        }
    }

    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The gradient has this max norm.
    pub(crate) fn measured(&mut self, force: f64) {
        self.contracting = force <= CONTRACTION * self.force;
        let fall = force / self.force;
        self.fall = if fall < 1.0 { fall } else { 1.0 };
        self.force = force;
    }

    /// The gradient changes for another reason than a step.
    pub(crate) fn forget_gradient(&mut self) {
        self.force = f64::NAN;
    }

    /// Whether the next iterate is noted anew: the first one, and one after a step within the tolerance by a matrix that is
    /// not the second derivative.
    pub(crate) fn notes_anew(&self) -> bool {
        self.anew
    }

    /// Requests that the next iterate is noted anew.
    pub(crate) fn note_anew(&mut self) {
        self.anew = true;
    }

    /// An iterate was noted whose Hessian is (`exact`) or is not the second derivative.
    pub(crate) fn noted(&mut self, exact: bool) {
        (self.exact, self.anew) = (exact, false);
    }

    /// Whether the Hessian at the iterate is the second derivative.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// A direction was found.
    pub(crate) fn directed(&mut self, as_asked: bool) {
        self.as_asked = as_asked && self.exact;
    }

    /// A step promises or gave this decrease.
    pub(crate) fn promised(&mut self, decrease: f64) {
        self.scale = self.scale.max(decrease);
    }

    /// An attempt is over.
    pub(crate) fn tried(&mut self, outcome: Outcome) {
        let turned = outcome.cut == Cut::Turned;
        self.turning = turned || (self.turning && !outcome.turned_first);
        self.last = outcome;
    }

    /// The scale of values where the value is this one.
    pub(crate) fn scale(&self, value: f64) -> f64 {
        self.scale.max(value.abs())
    }

    /// Whether a step of this slope gains nothing where the value is this one.
    pub(crate) fn is_noise(&self, slope: f64, value: f64) -> bool {
        -slope <= NOISE * self.scale(value)
    }

    /// Whether the last step took most of the gradient away.
    pub(crate) fn is_contracting(&self) -> bool {
        self.contracting
    }

    /// Whether the last step was shorter than its direction: its slope then does not say what there is to gain.
    pub(crate) fn is_shortened(&self) -> bool {
        self.last.is_shortened()
    }

    /// What to evaluate where a step is tried first, if `wanted` will be asked for where it is taken. Where bodies
    /// pile up every second try after a step that was cut fails, and a derivative there is for nothing.
    pub(crate) fn first(&self, wanted: Wanted) -> Wanted {
        if self.is_shortened() { Wanted::Value } else { wanted }
    }

    /// Whether the next step is tried with its turns first. What had to turn will have to again, and where
    /// pairs are near a try costs a search.
    pub(crate) fn turns_first(&self, pairs: usize) -> bool {
        self.turning && pairs > 0
    }

    /// How long the step after one of this length (m, max norm) will be if it falls as the gradient did.
    fn expected(&self, step: f64) -> f64 {
        step * self.fall
    }

    /// Whether the direction after a step of this length is found by the same matrix (a simplified Newton step, as in the
    /// method of Shamanskii 1967): if that has just taken most of the gradient away with a whole step, and
    /// next to nothing is left where it takes as large a part of the rest. What such steps leave is not by
    /// chance: over a run a larger share of the tolerance sums up to lost energy (`benches/README.md`, kept
    /// matrices).
    pub(crate) fn keeps_matrix(&self, step: f64) -> bool {
        let good = self.as_asked && self.contracting && !self.is_shortened();
        let left = self.expected(step) * self.fall;
        good && left <= LEFT_BY_KEPT * self.tolerance
    }

    /// How small the relative residual of the linear system should be for the step after one of length `step` to end
    /// where the exact one would: the second choice of Eisenstat and Walker 1996, *Choosing
    /// the forcing terms in an inexact Newton method*, with their safeguard against solving
    /// for more digits than the tolerance asks for. A step by a matrix that was kept is most likely the last.
    pub(crate) fn forcing(&self, matrix: Matrix, step: f64) -> f64 {
        let needed = self.tolerance / self.expected(step);
        match matrix {
            Matrix::Here(_) => (self.fall * self.fall).max(needed),
            Matrix::Kept => (LEFT_BY_KEPT * needed).min(CONTRACTION),
        }
    }

    /// To which part of itself a step that is within the tolerance, after one of length `last` (m), has to bring the
    /// gradient to be the last one; nothing if it need not prove itself.
    pub(crate) fn proof(&self, matrix: Matrix, [last, step]: [f64; 2]) -> Option<f64> {
        let most = LEFT_BY_KEPT * self.tolerance;
        match matrix {
            Matrix::Kept if step * self.fall.max(step / last) > most => {
                Some(CONTRACTION.min(most / step))
            }
            _ => (!self.contracting).then_some(LEFT_BY_LAST),
        }
    }

    /// Whether a gradient of this max norm is at most this part of what it was.
    pub(crate) fn has_fallen(&self, force: f64, part: f64) -> bool {
        force <= part * self.force
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Psd;

    const HERE: Matrix = Matrix::Here(Psd::Exact);

    /// After whole steps that left gradients of these max norms.
    fn after(forces: &[f64]) -> Judge {
        let mut judge = Judge::new(1e-3);
        for &force in forces {
            judge.directed(true);
            judge.tried(Outcome { fraction: 1.0, ..Outcome::NONE });
            judge.measured(force);
        }
        judge
    }

    /// The same with a last attempt that was cut.
    fn cut(forces: &[f64], cut: Cut) -> Judge {
        let mut judge = after(forces);
        judge.tried(Outcome { cut, ..Outcome::NONE });
        judge
    }

    #[test]
    fn a_matrix_is_kept_after_a_whole_contracting_step_if_next_to_nothing_is_left() {
        // A tenth is left of each step: of 2.9e-3 m 2.9e-5 m, which is below 0.03 of the tolerance.
        assert!(after(&[1.0, 0.1]).keeps_matrix(2.9e-3));
        assert!(!after(&[1.0, 0.1]).keeps_matrix(3.1e-3));
        assert!(!after(&[1.0, 0.26]).keeps_matrix(1e-9), "no contraction");
        assert!(!after(&[0.1]).keeps_matrix(1e-9), "nothing to compare with");
        for shortened in [Cut::Bound, Cut::Decrease] {
            assert!(!cut(&[1.0, 0.1], shortened).keeps_matrix(1e-9), "{shortened:?}");
        }
        for whole in [Cut::None, Cut::Turned, Cut::Extended] {
            assert!(cut(&[1.0, 0.1], whole).keeps_matrix(1e-9), "{whole:?}");
        }
        let mut shifted = after(&[1.0, 0.1]);
        shifted.directed(false);
        assert!(!shifted.keeps_matrix(1e-9));
        let mut between = after(&[1.0, 0.1]);
        between.noted(false);
        between.directed(true);
        assert!(!between.keeps_matrix(1e-9), "the matrix was not the second derivative");
        let mut moved_by_others = after(&[1.0, 0.1]);
        moved_by_others.forget_gradient();
        moved_by_others.measured(0.01);
        assert!(!moved_by_others.keeps_matrix(1e-9));
    }

    #[test]
    fn linear_systems_are_solved_as_exactly_as_the_gradient_fell_but_not_beyond_the_tolerance() {
        // Eisenstat and Walker: the square of the ratio of gradients.
        assert_eq!(after(&[1.0, 0.5]).forcing(HERE, 10.0), 0.25);
        // A step of 0.01 m will be followed by one of 0.001 m, the tolerance.
        assert_eq!(after(&[1.0, 0.1]).forcing(HERE, 0.01), 1.0);
        assert_eq!(after(&[1.0, 2.0]).forcing(HERE, 10.0), 1.0, "a rise says nothing");
        assert_eq!(after(&[1.0, 0.5]).forcing(Matrix::Kept, 2e-3), LEFT_BY_KEPT);
        assert_eq!(after(&[1.0, 0.5]).forcing(Matrix::Kept, 1e-9), CONTRACTION);
    }

    #[test]
    fn a_last_step_proves_itself_unless_the_one_before_contracted() {
        assert_eq!(after(&[1.0, 0.25]).proof(HERE, [1.0, 1e-4]), None);
        assert_eq!(after(&[1.0, 0.26]).proof(HERE, [1.0, 1e-4]), Some(LEFT_BY_LAST));
        // By a matrix that was kept: if it leaves more than 0.03 of the tolerance as the gradient fell, or the step did.
        let kept = |step| after(&[1.0, 0.1]).proof(Matrix::Kept, [1e-2, step]);
        assert_eq!(kept(2.9e-4), None);
        assert_eq!(kept(4e-4), Some(0.03 * 1e-3 / 4e-4));
        assert_eq!(after(&[1.0, 0.1]).proof(Matrix::Kept, [1e-4, 5e-5]), None);
        assert!(
            after(&[1.0, 0.1]).proof(Matrix::Kept, [1e-4, 1e-4]).is_some(),
            "it fell by nothing"
        );
        assert!(
            after(&[1.0, 0.5]).has_fallen(0.1, 0.2) && !after(&[1.0, 0.5]).has_fallen(0.11, 0.2)
        );
    }

    #[test]
    fn a_derivative_is_not_evaluated_with_the_first_value_after_a_cut() {
        let wanted = Wanted::ValueAndGradient;
        for (reason, first) in [
            (Cut::None, wanted),
            (Cut::Turned, wanted),
            (Cut::Extended, wanted),
            (Cut::Refused, wanted),
            (Cut::Bound, Wanted::Value),
            (Cut::Decrease, Wanted::Value),
        ] {
            assert_eq!(cut(&[], reason).first(wanted), first, "{reason:?}");
            assert_eq!(cut(&[], reason).first(Wanted::Value), Wanted::Value);
        }
    }

    #[test]
    fn turns_are_tried_first_where_pairs_are_near_until_they_are_refused() {
        let mut judge = Judge::new(1.0);
        let mut next = |cut, turned_first| {
            judge.tried(Outcome { cut, turned_first, ..Outcome::NONE });
            judge.turns_first(1)
        };
        assert!(!next(Cut::None, false));
        assert!(next(Cut::Turned, false) && next(Cut::Turned, true));
        assert!(
            next(Cut::Refused, false),
            "a step that was not tried with turns says nothing of them"
        );
        assert!(!next(Cut::Decrease, true));
        assert!(next(Cut::Turned, false));
        assert!(!judge.turns_first(0), "no pairs are near");
    }

    #[test]
    fn the_first_iterate_is_noted_anew_and_others_on_request() {
        let mut judge = Judge::new(1.0);
        assert!(judge.notes_anew());
        judge.noted(false);
        assert!(!judge.notes_anew() && !judge.is_exact());
        judge.note_anew();
        assert!(judge.notes_anew());
        judge.noted(true);
        assert!(!judge.notes_anew() && judge.is_exact());
    }

    #[test]
    fn noise_is_measured_by_the_largest_promise_and_the_value() {
        let mut judge = Judge::new(1.0);
        assert!(!judge.is_noise(-1e-13, 0.0) && judge.is_noise(-1e-13, -1.0));
        judge.promised(3.0);
        judge.promised(2.0);
        assert_eq!((judge.scale(0.0), judge.scale(-5.0)), (3.0, 5.0));
        assert!(judge.is_noise(-2.9e-12, 0.0) && !judge.is_noise(-3.1e-12, 0.0));
    }
}
