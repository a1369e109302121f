//! Scenes: definitions, checks and messages of the program.

use crate::arrays::to_bytes;
use crate::errors::{Failure, problem, translate_arguments};
use crate::foreign::{self, ForeignScene};
use crate::value;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use resile_assembly::estimate::Estimate;
use resile_assembly::{Built, build};
use resile_files::Durability;
use resile_runner::memory;
use resile_scene::description::{self, Problem, Severity, is_magnitude_warning, nearest};
use resile_scene::text::{Diagnostic, Form, SceneText};
use resile_scenes::ExampleScene;
use std::ffi::CString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Maximum size of a scene (bytes), as for the program.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum size of a mesh file (bytes).
const MAX_MESH_BYTES: u64 = 4 << 30;

/// A scene: its text and the location of its files.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    text: SceneText,
    /// Name of the scene, unless the text contains one.
    stem: String,
    /// The file from which the text was read, or the name of a built-in scene.
    pub(crate) origin: PathBuf,
    /// Names and contents of attached files, which exist in memory only.
    files: Vec<(String, Vec<u8>)>,
    /// Overrides since the text was read, in the syntax of `--set`.
    pub(crate) set: Vec<String>,
}

/// A built scene.
#[derive(Debug)]
pub(crate) struct BuiltScene {
    pub(crate) scene: description::Scene,
    pub(crate) built: Built,
    /// Temporary files of the scene, kept while they are needed.
    _files: Option<TempDir>,
}

impl Source {
    /// The built-in scene from which the text was read, if its origin is not a file.
    fn built_in(&self) -> Option<&'static ExampleScene> {
        if self.origin.exists() { None } else { resile_scenes::named(self.origin.to_str()?) }
    }

    /// The text with all overrides.
    pub(crate) fn text(&self) -> &str {
        self.text.text()
    }

    /// The text with all overrides and the defaults that it omits.
    pub(crate) fn with_defaults(&self, scene: &description::Scene) -> String {
        self.text.with_defaults(scene)
    }

    /// Parses the text and checks its names, types and numbers.
    pub(crate) fn checked(&self) -> Result<description::Scene, Failure> {
        let loaded = self.text.load();
        let to_failure = |diagnostics| Failure::Scene(translate_for_python(diagnostics));
        Ok(loaded.map_err(to_failure)?.scene)
    }

    /// The name in the scene, or that of its file.
    pub(crate) fn name(&self) -> String {
        self.text.read().map_or_else(|_| self.stem.clone(), |scene| self.name_of(&scene))
    }

    /// The name in the description of this scene, or that of its file.
    pub(crate) fn name_of(&self, scene: &description::Scene) -> String {
        scene.name.clone().unwrap_or_else(|| self.stem.clone())
    }

    /// The scene with these overrides, in the syntax of `--set`. Fails if one of them is invalid.
    fn with_overrides(&self, overrides: Vec<String>) -> Result<Self, Failure> {
        let mut changed = self.clone();
        for path_and_value in overrides {
            let result = changed.text.set(&path_and_value);
            result.map_err(|diagnostic| Failure::Scene(translate_for_python(vec![*diagnostic])))?;
            changed.set.push(path_and_value);
        }
        changed.checked()?;
        Ok(changed)
    }

    /// The folder with the files that the scene names. If there are attached or built-in files, it is a temporary
    /// folder with copies of all files, which is also returned and must exist as long as the files are used.
    fn folder(&self) -> Result<(PathBuf, Option<TempDir>), Failure> {
        let built_in = self.built_in();
        let embedded = built_in.map_or(&[][..], |scene| scene.files);
        let base = match built_in {
            Some(_) => PathBuf::new(),
            None => self.origin.parent().map_or_else(PathBuf::new, Path::to_path_buf),
        };
        if self.files.is_empty() && embedded.is_empty() {
            return Ok((base, None));
        }
        let temporary_failure = |error: std::io::Error| {
            let message =
                format!("the scene's files could not be written to a temporary folder: {error}");
            Failure::file("", message).with_remedy("set TMPDIR to a folder that can be written")
        };
        let temporary = tempfile::tempdir().map_err(temporary_failure)?;
        let folder = resile_files::Folder::open(temporary.path()).map_err(temporary_failure)?;
        let write = |name: &str, contents: &[u8]| {
            folder.write(name, contents, Durability::Written).map_err(temporary_failure)
        };
        // Files next to the scene are copied if the text names them.
        let base_folder = resile_files::Folder::open(&base).ok();
        for name in base_folder.iter().flat_map(|folder| folder.names().unwrap_or_default()) {
            let Some(name) = name.to_str() else { continue };
            if self.text().contains(&format!("\"{name}\"")) {
                let contents = resile_files::read(&base.join(name), MAX_MESH_BYTES);
                write(name, &contents.map_err(|error| Failure::file(name, error))?)?;
            }
        }
        embedded.iter().try_for_each(|(name, contents)| write(name, contents))?;
        self.files.iter().try_for_each(|(name, contents)| write(name, contents))?;
        Ok((temporary.path().to_path_buf(), Some(temporary)))
    }

    /// Builds the scene. All errors are reported together.
    pub(crate) fn build(&self) -> Result<BuiltScene, Failure> {
        let to_failure = |problems: &[Problem]| {
            let diagnostics = problems.iter().map(|problem| self.text.diagnose(problem)).collect();
            Failure::Scene(translate_for_python(diagnostics))
        };
        let scene = self.checked()?;
        if let Some(problem) = memory_problem(&scene) {
            return Err(to_failure(&[problem]));
        }
        let (folder, files) = self.folder()?;
        let built = build(&scene, &folder).map_err(|problems| to_failure(&problems))?;
        Ok(BuiltScene { scene, built, _files: files })
    }
}

