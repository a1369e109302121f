//! `sim buckle`.

use crate::Failure;
use crate::load::load_within;
use crate::modes::{
    MAX_ASYMMETRY, ModesArguments, NOT_CONVERGED, finish_early, joint_warning, modes_table,
    start_run,
};
use crate::run::RunArguments;
use crate::run::{Prepared, advance, prepare, settle};
use crate::stream::{note, print};
use anyhow::Context as _;
use resile_record::BucklingRow;
use resile_runner::Stop;
use std::process::ExitCode;

/// Long help: method and output.
pub(crate) const OUTPUT_HELP: &str = "\
The scene is solved as by `sim static`. Its stiffness is taken to change in proportion to the load: from
that at the start (after settling, with --set settle=true) to that at the end of the load steps. A load
factor is what the change of the load from the start to the end has to be multiplied by for the stiffness
to become singular. Loads of a tenth of the critical one or less give factors within about one per cent;
linear elasticity (model Linear) does not buckle: use StVK. A Gas needs a factor that begins without excess
pressure, such as a Table. The change of loads that follow the surface is part of the stiffness: all of it
where they have a potential, and its symmetric part otherwise, with a warning if the rest matters. Contact,
joints and wind are left out.

buckling.csv has a row for each mode: load factor, residual, the time of the frame that shows the shape,
1 in the column `converged`, or 0 if the iteration ended before the residual was 1e-7, and the `asymmetry`:
the part of the loads' stiffness that is left out (0 for loads with a potential). Negative factors, those of
the opposite load, are left out; there may be none.

Exit codes: 0 all modes were found, 1 they were not, 2 the command line or the scene is wrong.";

/// Finds the load factors at which a scene's bodies buckle.
pub(crate) fn buckle(arguments: ModesArguments) -> Result<ExitCode, Failure> {
    let (run, count) = arguments.into_run();
    let run = run.into_static();
    let prepared = prepare(&run)?;
    rayon::scope(|_| find_load_factors(&run, prepared, count))
}

/// Solves the scene in load steps and computes the load factors from the stiffnesses at the start and at the end.
fn find_load_factors(
    arguments: &RunArguments,
    prepared: Prepared,
    count: usize,
) -> Result<ExitCode, Failure> {
    let Prepared { threads, signals, limit } = prepared;
    let loaded = load_within(&arguments.scene, limit)?;
    signals.defer_termination();
    let mut run = start_run(arguments, loaded, threads)?;
    if let Some(stop) = settle(&mut run, &signals.interrupt, |_| {})? {
        return finish_early(run, stop);
    }
    let initial_stiffnesses = run.stiffnesses().context("no stiffness")?;
    let stop = advance(&mut run, &signals.interrupt, |_| Ok(()))?;
    if stop != Stop::Done {
        return finish_early(run, stop);
    }
    let rows = run.buckling(&initial_stiffnesses, count).context("no load factors")?;
    let folder = run.folder().path().to_path_buf();
    let warning = joint_warning(&run.joined_bodies());
    run.finish(stop).context("the run's files could not be written")?;
    warning.into_iter().for_each(note);
    rows.iter().filter_map(convergence_warning).for_each(note);
    asymmetry_warning(&rows).into_iter().for_each(note);
    if !arguments.work.quiet {
        print(table(&rows))?;
        print(format!("buckling.csv and a frame of each are in {}", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The warning for the mode whose load factor depends most on the part of a load without a potential that is left out.
fn asymmetry_warning(rows: &[BucklingRow]) -> Option<String> {
    let BucklingRow { mode, body, asymmetry, .. } =
        rows.iter().max_by(|a, b| a.asymmetry.total_cmp(&b.asymmetry))?;
    (*asymmetry > MAX_ASYMMETRY).then(|| {
        format!(
            "warning: \"{body}\" has a load that follows it and has no potential, such as a pressure on a surface whose \
             boundary is free, or a torque: the load factors are those of the symmetric part of its stiffness. The smallest \
             is a lower bound for buckling without oscillation; flutter may begin earlier. The rest is {:.1} % for mode \
             {mode}, and the error of its factor of the order of the square of that; hold the boundary or put it in planes of \
             symmetry, or compare with `sim run` of a disturbed shape",
            100.0 * asymmetry
        )
    })
}

/// The table of load factors, or a sentence if there are none.
fn table(rows: &[BucklingRow]) -> String {
    if rows.is_empty() {
        return "no multiple of this load makes a stiffness singular".to_owned();
    }
    let mark = |row: &BucklingRow| if row.has_converged { "" } else { NOT_CONVERGED };
    let line = |row: &BucklingRow| (row.mode, row.body.clone(), row.factor, mark(row));
    modes_table("load factor", &rows.iter().map(line).collect::<Vec<_>>())
}

/// The warning for a mode whose eigenvalue iteration ended before convergence.
fn convergence_warning(row: &BucklingRow) -> Option<String> {
    let BucklingRow { mode, body, residual, .. } = row;
    (!row.has_converged).then(|| {
        format!(
            "warning: mode {mode} of \"{body}\" has not converged: its residual is {residual:.1e} and should be at most 1e-7; \
             its load factor and its shape are approximate"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unconverged_modes_are_marked_and_warned_about_with_the_residual() {
        let row = |mode, has_converged| BucklingRow {
            mode,
            body: "column".to_owned(),
            factor: 10.0,
            residual: 0.25,
            time: 1.0,
            has_converged,
            asymmetry: 0.0,
        };
        let rows = [row(1, true), row(2, false)];
        let warnings: Vec<String> = rows.iter().filter_map(convergence_warning).collect();
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        for part in ["mode 2", "\"column\"", "2.5e-1"] {
            assert!(warning.contains(part), "{warning}");
        }
        let table = table(&rows);
        let marked: Vec<bool> = table.lines().map(|line| line.ends_with("not converged")).collect();
        assert_eq!(marked, [false, false, true]);
    }

    #[test]
    fn loads_without_potential_are_warned_about_where_the_part_left_out_matters() {
        let row = |mode, asymmetry| BucklingRow {
            mode,
            body: "shaft".to_owned(),
            factor: 10.0,
            residual: 0.0,
            time: 1.0,
            has_converged: true,
            asymmetry,
        };
        assert_eq!(asymmetry_warning(&[row(1, 0.0), row(2, 0.5 * MAX_ASYMMETRY)]), None);
        let warning = asymmetry_warning(&[row(1, 0.02), row(2, 0.15)]).expect("a warning");
        for part in ["mode 2", "\"shaft\"", "15.0 %"] {
            assert!(warning.contains(part), "{warning}");
        }
    }
}
