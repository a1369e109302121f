//! Exact segment-triangle intersection test.
//!
//! Uses the orientation predicates of the crate `robust` (Shewchuk 1997, *Adaptive precision
//! floating-point arithmetic and fast robust geometric predicates*), whose signs are exact unless
//! products of coordinates overflow or underflow. Touching counts as intersecting.

use resile_math::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};
use std::cmp::Ordering::{self, Equal};

/// Whether a segment and a triangle intersect. A degenerate triangle intersects no segment in its
/// plane.
pub(crate) fn segment_meets_triangle([p, q]: [Vec3; 2], triangle: [Vec3; 3]) -> bool {
    let [side_of_p, side_of_q] = [p, q].map(|end| side_of_plane(triangle, end));
    if side_of_p == side_of_q {
        return side_of_p == Equal && coplanar_meet([p, q], triangle);
    }
    let [a, b, c] = triangle;
    let sides_of_edges = [[a, b], [b, c], [c, a]].map(|[from, to]| side_of_plane([p, q, from], to));
    !have_opposite_signs(&sides_of_edges)
}

/// Side of the plane of a triangle on which a point lies.
fn side_of_plane(triangle: [Vec3; 3], point: Vec3) -> Ordering {
    let coordinates = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    let [a, b, c] = triangle.map(coordinates);
    sign(orient3d(a, b, c, coordinates(point)))
}

/// Sign of the value of a predicate.
fn sign(value: f64) -> Ordering {
    // The predicates return no NaN for finite points.
    value.partial_cmp(&0.0).unwrap_or(Equal)
}

/// Whether both signs occur.
fn have_opposite_signs(sides: &[Ordering]) -> bool {
    sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater)
}

/// Whether a segment and a triangle in one plane intersect. Coplanar convex shapes are disjoint if and only if a line
/// along an edge separates them.
fn coplanar_meet([p, q]: [Vec3; 2], triangle: [Vec3; 3]) -> bool {
    // A coordinate plane in which the projected triangle has an area.
    let views = [[0, 1], [1, 2], [2, 0]];
    let orientation_of = |[i, j]: [usize; 2], a: Vec3, b: Vec3, c: Vec3| {
        let projected = |v: Vec3| Coord { x: v[i], y: v[j] };
        sign(orient2d(projected(a), projected(b), projected(c)))
    };
    let [a, b, c] = triangle;
    let Some(view) = views.into_iter().find(|view| orientation_of(*view, a, b, c) != Equal) else {
        return false;
    };
    let orientation = orientation_of(view, a, b, c);
    let is_beyond_edge = [[a, b], [b, c], [c, a]].into_iter().any(|[from, to]| {
        [p, q].iter().all(|&end| orientation_of(view, from, to, end) == orientation.reverse())
    });
    let sides = triangle.map(|corner| orientation_of(view, p, q, corner));
    let is_on_one_side = sides[0] != Equal && sides == [sides[0]; 3];
    !is_beyond_edge && !is_on_one_side
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lattice_point() -> impl Strategy<Value = [i64; 3]> {
        prop::array::uniform3(-3i64..=3)
    }

    /// Whether `p + t (q - p) = a + u (b - a) + v (c - a)` has a solution in the unit interval and the
    /// unit triangle, by Cramer's rule in integers; `None` where the system is singular.
    fn solve_cramer([p, q]: [[i64; 3]; 2], [a, b, c]: [[i64; 3]; 3]) -> Option<bool> {
        let minus = |x: [i64; 3], y: [i64; 3]| [0, 1, 2].map(|k| x[k] - y[k]);
        let det = |x: [i64; 3], y: [i64; 3], z: [i64; 3]| {
            x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
                + x[2] * (y[0] * z[1] - y[1] * z[0])
        };
        let (d, e, f, r) = (minus(p, q), minus(b, a), minus(c, a), minus(p, a));
        let determinant = det(d, e, f);
        let (t, u, v) = (det(r, e, f), det(d, r, f), det(d, e, r));
        let [t, u, v, determinant] = [t, u, v, determinant].map(|x| x * determinant.signum());
        (determinant != 0)
            .then_some(t >= 0 && t <= determinant && u >= 0 && v >= 0 && u + v <= determinant)
    }

    fn real(x: [i64; 3]) -> Vec3 {
        Vec3::from_array(x.map(|c| c as f64))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn crossing_test_equals_exact_integer_arithmetic(
            segment in prop::array::uniform2(lattice_point()),
            triangle in prop::array::uniform3(lattice_point()),
        ) {
            if let Some(want) = solve_cramer(segment, triangle) {
                prop_assert_eq!(segment_meets_triangle(segment.map(real), triangle.map(real)), want);
            }
        }

        /// Compares coplanar cases with the points of a fine grid on the segment.
        #[test]
        fn coplanar_crossing_test_equals_exact_point_sampling(
            segment in prop::array::uniform2(lattice_point()),
            triangle in prop::array::uniform3(lattice_point()),
        ) {
            let flat = |x: [i64; 3]| [x[0], x[1], x[0] + 2 * x[1]];
            let ([p, q], t) = (segment.map(flat), triangle.map(flat));
            let turn = |a: [i64; 3], b: [i64; 3], c: [i64; 3]| {
                (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            };
            prop_assume!(turn(t[0], t[1], t[2]) != 0 && p != q);
            // End points of the common part have denominators up to 72, each a different one.
            let within = |n: i64, d: i64| {
                let point = [0, 1, 2].map(|k| p[k] * (d - n) + q[k] * n);
                let corners = t.map(|corner| corner.map(|c| c * d));
                let turns = [0, 1, 2].map(|k| turn(corners[k], corners[(k + 1) % 3], point));
                turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
            };
            let want = (1..=72).any(|d| (0..=d).any(|n| within(n, d)));
            prop_assert_eq!(segment_meets_triangle([real(p), real(q)], t.map(real)), want);
        }
    }
}
