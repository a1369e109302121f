//! Placement of a mesh by an affine map `x -> A x + t`.
//!
//! A mirroring map is rejected rather than repaired by reordering corners: a mirrored body is nearly
//! always a mistyped scale.

use resile_math::{Mat3, Vec3};
use thiserror::Error;

/// The map `x -> linear x + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Scale, rotation, shear; its determinant is positive.
    pub linear: Mat3,
    /// Translation in metres.
    pub translation: Vec3,
}

/// Reasons to reject a placement.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// An entry of the map is NaN or infinite.
    #[error("the placement has an entry that is not a finite number")]
    NotFinite,
    /// The map turns the mesh inside out or flattens it.
    #[error(
        "the placement has determinant {determinant:e}: it mirrors or flattens the mesh; \
         every scale factor must be positive"
    )]
    NotOrientationPreserving {
        /// The determinant of `linear`.
        determinant: f64,
    },
}

impl Placement {
    /// Scales along the axes, then rotates (`rotation` is a rotation matrix), then translates.
    pub fn new(scale: Vec3, rotation: Mat3, translation: Vec3) -> Self {
        Self { linear: rotation * Mat3::from_diagonal(scale), translation }
    }

    /// Transforms `points`; leaves them unchanged if the map is rejected.
    pub fn apply(&self, points: &mut [Vec3]) -> Result<(), PlacementError> {
        if !self.linear.is_finite() || !self.translation.is_finite() {
            return Err(PlacementError::NotFinite);
        }
        let determinant = self.linear.determinant();
        // The negated comparison also rejects an overflow to NaN.
        if !(determinant > 0.0 && determinant.is_finite()) {
            return Err(PlacementError::NotOrientationPreserving { determinant });
        }
        for point in points {
            *point = self.linear * *point + self.translation;
        }
        Ok(())
    }
}
