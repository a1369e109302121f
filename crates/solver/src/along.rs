//! How far a descent goes along its direction.
//!
//! The whole step first, if the path there is free: it is what a quadratic asks for. If the value
//! does not fall enough there, the same step with its turns carried out as turns, where a body turns by more
//! than a little, and then halves of it ([`line_search`](crate::line_search)). Where pairs are near, the step after one that
//! had to turn is tried with its turns first: in a net of chains nine in ten whole steps that fail do so for their turns.
//!
//! Where a Hessian was projected, or the function bends less behind the end of the step than
//! before it, the whole step can be far too short: a body that slides off an edge then goes on by
//! equal steps for dozens of iterations. Such a step is recognised by its decrease, nearly all of what the slope
//! predicts, where that of a quadratic is half of it. The line is then followed from there, by the
//! secant of the values and four times as far at most, each time behind a bound of its own. In
//! the trampoline this spares a quarter of all iterations (`benches/README.md`, whole scenes).

use crate::descent::Descent;
use crate::iteration::{Cut, Outcome};
use crate::line_search::{SLACK, SUFFICIENT, Search, Test, Wanted};
use crate::minimiser::Workspace;
use crate::objective::Objective;
use crate::stop::Stop;
use std::time::Instant;

/// The part of what the slope promises that a whole step must gain to be too short: the curvature
/// along the line is then less than half of the model's.
const FLAT: f64 = 0.75;

/// How many times as far to go at most, each time.
const LONGEST: f64 = 4.0;

/// What became of a step with its turns as turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Nothing turns by an angle that matters.
    None,
    /// It is no free way down; the path that was searched last is not the straight one.
    Refused,
    Taken,
}

