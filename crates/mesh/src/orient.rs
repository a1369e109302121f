//! Consistent orientation of triangles.

use crate::TriMesh;
use crate::tri_mesh::triangle_area;

impl TriMesh {
    /// Flips triangles so that neighbours are consistently oriented, and then all of them if the
    /// enclosed volume is negative. Returns the number of flipped triangles. Costs a sort of the edges.
    ///
    /// Neighbours are two triangles at a manifold edge; in each patch of neighbours the orientation
    /// with the larger area wins.
    pub fn orient(&mut self) -> usize {
        let mut flipped = orient_consistently(self);
        if self.enclosed_volume() < 0.0 {
            flip(self, &vec![true; flipped.len()]);
            flipped.iter_mut().for_each(|t| *t = !*t);
        }
        flipped.iter().filter(|&&t| t).count()
    }
}

/// Flips triangles so that neighbours are consistently oriented. Returns for each triangle whether it was flipped.
///
/// Neighbours are two triangles at a manifold edge. In each patch of neighbours the orientation with the larger area
/// wins, so a consistent patch does not change, and the wall of a cavity still faces inward. A non-orientable patch (a
/// Moebius strip) remains inconsistent along some edges.
pub(crate) fn orient_consistently(mesh: &mut TriMesh) -> Vec<bool> {
    let neighbours = neighbours(mesh);
    let areas: Vec<f64> =
        mesh.triangles.iter().map(|&t| triangle_area(&mesh.positions, t)).collect();
    let mut flipped: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    for seed in 0..mesh.triangles.len() {
        if flipped[seed].is_some() {
            continue;
        }
        flipped[seed] = Some(false);
        let mut patch = vec![seed];
        let mut visited_count = 0;
        let (mut unflipped_area, mut flipped_area) = (0.0, 0.0);
        while let Some(&triangle) = patch.get(visited_count) {
            visited_count += 1;
            let is_flipped = flipped[triangle] == Some(true);
            *if is_flipped { &mut flipped_area } else { &mut unflipped_area } += areas[triangle];
            for neighbour in &neighbours[triangle] {
                if flipped[neighbour.triangle].is_none() {
                    // An inconsistent neighbour is flipped if this triangle is not.
                    flipped[neighbour.triangle] = Some(is_flipped == neighbour.is_consistent);
                    patch.push(neighbour.triangle);
                }
            }
        }
        if flipped_area > unflipped_area {
            patch.iter().for_each(|&t| flipped[t] = flipped[t].map(|is_flipped| !is_flipped));
        }
    }
    let flipped: Vec<bool> = flipped.into_iter().map(|t| t == Some(true)).collect();
    flip(mesh, &flipped);
    flipped
}

/// Exchanges two corners of each flagged triangle.
fn flip(mesh: &mut TriMesh, flipped: &[bool]) {
    for (triangle, &is_flipped) in mesh.triangles.iter_mut().zip(flipped) {
        if is_flipped {
            triangle.swap(1, 2);
        }
    }
}

/// A triangle at a common edge with another one.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    triangle: usize,
    /// Whether both triangles have the same orientation.
    is_consistent: bool,
}

/// The neighbours of each triangle across manifold edges.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<Neighbour>> {
    // Edges with the smaller vertex first, their triangles, and whether these traverse them forward.
    let mut edges: Vec<([u32; 2], usize, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (triangle, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            edges.push(([from.min(to), from.max(to)], triangle, from < to));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![Vec::new(); mesh.triangles.len()];
    for triangles in edges.chunk_by(|(edge, ..), (other_edge, ..)| edge == other_edge) {
        if let &[(_, first, first_is_forward), (_, second, second_is_forward)] = triangles {
            // Consistent triangles traverse their common edge in opposite directions.
            let is_consistent = first_is_forward != second_is_forward;
            neighbours[first].push(Neighbour { triangle: second, is_consistent });
            neighbours[second].push(Neighbour { triangle: first, is_consistent });
        }
    }
    neighbours
}
