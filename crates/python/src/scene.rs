//! Scenes: definitions, checks and messages of the program.

use crate::errors::{Failure, problem};
use crate::value;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use resile_assembly::estimate::Estimate;
use resile_assembly::{Built, build};
use resile_files::Durability;
use resile_runner::memory;
use resile_scene::description::{self, Problem, Severity};
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
    /// The file it was read from, or the name of a scene inside the library.
    pub(crate) origin: PathBuf,
    /// Files that came from memory: name and contents.
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
    fn inside(&self) -> Option<&'static ExampleScene> {
        if self.origin.exists() { None } else { resile_scenes::named(self.origin.to_str()?) }
    }

    /// The text with all overrides.
    pub(crate) fn text(&self) -> &str {
        self.text.text()
    }

    /// The text with all overrides, for a text in RON also with the defaults that it omits.
    pub(crate) fn with_defaults(&self, scene: &description::Scene) -> String {
        match self.text.form() {
            Form::Ron => self.text.with_defaults(scene),
            Form::Json => self.text().to_owned(),
        }
    }

    /// The description, without errors of names, types and numbers.
    pub(crate) fn checked(&self) -> Result<description::Scene, Failure> {
        Ok(self
            .text
            .load()
            .map_err(|diagnostics| Failure::Scene(translate_for_python(diagnostics)))?
            .scene)
    }

    /// The name in the scene, or that of its file.
    pub(crate) fn name(&self) -> String {
        self.text.read().map_or_else(|_| self.stem.clone(), |scene| self.name_of(&scene))
    }

    /// The name in the description of this scene, or that of its file.
    pub(crate) fn name_of(&self, scene: &description::Scene) -> String {
        scene.name.clone().unwrap_or_else(|| self.stem.clone())
    }

    /// Sets fields, all or none of them.
    fn with(&self, fields: Vec<String>) -> Result<Self, Failure> {
        let mut changed = self.clone();
        for field in fields {
            let set = changed.text.set(&field);
            set.map_err(|diagnostic| Failure::Scene(translate_for_python(vec![*diagnostic])))?;
            changed.set.push(field);
        }
        changed.checked()?;
        Ok(changed)
    }

    /// The folder with the files that the scene names. Files from memory are written to a temporary folder.
    fn folder(&self) -> Result<(PathBuf, Option<TempDir>), Failure> {
        let inside = self.inside();
        let embedded = inside.map_or(&[][..], |scene| scene.files);
        let base = match inside {
            Some(_) => PathBuf::new(),
            None => self.origin.parent().map_or_else(PathBuf::new, Path::to_path_buf),
        };
        if self.files.is_empty() && embedded.is_empty() {
            return Ok((base, None));
        }
        let refused = |error: std::io::Error| {
            let message =
                format!("the scene's files could not be written to a temporary folder: {error}");
            Failure::file("", message).with_remedy("set TMPDIR to a folder that can be written")
        };
        let created = tempfile::tempdir().map_err(refused)?;
        let within = resile_files::Folder::open(created.path()).map_err(refused)?;
        let write = |name: &str, contents: &[u8]| {
            within.write(name, contents, Durability::Written).map_err(refused)
        };
        // Files next to the scene are copied if the text names them.
        let named = resile_files::Folder::open(&base).ok();
        for name in named.iter().flat_map(|folder| folder.names().unwrap_or_default()) {
            let Some(name) = name.to_str() else { continue };
            if self.text().contains(&format!("\"{name}\"")) {
                let read = resile_files::read(&base.join(name), MAX_MESH_BYTES);
                write(name, &read.map_err(|error| Failure::file(name, error))?)?;
            }
        }
        embedded.iter().try_for_each(|(name, contents)| write(name, contents))?;
        self.files.iter().try_for_each(|(name, contents)| write(name, contents))?;
        Ok((created.path().to_path_buf(), Some(created)))
    }

    /// Builds the scene. All errors are reported together.
    pub(crate) fn build(&self) -> Result<BuiltScene, Failure> {
        let to_error = |problems: &[Problem]| {
            let diagnostics = problems.iter().map(|problem| self.text.diagnose(problem)).collect();
            Failure::Scene(translate_for_python(diagnostics))
        };
        let scene = self.checked()?;
        if let Some(problem) = cannot_fit(&scene) {
            return Err(to_error(&[problem]));
        }
        let (folder, files) = self.folder()?;
        let built = build(&scene, &folder).map_err(|problems| to_error(&problems))?;
        Ok(BuiltScene { scene, built, _files: files })
    }
}

/// Memory (bytes) that is certainly available: for less, the memory in use is not read, which takes a tenth of a
/// millisecond.
const AVAILABLE_MEMORY: f64 = (64_u64 << 20) as f64;

/// The problem of a scene that certainly requires more memory than available.
fn cannot_fit(scene: &description::Scene) -> Option<Problem> {
    let Estimate { bodies, elements, memory: needed } = Estimate::at_least(scene);
    if needed < AVAILABLE_MEMORY {
        return None;
    }
    let limit = memory::default_limit().filter(|&limit| needed > limit as f64)?;
    let [needed, limit] = [needed as u64, limit].map(memory::format_bytes);
    let message = format!(
        "{bodies} bodies with {elements} elements: a run needs at least {needed} of memory, and there are {limit}"
    );
    let help = "make fewer copies or coarser meshes, or use a machine with more memory".to_owned();
    Some(Problem { severity: Severity::Error, path: "bodies".to_owned(), message, help })
}

