//! The undeformed mesh, in groups of eight elements.

use crate::material::Materials;
use resile_math::lanes::{self, LANES, Lane, Mat3x8};
use resile_math::{Mat3, Vec3};
use std::array::from_fn;
use std::sync::Arc;

/// Elements whose volume is below this fraction of the cubed longest edge are flat: the inverse of the
/// edge matrix would be inaccurate.
pub(super) const MIN_RELATIVE_VOLUME: f64 = 1e-10;

/// The rest state of elements is invalid. Elements are counted from zero.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ElementError {
    /// An element names a node that does not exist.
    #[error("tetrahedron {element} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The element.
        element: usize,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A rest position is not finite.
    #[error("the rest position of node {node} is {position}, which is not finite")]
    NotFinite {
        /// The node.
        node: usize,
        /// Rest position of the node (m).
        position: Vec3,
    },
    /// The map from barycentric coordinates to a curved element at rest is not proved to be one-to-one.
    #[error(
        "{} of {total} tetrahedra with curved edges are folded at rest: {}",
        elements.len(), list_elements(elements)
    )]
    Folded {
        /// Each such element with a lower bound of a sixth of the determinant of the map (m^3), which is the volume of
        /// a straight element.
        elements: Vec<(usize, f64)>,
        /// Total number of elements.
        total: usize,
    },
    /// The number of materials differs from that of elements.
    #[error("there are {elements} tetrahedra, but materials for {materials}")]
    Materials {
        /// Number of elements.
        elements: usize,
        /// Number of elements with a material.
        materials: usize,
    },
    /// Elements are inverted or flat at rest.
    #[error(
        "{} of {total} tetrahedra are inverted or flat at rest: {}",
        elements.len(), list_elements(elements)
    )]
    NoVolume {
        /// Each such element with its signed volume (m^3).
        elements: Vec<(usize, f64)>,
        /// Total number of elements.
        total: usize,
    },
}

/// The first few elements with their volumes, for a message.
fn list_elements(elements: &[(usize, f64)]) -> String {
    const MAX_LISTED: usize = 8;
    let mut text: Vec<String> =
        elements.iter().take(MAX_LISTED).map(|(e, v)| format!("{e} ({v:.3e} m^3)")).collect();
    if elements.len() > MAX_LISTED {
        text.push("...".to_owned());
    }
    text.join(", ")
}

/// The inverses of the derivatives of rest positions with respect to barycentric coordinates, `[dX/dL_1, dX/dL_2,
/// dX/dL_3]^-1` with `L_0 = 1 - L_1 - L_2 - L_3`, at the `Q` integration points of eight elements.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "straight elements, of which most meshes consist, need no indirection"
)]
pub(super) enum InverseEdges<const Q: usize> {
    /// The same inverse `Dm^-1` at all points, for straight elements.
    Uniform(Mat3x8),
    /// An inverse at each point, for groups with curved elements.
    AtPoints(Arc<[Mat3x8; Q]>),
}

impl<const Q: usize> InverseEdges<Q> {
    /// The inverses at an integration point.
    #[inline(always)]
    pub(super) fn at(&self, point: usize) -> &Mat3x8 {
        match self {
            Self::Uniform(inverse) => inverse,
            Self::AtPoints(inverses) => &inverses[point],
        }
    }
}

/// Eight elements: nodes and rest shape.
#[derive(Debug, Clone)]
pub(super) struct TetGroup {
    /// Nodes of each element.
    pub(super) nodes: [[u32; 4]; LANES],
    /// Number of elements in the group; unused lanes repeat the last element with volume zero.
    pub(super) count: usize,
    /// `Dm^-1`; its rows are the gradients of the shape functions of nodes 1, 2, 3.
    pub(super) inverse: Mat3x8,
    /// Rest volume (m^3), zero in lanes that are copies.
    pub(super) volume: Lane,
}

