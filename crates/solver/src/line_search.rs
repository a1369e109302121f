//! How far to go along a direction.
//!
//! Halving from the step bound until the value has fallen enough (Armijo; Nocedal
//! and Wright, *Numerical Optimization*, section 3.1). Near the minimiser what a
//! step gains is below the rounding of the value, and the test decides by noise.
//! There the derivative along the direction decides instead, which is accurate
//! still: the "approximate Wolfe conditions" of Hager and Zhang, "A new conjugate
//! gradient method with guaranteed descent and an efficient line search", SIAM J.
//! Optim. 16 (2005), eq. 4.1. For a quadratic they are the same test.

use crate::objective::Objective;
use crate::prescribed::Prescription;
use crate::report::SolveReport;
use resile_linalg::cg::dot;
use resile_math::Vec3;
use resile_watch::Interrupt;
use std::time::Instant;

/// Fraction of the decrease that the slope promises which a step must give.
pub(crate) const SUFFICIENT: f64 = 1e-4;

/// Fraction of the slope that must be gone after a shortened step.
const STEEP: f64 = 0.9;

/// A rise of the value below this fraction of its scale is not held against a step whose
/// slopes are right. Energies are differences of larger numbers: at rest a neo-Hookean one
/// is rounded to an epsilon of the modulus, which in a stiff body that flies is far above an
/// epsilon of the value (Hager and Zhang have 1e-6 of that). With 1e-12 a steel cuboid that
/// tumbles was cut into substeps until its rotation was 8 % wrong after two turns; now
/// 0.1 %.
const SLACK: f64 = 1e-9;

/// A step that promises less than this fraction of the scale of values gains nothing.
pub(crate) const NOISE: f64 = 1e-12;

/// A point with what is known there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Iterate {
    pub(crate) u: Vec<Vec3>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<Vec3>,
    /// Whether `gradient` belongs to `u`.
    pub(crate) has_gradient: bool,
}

impl Iterate {
    /// The derivative over the free nodes; zero at the others.
    pub(crate) fn evaluate_gradient(&mut self, objective: &dyn Objective) {
        if self.has_gradient {
            return;
        }
        self.gradient.resize(self.u.len(), Vec3::ZERO);
        objective.gradient(&self.u, &mut self.gradient);
        for (g, free) in self.gradient.iter_mut().zip(objective.free()) {
            if !free {
                *g = Vec3::ZERO;
            }
        }
        self.has_gradient = true;
    }

    /// Moves to `from + fraction * step`.
    fn place(&mut self, from: &[Vec3], step: &[Vec3], fraction: f64) {
        self.u.clear();
        self.u.extend(from.iter().zip(step).map(|(x, p)| *x + *p * fraction));
        self.has_gradient = false;
    }
}

/// One search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) step: &'a [Vec3],
    /// First fraction tried: the step bound.
    pub(crate) bound: f64,
    /// Halvings allowed.
    pub(crate) halvings: usize,
    /// Prescribed nodes of which to place those that arrive.
    pub(crate) prescription: &'a Prescription,
    /// Whether to stop.
    pub(crate) interrupt: &'a Interrupt,
}

/// What counts as a good point.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Test {
    /// Enough descent, given the slope and the scale of values in this solve.
    Descent { slope: f64, scale: f64 },
    /// Any point of the domain.
    Finite,
}

impl Search<'_> {
    /// Leaves the point found in `trial`; `Err` is the smallest fraction tried.
    pub(crate) fn run(
        &self,
        objective: &dyn Objective,
        from: &Iterate,
        trial: &mut Iterate,
        test: Test,
        report: &mut SolveReport,
    ) -> Result<(), f64> {
        let start = Instant::now();
        let mut fraction = self.bound;
        let mut halvings = 0;
        let found = loop {
            // A search that was interrupted has not looked at all of the path.
            if self.interrupt.is_raised() {
                break Err(fraction);
            }
            trial.place(&from.u, self.step, fraction);
            if fraction == 1.0 {
                self.prescription.place(&mut trial.u);
            }
            trial.value = objective.value(&trial.u);
            if self.passes(objective, from, trial, fraction, test) {
                break Ok(());
            }
            if halvings == self.halvings {
                break Err(fraction);
            }
            halvings += 1;
            report.backtracks += 1;
            fraction *= 0.5;
        };
        report.phases.line_search += start.elapsed();
        found
    }

    fn passes(
        &self,
        objective: &dyn Objective,
        from: &Iterate,
        trial: &mut Iterate,
        fraction: f64,
        test: Test,
    ) -> bool {
        if !trial.value.is_finite() {
            return false;
        }
        let Test::Descent { slope, scale } = test else { return true };
        if trial.value <= from.value + SUFFICIENT * fraction * slope && trial.value < from.value {
            return true;
        }
        if trial.value > from.value + SLACK * scale {
            return false;
        }
        trial.evaluate_gradient(objective);
        let there = dot(&trial.gradient, self.step);
        // Where the first try failed the minimum along the line is near, so a slope
        // as steep as before says that the value and its derivative disagree.
        let moved = fraction == self.bound || there >= STEEP * slope;
        moved && there <= (2.0 * SUFFICIENT - 1.0) * slope
    }
}
