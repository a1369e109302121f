//! Linking of surfaces, such as the rings of a chain.
//!
//! A cycle on one surface and a cycle on another have a linking number: the number of times that one passes
//! through the other. It is invariant while the cycles do not intersect, which holds while the surfaces do not.
//! Cycles along fixed edges therefore detect rings that came apart between frames.
//!
//! The cycles form a basis of the first homology: two for every handle, and one for every boundary loop but
//! one. They are the edges outside both a spanning tree of the vertices and a spanning tree of the triangles
//! (tree-cotree decomposition; Eppstein 2003, "Dynamic generators of topologically embedded graphs"), each
//! closed along the first tree. A ball and a disc have none.

use crate::boxes::Bounds;
use crate::surface::{Face, root};
use glam::DVec3 as Vec3;
use std::f64::consts::PI;

/// An edge of a surface.
struct Edge {
    /// Point indices of the ends, ascending.
    ends: [u32; 2],
    /// Indices of the adjacent triangles.
    faces: Vec<u32>,
}

/// A homology basis of a surface: closed cycles along edges, as point indices.
pub(crate) fn paths(faces: &[Face]) -> Vec<Vec<u32>> {
    let edges = edges(faces);
    let mut points: Vec<u32> = faces.iter().flat_map(|face| face.points).collect();
    points.sort_unstable();
    points.dedup();
    let vertex = |point: u32| points.binary_search(&point).unwrap_or(0);
    let mut incident = vec![Vec::new(); points.len()];
    for (e, edge) in edges.iter().enumerate() {
        let [a, b] = edge.ends.map(vertex);
        incident[a].push((b, e));
        incident[b].push((a, e));
    }
    let (parents, mut in_tree) = tree(&incident, edges.len());
    add_cotree(&edges, faces.len(), &mut in_tree);
    let chords = edges.iter().zip(&in_tree).filter(|(_, in_tree)| !**in_tree);
    chords.map(|(edge, _)| fundamental_cycle(edge.ends.map(vertex), &parents, &points)).collect()
}

/// The edges of faces, each with the indices of its faces.
fn edges(faces: &[Face]) -> Vec<Edge> {
    let sides = |(face_index, face): (u32, &Face)| {
        let [a, b, c] = face.points;
        [[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], face_index))
    };
    let mut sides: Vec<([u32; 2], u32)> = (0..).zip(faces).flat_map(sides).collect();
    sides.sort_unstable();
    let edge_sides = sides.chunk_by(|a, b| a.0 == b.0);
    edge_sides
        .map(|edge_sides| Edge {
            ends: edge_sides[0].0,
            faces: edge_sides.iter().map(|side| side.1).collect(),
        })
        .collect()
}

/// A breadth-first spanning tree: the parent of every vertex, and whether each edge is in the tree.
fn tree(incident: &[Vec<(usize, usize)>], edges: usize) -> (Vec<usize>, Vec<bool>) {
    let mut parents = vec![usize::MAX; incident.len()];
    let mut in_tree = vec![false; edges];
    let mut reached = vec![0];
    parents[0] = 0;
    let mut next = 0;
    while next < reached.len() {
        let from = reached[next];
        next += 1;
        for &(to, edge) in &incident[from] {
            if parents[to] == usize::MAX {
                parents[to] = from;
                in_tree[edge] = true;
                reached.push(to);
            }
        }
    }
    (parents, in_tree)
}

/// Marks the edges of a spanning tree of the triangles; the outside of the boundary is an additional node.
fn add_cotree(edges: &[Edge], faces: usize, in_tree: &mut [bool]) {
    let mut parents: Vec<u32> = (0..=faces as u32).collect();
    for (edge, in_tree) in edges.iter().zip(in_tree).filter(|(_, in_tree)| !**in_tree) {
        let [f, g] = match edge.faces[..] {
            [f] => [f, faces as u32],
            [f, g] => [f, g],
            _ => continue,
        };
        let [f, g] = [f, g].map(|face| root(&mut parents, face));
        if f != g {
            parents[f as usize] = g;
            *in_tree = true;
        }
    }
}

/// The cycle of an edge that is not in the tree and the paths in the tree to its ends, as point indices.
fn fundamental_cycle(ends: [usize; 2], parents: &[usize], points: &[u32]) -> Vec<u32> {
    let path_to_root = |mut vertex: usize| {
        let mut path = vec![vertex];
        while parents[vertex] != vertex {
            vertex = parents[vertex];
            path.push(vertex);
        }
        path
    };
    let [mut from, mut to] = ends.map(path_to_root);
    // Drop the common path to the root except for the vertex at which both paths meet.
    while from.len() > 1 && to.len() > 1 && from[from.len() - 2] == to[to.len() - 2] {
        from.pop();
        to.pop();
    }
    to.pop();
    to.reverse();
    from.into_iter().chain(to).map(|vertex| points[vertex]).collect()
}

/// Linking number of two disjoint cycles.
///
/// Gauss integral: the rounded sum of the solid angles of the differences of all pairs of edges, two triangles
/// for each pair (Arai 2013, "A rigorous algorithm to compute the linking number"). O(n m).
pub(crate) fn linking_number(a: &[Vec3], b: &[Vec3]) -> i64 {
    let next = |path: &[Vec3], i: usize| path[(i + 1) % path.len()];
    let mut sum = 0.0;
    for (i, &from) in a.iter().enumerate() {
        let to = next(a, i);
        for (j, &start) in b.iter().enumerate() {
            let end = next(b, j);
            let corners = [start - from, start - to, end - to, end - from];
            sum += half_solid_angle([corners[0], corners[1], corners[2]])
                + half_solid_angle([corners[2], corners[3], corners[0]]);
        }
    }
    (sum / (2.0 * PI)).round() as i64
}

