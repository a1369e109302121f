//! Sharp edges of a surface, and the corners at which they meet.

use resile_math::Vec3;
use resile_math::elementary;
use resile_mesh::Parts;
use resile_mesh::TriMesh;
use resile_mesh::TriangleTree;
use resile_watch::Interrupt;

/// Angle (degrees) between consecutive edges of a crease above which their vertex is a corner.
const CORNER_ANGLE: f64 = 45.0;

/// Sharp edges of a surface.
#[derive(Debug)]
pub(super) struct Network {
    edges: Vec<CreaseEdge>,
    /// Tree of the edges, each as a degenerate triangle.
    tree: TriangleTree,
    /// Vertices where a crease turns sharply or three or more creases meet.
    pub(super) corners: Vec<Vec3>,
    /// Ends searches once it is raised.
    interrupt: Interrupt,
}

/// A sharp edge of the surface.
#[derive(Debug, Clone, Copy)]
struct CreaseEdge {
    /// Positions of its ends (m).
    ends: [Vec3; 2],
    /// Unit vector across the edge, tangential to the mean of both sides.
    across: Vec3,
}

impl Network {
    /// Finds edges whose triangle normals differ by more than `degrees`; drops chains with an extent
    /// below `min_length` (m) as noise. `None` if there are none.
    pub(super) fn find(
        mesh: &TriMesh,
        degrees: f64,
        min_length: f64,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let sharp = remove_short_chains(mesh, sharp_edges(mesh, degrees), min_length);
        if sharp.is_empty() {
            return None;
        }
        let edges: Vec<CreaseEdge> = sharp.iter().map(|edge| edge.crease_edge(mesh)).collect();
        let tree =
            TriangleTree::new(edges.iter().map(|edge| [edge.ends[0], edge.ends[1], edge.ends[1]]));
        Some(Self { corners: corners(mesh, &sharp), edges, tree, interrupt: interrupt.clone() })
    }

    /// Closest point (m) on a crease.
    pub(super) fn closest(&self, p: Vec3) -> Vec3 {
        self.nearest_edge(p).closest(p)
    }

    /// The crease edge nearest to a point (m).
    fn nearest_edge(&self, p: Vec3) -> &CreaseEdge {
        let (_, index) = self.tree.nearest(p);
        &self.edges[index as usize]
    }

    /// Whether the edge between two surface points cuts off a crease within `reach` (m). Tests only the
    /// creases nearest to the midpoint and the end points.
    pub(super) fn are_cut_by(&self, [a, b]: [Vec3; 2], reach: f64) -> bool {
        !self.interrupt.is_raised()
            && [0.5, 0.0, 1.0]
                .into_iter()
                .any(|t| self.nearest_edge(a.lerp(b, t)).is_cut_by([a, b], reach))
    }
}

impl CreaseEdge {
    /// Closest point (m) on the edge.
    fn closest(&self, p: Vec3) -> Vec3 {
        let [a, b] = self.ends;
        let edge = b - a;
        a + edge * ((p - a).dot(edge) / edge.length_squared()).clamp(0.0, 1.0)
    }

    /// Whether the segment between `ends` passes from one side of the crease to the other at a distance below `reach`
    /// (m), so that it cuts the crease off.
    fn is_cut_by(&self, [p, q]: [Vec3; 2], reach: f64) -> bool {
        let [a, b] = self.ends;
        let [side_of_p, side_of_q] = [p, q].map(|end| (end - a).dot(self.across));
        // A point this near to the crease counts as on both of its sides.
        let tolerance = 1e-3 * reach;
        if side_of_p.abs() < tolerance
            || side_of_q.abs() < tolerance
            || (side_of_p < 0.0) == (side_of_q < 0.0)
        {
            return false;
        }
        let point = p.lerp(q, side_of_p / (side_of_p - side_of_q));
        let foot = self.closest(point);
        let depth = foot.distance(point);
        // Beyond its ends this crease is not cut off.
        let direction = (b - a).normalize();
        let is_beyond_ends = (point - foot).dot(direction).abs() > 0.5 * depth;
        depth > tolerance && depth < reach && !is_beyond_ends
    }
}

/// A sharp edge by vertex indices.
#[derive(Debug, Clone, Copy)]
struct SharpEdge {
    /// Indices of the vertices at its ends, the smaller first.
    vertices: [u32; 2],
    /// Unit normals of both triangles.
    normals: [Vec3; 2],
}

