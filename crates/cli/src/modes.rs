//! `sim modes`.

use crate::load::{BuiltScene, load_within};
use crate::options::{SceneArguments, WorkArguments};
use crate::report::counted;
use crate::run::RunArguments;
use crate::run::{Prepared, advance, prepare, settle, start};
use crate::stream::{diagnose, note, print};
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context as _;
use clap::Args;
use resile_record::{ModeRow, ModesState};
use resile_runner::{Run, Stop};
use resile_scene::description::Analysis;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

/// Largest part of the loads' stiffness, relative to that of the body, that may be left out without a warning: its
/// effect on frequencies and load factors is of second order, a ten thousandth.
pub(crate) const MAX_ASYMMETRY: f64 = 0.01;

/// Largest net force on a node, relative to the forces there, that counts as equilibrium: the stresses and so the change
/// of frequencies by them have errors of this order. Load steps end below 1e-8.
const MAX_RESIDUAL: f64 = 1e-3;

/// Long help: output.
pub(crate) const OUTPUT_HELP: &str = "\
modes.csv has a row for each mode: frequency (Hz), square of the angular frequency, residual, the
largest displacement for unit modal mass, the time of the frame that shows the shape (1 s for the
first mode, 2 s for the second), 1 in the column `converged`, or 0 if the iteration ended
before the residual was 1e-8 of the square, and the `asymmetry` of loads without a potential.
`sim render FOLDER --at 2 -o second.png` draws a shape.

The modes are those about the state in which the scene begins; about static equilibrium with
--set settle=true; with --set analysis=Static, about the equilibrium at the end of its load steps.
A state that is not in equilibrium, and one that is unstable (negative frequencies), is reported with
what to do; `modes` of summary.json has the residual force and the number of unstable modes of each body.
The stiffness includes stresses and the change of loads that follow the surface; of loads without a
potential the symmetric part, with a warning if the rest matters. Contact, joints and wind are left out.

Exit codes: 0 all modes were found, 1 they were not, 2 the command line or the scene is wrong.";

#[derive(Debug, Args)]
pub(crate) struct ModesArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Number of modes per body, from the lowest.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    count: u16,
    /// Folder for the results [default: out/NAME, with the name of the scene].
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Replace an existing run in the folder.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    work: WorkArguments,
}

impl ModesArguments {
    /// The arguments of the preceding run, and the number of modes.
    pub(crate) fn into_run(self) -> (RunArguments, usize) {
        let Self { scene, count, output, force, work } = self;
        let run = RunArguments::unresumed(scene, output, force, work);
        (run, count.into())
    }
}

/// Finds the natural modes of a scene's bodies.
pub(crate) fn modes(arguments: ModesArguments) -> Result<ExitCode, Failure> {
    let (run, count) = arguments.into_run();
    let prepared = prepare(&run)?;
    rayon::scope(|_| find_modes(run, prepared, count))
}

