//! Invalid rods.

use resile_mesh::PolylineError;

/// The parameters or curves of a rod are invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RodError {
    /// A parameter that must be positive is not.
    #[error("{parameter} is {value} {unit}, but must be positive and finite")]
    NotPositive {
        /// Name of the parameter.
        parameter: &'static str,
        /// The given value.
        value: f64,
        /// Unit of the value.
        unit: &'static str,
    },
    /// Poisson's ratio is out of range.
    #[error("Poisson's ratio is {poisson}, but must lie above -1 and not above 0.5")]
    Poisson {
        /// The given value.
        poisson: f64,
    },
    /// The number of turns is not finite.
    #[error("the number of turns is {turns}, but must be finite")]
    Turns {
        /// The given value.
        turns: f64,
    },
    /// Invalid motor.
    #[error(
        "a motor of {rate} turns a second from {start} s to {end} s, which must be finite and in this order"
    )]
    Motor {
        /// Rate (1/s).
        rate: f64,
        /// Start time (s).
        start: f64,
        /// End time (s).
        end: f64,
    },
    /// The curvature or the torsion at rest is not a number.
    #[error("the rest curvature {curvature} 1/m and torsion {torsion} 1/m must be finite")]
    RestNotFinite {
        /// The curvature (1/m).
        curvature: f64,
        /// The torsion (1/m).
        torsion: f64,
    },
    /// Segments are too long for the curvature at rest.
    #[error(
        "the rest curvature {curvature} 1/m turns adjacent segments by {degrees:.0} degrees, but at most 162 are possible"
    )]
    RestAngle {
        /// The curvature (1/m).
        curvature: f64,
        /// The largest angle between adjacent segments.
        degrees: f64,
    },
    /// A closed rod with rest curvature.
    #[error("a closed rod can only be straight at rest")]
    ClosedRest,
    /// A rest shape has other corners than the rods.
    #[error("the rest shape belongs to other rods")]
    OtherRest,
    /// The vertices do not form a curve.
    #[error(transparent)]
    Curve(#[from] PolylineError),
    /// The curve has a fold by half a turn at rest.
    #[error("the rod turns back on to itself at node {node}")]
    Folded {
        /// The node, counted from zero.
        node: u32,
    },
    /// A clamped rod has fewer than two segments.
    #[error("the clamped rod has {nodes} nodes, but needs 4: two for each clamp")]
    TooShort {
        /// Number of nodes.
        nodes: usize,
    },
    /// Segments of a twisted rod intersect at rest.
    #[error("pieces of the twisted rod meet, so that its writhe is not known")]
    Crossed,
}

/// Checks that a parameter is positive and finite.
pub(super) fn positive(
    parameter: &'static str,
    value: f64,
    unit: &'static str,
) -> Result<(), RodError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(RodError::NotPositive { parameter, value, unit }),
    }
}
