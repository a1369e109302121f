//! `momentum.csv`: a row for each step and body.

use super::cell::cell;
use super::table::{Table, TableWriter};
use resile_math::Vec3;

/// The momentum of a body after a step, and the contact force on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentumRow<'a> {
    /// Number of the step; 0 at the start.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Name of the body.
    pub body: &'a str,
    /// Linear momentum (kg m/s).
    pub linear: Vec3,
    /// Angular momentum about the origin (kg m^2/s).
    pub angular: Vec3,
    /// Contact force, including friction (N).
    pub contact: Vec3,
}

/// The table `momentum.csv`.
#[derive(Debug)]
pub enum MomentumTable {}

/// Writes `momentum.csv`.
pub type MomentumWriter = TableWriter<MomentumTable>;

impl Table for MomentumTable {
    type Row<'a> = MomentumRow<'a>;

    const COLUMNS: &'static str = "\
        step,time [s],body,momentum_x [kg m/s],momentum_y [kg m/s],momentum_z [kg m/s],\
        angular_x [kg m^2/s],angular_y [kg m^2/s],angular_z [kg m^2/s],contact_x [N],\
        contact_y [N],contact_z [N]";

    fn line(row: &MomentumRow<'_>) -> String {
        let MomentumRow { step, time, body, linear, angular, contact } = row;
        let numbers = [linear, angular, contact].map(|v| format!("{:?},{:?},{:?}", v.x, v.y, v.z));
        format!("{step},{time:?},{},{}", cell(body), numbers.join(","))
    }
}
