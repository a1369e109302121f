//! Distances of segments and triangles.

use crate::triangles::Triangle;
use glam::DVec3 as Vec3;

/// The end points (m) of a segment.
type Segment = [Vec3; 2];

/// Distance between two segments (m), and the point (m) of the first nearest to the second.
///
/// Either both nearest points are interior, or one is an end point. The function computes all cases and takes the
/// smallest.
pub(crate) fn segment_distance([a, b]: Segment, [c, d]: Segment) -> (f64, Vec3) {
    let (u, v, w) = (b - a, d - c, c - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let determinant = uu * vv - uv * uv;
    let (mut min_distance, mut nearest_point) = (f64::INFINITY, a);
    let mut consider = |on_first: Vec3, on_second: Vec3| {
        let distance = on_first.distance(on_second);
        if distance < min_distance {
            (min_distance, nearest_point) = (distance, on_first);
        }
    };
    let s = (w.dot(u) * vv - w.dot(v) * uv) / determinant;
    let t = (w.dot(u) * uv - w.dot(v) * uu) / determinant;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        consider(a + s * u, c + t * v);
    }
    for end in [a, b] {
        consider(end, nearest(end, [c, d]));
    }
    for end in [c, d] {
        consider(nearest(end, [a, b]), end);
    }
    (min_distance, nearest_point)
}

/// Distance between a segment and a triangle (m), and the point (m) of the segment nearest to the triangle.
///
/// Either the segment intersects the triangle, or it is nearest to an edge of the triangle, or one of its ends is
/// nearest to the inside of the triangle.
pub(crate) fn segment_triangle_distance(segment: Segment, [a, b, c]: Triangle) -> (f64, Vec3) {
    let normal = (b - a).cross(c - a);
    // Signed distances of the ends from the plane, times the length of the normal.
    let heights = segment.map(|end| normal.dot(end - a));
    let projects_inside = |p: Vec3| {
        let is_left = |from: Vec3, to: Vec3| normal.dot((to - from).cross(p - from)) >= 0.0;
        is_left(a, b) && is_left(b, c) && is_left(c, a)
    };
    if heights[0] * heights[1] < 0.0 {
        let fraction = heights[0] / (heights[0] - heights[1]);
        let intersection = segment[0].lerp(segment[1], fraction);
        if projects_inside(intersection) {
            return (0.0, intersection);
        }
    }
    let (mut min_distance, mut nearest_point) = (f64::INFINITY, segment[0]);
    let mut consider = |distance: f64, point: Vec3| {
        if distance < min_distance {
            (min_distance, nearest_point) = (distance, point);
        }
    };
    for edge in [[a, b], [b, c], [c, a]] {
        let (distance, point) = segment_distance(segment, edge);
        consider(distance, point);
    }
    for (end, height) in segment.into_iter().zip(heights) {
        if projects_inside(end) {
            consider(height.abs() / normal.length(), end);
        }
    }
    (min_distance, nearest_point)
}

/// Point of a segment nearest to another point.
fn nearest(p: Vec3, [a, b]: Segment) -> Vec3 {
    let direction = b - a;
    let fraction = (p - a).dot(direction) / direction.length_squared();
    if fraction.is_nan() { a } else { a + direction * fraction.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from_array)
    }

    proptest! {
        /// No two points of a grid on both are nearer, and some are nearly as near.
        #[test]
        fn distance_equals_the_exhaustive_minimum(s in [point(), point()], t in [point(), point(), point()]) {
            let steps = 40;
            let at = |k: usize| k as f64 / steps as f64;
            let (mut segments, mut triangle) = (f64::INFINITY, f64::INFINITY);
            for i in 0..=steps {
                let p = s[0].lerp(s[1], at(i));
                for j in 0..=steps {
                    segments = segments.min(p.distance(t[0].lerp(t[1], at(j))));
                    for k in 0..=steps - j {
                        let q = t[0] + (t[1] - t[0]) * at(j) + (t[2] - t[0]) * at(k);
                        triangle = triangle.min(p.distance(q));
                    }
                }
            }
            let (exact, _) = segment_distance(s, [t[0], t[1]]);
            prop_assert!(exact <= segments + 1e-12 && exact > segments - 0.2, "{exact} {segments}");
            let (exact, _) = segment_triangle_distance(s, t);
            prop_assert!(exact <= triangle + 1e-12 && exact > triangle - 0.25, "{exact} {triangle}");
        }
    }
}
