//! `sim export`: a run for other programs.

use crate::coverage::note_uncovered_part;
use crate::options::refuse_reversed_times;
use crate::progress::bar_or_hidden;
use crate::report::counted;
use crate::signals::{Signals, note_nothing_written};
use crate::stream::print;
use crate::{Failure, NOT_COMPLETE};
use clap::Args;
use resile_export::{ExportError, ExportOptions, Exported, Format, Grouping, Up};
use resile_record::Playback;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use target::ExportTarget;

mod target;

const HELP: &str = "\
Formats:
  obj, ply    a sequence of surfaces: a folder with one file per frame, or per frame and body with
              --separate
  pc2, mdd    point caches: a folder with one mesh (.obj) per body and one cache per moving body
  glb, gltf   glTF 2.0 (.glb): one file with names, colours and one animation
  usda, usd   USD as text (.usda): one file with names, colours and samples over time
  csv         a table with one row per vertex and time
  npz         arrays for NumPy

The export contains bodies, obstacles and a piece of each plane: the boundary of a solid, or the
embedded surface of a body that has one. Positions between two frames are interpolated linearly.

Exit codes: 0 the export is complete, 1 it was interrupted or could not be written, 2 the command
line is wrong, or there is no such run.

Recipes for Blender, Houdini, ParaView and pandas: docs/export.md.";

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ExportArguments {
    /// Folder of the run, such as out/first; the run may be in progress.
    run: PathBuf,
    /// Output format [default: by the extension of the output].
    #[arg(short, long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// The file or folder to write [default: export.FORMAT or export-FORMAT in the folder of the
    /// run].
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Replace an existing export.
    #[arg(long)]
    force: bool,
    /// Export only these bodies, obstacles and planes, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', num_args = 1)]
    bodies: Vec<String>,
    /// Start in simulated time (s).
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    from: Option<f64>,
    /// End in simulated time (s).
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    to: Option<f64>,
    /// Frames per simulated second [default: that of the frames].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    fps: Option<f64>,
    /// The vertical axis of the output, y or z [default: that of the run].
    #[arg(long, value_name = "AXIS", value_parser = parse_up)]
    up: Option<Up>,
    /// Output units of length per metre: 1 for metres, 100 for centimetres.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_hyphen_values = true)]
    scale: f64,
    /// Write one file per body (obj and ply).
    #[arg(long)]
    separate: bool,
    /// Print only errors.
    #[arg(short, long)]
    quiet: bool,
}

/// Writes the export; after an interrupt nothing remains.
pub(crate) fn export(arguments: &ExportArguments) -> Result<ExitCode, Failure> {
    refuse_reversed_times(arguments.from, arguments.to)?;
    let run = Playback::open(&arguments.run).map_err(|error| export_failure(error.into()))?;
    note_uncovered_part(&run);
    let output = arguments.output.as_deref();
    let format = arguments.format.or_else(|| format_of_path(output?)).ok_or_else(unknown_format)?;
    refuse_other_extension(output, format)?;
    let mut target = ExportTarget::prepare(output, &arguments.run, format, arguments.force)?;
    let signals = Signals::listen(Duration::ZERO)?;
    signals.defer_termination();
    let template = "{bar:30} {percent} %, {eta} left";
    let bar = bar_or_hidden(!arguments.quiet, PROGRESS_LENGTH as u64, template);
    let mut progress = |fraction: f64| {
        bar.set_position((fraction * PROGRESS_LENGTH) as u64);
        signals.poll()
    };
    let options = export_options(arguments);
    let result = resile_export::export(&run, format, &options, &mut target, &mut progress);
    bar.finish_and_clear();
    if matches!(result, Err(ExportError::Stopped)) {
        drop(target);
        note_nothing_written();
        return Ok(ExitCode::from(NOT_COMPLETE));
    }
    let exported = result.map_err(export_failure)?;
    let bytes = target.bytes();
    let path = target.keep()?;
    if !arguments.quiet {
        print(format_args!("{}: {}", path.display(), summary_line(&exported, bytes)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One line: bodies, frames, rate, files and bytes.
fn summary_line(exported: &Exported, bytes: u64) -> String {
    let bodies = counted(exported.bodies, "body", "bodies");
    let frames = counted(exported.samples, "frame", "frames");
    let files = counted(exported.files, "file", "files");
    let (rate, size) = ((1e6 * exported.rate).round() / 1e6, bytes as f64 / 1e6);
    format!("{bodies}, {frames}, {rate} a second; {files}, {size:.1} MB")
}

/// The options of the export from the arguments.
fn export_options(arguments: &ExportArguments) -> ExportOptions {
    ExportOptions {
        bodies: arguments.bodies.clone(),
        from: arguments.from,
        to: arguments.to,
        rate: arguments.fps,
        up: arguments.up,
        scale: arguments.scale,
        grouping: if arguments.separate { Grouping::OneBody } else { Grouping::AllBodies },
    }
}

/// An error of the system is a failure of the work (exit code 1); every other one is an error of the command (2).
fn export_failure(error: ExportError) -> Failure {
    match error {
        ExportError::Io { .. } => {
            Failure::Work(anyhow::Error::new(error).context("the export could not be written"))
        }
        other => Failure::Input(format!("error: {other}")),
    }
}

/// Number of units of the progress bar.
const PROGRESS_LENGTH: f64 = 1000.0;

/// Parses the name of a format.
fn parse_format(text: &str) -> Result<Format, String> {
    Format::from_name(text).ok_or_else(|| format!("must be one of {}", format_names()))
}

/// The names of all formats.
fn format_names() -> String {
    Format::ALL.map(Format::word).join(", ")
}

/// The format that the extension of a path denotes.
fn format_of_path(output: &Path) -> Option<Format> {
    Format::from_name(&output.extension()?.to_str()?.to_lowercase())
}

/// Refuses an output whose extension denotes another format than the requested one. Binary glTF is not the text of a
/// `.gltf` file.
fn refuse_other_extension(output: Option<&Path>, format: Format) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    let (word, path) = (format.word(), output.display());
    let renamed = output.with_extension(word);
    let renamed = format!("choose a name such as `-o {}`", renamed.display());
    let is_gltf_text =
        || output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gltf"));
    let remedy = match format_of_path(output) {
        Some(other) if other != format => {
            format!("leave out `--format {word}` to write {}, or {renamed}", other.word())
        }
        Some(Format::Glb) if is_gltf_text() => {
            format!("files with this extension are text, and this one is binary: {renamed}")
        }
        _ => return Ok(()),
    };
    Err(Failure::Input(format!(
        "error: {path} does not have the extension of {word}\n   = help: {remedy}"
    )))
}

/// The failure if neither `--format` nor the name of the output denotes a format.
fn unknown_format() -> Failure {
    Failure::Input(format!(
        "error: the format of the export is not known\n   = help: add `--format FORMAT`, or a name such as `-o run.glb`; formats \
         are {}",
        format_names()
    ))
}

/// Parses the vertical axis of the output.
fn parse_up(text: &str) -> Result<Up, String> {
    match text {
        "y" | "Y" => Ok(Up::Y),
        "z" | "Z" => Ok(Up::Z),
        _ => Err("must be y or z".to_owned()),
    }
}
