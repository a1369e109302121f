//! One scene under several integrators and steps, side by side.
//!
//! A [`Variant`] is the scene's text with another integrator and another step,
//! set as `--set` would: its mistakes are found by the same reader, and its
//! run is an ordinary [`Run`](crate::run::Run) in a folder of its own. A
//! [`Comparison`] reads what those runs left behind and puts it next to each other:
//! a row a variant ([`Row`]), and plots with a curve a variant.
//!
//! Which integrators there are is asked of serde, which lists the alternatives when it
//! meets a name that cannot exist. So a new one needs no change here.

mod choose;
mod curves;
mod plots;
mod restitution;
mod row;
mod short;
mod start;
mod strokes;
mod tail;
mod variant;

pub use choose::{Method, methods, steps};
pub use row::{Outcome, Row};
pub use short::short_number;
pub use start::{Start, common_ground};
pub use variant::{Variant, Wanted, variants};

use curves::VariantCurves;
use resile_files::Folder;
use resile_record::{OutputError, RunFolder, Summary, belongs_to_a_run, io, write_atomically};
use std::path::{Path, PathBuf};

/// The variants that were run, and those that were not.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    name: String,
    rows: Vec<Row>,
    curves: Vec<VariantCurves>,
}

impl Comparison {
    /// Of nothing yet; `name` is that of the scene.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), rows: Vec::new(), curves: Vec::new() }
    }

    /// Adds a variant whose run has ended, however it ended.
    ///
    /// # Errors
    /// If its history cannot be read.
    pub fn add(
        &mut self,
        variant: &Variant,
        start: &Start,
        folder: &RunFolder,
        summary: &Summary,
    ) -> Result<(), OutputError> {
        let curves = VariantCurves::read(variant, start, &folder.history(), summary.status)?;
        self.rows.push(Row::of_run(variant, start, &curves, summary));
        self.curves.push(curves);
        Ok(())
    }

    /// Adds a variant that was not begun.
    pub fn skip(&mut self, variant: &Variant) {
        self.rows.push(Row::not_run(variant));
    }

    /// A row a variant, in the order in which they were added.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Writes `comparison.csv`, `comparison.json`, `energy.svg`, `momentum.svg` and,
    /// where a variant chose alphas, `alpha.svg`. Returns the files.
    ///
    /// # Errors
    /// If the system refuses, or a plot cannot be drawn.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
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
pub fn is_a_run(folder: &Path) -> bool {
    belongs_to_a_run(&folder.join("energy.svg"))
}

/// Whether a folder holds a comparison, or a run where one of the variants would go.
pub fn holds_a_comparison(folder: &Path, variants: &[Variant]) -> bool {
    let taken = |variant: &Variant| folder.join(&variant.folder).exists();
    folder.join("comparison.csv").exists() || variants.iter().any(taken)
}
