//! Films, pages and checks of runs.

use crate::arrays::to_numbers;
use crate::attended::{TaskOutcome, run_observed};
use crate::counts;
use crate::errors::Failure;
use crate::pool;
use pyo3::prelude::*;
use resile_files::{Durability, File, Folder};
use resile_record::{Origin, Playback, RunFolder, Summary};
use resile_render::{Apng, Coloring, Film, FilmError, FilmFile, FilmOptions, Gif, Image, Mp4};
use resile_render::{EncodeError, Overlay, Palette, write_png};
use resile_scene::text::SceneText;
use resile_verify::Verifier;
use resile_view::{PageMode, ViewError, write_page as write_view};
use resile_watch::Interrupt;
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Checks every frame of a run for crossings by exact arithmetic and returns the report as JSON.
#[pyfunction]
#[pyo3(signature = (folder, *, threads = None))]
pub(crate) fn verify(
    py: Python<'_>,
    folder: PathBuf,
    #[pyo3(from_py_with = counts::threads)] threads: Option<usize>,
) -> PyResult<String> {
    let threads = pool::threads(py, threads)?;
    let pool = pool::get(py, threads)?;
    let interrupt = Interrupt::new();
    let work = || -> Result<String, Failure> {
        let file_failure = |error: &dyn std::fmt::Display| Failure::file(folder.display(), error);
        let run = RunFolder::at(&folder);
        let (_, text) = Origin::read(&run).map_err(|error| file_failure(&error))?;
        let scene_text = SceneText::new(run.scene().display().to_string(), text);
        let rules = scene_text.load().map_err(Failure::Scene)?.scene.rules();
        let verifier = Verifier::open(&rules, &folder).map_err(|error| file_failure(&error))?;
        let report = verifier.run_until_cancelled(&mut |_| unless_raised(&interrupt));
        report.map(|report| report.to_json()).ok_or_else(|| interrupted("the check"))
    };
    finish(run_observed(py, pool, &interrupt, work, |_| Ok(()))?)
}

/// Cancels work once the interrupt is raised.
fn unless_raised(interrupt: &Interrupt) -> ControlFlow<()> {
    match interrupt.is_raised() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// The failure of interrupted work, which is seen only if Python has no exception for it.
fn interrupted(work: &str) -> Failure {
    Failure::Interrupted(format!("{work} was interrupted"))
}

/// The result of some work, or the exception that Python raised meanwhile.
fn finish<T>(outcome: TaskOutcome<Result<T, Failure>>) -> PyResult<T> {
    match outcome.exception {
        Some(exception) => Err(exception),
        None => Ok(outcome.result?),
    }
}

/// Writes a run as one HTML file that plays in a browser.
#[pyfunction]
pub(crate) fn write_page(py: Python<'_>, folder: PathBuf, path: PathBuf) -> PyResult<()> {
    let pool = pool::get(py, 1)?;
    let interrupt = Interrupt::new();
    let work = || -> Result<(), Failure> {
        let run =
            Playback::open(&folder).map_err(|error| Failure::file(folder.display(), error))?;
        let title =
            Summary::read(&run.folder().summary()).map_or_else(|_| "run".to_owned(), |s| s.scene);
        replace(&path, |file| {
            let mut out = BufWriter::new(file);
            let mut progress = |_, _| unless_raised(&interrupt);
            let written = write_view(&run, &title, PageMode::Whole, &mut out, &mut progress);
            written.map_err(|error| match error {
                ViewError::Cancelled => interrupted("the page"),
                error => Failure::file(folder.display(), error),
            })?;
            out.flush().map_err(|error| Failure::file(path.display(), error))
        })
    };
    finish(run_observed(py, pool, &interrupt, work, |_| Ok(()))?)
}

/// Calls `write` with a temporary file, and moves the file to `path` when it is complete.
fn replace<T>(path: &Path, write: impl FnOnce(&File) -> Result<T, Failure>) -> Result<T, Failure> {
    let file_failure = |error: std::io::Error| Failure::file(path.display(), error);
    let (folder, name) = Folder::parent_of(path).map_err(file_failure)?;
    let unfinished = folder.begin(name).map_err(file_failure)?;
    let result = write(unfinished.file())?;
    unfinished.keep(Durability::Written).map_err(file_failure)?;
    Ok(result)
}

/// Writes the first image of a film as PNG and ignores all others.
struct SinglePicture<'a> {
    /// `None` after the first image.
    writer: Option<BufWriter<&'a File>>,
}

impl FilmFile for SinglePicture<'_> {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        self.writer.take().map_or(Ok(()), |writer| write_png(image, writer))
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Ok(())
    }
}

