//! Validation of the parameters of a field.

use super::Field;
use resile_math::{Mat3, Vec3};
use thiserror::Error;

/// Errors of field parameters.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// A length that is zero, negative, NaN or infinite.
    #[error("{parameter} of a {shape} is {value}, but must be a positive, finite length in metres")]
    Size {
        /// Kind of field.
        shape: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// Given value.
        value: f64,
    },
    /// A position with a coordinate that is NaN or infinite.
    #[error("{parameter} of a {shape} has a coordinate that is not a finite number")]
    NotFinite {
        /// Kind of field.
        shape: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
    },
    /// A box that is too small for its rounding.
    #[error(
        "the rounding {rounding} of a box must be between 0 and {most}, the smallest of its half lengths"
    )]
    Rounding {
        /// Given rounding, in metres.
        rounding: f64,
        /// Largest valid rounding, in metres.
        most: f64,
    },
    /// A cylinder whose end points coincide, or a torus with a zero axis.
    #[error("a {shape} has no direction: {parameter} is zero")]
    NoDirection {
        /// Kind of field.
        shape: &'static str,
        /// Name of the parameter that is zero.
        parameter: &'static str,
    },
    /// A torus whose tube radius is not smaller than its ring radius.
    #[error("the tube radius {tube} of a torus must be smaller than its ring radius {ring}")]
    TubeTooThick {
        /// Tube radius in metres.
        tube: f64,
        /// Ring radius in metres.
        ring: f64,
    },
    /// A matrix that is not a rotation.
    #[error("the rotation of a moved field is off by {error:e} from a rotation matrix")]
    NotARotation {
        /// Largest absolute entry of `R^T R - 1`, or of the determinant minus one.
        error: f64,
    },
    /// A combination without parts.
    #[error("a {shape} has no parts")]
    NoParts {
        /// Kind of field.
        shape: &'static str,
    },
}

/// Largest accepted deviation of a matrix from a rotation. Matrices from angles are accurate to about 1e-16; the
/// tolerance also admits numbers copied with ten digits.
const ROTATION_TOLERANCE: f64 = 1e-9;

impl Field {
    /// Validates that all lengths are positive, all positions finite, all rotation matrices orthogonal, and all
    /// combinations nonempty.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(&self) -> Result<(), FieldError> {
        match self {
            Self::Sphere { center, radius } => {
                check_position("sphere", "center", *center)?;
                check_length("sphere", "radius", *radius)
            }
            Self::Ellipsoid { center, radii } => {
                check_position("ellipsoid", "center", *center)?;
                check_lengths("ellipsoid", "radii", &radii.to_array())
            }
            Self::Capsule { from, to, radii } => {
                check_position("capsule", "from", *from)?;
                check_position("capsule", "to", *to)?;
                check_lengths("capsule", "radii", radii)
            }
            Self::Box { center, half, rounding } => check_box(*center, *half, *rounding),
            Self::Cylinder { from, to, radius } => {
                check_position("cylinder", "from", *from)?;
                check_position("cylinder", "to", *to)?;
                check_length("cylinder", "radius", *radius)?;
                check_direction("cylinder", "to - from", *to - *from)
            }
            Self::Torus { center, axis, ring_radius, tube_radius } => {
                check_torus(*center, *axis, *ring_radius, *tube_radius)
            }
            Self::Union(parts) => check_parts("union", parts),
            Self::Intersection(parts) => check_parts("intersection", parts),
            Self::Difference(minuend, subtrahend) => {
                minuend.check().and_then(|()| subtrahend.check())
            }
            Self::SmoothUnion { radius, parts } => {
                check_length("smooth union", "radius", *radius)?;
                check_parts("smooth union", parts)
            }
            Self::Mirrored { part, .. } => part.check(),
            Self::Moved { rotation, translation, part } => {
                check_rotation(*rotation)?;
                check_position("moved field", "translation", *translation)?;
                part.check()
            }
        }
    }
}

/// Rejects positions that are not finite.
fn check_position(
    shape: &'static str,
    parameter: &'static str,
    value: Vec3,
) -> Result<(), FieldError> {
    if value.is_finite() { Ok(()) } else { Err(FieldError::NotFinite { shape, parameter }) }
}

/// Rejects lengths that are not positive and finite.
fn check_length(
    shape: &'static str,
    parameter: &'static str,
    value: f64,
) -> Result<(), FieldError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(FieldError::Size { shape, parameter, value })
    }
}

/// Rejects lengths that are not positive and finite.
fn check_lengths(
    shape: &'static str,
    parameter: &'static str,
    values: &[f64],
) -> Result<(), FieldError> {
    values.iter().try_for_each(|&value| check_length(shape, parameter, value))
}

/// Rejects a zero direction.
fn check_direction(
    shape: &'static str,
    parameter: &'static str,
    value: Vec3,
) -> Result<(), FieldError> {
    match value.try_normalize() {
        Some(_) => Ok(()),
        None => Err(FieldError::NoDirection { shape, parameter }),
    }
}

/// Rejects a box whose half lengths are not positive, or whose rounding exceeds one of them.
fn check_box(center: Vec3, half: Vec3, rounding: f64) -> Result<(), FieldError> {
    check_position("box", "center", center)?;
    check_lengths("box", "half", &half.to_array())?;
    let max_radius = half.min_element();
    if (0.0..=max_radius).contains(&rounding) {
        Ok(())
    } else {
        Err(FieldError::Rounding { rounding, most: max_radius })
    }
}

/// Rejects a torus with a zero axis, or with a tube that is not thinner than the ring.
fn check_torus(center: Vec3, axis: Vec3, ring: f64, tube: f64) -> Result<(), FieldError> {
    check_position("torus", "center", center)?;
    check_position("torus", "axis", axis)?;
    check_direction("torus", "axis", axis)?;
    check_lengths("torus", "ring_radius", &[ring])?;
    check_lengths("torus", "tube_radius", &[tube])?;
    if tube < ring { Ok(()) } else { Err(FieldError::TubeTooThick { tube, ring }) }
}

/// Rejects combinations without parts, and invalid parts.
fn check_parts(shape: &'static str, parts: &[Field]) -> Result<(), FieldError> {
    if parts.is_empty() {
        return Err(FieldError::NoParts { shape });
    }
    parts.iter().try_for_each(Field::check)
}

/// Rejects a matrix that is not a rotation.
fn check_rotation(rotation: Mat3) -> Result<(), FieldError> {
    let product = rotation.transpose() * rotation - Mat3::IDENTITY;
    let entries = product.to_cols_array().into_iter().chain([rotation.determinant() - 1.0]);
    // `f64::max` would ignore a NaN.
    let error = entries.map(f64::abs).fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a });
    if error <= ROTATION_TOLERANCE { Ok(()) } else { Err(FieldError::NotARotation { error }) }
}
