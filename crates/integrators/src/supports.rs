//! Rigid motions that neither prescribed nodes nor terms of a body resist.

use crate::vibration::{StiffnessTerms, tangent};
use resile_system::{DissipationFrame, State, System, Vec3};
use std::fmt;

/// Stiffness against a rigid motion, relative to the largest diagonal entry, that is attributed to rounding. The
/// squared held part of a motion, relative to the squared motion, has the same limit.
const STIFFNESS_TOLERANCE: f64 = 1e-8;

/// Power of forces along a rigid motion, relative to the sum of their magnitudes, that is attributed to rounding.
const POWER_TOLERANCE: f64 = 1e-9;

/// A rigid motion along or about an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsupportedMotion {
    /// Translation along the axis with this index.
    Translation(usize),
    /// Rotation about the axis with this index, through the centre of the prescribed nodes; through that of all nodes
    /// if none is prescribed.
    Rotation(usize),
}

impl UnsupportedMotion {
    /// All six motions.
    pub const ALL: [Self; 6] = [
        Self::Translation(0),
        Self::Translation(1),
        Self::Translation(2),
        Self::Rotation(0),
        Self::Rotation(1),
        Self::Rotation(2),
    ];

    /// The displacements of points for a unit motion about `center`.
    fn field(self, points: &[Vec3], center: Vec3) -> Vec<Vec3> {
        let node_field = |x: &Vec3| match self {
            Self::Translation(k) => Vec3::AXES[k],
            Self::Rotation(k) => Vec3::AXES[k].cross(*x - center),
        };
        points.iter().map(node_field).collect()
    }
}

impl fmt::Display for UnsupportedMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Translation(k) => write!(f, "translation along {}", ["x", "y", "z"][*k]),
            Self::Rotation(k) => write!(f, "rotation about {}", ["x", "y", "z"][*k]),
        }
    }
}

/// The rigid motions along and about the axes that nothing in a system of one body resists. In such a motion prescribed
/// nodes do not move, and the second derivative of the potential is zero up to rounding. Couplings (contact, joints)
/// are ignored. A motion about an oblique axis is not found.
pub fn unsupported(system: &mut System, state: &State) -> Vec<UnsupportedMotion> {
    let points = &state.positions;
    let matrix = tangent(system, state, StiffnessTerms::Energies);
    let abs_trace = |i: usize| {
        let block = matrix.diagonal(i);
        (block.x_axis.x + block.y_axis.y + block.z_axis.z).abs()
    };
    let stiffest = (0..points.len()).map(abs_trace).fold(0.0, f64::max);
    let center_of_rotation = center(system, points);
    let is_unsupported = |motion: &UnsupportedMotion| {
        let field = motion.field(points, center_of_rotation);
        let squared_norm: f64 = field.iter().map(|u| u.length_squared()).sum();
        let held = field.iter().enumerate().map(|(i, u)| system.held_part(i, *u).length_squared());
        let mut forces = vec![Vec3::ZERO; field.len()];
        matrix.multiply(&field, &mut forces);
        let stiffness: f64 = field.iter().zip(&forces).map(|(u, force)| u.dot(*force)).sum();
        squared_norm > 0.0
            && held.sum::<f64>() <= STIFFNESS_TOLERANCE * squared_norm
            && stiffness.abs() <= STIFFNESS_TOLERANCE * stiffest * squared_norm
    };
    UnsupportedMotion::ALL.into_iter().filter(is_unsupported).collect()
}

/// Whether the forces of all terms of a system of one body at rest have power along a motion, beyond rounding: those of a
/// load that is in balance by itself, such as a pressure in a closed surface, have none.
pub fn is_driven(system: &mut System, state: &State, motion: UnsupportedMotion) -> bool {
    let State { time, positions, .. } = state;
    let mut gradient = system.at(positions).gradient(*time, positions);
    let zero_velocities = vec![Vec3::ZERO; positions.len()];
    let frame = DissipationFrame::at_start(*time);
    system.lagged(state).add_gradient(&frame, &zero_velocities, 1.0, &mut gradient);
    let field = motion.field(positions, center(system, positions));
    let pairs = || gradient.iter().zip(&field);
    let power: f64 = pairs().map(|(force, u)| force.dot(*u)).sum();
    let largest: f64 = pairs().map(|(force, u)| force.length() * u.length()).sum();
    power.abs() > POWER_TOLERANCE * largest
}

/// The centre of the nodes that are prescribed in any direction, or of all nodes if none is.
fn center(system: &System, points: &[Vec3]) -> Vec3 {
    let is_held =
        |i: &usize| Vec3::AXES.iter().any(|axis| system.held_part(*i, *axis) != Vec3::ZERO);
    let held_points: Vec<Vec3> = (0..points.len()).filter(is_held).map(|i| points[i]).collect();
    let mean_point = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    if held_points.is_empty() { mean_point(points) } else { mean_point(&held_points) }
}
