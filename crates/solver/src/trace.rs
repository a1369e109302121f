//! Optional record of iterations.

use crate::iteration::{Iteration, Outcome};
use crate::report::SolveReport;

/// The iterations of a minimisation. Without recording, nothing is stored or allocated.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    rows: Option<Vec<Iteration>>,
}

impl Trace {
    /// Switches recording on or off.
    pub(crate) fn set_enabled(&mut self, enabled: bool) {
        self.rows = enabled.then(Vec::new);
    }

    /// Whether iterations are recorded.
    pub(crate) fn is_on(&self) -> bool {
        self.rows.is_some()
    }

    /// Returns the iterations since the last call.
    pub(crate) fn take(&mut self) -> Vec<Iteration> {
        self.rows.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// The current iteration.
    pub(crate) fn row(&mut self) -> Option<&mut Iteration> {
        self.rows.as_mut()?.last_mut()
    }

    /// Begins an iteration at a point with this value and max norm of the gradient. `report` has the work so far.
    pub(crate) fn begin(&mut self, value: f64, gradient: f64, report: &SolveReport) {
        let Some(rows) = &mut self.rows else { return };
        // After a separate solve the gradient is not what the previous iteration left.
        if let Some(previous) = rows.last_mut().filter(|previous| previous.part.is_empty()) {
            previous.gradient_left = previous.gradient_left.or(Some(gradient));
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

    /// Ends the current iteration. `gradient_left` is the max norm of the gradient after the step, if it is known.
    pub(crate) fn end(&mut self, gradient_left: Option<f64>, report: &SolveReport) {
        let Some(row) = self.row() else { return };
        row.gradient_left = gradient_left;
        row.linear = report.linear_iterations - row.linear;
        row.factorisations = report.direct_solves - row.factorisations;
        row.backtracks = report.backtracks - row.backtracks;
    }

    /// Adds the iterations of a separate solve for these bodies.
    pub(crate) fn absorb_part(&mut self, bodies: &[usize], part: Vec<Iteration>) {
        let Some(rows) = &mut self.rows else { return };
        let with_bodies = |row: Iteration| {
            let part = match row.part.is_empty() {
                true => bodies.to_vec(),
                false => row.part.iter().map(|&k| bodies[k]).collect(),
            };
            Iteration { part, ..row }
        };
        rows.extend(part.into_iter().map(with_bodies));
    }
}
