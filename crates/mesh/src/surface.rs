//! Contact primitives of a body: vertices, edges and triangles.

use crate::tri_mesh::triangle_area;
use resile_math::Vec3;
use std::fmt;

/// Primitives of a surface. Indices are those of the source mesh, so one position array serves elasticity and
/// contact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surface {
    /// Vertices used by triangles, in ascending order.
    pub vertices: Vec<u32>,
    /// Each undirected edge once, the smaller vertex first, in ascending order.
    pub edges: Vec<[u32; 2]>,
    /// Triangles, outward counter-clockwise, in the order of the mesh.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Collects the vertices and edges of `triangles`. Costs two sorts.
    pub fn from_triangles(triangles: Vec<[u32; 3]>) -> Self {
        let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut edges: Vec<[u32; 2]> =
            triangles.iter().flat_map(|&t| directed_edges(t)).map(undirected).collect();
        edges.sort_unstable();
        edges.dedup();
        Self { vertices, edges, triangles }
    }

    /// One third of the area of the adjacent triangles of each of `vertices`, in m^2. The sum is the total
    /// area.
    pub fn vertex_areas(&self, positions: &[Vec3]) -> Vec<f64> {
        let mut areas = vec![0.0; self.vertices.len()];
        for &triangle in &self.triangles {
            let third = triangle_area(positions, triangle) / 3.0;
            for vertex in triangle {
                if let Ok(index) = self.vertices.binary_search(&vertex) {
                    areas[index] += third;
                }
            }
        }
        areas
    }

    /// One third of the area of the adjacent triangles of each of `edges`, in m^2. The sum is the total area.
    pub fn edge_areas(&self, positions: &[Vec3]) -> Vec<f64> {
        let mut areas = vec![0.0; self.edges.len()];
        for &triangle in &self.triangles {
            let third = triangle_area(positions, triangle) / 3.0;
            for edge in directed_edges(triangle) {
                if let Ok(index) = self.edges.binary_search(&undirected(edge)) {
                    areas[index] += third;
                }
            }
        }
        areas
    }
}

/// Defects that keep triangles from being a closed, oriented 2-manifold. Holes may be intended (a sheet); the
/// other defects rarely are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SurfaceDefects {
    /// Boundary edges: edges with a single triangle.
    pub open_edges: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edge directions that more than one triangle traverses: these triangles are inconsistently oriented.
    pub misoriented_edges: usize,
    /// Triangles with the same three corners as an earlier one.
    pub duplicate_triangles: usize,
    /// Triangles without area.
    pub flat_triangles: usize,
}

impl SurfaceDefects {
    /// Counts the defects of triangles over these positions (m).
    pub(crate) fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut directed: Vec<[u32; 2]> =
            triangles.iter().flat_map(|&t| directed_edges(t)).collect();
        directed.sort_unstable();
        let mut edges: Vec<[u32; 2]> = directed.iter().copied().map(undirected).collect();
        edges.sort_unstable();
        let edge_counts = || edges.chunk_by(|a, b| a == b).map(<[_]>::len);
        let mut sorted_corners = triangles.to_vec();
        sorted_corners.iter_mut().for_each(|t| t.sort_unstable());
        sorted_corners.sort_unstable();
        let area = |t: &[u32; 3]| triangle_area(positions, *t);
        Self {
            open_edges: edge_counts().filter(|&n| n == 1).count(),
            non_manifold_edges: edge_counts().filter(|&n| n > 2).count(),
            misoriented_edges: directed.chunk_by(|a, b| a == b).filter(|c| c.len() > 1).count(),
            duplicate_triangles: sorted_corners
                .windows(2)
                .filter(|pair| pair[0] == pair[1])
                .count(),
            flat_triangles: triangles.iter().filter(|t| area(t) == 0.0).count(),
        }
    }

    /// Whether the surface bounds a volume: no edge is open, shared by more than two triangles, or traversed
    /// twice in one direction.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.non_manifold_edges == 0 && self.misoriented_edges == 0
    }
}

impl fmt::Display for SurfaceDefects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.open_edges, "open edges"),
            (self.non_manifold_edges, "non-manifold edges"),
            (self.misoriented_edges, "edges with inconsistent orientation"),
            (self.duplicate_triangles, "duplicate triangles"),
            (self.flat_triangles, "degenerate triangles"),
        ];
        let counts: Vec<String> = (kinds.iter().filter(|(count, _)| *count > 0))
            .map(|(count, what)| format!("{what}: {count}"))
            .collect();
        f.write_str(if counts.is_empty() { "no defects" } else { "" })?;
        f.write_str(&counts.join(", "))
    }
}

/// Edges of a triangle in the direction in which it traverses them.
fn directed_edges([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The edge with its smaller vertex first.
fn undirected([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
