//! Loads the scene of a command line.

use crate::Failure;
use crate::example::{built_in, similar_scene};
use crate::generated::{drop_magnitude_warnings, generate_again, generated_folder, import_foreign};
use crate::options::SceneArguments;
use crate::report::{DiagnosticReport, counted, digits};
use crate::scene_file::is_deck_name;
use crate::several_runs::hint_for_runs;
use crate::stream::note;
use resile_assembly::estimate::Estimate;
use resile_assembly::{Built, build};
use resile_files::open_given;
use resile_import::ForeignFormat;
use resile_record::{Fingerprint, OriginalFile};
use resile_runner::memory;
use resile_scene::description::{Analysis, Problem, Scene, Severity, VERSION};
use resile_scene::text::{Diagnostic, SceneText};
use resile_scenes::Folder;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Once;
use tempfile::TempDir;

/// A built scene.
#[derive(Debug)]
pub(crate) struct BuiltScene {
    /// The file's stem.
    pub(crate) name: String,
    pub(crate) scene: Scene,
    pub(crate) built: Built,
    /// The warnings of `built`, located in the text.
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) fingerprint: Fingerprint,
    /// The text of the scene in RON with all overrides, and with the defaults of omitted fields.
    pub(crate) text: String,
    /// The fields that the file omits, with their defaults.
    pub(crate) defaults: Vec<String>,
    /// Temporary files of a built-in scene.
    _files: Option<TempDir>,
}

impl BuiltScene {
    /// The name in the scene, or that of its file.
    pub(crate) fn title(&self) -> &str {
        self.scene.name.as_ref().unwrap_or(&self.name)
    }

    /// Removes the warnings of time steps, duration and integrator, for work that takes no step.
    pub(crate) fn drop_step_warnings(&mut self) {
        let concerned = self.built.warnings.iter().map(|warning| warning.concerns_steps);
        let warnings = std::mem::take(&mut self.warnings).into_iter().zip(concerned);
        self.warnings = warnings.filter(|(_, concerns)| !concerns).map(|(w, _)| w).collect();
        self.built.warnings.retain(|warning| !warning.concerns_steps);
    }
}

/// Reads a scene, applies overrides, checks and builds it; reports all errors in one failure.
pub(crate) fn load(arguments: &SceneArguments) -> Result<BuiltScene, Failure> {
    load_within(arguments, memory::default_limit())
}

/// Reads, checks and builds a scene as [`load`] does, with this limit of memory (bytes), if there is one.
pub(crate) fn load_within(
    arguments: &SceneArguments,
    memory_limit: Option<u64>,
) -> Result<BuiltScene, Failure> {
    let refuse = |diagnostics: Vec<_>| Failure::Scene(DiagnosticReport::refusal(&diagnostics));
    let text = read(arguments)?.map_err(refuse)?;
    let scene = text.read().map_err(refuse)?;
    if let Some(problem) = cannot_fit(&scene, memory_limit) {
        return Err(refuse(vec![text.diagnose(&problem)]));
    }
    load_text(&arguments.scene, &text)
}

/// The problem of a scene whose lower estimate of memory exceeds `memory_limit` (bytes); `None` if the scene may fit or
/// there is no limit. The scene need not be built.
pub(crate) fn cannot_fit(scene: &Scene, memory_limit: Option<u64>) -> Option<Problem> {
    let Estimate { bodies, elements, memory: needed } = Estimate::at_least(scene);
    let exceeded_limit = memory_limit.filter(|&limit| needed > limit as f64)?;
    let [needed_text, limit_text] = [needed as u64, exceeded_limit].map(memory::format_bytes);
    Some(Problem {
        severity: Severity::Error,
        path: "bodies".to_owned(),
        message: format!(
            "{} with {} elements: a run needs at least {needed_text} of memory, and there are {limit_text}",
            counted(bodies as usize, "body", "bodies"),
            digits(elements)
        ),
        help: "make fewer copies or coarser meshes, raise --memory, or use a larger machine"
            .to_owned(),
        concerns_steps: false,
    })
}

/// Checks and builds a scene that is given as text; mesh paths are relative to the file `path`.
pub(crate) fn load_text(path: &Path, text: &SceneText) -> Result<BuiltScene, Failure> {
    assemble(path, text, |problem| text.diagnose(problem))
        .map_err(|diagnostics| Failure::Scene(DiagnosticReport::refusal(&diagnostics)))
}

/// Reads the text of a scene and applies its overrides. The inner error holds the diagnostics of an invalid override;
/// the outer error is that of a file that cannot be read or imported.
pub(crate) fn read(
    arguments: &SceneArguments,
) -> Result<Result<SceneText, Vec<Diagnostic>>, Failure> {
    let path = &arguments.scene;
    let mut text = match built_in(path) {
        Some(scene) => SceneText::new(format!("{}.ron", scene.name), scene.text),
        None => match ForeignFormat::of(path) {
            Some(format) => import_foreign(path, format)?,
            None if is_deck_name(path) && path.is_file() => {
                return Err(crate::import::unknown_format(path));
            }
            None => SceneText::new(path.display().to_string(), read_scene_text(path)?),
        },
    };
    note_version(path, &text);
    for assignment in &arguments.set {
        if let Err(diagnostic) = text.set(assignment) {
            return Ok(Err(vec![*diagnostic]));
        }
    }
    note_replaced_overrides(&text, &arguments.set);
    if arguments.replaces_dynamics
        && !follows_path(&text)
        && let Err(diagnostic) = text.set("analysis=Static")
    {
        return Ok(Err(vec![*diagnostic]));
    }
    Ok(Ok(text))
}

