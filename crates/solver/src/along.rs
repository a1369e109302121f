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
//! the full product of slope and length; for a quadratic it is half of that. The search then continues along the line
//! by the secant of the values, each time to at most four times the length and with a new step bound
//! (`benches/README.md`, whole scenes).

use crate::descent::Descent;
use crate::iteration::{Cut, Outcome};
use crate::line_search::{Evaluation, SUFFICIENT_DECREASE, Search, Test, VALUE_SLACK};
use crate::minimiser::Workspace;
use crate::objective::Objective;
use crate::stop::StoppingCriterion;
use resile_watch::Stopwatch;

/// Fraction of the decrease predicted by the slope above which a full step is too short: the curvature along the line
/// is then less than half of that of the model.
const MIN_EXTENSION_SLOPE: f64 = 0.75;

/// Largest factor of an extension.
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
    /// The step bound of the path from `work.at` to `work.end`. If `end` is not finite, the bound is zero, and the path
    /// is not searched.
    pub(crate) fn bound(&mut self, objective: &mut dyn Objective) -> f64 {
        if !self.work.end.iter().all(|x| x.is_finite()) {
            return 0.0;
        }
        let start = Stopwatch::start();
        let bound = objective.step_bound(&self.work.at.u, &self.work.end);
        self.work.report.phases.collision += start.elapsed();
        // NaN counts as zero; the line search then fails because the value is not finite.
        bound.clamp(0.0, 1.0).max(0.0)
    }

    /// Sets `work.end` to the end of the full step and returns the step bound of the path to it. With `to_target` the
    /// prescribed nodes end exactly at their targets.
    pub(crate) fn bound_step(&mut self, objective: &mut dyn Objective, to_target: bool) -> f64 {
        self.work.end.clear();
        self.work.end.extend(self.work.at.u.iter().zip(&self.work.step).map(|(x, p)| *x + *p));
        if to_target {
            self.prescription.place(&mut self.work.end);
        }
        let bound = self.bound(objective);
        self.work.report.bounded += usize::from(bound < 1.0);
        if let Some(row) = self.work.trace.row() {
            let is_limited = bound < 1.0 && self.work.end.iter().all(|x| x.is_finite());
            row.limit =
                is_limited.then(|| objective.limit(&self.work.at.u, &self.work.end)).flatten();
        }
        bound
    }

    /// Moves along the step to a point with a smaller value. `evaluation` lists the quantities that the next iteration
    /// needs at that point. The error is the smallest fraction tried.
    pub(crate) fn descend(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        halvings: usize,
        evaluation: Evaluation,
    ) -> Result<(), f64> {
        let (first_evaluation, start_value) =
            (self.monitor.first_evaluation(evaluation), self.work.at.value);
        self.monitor.record_decrease(-slope);
        let mut outcome = Outcome { predicted: -0.5 * slope, ..Outcome::NONE };
        let result = self.search_step(objective, slope, halvings, first_evaluation, &mut outcome);
        outcome.actual = start_value - self.work.at.value;
        self.monitor.record_attempt(outcome);
        self.note(outcome);
        result
    }

    /// Searches along the step: with exact rotations, the full step, or by halves. Fills in `outcome`.
    fn search_step(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        halvings: usize,
        first_evaluation: Evaluation,
        outcome: &mut Outcome,
    ) -> Result<(), f64> {
        outcome.rotated_first = halvings > 0 && self.monitor.rotates_first(objective.pair_count());
        if outcome.rotated_first && self.take_rotated_step(objective, slope) == RotatedStep::Taken {
            (outcome.cut, outcome.fraction) = (Cut::Rotated, 1.0);
            return Ok(());
        }
        let bound = self.bound_step(objective, false);
        (outcome.bound, outcome.cut) = (bound, Cut::Refused);
        if bound == 0.0 {
            return Err(bound);
        }
        let test = Test::Descent { slope, scale: self.monitor.scale(self.work.at.value) };
        if bound == 1.0 {
            if let Some(fraction) = self.take_full_step(objective, test, first_evaluation) {
                let extended = fraction > 1.0;
                outcome.cut = if extended { Cut::Extended } else { Cut::None };
                outcome.fraction = fraction;
                return Ok(());
            }
            if halvings == 0 {
                return Err(bound);
            }
            if !outcome.rotated_first {
                match self.take_rotated_step(objective, slope) {
                    RotatedStep::Taken => {
                        (outcome.cut, outcome.fraction) = (Cut::Rotated, 1.0);
                        return Ok(());
                    }
                    RotatedStep::Refused => _ = self.bound_step(objective, false),
                    RotatedStep::None => {}
                }
            }
        }
        let searched = self.search(objective, bound, halvings, test, Evaluation::Value);
        outcome.fraction = searched.unwrap_or(0.0);
        let is_full_step = bound < 1.0 && outcome.fraction == bound;
        outcome.cut = if is_full_step { Cut::Bound } else { Cut::Decrease };
        searched.map(|_| ())
    }

    /// Takes the full step and extends it if it descends. Returns the fraction taken, or `None` if it does not
    /// descend.
    fn take_full_step(
        &mut self,
        objective: &mut dyn Objective,
        test: Test,
        first_evaluation: Evaluation,
    ) -> Option<f64> {
        let start_value = self.work.at.value;
        self.search(objective, 1.0, 0, test, first_evaluation).ok()?;
        match test {
            // A curvature computed from differences of values below their slack is rounding.
            Test::Descent { slope, scale }
                if self.stop == StoppingCriterion::Quadratic && -slope > VALUE_SLACK * scale =>
            {
                Some(self.extend_step(objective, start_value, slope))
            }
            _ => Some(1.0),
        }
    }

    /// Extends the full step while the curvature along the line is less than half of that of the model.
    /// `start_value` is the value at the start of the step. Returns the final fraction.
    fn extend_step(&mut self, objective: &mut dyn Objective, start_value: f64, slope: f64) -> f64 {
        let mut fraction = 1.0;
        loop {
            // The ratio of the decrease `slope t + curvature t^2 / 2` to `slope t`; it is one half at the minimum
            // along the line.
            let gain = (start_value - self.work.at.value) / (-slope * fraction);
            if gain <= MIN_EXTENSION_SLOPE {
                return fraction;
            }
            let target_fraction =
                fraction * (0.5 / (1.0 - gain).max(0.5 / MAX_EXTENSION)).min(MAX_EXTENSION);
            let increment = target_fraction - fraction;
            self.work.end.clear();
            self.work.end.extend(
                self.work.at.u.iter().zip(&self.work.step).map(|(x, p)| *x + *p * increment),
            );
            let bound = self.bound(objective);
            // An interrupted search has not covered the whole path.
            if self.work.interrupt.is_raised() {
                return fraction;
            }
            let start = Stopwatch::start();
            let Workspace { at, trial, step, .. } = &mut *self.work;
            trial.place(&at.u, step, bound * increment);
            self.work.trial.value = objective.value(&self.work.trial.u);
            self.work.report.phases.line_search += start.elapsed();
            // The comparison is also false for NaN.
            let is_lower = self.work.trial.value < self.work.at.value;
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

    /// Takes the full step with exact rotations, if bodies rotate, the path is free of collisions, and the value
    /// decreases sufficiently. A straight step stretches a body that rotates by an angle `a` by `a^2 / 2`, so that
    /// steps of stiff bodies would be halved.
    fn take_rotated_step(&mut self, objective: &mut dyn Objective, slope: f64) -> RotatedStep {
        let Some(end) = objective.turned(&self.work.at.u, &self.work.step) else {
            return RotatedStep::None;
        };
        self.work.end.clone_from(&end);
        if self.bound(objective) < 1.0 {
            return RotatedStep::Refused;
        }
        let start = Stopwatch::start();
        self.work.trial.u = end;
        self.work.trial.has_gradient = false;
        self.work.trial.value = objective.value(&self.work.trial.u);
        self.work.report.phases.line_search += start.elapsed();
        if self.work.trial.value < self.work.at.value + SUFFICIENT_DECREASE * slope {
            self.work.swap();
            return RotatedStep::Taken;
        }
        RotatedStep::Refused
    }

    /// Searches along the step from its bound. Returns the fraction taken; the error is the smallest fraction tried.
    pub(crate) fn search(
        &mut self,
        objective: &dyn Objective,
        bound: f64,
        halvings: usize,
        test: Test,
        first: Evaluation,
    ) -> Result<f64, f64> {
        let Workspace { at, trial, step, report, interrupt, .. } = &mut *self.work;
        let prescription = &self.prescription;
        let search = Search { step, bound, halvings, first, prescription, interrupt };
        let outcome = search.run(objective, at, trial, test, report)?;
        self.work.swap();
        Ok(outcome)
    }
}
