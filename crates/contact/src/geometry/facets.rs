//! Signed coefficients and ridges of the facets of a triangle mesh.
//!
//! # Signed sums
//! The distances of a point `x` to all triangles of a surface count a side once for each of its triangles. The signed
//! sum
//!
//! ```text
//!   sum_triangles b(d(x, t)) + sum_sides (1 - m) b(d(x, s)) + sum_corners c b(d(x, p))
//! ```
//!
//! with `m` triangles at a side, and at a corner of `k` triangles `c = 1 - k + sum (m - 1)` over its sides, counts
//! every point of the surface once (Li et al. 2023, *Convergent Incremental Potential Contact*, improved max operator:
//! triangles minus interior sides plus interior corners). Since a ball meets a triangle, a side or a corner in a convex
//! set, the sum is `-int b'(t) X(t) dt` with the Euler characteristic `X(t)` of the part of the surface within the
//! distance `t` of `x`. Where that part is a disc for all `t < d_hat`, as over any flat or convex region, the sum is
//! `b` of the distance of the surface, wherever the nearest point lies in a triangle.
//!
//! Each coefficient belongs to one triangle, which is nearer to `x` than its side or corner: pairs of points and
//! triangles within `d_hat` contain all terms.

use resile_math::Vec3;

/// Coefficients of the sides and corners of a triangle `a, b, c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Coefficients {
    /// Coefficients of the sides `ab`, `ac` and `bc`.
    pub(crate) sides: [i8; 3],
    /// Coefficients of the corners `a`, `b` and `c`.
    pub(crate) corners: [i8; 3],
}

/// Corners of the sides of a triangle, in the order of [`Coefficients::sides`].
pub(crate) const SIDES: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

/// A side: its ascending points, its triangle, and its index in [`SIDES`].
type Side = ([u32; 2], u32, u8);

/// Sides of all triangles, grouped by their points.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let triangle_sides = |(t, corners): (usize, &[u32; 3])| {
        let corners = *corners;
        SIDES.iter().enumerate().map(move |(k, s)| {
            let [i, j] = s.map(|corner| corners[corner]);
            ([i.min(j), i.max(j)], t as u32, k as u8)
        })
    };
    let mut sides: Vec<Side> = triangles.iter().enumerate().flat_map(triangle_sides).collect();
    sides.sort_unstable();
    sides
}

/// Coefficients of all triangles of a mesh with this number of points. O(n log n).
pub(crate) fn coefficients(triangles: &[[u32; 3]], points: usize) -> Vec<Coefficients> {
    let mut out = vec![Coefficients::default(); triangles.len()];
    let mut corner_coefficients = vec![1_i32; points];
    for same_edge in sides(triangles).chunk_by(|a, b| a.0 == b.0) {
        for (_, t, side) in &same_edge[1..] {
            out[*t as usize].sides[usize::from(*side)] = -1;
        }
        same_edge[0]
            .0
            .iter()
            .for_each(|&point| corner_coefficients[point as usize] += same_edge.len() as i32 - 1);
    }
    triangles.iter().flatten().for_each(|&point| corner_coefficients[point as usize] -= 1);
    for (out, triangle) in out.iter_mut().zip(triangles) {
        for (corner, &point) in out.corners.iter_mut().zip(triangle) {
            let coefficient = std::mem::take(&mut corner_coefficients[point as usize]);
            *corner = coefficient.clamp(i32::from(i8::MIN), i32::from(i8::MAX)) as i8;
        }
    }
    out
}

/// Sides of two triangles whose normals form an angle with a cosine of at most `cosine`, ascending. O(n log n).
pub(crate) fn sharp_edges(rest: &[Vec3], triangles: &[[u32; 3]], cosine: f64) -> Vec<[u32; 2]> {
    let sides = sides(triangles);
    let is_sharp = |same_edge: &&[Side]| match same_edge {
        [first, second] => {
            let [i, j] = first.0.map(|point| rest[point as usize]);
            let [a, b] = [first, second].map(|side| altitude(rest, triangles, side, [i, j]));
            -a.dot(b) <= cosine * a.length() * b.length()
        }
        _ => false,
    };
    sides.chunk_by(|a, b| a.0 == b.0).filter(is_sharp).map(|same_edge| same_edge[0].0).collect()
}

/// Altitude of a triangle as a vector (m): from the line through the ends `i` and `j` of a side to the opposite corner
/// of its triangle, perpendicular to the line.
fn altitude(rest: &[Vec3], triangles: &[[u32; 3]], (_, t, side): &Side, [i, j]: [Vec3; 2]) -> Vec3 {
    let direction = (j - i).normalize_or_zero();
    let opposite = triangles[*t as usize][2 - usize::from(*side)];
    let offset = rest[opposite as usize] - i;
    offset - direction * offset.dot(direction)
}

/// Height (m) of each of `edges` over the middles of its two triangles: `l sin(a/2)/2` with the smaller height `l` of
/// both and the angle `a` between their planes. Zero in a flat surface. Infinite for edges of one triangle, of more
/// than two, and of none. O(n log n).
pub(crate) fn ridges(rest: &[Vec3], triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> Vec<f64> {
    let mut out = vec![f64::INFINITY; edges.len()];
    for same_edge in sides(triangles).chunk_by(|a, b| a.0 == b.0) {
        let [first, second] = same_edge else { continue };
        let Ok(edge) = edges.binary_search(&first.0) else { continue };
        let [i, j] = first.0.map(|point| rest[point as usize]);
        let [a, b] = [first, second].map(|side| altitude(rest, triangles, side, [i, j]));
        let (height_a, height_b) = (a.length(), b.length());
        // The sum of the unit vectors has the length 2 sin(a/2).
        out[edge] = 0.25 * height_a.min(height_b) * (a / height_a + b / height_b).length();
    }
    out
}
