//! A list of iterations, if one is wanted.

use crate::iteration::{Iteration, Outcome};
use crate::report::SolveReport;

/// The iterations of a minimisation; none, and nothing allocated, unless they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    rows: Option<Vec<Iteration>>,
}

impl Trace {
    /// Lists iterations from now on, or no more.
    pub(crate) fn set_enabled(&mut self, on: bool) {
        self.rows = on.then(Vec::new);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.rows.is_some()
    }

    /// The iterations since the last call.
    pub(crate) fn take(&mut self) -> Vec<Iteration> {
        self.rows.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// The iteration at hand.
    pub(crate) fn row(&mut self) -> Option<&mut Iteration> {
        self.rows.as_mut()?.last_mut()
    }

    /// An iteration begins at a point of this value and max norm of the gradient, after the work of `report`.
    pub(crate) fn begin(&mut self, value: f64, gradient: f64, report: &SolveReport) {
        let Some(rows) = &mut self.rows else { return };
        // The gradient after a part was solved for is not what the iteration before left.
        if let Some(last) = rows.last_mut().filter(|last| last.part.is_empty()) {
            last.gradient_left = last.gradient_left.or(Some(gradient));
        }
        rows.push(Iteration {
            part: Vec::new(),
            number: report.iterations,
            value,
            gradient,
            gradient_left: None,
            step: 0.0,
            outcome: Outcome::NONE,
            limit: None,
            curvature: None,
            linear: report.linear_iterations,
            factorisations: report.direct_solves,
            backtracks: report.backtracks,
        });
    }

    /// The iteration at hand is over; the gradient after it has this max norm, if it is known.
    pub(crate) fn end(&mut self, gradient_left: Option<f64>, report: &SolveReport) {
        let Some(row) = self.row() else { return };
        row.gradient_left = gradient_left;
        row.linear = report.linear_iterations - row.linear;
        row.factorisations = report.direct_solves - row.factorisations;
        row.backtracks = report.backtracks - row.backtracks;
    }

    /// Adds the iterations of a minimisation for these bodies alone.
    pub(crate) fn absorb_part(&mut self, bodies: &[usize], part: Vec<Iteration>) {
        let Some(rows) = &mut self.rows else { return };
        let named = |row: Iteration| {
            let part = match row.part.is_empty() {
                true => bodies.to_vec(),
                false => row.part.iter().map(|&k| bodies[k]).collect(),
            };
            Iteration { part, ..row }
        };
        rows.extend(part.into_iter().map(named));
    }
}
