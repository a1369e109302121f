//! `sim pdf`: a plot for a paper.

use crate::Failure;
use crate::output_path::{OutputPath, refuse_other_extension};
use crate::stream::note;
use clap::Args;
use resile_files::open_linked;
use resile_plot::pdf_of;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Maximum length of a plot (bytes), far above that of real plots.
const MAX_PLOT_BYTES: u64 = 256 << 20;
/// The remedy for a file that is no plot.
const PLOTS_HELP: &str = "`sim run` and `sim compare` write plots, such as energy.svg";

#[derive(Debug, Args)]
pub(crate) struct PdfArguments {
    /// A plot of this program (SVG), or the folder of a run, whose energy.svg is converted.
    plot: PathBuf,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
}

/// Writes a plot as PDF.
pub(crate) fn pdf(arguments: &PdfArguments) -> Result<ExitCode, Failure> {
    refuse_other_extension(&arguments.output, &["pdf"], "a PDF")?;
    let plot = match arguments.plot.is_dir() {
        true => arguments.plot.join("energy.svg"),
        false => arguments.plot.clone(),
    };
    let svg = read(&plot).map_err(|error| {
        Failure::Input(format!(
            "error: {} cannot be read: {error}\n   = help: {PLOTS_HELP}",
            plot.display()
        ))
    })?;
    let pdf = pdf_of(&svg).map_err(|error| {
        Failure::Input(format!("error: {}: {error}\n   = help: {PLOTS_HELP}", plot.display()))
    })?;
    OutputPath::new(&arguments.output)?.write(&pdf.bytes, arguments.force)?;
    if !pdf.missing_characters.is_empty() {
        let characters: String = pdf.missing_characters.iter().collect();
        note(format_args!(
            "note: the font has no glyphs for {characters}, which became question marks; it has Latin, Greek and \
             Cyrillic letters"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a plot, which may be a symbolic link, up to [`MAX_PLOT_BYTES`].
fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    open_linked(path)?.take(MAX_PLOT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
