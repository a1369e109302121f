//! Triangles that are there more than once.

use super::TracedSurface;

/// From which share of repeated triangles on a surface counts as doubled: one half if
/// every triangle is there twice. A wall kept between two solids is far less.
pub const DOUBLED: f64 = 0.4;

/// Leaves of triangles with the same corners one, or none: see [`keeps_one`]. Returns how
/// many were dropped.
pub(super) fn drop_repeated(surface: &mut TracedSurface) -> usize {
    let mesh = &surface.mesh;
    let mut names: Vec<([u32; 3], usize, bool)> = (mesh.triangles.iter().enumerate())
        .map(|(number, &[a, b, c])| {
            let even = (u8::from(a > b) + u8::from(b > c) + u8::from(a > c)) % 2 == 0;
            let mut name = [a, b, c];
            name.sort_unstable();
            (name, number, even)
        })
        .collect();
    names.sort_unstable();
    let groups = || names.chunk_by(|x, y| x.0 == y.0);
    let repeats: usize = groups().map(|group| group.len() - 1).sum();
    if repeats == 0 {
        return 0;
    }
    let doubled = repeats as f64 >= DOUBLED * names.len() as f64;
    let mut kept = vec![true; names.len()];
    for group in groups().filter(|group| group.len() > 1) {
        let sides: Vec<bool> = group.iter().map(|member| member.2).collect();
        let spared = usize::from(keeps_one(&sides, doubled));
        group.iter().skip(spared).for_each(|member| kept[member.1] = false);
    }
    surface.retain(|number, _| kept[number])
}

/// Whether one of triangles with the same corners is kept. Of a surface of which every
/// triangle is there for either side one is; but as many that face one way as
/// the other, on a surface that is not doubled, are a wall between two solids that
/// were put together, and bound nothing.
fn keeps_one(sides: &[bool], doubled: bool) -> bool {
    let even = sides.iter().filter(|&&even| even).count();
    doubled || 2 * even != sides.len()
}
