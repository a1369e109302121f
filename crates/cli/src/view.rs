//! `sim view`: writes a run as one HTML file and opens it.

use crate::Failure;
use crate::coverage::note_uncovered_part;
use crate::follow::{self, open, title};
use crate::options::up_axis;
use crate::output_path::{OutputPath, refuse_other_extension};
use crate::progress::bar_or_hidden;
use crate::signals::Signals;
use crate::stream::{note, print};
use anyhow::Context as _;
use clap::Args;
use indicatif::ProgressBar;
use resile_files::Durability;
use resile_record::Playback;
use resile_view::{PAGE_START, PageMode, PageStatistics, ViewError, write_page};
use std::io::{BufWriter, Read as _, Write as _};
use std::ops::ControlFlow;
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
        return serve_until_signal(arguments);
    }
    let run = Playback::open(&arguments.folder).map_err(|error| page_failure(arguments, &error))?;
    note_uncovered_part(&run);
    let run = run.with_up(arguments.up);
    let path = arguments.output.clone().unwrap_or_else(|| arguments.folder.join("view.html"));
    let output_path = OutputPath::in_existing_folder(&path)?;
    if !may_be_replaced(&output_path)? {
        return Err(output_path
            .input_error("exists and is not a page of sim view; choose another file with -o"));
    }
    refuse_other_extension(&path, &["html", "htm"], "a page")?;
    let title = title(&run, &arguments.folder);
    let bar_length = 2 * run.times().len() as u64;
    let template = "{bar:30} {percent} %, {eta} left";
    let bar = bar_or_hidden(!arguments.quiet, bar_length, template);
    let (statistics, bytes) = write_file(&run, &title, &output_path, bar)?;
    if !arguments.quiet {
        print(summary_line(&statistics, bytes, &path))?;
    }
    if !arguments.no_open {
        open(&path.canonicalize().unwrap_or(path).to_string_lossy());
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves the page until a signal ends it.
fn serve_until_signal(arguments: &ViewArguments) -> Result<ExitCode, Failure> {
    let signals = Signals::listen(Duration::ZERO)?;
    let interrupt = &signals.interrupt;
    let folder = &arguments.folder;
    if folder.is_file() {
        return Err(page_failure(arguments, &format!("{} is no folder", folder.display())));
    }
    let server = follow::start_server()?.with_up(arguments.up);
    let url = server.url();
    if Playback::open(folder).is_err() && !arguments.quiet {
        note(format_args!("waiting for the first frame of {}", folder.display()));
    }
    // Until the run has begun, a signal ends the program at once.
    let Some(run) = follow::wait_for_first_frame(folder, &|| false) else {
        return Ok(ExitCode::SUCCESS);
    };
    signals.defer_termination();
    if !arguments.quiet {
        print(format_args!("  page              {url} until Ctrl-C"))?;
    }
    if !arguments.no_open {
        open(&url);
    }
    server.serve(folder, &title(&run, folder), &|_| interrupt.is_raised());
    Ok(ExitCode::SUCCESS)
}

/// The failure if there is no run to show.
fn page_failure(arguments: &ViewArguments, error: &dyn std::fmt::Display) -> Failure {
    let hint = match arguments.folder.is_file() {
        true => "\nIt is a file: name the folder that `sim run` wrote, such as out/dice.",
        false => "",
    };
    Failure::Input(format!("error: {error}{hint}"))
}

/// Whether writing the file destroys nothing: it does not exist, or is a page of this program.
fn may_be_replaced(output_path: &OutputPath) -> Result<bool, Failure> {
    if output_path.kind()?.is_none() {
        return Ok(true);
    }
    let mut beginning = [0; PAGE_START.len()];
    let (parent, name) = output_path.parts();
    let read_result = parent.open_file(name).and_then(|mut file| file.read_exact(&mut beginning));
    Ok(read_result.is_ok() && beginning == *PAGE_START.as_bytes())
}

/// Writes the page to a temporary file and renames it to its final name when it is complete. Returns statistics of the
/// contents and the number of bytes.
fn write_file(
    run: &Playback,
    title: &str,
    output_path: &OutputPath,
    bar: ProgressBar,
) -> Result<(PageStatistics, u64), Failure> {
    let write_context = || output_path.write_context();
    let mut file = output_path.begin()?;
    let mut out = BufWriter::new(&mut file);
    let statistics = write_page(run, title, PageMode::Whole, &mut out, &mut |done, _| {
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let statistics = statistics.map_err(|error| match error {
        ViewError::Run(error) => Failure::Input(format!("error: {error}")),
        other => Failure::Work(anyhow::Error::new(other).context(write_context())),
    })?;
    out.flush().with_context(write_context)?;
    drop(out);
    let length = file.keep(Durability::Written).and_then(|file| file.length());
    Ok((statistics, length.with_context(write_context)?))
}

/// One line: the path, the number of frames and the size of the page.
fn summary_line(statistics: &PageStatistics, bytes: u64, path: &Path) -> String {
    let frames = crate::report::counted(statistics.frames, "frame", "frames");
    let size = bytes as f64 / 1e6;
    format!("  page              {}, {frames}, {size:.1} MB", path.display())
}