/// Memory (bytes) that is certainly available: for less, the memory in use is not read, which takes a tenth of a
/// millisecond.
const AVAILABLE_MEMORY: f64 = (64_u64 << 20) as f64;

/// The problem of a scene that certainly requires more memory than is available; `None` for other scenes.
fn memory_problem(scene: &description::Scene) -> Option<Problem> {
    let Estimate { bodies, elements, memory: required_bytes } = Estimate::at_least(scene);
    if required_bytes < AVAILABLE_MEMORY {
        return None;
    }
    let limit = memory::default_limit().filter(|&limit| required_bytes > limit as f64)?;
    let [required, available] = [required_bytes as u64, limit].map(memory::format_bytes);
    let message = format!(
        "{bodies} bodies with {elements} elements: a run needs at least {required} of memory, and there are {available}"
    );
    let help = "make fewer copies or coarser meshes, or use a machine with more memory".to_owned();
    Some(Problem {
        severity: Severity::Error,
        path: "bodies".to_owned(),
        message,
        help,
        concerns_steps: false,
    })
}

/// Replaces options of the program in diagnostics by the corresponding calls of Python.
fn translate_for_python(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for diagnostic in &mut diagnostics {
        if diagnostic.file == "--set" {
            diagnostic.file = "scene.set".to_owned();
        }
        diagnostic.help = translate_arguments(&diagnostic.help);
    }
    diagnostics
}

