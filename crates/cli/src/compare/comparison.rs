//! One scene under several integrators and time steps, side by side.
//!
//! A [`Variant`] is the scene's text with another integrator and another time step, set as `--set` does, and its run is
//! an ordinary [`Run`](resile_scene::run::Run) in its own folder. A [`Comparison`] reads the outputs of these runs and
//! writes a table with a row per variant ([`VariantRow`]) and plots with a curve per variant.
//!
//! The names of the integrators come from serde, which lists the alternatives to an unknown name, so a new integrator
//! needs no change here.

use super::curves::VariantCurves;
use super::{Variant, VariantRow, plots, row};
use resile_files::Folder;
use resile_record::{OutputError, RunFolder, Summary, belongs_to_a_run, io, write_atomically};
use resile_scene::run::Start;
use std::path::{Path, PathBuf};

/// The variants of a scene, run or skipped.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    name: String,
    rows: Vec<VariantRow>,
    curves: Vec<VariantCurves>,
}

impl Comparison {
    /// An empty comparison of the scene `name`.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), rows: Vec::new(), curves: Vec::new() }
    }

    /// Adds a variant whose run has ended, however it ended.
    ///
    /// # Errors
    /// If its history cannot be read.
    pub(crate) fn add(
        &mut self,
        variant: &Variant,
        start: &Start,
        folder: &RunFolder,
        summary: &Summary,
    ) -> Result<(), OutputError> {
        let curves = VariantCurves::read(variant, start, &folder.history(), summary.status)?;
        self.rows.push(VariantRow::of_run(variant, start, &curves, summary));
        self.curves.push(curves);
        Ok(())
    }

    /// Adds a variant that was not begun.
    pub(crate) fn skip(&mut self, variant: &Variant) {
        self.rows.push(VariantRow::not_run(variant));
    }

    /// A row a variant, in the order in which they were added.
    pub(crate) fn rows(&self) -> &[VariantRow] {
        &self.rows
    }

    /// Writes `comparison.csv`, `comparison.json`, `energy.svg`, `momentum.svg` and,
    /// where a variant chose alphas, `alpha.svg`. Returns the files.
    ///
    /// # Errors
    /// If the system refuses, or a plot cannot be drawn.
    pub(crate) fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
        let within = Folder::create(folder).map_err(io("create", folder))?;
        let mut written = Vec::new();
        for (name, text) in
            [("comparison.csv", row::csv(&self.rows)), ("comparison.json", row::json(&self.rows))]
        {
            written.push(folder.join(name));
            write_atomically(&folder.join(name), text.as_bytes())?;
        }
        for (name, chart) in plots::charts(&self.name, &self.curves) {
            let path = folder.join(name);
            match chart {
                Some(chart) => {
                    let svg = chart.svg()?;
                    write_atomically(&path, svg.as_bytes())?;
                    written.push(path);
                }
                // One of an earlier comparison would be taken for one of this.
                None => within.remove(name).map_err(io("remove", &path))?,
            }
        }
        Ok(written)
    }
}

/// Whether a folder holds a run, whose `energy.svg` a comparison would replace.
pub(crate) fn is_a_run(folder: &Path) -> bool {
    belongs_to_a_run(&folder.join("energy.svg"))
}

/// Whether a folder holds a comparison, or a run where one of the variants would go.
pub(crate) fn holds_a_comparison(folder: &Path, variants: &[Variant]) -> bool {
    let taken = |variant: &Variant| folder.join(&variant.folder).exists();
    folder.join("comparison.csv").exists() || variants.iter().any(taken)
}