impl SharpEdge {
    /// The edge with the positions of its ends.
    fn crease_edge(&self, mesh: &TriMesh) -> CreaseEdge {
        let ends = self.vertices.map(|v| mesh.positions[v as usize]);
        let [m, n] = self.normals;
        // The difference of the normals is perpendicular to the edge; it vanishes only for
        // equal normals.
        CreaseEdge { ends, across: (m - n).normalize() }
    }
}

/// A half-edge: the use of an edge by a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TriangleHalfEdge {
    /// End points of the edge, the smaller vertex first.
    edge: [u32; 2],
    /// Whether the triangle traverses the edge from the smaller to the larger vertex.
    forward: bool,
    triangle: u32,
}

/// Edges with two consistently oriented triangles whose normals differ by more than an angle in `degrees`, in ascending
/// order of their vertices. Edges without length and those of triangles without area are left out.
fn sharp_edges(mesh: &TriMesh, degrees: f64) -> Vec<SharpEdge> {
    let mut half_edges: Vec<TriangleHalfEdge> = Vec::with_capacity(3 * mesh.triangles.len());
    for (triangle, &[a, b, c]) in (0..).zip(&mesh.triangles) {
        half_edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| TriangleHalfEdge {
            edge: [a.min(b), a.max(b)],
            forward: a < b,
            triangle,
        }));
    }
    half_edges.sort_unstable();
    let normal = |t: u32| {
        let [a, b, c] = mesh.corners(t as usize);
        (b - a).cross(c - a).try_normalize()
    };
    let max_cosine = elementary::cos(degrees.to_radians());
    let mut sharp_edges = Vec::new();
    for pair in half_edges.chunk_by(|a, b| a.edge == b.edge) {
        let [first, second] = pair else { continue };
        let normals = (normal(first.triangle), normal(second.triangle));
        let (Some(m), Some(n)) = normals else { continue };
        let [a, b] = first.edge.map(|v| mesh.positions[v as usize]);
        let is_consistent = first.forward != second.forward;
        if is_consistent && a != b && m.dot(n) < max_cosine && (m - n).length() > 0.0 {
            sharp_edges.push(SharpEdge { vertices: first.edge, normals: [m, n] });
        }
    }
    sharp_edges
}

/// Removes connected chains of edges whose bounding box has a diagonal below `min_length` (m).
fn remove_short_chains(
    mesh: &TriMesh,
    mut sharp: Vec<SharpEdge>,
    min_length: f64,
) -> Vec<SharpEdge> {
    let edges: Vec<[u32; 2]> = sharp.iter().map(|edge| edge.vertices).collect();
    let mut parts = Parts::of_elements(mesh.positions.len(), &edges);
    let mut boxes = vec![[Vec3::INFINITY, Vec3::NEG_INFINITY]; mesh.positions.len()];
    for edge in &sharp {
        let [min, max] = &mut boxes[parts.find(edge.vertices[0]) as usize];
        for p in edge.vertices.map(|v| mesh.positions[v as usize]) {
            (*min, *max) = (min.min(p), max.max(p));
        }
    }
    sharp.retain(|edge| {
        let [min, max] = boxes[parts.find(edge.vertices[0]) as usize];
        min.distance(max) >= min_length
    });
    sharp
}

/// Positions (m) of the vertices with three or more sharp edges, or with two that meet at more than [`CORNER_ANGLE`].
fn corners(mesh: &TriMesh, sharp: &[SharpEdge]) -> Vec<Vec3> {
    // Each edge from both of its ends, as pairs of vertex and neighbour.
    let mut neighbours: Vec<[u32; 2]> =
        sharp.iter().flat_map(|&SharpEdge { vertices: [a, b], .. }| [[a, b], [b, a]]).collect();
    neighbours.sort_unstable();
    let position = |vertex: u32| mesh.positions[vertex as usize];
    let corner = |group: &[[u32; 2]]| {
        let &[[vertex, _], ..] = group else { return None };
        let direction =
            |[_, neighbour]: [u32; 2]| (position(neighbour) - position(vertex)).normalize();
        let is_corner = match *group {
            [_] => false,
            [first, second] => {
                let cosine = -direction(first).dot(direction(second));
                cosine < elementary::cos(CORNER_ANGLE.to_radians())
            }
            _ => true,
        };
        is_corner.then(|| position(vertex))
    };
    neighbours.chunk_by(|[a, _], [b, _]| a == b).filter_map(corner).collect()
}
