//! Second-order tetrahedra: the edge of each midside node, and its distance from the edge's midpoint.

use super::MeshFileError;
use crate::CurvedEdges;
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::fmt;

/// Order of the midside nodes in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MiddleOrder {
    /// VTK and Medit: edges 01, 12, 02, 03, 13, 23.
    Vtk,
    /// Gmsh: edges 01, 12, 02, 03, 23, 13.
    Gmsh,
    /// `TetGen`: edges 23, 03, 01, 12, 13, 02.
    TetGen,
}

impl MiddleOrder {
    /// Corners on either side of each midside node.
    fn edges(self) -> [[usize; 2]; 6] {
        match self {
            Self::Vtk => [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]],
            Self::Gmsh => [[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]],
            Self::TetGen => [[2, 3], [0, 3], [0, 1], [1, 2], [1, 3], [0, 2]],
        }
    }
}

/// Report on the midside nodes of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondOrder {
    /// Number of second-order tetrahedra.
    pub elements: usize,
    /// Nodes farther from the midpoint of their edge than single-precision rounding.
    pub curved: usize,
    /// Largest distance of a node from the midpoint of its edge in the unit of the file.
    pub farthest: f64,
}

impl fmt::Display for SecondOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elements, curved, farthest } = *self;
        write!(f, "{elements} second-order tetrahedra, ")?;
        match curved {
            0 => write!(f, "whose edges are straight")?,
            // Printed in single precision, which is enough for a message.
            _ => write!(
                f,
                "some with curved edges: {curved} mid-side nodes are off the middle, by up to {} in the unit of the file",
                farthest as f32
            )?,
        }
        write!(f, "; `elements: Quadratic` keeps mid-side nodes")
    }
}

/// A node is at the midpoint of an edge if its distance is less than this fraction of the edge's length: a few
/// roundings in single precision.
const MIDPOINT_TOLERANCE: f64 = 1e-6;

/// Midside nodes of second-order tetrahedra, with the node numbers of the file.
#[derive(Debug, Default)]
pub(super) struct MidsideNodes {
    /// Index of each tetrahedron, order of its midside nodes, and their numbers.
    by_tet: Vec<(usize, MiddleOrder, [i64; 6])>,
}

impl MidsideNodes {
    /// Adds the midside nodes of a tetrahedron; lists of a length other than six are ignored.
    pub(super) fn add(&mut self, tet: usize, order: MiddleOrder, nodes: &[i64]) {
        if let Ok(nodes) = <[i64; 6]>::try_from(nodes) {
            self.by_tet.push((tet, order, nodes));
        }
    }

    /// Renumbers nodes.
    ///
    /// # Errors
    /// The index of a tetrahedron and the old number of its node, if that has no new number.
    pub(super) fn renumber(
        &mut self,
        number: impl Fn(i64) -> Option<i64>,
    ) -> Result<(), (usize, i64)> {
        for (tet, _, nodes) in &mut self.by_tet {
            for node in nodes {
                *node = number(*node).ok_or((*tet, *node))?;
            }
        }
        Ok(())
    }

    /// Renumbers the tetrahedra, and drops the nodes of those without a new index.
    pub(super) fn keep(&mut self, new_index: impl Fn(usize) -> Option<usize>) {
        self.by_tet.retain_mut(|(tet, ..)| new_index(*tet).map(|index| *tet = index).is_some());
    }

    /// Converts node numbers to node indices by `node_index`; `tets` has the node indices of the corners. An error if a
    /// node does not exist; the `count` node numbers start at `first`.
    pub(super) fn resolve(
        &self,
        tets: &[[u32; 4]],
        node_index: impl Fn(i64) -> Option<u32>,
        first: i64,
        count: usize,
    ) -> Result<ResolvedMidsideNodes, MeshFileError> {
        let mut edges = BTreeMap::new();
        for &(element, order, nodes) in &self.by_tet {
            for ([a, b], index) in order.edges().into_iter().zip(nodes) {
                let last = first + count as i64 - 1;
                let out_of_range = MeshFileError::OutOfRange { element, index, first, last };
                let node = node_index(index).ok_or(out_of_range)?;
                let [a, b] = [a, b].map(|corner| tets[element][corner]);
                edges.insert(node, [a.min(b), a.max(b)]);
            }
        }
        Ok(ResolvedMidsideNodes { elements: self.by_tet.len(), edges })
    }
}

/// Midside nodes by their node index in the file.
#[derive(Debug)]
pub(super) struct ResolvedMidsideNodes {
    elements: usize,
    /// Corners of the edge of each midside node.
    edges: BTreeMap<u32, [u32; 2]>,
}

impl ResolvedMidsideNodes {
    /// Report on the nodes; `None` if there are no second-order tetrahedra.
    pub(super) fn report(&self, positions: &[Vec3]) -> Option<SecondOrder> {
        if self.elements == 0 {
            return None;
        }
        let mut report = SecondOrder { elements: self.elements, curved: 0, farthest: 0.0 };
        for (&node, &ends) in &self.edges {
            let offset = MidpointOffset::of_node(positions, node, ends);
            report.curved += usize::from(offset.is_curved);
            report.farthest = report.farthest.max(offset.distance);
        }
        Some(report)
    }

    /// Positions of the nodes of curved edges, by the mesh indices of the edges' corners.
    pub(super) fn curved(&self, positions: &[Vec3], vertices: &[Option<u32>]) -> CurvedEdges {
        let curved_edge = |(&node, &ends): (&u32, &[u32; 2])| {
            let [a, b] = ends.map(|end| vertices[end as usize]);
            let edge = [a?.min(b?), a?.max(b?)];
            let offset = MidpointOffset::of_node(positions, node, ends);
            offset.is_curved.then(|| (edge, positions[node as usize]))
        };
        self.edges.iter().filter_map(curved_edge).collect()
    }

    /// The nodes that are not corners of the mesh, with the mesh indices of their edges' corners.
    pub(super) fn into_mesh_edges(self, vertices: &[Option<u32>]) -> Vec<(u32, [u32; 2])> {
        let edge_of_mesh = |(node, [a, b]): (u32, [u32; 2])| {
            let [a, b] = [vertices[a as usize]?, vertices[b as usize]?];
            vertices[node as usize].is_none().then_some((node, [a, b]))
        };
        self.edges.into_iter().filter_map(edge_of_mesh).collect()
    }
}

/// Offset of a midside node from the midpoint of its edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct MidpointOffset {
    /// Distance in the unit of the file.
    pub(super) distance: f64,
    /// Whether the distance exceeds rounding.
    pub(super) is_curved: bool,
}

impl MidpointOffset {
    /// Measures the offset of a point from the midpoint between `a` and `b`.
    pub(super) fn new(point: Vec3, [a, b]: [Vec3; 2]) -> Self {
        let distance = point.distance(0.5 * (a + b));
        Self { distance, is_curved: distance > MIDPOINT_TOLERANCE * a.distance(b) }
    }

    /// Measures the offset of a node from the midpoint between two others.
    fn of_node(positions: &[Vec3], node: u32, ends: [u32; 2]) -> Self {
        Self::new(positions[node as usize], ends.map(|end| positions[end as usize]))
    }
}
