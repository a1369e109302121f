//! Converts the command line to the plan of a sweep; reports all errors at once.

use super::predicted::{PredictedCost, predict_cost};
use super::{DesignName, SweepArguments, folder_failure, is_resumed};
use crate::load::read;
use crate::options::SceneArguments;
use crate::report::DiagnosticReport;
use crate::{Failure, origin};
use resile_files::Refusal;
use resile_scene::description::{Analysis, Scene, Severity, Units};
use resile_scene::text::{Diagnostic, SceneText};
use resile_sweep::{
    Checked, Design, FolderError, Measure, Plan, State, Statistic, StoredPlan, SweepFolder, check,
    measures_and_errors, measures_from_lists, result_columns,
};
use std::path::{Path, PathBuf};

/// Relative rounding error of the time at which a run ends.
const ROUNDING: f64 = 1e-9;

/// A checked sweep.
#[derive(Debug)]
pub(super) struct PreparedSweep {
    pub(super) path: PathBuf,
    /// The folder of a sweep that is continued; `None` for a new sweep.
    existing: Option<SweepFolder>,
    /// Whether a sweep in the folder is removed before the new one begins.
    replaces: bool,
    /// The reason why the folder cannot be used. Only a sweep that is printed by `--plan` may have one.
    pub(super) folder_error: Option<FolderError>,
    pub(super) stored_plan: StoredPlan,
    pub(super) plan: Plan,
    pub(super) measures: Vec<Measure>,
    /// The scene whose fields the plan varies.
    pub(super) base_scene: SceneText,
    /// Units of the scene and of the results.
    pub(super) units: Units,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) predicted_cost: PredictedCost,
}

impl PreparedSweep {
    /// Writes the plan to the folder, unless the folder has it already, and returns the folder.
    pub(super) fn write_plan(&self) -> Result<SweepFolder, Failure> {
        if self.replaces {
            SweepFolder::open(&self.path).and_then(|old| old.clear()).map_err(folder_failure)?;
        }
        match &self.existing {
            None => SweepFolder::create(&self.path, &self.stored_plan, self.base_scene.text())
                .map_err(folder_failure),
            Some(folder) => {
                folder.clean().map_err(folder_failure)?;
                let (stored, _) = folder.read().map_err(folder_failure)?;
                if stored.results != self.stored_plan.results {
                    folder.write_plan(&self.stored_plan).map_err(folder_failure)?;
                }
                Ok(folder.clone())
            }
        }
    }
}

/// Reads and checks everything that can be known before the first run.
pub(super) fn prepare(arguments: &SweepArguments) -> Result<PreparedSweep, Failure> {
    if is_resumed(arguments) { resumed_sweep(arguments) } else { new_sweep(arguments) }
}

/// Prepares a sweep that the command line names by its folder.
fn resumed_sweep(arguments: &SweepArguments) -> Result<PreparedSweep, Failure> {
    let path = &arguments.scene.scene;
    let options = [
        (!arguments.vary.is_empty(), "--vary"),
        (!arguments.scene.set.is_empty(), "--set"),
        (arguments.design != DesignName::Grid, "--design"),
        (arguments.runs.is_some(), "--runs"),
        (arguments.seed.is_some(), "--seed"),
        (arguments.duration.is_some(), "--duration"),
        (arguments.steps.is_some(), "--steps"),
        (arguments.output.is_some(), "-o"),
        (arguments.force, "--force"),
    ];
    let given_options: Vec<&str> =
        options.into_iter().filter_map(|(is_given, name)| is_given.then_some(name)).collect();
    if !given_options.is_empty() {
        return Err(Failure::Input(format!(
            "error: {} is the folder of a sweep, whose plan is fixed; leave out {}, or name a scene and \
             another folder",
            path.display(),
            given_options.join(", ")
        )));
    }
    let folder = SweepFolder::open(path).map_err(folder_failure)?;
    let (mut stored_plan, text) = folder.read().map_err(folder_failure)?;
    if !arguments.result.is_empty() {
        stored_plan.results = arguments.result.clone();
    }
    let plan = stored_plan
        .plan()
        .map_err(|problems| Failure::Scene(DiagnosticReport::refusal(&problems)))?;
    let measures = parse_measures(&stored_plan.results).map_err(Failure::Input)?;
    let base_scene = SceneText::new(path.join("scene.ron").display().to_string(), text);
    let mut errors = unreached_times(&measures, &plan, &base_scene, stored_plan.steps);
    if !arguments.result.is_empty() {
        let columns = recorded_columns(&folder, &plan, &base_scene, &measures);
        errors.extend(unknown_columns(&measures, &columns));
    }
    if !errors.is_empty() {
        return Err(Failure::Input(errors.join("\n")));
    }
    let predicted_cost = match arguments.plan || arguments.slurm {
        true => {
            let scene_path = Path::new(&stored_plan.scene);
            predict_cost(scene_path, &plan, &base_scene, &mut Checked::default())
        }
        false => PredictedCost::default(),
    };
    let (path, warnings) = (path.clone(), Vec::new());
    let units = base_scene.units();
    Ok(PreparedSweep {
        units,
        path,
        existing: Some(folder),
        replaces: false,
        folder_error: None,
        stored_plan,
        plan,
        measures,
        base_scene,
        warnings,
        predicted_cost,
    })
}

