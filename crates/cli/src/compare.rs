//! `sim compare`.

mod choose;
mod comparison;
mod curves;
mod ground;
mod plots;
mod restitution;
mod row;
mod short;
mod strokes;
mod table;
mod tail;
mod variant;

use crate::load::{BuiltScene, assemble, read};
use crate::options::{SceneArguments, WorkArguments, set_threads};
use crate::progress::{Display, Style};
use crate::report::DiagnosticReport;
use crate::run::{advance, settle};
use crate::signals::Signals;
use crate::stream::{diagnose, note, print};
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context;
use clap::Args;
use resile_files::Folder;
use resile_record::{Existing, RunFolder, RunLock};
use resile_runner::{Profile, Progress, Run, RunOptions, memory};
use resile_scene::description::{Analysis, Ground, Severity, Units};
use resile_scene::text::{Diagnostic, SceneText};
use resile_watch::Interrupt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use choose::{Method, parse_methods, parse_steps, unused_integrators};
use comparison::{Comparison, holds_a_comparison, is_a_run};
use ground::common_ground;
use row::{Outcome, VariantRow};
use short::short_number;
use table::table;
use variant::{RequestedComparison, Variant, make_variants};

/// Long help: columns of a comparison.
const COLUMNS: &str = "\
Columns of the table (comparison.csv has more), in the units of the scene; here those of SI:
  integrator   as in a scene
  h            time step (s)
  status       complete, or the time reached
  E end        energy after the last step divided by the initial energy, both relative
               to the ground level if the scene or an integrator defines one; in joules
               if the initial energy is not positive
  E min, max   smallest and largest energy of all states, divided in the same way
  E mean       mean energy in the last fifth of the run, divided by the initial energy
  swing        standard deviation of the energy in the last fifth
  noise        the part of it that alternates from step to step
  |dp|         change of linear momentum from start to end (kg m/s)
  |dL|         change of angular momentum about the origin (kg m^2/s)
  bounce       coefficient of restitution: vertical speed of the centre of mass after
               the first contact divided by that before; - if there is no bounce
  Newton       Newton iterations of all steps
  seconds      wall time

Exit codes: 0 all variants are complete, 1 a variant failed or was interrupted, 2 the command
line or the scene is wrong and nothing was run.";

#[derive(Debug, Args)]
#[command(after_long_help = COLUMNS)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Integrators, separated by commas.
    ///
    /// Each is written as in a scene, such as 'Newmark(beta: 0.25, gamma: 0.5)', or as a name
    /// in any spelling, such as a-search, which takes the default parameters. `scene` stands
    /// for the scene's own integrator with its parameters.
    #[arg(short, long, value_name = "LIST", required = true, num_args = 1)]
    pub(crate) integrators: Vec<String>,
    /// Steps per second, separated by commas: 30,120 for time steps of 1/30 s and 1/120 s
    /// [default: the scene's time step].
    #[arg(long, value_name = "LIST", num_args = 1)]
    pub(crate) steps_per_second: Vec<String>,
    /// Folder for the results [default: out/NAME-compare].
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing comparison in the folder.
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop each variant after this many steps, whatever its time step.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    pub(crate) steps: Option<u64>,
    /// Simulated time in seconds [default: that of the scene].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// Runs a scene with each integrator and each step. A failed variant does not stop the others,
/// because failures are results of the comparison.
pub(crate) fn compare(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let threads = set_threads(arguments.work.threads)?;
    let signals = Signals::listen(Duration::ZERO)?;
    let plan = make_plan(arguments)?;
    if !arguments.work.quiet {
        plan.warnings.iter().for_each(diagnose);
    }
    signals.defer_termination();
    let requested_steps = plan.requested_steps.iter().sum();
    let mut runner = VariantRunner {
        arguments,
        plan: &plan,
        threads,
        interrupt: &signals.interrupt,
        display: Display::new(Style::choose(&arguments.work), requested_steps, plan.units),
    };
    let mut comparison = Comparison::new(&plan.name, plan.units);
    for index in 0..plan.variants.len() {
        runner.run_variant(index, &mut comparison)?;
    }
    runner.display.finish();
    let written_files =
        comparison.write(&plan.folder).context("the comparison could not be written")?;
    if !arguments.work.quiet {
        print(table(&comparison))?;
        let names = written_files.iter().filter_map(|file| file.file_name()?.to_str());
        let names = names.collect::<Vec<_>>().join(", ");
        print(format_args!(
            "results: {}: {names}, and a folder for each run",
            plan.folder.display()
        ))?;
    }
    Ok(exit_code(&comparison))
}

