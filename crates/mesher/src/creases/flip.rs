//! Flips of boundary edges by adding or removing one tetrahedron.

use super::MIN_DIHEDRAL;
use super::find::Network;
use crate::boundary::Boundary;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::TriangleTree;
use resile_mesh::smallest_dihedral;

/// A half-edge: the use of an edge by a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    /// End points of the edge, the smaller node first.
    edge: [u32; 2],
    /// Whether the triangle traverses the edge from the smaller to the larger node.
    forward: bool,
    /// Third corner of the triangle.
    third: u32,
}

/// Flips boundary edges that cut off a crease if the other diagonal of their two triangles does not
/// and is nearer to the surface: triangles `a b c` and `b a d` become `a d c` and `b c d`. A flip
/// adds the tetrahedron of the four nodes at a ridge and removes it in a valley. Returns the number
/// of flipped edges.
///
/// `surface` contains the triangles of the surface, and `size` (m) is that of the cells. An added tetrahedron has no
/// dihedral angle below [`MIN_DIHEDRAL`] and intersects nothing. Each node belongs to one flip at most.
pub(super) fn flip_edges(
    mesh: &mut TetMesh,
    creases: &Network,
    surface: &TriangleTree,
    size: f64,
) -> usize {
    let triangles = mesh.surface().triangles;
    let half_edges = half_edges(&triangles);
    // `boundary` ignores removed tetrahedra: they do not change the outside of the solid.
    let mut boundary = Boundary::new(&triangles, &mesh.positions, size);
    let mut is_changed = vec![false; mesh.positions.len()];
    let (mut added_tets, mut removed_tets) = (Vec::new(), Vec::new());
    for pair in half_edges.chunk_by(|a, b| a.edge == b.edge) {
        let &[backward, forward] = pair else { continue };
        let ([a, b], c, d) = (forward.edge, forward.third, backward.third);
        let (nodes, new_edge) = ([a, b, c, d], [c.min(d), c.max(d)]);
        let positions = nodes.map(|n| mesh.positions[n as usize]);
        let [x_a, x_b, x_c, x_d] = positions;
        let midpoint_distance = |p: Vec3, q: Vec3| surface.distance(p.midpoint(q));
        if nodes.iter().any(|&n| is_changed[n as usize])
            || half_edges.binary_search_by(|half_edge| half_edge.edge.cmp(&new_edge)).is_ok()
            || !creases.are_cut_by([x_a, x_b], size)
            || creases.are_cut_by([x_c, x_d], size)
            || midpoint_distance(x_c, x_d) >= midpoint_distance(x_a, x_b)
        {
            continue;
        }
        if smallest_dihedral(positions) >= MIN_DIHEDRAL {
            if !try_flip(&mut boundary, nodes, mesh) {
                continue;
            }
            added_tets.push(nodes);
        } else {
            removed_tets.push(nodes);
        }
        nodes.iter().for_each(|&n| is_changed[n as usize] = true);
    }
    let added_count = added_tets.len();
    mesh.tets.extend(added_tets);
    added_count + remove_tets(mesh, removed_tets)
}

/// Replaces `a b c` and `b a d` by `a d c` and `b c d` unless these intersect anything; returns whether it
/// succeeded.
fn try_flip(boundary: &mut Boundary, [a, b, c, d]: [u32; 4], mesh: &TetMesh) -> bool {
    let (old_triangles, new_triangles) = ([[a, b, c], [b, a, d]], [[a, d, c], [b, c, d]]);
    old_triangles.iter().for_each(|&triangle| _ = boundary.remove(triangle));
    let indices = new_triangles.map(|triangle| boundary.add(triangle, &mesh.positions));
    let crosses = indices.iter().any(|&index| boundary.crosses(index, &mesh.positions));
    if crosses {
        new_triangles.iter().for_each(|&triangle| _ = boundary.remove(triangle));
        old_triangles.iter().for_each(|&triangle| _ = boundary.add(triangle, &mesh.positions));
    }
    !crosses
}

/// Half-edges in ascending order; of the two at an edge, the backward one comes first.
fn half_edges(triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let half_edges_of = |&[a, b, c]: &[u32; 3]| {
        [[a, b, c], [b, c, a], [c, a, b]].map(|[a, b, third]| HalfEdge {
            edge: [a.min(b), a.max(b)],
            forward: a < b,
            third,
        })
    };
    let mut half_edges: Vec<HalfEdge> = triangles.iter().flat_map(half_edges_of).collect();
    half_edges.sort_unstable();
    half_edges
}

/// Removes the tetrahedra with these nodes in any order; returns their number.
fn remove_tets(mesh: &mut TetMesh, removed: Vec<[u32; 4]>) -> usize {
    let sorted = |mut nodes: [u32; 4]| {
        nodes.sort_unstable();
        nodes
    };
    let mut removed: Vec<[u32; 4]> = removed.into_iter().map(sorted).collect();
    removed.sort_unstable();
    let count_before = mesh.tets.len();
    mesh.tets.retain(|&nodes| removed.binary_search(&sorted(nodes)).is_err());
    count_before - mesh.tets.len()
}
