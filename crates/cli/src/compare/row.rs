//! Rows of a comparison.

use super::Variant;
use super::curves::VariantCurves;
use super::restitution::restitution;
use super::tail::Tail;
use crate::aligned::table_cells;
use resile_record::{ColumnLabels, Status, Summary, cell};
use resile_runner::Start;
use resile_scene::description::Units;
use serde::Serialize;
use std::fmt::Debug;

/// Outcome of the run of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// All steps are complete.
    Complete,
    /// Interrupted.
    Interrupted,
    /// A step failed.
    Failed,
    /// Not run.
    #[default]
    NotRun,
}

impl Outcome {
    /// The name of the outcome in files.
    fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::NotRun => "not_run",
        }
    }
}

/// A row of a comparison; fields are columns of `comparison.csv` and keys of `comparison.json`. Inapplicable values
/// are `None`, and empty in the file.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct VariantRow {
    /// Units of the numbers.
    #[serde(skip_serializing_if = "Units::is_si")]
    pub(crate) units: Units,
    /// The integrator, as in a scene.
    pub(crate) integrator: String,
    /// The step as in the scene, such as `1/120`.
    pub(crate) step: String,
    /// The step (s).
    pub(crate) h: f64,
    /// Folder of the run, within that of the comparison.
    pub(crate) folder: String,
    /// Outcome of the run.
    pub(crate) status: Outcome,
    /// Steps taken.
    pub(crate) steps_done: u64,
    /// Time reached (s).
    pub(crate) simulated_seconds: f64,
    /// Energy at the start (J).
    pub(crate) start_energy: Option<f64>,
    /// The ground level (J) of relative energies.
    pub(crate) ground_energy: Option<f64>,
    /// Energy after the last step (J).
    pub(crate) end_energy: Option<f64>,
    /// Smallest energy of all states (J).
    pub(crate) min_energy: Option<f64>,
    /// Largest energy of all states (J).
    pub(crate) max_energy: Option<f64>,
    /// Final energy above the ground level, relative to the initial one.
    pub(crate) end_relative: Option<f64>,
    /// Smallest energy, likewise.
    pub(crate) min_relative: Option<f64>,
    /// Largest energy, likewise.
    pub(crate) max_relative: Option<f64>,
    /// Mean energy above the ground level in the last fifth of the run, relative to the initial one.
    pub(crate) mean_relative: Option<f64>,
    /// Standard deviation of the energy in the last fifth, relative to the initial one.
    pub(crate) swing_relative: Option<f64>,
    /// Amplitude of the oscillation at the step frequency in the last fifth, relative to the initial energy.
    pub(crate) noise_relative: Option<f64>,
    /// Magnitude of the change of linear momentum from start to end (kg m/s).
    pub(crate) momentum_change: Option<f64>,
    /// Magnitude of the change of angular momentum about the origin (kg m^2/s).
    pub(crate) angular_change: Option<f64>,
    /// Coefficient of restitution of the first bounce.
    pub(crate) restitution: Option<f64>,
    /// Newton iterations of all steps.
    pub(crate) newton_iterations: Option<u64>,
    /// Wall time (s).
    pub(crate) wall_seconds: Option<f64>,
    /// The reason of the status; empty for a complete run.
    pub(crate) reason: String,
}

impl VariantRow {
    /// The row of a variant that was not run.
    pub(super) fn not_run(variant: &Variant) -> Self {
        Self {
            units: Units::default(),
            integrator: variant.integrator.clone(),
            step: variant.step_name(),
            h: variant.step.seconds(),
            folder: variant.folder.clone(),
            ..Self::default()
        }
    }

    /// The row of a variant whose run has ended.
    pub(super) fn of_run(
        variant: &Variant,
        start: &Start,
        curves: &VariantCurves,
        summary: &Summary,
    ) -> Self {
        let mut row = Self::not_run(variant);
        row.status = match summary.status {
            Status::Complete => Outcome::Complete,
            Status::Interrupted => Outcome::Interrupted,
            Status::Failed => Outcome::Failed,
        };
        row.steps_done = summary.steps_done;
        row.simulated_seconds = summary.simulated_seconds;
        row.newton_iterations = Some(summary.counts.newton_iterations);
        row.wall_seconds = Some(summary.wall_seconds);
        row.reason.clone_from(&summary.reason);
        row.measure(start, curves);
        row
    }

