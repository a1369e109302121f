//! Triangles that agree on which side is outside.

use crate::TriMesh;
use crate::tri_mesh::triangle_area;

impl TriMesh {
    /// Turns triangles so that neighbours agree, and all of them if what comes out encloses
    /// a negative volume; returns how many were turned. Costs a sort of the edges.
    ///
    /// Neighbours are two triangles at an edge that has no third; in each patch of them the
    /// side of the larger area wins.
    pub fn orient(&mut self) -> usize {
        let mut turned = agree(self);
        if self.enclosed_volume() < 0.0 {
            turn(self, &vec![true; turned.len()]);
            turned.iter_mut().for_each(|t| *t = !*t);
        }
        turned.iter().filter(|&&t| t).count()
    }
}

/// Turns triangles so that neighbours agree; returns which were turned.
///
/// Neighbours are two triangles at an edge that has no third. In each patch of
/// neighbours the side of the larger area wins. A patch that agrees already stays as
/// it is, so that the wall of a cavity, which faces inwards, survives. A patch that cannot
/// agree (a Moebius strip) is left half turned.
pub(crate) fn agree(mesh: &mut TriMesh) -> Vec<bool> {
    let neighbours = neighbours(mesh);
    let areas: Vec<f64> =
        mesh.triangles.iter().map(|&t| triangle_area(&mesh.positions, t)).collect();
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    for seed in 0..mesh.triangles.len() {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        let mut patch = vec![seed];
        let mut next = 0;
        let mut area = [0.0; 2];
        while let Some(&triangle) = patch.get(next) {
            next += 1;
            let mine = turned[triangle] == Some(true);
            area[usize::from(mine)] += areas[triangle];
            for &(other, agree) in &neighbours[triangle] {
                if turned[other].is_none() {
                    // One that disagrees is turned if this one is not.
                    turned[other] = Some(mine == agree);
                    patch.push(other);
                }
            }
        }
        if area[1] > area[0] {
            patch.iter().for_each(|&t| turned[t] = turned[t].map(|was| !was));
        }
    }
    let turned: Vec<bool> = turned.into_iter().map(|t| t == Some(true)).collect();
    turn(mesh, &turned);
    turned
}

fn turn(mesh: &mut TriMesh, which: &[bool]) {
    for (triangle, &turn) in mesh.triangles.iter_mut().zip(which) {
        if turn {
            triangle.swap(1, 2);
        }
    }
}

/// For each triangle those at the edges it shares with one other, and whether both
/// have the same side outside.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<(usize, bool)>> {
    let mut edges: Vec<([u32; 2], usize, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (number, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            edges.push(([from.min(to), from.max(to)], number, from < to));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![Vec::new(); mesh.triangles.len()];
    for pair in edges.chunk_by(|x, y| x.0 == y.0) {
        if let &[(_, first, forward), (_, second, backward)] = pair {
            // Triangles that agree run along their edge in opposite directions.
            let agree = forward != backward;
            neighbours[first].push((second, agree));
            neighbours[second].push((first, agree));
        }
    }
    neighbours
}
