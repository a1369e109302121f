//! Invalid shells.

use crate::TriangleError;
use resile_math::Vec3;

/// The parameters or the mesh of a shell are invalid. Triangles and nodes are counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
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
    /// The hardening of plastic bending is negative or not finite.
    #[error("the hardening is {hardening} N m, but must be finite and not negative")]
    Hardening {
        /// The given value (N m).
        hardening: f64,
    },
    /// The layers are not symmetric, so stretching them causes bending.
    #[error(
        "the layers are not symmetric about their middle: stretching would bend them by {coupling:.2e} of stiffness times thickness"
    )]
    Unsymmetric {
        /// The coupling stiffness, relative to stretching stiffness times thickness.
        coupling: f64,
    },
    /// Some triangles yield and others do not.
    #[error("triangle {triangle} does not yield, but others do")]
    PartlyYielding {
        /// The first such triangle.
        triangle: usize,
    },
    /// Poisson's ratio is out of range.
    #[error("Poisson's ratio is {poisson}, but must lie above -1 and not above 0.5")]
    Poisson {
        /// The given value.
        poisson: f64,
    },
    /// Poisson's ratio of a neo-Hookean sheet is negative.
    #[error(
        "Poisson's ratio is {poisson}, but must not be negative in a neo-Hookean sheet, whose energy would have no lower bound under compression"
    )]
    Auxetic {
        /// The given value.
        poisson: f64,
    },
    /// A triangle does not have three different nodes of the body.
    #[error(transparent)]
    Triangle(#[from] TriangleError),
    /// A rest position is not finite.
    #[error("the rest position of node {node} is {position}, which is not finite")]
    NotFinite {
        /// The node.
        node: usize,
        /// Rest position of the node (m).
        position: Vec3,
    },
    /// Triangles are degenerate at rest.
    #[error("triangle {triangle} has the area {area:.3e} m^2 at rest; {count} triangles are flat")]
    NoArea {
        /// The first such triangle.
        triangle: usize,
        /// Area (m^2).
        area: f64,
        /// Their number.
        count: usize,
    },
    /// More than two triangles meet in an edge.
    #[error("{triangles} triangles meet in the edge {}-{}; a hinge joins two", edge[0], edge[1])]
    NonManifoldEdge {
        /// The nodes of the edge.
        edge: [u32; 2],
        /// Number of its triangles.
        triangles: usize,
    },
    /// Two triangles are folded on to each other at rest.
    #[error("the triangles at edge {}-{} are folded on to each other at rest", edge[0], edge[1])]
    Folded {
        /// The nodes of the edge.
        edge: [u32; 2],
    },
}
