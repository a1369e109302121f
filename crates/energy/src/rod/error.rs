//! Rods that cannot be.

use resile_mesh::PolylineError;

/// Why there is no such rod.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RodError {
    /// A parameter that must be positive is not.
    #[error("{parameter} is {value} {unit}, but must be positive and finite")]
    NotPositive {
        /// Its name.
        parameter: &'static str,
        /// What was given.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// Poisson's ratio is out of range.
    #[error("Poisson's ratio is {poisson}, but must lie above -1 and not above 0.5")]
    Poisson {
        /// What was given.
        poisson: f64,
    },
    /// Turns are no number.
    #[error("the number of turns is {turns}, but must be finite")]
    Turns {
        /// What was given.
        turns: f64,
    },
    /// A motor that cannot be.
    #[error(
        "a motor of {rate} turns a second from {start} s to {end} s, which must be finite and in this order"
    )]
    Motor {
        /// Its rate (1/s).
        rate: f64,
        /// When it begins (s).
        start: f64,
        /// When it ends (s).
        end: f64,
    },
    /// Its vertices make no curve.
    #[error(transparent)]
    Curve(#[from] PolylineError),
    /// A curve that turns back on to itself at rest.
    #[error("the rod turns back on to itself at node {node}")]
    Folded {
        /// The node, counted from zero.
        node: u32,
    },
    /// A clamped rod with nothing between its clamps.
    #[error("the clamped rod has {nodes} nodes, but needs 4: two for each clamp")]
    TooShort {
        /// How many it has.
        nodes: usize,
    },
    /// Pieces of a twisted rod cross at rest.
    #[error("pieces of the twisted rod meet, so that its writhe is not known")]
    Crossed,
}

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
