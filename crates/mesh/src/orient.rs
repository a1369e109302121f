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

/// Flips triangles so that neighbours are consistently oriented; returns a flag per triangle.
///
/// Neighbours are two triangles at a manifold edge. In each patch of neighbours the orientation
/// with the larger area wins. A consistent patch keeps its orientation, so the wall of a cavity
/// still faces inward. A non-orientable patch (a Moebius strip) ends partly flipped.
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
        let mut next = 0;
        let mut area = [0.0; 2];
        while let Some(&triangle) = patch.get(next) {
            next += 1;
            let is_flipped = flipped[triangle] == Some(true);
            area[usize::from(is_flipped)] += areas[triangle];
            for &(neighbour, consistent) in &neighbours[triangle] {
                if flipped[neighbour].is_none() {
                    // An inconsistent neighbour is flipped if this triangle is not.
                    flipped[neighbour] = Some(is_flipped == consistent);
                    patch.push(neighbour);
                }
            }
        }
        if area[1] > area[0] {
            patch.iter().for_each(|&t| flipped[t] = flipped[t].map(|flag| !flag));
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

/// For each triangle its neighbours across manifold edges, and whether both are consistently
/// oriented.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<(usize, bool)>> {
    let mut edges: Vec<([u32; 2], usize, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (index, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            edges.push(([from.min(to), from.max(to)], index, from < to));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![Vec::new(); mesh.triangles.len()];
    for pair in edges.chunk_by(|x, y| x.0 == y.0) {
        if let &[(_, first, forward), (_, second, backward)] = pair {
            // Consistent triangles traverse their common edge in opposite directions.
            let consistent = forward != backward;
            neighbours[first].push((second, consistent));
            neighbours[second].push((first, consistent));
        }
    }
    neighbours
}