/// Whether the analysis of a scene is an equilibrium path; a scene that cannot be read is reported later.
fn follows_path(text: &SceneText) -> bool {
    text.read().is_ok_and(|scene| matches!(scene.analysis, Analysis::ArcLength { .. }))
}

/// If a scene has version 1 of the format, prints how the current version differs; at most once per process.
fn note_version(path: &Path, text: &SceneText) {
    static ONCE: Once = Once::new();
    let Some(changes) = text.changes() else { return };
    ONCE.call_once(|| {
        let changes = match &changes[..] {
            [] => "it is the same".to_owned(),
            changes => changes.join("; "),
        };
        let path = path.display();
        note(format_args!(
            "note: {path} has version 1 of the format. In version {VERSION}: {changes}. `sim new new.ron --from {path}` rewrites it"
        ));
    });
}

/// Prints which overrides later ones replace; at most once per process. `text` is the scene with all of them.
fn note_replaced_overrides(text: &SceneText, overrides: &[String]) {
    static ONCE: Once = Once::new();
    let path = |argument: &str| argument.split('=').next().unwrap_or_default().trim().to_owned();
    let replaced: Vec<(&String, &String)> = (overrides.iter().enumerate())
        .filter_map(|(index, argument)| {
            let mut later = overrides[index + 1..].iter();
            let other = later.find(|other| text.covers(&path(other), &path(argument)))?;
            Some((argument, other))
        })
        .collect();
    if !replaced.is_empty() {
        ONCE.call_once(|| {
            for (argument, other) in replaced {
                note(format_args!("note: `--set {argument}` has no effect: `{other}` replaces it"));
            }
        });
    }
}

/// Extensions of scene files that a user may have omitted.
const SCENE_EXTENSIONS: [&str; 3] = [".ron", ".json", ".inp"];

/// A line of help for the missing scene file `path`. In this order it names: the file with an omitted extension, the
/// built-in scenes of this name in any folder, the folder of built-in scenes of this name, and the list of all built-in
/// scenes.
pub(crate) fn hint_for_missing_file(path: &Path) -> String {
    let completed_paths = SCENE_EXTENSIONS.map(|extension| {
        let mut completed = path.as_os_str().to_owned();
        completed.push(extension);
        PathBuf::from(completed)
    });
    if let Some(file) = completed_paths.iter().find(|file| file.is_file()) {
        return format!("\n   = help: did you mean `{}`?", file.display());
    }
    let name = path.to_str();
    let scenes = name.into_iter().flat_map(resile_scenes::called);
    let quoted_scene_names: Vec<String> = scenes.map(|scene| format!("`{}`", scene.name)).collect();
    match (&quoted_scene_names[..], name.and_then(Folder::named)) {
        ([], Some(folder)) => format!(
            "\n   = help: `{0}` is a folder of built-in scenes; `sim scenes {0}` lists them",
            folder.name
        ),
        ([], None) => {
            let similar = name.and_then(similar_scene);
            let similar = similar.map_or(String::new(), |name| format!("did you mean `{name}`? "));
            format!(
                "\n   = help: {similar}`sim scenes` lists the built-in scenes, which run by name: `sim run first`"
            )
        }
        (names, _) => format!("\n   = help: there is the built-in scene {}", names.join(" and ")),
    }
}

/// The folder to which the paths in a scene are relative: that of the scene file, or that of its generated meshes, or,
/// for a built-in scene, a temporary folder with its files. A built-in scene without built-in files reads files in the
/// current folder.
fn scene_folder(path: &Path) -> std::io::Result<(PathBuf, Option<TempDir>)> {
    match built_in(path).map(|scene| scene.files) {
        None => {
            let folder_of_file = || path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            Ok((generated_folder(path).unwrap_or_else(folder_of_file), None))
        }
        Some([]) => Ok((PathBuf::new(), None)),
        Some(files) => {
            let temporary_folder = tempfile::tempdir()?;
            let opened_folder = resile_files::Folder::open(temporary_folder.path())?;
            for (name, contents) in files {
                opened_folder.write_new(name, contents)?;
            }
            Ok((temporary_folder.path().to_path_buf(), Some(temporary_folder)))
        }
    }
}

/// Maximum length of a scene file (bytes), enough for about a hundred thousand explicit bodies.
const MAX_SCENE_BYTES: u64 = 64 << 20;