impl Descent<'_> {
    /// The bound of the path from `at` to `end`: zero, without a search, if `end` is not finite.
    pub(crate) fn bound(&mut self, objective: &mut dyn Objective) -> f64 {
        if !self.work.end.iter().all(|x| x.is_finite()) {
            return 0.0;
        }
        let start = Instant::now();
        let bound = objective.step_bound(&self.work.at.u, &self.work.end);
        self.work.report.phases.collision += start.elapsed();
        // Not a number counts as nowhere to go; the search then fails by its value.
        bound.clamp(0.0, 1.0).max(0.0)
    }

    pub(crate) fn bound_step(&mut self, objective: &mut dyn Objective, whole_way: bool) -> f64 {
        self.work.end.clear();
        self.work.end.extend(self.work.at.u.iter().zip(&self.work.step).map(|(x, p)| *x + *p));
        if whole_way {
            self.prescription.place(&mut self.work.end);
        }
        let bound = self.bound(objective);
        self.work.report.bounded += usize::from(bound < 1.0);
        if let Some(row) = self.work.trace.row() {
            let cut = bound < 1.0 && self.work.end.iter().all(|x| x.is_finite());
            row.limit = cut.then(|| objective.limit(&self.work.at.u, &self.work.end)).flatten();
        }
        bound
    }

    /// Goes down, where `wanted` will be asked for; `Err` is the smallest fraction tried.
    pub(crate) fn descend(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        halvings: usize,
        wanted: Wanted,
    ) -> Result<(), f64> {
        let (first, before) = (self.judge.first(wanted), self.work.at.value);
        self.judge.promised(-slope);
        let mut outcome = Outcome { predicted: -0.5 * slope, ..Outcome::NONE };
        let went = self.go(objective, slope, halvings, first, &mut outcome);
        outcome.actual = before - self.work.at.value;
        self.judge.tried(outcome);
        self.note(outcome);
        went
    }

    fn go(
        &mut self,
        objective: &mut dyn Objective,
        slope: f64,
        halvings: usize,
        first: Wanted,
        outcome: &mut Outcome,
    ) -> Result<(), f64> {
        outcome.turned_first = halvings > 0 && self.judge.turns_first(objective.pair_count());
        if outcome.turned_first && self.turn(objective, slope) == Turn::Taken {
            (outcome.cut, outcome.fraction) = (Cut::Turned, 1.0);
            return Ok(());
        }
        let bound = self.bound_step(objective, false);
        (outcome.bound, outcome.cut) = (bound, Cut::Refused);
        if bound == 0.0 {
            return Err(bound);
        }
        let test = Test::Descent { slope, scale: self.judge.scale(self.work.at.value) };
        if bound == 1.0 {
            if let Some(fraction) = self.go_whole(objective, test, first) {
                let extended = fraction > 1.0;
                outcome.cut = if extended { Cut::Extended } else { Cut::None };
                outcome.fraction = fraction;
                return Ok(());
            }
            if halvings == 0 {
                return Err(bound);
            }
            if !outcome.turned_first {
                match self.turn(objective, slope) {
                    Turn::Taken => {
                        (outcome.cut, outcome.fraction) = (Cut::Turned, 1.0);
                        return Ok(());
                    }
                    Turn::Refused => _ = self.bound_step(objective, false),
                    Turn::None => {}
                }
            }
        }
        let found = self.search(objective, bound, halvings, test, Wanted::Value);
        outcome.fraction = found.unwrap_or(0.0);
        let whole = bound < 1.0 && outcome.fraction == bound;
        outcome.cut = if whole { Cut::Bound } else { Cut::Decrease };
        found.map(|_| ())
    }

    /// Takes the whole step, and goes beyond it where that leads down; the fraction that was taken, if any was.
    fn go_whole(
        &mut self,
        objective: &mut dyn Objective,
        test: Test,
        first: Wanted,
    ) -> Option<f64> {
        let before = self.work.at.value;
        self.search(objective, 1.0, 0, test, first).ok()?;
        match test {
            // What less than the slack of values says of a curvature is rounding.
            Test::Descent { slope, scale }
                if self.stop == Stop::Quadratic && -slope > SLACK * scale =>
            {
                Some(self.lengthen(objective, before, slope))
            }
            _ => Some(1.0),
        }
    }

    /// Follows the line beyond the whole step, which has led from the value `before` to where it is
    /// now, as long as the function bends less than half as much as its model; the fraction where that ends.
    fn lengthen(&mut self, objective: &mut dyn Objective, before: f64, slope: f64) -> f64 {
        let mut fraction = 1.0;
        loop {
            // Of `slope t + curvature t^2 / 2` over `slope t`: a half at the minimum along the line.
            let gain = (before - self.work.at.value) / (-slope * fraction);
            if gain <= FLAT {
                return fraction;
            }
            let goal = fraction * (0.5 / (1.0 - gain).max(0.5 / LONGEST)).min(LONGEST);
            let farther = goal - fraction;
            self.work.end.clear();
            self.work
                .end
                .extend(self.work.at.u.iter().zip(&self.work.step).map(|(x, p)| *x + *p * farther));
            let bound = self.bound(objective);
            // A search that was interrupted has not looked at all of the path.
            if self.work.interrupt.is_raised() {
                return fraction;
            }
            let start = Instant::now();
            let Workspace { at, trial, step, .. } = &mut *self.work;
            trial.place(&at.u, step, bound * farther);
            self.work.trial.value = objective.value(&self.work.trial.u);
            self.work.report.phases.line_search += start.elapsed();
            // False where it is not a number, too.
            let falls = self.work.trial.value < self.work.at.value;
            if !falls {
                return fraction;
            }
            self.work.swap();
            if bound < 1.0 {
                return fraction + bound * farther;
            }
            fraction = goal;
        }
    }

    /// Takes the whole step with its turns as turns, if something turns and that is a free way down: a straight
    /// turn by an angle `a` stretches by `a^2 / 2`, for which stiff bodies would have it halved.
    fn turn(&mut self, objective: &mut dyn Objective, slope: f64) -> Turn {
        let Some(end) = objective.turned(&self.work.at.u, &self.work.step) else {
            return Turn::None;
        };
        self.work.end.clone_from(&end);
        if self.bound(objective) < 1.0 {
            return Turn::Refused;
        }
        let start = Instant::now();
        self.work.trial.u = end;
        self.work.trial.has_gradient = false;
        self.work.trial.value = objective.value(&self.work.trial.u);
        self.work.report.phases.line_search += start.elapsed();
        if self.work.trial.value < self.work.at.value + SUFFICIENT * slope {
            self.work.swap();
            return Turn::Taken;
        }
        Turn::Refused
    }

    /// Searches from the bound on; the fraction that was taken, or the smallest one that was tried.
    pub(crate) fn search(
        &mut self,
        objective: &dyn Objective,
        bound: f64,
        halvings: usize,
        test: Test,
        first: Wanted,
    ) -> Result<f64, f64> {
        let Workspace { at, trial, step, report, interrupt, .. } = &mut *self.work;
        let prescription = &self.prescription;
        let search = Search { step, bound, halvings, first, prescription, interrupt };
        let found = search.run(objective, at, trial, test, report)?;
        self.work.swap();
        Ok(found)
    }
}
