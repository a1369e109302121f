//! `trace.csv`: a row for each iteration of the solver, in a file of the user's choice.

use super::atomic::NO_LIMIT;
use super::cell::cell;
use super::labels::ColumnLabels;
use super::run_folder::belongs_to_a_run;
use super::step_table::StepTable;
use super::trace_plot::TracePlot;
use super::{Existing, OutputError, io};
use resile_files::read;
use resile_math::units::Units;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Column names. Text columns that may need quotes come last.
const COLUMNS: &str = "\
        step,time [s],h [s],solve,unknowns,iteration,energy [J],predicted [J],actual [J],\
        gradient [N],gradient_after [N],newton_step [m/s],bound,fraction,cut,matrix,reused,\
        factorisations,linear,backtracks,ending,kept,bodies,island,part,limit";

/// One iteration of the solver. Numbers that are not finite are empty cells.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceRow<'a> {
    /// Number of the step of the history; 0 while the start settles.
    pub step: u64,
    /// Time (s) that the solve computes.
    pub time: f64,
    /// Length of the substep (s).
    pub h: f64,
    /// Number of the solve within the step, from 1.
    pub solve: usize,
    /// Unknowns of the solve.
    pub unknowns: &'a str,
    /// Number of the iteration within its solve, from 1; solves of subsets of bodies are counted separately.
    pub iteration: usize,
    /// Objective before the iteration, as an energy (J).
    pub energy: f64,
    /// Decrease (J) predicted by the quadratic model for the full step.
    pub predicted: f64,
    /// Actual decrease (J).
    pub actual: f64,
    /// Max norm of the gradient (N) before the iteration.
    pub gradient: f64,
    /// Max norm of the gradient (N) after the iteration.
    pub gradient_after: Option<f64>,
    /// Max norm of the full step as a velocity (m/s), compared with the tolerance.
    pub newton_step: f64,
    /// Step bound from collision and inversion, as a fraction of the full step.
    pub bound: f64,
    /// Fraction of the full step that was taken.
    pub fraction: f64,
    /// Reason for a fraction below one.
    pub cut: &'a str,
    /// Matrix of the linear system.
    pub matrix: &'a str,
    /// Whether its factorisation or preconditioner is reused from an earlier iteration.
    pub reused: bool,
    /// Number of factorisations.
    pub factorisations: usize,
    /// Number of conjugate gradient iterations.
    pub linear: usize,
    /// Number of halvings in the line search.
    pub backtracks: usize,
    /// Outcome of the solve, in its last row.
    pub ending: &'a str,
    /// Whether the result of the solve was accepted in the step.
    pub kept: bool,
    /// Number of bodies of the island.
    pub bodies: usize,
    /// First body of the island.
    pub island: &'a str,
    /// Subset of bodies that was solved for; empty for all bodies.
    pub part: &'a str,
    /// Cause of the step bound.
    pub limit: &'a str,
}

impl TraceRow<'_> {
    /// The line of the row, with its end.
    fn line(&self) -> String {
        let Self { step, time, h, solve, unknowns, iteration, .. } = self;
        let finite_text = |value: f64| match value.is_finite() {
            true => format!("{value:?}"),
            false => String::new(),
        };
        let [energy, predicted, actual] =
            [self.energy, self.predicted, self.actual].map(finite_text);
        let gradients = [self.gradient, self.gradient_after.unwrap_or(f64::NAN)];
        let [gradient, gradient_after] = gradients.map(finite_text);
        let [newton_step, bound, fraction] =
            [self.newton_step, self.bound, self.fraction].map(finite_text);
        let Self { cut, matrix, factorisations, linear, backtracks, ending, bodies, .. } = self;
        let [reused, kept] = [self.reused, self.kept].map(u8::from);
        let [island, part, limit] = [self.island, self.part, self.limit].map(cell);
        format!(
            "{step},{time:?},{h:?},{solve},{unknowns},{iteration},{energy},{predicted},{actual},{gradient},{gradient_after},\
             {newton_step},{bound},{fraction},{cut},{matrix},{reused},{factorisations},{linear},{backtracks},\
             {ending},{kept},{bodies},{island},{part},{limit}\n"
        )
    }
}

