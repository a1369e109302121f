//! Step lengths of a descent.
//!
//! The full step is tried first, if its path is free of collisions: it is optimal for a quadratic. If the value does
//! not decrease enough, the same step follows with exact rotations of bodies that rotate by more than a small angle,
//! and then halves of it ([`line_search`](crate::line_search)). After a step that needed exact rotations, they are
//! tried first if the objective has pairs in or near contact: in a net of chains nine of ten full steps that fail do so
//! because of rotations.
//!
//! The full step can be far too short if the Hessian was projected or the curvature decreases along the step: a body
//! that slides off an edge then needs dozens of equal steps. Such a step is detected by its decrease, which is nearly
//! the full product of slope and length; at the minimum of a quadratic it is half of that. The search then continues along the line
//! by the secant of the values, each time to at most four times the length and with a new step bound
//! (`benches/README.md`, whole scenes).

use crate::descent::Descent;
use crate::iterate::Evaluation;
use crate::iteration::{Cut, Outcome};
use crate::line_search::{AcceptanceCriterion, LineSearch, SUFFICIENT_DECREASE, VALUE_SLACK};
use crate::minimiser::Workspace;
use crate::objective::Objective;
use crate::stop::StoppingCriterion;
use resile_watch::Stopwatch;

/// Ratio of the decrease of a full step to the product of slope and length above which the step is extended: the
/// curvature along the line is then less than half of that of the model. Without extended steps, 30 steps of
/// `trampoline` take 222 Newton iterations instead of 101 (`docs/notes/2026-11-30.md`, extended steps).
const MIN_EXTENSION_RATIO: f64 = 0.75;

/// Largest factor of an extension: where the curvature vanishes, the model of the line has no minimum. With 2, 30 steps
/// of `trampoline` take 107 Newton iterations instead of 101; without a limit they take 101, but 40 steps of
/// `bench/chain-5` take 186 instead of 178 (`docs/notes/2026-11-30.md`, extended steps).
const MAX_EXTENSION: f64 = 4.0;

/// Result of a step with exact rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RotatedStep {
    /// No body rotates by more than a small angle.
    None,
    /// The rotated path has a collision or does not descend. The last searched path is then not the straight one.
    Refused,
    /// The step was taken.
    Taken,
}

