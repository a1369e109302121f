//! Connected components by union-find (Tarjan 1975).

use crate::TriMesh;

/// A union-find structure over indices; each set is named by its smallest member.
#[derive(Debug)]
pub struct Parts {
    parent: Vec<u32>,
}

impl Parts {
    /// Creates one singleton set for each index below `count`.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Connected components of `count` vertices; vertices of a common element are connected.
    pub fn of_elements<const N: usize>(count: usize, elements: &[[u32; N]]) -> Self {
        let mut parts = Self::new(count);
        for element in elements {
            element[1..].iter().for_each(|&other| parts.join(element[0], other));
        }
        parts
    }

    /// Representative of the set that contains `index`: its smallest member. Shortens the path to it.
    pub fn find(&mut self, mut index: u32) -> u32 {
        while self.parent[index as usize] != index {
            let grandparent = self.parent[self.parent[index as usize] as usize];
            self.parent[index as usize] = grandparent;
            index = grandparent;
        }
        index
    }

    /// Unites the sets of `a` and `b`.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Distinct representatives of the sets of these indices, in ascending order.
    pub fn representatives(&mut self, indices: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut representatives: Vec<u32> =
            indices.into_iter().map(|index| self.find(index)).collect();
        representatives.sort_unstable();
        representatives.dedup();
        representatives
    }
}

/// A half-edge: the use of an edge by one triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfEdge {
    /// End points of the edge, the smaller vertex first.
    pub(crate) edge: [u32; 2],
    /// Whether the triangle traverses the edge from the smaller to the larger vertex.
    pub(crate) forward: bool,
}

/// All half-edges, sorted by edge.
pub(crate) fn half_edges(mesh: &TriMesh) -> Vec<HalfEdge> {
    let directed_edges = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut half_edges: Vec<HalfEdge> = (mesh.triangles.iter().flat_map(directed_edges))
        .map(|[a, b]| HalfEdge { edge: [a.min(b), a.max(b)], forward: a < b })
        .collect();
    half_edges.sort_unstable();
    half_edges
}

/// A connected component of a surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfacePart {
    /// Index of its first triangle.
    pub(crate) triangle: usize,
    /// Whether every edge has two consistently oriented triangles.
    pub(crate) closed: bool,
    /// Enclosed volume (m^3), negative if it faces inward; meaningless if it is not closed.
    pub(crate) volume: f64,
}

/// Connected components of a surface, in the order of their first triangles; triangles that share a vertex are
/// connected.
pub(crate) fn surface_parts(mesh: &TriMesh) -> Vec<SurfacePart> {
    let mut parts = Parts::of_elements(mesh.positions.len(), &mesh.triangles);
    let mut part_index = vec![usize::MAX; mesh.positions.len()];
    let mut components: Vec<SurfacePart> = Vec::new();
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        let representative = parts.find(corners[0]) as usize;
        if part_index[representative] == usize::MAX {
            part_index[representative] = components.len();
            components.push(SurfacePart { triangle, closed: true, volume: 0.0 });
        }
        let part = &mut components[part_index[representative]];
        // Cones from a vertex of the component avoid cancellation far from the origin.
        let apex = mesh.positions[mesh.triangles[part.triangle][0] as usize];
        let [a, b, c] = mesh.corners(triangle).map(|p| p - apex);
        part.volume += a.cross(b).dot(c) / 6.0;
    }
    for half_edges in half_edges(mesh).chunk_by(|a, b| a.edge == b.edge) {
        if half_edges.len() != 2 || half_edges[0].forward == half_edges[1].forward {
            components[part_index[parts.find(half_edges[0].edge[0]) as usize]].closed = false;
        }
    }
    components
}
