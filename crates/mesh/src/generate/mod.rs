//! Shapes made from numbers.
//!
//! Each shape is a struct of named parameters with a `build`. All are centred at
//! the origin, y is up. Every element is made by arithmetic on lattice indices,
//! so a shape is a function of its parameters alone; no shape needs a mesher,
//! and two solids of the same resolution share the same topology.
//!
//! Refused before anything is allocated: counts of zero, sizes that are not
//! positive and finite, and meshes of more than [`MOST_ELEMENTS`].

mod ball;
mod cylinder;
mod disc;
mod grid;
mod icosahedron;
mod revolution;
mod sheet;

pub use ball::Ball;
pub use cylinder::Cylinder;
pub use disc::Disc;
pub use grid::{BoxGrid, BoxSurface};
pub use icosahedron::Icosphere;
pub use revolution::{CylinderSurface, Torus};
pub use sheet::Sheet;

use thiserror::Error;

/// The most tetrahedra or triangles that a generator makes. About 0.5 GB of
/// mesh; a mistyped resolution asks for far more.
pub const MOST_ELEMENTS: usize = 20_000_000;

/// Why a shape cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A length that is zero, negative, NaN or infinite.
    #[error("{parameter} is {value}, but must be a positive, finite length in metres")]
    Size {
        /// Its name.
        parameter: &'static str,
        /// What was given.
        value: f64,
    },
    /// A count below what the shape needs.
    #[error("{parameter} is {value}, but must be at least {least}")]
    Count {
        /// Its name.
        parameter: &'static str,
        /// What was given.
        value: usize,
        /// What the shape needs.
        least: usize,
    },
    /// More elements than [`MOST_ELEMENTS`].
    #[error("these parameters ask for {elements:.3e} elements; at most {MOST_ELEMENTS} are made")]
    TooMany {
        /// How many were asked for.
        elements: f64,
    },
    /// A torus whose tube is as thick as its hole is wide.
    #[error("the tube radius {tube} must be smaller than the ring radius {ring}")]
    TubeTooThick {
        /// Tube radius in metres.
        tube: f64,
        /// Ring radius in metres.
        ring: f64,
    },
}

fn check_size(parameter: &'static str, value: f64) -> Result<(), GenerateError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(GenerateError::Size { parameter, value })
    }
}

fn check_count(parameter: &'static str, value: usize, least: usize) -> Result<(), GenerateError> {
    if value >= least { Ok(()) } else { Err(GenerateError::Count { parameter, value, least }) }
}

/// Refuses a product of counts above [`MOST_ELEMENTS`]. In floating point, which
/// cannot overflow here; that it rounds far above the limit does not matter.
fn check_elements(factors: &[usize]) -> Result<(), GenerateError> {
    let elements = factors.iter().map(|&n| n as f64).product::<f64>();
    if elements <= MOST_ELEMENTS as f64 { Ok(()) } else { Err(GenerateError::TooMany { elements }) }
}
