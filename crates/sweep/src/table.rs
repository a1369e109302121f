//! Table of a sweep.

use crate::folder::{FolderError, SweepFolder};
use crate::measure::Measure;
use crate::outcome::{Outcome, PROBES_FILE, State};
use crate::plan::Plan;
use crate::runs::last_value;
use resile_math::units::Units;
use resile_record::{ColumnLabels, Columns, cell};
use std::fmt::Write as _;

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Number of the run.
    pub run: usize,
    /// Outcome of the run.
    pub outcome: Outcome,
    /// Results in the order of the measures; `None` if the run is not complete.
    pub results: Vec<Option<f64>>,
}

/// Reads the outcomes and results of all runs from their folders. An incomplete run has no results, because they would
/// belong to an earlier time than those of complete runs. A run with damaged files has failed for that reason.
///
/// # Errors
/// If the folder of the runs cannot be opened.
pub fn read_rows(
    folder: &SweepFolder,
    plan: &Plan,
    measures: &[Measure],
) -> Result<Vec<Row>, FolderError> {
    folder.check_runs()?;
    let row = |run| {
        read_row(folder, run, measures).unwrap_or_else(|error| {
            let outcome = Outcome::damaged(error.to_string());
            Row { run, outcome, results: vec![None; measures.len()] }
        })
    };
    Ok((0..plan.run_count()).map(row).collect())
}

/// Reads the outcome and the results of a run.
fn read_row(folder: &SweepFolder, run: usize, measures: &[Measure]) -> Result<Row, FolderError> {
    let mut outcome = folder.outcome(run)?;
    let mut results = vec![None; measures.len()];
    if let Some(steps) = outcome.steps {
        let history = folder.whole_history(run, steps)?;
        // The time is taken from the history: in the summary its last bit may be lost, because the JSON reader
        // rounds.
        outcome.time = last_value(&history, "time");
        if outcome.state == State::Complete {
            let needs_probes = measures.iter().any(|measure| measure.probe().is_some());
            let probes = if needs_probes { folder.probes(run)? } else { String::new() };
            let is_missing = |measure: &Measure| history.column(&measure.column).is_none();
            let path = folder.equilibrium_path(run)?;
            let value = |measure: &Measure| match (measure.probe(), &path) {
                (Some((probe, _)), _) => {
                    measure.evaluate(&Columns::of_probe(&probes, probe, PROBES_FILE))
                }
                (None, Some(path)) if is_missing(measure) => measure.evaluate(path),
                (None, _) => measure.evaluate(&history),
            };
            results = measures.iter().map(value).collect();
        }
    }
    Ok(Row { run, outcome, results })
}

/// The table as CSV, in some units: number of the run, parameters, state, steps and time, results, reason. Numbers are
/// in their shortest form that reads back to the same bits.
pub fn table(plan: &Plan, measures: &[Measure], rows: &[Row], units: Units) -> String {
    let labels = ColumnLabels::new(&columns(plan, measures), units);
    let mut out = String::new();
    for Row { run, outcome, results } in rows {
        let _ = write!(out, "{run}");
        for value in plan.values(*run) {
            out.push(',');
            match value.parse::<f64>() {
                // A negative number is not a formula.
                Ok(_) => out.push_str(value),
                Err(_) => out.push_str(&cell(value)),
            }
        }
        let steps = outcome.steps.map_or_else(String::new, |steps| steps.to_string());
        let _ = write!(out, ",{},{steps},{}", outcome.state.name(), shortest_text(outcome.time));
        for result in results {
            let _ = write!(out, ",{}", shortest_text(*result));
        }
        let _ = writeln!(out, ",{}", cell(&outcome.reason));
    }
    format!("{}\n{}", labels.header(), labels.rows(&out))
}

/// The columns with their SI units, separated by commas. Parameters have none: they are already in the units of the
/// scene.
fn columns(plan: &Plan, measures: &[Measure]) -> String {
    let mut columns = String::from("run");
    for parameter in plan.parameters() {
        let _ = write!(columns, ",{}", cell(&parameter.path));
    }
    columns.push_str(",status,steps,time [s]");
    for measure in measures {
        let _ = write!(columns, ",{}", cell(&measure.to_string()));
        let _ = measure.unit().map_or(Ok(()), |si| write!(columns, " [{si}]"));
    }
    columns + ",reason"
}

/// A number in its shortest form; a missing number gives an empty cell.
fn shortest_text(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Design;

    #[test]
    fn row_holds_parameters_state_and_results_of_a_run() {
        let vary = ["a=-1,\"x,y\"".to_owned()];
        let plan = Plan::new(&vary, Design::Grid).expect("it is good");
        let measures = [Measure::parse("total").expect("it is good")];
        let complete = Outcome {
            state: State::Complete,
            steps: Some(24),
            time: Some(0.2),
            wall_seconds: Some(3.0),
            reason: String::new(),
        };
        let reason = "step 3: no, \"it\" failed".to_owned();
        let failed = Outcome { state: State::Failed, reason, ..Outcome::not_run() };
        let rows = [
            Row { run: 0, outcome: complete, results: vec![Some(-0.125)] },
            Row { run: 1, outcome: failed, results: vec![None] },
        ];
        let expected = "run,a,status,steps,time,total_final,reason\n\
                        0,-1,complete,24,0.2,-0.125,\n\
                        1,\"\"\"x,y\"\"\",failed,,,,\"step 3: no, \"\"it\"\" failed\"\n";
        assert_eq!(table(&plan, &measures, &rows, Units::Metres), expected);
        let labelled =
            expected.replace("total_final", "total_final [mJ]").replace("-0.125", "-125.0");
        assert_eq!(table(&plan, &measures, &rows, Units::Millimetres), labelled);
    }
}