/// Writes a trace.
#[derive(Debug)]
pub struct TraceWriter {
    path: PathBuf,
    table: StepTable,
}

impl TraceWriter {
    /// Checks whether a trace may be written, before any output. Files other than traces are never replaced.
    ///
    /// # Errors
    /// If a file must not be replaced, or the name is not that of a table or belongs to a run.
    pub fn check(path: &Path, existing: Existing) -> Result<(), OutputError> {
        let refuse = |reason: &str| {
            Err(OutputError::Trace { path: path.to_owned(), reason: reason.to_owned() })
        };
        if path.extension().is_none_or(|ending| ending != "csv") {
            return refuse("its name has to end in .csv; the chart beside it ends in .svg");
        }
        if belongs_to_a_run(path) || belongs_to_a_run(&chart_path(path)) {
            return refuse("a run has a file of this name; choose another");
        }
        match begins_as_a_trace(path).map_err(io("read", path))? {
            None => {}
            Some(_) if existing == Existing::Refuse => {
                return refuse(
                    "it exists; --force replaces it, with --resume the run and its trace go on",
                );
            }
            Some(true) => {}
            Some(false) => return refuse("it exists and is not a trace; choose another name"),
        }
        Self::check_chart(&chart_path(path), existing)
    }

    /// Checks whether the chart may be written. Files other than charts are never replaced.
    fn check_chart(path: &Path, existing: Existing) -> Result<(), OutputError> {
        let refuse = |reason: &str| {
            Err(OutputError::Trace { path: path.to_owned(), reason: reason.to_owned() })
        };
        match is_a_chart(path).map_err(io("read", path))? {
            None => Ok(()),
            Some(false) => {
                refuse("the chart goes there, but it exists and is not one; choose another name")
            }
            Some(true) if existing == Existing::Refuse => {
                refuse("it exists; --force replaces it with the chart, or choose another name")
            }
            Some(true) => Ok(()),
        }
    }

    /// Begins a trace in some units, or continues one after `step`; later rows are truncated before the next row is
    /// written.
    ///
    /// # Errors
    /// As [`check`](Self::check), and if the system refuses.
    pub fn open(
        path: &Path,
        existing: Existing,
        step: u64,
        units: Units,
    ) -> Result<Self, OutputError> {
        Self::check(path, existing)?;
        let labels = ColumnLabels::new(COLUMNS, units);
        let is_continued = existing == Existing::Resume && path.exists();
        let table = match is_continued {
            true => StepTable::resume_up_to(path, labels, step)?,
            false => StepTable::create(path, labels)?,
        };
        Ok(Self { path: path.to_owned(), table })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&mut self, row: &TraceRow<'_>) -> Result<(), OutputError> {
        self.table.write(&row.line())
    }

    /// Syncs all rows to disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.table.flush()
    }

    /// Path of the trace.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the chart.
    pub fn chart(&self) -> PathBuf {
        chart_path(&self.path)
    }
}

/// Path of the chart beside a trace.
fn chart_path(path: &Path) -> PathBuf {
    path.with_extension("svg")
}

/// Whether a file begins with the header of a trace, or with a part of it; `None` if the file does not exist.
fn begins_as_a_trace(path: &Path) -> std::io::Result<Option<bool>> {
    match read(path, NO_LIMIT) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        // A run that was killed at its start may leave a partial header.
        Ok(text) => Ok(Some(Units::ALL.into_iter().any(|units| {
            let labels = ColumnLabels::new(COLUMNS, units);
            text.iter().zip(labels.header().as_bytes()).all(|(a, b)| a == b)
        }))),
    }
}

