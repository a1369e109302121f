//! The nearest point of a body for a tie, as a weighted mean of nodes.

use super::body::PlacedBody;
use super::followed::project_outside;
use resile_contact::distance::{Closest, PairKind};
use resile_energy::Anchor;
use resile_math::{Mat3, Vec3};
use resile_mesh::{Location, TetMesh, TriangleTree};

/// A body to which other bodies are tied.
pub(super) enum TieHost<'a> {
    /// Solids and affine bodies: a point is tied to the tetrahedron that contains it or is nearest.
    Volume { mesh: TetMesh, surface: Option<TriangleTree> },
    /// Shells, cloth, rods and particles: a point is tied to the nearest point of triangles and edges, or of nodes.
    Thin { positions: &'a [Vec3], triangles: &'a [[u32; 3]], edges: &'a [[u32; 2]] },
}

/// The end of a tie.
pub(super) struct TieTarget {
    /// The point of the host.
    pub(super) anchor: Anchor,
    /// The rest length of the spring (m).
    pub(super) length: f64,
}

impl<'a> TieHost<'a> {
    /// The current geometry of a body; `None` if it has no nodes.
    pub(super) fn new(body: &'a PlacedBody) -> Option<Self> {
        let positions = &body.state.positions[..];
        let tets = match body.affine {
            Some(_) => vec![[0, 1, 2, 3]],
            None => body.tets.clone(),
        };
        if tets.is_empty() {
            let (triangles, edges) = (&body.triangles[..], &body.lines[..]);
            return (!positions.is_empty()).then_some(Self::Thin { positions, triangles, edges });
        }
        let points = body.surface.points(positions);
        let triangles = body.surface.triangles();
        let corners = triangles.iter().map(|t| t.map(|vertex| points[vertex as usize]));
        let surface = (!triangles.is_empty()).then(|| TriangleTree::new(corners));
        Some(Self::Volume { mesh: TetMesh { positions: positions.to_vec(), tets }, surface })
    }

    /// The target for a point at `x` (m). A volume is tied outside of its surface at the distance `reach` (m) or more;
    /// on a thin body the rest length is at least `reach`.
    pub(super) fn tie_at(&self, x: Vec3, reach: f64) -> TieTarget {
        match self {
            Self::Volume { mesh, surface } => {
                let target =
                    surface.as_ref().map_or(x, |surface| project_outside(surface, x, reach));
                TieTarget { anchor: anchor_in_volume(mesh, target), length: 0.0 }
            }
            Self::Thin { positions, triangles, edges } => {
                let (anchor, distance) = nearest_anchor(positions, triangles, edges, x);
                TieTarget { anchor, length: distance.max(reach) }
            }
        }
    }
}

/// A point as a weighted mean of the nodes of the tetrahedron that contains it or is nearest.
fn anchor_in_volume(mesh: &TetMesh, x: Vec3) -> Anchor {
    if let [nodes] = mesh.tets[..] {
        let [a, b, c, d] = nodes.map(|node| mesh.positions[node as usize]);
        let w = Mat3::from_cols(b - a, c - a, d - a).inverse() * (x - a);
        let weights = [1.0 - w.x - w.y - w.z, w.x, w.y, w.z];
        return Anchor::new(nodes.map(|node| node as usize).into_iter().zip(weights).collect());
    }
    let Location { tet, weights } = mesh.locate(&[x])[0];
    let nodes = mesh.tets[tet as usize].map(|node| node as usize);
    Anchor::new(nodes.into_iter().zip(weights).collect())
}

/// The nearest point of triangles and edges, or of nodes if there are none, and its distance (m). O(triangles + edges +
/// nodes).
fn nearest_anchor(
    x: &[Vec3],
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
    point: Vec3,
) -> (Anchor, f64) {
    let triangle_pair = |&[a, b, c]: &[u32; 3]| (PairKind::VertexFace, [a, b, c]);
    let edge_pair = |&[a, b]: &[u32; 2]| (PairKind::VertexEdge, [a, b, b]);
    let only_points = triangles.is_empty() && edges.is_empty();
    let node_pair = |node: u32| (PairKind::VertexVertex, [node; 3]);
    let nodes = (0..x.len() as u32).filter(|_| only_points).map(node_pair);
    let candidates =
        triangles.iter().map(triangle_pair).chain(edges.iter().map(edge_pair)).chain(nodes);
    let distances = candidates.map(|(kind, nodes)| {
        let [a, b, c] = nodes.map(|node| x[node as usize]);
        let closest = Closest::new(kind, &[point, a, b, c]);
        let weights = nodes.map(|node| node as usize).into_iter().zip(closest.weights[1..].iter());
        let weights = weights.take(kind.points() - 1).map(|(node, weight)| (node, -weight));
        (Anchor::new(weights.collect()), closest.distance2().sqrt())
    });
    let closest_anchor = distances.min_by(|a, b| a.1.total_cmp(&b.1));
    closest_anchor.unwrap_or_else(|| (Anchor::from(0), 0.0))
}
