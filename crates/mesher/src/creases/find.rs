//! Sharp edges of a surface, and the corners at which they meet.

use resile_math::Vec3;
use resile_math::elementary;
use resile_mesh::Parts;
use resile_mesh::TriMesh;
use resile_mesh::TriangleTree;
use resile_watch::Interrupt;

/// Turning angle of a crease, in degrees, above which it has a corner.
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
        let sharp = drop_short(mesh, sharp_edges(mesh, degrees), min_length);
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
        self.edges[self.tree.nearest(p).1 as usize].closest(p)
    }

    /// Whether the edge between two surface points cuts off a crease within `reach` (m). Tests only the
    /// creases nearest to the midpoint and the end points.
    pub(super) fn are_cut_by(&self, [a, b]: [Vec3; 2], reach: f64) -> bool {
        !self.interrupt.is_raised()
            && [0.5, 0.0, 1.0].into_iter().any(|t| {
                let edge = &self.edges[self.tree.nearest(a.lerp(b, t)).1 as usize];
                edge.is_cut_by([a, b], reach)
            })
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
    fn is_cut_by(&self, ends: [Vec3; 2], reach: f64) -> bool {
        let [from, to] = ends.map(|p| (p - self.ends[0]).dot(self.across));
        // A point this near to the crease counts as on both of its sides.
        let tolerance = 1e-3 * reach;
        if from.abs() < tolerance || to.abs() < tolerance || (from < 0.0) == (to < 0.0) {
            return false;
        }
        let point = ends[0].lerp(ends[1], from / (from - to));
        let foot = self.closest(point);
        let depth = foot.distance(point);
        // Beyond its ends this crease is not cut off.
        let direction = (self.ends[1] - self.ends[0]).normalize();
        let is_off_plane = (point - foot).dot(direction).abs() > 0.5 * depth;
        depth > tolerance && depth < reach && !is_off_plane
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

/// Sharp edges in ascending order of their vertices.
fn sharp_edges(mesh: &TriMesh, degrees: f64) -> Vec<SharpEdge> {
    let mut uses: Vec<([u32; 2], bool, u32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, &[a, b, c]) in (0..).zip(&mesh.triangles) {
        uses.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], a < b, t)));
    }
    uses.sort_unstable();
    let normal = |t: u32| {
        let [a, b, c] = mesh.corners(t as usize);
        (b - a).cross(c - a).try_normalize()
    };
    let max_cosine = elementary::cos(degrees.to_radians());
    let mut sharp = Vec::new();
    for sides in uses.chunk_by(|a, b| a.0 == b.0) {
        let &[(ends, first, s), (_, second, t)] = sides else { continue };
        let (Some(m), Some(n)) = (normal(s), normal(t)) else { continue };
        let has_length = mesh.positions[ends[0] as usize] != mesh.positions[ends[1] as usize];
        if first != second && has_length && m.dot(n) < max_cosine && (m - n).length() > 0.0 {
            sharp.push(SharpEdge { vertices: ends, normals: [m, n] });
        }
    }
    sharp
}

/// Drops connected chains whose bounding box has a diagonal below `min_length` (m).
fn drop_short(mesh: &TriMesh, mut sharp: Vec<SharpEdge>, min_length: f64) -> Vec<SharpEdge> {
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

/// Vertices with three or more sharp edges, or two with a sharp turn.
fn corners(mesh: &TriMesh, sharp: &[SharpEdge]) -> Vec<Vec3> {
    let mut ends: Vec<[u32; 2]> =
        sharp.iter().flat_map(|&SharpEdge { vertices: [a, b], .. }| [[a, b], [b, a]]).collect();
    ends.sort_unstable();
    let is_corner = |ends: &&[[u32; 2]]| {
        let corner = mesh.positions[ends[0][0] as usize];
        let direction = |k: usize| (mesh.positions[ends[k][1] as usize] - corner).normalize();
        match ends.len() {
            1 => false,
            2 => -direction(0).dot(direction(1)) < elementary::cos(CORNER_ANGLE.to_radians()),
            _ => true,
        }
    };
    let groups = ends.chunk_by(|a, b| a[0] == b[0]);
    groups.filter(is_corner).map(|ends| mesh.positions[ends[0][0] as usize]).collect()
}