/// The checked input of a comparison.
struct Plan {
    /// Name of the scene.
    name: String,
    /// Units of the scene.
    units: Units,
    folder: PathBuf,
    variants: Vec<Variant>,
    /// Requested steps of each variant.
    requested_steps: Vec<u64>,
    ground: Option<Ground>,
    warnings: Vec<Diagnostic>,
}

/// Checks everything that can be checked without a step; reports all errors in one failure.
fn make_plan(arguments: &CompareArguments) -> Result<Plan, Failure> {
    let (methods, mut diagnostics) = parse_methods(&arguments.integrators);
    let (steps, errors) = parse_steps(&arguments.steps_per_second);
    diagnostics.extend(errors);
    let base = read_base(arguments, &diagnostics)?;
    diagnostics.extend(analysis_problem(&base, &methods, &arguments.integrators));
    let request = RequestedComparison { methods, steps, duration: arguments.duration };
    let (variants, errors) = make_variants(&base, &request);
    diagnostics.extend(errors);
    let (built, errors) = assemble_variants(arguments, &base, &variants);
    diagnostics.extend(errors);
    let warnings = without_duplicates(diagnostics);
    if warnings.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(Failure::Scene(DiagnosticReport::refusal(&warnings)));
    }
    let name = built.first().map_or_else(String::new, |(name, ..)| name.clone());
    let units = built.first().map_or_else(Units::default, |(.., units)| *units);
    let default_folder = || PathBuf::from("out").join(format!("{name}-compare"));
    let folder = arguments.output.clone().unwrap_or_else(default_folder);
    if is_a_run(&folder) {
        return Err(Failure::Input(format!(
            "error: {} holds a run; choose another folder with -o",
            folder.display()
        )));
    }
    if !arguments.force && holds_a_comparison(&folder, &variants) {
        return Err(Failure::Input(format!(
            "error: {} already holds a comparison; --force replaces it, -o chooses another folder",
            folder.display()
        )));
    }
    check_run_folders(&folder, &variants, existing(arguments))?;
    let ground = common_ground(&base, &variants);
    let requested_steps = built.into_iter().map(|(_, steps, _)| steps).collect();
    Ok(Plan { name, units, folder, variants, requested_steps, ground, warnings })
}

/// Treatment of the runs that exist in the folders of variants.
fn existing(arguments: &CompareArguments) -> Existing {
    if arguments.force { Existing::Replace } else { Existing::Refuse }
}

/// Checks that the runs of all variants can be replaced, before the first of them is.
fn check_run_folders(
    folder: &Path,
    variants: &[Variant],
    existing: Existing,
) -> Result<(), Failure> {
    let Ok(opened) = Folder::open(folder) else { return Ok(()) };
    for variant in variants {
        if let Ok(Some(_)) = opened.kind(&variant.folder) {
            let checked =
                RunLock::within(&opened, &variant.folder).and_then(|lock| lock.check(existing));
            checked.map_err(|error| {
                Failure::Input(format!("error: {error}\n   = help: nothing was run or removed"))
            })?;
        }
    }
    Ok(())
}

/// The error for integrators named for a scene whose analysis uses none: all variants would be equal.
fn analysis_problem(
    base: &SceneText,
    methods: &[Method],
    integrators: &[String],
) -> Option<Diagnostic> {
    let analysis = match base.read().ok()?.analysis {
        Analysis::Dynamic => return None,
        Analysis::Static => "Static",
        Analysis::ArcLength { .. } => "ArcLength",
    };
    let is_named = methods.iter().any(|method| *method != Method::OfScene);
    is_named.then(|| unused_integrators(integrators, analysis))
}

/// Reads the scene. If it is invalid, the failure also contains `earlier`, the findings about the options.
fn read_base(arguments: &CompareArguments, earlier: &[Diagnostic]) -> Result<SceneText, Failure> {
    match read(&arguments.scene) {
        Ok(Ok(base)) => Ok(base),
        Ok(Err(errors)) => {
            Err(Failure::Scene(DiagnosticReport::refusal(&[earlier, &errors].concat())))
        }
        Err(Failure::Input(message)) if !earlier.is_empty() => {
            Err(Failure::Scene(DiagnosticReport::refusal(earlier).with_preface(message)))
        }
        Err(other) => Err(other),
    }
}

/// Builds each variant to find its errors. Returns the name of the scene, the number of steps and the units of each
/// valid variant. Variants are built again for their runs, because all of them together may exceed the memory.
fn assemble_variants(
    arguments: &CompareArguments,
    base: &SceneText,
    variants: &[Variant],
) -> (Vec<(String, u64, Units)>, Vec<Diagnostic>) {
    let path = &arguments.scene.scene;
    let (mut built, mut diagnostics) = (Vec::new(), Vec::new());
    if variants.is_empty() {
        // No integrator is valid; errors of the rest of the scene are reported too.
        diagnostics.extend(assemble(path, base, |p| base.diagnose(p)).err().into_iter().flatten());
    }
    for variant in variants {
        match assemble(path, &variant.text, |problem| variant.diagnose(problem)) {
            Ok(loaded) => {
                let steps = arguments.steps.unwrap_or_else(|| loaded.scene.time.steps());
                built.push((loaded.title().to_owned(), steps, loaded.scene.units));
                diagnostics.extend(loaded.warnings);
            }
            Err(errors) => diagnostics.extend(errors),
        }
    }
    (built, diagnostics)
}