/// Reads the text of a scene file. The error for a file that does not exist suggests built-in scenes with a similar
/// name.
fn read_scene(path: &Path) -> Result<String, Failure> {
    let read_failure = |reason: String| {
        let similar = path.to_str().into_iter().flat_map(resile_scenes::called);
        let suggestions: Vec<String> = similar.map(|scene| format!("\"{}\"", scene.name)).collect();
        let help = match &suggestions[..] {
            _ if path.exists() => String::new(),
            [] => {
                let list = "resile.scenes() lists the scenes inside the library";
                match path.to_str().and_then(similar_scene) {
                    Some(name) => format!("did you mean \"{name}\"? {list}"),
                    None => list.to_owned(),
                }
            }
            _ => format!("inside the library is {}", suggestions.join(" and ")),
        };
        let message = format!("the scene {} cannot be read: {reason}", path.display());
        Failure::file(path.display(), message).with_remedy(help)
    };
    let file = resile_files::open_given(path).map_err(|error| read_failure(error.to_string()))?;
    let mut bytes = Vec::new();
    let result = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    result.map_err(|error| read_failure(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(read_failure(format!("it is longer than {} MiB", MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| read_failure(format!("it is not UTF-8: {error}")))
}

/// The built-in scene whose name, with or without its folder, is similar to `name`.
fn similar_scene(name: &str) -> Option<&'static str> {
    let names = || resile_scenes::all().map(|scene| scene.name);
    nearest(name, names()).or_else(|| {
        let stem = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
        let similar = nearest(name, names().map(stem))?;
        names().find(|name| stem(name) == similar)
    })
}

/// A scene: bodies, materials, obstacles, contact, integrator, time. See the reference of scene files for every field.
#[pyclass(frozen, subclass, module = "resile")]
#[derive(Debug)]
pub(crate) struct Scene {
    source: Mutex<Source>,
}

impl Scene {
    fn lock(&self) -> MutexGuard<'_, Source> {
        // Locked only briefly, and never while the interpreter is released.
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current scene.
    pub(crate) fn source(&self) -> Source {
        self.lock().clone()
    }

    pub(crate) fn new(source: Source) -> Self {
        Self { source: Mutex::new(source) }
    }

    /// Parses and checks the text of a scene; `file` is the name of the text in messages. The other parameters are the
    /// fields of [`Source`].
    fn from_text(
        py: Python<'_>,
        text: &str,
        file: String,
        stem: String,
        origin: PathBuf,
    ) -> PyResult<Self> {
        let text = SceneText::new(file, text);
        let changes = text.changes();
        let mut source = Source { text, stem, origin, files: Vec::new(), set: Vec::new() };
        let scene = source.checked()?;
        if source.text.form() == Form::Json {
            // Fields are set and read in RON, and runs store the scene in RON.
            let text = source.text.to_ron().unwrap_or_else(|| scene.to_ron());
            source.text = SceneText::new(format!("{}.ron", source.stem), text);
        }
        warn_of_version(py, &source, changes)?;
        Ok(Self::new(source))
    }

    /// Checks a scene that was converted from the file `origin` of another program, and issues a warning for each note.
    fn from_foreign(
        py: Python<'_>,
        foreign: ForeignScene,
        stem: String,
        origin: PathBuf,
    ) -> PyResult<Self> {
        let ForeignScene { text, notes, files } = foreign;
        let text = SceneText::new(format!("{} as a scene", origin.display()), text);
        let source = Source { text, stem, origin, files, set: Vec::new() };
        source.checked()?;
        for note in &notes {
            warn(py, &format!("{}: {note}", source.origin.display()))?;
        }
        Ok(Self::new(source))
    }
}

/// The failure for a field that the text of a scene does not have.
fn absent_field(path: &str, help: &str) -> Failure {
    let message = format!("the scene's text has no field `{path}`; it may have a default");
    Failure::argument(path, "", message).with_remedy(help)
}

/// Warns of a text of an earlier version of the format; `changes` are [those of the text](SceneText::changes).
fn warn_of_version(py: Python<'_>, source: &Source, changes: Option<Vec<String>>) -> PyResult<()> {
    let Some(changes) = changes else { return Ok(()) };
    let changes = match &changes[..] {
        [] => "it is the same".to_owned(),
        changes => changes.join("; "),
    };
    let path = source.origin.display();
    let message = format!(
        "{path} has version 1 of the format. In version {}: {changes}. `sim new new.ron --from {path}` rewrites it",
        description::VERSION
    );
    warn(py, &message)
}

/// Issues a `UserWarning` at the place of the call.
fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let c_message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &c_message, 1)
}

#[pymethods]
impl Scene {
    /// Reads a scene file (RON or JSON), a file of another program (a script of IPC, a problem of PolyFEM, a deck of
    /// Abaqus or CalculiX), or a built-in scene by its name.
    #[staticmethod]
    pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let built_in =
            if path.exists() { None } else { path.to_str().and_then(resile_scenes::named) };
        let stem = path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy());
        let stem = stem.into_owned();
        Ok(match built_in {
            Some(scene) => {
                Self::from_text(py, scene.text, format!("{}.ron", scene.name), stem, path)?
            }
            None => match py.detach(|| foreign::read(&path))? {
                Some(foreign) => Self::from_foreign(py, foreign, stem, path)?,
                None => {
                    let text = read_scene(&path)?;
                    Self::from_text(py, &text, path.display().to_string(), stem, path)?
                }
            },
        })
    }

    /// Reads a scene from text in RON. Its files are relative to `folder`; default: the current folder.
    #[staticmethod]
    #[pyo3(signature = (text, *, name = "scene", folder = None))]
    fn from_ron(py: Python<'_>, text: &str, name: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        let origin = folder.unwrap_or_default().join(format!("{name}.ron"));
        Self::from_text(py, text, format!("{name}.ron"), name.to_owned(), origin)
    }

    /// Reads a scene from text in JSON, as written by `to_json`; see `from_ron` for `name` and `folder`.
    #[staticmethod]
    #[pyo3(signature = (text, *, name = "scene", folder = None))]
    fn from_json(
        py: Python<'_>,
        text: &str,
        name: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let origin = folder.unwrap_or_default().join(format!("{name}.json"));
        Self::from_text(py, text, format!("{name}.json"), name.to_owned(), origin)
    }

    /// Reads a scene from dicts, lists, numbers and text, in the form of JSON. NumPy arrays stand for lists.
    #[staticmethod]
    #[pyo3(signature = (fields, *, name = "scene", folder = None))]
    fn from_dict(
        fields: &Bound<'_, PyDict>,
        name: &str,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let py = fields.py();
        let text = py.import("resile._value")?.call_method1("to_json", (fields,))?;
        Self::from_json(py, &text.extract::<String>()?, name, folder)
    }

    /// The scene in JSON, without comments, with all values that were set.
    fn to_json(&self) -> String {
        // The text was parsed, so its brackets match.
        self.lock().text.to_json().unwrap_or_default()
    }

    /// The scene as dicts, lists, numbers and text, in the form of JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json(),))
    }

    /// The text in RON, including comments, with all values that were set.
    fn to_ron(&self) -> String {
        self.lock().text().to_owned()
    }

    /// Sets one field, such as `bodies.die.friction`, like `--set` of the program.
    fn set(&self, path: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let source = self.source();
        let changed =
            source.with_overrides(vec![value::to_override(&source.text, path, value)?])?;
        *self.lock() = changed;
        Ok(())
    }

    /// Sets several fields, all or none of them; checks follow the last one.
    fn update(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let source = self.source();
        let to_override = |(path, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            value::to_override(&source.text, &path.extract::<String>()?, &value)
        };
        let overrides = fields.iter().map(to_override).collect::<PyResult<_>>()?;
        let changed = source.with_overrides(overrides)?;
        *self.lock() = changed;
        Ok(())
    }

    fn __setitem__(&self, path: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(path, value)
    }

    /// Removes a field from the text, so that its default applies. Raises an exception for a field that is required, or
    /// that the text does not have.
    fn __delitem__(&self, path: &str) -> PyResult<()> {
        let source = self.source();
        if source.text.get(path).is_none() {
            return Err(absent_field(path, "there is nothing to remove").into());
        }
        // Refuses fields without a default, and items of lists.
        let mut changed = source.with_overrides(vec![format!("{path}=None")])?;
        changed.text = source.text;
        changed.text.remove(path);
        changed.checked()?;
        *self.lock() = changed;
        Ok(())
    }

    /// The text of a field; `None` if the scene does not contain it, so that a default applies.
    fn get(&self, path: &str) -> Option<String> {
        self.lock().text.get(path).map(str::to_owned)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        let Some(text) = self.get(path) else {
            let help = "scene.get(path) is None then; scene.set(path, value) writes it";
            return Err(absent_field(path, help).into());
        };
        py.import("resile._value")?.call_method1("parse", (text,))
    }

    /// Adds a file that the scene may name, such as a mesh; `name` must not contain a folder.
    fn attach(&self, name: &str, contents: &Bound<'_, PyAny>) -> PyResult<()> {
        if Path::new(name).file_name() != Some(name.as_ref()) {
            let message = format!("\"{name}\" is no plain name of a file");
            return Err(Failure::argument("name", name, message).into());
        }
        let contents = to_bytes("contents", contents)?;
        let mut source = self.lock();
        source.files.retain(|(known, _)| known != name);
        source.files.push((name.to_owned(), contents));
        Ok(())
    }

    /// Whether the text of the scene has this field.
    fn __contains__(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Builds the scene and lists its warnings of values that are valid but probably unintended.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let source = self.source();
        let pool = crate::pool::get(py, 1)?;
        let loaded = py.detach(|| pool.install(|| source.build()))?;
        let is_deck = foreign::is_deck(&source.origin);
        let applies = |warning: &&Problem| !(is_deck && is_magnitude_warning(warning));
        let warnings = loaded.built.warnings.iter().filter(applies);
        let diagnostics = warnings.map(|warning| source.text.diagnose(warning)).collect();
        translate_for_python(diagnostics).iter().map(|diagnostic| problem(py, diagnostic)).collect()
    }

    /// The name in the scene, or that of its file.
    #[getter]
    fn name(&self) -> String {
        self.lock().name()
    }

    /// Names of the bodies in the file, before they are copied.
    #[getter]
    fn bodies(&self) -> PyResult<Vec<String>> {
        Ok(self.lock().checked()?.bodies.into_iter().map(|body| body.name).collect())
    }

    /// Length of a time step (s).
    #[getter]
    fn step(&self) -> PyResult<f64> {
        Ok(self.lock().checked()?.time.step.seconds())
    }

    /// Simulated time (s).
    #[getter]
    fn duration(&self) -> PyResult<f64> {
        Ok(self.lock().checked()?.time.duration)
    }

    /// The file of the scene, or the name of a built-in scene.
    #[getter]
    fn origin(&self) -> PathBuf {
        self.lock().origin.clone()
    }

    fn __copy__(&self) -> Self {
        Self::new(self.source())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self::new(self.source())
    }

    fn __eq__(&self, other: &Self) -> bool {
        let [a, b] = [self.source(), other.source()];
        a.text() == b.text() && a.files == b.files
    }

    fn __repr__(&self) -> String {
        format!("<resile.Scene {:?}>", self.name())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let source = slf.get().source();
        let files: Vec<_> =
            source.files.iter().map(|(name, data)| (name, PyBytes::new(py, data))).collect();
        let (file, text) = (source.text.file(), source.text());
        let state = (text, file, &source.stem, &source.origin, files, &source.set);
        Ok((slf.get_type().getattr("_restored")?, state.into_pyobject(py)?))
    }

    /// Restores a scene from the content of a pickle.
    #[staticmethod]
    fn _restored(
        text: &str,
        file: &str,
        stem: String,
        origin: PathBuf,
        files: Vec<(String, Vec<u8>)>,
        set: Vec<String>,
    ) -> Self {
        // The origin may be a file in JSON, from which the text was converted.
        Self::new(Source { text: SceneText::new(file, text), stem, origin, files, set })
    }
}

/// Names of the built-in scenes, with a description of each.
#[pyfunction]
pub(crate) fn scenes() -> Vec<(&'static str, String)> {
    resile_scenes::all().map(|scene| (scene.name, scene.summary())).collect()
}
