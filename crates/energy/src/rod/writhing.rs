//! The writhe of polygons.

use rayon::prelude::*;
use resile_math::elementary;
use resile_system::Vec3;
use std::f64::consts::TAU;

/// The writhe of the closed polygon through `points` (m): the number of right-handed minus left-handed
/// self-crossings, averaged over all directions of view. Exact for straight segments (Klenin & Langowski 2000,
/// *Computation of writhe in modeling of supercoiled DNA*): the Gauss integral over two segments is the solid
/// angle of the parallelogram of the vectors between them.
///
/// It varies continuously unless two segments cross, where it jumps by 2. O(n^2), parallel in the current rayon
/// pool, and bitwise equal for any number of threads.
///
/// ```
/// use resile_energy::writhe;
/// use resile_math::Vec3;
///
/// let flat = [Vec3::ZERO, Vec3::X, Vec3::new(2.0, 1.0, 0.0), Vec3::Y];
/// assert_eq!(writhe(&flat), 0.0);
/// ```
pub fn writhe(points: &[Vec3]) -> f64 {
    angle(points) / TAU
}

/// The writhe in radians: 2 pi for each crossing.
pub(super) fn angle(points: &[Vec3]) -> f64 {
    let count = points.len();
    let segment = |i: usize| [points[i], points[(i + 1) % count]];
    let row = |i: usize| {
        // The last segment is a neighbour of the first; neighbours span no solid angle.
        let last = if i == 0 { count - 1 } else { count };
        (i + 2..last).map(|j| solid_angle(segment(i), segment(j))).sum()
    };
    sum_of_rows(count, row)
}

/// [`angle`] of an open polygon of at least two segments, extended straight to infinity at both ends. The constant
/// contribution of the far ends of these rays is omitted.
pub(super) fn angle_between_rays(points: &[Vec3]) -> f64 {
    let segment_count = points.len() - 1;
    let segment = |i: usize| [points[i], points[i + 1]];
    let [first, last] = [points[0], points[segment_count]];
    let direction = |[a, b]: [Vec3; 2]| (b - a).normalize_or_zero();
    let (first_direction, last_direction) =
        (direction(segment(0)), direction(segment(segment_count - 1)));
    let row = |i: usize| {
        let [a, b] = segment(i);
        let mut sum: f64 = (i + 2..segment_count).map(|j| solid_angle([a, b], segment(j))).sum();
        if i > 0 {
            sum += triangle_angle([first - b, first - a, -first_direction]);
        }
        if i + 1 < segment_count {
            sum += triangle_angle([last - a, last - b, last_direction]);
        }
        sum
    };
    let rays = triangle_angle([first_direction, last - first, last_direction]);
    sum_of_rows(segment_count, row) + rays
}

/// The sum of `row(i)` for i below `count`: computed in parallel, added in order.
fn sum_of_rows(count: usize, row: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    let rows: Vec<f64> = (0..count).into_par_iter().map(row).collect();
    rows.into_iter().sum()
}

/// The solid angle of the triangle of three directions, of any length (Van Oosterom & Strackee 1983), with the
/// sign of their volume.
fn triangle_angle([p, q, r]: [Vec3; 3]) -> f64 {
    let volume = p.dot(q.cross(r));
    if volume == 0.0 {
        return 0.0;
    }
    let [lp, lq, lr] = [p, q, r].map(Vec3::length);
    let cosine_part = lp * lq * lr + p.dot(q) * lr + q.dot(r) * lp + r.dot(p) * lq;
    2.0 * elementary::atan2(volume, cosine_part)
}

/// The solid angle of all vectors from a point of one segment to a point of another; positive if the crossing
/// is right-handed, zero for coplanar segments.
fn solid_angle([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f64 {
    let volume = -(c - a).dot((b - a).cross(d - c));
    if volume == 0.0 {
        return 0.0;
    }
    let corners = [c - a, c - b, d - b, d - a];
    let [p, q, r, s] = corners;
    let [lp, lq, lr, ls] = corners.map(Vec3::length);
    // Two triangles whose vectors span the same volume.
    let pr = p.dot(r);
    let first = lp * lq * lr + p.dot(q) * lr + q.dot(r) * lp + pr * lq;
    let second = lp * lr * ls + pr * ls + r.dot(s) * lp + s.dot(p) * lr;
    2.0 * (elementary::atan2(volume, first) + elementary::atan2(volume, second))
}
