//! Surfaces with two sides, each triangle once for either.

use resile_mesh::TriMesh;
use resile_mesh::repair::DOUBLED;

/// Drops triangles with the same corners as an earlier one if the whole surface is
/// doubled: both sides together would cancel. Returns how many.
///
/// A few repeated triangles are left alone: two that face each other bound nothing,
/// and are no harm.
pub(super) fn drop_second_sides(mesh: &mut TriMesh) -> usize {
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
    if (count as f64) < DOUBLED * repeated.len() as f64 {
        return 0;
    }
    let mut number = 0..;
    mesh.triangles.retain(|_| number.next().is_some_and(|n: usize| !repeated[n]));
    count
}