/// Prepares a sweep that options describe. If its folder already holds the same sweep, the sweep is continued.
fn new_sweep(arguments: &SweepArguments) -> Result<PreparedSweep, Failure> {
    let scene = arguments.scene.with_duration(arguments.duration);
    let mut parsed = ParsedSweep::new(arguments, &scene)?;
    let (checked, predicted_cost) = parsed.check(arguments, &scene);
    let name = parsed.nonempty().map(|(_, base_scene)| sweep_name(&scene.scene, base_scene));
    let path = output_folder(arguments, name.as_deref());
    let stored_plan = StoredPlan {
        format: StoredPlan::FORMAT,
        name: name.unwrap_or_default(),
        scene: origin::absolute(&scene.scene).to_string_lossy().into_owned(),
        set: scene.set,
        vary: arguments.vary.clone(),
        design: parsed.design_or_default,
        steps: arguments.steps,
        results: arguments.results(),
    };
    let can_run = parsed.is_valid && parsed.errors.is_empty() && !checked.has_errors();
    let text = parsed.base_scene.as_ref().map_or("", SceneText::text);
    let replaces = arguments.force && SweepFolder::is_at(&path);
    let matching = match replaces {
        true => Ok(None),
        false => SweepFolder::matching(&path, &stored_plan, text),
    };
    let (mut existing, mut folder_error) = (None, None);
    match matching {
        Ok(matching) => existing = matching,
        // A different sweep in the folder is reported only if the new sweep could be run.
        Err(FolderError::Different { .. }) if !can_run => {}
        // A plan that is only printed needs no folder.
        Err(error) if arguments.plan => folder_error = Some(error),
        Err(error) => parsed.errors.push(folder_error_text(&error)),
    }
    let ParsedSweep { errors, diagnostics, measures, plan, base_scene, .. } = parsed;
    let (Some(plan), Some(base_scene), true, true) = (plan, base_scene, can_run, errors.is_empty())
    else {
        return Err(plan_failure(errors, &diagnostics));
    };
    Ok(PreparedSweep {
        units: base_scene.units(),
        path,
        existing,
        replaces,
        folder_error,
        stored_plan,
        plan,
        measures,
        base_scene,
        warnings: diagnostics,
        predicted_cost,
    })
}

/// The options of a new sweep, as far as they are valid, and all their errors.
struct ParsedSweep {
    errors: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    measures: Vec<Measure>,
    /// With an invalid design, a default design, by which the values of the parameters are checked.
    design_or_default: Design,
    plan: Option<Plan>,
    base_scene: Option<SceneText>,
    /// Whether design, plan and scene are valid, and no value of `--set` or `--vary` is replaced by another.
    is_valid: bool,
}

impl ParsedSweep {
    /// Parses the options and reads the `scene`.
    ///
    /// # Errors
    /// If the scene fails for another reason than its contents.
    fn new(arguments: &SweepArguments, scene: &SceneArguments) -> Result<Self, Failure> {
        let (mut errors, mut diagnostics) = (Vec::new(), Vec::new());
        if arguments.vary.is_empty() {
            let example = "such as --vary bodies.die.friction=0:1:20";
            errors
                .push(format!("error: --vary is missing; name a field and its values, {example}"));
        }
        // Malformed results do not hide other errors of the others.
        let (measures, malformed) = measures_and_errors(&arguments.results());
        errors.extend(malformed.iter().map(malformed_result));
        let design = parse_design(arguments).map_err(|error| errors.push(error)).ok();
        let design_or_default = design.unwrap_or(match arguments.design {
            DesignName::Grid => Design::Grid,
            DesignName::Zip => Design::Zip,
            DesignName::Random | DesignName::LatinHypercube => Design::Random { runs: 1, seed: 0 },
        });
        let plan = Plan::new(&arguments.vary, design_or_default)
            .map_err(|problems| diagnostics.extend(problems))
            .ok();
        let base_scene = match read(scene) {
            Ok(text) => text.map_err(|problems| diagnostics.extend(problems)).ok(),
            Err(Failure::Input(message)) => {
                errors.push(message);
                None
            }
            Err(other) => return Err(other),
        };
        let replaced =
            replaced_values(plan.as_ref(), base_scene.as_ref(), &scene.set, &arguments.vary);
        let is_readable = plan.is_some() && base_scene.is_some() && design.is_some();
        let is_valid = is_readable && replaced.is_empty();
        diagnostics.extend(replaced);
        Ok(Self { errors, diagnostics, measures, design_or_default, plan, base_scene, is_valid })
    }

