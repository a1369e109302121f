//! `bodies.csv`: a row for each step and body.

use super::cell::cell;
use super::table::{Table, TableWriter};
use std::fmt::Write as _;

/// Record of one step of one body. Inapplicable values are `None` and give empty cells.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyRow<'a> {
    /// Number of the step.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Name of the body.
    pub body: &'a str,
    /// Name of the first body of its island; bodies with the same value were solved together.
    pub island: &'a str,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Energy of its own terms plus its part of terms between bodies (J).
    pub potential: f64,
    /// Its part of the energy target (J).
    pub target: Option<f64>,
    /// The alpha of its group of interacting bodies.
    pub alpha: Option<f64>,
    /// Kinetic energy of its mean velocity in this step (J).
    pub motion: Option<f64>,
    /// Heat of friction and damping in this step (J), including that of external work against them.
    pub dissipated: f64,
    /// Energy removed by the rest rule in this step (J).
    pub rest_loss: f64,
    /// Reason why it is at rest; empty if it is not.
    pub rest: &'a str,
    /// Work of prescribed motion in this step (J), including that against friction and damping.
    pub external_work: f64,
    /// Centre of mass (m).
    pub com: [f64; 3],
}

/// The table `bodies.csv`.
#[derive(Debug)]
pub enum BodiesTable {}

/// Writes `bodies.csv`.
pub type BodiesWriter = TableWriter<BodiesTable>;

impl Table for BodiesTable {
    type Row<'a> = BodyRow<'a>;

    const COLUMNS: &'static str = "\
        step,time [s],body,island,kinetic [J],potential [J],total [J],target [J],alpha,\
        motion [J],dissipated [J],rest_loss [J],rest,external_work [J],com_x [m],com_y [m],\
        com_z [m]";

    fn line(row: &BodyRow<'_>) -> String {
        let mut line =
            format!("{},{:?},{},{}", row.step, row.time, cell(row.body), cell(row.island));
        let numbers = [
            Some(row.kinetic),
            Some(row.potential),
            Some(row.kinetic + row.potential),
            row.target,
            row.alpha,
            row.motion,
            Some(row.dissipated),
            Some(row.rest_loss),
        ];
        numbers.into_iter().for_each(|number| push_number(&mut line, number));
        let _ = write!(line, ",{}", row.rest);
        let [x, y, z] = row.com;
        [row.external_work, x, y, z]
            .into_iter()
            .for_each(|number| push_number(&mut line, Some(number)));
        line
    }
}

/// Appends a comma and a number; a missing number gives an empty cell.
fn push_number(line: &mut String, number: Option<f64>) {
    line.push(',');
    if let Some(number) = number {
        let _ = write!(line, "{number:?}");
    }
}
