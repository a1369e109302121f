//! `sim view`: a run as one HTML file, and opens it.

use crate::Failure;
use crate::follow::{self, open, title};
use crate::options::up_axis;
use crate::place::Place;
use crate::signals::Signals;
use crate::stream::{note, print};
use anyhow::Context as _;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use resile_files::Durability;
use resile_record::Playback;
use resile_view::{PAGE_START, PageMode, PageStatistics, ViewError, write_page};
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const DETAILS: &str = "\
The page is self-contained: it opens from disk, needs no network, and can be sent to others. With
--live it is served while the run is computed and follows it. Keys and data format: docs/view.md.

Exit codes: 0 the page was written, 1 it could not be written, 2 there is no run to show.";

#[derive(Debug, Args)]
#[command(after_long_help = DETAILS)]
pub(crate) struct ViewArguments {
    /// Folder of the run, such as out/dice.
    folder: PathBuf,
    /// The page to write [default: view.html in the folder of the run].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Follow a run in progress: serve the page on 127.0.0.1 until Ctrl-C and write no file.
    /// Waits for a run that has not started yet.
    #[arg(long, conflicts_with = "output")]
    live: bool,
    /// The upward axis of the picture: x, y or z [default: opposite to gravity; y without gravity].
    #[arg(long, value_name = "AXIS", value_parser = up_axis)]
    up: Option<[f64; 3]>,
    /// Do not open the page in the browser.
    #[arg(long)]
    no_open: bool,
    /// Print only errors.
    #[arg(short, long)]
    quiet: bool,
}

/// Writes the page and opens it.
pub(crate) fn view(arguments: &ViewArguments) -> Result<ExitCode, Failure> {
    if arguments.live {
        return live(arguments);
    }
    let run = Playback::open(&arguments.folder).map_err(|error| page_failure(arguments, &error))?;
    let run = run.with_up(arguments.up);
    let path = arguments.output.clone().unwrap_or_else(|| arguments.folder.join("view.html"));
    let place = Place::in_folder(&path)?;
    if !may_be_replaced(&place)? {
        return Err(
            place.input_error("exists and is not a page of sim view; choose another file with -o")
        );
    }
    let title = title(&run, &arguments.folder);
    let (written, bytes) = write(&run, &title, &place, bar(arguments, &run))?;
    if !arguments.quiet {
        print(summary_line(&written, bytes, &path))?;
    }
    if !arguments.no_open {
        open(&path.canonicalize().unwrap_or(path).to_string_lossy());
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves the page until a signal ends it.
fn live(arguments: &ViewArguments) -> Result<ExitCode, Failure> {
    let signals = Signals::listen(Duration::ZERO)?;
    let interrupt = &signals.interrupt;
    let folder = &arguments.folder;
    if folder.is_file() {
        return Err(page_failure(arguments, &format!("{} is no folder", folder.display())));
    }
    let server = follow::server()?.with_up(arguments.up);
    let url = server.url();
    if Playback::open(folder).is_err() && !arguments.quiet {
        note(format_args!("waiting for the first frame of {}", folder.display()));
    }
    // Until the run has begun, a signal ends the program at once.
    let Some(run) = follow::wait_for_first_frame(folder, &|| false) else {
        return Ok(ExitCode::SUCCESS);
    };
    signals.keep();
    if !arguments.quiet {
        print(format_args!("  page              {url} until Ctrl-C"))?;
    }
    if !arguments.no_open {
        open(&url);
    }
    server.serve(folder, &title(&run, folder), &|_| interrupt.is_raised());
    Ok(ExitCode::SUCCESS)
}

fn page_failure(arguments: &ViewArguments, error: &dyn std::fmt::Display) -> Failure {
    let hint = match arguments.folder.is_file() {
        true => "\nIt is a file: name the folder that `sim run` wrote, such as out/dice.",
        false => "",
    };
    Failure::Input(format!("error: {error}{hint}"))
}

/// Whether writing the file destroys nothing: it does not exist, or is a page of this program.
fn may_be_replaced(place: &Place) -> Result<bool, Failure> {
    if place.kind()?.is_none() {
        return Ok(true);
    }
    let mut beginning = [0; PAGE_START.len()];
    let (around, name) = place.parts();
    let read = around.open_file(name).and_then(|mut file| file.read_exact(&mut beginning));
    Ok(read.is_ok() && beginning == *PAGE_START.as_bytes())
}

fn bar(arguments: &ViewArguments, run: &Playback) -> ProgressBar {
    if arguments.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(2 * run.times().len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent} %, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Writes the page to a temporary file and moves it to its place when it is complete. Returns statistics of the
/// contents and the number of bytes.
fn write(
    run: &Playback,
    title: &str,
    place: &Place,
    bar: ProgressBar,
) -> Result<(PageStatistics, u64), Failure> {
    let write_context = || place.write_context();
    let mut file = place.begin()?;
    let mut out = BufWriter::new(&mut file);
    let written = write_page(run, title, PageMode::Whole, &mut out, &mut |done, _| {
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let written = written.map_err(|error| match error {
        ViewError::Run(error) => Failure::Input(format!("error: {error}")),
        other => Failure::Work(anyhow::Error::new(other).context(write_context())),
    })?;
    out.flush().with_context(write_context)?;
    drop(out);
    let metadata = file.keep(Durability::Written).and_then(|file| file.metadata());
    Ok((written, metadata.with_context(write_context)?.len()))
}

fn summary_line(written: &PageStatistics, bytes: u64, path: &Path) -> String {
    let frames = crate::report::counted(written.frames, "frame", "frames");
    let size = bytes as f64 / 1e6;
    format!("  page              {}, {frames}, {size:.1} MB", path.display())
}
