//! `sim pdf`: a plot for a paper.

use crate::Failure;
use crate::place::Place;
use anyhow::Context as _;
use clap::Args;
use resile_files::{Durability, open_linked};
use resile_plot::pdf_of;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Limit of the length of plots, far above that of real ones.
const MAX_PLOT_BYTES: u64 = 256 << 20;

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
    let plot = match arguments.plot.is_dir() {
        true => arguments.plot.join("energy.svg"),
        false => arguments.plot.clone(),
    };
    let svg = read(&plot).with_context(|| format!("{} cannot be read", plot.display()))?;
    let pdf = pdf_of(&svg).map_err(|error| {
        Failure::Input(format!(
            "error: {}: {error}\n   = help: `sim run` and `sim compare` write plots, such as energy.svg",
            plot.display()
        ))
    })?;
    let place = Place::at(&arguments.output)?;
    let mut file = place.file(arguments.force)?;
    let written = file.write_all(&pdf).and_then(|()| file.keep(Durability::Written).map(drop));
    written.with_context(|| place.write_context())?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    open_linked(path)?.take(MAX_PLOT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
