//! `poses.csv`: a row for each step and affine body.

use super::cell::cell;
use super::table::{Table, TableWriter};
use resile_math::{Mat3, Vec3};

/// The pose of a body after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoseRow<'a> {
    /// Number of the step.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Name of the body.
    pub body: &'a str,
    /// Centre of mass (m).
    pub center: Vec3,
    /// Rotation relative to the initial placement of the shape.
    pub rotation: Mat3,
}

/// The table `poses.csv`.
#[derive(Debug)]
pub enum PosesTable {}

/// Writes `poses.csv`.
pub type PosesWriter = TableWriter<PosesTable>;

impl Table for PosesTable {
    type Row<'a> = PoseRow<'a>;

    const COLUMNS: &'static str = "step,time [s],body,x [m],y [m],z [m],qw,qx,qy,qz";

    fn line(row: &PoseRow<'_>) -> String {
        let PoseRow { step, time, body, center, rotation } = row;
        let (Vec3 { x, y, z }, body) = (center, cell(body));
        let [qw, qx, qy, qz] = quaternion(rotation);
        format!("{step},{time:?},{body},{x:?},{y:?},{z:?},{qw:?},{qx:?},{qy:?},{qz:?}")
    }
}

/// The unit quaternion `(w, x, y, z)` of a rotation matrix, with `w >= 0`. All components are derived from the largest
/// one, which avoids cancellation (Shepperd 1978).
fn quaternion(r: &Mat3) -> [f64; 4] {
    let entry = |i: usize, j: usize| r.col(j)[i];
    let trace = entry(0, 0) + entry(1, 1) + entry(2, 2);
    // The squares of the components increase with these numbers.
    let keys = [trace, entry(0, 0), entry(1, 1), entry(2, 2)];
    let largest = (0..4).fold(0, |max, k| if keys[k] > keys[max] { k } else { max });
    // Four times the products of the largest component with each of all four.
    let products = match largest {
        0 => [
            1.0 + trace,
            entry(2, 1) - entry(1, 2),
            entry(0, 2) - entry(2, 0),
            entry(1, 0) - entry(0, 1),
        ],
        1 => [
            entry(2, 1) - entry(1, 2),
            1.0 + 2.0 * entry(0, 0) - trace,
            entry(0, 1) + entry(1, 0),
            entry(0, 2) + entry(2, 0),
        ],
        2 => [
            entry(0, 2) - entry(2, 0),
            entry(0, 1) + entry(1, 0),
            1.0 + 2.0 * entry(1, 1) - trace,
            entry(1, 2) + entry(2, 1),
        ],
        _ => [
            entry(1, 0) - entry(0, 1),
            entry(0, 2) + entry(2, 0),
            entry(1, 2) + entry(2, 1),
            1.0 + 2.0 * entry(2, 2) - trace,
        ],
    };
    let length = products.iter().map(|p| p * p).sum::<f64>().sqrt().copysign(products[0]);
    products.map(|p| p / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternions_equal_their_axis_and_angle() {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, -2.0, 0.5).normalize()];
        for axis in axes {
            for angle in [0.0, 1e-9, 0.3, 2.0, 3.1, 4.0, 6.0f64] {
                let q = quaternion(&Mat3::from_axis_angle(axis, angle));
                let (sin, cos) = (0.5 * angle).sin_cos();
                let expected = [cos, sin * axis.x, sin * axis.y, sin * axis.z];
                let sign = 1.0f64.copysign(cos);
                for (q, expected) in q.iter().zip(expected) {
                    assert!((q - sign * expected).abs() < 1e-14, "{axis} {angle}");
                }
            }
        }
    }
}
