//! Triangulation of simple polygons by ear clipping.

use super::GenerateError;
use resile_math::elementary;

/// A corner of a polygon in its plane, in metres.
pub type Point = [f64; 2];

/// Largest number of corners of a polygon. Ear clipping is cubic in it in the worst case.
pub const MAX_CORNERS: usize = 1000;

/// Rejects polygons that are not simple: with non-finite coordinates, too few or too many corners, or edges that touch
/// or cross others.
pub(super) fn check_polygon(corners: &[Point]) -> Result<(), GenerateError> {
    let count = corners.len();
    if count < 3 {
        return Err(GenerateError::Count { parameter: "corners", value: count, least: 3 });
    }
    if count > MAX_CORNERS {
        return Err(GenerateError::TooManyCorners { corners: count });
    }
    if let Some(corner) = corners.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(GenerateError::NotFinite { corner });
    }
    for first in 0..count {
        for second in first + 1..count {
            if edges_meet(corners, first, second) {
                return Err(GenerateError::EdgesMeet { first, second });
            }
        }
    }
    Ok(())
}

/// Whether two edges, given by their first corners, intersect other than in the common corner of adjacent
/// edges.
fn edges_meet(corners: &[Point], first: usize, second: usize) -> bool {
    let corner = |k: usize| corners[k % corners.len()];
    let (a, b, c, d) = (corner(first), corner(first + 1), corner(second), corner(second + 1));
    let neighbours = |k: usize, next: usize| (k + 1) % corners.len() == next;
    if neighbours(first, second) {
        return a == b || c == d || folds_back(a, b, d);
    }
    if neighbours(second, first) {
        return a == b || c == d || folds_back(c, d, b);
    }
    let straddles = |a, b, c, d| doubled_area(a, b, c) * doubled_area(a, b, d) <= 0.0;
    let boxes_meet =
        (0..2).all(|k| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]));
    boxes_meet && straddles(a, b, c, d) && straddles(c, d, a, b)
}

/// Whether edge `bc` reverses along edge `ab`.
fn folds_back(a: Point, b: Point, c: Point) -> bool {
    let dot = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
    doubled_area(a, b, c) == 0.0 && dot < 0.0
}

/// Twice the signed area of a triangle; positive if its corners are counter-clockwise.
fn doubled_area(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Signed area of a polygon; positive if its corners are counter-clockwise.
pub(super) fn signed_area(corners: &[Point]) -> f64 {
    let origin = corners[0];
    0.5 * corners.windows(2).map(|pair| doubled_area(origin, pair[0], pair[1])).sum::<f64>()
}

/// Triangulates a simple, counter-clockwise polygon into `corners - 2` triangles that use every corner, including
/// collinear ones, so that the triangles match adjacent faces along the polygon's edges.
///
/// Ear clipping (Meisters 1975) removes the ear whose smallest angle is the largest, until a triangle is left. A
/// triangulation without degenerate triangles exists and its dual tree has leaves, so there is always an ear except for
/// rounding.
///
/// Alternative: `earcut` drops collinear corners, so the caps would not close.
///
/// # Errors
/// If rounding leaves no ear.
pub(super) fn triangulate(corners: &[Point]) -> Result<Vec<[u32; 3]>, GenerateError> {
    let mut remaining: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    while remaining.len() > 3 {
        let best_ear = (0..remaining.len())
            .filter_map(|tip| Some((ear_quality(corners, &remaining, tip)?, tip)))
            .max_by(|(quality, _), (other_quality, _)| quality.total_cmp(other_quality));
        let Some((_, tip)) = best_ear else {
            return Err(GenerateError::NoEar { left: remaining.len() });
        };
        triangles.push(corners_of_ear(&remaining, tip).map(|k| k as u32));
        remaining.remove(tip);
    }
    if doubled_area(corners[remaining[0]], corners[remaining[1]], corners[remaining[2]]) <= 0.0 {
        return Err(GenerateError::NoEar { left: 3 });
    }
    triangles.push([remaining[0], remaining[1], remaining[2]].map(|k| k as u32));
    Ok(triangles)
}

/// Corner indices of the ear at `tip`, an index into `remaining`.
fn corners_of_ear(remaining: &[usize], tip: usize) -> [usize; 3] {
    let count = remaining.len();
    [remaining[(tip + count - 1) % count], remaining[tip], remaining[(tip + 1) % count]]
}

/// Sine of the smallest angle of the ear at `tip`, an index into `remaining`; `None` if the corner is not convex or
/// another remaining corner lies in the triangle.
fn ear_quality(corners: &[Point], remaining: &[usize], tip: usize) -> Option<f64> {
    let ear_corners = corners_of_ear(remaining, tip);
    let [a, b, c] = ear_corners.map(|k| corners[k]);
    let area = doubled_area(a, b, c);
    let contains = |p: Point| {
        doubled_area(a, b, p) >= 0.0 && doubled_area(b, c, p) >= 0.0 && doubled_area(c, a, p) >= 0.0
    };
    if area <= 0.0 || remaining.iter().any(|k| !ear_corners.contains(k) && contains(corners[*k])) {
        return None;
    }
    let length = |p: Point, q: Point| elementary::hypot(p[0] - q[0], p[1] - q[1]);
    let mut sides = [length(a, b), length(b, c), length(c, a)];
    sides.sort_unstable_by(f64::total_cmp);
    Some(area / (sides[1] * sides[2]))
}
