//! Removal of duplicate triangles.

use super::TracedSurface;

/// Fraction of duplicate triangles above which a surface counts as doubled (1/2 if every triangle
/// occurs twice). A wall between two solids has a far smaller fraction.
pub const MIN_DUPLICATE_FRACTION: f64 = 0.4;

/// Removes repeated triangles: of those with the same corners it keeps one or none; see [`keeps_one`]. Returns the
/// number of removed triangles.
pub(super) fn drop_repeated(surface: &mut TracedSurface) -> usize {
    let mesh = &surface.mesh;
    let mut triangles_by_corners: Vec<([u32; 3], usize, bool)> =
        (mesh.triangles.iter().enumerate())
            .map(|(index, &[a, b, c])| {
                let even = (u8::from(a > b) + u8::from(b > c) + u8::from(a > c)) % 2 == 0;
                let mut corners = [a, b, c];
                corners.sort_unstable();
                (corners, index, even)
            })
            .collect();
    triangles_by_corners.sort_unstable();
    let groups = || triangles_by_corners.chunk_by(|x, y| x.0 == y.0);
    let repeats: usize = groups().map(|group| group.len() - 1).sum();
    if repeats == 0 {
        return 0;
    }
    let doubled = repeats as f64 >= MIN_DUPLICATE_FRACTION * triangles_by_corners.len() as f64;
    let mut keep = vec![true; triangles_by_corners.len()];
    for group in groups().filter(|group| group.len() > 1) {
        let sides: Vec<bool> = group.iter().map(|member| member.2).collect();
        let kept_count = usize::from(keeps_one(&sides, doubled));
        group.iter().skip(kept_count).for_each(|member| keep[member.1] = false);
    }
    surface.retain(|index, _| keep[index])
}

/// Whether one of several triangles with the same corners is kept. On a doubled (two-sided) surface, one is. On any
/// other surface, equal numbers of triangles of both orientations are an internal wall between two merged solids, and
/// none is kept. `sides` has the orientation of each triangle.
fn keeps_one(sides: &[bool], doubled: bool) -> bool {
    let even = sides.iter().filter(|&&even| even).count();
    doubled || 2 * even != sides.len()
}
