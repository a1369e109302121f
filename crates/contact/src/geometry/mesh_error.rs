//! Why primitives are no collision mesh, or cannot have a thickness.

use crate::Primitive;
use resile_math::Vec3;
use thiserror::Error;

/// Why primitives are no collision mesh.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CollisionMeshError {
    /// A triangle names a node that does not exist.
    #[error("triangle {triangle} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Number of the triangle.
        triangle: usize,
        /// The node it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A codimensional edge or point names a node that does not exist.
    #[error("{primitive} names node {node}, but there are {nodes} nodes")]
    NoSuchEnd {
        /// The edge or point.
        primitive: Primitive,
        /// The node it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A triangle has no area.
    #[error("triangle {triangle} (nodes {nodes:?}) has no area")]
    NoArea {
        /// Number of the triangle.
        triangle: usize,
        /// Its nodes.
        nodes: [u32; 3],
    },
    /// A codimensional edge has no length.
    #[error("the edge of nodes {nodes:?} has no length")]
    NoLength {
        /// Its nodes.
        nodes: [u32; 2],
    },
    /// There are codimensional primitives, and no width to make areas of them.
    #[error("codimensional edges and points need a positive width, not {width}")]
    NoWidth {
        /// The width given (m).
        width: f64,
    },
    /// A position is infinite or not a number.
    #[error("node {node} is at {position}")]
    NotFinite {
        /// The node.
        node: u32,
        /// Its position (m).
        position: Vec3,
    },
    /// Not every point of an embedded surface has its place among the nodes.
    #[error("{points} embedded surface points, expected {wanted}")]
    WrongCount {
        /// Points that hang on nodes.
        points: usize,
        /// Points of the surface.
        wanted: usize,
    },
    /// A point hangs on a node that does not exist.
    #[error("point {point} hangs on node {node}, but there are {nodes} nodes")]
    NoSuchSupport {
        /// The point.
        point: usize,
        /// The node it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// The weights of a point do not add up to one, or are not finite.
    #[error("the weights of point {point} add up to {sum}, not 1")]
    NotAffine {
        /// The point.
        point: usize,
        /// The sum of its weights.
        sum: f64,
    },
}

/// Why a mesh cannot have a thickness.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "{primitive} is {height:e} m high, but sheets of a thickness of {thickness:e} m repel each \
     other up to {activation_distance:e} m: its neighbours would push each other apart at rest"
)]
pub struct ThicknessError {
    /// The lowest triangle, or the shortest codimensional edge.
    pub primitive: Primitive,
    /// Its smallest distance between a corner and the opposite side, or its length, at rest (m).
    pub height: f64,
    /// The distance at which the mesh would touch itself (m). A height below it is
    /// impossible; between it and `activation_distance` there are forces at rest.
    pub thickness: f64,
    /// The distance at which contact begins (m).
    pub activation_distance: f64,
}