impl TetGroup {
    /// The edges `[x1 - x0, x2 - x0, x3 - x0]` of each element.
    #[inline(always)]
    pub(super) fn edges(&self, x: &[Vec3]) -> Mat3x8 {
        Mat3x8 { cols: lanes::edges(x, &self.nodes) }
    }

    /// The deformation gradient `F = Ds Dm^-1` of each element.
    #[inline(always)]
    pub(super) fn deformation_gradient(&self, x: &[Vec3]) -> Mat3x8 {
        self.edges(x).mul(&self.inverse)
    }
}

/// The materials, if they are uniform or as many as the elements.
pub(super) fn check_count(
    materials: Materials,
    elements: usize,
) -> Result<Materials, ElementError> {
    match materials.elements() {
        Some(materials) if materials != elements => {
            Err(ElementError::Materials { elements, materials })
        }
        _ => Ok(materials),
    }
}

/// Rest shape of an element.
struct RestShape {
    /// `Dm`: the edges (m) from the first node, as columns.
    edges: Mat3,
    /// Volume (m^3).
    volume: f64,
}

/// Groups of [`LANES`] elements for SIMD evaluation, in the order of the elements, with nodes at `rest` (m). Fails if a
/// position is not finite, a node does not exist, or elements have no positive volume.
pub(super) fn groups(rest: &[Vec3], tets: &[[u32; 4]]) -> Result<Vec<TetGroup>, ElementError> {
    for (node, position) in rest.iter().enumerate() {
        if !position.is_finite() {
            return Err(ElementError::NotFinite { node, position: *position });
        }
    }
    let mut shapes = Vec::with_capacity(tets.len());
    let mut degenerate = Vec::new();
    for (element, nodes) in tets.iter().enumerate() {
        if let Some(&node) = nodes.iter().find(|&&node| node as usize >= rest.len()) {
            return Err(ElementError::NoSuchNode { element, node, nodes: rest.len() });
        }
        let edges = edge_matrix(rest, nodes);
        let volume = edges.determinant() / 6.0;
        // The comparison is also false for NaN.
        let has_volume = volume > MIN_RELATIVE_VOLUME * longest_edge(rest, nodes).powi(3);
        if !has_volume {
            degenerate.push((element, volume));
        }
        shapes.push(RestShape { edges, volume });
    }
    if !degenerate.is_empty() {
        return Err(ElementError::NoVolume { elements: degenerate, total: tets.len() });
    }
    let chunks = tets.chunks(LANES).zip(shapes.chunks(LANES));
    Ok(chunks.map(|(tets, shapes)| group(tets, shapes)).collect())
}

/// A single element with a given volume.
pub(super) fn uniform(rest: &[Vec3; 4], volume: f64) -> TetGroup {
    let nodes = [0, 1, 2, 3];
    group(&[nodes], &[RestShape { edges: edge_matrix(rest, &nodes), volume }])
}

/// A group of up to eight elements; unused lanes repeat the last element with volume zero.
fn group(tets: &[[u32; 4]], shapes: &[RestShape]) -> TetGroup {
    let count = tets.len();
    let index = |l: usize| l.min(count - 1);
    TetGroup {
        nodes: from_fn(|l| tets[index(l)]),
        count,
        inverse: Mat3x8::from_lanes(&from_fn(|l| shapes[index(l)].edges.inverse())),
        volume: Lane::new(from_fn(|l| if l < count { shapes[l].volume } else { 0.0 })),
    }
}

/// The edges (m) from the first node as columns.
fn edge_matrix(x: &[Vec3], nodes: &[u32; 4]) -> Mat3 {
    let [a, b, c, d] = nodes.map(|n| x[n as usize]);
    Mat3::from_cols(b - a, c - a, d - a)
}

/// Length (m) of the longest edge.
pub(super) fn longest_edge(x: &[Vec3], nodes: &[u32; 4]) -> f64 {
    let p = nodes.map(|n| x[n as usize]);
    let lengths = (0..4).flat_map(|i| (0..i).map(move |j| p[i].distance(p[j])));
    lengths.fold(0.0, f64::max)
}
