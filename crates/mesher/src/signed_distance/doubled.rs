//! Two-sided surfaces: every triangle occurs in both orientations.

use resile_mesh::TriMesh;
use resile_mesh::repair::MIN_DUPLICATE_FRACTION;

/// Drops duplicate triangles if at least a fraction [`MIN_DUPLICATE_FRACTION`] of all are duplicates: the surface is
/// then doubled, and the winding numbers of its two layers would cancel. Returns the number of dropped triangles.
///
/// Fewer duplicates stay: two opposite triangles cancel and do no harm.
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
    let mut is_duplicate = vec![false; triangles_by_corners.len()];
    for [(corners, _), (next_corners, next_index)] in triangles_by_corners.array_windows() {
        is_duplicate[*next_index] = corners == next_corners;
    }
    let duplicate_count = is_duplicate.iter().filter(|&&is_duplicate| is_duplicate).count();
    if (duplicate_count as f64) < MIN_DUPLICATE_FRACTION * is_duplicate.len() as f64 {
        return 0;
    }
    let mut indices = 0..;
    mesh.triangles.retain(|_| indices.next().is_some_and(|index: usize| !is_duplicate[index]));
    duplicate_count
}
