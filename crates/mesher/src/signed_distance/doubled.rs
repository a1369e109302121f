//! Two-sided surfaces: every triangle occurs in both orientations.

use resile_mesh::TriMesh;
use resile_mesh::repair::MIN_DUPLICATE_FRACTION;

/// Drops duplicate triangles if the whole surface is doubled, because the winding numbers of both
/// sides would cancel. Returns the number of dropped triangles.
///
/// A few duplicates are kept: two opposite triangles cancel and do no harm.
pub(super) fn remove_doubled_sides(mesh: &mut TriMesh) -> usize {
    let mut names: Vec<([u32; 3], usize)> = mesh
        .triangles
        .iter()
        .enumerate()
        .map(|(number, &triangle)| {
            let mut name = triangle;
            name.sort_unstable();
            (name, number)
        })
        .collect();
    names.sort_unstable();
    let mut repeated = vec![false; names.len()];
    for pair in names.windows(2) {
        repeated[pair[1].1] = pair[0].0 == pair[1].0;
    }
    let count = repeated.iter().filter(|&&r| r).count();
    if (count as f64) < MIN_DUPLICATE_FRACTION * repeated.len() as f64 {
        return 0;
    }
    let mut number = 0..;
    mesh.triangles.retain(|_| number.next().is_some_and(|n: usize| !repeated[n]));
    count
}