    /// This row, which is in SI, converted to other units.
    pub(super) fn in_units(&self, units: Units) -> Self {
        let convert = |value: Option<f64>, si: &str| value.map(|value| units.number(value, si));
        Self {
            units,
            start_energy: convert(self.start_energy, "J"),
            ground_energy: convert(self.ground_energy, "J"),
            end_energy: convert(self.end_energy, "J"),
            min_energy: convert(self.min_energy, "J"),
            max_energy: convert(self.max_energy, "J"),
            momentum_change: convert(self.momentum_change, MOMENTA[0]),
            angular_change: convert(self.angular_change, MOMENTA[1]),
            ..self.clone()
        }
    }

    /// Computes energies, momenta and restitution from the curves of the run.
    fn measure(&mut self, start: &Start, curves: &VariantCurves) {
        let energies = || curves.total.iter().map(|&(_, energy)| energy);
        let (end, min, max) = (
            energies().next_back(),
            energies().reduce(f64::min),
            // A divergent run ends with NaN after large values.
            energies().reduce(f64::max),
        );
        (self.start_energy, self.ground_energy) = (Some(start.energy), start.ground);
        (self.end_energy, self.min_energy, self.max_energy) = (end, min, max);
        let relative = |energy: Option<f64>| start.relative(energy?);
        self.end_relative = relative(end);
        self.min_relative = relative(min);
        self.max_relative = relative(max);
        if let Some(tail) = Tail::new(&curves.total) {
            let ground = start.ground.unwrap_or(0.0);
            self.mean_relative = start.relative(tail.mean);
            self.swing_relative = start.relative(ground + tail.swing);
            self.noise_relative = start.relative(ground + tail.noise);
        }
        let [linear, angular] = curves.last_momenta;
        self.momentum_change = Some((linear - start.momentum).length());
        self.angular_change = Some((angular - start.angular).length());
        self.restitution = restitution(&curves.motions, start.gravity);
    }
}

/// `comparison.json`; JSON has no infinity, which becomes `null`.
pub(super) fn json(rows: &[VariantRow]) -> String {
    serde_json::to_string_pretty(rows).expect("plain data is always JSON") + "\n"
}

/// Units of linear and angular momentum.
pub(super) const MOMENTA: [&str; 2] = ["kg m/s", "kg m^2/s"];

/// The name of a column, and its cell in a row.
type ComparisonColumn = (&'static str, fn(&VariantRow) -> String);

/// The columns of `comparison.csv`: the field with its SI unit, and its cell.
const COLUMNS: [ComparisonColumn; 24] = [
    ("integrator", |row| cell(&row.integrator).into_owned()),
    ("step", |row| row.step.clone()),
    ("h [s]", |row| format!("{:?}", row.h)),
    ("folder", |row| cell(&row.folder).into_owned()),
    ("status", |row| row.status.name().to_owned()),
    ("steps_done", |row| row.steps_done.to_string()),
    ("simulated_seconds [s]", |row| format!("{:?}", row.simulated_seconds)),
    ("start_energy [J]", |row| or_empty(row.start_energy)),
    ("ground_energy [J]", |row| or_empty(row.ground_energy)),
    ("end_energy [J]", |row| or_empty(row.end_energy)),
    ("min_energy [J]", |row| or_empty(row.min_energy)),
    ("max_energy [J]", |row| or_empty(row.max_energy)),
    ("end_relative", |row| or_empty(row.end_relative)),
    ("min_relative", |row| or_empty(row.min_relative)),
    ("max_relative", |row| or_empty(row.max_relative)),
    ("mean_relative", |row| or_empty(row.mean_relative)),
    ("swing_relative", |row| or_empty(row.swing_relative)),
    ("noise_relative", |row| or_empty(row.noise_relative)),
    ("momentum_change [kg m/s]", |row| or_empty(row.momentum_change)),
    ("angular_change [kg m^2/s]", |row| or_empty(row.angular_change)),
    ("restitution", |row| or_empty(row.restitution)),
    ("newton_iterations", |row| or_empty(row.newton_iterations)),
    ("wall_seconds [s]", |row| or_empty(row.wall_seconds)),
    ("reason", |row| cell(&row.reason).into_owned()),
];

/// A number in full precision, or an empty cell.
fn or_empty(number: Option<impl Debug>) -> String {
    number.map_or_else(String::new, |number| format!("{number:?}"))
}

/// `comparison.csv`: a header, and one row for each variant in the given units.
pub(super) fn csv(rows: &[VariantRow], units: Units) -> String {
    let mut lines = table_cells(&COLUMNS, rows).into_iter().map(|line| line.join(","));
    let labels = ColumnLabels::new(&lines.next().unwrap_or_default(), units);
    let body: String = lines.map(|line| line + "\n").collect();
    format!("{}\n{}", labels.header(), labels.rows(&body))
}