/// Makes a film (.mp4, .gif, .png) of a run, or with `at` one picture (.png); returns the number of pictures.
#[pyfunction]
#[pyo3(signature = (folder, path, *, size = (1280, 720), fps = None, speed = 1.0, start = None, end = None, at = None,
    color = "body", range = None, edges = false, section = None, view = None, orbit = 0.0, follow = None, text = false,
    energies = false, force = false, threads = None))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn render(
    py: Python<'_>,
    folder: PathBuf,
    path: PathBuf,
    #[pyo3(from_py_with = counts::size)] size: (usize, usize),
    fps: Option<f64>,
    speed: f64,
    start: Option<f64>,
    end: Option<f64>,
    at: Option<f64>,
    color: &str,
    range: Option<Bound<'_, PyAny>>,
    edges: bool,
    section: Option<Bound<'_, PyAny>>,
    view: Option<Bound<'_, PyAny>>,
    orbit: f64,
    follow: Option<String>,
    text: bool,
    energies: bool,
    force: bool,
    #[pyo3(from_py_with = counts::threads)] threads: Option<usize>,
) -> PyResult<usize> {
    let overlays = [(text, Overlay::Text), (energies, Overlay::Energies)];
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let extension = extension.unwrap_or_default();
    let options = FilmOptions {
        size: size.into(),
        rate: fps.or((extension == "gif").then_some(25.0)),
        speed,
        from: at.or(start),
        to: at.or(end),
        coloring: if color == "body" { Coloring::Body } else { Coloring::Field(color.to_owned()) },
        range: to_numbers("range", range)?.map(|[low, high]| [low as f32, high as f32]),
        edges,
        section: to_numbers("section", section)?.map(|[a, b, c, d]| ([a, b, c], d)),
        view: to_numbers("view", view)?,
        orbit,
        follow,
        overlays: overlays
            .into_iter()
            .filter_map(|(is_requested, overlay)| is_requested.then_some(overlay))
            .collect(),
    };
    let interrupt = Interrupt::new();
    let is_single = at.is_some();
    let target = Target { path: &path, extension: &extension, is_single, force };
    let work = || write_film(&folder, &target, options, &interrupt);
    let threads = pool::threads(py, threads)?;
    finish(run_observed(py, pool::get(py, threads)?, &interrupt, work, |_| Ok(()))?)
}

/// The file of a film or a picture.
struct Target<'a> {
    path: &'a Path,
    /// The extension of the path, which selects the format.
    extension: &'a str,
    /// Whether it is one picture, not a film.
    is_single: bool,
    /// Whether an existing file is replaced.
    force: bool,
}

/// Renders the run in `folder` to a file and returns the number of pictures.
fn write_film(
    folder: &Path,
    target: &Target<'_>,
    options: FilmOptions,
    interrupt: &Interrupt,
) -> Result<usize, Failure> {
    let Target { path, extension, is_single, force } = *target;
    let path_failure = |error: FilmError| match error {
        FilmError::Cancelled => interrupted("the film"),
        error => Failure::argument("path", path.display(), error),
    };
    let run = Playback::open(folder).map_err(|error| Failure::file(folder.display(), error))?;
    let film = Film::new_unless(&run, options, &|| interrupt.is_raised()).map_err(path_failure)?;
    if !force && path.exists() {
        let message = format!("{} exists", path.display());
        return Err(Failure::file(path.display(), message)
            .with_remedy("force=True replaces it; or choose another path"));
    }
    replace(path, |file| {
        let writer = BufWriter::new(file);
        let encoder = encoder(&film, writer, extension, is_single).map_err(path_failure)?;
        let Some(mut encoder) = encoder else {
            let message = match is_single {
                true => "one picture is a .png",
                false => "a film is a .mp4, a .gif or a .png",
            };
            return Err(Failure::argument("path", path.display(), message));
        };
        let mut progress = |_| unless_raised(interrupt);
        let picture_count = film.shoot(&mut *encoder, &mut progress).map_err(path_failure)?;
        if picture_count < film.pictures() {
            return Err(interrupted("the film"));
        }
        encoder.finish().map_err(|error| path_failure(error.into()))?;
        Ok(picture_count)
    })
}

/// The encoder of a film, or of one picture if `is_single`, for files with this extension; `None` if there is none.
fn encoder<'w>(
    film: &Film<'_>,
    writer: BufWriter<&'w File>,
    extension: &str,
    is_single: bool,
) -> Result<Option<Box<dyn FilmFile + Send + 'w>>, FilmError> {
    let (size, rate) = (film.size(), film.rate());
    Ok(Some(match (extension, is_single) {
        ("png", true) => Box::new(SinglePicture { writer: Some(writer) }),
        ("mp4", false) => Box::new(Mp4::new(writer, size, rate)?),
        ("gif", false) => {
            let palette = Palette::new(&film.samples()?);
            Box::new(Gif::new(writer, size, rate, palette)?)
        }
        ("png" | "apng", false) => Box::new(Apng::new(writer, size, film.pictures(), rate)?),
        _ => return Ok(None),
    }))
}
