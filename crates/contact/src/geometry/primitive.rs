//! The kinds of collision primitives.

use std::fmt;

/// A collision primitive, with point indices of its own mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge([u32; 2]),
    /// A triangle.
    Triangle([u32; 3]),
    /// An obstacle plane, by its index among the planes.
    Plane(usize),
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(point) => write!(f, "vertex {point}"),
            Self::Edge(points) => write!(f, "edge {points:?}"),
            Self::Triangle(points) => write!(f, "triangle {points:?}"),
            Self::Plane(number) => write!(f, "plane {number}"),
        }
    }
}