    /// The plan, if it has runs, and the base scene, if both are valid.
    fn nonempty(&self) -> Option<(&Plan, &SceneText)> {
        self.plan.as_ref().filter(|plan| plan.run_count() > 0).zip(self.base_scene.as_ref())
    }

    /// Checks the scenes of all runs, and adds their diagnostics and the errors of results. The cost is predicted only
    /// for a new sweep, or if it is printed.
    fn check(
        &mut self,
        arguments: &SweepArguments,
        scene: &SceneArguments,
    ) -> (Checked, PredictedCost) {
        let (mut checked, mut predicted_cost) = (Checked::default(), PredictedCost::default());
        let mut errors = Vec::new();
        if let Some((plan, base_scene)) = self.nonempty() {
            let is_begun = !arguments.force && has_begun(arguments, base_scene);
            // The texts of all runs are checked. Their scenes are built only for a new sweep, because those of an
            // existing one were built when it began, or if the predicted cost is printed.
            checked = check(plan, base_scene);
            if !checked.has_errors() && (!is_begun || arguments.plan || arguments.slurm) {
                predicted_cost = predict_cost(&scene.scene, plan, base_scene, &mut checked);
            }
            errors.extend(unknown_columns(&self.measures, &predicted_cost.columns));
            errors.extend(unreached_times(&self.measures, plan, base_scene, arguments.steps));
        }
        self.errors.append(&mut errors);
        if let (None, Some(base_scene)) = (&self.plan, &self.base_scene) {
            self.diagnostics.extend(base_scene.load().err().into_iter().flatten());
        }
        self.diagnostics.extend(checked.diagnostics());
        (checked, predicted_cost)
    }
}

/// The errors for values of `--set` and `--vary` that values of `--vary` replace.
fn replaced_values(
    plan: Option<&Plan>,
    base_scene: Option<&SceneText>,
    set: &[String],
    vary: &[String],
) -> Vec<Diagnostic> {
    let Some((plan, base_scene)) = plan.zip(base_scene) else { return Vec::new() };
    let mut errors = plan.replaced_assignments(base_scene, set);
    errors.extend(plan.replaced_parameters(base_scene, vary));
    errors
}

/// Whether the output folder holds a sweep of this base scene.
fn has_begun(arguments: &SweepArguments, base_scene: &SceneText) -> bool {
    let path = output_folder(arguments, Some(&sweep_name(&arguments.scene.scene, base_scene)));
    let stored = SweepFolder::is_at(&path).then(|| SweepFolder::open(&path).and_then(|f| f.read()));
    let Some(Ok((_, stored_text))) = stored else { return false };
    SceneText::new("scene.ron", stored_text.as_str()).describes_same_scene(base_scene)
}

/// The failure that reports the messages `errors` and the `diagnostics`.
fn plan_failure(errors: Vec<String>, diagnostics: &[Diagnostic]) -> Failure {
    match diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        false => Failure::Input(errors.join("\n")),
        true => {
            Failure::Scene(DiagnosticReport::refusal(diagnostics).with_preface(errors.join("\n")))
        }
    }
}

/// Parses the results of `--result`; the error has one message per invalid result.
fn parse_measures(results: &[String]) -> Result<Vec<Measure>, String> {
    measures_from_lists(results)
        .map_err(|errors| errors.iter().map(malformed_result).collect::<Vec<_>>().join("\n"))
}

/// The message of a malformed result: its text, the error and a remedy.
fn malformed_result([text, message, help]: &[String; 3]) -> String {
    format!("error: --result {text}: {message}\n   = help: {help}")
}

