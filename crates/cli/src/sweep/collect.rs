//! The table of a sweep and its report.

use super::folder_failure;
use super::prepare::PreparedSweep;
use crate::Failure;
use crate::stream::note;
use anyhow::Context as _;
use resile_sweep::{
    Measure, Outcome, Row, State, SweepFolder, TABLE_FILE, default_measures, measures_from_lists,
    plots, read_rows, table,
};
use std::collections::BTreeMap;

/// The report of a sweep, with the numbers of failed and unfinished runs.
pub(super) struct Collected {
    pub(super) text: String,
    pub(super) failed_runs: usize,
    pub(super) unfinished_runs: usize,
    /// Number and reason of the first failed run.
    pub(super) first_failure: Option<String>,
}

/// Writes the table and the plots, unless only some runs were selected: then other processes may still compute the
/// others. `crash_reasons` holds the runs whose processes ended without a result, with the reasons.
pub(super) fn collect(
    prepared: &PreparedSweep,
    folder: &SweepFolder,
    crash_reasons: &BTreeMap<usize, String>,
    only: Option<[usize; 2]>,
) -> Result<Collected, Failure> {
    let count = prepared.plan.run_count();
    let PreparedSweep { plan, measures, .. } = prepared;
    if let Some([first, last]) = only {
        let runs = first..=last.min(count - 1);
        let outcomes = runs.map(|run| {
            let outcome = folder.outcome_or_damage(run);
            (run, with_crash_reason(run, outcome, crash_reasons))
        });
        return Ok(Collected::new(&outcomes.collect::<Vec<_>>(), folder, &[]));
    }
    let mut rows = read_rows(folder, plan, measures).map_err(folder_failure)?;
    for row in &mut rows {
        row.outcome = with_crash_reason(row.run, row.outcome.clone(), crash_reasons);
    }
    warn_of_empty_results(measures, &rows);
    folder
        .write(TABLE_FILE, &table(plan, measures, &rows, prepared.units))
        .map_err(folder_failure)?;
    let mut files = vec![TABLE_FILE.to_owned()];
    for plot in plots(plan, measures, &rows, prepared.units) {
        let svg = plot.graph.svg().context("the results cannot be plotted")?;
        let name = plot.name + ".svg";
        folder.write(&name, &svg).map_err(folder_failure)?;
        files.push(name);
    }
    folder.remove_other_plots(&files).map_err(folder_failure)?;
    let outcomes: Vec<_> = rows.into_iter().map(|row| (row.run, row.outcome)).collect();
    Ok(Collected::new(&outcomes, folder, &files))
}

/// The outcome of a run; failed if its process ended without a result.
fn with_crash_reason(
    run: usize,
    outcome: Outcome,
    crash_reasons: &BTreeMap<usize, String>,
) -> Outcome {
    match crash_reasons.get(&run) {
        Some(reason) => Outcome { state: State::Failed, reason: reason.clone(), ..outcome },
        None => outcome,
    }
}

/// Warns of requested results that no complete run has, because their cells are empty or no run reaches their time.
fn warn_of_empty_results(measures: &[Measure], rows: &[Row]) {
    // No warning for default results: some of them do not apply to every scene.
    let defaults = measures_from_lists(&default_measures()).unwrap_or_default();
    let complete = || rows.iter().filter(|row| row.outcome.state == State::Complete);
    for (index, measure) in measures.iter().enumerate() {
        let is_requested = !defaults.contains(measure);
        if is_requested
            && complete().count() > 0
            && complete().all(|row| row.results[index].is_none())
        {
            note(format_args!("warning: no run has a value of {measure}"));
        }
    }
}

impl Collected {
    /// The report for the outcomes of the runs and the names of the written files.
    fn new(outcomes: &[(usize, Outcome)], folder: &SweepFolder, files: &[String]) -> Self {
        let count_of =
            |state: State| outcomes.iter().filter(|(_, outcome)| outcome.state == state).count();
        let run_count = outcomes.len();
        let failed_runs = count_of(State::Failed);
        let unfinished_runs = count_of(State::NotRun) + count_of(State::Interrupted);
        let mut text =
            format!("  {:<18}{} of {run_count}\n", "complete", count_of(State::Complete));
        for (name, number) in [("failed", failed_runs), ("not finished", unfinished_runs)] {
            if number > 0 {
                text += &format!("  {name:<18}{number}\n");
            }
        }
        text += &format!("  {:<18}{}", "results", folder.path().display());
        if !files.is_empty() {
            text += &format!(": {}, and runs/", list_files(files));
        }
        let first_failure = outcomes
            .iter()
            .find(|(_, outcome)| outcome.state == State::Failed)
            .map(|(run, outcome)| format!("run {run}: {}", outcome.reason));
        Self { text, failed_runs, unfinished_runs, first_failure }
    }
}

/// The first files and the number of others.
fn list_files(files: &[String]) -> String {
    const MAX_LISTED: usize = 3;
    let listed = files.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        1 => format!("{listed} and one more plot"),
        more => format!("{listed} and {more} more plots"),
    }
}