/// A line of help if the path of a scene is a folder, such as that of a run.
fn hint_for_folder(path: &Path) -> String {
    let (folder, scene_file) = (path.display(), path.join("scene.ron"));
    if scene_file.is_file() && path.join("run.json").is_file() {
        return format!(
            "\n   = help: it is the folder of a run: `sim view {folder}` shows it, `sim rerun {folder}` repeats it, and its scene is {}",
            scene_file.display()
        );
    }
    match hint_for_runs(path) {
        Some(hint) => format!("\n   = help: {hint}"),
        None => "\n   = help: name a file in it".to_owned(),
    }
}

/// Reads a scene file, which must be UTF-8 and at most [`MAX_SCENE_BYTES`] long.
pub(crate) fn read_scene_text(path: &Path) -> Result<String, Failure> {
    let read_failure = |reason: String| {
        let message = format!("error: the scene {} cannot be read: {reason}", path.display());
        let hint = if path.is_dir() {
            hint_for_folder(path)
        } else if path.exists() {
            String::new()
        } else {
            hint_for_missing_file(path)
        };
        Failure::Input(message + &hint)
    };
    let file = open_given(path).map_err(|e| read_failure(e.to_string()))?;
    let mut bytes = Vec::new();
    // One byte beyond the limit detects longer input, also from a pipe, which has no length.
    file.take(MAX_SCENE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| read_failure(e.to_string()))?;
    if bytes.len() as u64 > MAX_SCENE_BYTES {
        return Err(read_failure(format!(
            "it is longer than {} MiB; put meshes into files of their own and copies into `repeat`",
            MAX_SCENE_BYTES >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_bytes = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid_bytes.iter().filter(|&&byte| byte == b'\n').count();
        let last_newline = valid_bytes.iter().rposition(|&byte| byte == b'\n');
        let line_start = last_newline.map_or(0, |newline| newline + 1);
        let column = 1 + String::from_utf8_lossy(&valid_bytes[line_start..]).chars().count();
        let invalid_byte = error.as_bytes()[valid_bytes.len()];
        Failure::Input(format!(
            "error: {}:{line}:{column}: byte 0x{invalid_byte:02x} is not UTF-8, in which scenes are \
             written; save the file as UTF-8",
            path.display()
        ))
    })
}

/// Builds the scene of `text`, with the paths in it relative to the folder of the scene file `path`. `diagnose`
/// locates a problem in the text.
pub(crate) fn assemble(
    path: &Path,
    text: &SceneText,
    diagnose: impl Fn(&Problem) -> Diagnostic,
) -> Result<BuiltScene, Vec<Diagnostic>> {
    let scene = text.read()?;
    generate_again(path, text)?;
    let (folder, files) = scene_folder(path).map_err(|error| {
        vec![diagnose(&Problem {
            severity: Severity::Error,
            path: String::new(),
            message: format!(
                "the scene's files could not be written to a temporary folder: {error}"
            ),
            help: "set TMPDIR to a folder that can be written".to_owned(),
            concerns_steps: false,
        })]
    })?;
    let mut built = build(&scene, &folder).map_err(|mut problems| {
        problems.iter_mut().for_each(|problem| add_missing_file_comment(path, problem));
        diagnosed(&problems, &diagnose)
    })?;
    if files.is_some() || generated_folder(path).is_some() {
        name_originals(&mut built.originals, &folder);
    }
    drop_magnitude_warnings(path, &mut built.warnings);
    let warnings = diagnosed(&built.warnings, &diagnose);
    let name = path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    let fingerprint = built.fingerprint(&scene);
    // The folder of a run stores the scene in RON with all defaults.
    let defaults = text.defaults(&scene);
    let text = text.with_defaults(&scene);
    Ok(BuiltScene { name, scene, built, warnings, fingerprint, text, defaults, _files: files })
}

/// Names the originals of a built-in or imported scene as the scene does. Their paths in the temporary folder differ between runs,
/// whose files are bitwise equal.
fn name_originals(originals: &mut [OriginalFile], temporary_folder: &Path) {
    for original in originals {
        if let Ok(name) = original.path.strip_prefix(temporary_folder) {
            original.source = name.to_owned();
        }
    }
}

/// If a built-in scene reads a file that is not built in, and the file cannot be opened, replaces the remedy by the
/// comment at the top of the scene, which says where the file comes from.
fn add_missing_file_comment(path: &Path, problem: &mut Problem) {
    let Some(scene) = built_in(path) else { return };
    if scene.files.is_empty() && problem.message.contains("cannot be opened") {
        let comment_lines = scene.text.lines().map_while(|line| line.strip_prefix("//"));
        let comment = comment_lines.map(str::trim).collect::<Vec<_>>().join(" ");
        problem.help = format!("put it into the current folder; the scene says: {comment}");
    }
}

/// Converts problems to diagnostics, which `diagnose` locates in the text of the scene.
pub(crate) fn diagnosed(
    problems: &[Problem],
    diagnose: impl Fn(&Problem) -> Diagnostic,
) -> Vec<Diagnostic> {
    problems.iter().map(diagnose).collect()
}