impl Descent<'_> {
    /// The step bound of the path from `work.current` to `work.end`. If `end` is not finite, the bound is zero, and the
    /// path is not searched.
    pub(crate) fn bound_path(&mut self, objective: &mut dyn Objective) -> f64 {
        if !self.work.end.iter().all(|x| x.is_finite()) {
            return 0.0;
        }
        let start = Stopwatch::start();
        let bound = objective.step_bound(&self.work.current.u, &self.work.end);
        self.work.report.phases.collision += start.elapsed();
        // NaN counts as zero; the line search then fails because the value is not finite.
        bound.clamp(0.0, 1.0).max(0.0)
    }

    /// Sets `work.end` to the end of the full step and returns the step bound of the path to it.
    fn bound_full_step(&mut self, objective: &mut dyn Objective) -> f64 {
        self.set_full_step_end();
        self.bound_and_trace_path(objective)
    }

    /// [`bound_full_step`](Self::bound_full_step) to an end at which prescribed nodes are exactly at their targets.
    pub(crate) fn bound_step_to_targets(&mut self, objective: &mut dyn Objective) -> f64 {
        self.set_full_step_end();
        self.prescription.move_to_targets(&mut self.work.end);
        self.bound_and_trace_path(objective)
    }

    /// Sets `work.end` to the end of the full step.
    fn set_full_step_end(&mut self) {
        self.work.end.clear();
        self.work.end.extend(self.work.current.u.iter().zip(&self.work.step).map(|(x, p)| *x + *p));
    }

    /// [Bounds](Self::bound_path) the path to `work.end`, counts a bound below one, and records its cause in the trace.
    fn bound_and_trace_path(&mut self, objective: &mut dyn Objective) -> f64 {
        let bound = self.bound_path(objective);
        self.work.report.bounded += usize::from(bound < 1.0);
        if let Some(row) = self.work.trace.row() {
            let is_limited = bound < 1.0 && self.work.end.iter().all(|x| x.is_finite());
            row.limit =
                is_limited.then(|| objective.limit(&self.work.current.u, &self.work.end)).flatten();
        }
        bound
    }

    /// Moves along the step to a point with a smaller value, after at most `max_halvings` halvings of the step, and
    /// records the outcome. `slope` is the negative directional derivative along the full step. `evaluation` lists the
    /// quantities that the next iteration needs at the new point. The error is the smallest fraction tried.
    pub(crate) fn descend(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        max_halvings: usize,
        evaluation: Evaluation,
    ) -> Result<(), f64> {
        let (first_evaluation, start_value) =
            (self.monitor.first_evaluation(evaluation), self.work.current.value);
        self.monitor.record_decrease(-slope);
        let mut outcome = Outcome { predicted: -0.5 * slope, ..Outcome::NONE };
        let result =
            self.search_step(objective, slope, max_halvings, first_evaluation, &mut outcome);
        outcome.actual = start_value - self.work.current.value;
        self.monitor.record_attempt(outcome);
        self.trace_outcome(outcome);
        result
    }

    /// Tries the step with exact rotations, the full step and a line search, in the order of the
    /// [module](self). Writes the result to `outcome`. The error is the smallest fraction tried.
    fn search_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        max_halvings: usize,
        first_evaluation: Evaluation,
        outcome: &mut Outcome,
    ) -> Result<(), f64> {
        outcome.rotated_first =
            max_halvings > 0 && self.monitor.rotates_first(objective.pair_count());
        if outcome.rotated_first && self.take_rotated_step(objective, slope) == RotatedStep::Taken {
            (outcome.cut, outcome.fraction) = (Cut::Rotated, 1.0);
            return Ok(());
        }
        let bound = self.bound_full_step(objective);
        (outcome.bound, outcome.cut) = (bound, Cut::Refused);
        if bound == 0.0 {
            return Err(bound);
        }
        if bound == 1.0 {
            let may_shorten = max_halvings > 0;
            if self.take_free_step(objective, slope, may_shorten, first_evaluation, outcome) {
                return Ok(());
            }
            if !may_shorten {
                return Err(bound);
            }
        }
        let (scale, rounding) =
            (self.monitor.scale(self.work.current.value), self.monitor.rounding());
        let criterion = AcceptanceCriterion::SufficientDecrease { slope, scale, rounding };
        let result = self.search_line(objective, bound, max_halvings, criterion, Evaluation::Value);
        outcome.fraction = result.unwrap_or(0.0);
        let reaches_bound = bound < 1.0 && outcome.fraction == bound;
        outcome.cut = if reaches_bound { Cut::Bound } else { Cut::Decrease };
        result.map(|_| ())
    }

    /// Tries the full step, whose path must be free of collisions, and then, if it `may_shorten` the step, that with exact
    /// rotations, unless that was tried before. Returns whether one of them was taken, with its `outcome`; otherwise the
    /// objective is prepared on the path of the full step.
    fn take_free_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        may_shorten: bool,
        first_evaluation: Evaluation,
        outcome: &mut Outcome,
    ) -> bool {
        if let Some(fraction) = self.take_full_step(objective, slope, first_evaluation) {
            let extended = fraction > 1.0;
            outcome.cut = if extended { Cut::Extended } else { Cut::None };
            outcome.fraction = fraction;
            return true;
        }
        if may_shorten && !outcome.rotated_first {
            match self.take_rotated_step(objective, slope) {
                RotatedStep::Taken => {
                    (outcome.cut, outcome.fraction) = (Cut::Rotated, 1.0);
                    return true;
                }
                RotatedStep::Refused => _ = self.bound_full_step(objective),
                RotatedStep::None => {}
            }
        }
        false
    }

    /// Takes the full step, whose path must be free of collisions, if it descends, and extends a Newton step while the
    /// curvature is small. Returns the fraction taken, or `None` if the full step does not descend.
    fn take_full_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        first_evaluation: Evaluation,
    ) -> Option<f64> {
        let start_value = self.work.current.value;
        let (scale, rounding) = (self.monitor.scale(start_value), self.monitor.rounding());
        let criterion = AcceptanceCriterion::SufficientDecrease { slope, scale, rounding };
        self.search_line(objective, 1.0, 0, criterion, first_evaluation).ok()?;
        // A curvature computed from differences of values below their slack is rounding.
        if self.stop == StoppingCriterion::Quadratic && -slope > rounding.max(VALUE_SLACK * scale) {
            Some(self.extend_step(objective, start_value, slope))
        } else {
            Some(1.0)
        }
    }

    /// Extends the full step, which was taken, while the curvature along the line is less than half of that of the model.
    /// `start_value` is the value at the start of the step, and `slope` its directional derivative there. Returns the
    /// final fraction of the full step.
    fn extend_step(&mut self, objective: &mut dyn Objective, start_value: f64, slope: f64) -> f64 {
        let mut fraction = 1.0;
        loop {
            // The ratio of `slope t + curvature t^2 / 2` to `slope t` at the fraction t; it is one half at the minimum
            // along the line.
            let decrease_ratio = (start_value - self.work.current.value) / (-slope * fraction);
            if decrease_ratio <= MIN_EXTENSION_RATIO {
                return fraction;
            }
            let target_fraction = fraction
                * (0.5 / (1.0 - decrease_ratio).max(0.5 / MAX_EXTENSION)).min(MAX_EXTENSION);
            let increment = target_fraction - fraction;
            self.work.end.clear();
            self.work.end.extend(
                self.work.current.u.iter().zip(&self.work.step).map(|(x, p)| *x + *p * increment),
            );
            let bound = self.bound_path(objective);
            // An interrupted search has not covered the whole path.
            if self.work.interrupt.is_raised() {
                return fraction;
            }
            let start = Stopwatch::start();
            let Workspace { current, trial, step, .. } = &mut *self.work;
            trial.place(&current.u, step, bound * increment);
            self.work.trial.value = objective.value(&self.work.trial.u);
            self.work.report.phases.line_search += start.elapsed();
            // The comparison is also false for NaN.
            let is_lower = self.work.trial.value < self.work.current.value;
            if !is_lower {
                return fraction;
            }
            self.work.swap();
            if bound < 1.0 {
                return fraction + bound * increment;
            }
            fraction = target_fraction;
        }
    }

    /// Takes the full step with exact rotations, if a body rotates by more than a small angle, the path is free of
    /// collisions, and the value decreases sufficiently. A straight step stretches a body that rotates by an angle `a`
    /// by `a^2 / 2`, so that steps of stiff bodies would be halved.
    fn take_rotated_step(&mut self, objective: &mut dyn Objective, slope: f64) -> RotatedStep {
        let Some(end) = objective.retract(&self.work.current.u, &self.work.step) else {
            return RotatedStep::None;
        };
        self.work.end.clone_from(&end);
        if self.bound_path(objective) < 1.0 {
            return RotatedStep::Refused;
        }
        let start = Stopwatch::start();
        self.work.trial.u = end;
        self.work.trial.has_gradient = false;
        self.work.trial.value = objective.value(&self.work.trial.u);
        self.work.report.phases.line_search += start.elapsed();
        if self.work.trial.value < self.work.current.value + SUFFICIENT_DECREASE * slope {
            self.work.swap();
            return RotatedStep::Taken;
        }
        RotatedStep::Refused
    }

    /// Moves to the point of a [line search](LineSearch) along the step, which starts at the step `bound`. Returns the
    /// fraction taken; the error is the smallest fraction tried.
    pub(crate) fn search_line(
        &mut self,
        objective: &dyn Objective,
        bound: f64,
        max_halvings: usize,
        criterion: AcceptanceCriterion,
        first_evaluation: Evaluation,
    ) -> Result<f64, f64> {
        let Workspace { current, trial, step, report, interrupt, .. } = &mut *self.work;
        let line_search = LineSearch {
            objective,
            start: current,
            step,
            bound,
            max_halvings,
            first_evaluation,
            prescription: &self.prescription,
            interrupt,
        };
        let searched = line_search.run(trial, criterion, report);
        self.monitor.record_rounding(searched.rounding);
        let fraction = searched.fraction?;
        self.work.swap();
        Ok(fraction)
    }
}
