//! Generators of parametric shapes.
//!
//! Each shape is a struct of named parameters with a `build` method. All but extrusions are
//! centred at the origin; y is up. Elements follow from arithmetic on lattice indices, so a shape
//! is a function of its parameters alone, and two solids of the same resolution share their
//! topology.
//!
//! Generators reject counts of zero, sizes that are not positive and finite, and meshes of more than
//! [`MAX_ELEMENTS`] before they allocate memory.

mod ball;
mod curve;
mod cylinder;
mod disc;
mod extrusion;
mod gear;
mod grid;
mod icosahedron;
mod link;
mod polygon;
mod revolution;
mod sheet;

pub use ball::Ball;
pub use curve::{Circle, Helix};
pub use cylinder::Cylinder;
pub use disc::Disc;
pub use extrusion::{Extrusion, Stairs};
pub use gear::Gear;
pub use grid::{BoxGrid, BoxSurface};
pub use icosahedron::Icosphere;
pub use link::Link;
pub use polygon::{MAX_CORNERS, Point};
pub use revolution::{CylinderSurface, Torus};
pub use sheet::Sheet;

use thiserror::Error;

/// Largest number of tetrahedra, triangles or segments of a generated mesh (about 0.5 GB). A mistyped
/// resolution exceeds it by far.
pub const MAX_ELEMENTS: usize = 20_000_000;

/// Reasons why a shape cannot be generated.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A size that is zero, negative, NaN or infinite.
    #[error("{parameter} is {value}, but must be a positive, finite length in metres")]
    Size {
        /// Name of the parameter.
        parameter: &'static str,
        /// Given value.
        value: f64,
    },
    /// A count below the minimum of the shape.
    #[error("{parameter} is {value}, but must be at least {least}")]
    Count {
        /// Name of the parameter.
        parameter: &'static str,
        /// Given value.
        value: usize,
        /// Smallest valid value.
        least: usize,
    },
    /// More elements than [`MAX_ELEMENTS`].
    #[error("these parameters ask for {elements:.3e} elements; at most {MAX_ELEMENTS} are made")]
    TooMany {
        /// Requested number of elements.
        elements: f64,
    },
    /// A torus whose tube radius is not smaller than its ring radius.
    #[error("the tube radius {tube} must be smaller than the ring radius {ring}")]
    TubeTooThick {
        /// Tube radius in metres.
        tube: f64,
        /// Ring radius in metres.
        ring: f64,
    },
    /// Two lengths in the wrong order: the first must be smaller.
    #[error("{smaller} is {small} and {larger} {large}, but the first must be smaller")]
    Order {
        /// Name of the length that must be smaller.
        smaller: &'static str,
        /// Its value in metres.
        small: f64,
        /// Name of the length that must be larger.
        larger: &'static str,
        /// Its value in metres.
        large: f64,
    },
    /// A polygon with more than [`MAX_CORNERS`] corners.
    #[error("the polygon has {corners} corners; at most {MAX_CORNERS} are taken")]
    TooManyCorners {
        /// Number of corners.
        corners: usize,
    },
    /// A corner of a polygon with a coordinate that is NaN or infinite.
    #[error("corner {corner} of the polygon, counted from 0, is not finite")]
    NotFinite {
        /// Index of the corner, from 0.
        corner: usize,
    },
    /// A polygon that touches or crosses itself.
    #[error(
        "the polygon is not simple: its edges {first} and {second}, counted from 0, meet \
         elsewhere than in a common corner, or one of them has no length"
    )]
    EdgesMeet {
        /// Index of one edge, which is that of the corner where it starts.
        first: usize,
        /// Index of the other edge.
        second: usize,
    },
    /// A polygon too flat for the precision of doubles.
    #[error("the polygon cannot be cut into triangles: {left} corners are left that are in line")]
    NoEar {
        /// Number of corners left without an ear.
        left: usize,
    },
}

/// Rejects lengths that are not positive and finite.
fn check_size(parameter: &'static str, value: f64) -> Result<(), GenerateError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(GenerateError::Size { parameter, value })
    }
}

/// Rejects counts below a minimum.
fn check_count(parameter: &'static str, value: usize, minimum: usize) -> Result<(), GenerateError> {
    if value >= minimum {
        Ok(())
    } else {
        Err(GenerateError::Count { parameter, value, least: minimum })
    }
}

/// Rejects a product of counts above [`MAX_ELEMENTS`]. The product is computed in floating point, because integers
/// could overflow.
fn check_elements(factors: &[usize]) -> Result<(), GenerateError> {
    let elements = factors.iter().map(|&n| n as f64).product::<f64>();
    if elements <= MAX_ELEMENTS as f64 { Ok(()) } else { Err(GenerateError::TooMany { elements }) }
}
