//! Comparison of the counters of a checkpoint with the rows of the history.

use super::RunError;
use super::restore::refuse_damaged;
use resile_record::{Columns, PrescribedLag, Progress, RunFolder};

/// Columns of the history whose sums or extrema a run stores.
const COLUMNS: [&str; 11] = [
    "step",
    "newton",
    "linear",
    "backtracks",
    "dissipated",
    "rest_loss",
    "external_work",
    "min_distance",
    "min_det_f",
    "residual",
    "prescribed_lag",
];

/// Sums and extrema of the rows of a history.
#[derive(Debug, Default)]
struct Sums {
    newton: u64,
    linear: u64,
    backtracks: u64,
    dissipated: f64,
    rest_loss: f64,
    work: f64,
    min_distance: Option<f64>,
    min_det_f: Option<f64>,
    max_residual: Option<f64>,
    prescribed_lag: Option<PrescribedLag>,
}

/// Refuses a checkpoint whose counters differ from the sums over the rows of the history up to its step. Both sums have
/// the same terms in the same order, so they are bitwise equal.
///
/// # Errors
/// If they differ, or the history cannot be read.
pub(super) fn check_history_agrees(
    progress: &Progress,
    folder: &RunFolder,
) -> Result<(), RunError> {
    let mut sums = Sums::default();
    if progress.steps > 0 {
        let history = Columns::read(&folder.history())?;
        let is_before_checkpoint =
            |row: &[Option<f64>; 11]| row[0].is_some_and(|step| step <= progress.steps as f64);
        history.select(COLUMNS)?.take_while(is_before_checkpoint).for_each(|row| sums.add(row));
    }
    Ok(refuse_damaged(folder, sums.differences(progress))?)
}

impl Sums {
    /// Adds a row of the history.
    fn add(&mut self, row: [Option<f64>; 11]) {
        let [
            _,
            newton,
            linear,
            backtracks,
            dissipated,
            rest_loss,
            work,
            distance,
            det_f,
            residual,
            prescribed_lag,
        ] = row;
        let count = |cell: Option<f64>| cell.unwrap_or(0.0) as u64;
        self.newton += count(newton);
        self.linear += count(linear);
        self.backtracks += count(backtracks);
        self.dissipated += dissipated.unwrap_or(0.0);
        self.rest_loss += rest_loss.unwrap_or(0.0);
        self.work += work.unwrap_or(0.0);
        let combine = |f: fn(f64, f64) -> f64, a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        self.min_distance = combine(f64::min, self.min_distance, distance);
        self.min_det_f = combine(f64::min, self.min_det_f, det_f);
        self.max_residual = combine(f64::max, self.max_residual, residual);
        let prescribed_lag = prescribed_lag.unwrap_or(0.0);
        self.prescribed_lag = PrescribedLag::after_step(self.prescribed_lag, prescribed_lag);
    }

    /// Descriptions of the sums that differ from the counters of a checkpoint.
    fn differences(&self, progress: &Progress) -> Vec<String> {
        // Stored extrema include the initial state, which histories of older versions lack; they may therefore be
        // smaller.
        let is_plausible_minimum =
            |stored: Option<f64>, from_rows: Option<f64>| match (stored, from_rows) {
                (Some(stored), from_rows) => {
                    stored > 0.0 && stored <= from_rows.unwrap_or(f64::MAX)
                }
                (None, from_rows) => from_rows.is_none(),
            };
        let counts = &progress.counts;
        let agreements = [
            ("Newton iterations", counts.newton_iterations == self.newton),
            ("linear iterations", counts.linear_iterations == self.linear),
            ("backtracks", counts.backtracks == self.backtracks),
            ("heat", progress.dissipated == self.dissipated),
            ("loss at rest", progress.rest_loss == self.rest_loss),
            ("work", progress.work == self.work),
            ("smallest distance", is_plausible_minimum(progress.min_distance, self.min_distance)),
            ("smallest determinant", is_plausible_minimum(progress.min_det_f, self.min_det_f)),
            ("largest residual", progress.max_residual == self.max_residual),
            ("lag of prescribed nodes", progress.prescribed_lag == self.prescribed_lag),
        ];
        let different = agreements.into_iter().filter(|(_, agrees)| !agrees);
        different
            .map(|(quantity, _)| format!("its {quantity} and those of history.csv differ"))
            .collect()
    }
}