/// The columns that measures of the complete runs can name, of as many runs as needed to find those of `measures`; empty
/// if no run is complete.
fn recorded_columns(
    folder: &SweepFolder,
    plan: &Plan,
    base_scene: &SceneText,
    measures: &[Measure],
) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for run in 0..plan.run_count() {
        if measures.iter().all(|measure| columns.contains(&measure.column)) {
            break;
        }
        // A damaged run has no columns; the table states the damage.
        let is_complete = folder.outcome_or_damage(run).state == State::Complete;
        let Some(history) = is_complete.then(|| folder.history(run).ok()).flatten() else {
            continue;
        };
        let scene = plan.text(base_scene, run).and_then(|text| text.read());
        let of_scene = scene.map_or_else(|_| Vec::new(), |scene| result_columns(&[], &scene));
        for column in history.names().iter().chain(&of_scene) {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
    }
    columns
}

/// The messages for measures whose column is not among `columns`, those of the history and probes of runs.
/// Without columns nothing is checked.
fn unknown_columns(measures: &[Measure], columns: &[String]) -> Vec<String> {
    let unknown_measures =
        measures.iter().filter(|measure| !columns.is_empty() && !columns.contains(&measure.column));
    let errors = unknown_measures.map(|measure| {
        format!(
            "error: --result {0}: history.csv and the probes have no column `{0}`\n   = help: there are: {1}",
            measure.column,
            columns.join(", ")
        )
    });
    errors.collect()
}

/// The messages for measures at a time that no run reaches. Runs end after `steps`, if given, or else at their duration.
fn unreached_times(
    measures: &[Measure],
    plan: &Plan,
    base_scene: &SceneText,
    steps: Option<u64>,
) -> Vec<String> {
    let timed = measures.iter().filter_map(|measure| match measure.statistic {
        Statistic::At(time) => Some((measure, time)),
        _ => None,
    });
    let timed: Vec<(&Measure, f64)> = timed.collect();
    if timed.is_empty() {
        return Vec::new();
    }
    let end_of = |run: usize| {
        let Scene { time, analysis, .. } = plan.text(base_scene, run).ok()?.read().ok()?;
        // The time along an equilibrium path is not known before.
        let is_path = matches!(analysis, Analysis::ArcLength { .. });
        let steps = steps.map_or(time.steps(), |steps| steps.min(time.steps()));
        Some(if is_path { f64::INFINITY } else { steps as f64 * time.step.seconds() })
    };
    let ends: Vec<f64> = (0..plan.run_count()).filter_map(end_of).collect();
    let longest = ends.iter().copied().fold(0.0, f64::max);
    let is_unreached = |time: f64| !ends.is_empty() && time > longest * (1.0 + ROUNDING);
    let unreached = timed.into_iter().filter(|(_, time)| is_unreached(*time));
    let message = |(measure, time): (&Measure, f64)| {
        format!(
            "error: --result {}:{time}: no run reaches {time} s: the longest ends at {longest} s\n   = help: an earlier time, or a \
             longer `time.duration`",
            measure.column
        )
    };
    unreached.map(message).collect()
}

/// The design that the options select; the error is a message.
fn parse_design(arguments: &SweepArguments) -> Result<Design, String> {
    let (name, runs) = (arguments.design.name(), arguments.runs.map(|runs| runs as usize));
    let design = Design::named(name, runs, arguments.seed.unwrap_or(0));
    let design = design.map_err(|error| format!("error: --runs: {error}"))?;
    match arguments.seed {
        Some(_) if !design.is_random() => {
            Err(format!("error: --seed: the design {name} draws no random samples; leave it out"))
        }
        _ => Ok(design),
    }
}

/// The name in the scene or, if it has none, the stem of the scene file `path`.
fn sweep_name(path: &Path, base_scene: &SceneText) -> String {
    let name_in_scene = base_scene.read().ok().and_then(|scene| scene.name);
    name_in_scene.unwrap_or_else(|| {
        path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into())
    })
}

/// The folder of the sweep: that of `-o`, or else the default for the `name` of the sweep.
fn output_folder(arguments: &SweepArguments, name: Option<&str>) -> PathBuf {
    let default = || PathBuf::from("out").join(format!("{}-sweep", name.unwrap_or("scene")));
    arguments.output.clone().unwrap_or_else(default)
}

/// The message of an error of the folder as an error of the command.
fn folder_error_text(error: &FolderError) -> String {
    format!("error: {}", with_remedy(error))
}

/// The message of an error of the folder, with the option that remedies it.
pub(super) fn with_remedy(error: &FolderError) -> String {
    match error {
        FolderError::Taken { .. } => format!("{error} with -o"),
        FolderError::Io { source, .. } if Refusal::of(source).is_some() => {
            format!("{error}; choose another folder with -o")
        }
        FolderError::Different { path, .. } => {
            format!(
                "{error} with -o, replace that one with --force, or continue it: `sim sweep {}`",
                path.display()
            )
        }
        _ => error.to_string(),
    }
}
