//! `probes.csv`: a row for each step and probe.

use super::cell::cell;
use super::table::{Table, TableWriter};
use resile_math::Vec3;

/// Measurements of a probe after a step. Inapplicable values are `None` and give empty cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeRow<'a> {
    /// Number of the step; 0 at the start.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Name of the probe.
    pub probe: &'a str,
    /// Position (m).
    pub position: Vec3,
    /// Velocity (m/s).
    pub velocity: Vec3,
    /// Force of all terms on its nodes (N).
    pub force: Option<Vec3>,
    /// Largest von Mises stress of its nodes (Pa).
    pub von_mises: Option<f64>,
}

/// The table `probes.csv`.
#[derive(Debug)]
pub enum ProbesTable {}

/// Writes `probes.csv`.
pub type ProbesWriter = TableWriter<ProbesTable>;

impl Table for ProbesTable {
    type Row<'a> = ProbeRow<'a>;

    const COLUMNS: &'static str =
        "step,time,probe,x,y,z,velocity_x,velocity_y,velocity_z,force_x,force_y,force_z,von_mises";

    fn line(row: &ProbeRow<'_>) -> String {
        let ProbeRow { step, time, probe, position, velocity, force, von_mises } = row;
        let three = |v: &Vec3| format!("{:?},{:?},{:?}", v.x, v.y, v.z);
        let force = force.as_ref().map_or_else(|| ",,".to_owned(), three);
        let von_mises = von_mises.map_or_else(String::new, |value| format!("{value:?}"));
        let (position, velocity) = (three(position), three(velocity));
        format!("{step},{time:?},{},{position},{velocity},{force},{von_mises}", cell(probe))
    }
}
