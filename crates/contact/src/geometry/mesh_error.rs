//! Errors of collision meshes and of their thickness.

use crate::Primitive;
use resile_math::Vec3;
use thiserror::Error;

/// Error in the primitives of a collision mesh.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CollisionMeshError {
    /// A triangle refers to a node that does not exist.
    #[error("triangle {triangle} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Index of the triangle.
        triangle: usize,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A codimensional edge or point refers to a node that does not exist.
    #[error("{primitive} names node {node}, but there are {nodes} nodes")]
    NoSuchEnd {
        /// The edge or point.
        primitive: Primitive,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A triangle has no area.
    #[error("triangle {triangle} (nodes {nodes:?}) has no area")]
    NoArea {
        /// Index of the triangle.
        triangle: usize,
        /// Node indices.
        nodes: [u32; 3],
    },
    /// A codimensional edge has no length.
    #[error("the edge of nodes {nodes:?} has no length")]
    NoLength {
        /// Node indices.
        nodes: [u32; 2],
    },
    /// There are codimensional primitives, but no width that determines their areas.
    #[error("codimensional edges and points need a positive width, not {width}")]
    NoWidth {
        /// Width passed (m).
        width: f64,
    },
    /// A position is infinite or not a number.
    #[error("node {node} is at {position}")]
    NotFinite {
        /// The node.
        node: u32,
        /// Position of the node (m).
        position: Vec3,
    },
    /// The number of embeddings differs from the number of points.
    #[error("{points} embedded surface points, expected {wanted}")]
    WrongCount {
        /// Number of embeddings.
        points: usize,
        /// Number of points of the surface.
        wanted: usize,
    },
    /// A point is embedded in a node that does not exist.
    #[error("point {point} hangs on node {node}, but there are {nodes} nodes")]
    NoSuchSupport {
        /// The point.
        point: usize,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// The weights of a point are not finite or do not add up to one.
    #[error("the weights of point {point} add up to {sum}, not 1")]
    NotAffine {
        /// The point.
        point: usize,
        /// The sum of its weights.
        sum: f64,
    },
}

/// Error of a mesh that is too fine for its thickness.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "{primitive} is {height:e} m high, but sheets of a thickness of {thickness:e} m repel each \
     other up to {activation_distance:e} m: its neighbours would push each other apart at rest"
)]
pub struct ThicknessError {
    /// The lowest triangle, or the shortest codimensional edge.
    pub primitive: Primitive,
    /// Smallest height of the triangle, or length of the edge, at rest (m).
    pub height: f64,
    /// Distance at which the mesh touches itself (m). A smaller height is impossible; between it and
    /// `activation_distance` there are forces at rest.
    pub thickness: f64,
    /// Distance below which contact forces act (m).
    pub activation_distance: f64,
}
