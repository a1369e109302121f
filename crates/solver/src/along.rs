//! How far a descent goes along its direction.
//!
//! The whole step first, if the path there is free: it is what a quadratic asks for. If the value
//! does not fall enough there, the same step with its turns carried out as turns, where a body turns by more
//! than a little, and then halves of it ([`line_search`](crate::line_search)). Where pairs are near, the step after one that
//! had to turn is tried with its turns first: in a net of chains nine in ten whole steps that fail do so for their turns.
//!
//! Where a Hessian was projected, or the function bends less behind the end of the step than
//! before it, the whole step can be far too short: a body that slides off an edge then goes on by
//! equal steps for dozens of iterations. Such a step tells of itself, as it gains nearly all that the
//! slope promises where a quadratic gains half of it. So the line is followed from there, by the
//! secant of the values and four times as far at most, each time behind a bound of its own. In
//! the trampoline this spares a quarter of all iterations (`benches/README.md`, whole scenes).

use crate::descent::Descent;
use crate::line_search::{SLACK, SUFFICIENT, Search, Test, Wanted};
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
        if !self.end.iter().all(|x| x.is_finite()) {
            return 0.0;
        }
        let start = Instant::now();
        let bound = objective.step_bound(&self.at.u, self.end);
        self.report.phases.collision += start.elapsed();
        // Not a number counts as nowhere to go; the search then fails by its value.
        bound.clamp(0.0, 1.0).max(0.0)
    }

    pub(crate) fn bound_step(&mut self, objective: &mut dyn Objective, whole_way: bool) -> f64 {
        self.end.clear();
        self.end.extend(self.at.u.iter().zip(&*self.step).map(|(x, p)| *x + *p));
        if whole_way {
            self.prescription.place(self.end);
        }
        let bound = self.bound(objective);
        self.report.bounded += usize::from(bound < 1.0);
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
        // Where bodies pile up every second try after a step that was cut fails, and a derivative there is for nothing.
        let first = if self.shortened { Wanted::Value } else { wanted };
        self.scale = self.scale.max(-slope);
        self.shortened = false;
        // What had to turn will have to again, and where pairs are near a try costs a search.
        let turned_first = self.turning && halvings > 0 && objective.pair_count() > 0;
        if turned_first {
            self.turning = self.turn(objective, slope) == Turn::Taken;
            if self.turning {
                return Ok(());
            }
        }
        let bound = self.bound_step(objective, false);
        if bound == 0.0 {
            return Err(bound);
        }
        let scale = self.scale.max(self.at.value.abs());
        let test = Test::Descent { slope, scale };
        if bound == 1.0 {
            let before = self.at.value;
            if self.search(objective, bound, 0, test, first).is_ok() {
                // What less than the slack of values says of a curvature is rounding.
                if self.stop == Stop::Quadratic && -slope > SLACK * scale {
                    self.lengthen(objective, before, slope);
                }
                return Ok(());
            }
            if halvings == 0 {
                return Err(bound);
            }
            if !turned_first {
                match self.turn(objective, slope) {
                    Turn::Taken => {
                        self.turning = true;
                        return Ok(());
                    }
                    Turn::Refused => _ = self.bound_step(objective, false),
                    Turn::None => {}
                }
            }
        }
        self.shortened = true;
        self.search(objective, bound, halvings, test, Wanted::Value)
    }

    /// Follows the line beyond the whole step, which has led from the value `before` to where it is
    /// now, as long as the function bends less than half as much as its model.
    fn lengthen(&mut self, objective: &mut dyn Objective, before: f64, slope: f64) {
        let mut fraction = 1.0;
        loop {
            // Of `slope t + curvature t^2 / 2` over `slope t`: a half at the minimum along the line.
            let gain = (before - self.at.value) / (-slope * fraction);
            if gain <= FLAT {
                return;
            }
            let goal = fraction * (0.5 / (1.0 - gain).max(0.5 / LONGEST)).min(LONGEST);
            let farther = goal - fraction;
            self.end.clear();
            self.end.extend(self.at.u.iter().zip(&*self.step).map(|(x, p)| *x + *p * farther));
            let bound = self.bound(objective);
            // A search that was interrupted has not looked at all of the path.
            if self.interrupt.is_raised() {
                return;
            }
            let start = Instant::now();
            self.trial.place(&self.at.u, self.step, bound * farther);
            self.trial.value = objective.value(&self.trial.u);
            self.report.phases.line_search += start.elapsed();
            // False where it is not a number, too.
            let falls = self.trial.value < self.at.value;
            if !falls {
                return;
            }
            std::mem::swap(self.at, self.trial);
            if bound < 1.0 {
                return;
            }
            fraction = goal;
        }
    }

    /// Takes the whole step with its turns as turns, if something turns and that is a free way down: a straight
    /// turn by an angle `a` stretches by `a^2 / 2`, for which stiff bodies would have it halved.
    fn turn(&mut self, objective: &mut dyn Objective, slope: f64) -> Turn {
        let Some(end) = objective.turned(&self.at.u, self.step) else { return Turn::None };
        self.end.clone_from(&end);
        if self.bound(objective) < 1.0 {
            return Turn::Refused;
        }
        let start = Instant::now();
        self.trial.u = end;
        self.trial.has_gradient = false;
        self.trial.value = objective.value(&self.trial.u);
        self.report.phases.line_search += start.elapsed();
        if self.trial.value < self.at.value + SUFFICIENT * slope {
            std::mem::swap(self.at, self.trial);
            return Turn::Taken;
        }
        Turn::Refused
    }

    pub(crate) fn search(
        &mut self,
        objective: &dyn Objective,
        bound: f64,
        halvings: usize,
        test: Test,
        first: Wanted,
    ) -> Result<(), f64> {
        let (prescription, interrupt) = (&self.prescription, self.interrupt);
        let search = Search { step: self.step, bound, halvings, first, prescription, interrupt };
        search.run(objective, self.at, self.trial, test, self.report)?;
        std::mem::swap(self.at, self.trial);
        Ok(())
    }
}
