//! `probes.csv`: a row for each step and probe.

use super::cell::cell;
use super::table::{Table, TableWriter};
use resile_math::{Mat3, Vec3};
use resile_system::{principal_stresses, von_mises};

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
    /// Displacement from its place before any deformation (m).
    pub displacement: Vec3,
    /// The Cauchy stress (Pa), of the node with the largest von Mises stress if there are several.
    pub stress: Option<Mat3>,
}

/// The table `probes.csv`.
#[derive(Debug)]
pub enum ProbesTable {}

/// Writes `probes.csv`.
pub type ProbesWriter = TableWriter<ProbesTable>;

impl Table for ProbesTable {
    type Row<'a> = ProbeRow<'a>;

    const COLUMNS: &'static str = "step,time,probe,x,y,z,velocity_x,velocity_y,velocity_z,\
        force_x,force_y,force_z,von_mises,ux,uy,uz,stress_xx,stress_yy,stress_zz,\
        stress_xy,stress_yz,stress_xz,stress_1,stress_2,stress_3";

    fn line(row: &ProbeRow<'_>) -> String {
        let ProbeRow { step, time, probe, position, velocity, force, displacement, stress } = row;
        let three = |v: &Vec3| format!("{:?},{:?},{:?}", v.x, v.y, v.z);
        let force = force.as_ref().map_or_else(|| ",,".to_owned(), three);
        let von_mises =
            stress.map_or_else(String::new, |cauchy| format!("{:?}", von_mises(cauchy)));
        let stress = stress.map_or_else(
            || ",".repeat(8),
            |cauchy| {
                let [x, y, z] = [cauchy.x_axis, cauchy.y_axis, cauchy.z_axis];
                let parts = [
                    Vec3::new(x.x, y.y, z.z),
                    Vec3::new(x.y, y.z, x.z),
                    principal_stresses(cauchy),
                ];
                parts.each_ref().map(three).join(",")
            },
        );
        let [position, velocity, displacement] = [position, velocity, displacement].map(three);
        let probe = cell(probe);
        format!(
            "{step},{time:?},{probe},{position},{velocity},{force},{von_mises},{displacement},{stress}"
        )
    }
}
