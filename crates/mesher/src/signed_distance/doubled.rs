//! Two-sided surfaces: every triangle occurs in both orientations.

use resile_mesh::TriMesh;
use resile_mesh::repair::MIN_DUPLICATE_FRACTION;

/// Drops duplicate triangles if the whole surface is doubled, because the winding numbers of both
/// sides would cancel. Returns the number of dropped triangles.
///
/// A few duplicates are kept: two opposite triangles cancel and do no harm.
pub(super) fn remove_doubled_sides(mesh: &mut TriMesh) -> usize {
    let mut triangles_by_corners: Vec<([u32; 3], usize)> = mesh
        .triangles
        .iter()
        .enumerate()
        .map(|(index, &triangle)| {
            let mut corners = triangle;
            corners.sort_unstable();
            (corners, index)
        })
        .collect();
    triangles_by_corners.sort_unstable();
    let mut repeated = vec![false; triangles_by_corners.len()];
    for pair in triangles_by_corners.windows(2) {
        repeated[pair[1].1] = pair[0].0 == pair[1].0;
    }
    let count = repeated.iter().filter(|&&r| r).count();
    if (count as f64) < MIN_DUPLICATE_FRACTION * repeated.len() as f64 {
        return 0;
    }
    let mut index = 0..;
    mesh.triangles.retain(|_| index.next().is_some_and(|n: usize| !repeated[n]));
    count
}
