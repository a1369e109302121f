//! A point of a minimisation with its value and gradient.

use crate::objective::Objective;
use crate::prescribed::project;
use resile_math::Vec3;

/// A point with its value and gradient.
#[derive(Debug, Clone, Default)]
pub(crate) struct Iterate {
    pub(crate) u: Vec<Vec3>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<Vec3>,
    /// Whether `gradient` belongs to `u`.
    pub(crate) has_gradient: bool,
}

impl Iterate {
    /// Evaluates the gradient, unless it belongs to `u` already; it is zero at nodes and in directions that are not
    /// free.
    pub(crate) fn evaluate_gradient(&mut self, objective: &dyn Objective) {
        if self.has_gradient {
            return;
        }
        self.gradient.resize(self.u.len(), Vec3::ZERO);
        objective.gradient(&self.u, &mut self.gradient);
        self.project_gradient(objective);
    }

    /// Evaluates the value, and the gradient if `evaluation` contains it.
    pub(crate) fn evaluate(&mut self, objective: &dyn Objective, evaluation: Evaluation) {
        match evaluation {
            Evaluation::Value => self.value = objective.value(&self.u),
            Evaluation::ValueAndGradient => {
                self.gradient.resize(self.u.len(), Vec3::ZERO);
                self.value = objective.value_and_gradient(&self.u, &mut self.gradient);
                self.project_gradient(objective);
            }
        }
    }

    /// Sets the gradient to zero at nodes and in directions that are not free.
    fn project_gradient(&mut self, objective: &dyn Objective) {
        for (g, free) in self.gradient.iter_mut().zip(objective.free()) {
            if !free {
                *g = Vec3::ZERO;
            }
        }
        project(objective.guided(), &mut self.gradient);
        self.has_gradient = true;
    }

    /// Sets `u` to `from + fraction * step`.
    pub(crate) fn place(&mut self, from: &[Vec3], step: &[Vec3], fraction: f64) {
        self.u.clear();
        self.u.extend(from.iter().zip(step).map(|(x, p)| *x + *p * fraction));
        self.has_gradient = false;
    }
}

/// The quantities to evaluate at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evaluation {
    /// The value alone.
    Value,
    /// Value and gradient in one pass, for points that are likely to be accepted.
    ValueAndGradient,
}