/// The distinct diagnostics in their order: all variants repeat the errors of their scene.
fn without_duplicates(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut unique: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        if !unique.contains(&diagnostic) {
            unique.push(diagnostic);
        }
    }
    unique
}

/// Runs the variants one after the other.
struct VariantRunner<'a> {
    arguments: &'a CompareArguments,
    plan: &'a Plan,
    threads: usize,
    interrupt: &'a Interrupt,
    display: Display,
}

impl VariantRunner<'_> {
    /// Runs the variant with an index and adds its results; skips it if the interrupt was raised.
    fn run_variant(&mut self, index: usize, comparison: &mut Comparison) -> Result<(), Failure> {
        let (variant, step_limit) = (&self.plan.variants[index], self.plan.requested_steps[index]);
        if self.interrupt.is_raised() {
            comparison.skip(variant);
            return Ok(());
        }
        self.display.begin(&variant.name());
        let path = &self.arguments.scene.scene;
        let loaded = assemble(path, &variant.text, |problem| variant.diagnose(problem))
            .map_err(|errors| Failure::Scene(DiagnosticReport::refusal(&errors)))?;
        let text = loaded.text.clone();
        let mut run = self.start(variant, loaded)?;
        origin::write(&run, path, &text, self.threads)?;
        run.watch(self.interrupt.clone(), self.display.activity(), memory::default_limit());
        let early_stop = settle(&mut run, self.interrupt, |step| self.display.settling(step))?;
        let start = run.as_start(self.plan.ground);
        let stop = match early_stop {
            Some(stop) => stop,
            None => advance(&mut run, self.interrupt, |progress| {
                self.display.show(progress);
                check_finite_energy(progress, self.plan.units)
            })?,
        };
        let folder = RunFolder::at(run.folder().path());
        let summary = run.finish(stop).context("the run's files could not be written")?;
        self.display.end(summary.steps_done, step_limit);
        comparison
            .add(variant, &start, &folder, &summary)
            .context("the run's files could not be read")?;
        Ok(())
    }

    /// Starts the run of a variant in its own folder.
    fn start(&self, variant: &Variant, loaded: BuiltScene) -> Result<Run, Failure> {
        let folder = Folder::create(&self.plan.folder);
        let folder =
            folder.with_context(|| format!("{} cannot be created", self.plan.folder.display()))?;
        // The folder may have another owner, and this program chose the name.
        let lock = RunLock::within(&folder, &variant.folder).context("the run cannot begin")?;
        let options = RunOptions {
            folder: lock.path().to_owned(),
            existing: existing(self.arguments),
            name: self.plan.name.clone(),
            steps: self.arguments.steps,
            profile: Profile::InTotal,
            threads: self.threads,
            fingerprint: loaded.fingerprint,
            commit: origin::commit(),
            set: [&self.arguments.scene.set[..], &variant.overrides()].concat(),
        };
        let started_run = Run::start_locked(loaded.scene, loaded.built, options, lock);
        Ok(started_run.context("the run cannot begin")?)
    }
}

/// Stops a run whose energy is not finite.
fn check_finite_energy(progress: &Progress, units: Units) -> Result<(), String> {
    match progress.energy.is_finite() {
        true => Ok(()),
        false => {
            let energy = units.show(progress.energy, "J");
            Err(format!("after step {} the energy is {energy}", progress.steps))
        }
    }
}

/// The exit code, with messages about failed and interrupted variants.
fn exit_code(comparison: &Comparison) -> ExitCode {
    let rows = comparison.rows();
    let with_outcome = |outcome| rows.iter().filter(move |row| row.status == outcome);
    for row in with_outcome(Outcome::Failed) {
        note(format_args!("error: {}, h = {}: {}", row.integrator, row.step, row.reason));
    }
    let failed_count = with_outcome(Outcome::Failed).count();
    let complete_count = with_outcome(Outcome::Complete).count();
    if failed_count + complete_count < rows.len() {
        note(format_args!(
            "interrupted: {complete_count} of {} variants are complete; --force begins anew",
            rows.len()
        ));
    } else if failed_count > 0 {
        note(format_args!(
            "{failed_count} of {} variants failed; the others are complete",
            rows.len()
        ));
    } else {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(NOT_COMPLETE)
}