/// Whether a file is a chart of a trace; `None` if the file does not exist.
fn is_a_chart(path: &Path) -> std::io::Result<Option<bool>> {
    match read(path, NO_LIMIT) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(text) => Ok(Some(TracePlot::is_chart(&String::from_utf8_lossy(&text)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::name_and_unit;

    fn row(step: u64) -> TraceRow<'static> {
        TraceRow {
            step,
            time: 0.5,
            h: 0.25,
            solve: 2,
            unknowns: "positions",
            iteration: 3,
            energy: 1.5,
            predicted: f64::NAN,
            actual: 0.125,
            gradient: 8.0,
            gradient_after: None,
            newton_step: 0.01,
            bound: 0.75,
            fraction: 0.5,
            cut: "impact",
            matrix: "exact",
            reused: false,
            factorisations: 1,
            linear: 4,
            backtracks: 5,
            ending: "",
            kept: true,
            bodies: 6,
            island: "a, b",
            part: "",
            limit: "a and floor",
        }
    }

    fn steps(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).expect("it is there");
        text.lines().skip(1).map(|line| line.split(',').next().unwrap_or("").to_owned()).collect()
    }

    #[test]
    fn cells_stand_in_their_columns() {
        let line = row(7).line();
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let names: Vec<&str> = COLUMNS.split(',').map(|label| name_and_unit(label).0).collect();
        // The quoted comma in the island's name adds a cell.
        assert_eq!(cells.len(), names.len() + 1);
        let cell = |name: &str| cells[names.iter().position(|known| *known == name).expect(name)];
        let found = ["step", "predicted", "gradient_after", "cut", "reused", "kept", "bodies"];
        assert_eq!(found.map(cell), ["7", "", "", "impact", "0", "1", "6"]);
        assert!(line.ends_with(",\"a, b\",,a and floor\n"), "{line}");
    }

    #[test]
    fn trace_continues_after_the_step_of_the_checkpoint() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("trace.csv");
        let write = |mut writer: TraceWriter, steps: &[u64]| {
            steps.iter().for_each(|&step| writer.write(&row(step)).expect("there is room"));
            writer.flush().expect("there is room");
        };
        write(
            TraceWriter::open(&path, Existing::Refuse, 0, Units::Metres).expect("it is new"),
            &[1, 1, 2, 3],
        );
        std::fs::write(&path, std::fs::read_to_string(&path).expect("text") + "4,0.")
            .expect("room");
        write(
            TraceWriter::open(&path, Existing::Resume, 2, Units::Metres).expect("it is a trace"),
            &[3, 4],
        );
        assert_eq!(steps(&path), ["1", "1", "2", "3", "4"]);
        let refused =
            TraceWriter::open(&path, Existing::Refuse, 0, Units::Metres).expect_err("it is there");
        assert!(refused.to_string().contains("--force"), "{refused}");
        write(
            TraceWriter::open(&path, Existing::Replace, 0, Units::Metres).expect("it may go"),
            &[1],
        );
        assert_eq!(steps(&path), ["1"]);
    }

    #[test]
    fn only_charts_are_replaced_by_the_chart_and_only_if_asked() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (path, chart) = (folder.path().join("t.csv"), folder.path().join("t.svg"));
        let all = [Existing::Refuse, Existing::Replace, Existing::Resume];
        std::fs::write(&chart, "<svg><text>Newton step</text></svg>").expect("room");
        for existing in all {
            let refused = TraceWriter::check(&path, existing).expect_err("it is a drawing");
            assert!(refused.to_string().contains("t.svg"), "{refused}");
        }
        let rows = "step,time,unknowns,newton_step,cut,island\n1,0.5,positions,1,none,a\n";
        std::fs::write(&path, rows).expect("room");
        let plot = TracePlot::of_trace(&path, "die").expect("it is a trace").expect("a step");
        plot.write(&chart).expect("room");
        std::fs::remove_file(&path).expect("it is there");
        let accepted = all.map(|existing| TraceWriter::check(&path, existing).is_ok());
        assert_eq!(accepted, [false, true, true]);
    }

    #[test]
    fn only_trace_files_are_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["notes.csv", "notes.txt"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "x,y\n1,2\n").expect("room");
            for existing in [Existing::Refuse, Existing::Replace, Existing::Resume] {
                let refused = TraceWriter::open(&path, existing, 0, Units::Metres).expect_err(name);
                assert!(matches!(refused, OutputError::Trace { .. }), "{refused}");
            }
            assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "x,y\n1,2\n");
        }
    }
}
