//! Comparison of a scene with several integrators and steps.
//!
//! A [`Variant`] is the text of the scene with another integrator and step, set as by `--set`: the same reader finds
//! the errors of the variant, and the run of the variant is an ordinary [`Run`](resile_runner::Run) in a separate
//! folder. A [`Comparison`] collects the results of the runs: one row per variant ([`VariantRow`]), and plots with one
//! curve per variant.
//!
//! The names of integrators are those that serde lists for an unknown name, so new integrators need no
//! change here.

use super::curves::VariantCurves;
use super::{Variant, VariantRow, plots, row};
use resile_files::Folder;
use resile_record::{OutputError, RunFolder, Summary, belongs_to_a_run, io, write_atomically};
use resile_runner::Start;
use resile_scene::description::Units;
use std::path::{Path, PathBuf};

/// The results of a comparison: a row for each variant, and the curves of the variants that were run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    name: String,
    units: Units,
    rows: Vec<VariantRow>,
    curves: Vec<VariantCurves>,
}

impl Comparison {
    /// An empty comparison; `name` is that of the scene, whose units are those of the files.
    pub(crate) fn new(name: impl Into<String>, units: Units) -> Self {
        Self { name: name.into(), units, rows: Vec::new(), curves: Vec::new() }
    }

    /// Adds a variant whose run has ended.
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

    /// Adds a variant that was not run.
    pub(crate) fn skip(&mut self, variant: &Variant) {
        self.rows.push(VariantRow::not_run(variant));
    }

    /// Units of the files and of the table.
    pub(crate) fn units(&self) -> Units {
        self.units
    }

    /// The rows in the units of the files.
    pub(crate) fn converted_rows(&self) -> Vec<VariantRow> {
        self.rows.iter().map(|row| row.in_units(self.units)).collect()
    }

    /// One row per variant in SI, in the order of addition.
    pub(crate) fn rows(&self) -> &[VariantRow] {
        &self.rows
    }

    /// Writes `comparison.csv`, `comparison.json`, `energy.svg`, `momentum.svg` and, if a variant has alphas,
    /// `alpha.svg`. Returns the files.
    ///
    /// # Errors
    /// If the system refuses, or a plot cannot be drawn.
    pub(crate) fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
        let output_folder = Folder::create(folder).map_err(io("create", folder))?;
        let mut written_files = Vec::new();
        for (name, text) in [
            ("comparison.csv", row::csv(&self.rows, self.units)),
            ("comparison.json", row::json(&self.converted_rows())),
        ] {
            written_files.push(folder.join(name));
            write_atomically(&folder.join(name), text.as_bytes())?;
        }
        for (name, chart) in plots::charts(&self.name, &self.curves, self.units) {
            let path = folder.join(name);
            match chart {
                Some(chart) => {
                    let svg = chart.svg()?;
                    write_atomically(&path, svg.as_bytes())?;
                    written_files.push(path);
                }
                // Remove the plot of an earlier comparison.
                None => output_folder.remove(name).map_err(io("remove", &path))?,
            }
        }
        Ok(written_files)
    }
}

/// Whether a folder holds a run, whose `energy.svg` a comparison would replace.
pub(crate) fn is_a_run(folder: &Path) -> bool {
    belongs_to_a_run(&folder.join("energy.svg"))
}

/// Whether a folder holds a comparison, or a run in the folder of a variant.
pub(crate) fn holds_a_comparison(folder: &Path, variants: &[Variant]) -> bool {
    let exists = |variant: &Variant| folder.join(&variant.folder).exists();
    folder.join("comparison.csv").exists() || variants.iter().any(exists)
}
