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
    /// Displacement from the position before any deformation (m).
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

    const COLUMNS: &'static str = "\
        step,time [s],probe,x [m],y [m],z [m],velocity_x [m/s],velocity_y [m/s],\
        velocity_z [m/s],force_x [N],force_y [N],force_z [N],von_mises [Pa],ux [m],uy [m],\
        uz [m],stress_xx [Pa],stress_yy [Pa],stress_zz [Pa],stress_xy [Pa],stress_yz [Pa],\
        stress_xz [Pa],stress_1 [Pa],stress_2 [Pa],stress_3 [Pa]";

    fn line(row: &ProbeRow<'_>) -> String {
        let ProbeRow { step, time, probe, position, velocity, force, displacement, stress } = row;
        let components = |v: &Vec3| format!("{:?},{:?},{:?}", v.x, v.y, v.z);
        let force = force.as_ref().map_or_else(|| ",,".to_owned(), components);
        let von_mises =
            stress.map_or_else(String::new, |cauchy| format!("{:?}", von_mises(cauchy)));
        let stress = stress.map_or_else(
            || ",".repeat(8),
            |cauchy| {
                let [x, y, z] = [cauchy.x_axis, cauchy.y_axis, cauchy.z_axis];
                let (normal, shear) = (Vec3::new(x.x, y.y, z.z), Vec3::new(x.y, y.z, x.z));
                [normal, shear, principal_stresses(cauchy)].each_ref().map(components).join(",")
            },
        );
        let [position, velocity, displacement] = [position, velocity, displacement].map(components);
        let probe = cell(probe);
        format!(
            "{step},{time:?},{probe},{position},{velocity},{force},{von_mises},{displacement},{stress}"
        )
    }
}
