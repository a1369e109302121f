//! Removal of duplicate triangles.

use super::TracedSurface;

/// Fraction of duplicate triangles above which a surface counts as doubled (1/2 if every triangle
/// occurs twice). A wall between two solids has a far smaller fraction.
pub const MIN_DUPLICATE_FRACTION: f64 = 0.4;

/// Removes repeated triangles: of those with the same corners it keeps one or none; see [`keeps_one`]. Returns the
/// number of removed triangles.
pub(super) fn drop_repeated(surface: &mut TracedSurface) -> usize {
    let mesh = &surface.mesh;
    // Sorted corners, index, and whether the corners are an even permutation of the sorted ones.
    let mut triangles: Vec<([u32; 3], usize, bool)> = (mesh.triangles.iter().enumerate())
        .map(|(index, &[a, b, c])| {
            let is_even = (u8::from(a > b) + u8::from(b > c) + u8::from(a > c)) % 2 == 0;
            let mut corners = [a, b, c];
            corners.sort_unstable();
            (corners, index, is_even)
        })
        .collect();
    triangles.sort_unstable();
    let groups =
        || triangles.chunk_by(|(corners, ..), (other_corners, ..)| corners == other_corners);
    let repetition_count: usize = groups().map(|group| group.len() - 1).sum();
    if repetition_count == 0 {
        return 0;
    }
    let is_doubled = repetition_count as f64 >= MIN_DUPLICATE_FRACTION * triangles.len() as f64;
    let mut is_kept = vec![true; triangles.len()];
    for group in groups().filter(|group| group.len() > 1) {
        let orientations: Vec<bool> = group.iter().map(|(_, _, is_even)| *is_even).collect();
        let kept_count = usize::from(keeps_one(&orientations, is_doubled));
        group.iter().skip(kept_count).for_each(|(_, index, _)| is_kept[*index] = false);
    }
    surface.retain(|index, _| is_kept[index])
}

/// Whether one of several triangles with the same corners is kept. On a doubled (two-sided) surface, one is. On any
/// other surface, equal numbers of triangles of both orientations are an internal wall between two merged solids, and
/// none is kept. `is_even` has the orientation of each triangle.
fn keeps_one(is_even: &[bool], is_doubled: bool) -> bool {
    let even_count = is_even.iter().filter(|&&is_even| is_even).count();
    is_doubled || 2 * even_count != is_even.len()
}
