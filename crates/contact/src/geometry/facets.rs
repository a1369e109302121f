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

/// A side of a triangle. Sides are ordered by their points, then by their triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TriangleSide {
    /// Points, ascending.
    points: [u32; 2],
    /// Index of the triangle.
    triangle: u32,
    /// Index in [`SIDES`].
    index: u8,
}

impl TriangleSide {
    /// Whether two sides have the same points.
    fn is_same_edge(&self, other: &Self) -> bool {
        self.points == other.points
    }
}

/// Sides of all triangles, grouped by their points.
fn sides(triangles: &[[u32; 3]]) -> Vec<TriangleSide> {
    let triangle_sides = |(triangle, corners): (usize, &[u32; 3])| {
        let corners = *corners;
        SIDES.iter().zip(0..).map(move |(side, index)| {
            let [i, j] = side.map(|corner| corners[corner]);
            TriangleSide { points: [i.min(j), i.max(j)], triangle: triangle as u32, index }
        })
    };
    let mut sides: Vec<TriangleSide> =
        triangles.iter().enumerate().flat_map(triangle_sides).collect();
    sides.sort_unstable();
    sides
}

/// Coefficients of all triangles of a mesh with this number of points, those of corners clamped to eight bits.
/// O(n log n).
pub(crate) fn coefficients(triangles: &[[u32; 3]], points: usize) -> Vec<Coefficients> {
    let mut out = vec![Coefficients::default(); triangles.len()];
    let mut corner_coefficients = vec![1_i32; points];
    for same_edge in sides(triangles).chunk_by(TriangleSide::is_same_edge) {
        for side in &same_edge[1..] {
            out[side.triangle as usize].sides[usize::from(side.index)] = -1;
        }
        for point in same_edge[0].points {
            corner_coefficients[point as usize] += same_edge.len() as i32 - 1;
        }
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
    let is_sharp = |same_edge: &&[TriangleSide]| match same_edge {
        [first, second] => {
            let [i, j] = first.points.map(|point| rest[point as usize]);
            let [a, b] = [first, second].map(|side| altitude(rest, triangles, side, [i, j]));
            -a.dot(b) <= cosine * a.length() * b.length()
        }
        _ => false,
    };
    let sharp_edges = sides.chunk_by(TriangleSide::is_same_edge).filter(is_sharp);
    sharp_edges.map(|same_edge| same_edge[0].points).collect()
}

/// Altitude of the triangle of a `side` as a vector (m): from the line through the ends `i` and `j` (m) of the side to
/// the opposite corner, perpendicular to the line.
fn altitude(rest: &[Vec3], triangles: &[[u32; 3]], side: &TriangleSide, [i, j]: [Vec3; 2]) -> Vec3 {
    let direction = (j - i).normalize_or_zero();
    let opposite = triangles[side.triangle as usize][2 - usize::from(side.index)];
    let offset = rest[opposite as usize] - i;
    offset - direction * offset.dot(direction)
}

/// Height (m) of each of `edges`, ascending, over the middles of its two triangles: `l sin(a/2)/2` with the smaller
/// altitude `l` of both and the angle `a` between their normals. Zero in a flat surface. Infinite for edges of one
/// triangle, of more than two, and of none. O(n log n).
pub(crate) fn ridges(rest: &[Vec3], triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> Vec<f64> {
    let mut out = vec![f64::INFINITY; edges.len()];
    for same_edge in sides(triangles).chunk_by(TriangleSide::is_same_edge) {
        let [first, second] = same_edge else { continue };
        let Ok(edge) = edges.binary_search(&first.points) else { continue };
        let [i, j] = first.points.map(|point| rest[point as usize]);
        let [a, b] = [first, second].map(|side| altitude(rest, triangles, side, [i, j]));
        let (height_a, height_b) = (a.length(), b.length());
        // The sum of the unit vectors has the length 2 sin(a/2).
        out[edge] = 0.25 * height_a.min(height_b) * (a / height_a + b / height_b).length();
    }
    out
}