/// Half of the signed solid angle of a triangle from the origin (Van Oosterom and Strackee 1983).
fn half_solid_angle([a, b, c]: [Vec3; 3]) -> f64 {
    let [la, lb, lc] = [a, b, c].map(Vec3::length);
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    a.dot(b.cross(c)).atan2(denominator)
}

/// Whether the bounding boxes of two cycles are disjoint, so that their linking number is zero.
pub(crate) fn far_apart(points: &[[f32; 3]], [a, b]: [&[u32]; 2]) -> bool {
    let around = |path: &[u32]| Bounds::around(path.iter().map(|&point| &points[point as usize]));
    !around(a).overlaps(&around(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faces(triangles: &[[u32; 3]]) -> Vec<Face> {
        triangles.iter().map(|&points| Face { collider: 0, piece: 0, cell: 0, points }).collect()
    }

    /// Grid of `n` by `m` vertices; rows and columns may be closed to rings.
    fn rows(n: u32, m: u32, ring_n: bool, ring_m: bool) -> Vec<[u32; 3]> {
        let at = |i: u32, j: u32| (i % n) * m + j % m;
        let (last_i, last_j) = (n - u32::from(!ring_n), m - u32::from(!ring_m));
        let cells = (0..last_i).flat_map(|i| (0..last_j).map(move |j| (i, j)));
        cells
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect()
    }

    #[test]
    fn cycle_count_equals_the_first_betti_number() {
        let ball = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        assert_eq!(paths(&faces(&ball)).len(), 0);
        assert_eq!(paths(&faces(&rows(5, 7, false, false))).len(), 0, "a sheet");
        assert_eq!(paths(&faces(&rows(5, 7, true, false))).len(), 1, "a tube");
        assert_eq!(paths(&faces(&rows(5, 7, true, true))).len(), 2, "a torus");
        // Two holes in a sheet.
        let mut holes = rows(8, 8, false, false);
        holes.retain(|t| *t != [9, 17, 18] && *t != [36, 44, 45]);
        assert_eq!(paths(&faces(&holes)).len(), 2);
        // Two tori, each without one triangle, joined there: two handles.
        let mut torus = rows(5, 5, true, true);
        let [a, b, c] = torus.remove(0);
        assert_eq!(paths(&faces(&torus)).len(), 2, "a rim adds nothing to a torus");
        let glued = |p: u32| if [a, b, c].contains(&p) { p } else { p + 25 };
        let both: Vec<[u32; 3]> =
            torus.iter().copied().chain(torus.iter().map(|t| t.map(glued))).collect();
        assert_eq!(paths(&faces(&both)).len(), 4);
    }

    #[test]
    fn cycles_are_closed_along_edges() {
        let torus = faces(&rows(6, 9, true, true));
        let edges: Vec<[u32; 2]> = edges(&torus).iter().map(|edge| edge.ends).collect();
        for path in paths(&torus) {
            assert!(path.len() >= 6, "no shorter way goes around: {path:?}");
            for (i, &a) in path.iter().enumerate() {
                let b = path[(i + 1) % path.len()];
                assert!(edges.contains(&[a.min(b), a.max(b)]), "{path:?}");
                assert_eq!(path.iter().filter(|&&p| p == a).count(), 1, "{path:?}");
            }
        }
    }

    /// A unit circle about z, and a curve with linking number `times` that winds `along` times around z.
    fn circles(times: u32, along: u32) -> [Vec<Vec3>; 2] {
        let turn = |i: u32, n: u32| 2.0 * PI * f64::from(i) / f64::from(n);
        let first = (0..20).map(|i| turn(i, 20)).map(|t| Vec3::new(t.cos(), t.sin(), 0.0));
        let second = (0..200).map(|i| turn(i, 200)).map(|t| {
            let (around, about) = (f64::from(along) * t, f64::from(times) * t);
            let far = 1.0 + 0.3 * about.cos();
            Vec3::new(far * around.cos(), far * around.sin(), 0.3 * about.sin())
        });
        [first.collect(), second.collect()]
    }

    #[test]
    fn linking_numbers_of_known_links() {
        for (times, along) in [(1, 0), (1, 1), (2, 1), (3, 2), (5, 3), (0, 1)] {
            let [a, b] = circles(times, along);
            assert_eq!(linking_number(&a, &b).unsigned_abs(), u64::from(times), "{times} {along}");
            assert_eq!(linking_number(&a, &b), linking_number(&b, &a));
            let back: Vec<Vec3> = b.iter().rev().copied().collect();
            assert_eq!(linking_number(&a, &back), -linking_number(&a, &b));
            let far: Vec<Vec3> = b.iter().map(|p| *p + Vec3::splat(9.0)).collect();
            assert_eq!(linking_number(&a, &far), 0);
        }
    }

    /// Edges of one path lie in the plane of the other, and are collinear with its edges.
    #[test]
    fn linking_numbers_in_degenerate_position() {
        let square = |u: Vec3, v: Vec3, at: Vec3| [at, at + u, at + u + v, at + v].to_vec();
        let a = square(Vec3::X * 2.0, Vec3::Y * 2.0, Vec3::ZERO);
        let through = square(Vec3::Y * 2.0, Vec3::Z * 2.0, Vec3::new(1.0, 1.0, -1.0));
        assert_eq!(linking_number(&a, &through).abs(), 1);
        let beside = square(Vec3::X, Vec3::Y, Vec3::new(0.5, 0.5, 0.0));
        assert_eq!(linking_number(&a, &beside), 0, "one inside the other, in one plane");
        let in_line = square(Vec3::X, Vec3::Y * 2.0, Vec3::X * 3.0);
        assert_eq!(linking_number(&a, &in_line), 0);
    }
}