/// Replaces `--set` in findings by the corresponding call of Python.
fn translate_for_python(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for diagnostic in &mut diagnostics {
        if diagnostic.file == "--set" {
            diagnostic.file = "scene.set".to_owned();
            diagnostic.help =
                diagnostic.help.replace("`--set path=value`", "scene.set(path, value)");
        }
    }
    diagnostics
}

fn read_scene(path: &Path) -> Result<String, Failure> {
    let refused = |reason: String| {
        let meant = path.to_str().into_iter().flat_map(resile_scenes::called);
        let meant: Vec<String> = meant.map(|scene| format!("\"{}\"", scene.name)).collect();
        let help = match &meant[..] {
            _ if path.exists() => String::new(),
            [] => "resile.scenes() lists the scenes inside the library".to_owned(),
            _ => format!("inside the library is {}", meant.join(" and ")),
        };
        let message = format!("the scene {} cannot be read: {reason}", path.display());
        Failure::file(path.display(), message).with_remedy(help)
    };
    let file = resile_files::open_given(path).map_err(|error| refused(error.to_string()))?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| refused(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(refused(format!("it is longer than {} MiB", MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| refused(format!("it is not UTF-8: {error}")))
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

    fn new(source: Source) -> Self {
        Self { source: Mutex::new(source) }
    }

    fn of_text(
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
            source.text = SceneText::new(format!("{}.ron", source.stem), scene.to_ron());
        }
        warn_of_version(py, &source, changes)?;
        Ok(Self::new(source))
    }
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
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

#[pymethods]
impl Scene {
    /// Reads a scene file (RON or JSON), or a built-in scene by its name.
    #[staticmethod]
    pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let inside =
            if path.exists() { None } else { path.to_str().and_then(resile_scenes::named) };
        let stem = path.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy());
        let stem = stem.into_owned();
        Ok(match inside {
            Some(scene) => {
                Self::of_text(py, scene.text, format!("{}.ron", scene.name), stem, path)?
            }
            None => {
                let text = read_scene(&path)?;
                Self::of_text(py, &text, path.display().to_string(), stem, path)?
            }
        })
    }

    /// Reads a scene from text in RON. Its files are relative to `folder`; default: the current folder.
    #[staticmethod]
    #[pyo3(signature = (text, *, name = "scene", folder = None))]
    fn from_ron(py: Python<'_>, text: &str, name: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        let origin = folder.unwrap_or_default().join(format!("{name}.ron"));
        Self::of_text(py, text, format!("{name}.ron"), name.to_owned(), origin)
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
        Self::of_text(py, text, format!("{name}.json"), name.to_owned(), origin)
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
        let changed = source.with(vec![value::to_override(&source.text, path, value)?])?;
        *self.lock() = changed;
        Ok(())
    }

    /// Sets several fields, all or none of them; checks follow the last one.
    fn update(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let source = self.source();
        let field = |(path, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            value::to_override(&source.text, &path.extract::<String>()?, &value)
        };
        let changed = source.with(fields.iter().map(field).collect::<PyResult<_>>()?)?;
        *self.lock() = changed;
        Ok(())
    }

    fn __setitem__(&self, path: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(path, value)
    }

    /// The text of a field; `None` if the scene does not contain it, so that a default applies.
    fn get(&self, path: &str) -> Option<String> {
        self.lock().text.get(path).map(str::to_owned)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        let Some(text) = self.get(path) else {
            let message = format!("the scene's text has no field `{path}`; it may have a default");
            let help = "scene.get(path) is None then; scene.set(path, value) writes it";
            return Err(Failure::argument(path, "", message).with_remedy(help).into());
        };
        py.import("resile._value")?.call_method1("parse", (text,))
    }

    /// Adds a file that the scene may name, such as a mesh; `name` must not contain a folder.
    fn attach(&self, name: &str, contents: Vec<u8>) -> PyResult<()> {
        if Path::new(name).file_name() != Some(name.as_ref()) {
            let message = format!("\"{name}\" is no plain name of a file");
            return Err(Failure::argument("name", name, message).into());
        }
        let mut source = self.lock();
        source.files.retain(|(known, _)| known != name);
        source.files.push((name.to_owned(), contents));
        Ok(())
    }

    /// Builds the scene and lists its warnings: what is valid but probably unintended.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let source = self.source();
        let pool = crate::pool::get(py, 1)?;
        let loaded = py.detach(|| pool.install(|| source.build()))?;
        let diagnostics = loaded
            .built
            .warnings
            .iter()
            .map(|diagnostic| source.text.diagnose(diagnostic))
            .collect();
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
        let state = (source.text(), &source.stem, &source.origin, files, &source.set);
        Ok((slf.get_type().getattr("_restored")?, state.into_pyobject(py)?))
    }

    /// Content of a pickle.
    #[staticmethod]
    fn _restored(
        text: &str,
        stem: String,
        origin: PathBuf,
        files: Vec<(String, Vec<u8>)>,
        set: Vec<String>,
    ) -> Self {
        let text = SceneText::new(origin.display().to_string(), text);
        Self::new(Source { text, stem, origin, files, set })
    }
}

/// Names of the built-in scenes, with a description of each.
#[pyfunction]
pub(crate) fn scenes() -> Vec<(&'static str, String)> {
    resile_scenes::all().map(|scene| (scene.name, scene.summary())).collect()
}