/// Runs the scene (a dynamic one only settles), computes the modes of its final state, and prints them.
fn find_modes(
    mut arguments: RunArguments,
    prepared: Prepared,
    count: usize,
) -> Result<ExitCode, Failure> {
    let Prepared { threads, signals, limit } = prepared;
    let mut loaded = load_within(&arguments.scene, limit)?;
    if loaded.scene.analysis == Analysis::Dynamic {
        arguments.steps = Some(0);
        loaded.drop_step_warnings();
    }
    signals.defer_termination();
    let mut run = start_run(&arguments, loaded, threads)?;
    let stop = match settle(&mut run, &signals.interrupt, |_| {})? {
        Some(stop) => stop,
        None => advance(&mut run, &signals.interrupt, |_| Ok(()))?,
    };
    if stop != Stop::Done {
        return finish_early(run, stop);
    }
    let folder = run.folder().path().to_path_buf();
    let rows = run.modes(count).context("no modes")?;
    let joined = run.joined_bodies();
    let is_joined = |body: &str| joined.iter().flatten().any(|name| *name == body);
    let states = run.modes_states().iter().filter(|state| !is_joined(&state.body));
    let mut warnings: Vec<String> = joint_warning(&joined).into_iter().collect();
    warnings.extend(states.flat_map(state_warnings));
    run.finish(stop).context("the run's files could not be written")?;
    warnings.iter().for_each(note);
    rows.iter().filter_map(convergence_warning).for_each(note);
    asymmetry_warning(&rows).into_iter().for_each(note);
    if !arguments.work.quiet {
        print(table(&rows))?;
        print(format!("modes.csv and a frame of each are in {}", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts the run of a loaded scene, writes its provenance, and shows its warnings.
pub(crate) fn start_run(
    arguments: &RunArguments,
    loaded: BuiltScene,
    threads: usize,
) -> Result<Run, Failure> {
    if !arguments.work.quiet {
        loaded.warnings.iter().for_each(diagnose);
    }
    let text = loaded.text.clone();
    let run = start(arguments, loaded, threads)?;
    origin::write(&run, &arguments.scene.scene, &text, threads)?;
    Ok(run)
}

/// Completes the files of a run that stopped before its last step, and reports the reason.
pub(crate) fn finish_early(run: Run, stop: Stop) -> Result<ExitCode, Failure> {
    let summary = run.finish(stop).context("the run's files could not be written")?;
    note(format_args!("error: {}", summary.reason));
    Ok(ExitCode::from(NOT_COMPLETE))
}

/// The table of frequencies, or a sentence if there are no modes.
fn table(rows: &[ModeRow]) -> String {
    if rows.is_empty() {
        return "no natural modes: everything is held or moves as prescribed, so that nothing is free to vibrate"
            .to_owned();
    }
    let line = |row: &ModeRow| (row.mode, row.body.clone(), row.frequency, marks(row));
    modes_table("frequency, Hz", &rows.iter().map(line).collect::<Vec<_>>())
}

/// What a user has to know of a mode, if anything.
fn marks(row: &ModeRow) -> &'static str {
    match (row.is_unstable, row.has_converged) {
        (false, true) => "",
        (true, true) => "unstable",
        (false, false) => NOT_CONVERGED,
        (true, false) => "unstable, not converged",
    }
}

/// Mark of modes whose eigenvalue iteration ended before convergence.
pub(crate) const NOT_CONVERGED: &str = "not converged";

/// A table of modes: number, body, value, and a mark, which may be empty. `value_header` names the value.
pub(crate) fn modes_table(value_header: &str, rows: &[(usize, String, f64, &str)]) -> String {
    let width = rows.iter().map(|(_, body, ..)| body.len()).max().unwrap_or(0).max(4);
    let header = format!("{:>4}  {:<width$}  {value_header:>14}", "mode", "body");
    let line = |(mode, body, value, mark): &(usize, String, f64, &str)| {
        format!("\n{mode:>4}  {body:<width$}  {value:>14.6}  {mark}").trim_end().to_owned()
    };
    header + &rows.iter().map(line).collect::<String>()
}

/// The warning that joints and ties between these pairs of bodies are excluded, if there are any.
pub(crate) fn joint_warning(joined: &BTreeSet<[&str; 2]>) -> Option<String> {
    let [a, b] = joined.first()?;
    let others = match joined.len() - 1 {
        0 => String::new(),
        count => format!(" and {}", counted(count, "other pair", "other pairs")),
    };
    Some(format!(
        "warning: the joints and ties between \"{a}\" and \"{b}\"{others} are left out: each body is taken alone, and is \
         free where they hold it, so that it may have zero or negative values that the assembly does not have"
    ))
}

/// The warnings of a state that is not in equilibrium, and of one that is unstable.
fn state_warnings(state: &ModesState) -> impl Iterator<Item = String> {
    let body = &state.body;
    let residual = state.relative_residual().filter(|residual| *residual > MAX_RESIDUAL);
    let unbalanced = residual.map(|residual| {
        format!(
            "warning: the state of \"{body}\" is not in equilibrium: the largest net force on a node is {residual:.1e} of the \
             forces there. Its modes lack the stresses of its loads; find those about equilibrium with --set settle=true \
             (loads at the start) or --set analysis=Static (loads at the end)"
        )
    });
    let unstable = (state.unstable_modes > 0).then(|| {
        let modes = counted(state.unstable_modes, "mode", "modes");
        format!(
            "warning: the state of \"{body}\" is unstable: {modes} with a negative frequency, in which it moves away \
             instead of vibrating. It is past a buckling load (`sim buckle` finds it), or not held against a motion that its \
             loads drive; reduce the load, hold it, or begin from a disturbed shape so that it settles in a stable state"
        )
    });
    unbalanced.into_iter().chain(unstable)
}

/// The warning for the mode that the part of a load without a potential that is left out couples most to other modes.
fn asymmetry_warning(rows: &[ModeRow]) -> Option<String> {
    let ModeRow { mode, body, asymmetry, .. } =
        rows.iter().max_by(|a, b| a.asymmetry.total_cmp(&b.asymmetry))?;
    (*asymmetry > MAX_ASYMMETRY).then(|| {
        format!(
            "warning: \"{body}\" has a load that follows it and has no potential, such as a pressure on a surface whose \
             boundary is free, or a torque: the frequencies are those of the symmetric part of its stiffness. The rest couples \
             mode {mode} to others by {:.1} % of its stiffness: modes with near frequencies may flutter; see what `sim run` \
             of a disturbed shape does",
            100.0 * asymmetry
        )
    })
}

/// The warning for a mode whose eigenvalue iteration ended before convergence.
fn convergence_warning(row: &ModeRow) -> Option<String> {
    let ModeRow { mode, body, square, residual, .. } = row;
    (!row.has_converged).then(|| {
        format!(
            "warning: mode {mode} of \"{body}\" has not converged: its residual is {residual:.1e}, the square of its angular \
             frequency {square:.1e} 1/s^2, and their ratio should be at most 1e-8; its frequency and its shape are approximate"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_without_modes_says_why() {
        assert!(table(&[]).contains("everything is held"));
    }

    #[test]
    fn unconverged_modes_are_marked_and_warned_about_with_the_residual() {
        let row = |mode, has_converged| ModeRow {
            mode,
            body: "beam".to_owned(),
            frequency: 2.0,
            square: 157.9,
            residual: 0.25,
            largest: 1.0,
            time: 1.0,
            has_converged,
            is_unstable: false,
            asymmetry: 0.0,
        };
        let rows = [row(1, true), row(2, false)];
        let warnings: Vec<String> = rows.iter().filter_map(convergence_warning).collect();
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        for part in ["mode 2", "\"beam\"", "2.5e-1"] {
            assert!(warning.contains(part), "{warning}");
        }
        let table = table(&rows);
        let marked: Vec<bool> = table.lines().map(|line| line.ends_with("not converged")).collect();
        assert_eq!(marked, [false, false, true]);
    }

    #[test]
    fn states_out_of_equilibrium_and_unstable_states_are_warned_about() {
        let state = |residual, unstable_modes| ModesState {
            body: "beam".to_owned(),
            unstable_modes,
            residual_force: residual,
            largest_force: Some(10.0),
        };
        let warnings = |state: &ModesState| state_warnings(state).collect::<Vec<_>>();
        for residual in [None, Some(0.0), Some(1e-3)] {
            assert_eq!(warnings(&state(residual, 0)), Vec::<String>::new());
        }
        let [unbalanced] = &warnings(&state(Some(5.0), 0))[..] else { panic!("one warning") };
        for part in ["\"beam\"", "5.0e-1", "settle=true", "analysis=Static"] {
            assert!(unbalanced.contains(part), "{unbalanced}");
        }
        let [unstable] = &warnings(&state(Some(0.0), 2))[..] else { panic!("one warning") };
        for part in ["\"beam\"", "2 modes", "sim buckle"] {
            assert!(unstable.contains(part), "{unstable}");
        }
    }
}
