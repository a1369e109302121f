//! Exact triangle-triangle intersection.
//!
//! All tests use one predicate, the orientation of four points (Shewchuk 1997, "Adaptive precision
//! floating-point arithmetic and fast robust geometric predicates"; crate `robust`). Coordinates from
//! single precision neither overflow nor underflow in it, because products of three are between 2^-447
//! and 2^384. Its signs are therefore always exact.
//!
//! Two triangles that are not coplanar intersect if and only if an edge of one intersects the other
//! without lying in its plane: their intersection is an interval of the common line of both planes,
//! and its ends lie on edges.

use glam::DVec3 as Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};
use std::cmp::Ordering::{self, Equal};

/// Corners of a triangle (m).
pub(crate) type Triangle = [Vec3; 3];

/// Number of leading corners that two triangles share, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shared {
    /// No corner.
    Nothing,
    /// The first corner.
    Vertex,
    /// The first and the second corner.
    Edge,
    /// All corners: the triangles are the same.
    All,
}

/// Reorders the corners of two triangles such that shared corners come first.
pub(crate) fn align(a: [u32; 3], b: [u32; 3]) -> ([u32; 3], [u32; 3], Shared) {
    let shared_first = |triangle: [u32; 3], other: [u32; 3]| {
        let mut points = triangle;
        points.sort_by_key(|point| (!other.contains(point), *point));
        points
    };
    let (a, b) = (shared_first(a, b), shared_first(b, a));
    let shared = match a.iter().zip(&b).take_while(|(p, q)| p == q).count() {
        0 => Shared::Nothing,
        1 => Shared::Vertex,
        2 => Shared::Edge,
        _ => Shared::All,
    };
    (a, b, shared)
}

/// Whether two triangles intersect in more than their shared corners, which are the first ones of both.
///
/// A degenerate triangle intersects no coplanar one; its neighbours do.
pub(crate) fn meet(a: &Triangle, b: &Triangle, shared: Shared) -> bool {
    match shared {
        Shared::Nothing => {
            let sides_a = sides(b, a);
            if on_one_side(sides_a) {
                return false;
            }
            let sides_b = sides(a, b);
            if sides_a == [Equal; 3] && sides_b == [Equal; 3] {
                return meet_in_plane(a, b);
            }
            !on_one_side(sides_b)
                && (edges().any(|e| edge_intersects(e, a, sides_a, b))
                    || edges().any(|e| edge_intersects(e, b, sides_b, a)))
        }
        Shared::Vertex => {
            // The shared corner lies in both planes by definition.
            let unshared_sides =
                |plane: &Triangle, t: &Triangle| [Equal, side(plane, t[1]), side(plane, t[2])];
            let sides_a = unshared_sides(b, a);
            if sides_a[1] != Equal && sides_a[1] == sides_a[2] {
                return false;
            }
            let sides_b = unshared_sides(a, b);
            if sides_a == [Equal; 3] && sides_b == [Equal; 3] {
                return meet_around_vertex(a, b);
            }
            edge_intersects([1, 2], a, sides_a, b) || edge_intersects([1, 2], b, sides_b, a)
        }
        Shared::Edge => side(a, b[2]) == Equal && is_folded(a, b),
        Shared::All => false,
    }
}

/// A point at which an edge of one triangle intersects the other (m), or a point between them. Not exact.
pub(crate) fn place(a: &Triangle, b: &Triangle) -> Vec3 {
    let intersection = |a: &Triangle, b: &Triangle| {
        let sides_a = sides(b, a);
        let normal = (b[1] - b[0]).cross(b[2] - b[0]);
        edges().find(|&e| sides_a[e[0]] != sides_a[e[1]] && edge_intersects(e, a, sides_a, b)).map(
            |[i, j]| {
                let [from, to] = [a[i], a[j]].map(|x| normal.dot(x - b[0]));
                a[i] + (a[j] - a[i]) * (from / (from - to)).clamp(0.0, 1.0)
            },
        )
    };
    let midpoint = || (a.iter().sum::<Vec3>() + b.iter().sum::<Vec3>()) / 6.0;
    intersection(a, b).or_else(|| intersection(b, a)).unwrap_or_else(midpoint)
}

/// The edges of a triangle, as pairs of corner indices.
fn edges() -> impl Iterator<Item = [usize; 2]> {
    [[0, 1], [1, 2], [2, 0]].into_iter()
}

/// Side of a triangle's plane on which a point lies.
pub(crate) fn side(t: &Triangle, p: Vec3) -> Ordering {
    let c = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    sign(orient3d(c(t[0]), c(t[1]), c(t[2]), c(p)))
}

/// Sides of the plane of `plane` on which the corners of `t` lie.
fn sides(plane: &Triangle, t: &Triangle) -> [Ordering; 3] {
    t.map(|corner| side(plane, corner))
}

/// Whether all corners lie strictly on the same side.
fn on_one_side(sides: [Ordering; 3]) -> bool {
    sides[0] != Equal && sides == [sides[0]; 3]
}

/// The sign of a predicate.
pub(crate) fn sign(value: f64) -> Ordering {
    // The predicates return no NaN for finite points.
    value.partial_cmp(&0.0).unwrap_or(Equal)
}

/// Whether edge `[i, j]` of `a`, whose corners lie on the sides `sides_a` of the plane of `b`, intersects `b`
/// without lying in that plane.
fn edge_intersects([i, j]: [usize; 2], a: &Triangle, sides_a: [Ordering; 3], b: &Triangle) -> bool {
    if sides_a[i] == sides_a[j] {
        return false;
    }
    let side_of_edge = |k: usize| side(&[a[i], a[j], b[k]], b[(k + 1) % 3]);
    let first = side_of_edge(0);
    let second = side_of_edge(1);
    if are_opposite(first, second) {
        return false;
    }
    let third = side_of_edge(2);
    !are_opposite(first, third) && !are_opposite(second, third)
}

/// Whether two sides are strictly opposite.
fn are_opposite(a: Ordering, b: Ordering) -> bool {
    a != Equal && a == b.reverse()
}

/// A coordinate plane for the projection of coplanar triangles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View(usize, usize);

impl View {
    pub(crate) const ALONG_X: Self = Self(1, 2);
    const ALL: [Self; 3] = [Self::ALONG_X, Self(2, 0), Self(0, 1)];

    /// The projection of a point to the plane.
    fn project(self, p: Vec3) -> Coord<f64> {
        Coord { x: p[self.0], y: p[self.1] }
    }

    /// Side of the line from `a` to `b` on which a point lies.
    pub(crate) fn side(self, a: Vec3, b: Vec3, p: Vec3) -> Ordering {
        sign(orient2d(self.project(a), self.project(b), self.project(p)))
    }

    /// The orientation of a projected triangle.
    fn orientation(self, t: &Triangle) -> Ordering {
        self.side(t[0], t[1], t[2])
    }
}

/// Whether coplanar triangles intersect. They are disjoint if and only if one lies beyond an edge of the other.
fn meet_in_plane(a: &Triangle, b: &Triangle) -> bool {
    let is_visible = |view: &View| view.orientation(a) != Equal || view.orientation(b) != Equal;
    let Some(view) = View::ALL.into_iter().find(is_visible) else { return false };
    let is_separated = |a: &Triangle, b: &Triangle| {
        let orientation = view.orientation(a);
        edges().any(|[i, j]| {
            let sides_b = b.map(|corner| view.side(a[i], a[j], corner));
            on_one_side(sides_b) && sides_b[0] != orientation
        })
    };
    !is_separated(a, b) && !is_separated(b, a)
}

/// Whether coplanar triangles with a common corner also intersect elsewhere, which is the case if and only if their
/// angles at the corner overlap.
fn meet_around_vertex(a: &Triangle, b: &Triangle) -> bool {
    let is_visible = |view: &View| view.orientation(a) != Equal && view.orientation(b) != Equal;
    let Some(view) = View::ALL.into_iter().find(is_visible) else { return false };
    let is_in_angle = |p: Vec3, t: &Triangle| {
        let orientation = view.orientation(t);
        !are_opposite(view.side(t[0], t[1], p), orientation)
            && !are_opposite(view.side(t[0], p, t[2]), orientation)
    };
    is_in_angle(a[1], b) || is_in_angle(a[2], b) || is_in_angle(b[1], a) || is_in_angle(b[2], a)
}

/// Whether coplanar triangles with a common edge lie on the same side of it.
fn is_folded(a: &Triangle, b: &Triangle) -> bool {
    View::ALL
        .iter()
        .any(|view| view.orientation(a) != Equal && view.orientation(a) == view.orientation(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Whole = [i64; 3];

    fn real(t: [Whole; 3]) -> Triangle {
        t.map(|p| Vec3::from_array(p.map(|x| x as f64)))
    }

    fn minus(a: Whole, b: Whole) -> Whole {
        [0, 1, 2].map(|k| a[k] - b[k])
    }

    fn cross(a: Whole, b: Whole) -> Whole {
        [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
    }

    fn dot(a: Whole, b: Whole) -> i64 {
        (0..3).map(|k| a[k] * b[k]).sum()
    }

    fn normal(t: [Whole; 3]) -> Whole {
        cross(minus(t[1], t[0]), minus(t[2], t[0]))
    }

    /// Independent test: two convex bodies are disjoint if and only if one of finitely many axes separates
    /// them, here in integer arithmetic.
    fn parted_by_an_axis(a: [Whole; 3], b: [Whole; 3]) -> bool {
        let edges = |t: [Whole; 3]| [0, 1, 2].map(|k| minus(t[(k + 1) % 3], t[k]));
        let mut axes = vec![normal(a), normal(b)];
        for e in edges(a) {
            axes.extend(edges(b).map(|f| cross(e, f)));
        }
        for t in [a, b] {
            axes.extend(edges(t).map(|e| cross(normal(t), e)));
        }
        let extent = |t: [Whole; 3], axis| {
            let along = t.map(|p| dot(p, axis));
            (along.into_iter().min(), along.into_iter().max())
        };
        axes.into_iter().any(|axis| {
            let ((a_min, a_max), (b_min, b_max)) = (extent(a, axis), extent(b, axis));
            a_max < b_min || b_max < a_min
        })
    }

    /// Corners on a lattice so small that most special positions occur.
    fn lattice(reach: i64) -> impl Strategy<Value = [Whole; 3]> {
        let corner = prop::array::uniform3(-reach..=reach);
        let triangle = prop::array::uniform3(corner);
        triangle.prop_filter("it has an area", |&t| normal(t) != [0; 3])
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            max_global_rejects: 20_000,
            ..ProptestConfig::with_cases(20_000)
        })]

        #[test]
        fn triangles_intersect_unless_a_separating_axis_exists(a in lattice(2), b in lattice(2)) {
            let expected = !parted_by_an_axis(a, b);
            prop_assert_eq!(meet(&real(a), &real(b), Shared::Nothing), expected);
            prop_assert_eq!(meet(&real(b), &real(a), Shared::Nothing), expected);
        }

        #[test]
        fn coplanar_triangles_intersect_unless_a_separating_axis_exists(a in lattice(3), b in lattice(3), orientation in 0..3_usize) {
            // A sheared plane, seen along each axis.
            let lay = |t: [Whole; 3]| t.map(|[x, y, _]| {
                let mut p = [x, y, x + 2 * y];
                p.rotate_left(orientation);
                p
            });
            let (a, b) = (lay(a), lay(b));
            prop_assume!(normal(a) != [0; 3] && normal(b) != [0; 3]);
            prop_assert_eq!(meet(&real(a), &real(b), Shared::Nothing), !parted_by_an_axis(a, b));
        }

        /// With a common corner they intersect elsewhere if and only if a direction from it lies in both. That
        /// is the case if one of them, enlarged about the corner, intersects the region beyond the far edge of
        /// the other.
        #[test]
        fn shared_corner_alone_is_no_intersection(a in lattice(2), b in lattice(2)) {
            let at = a[0];
            let b = b.map(|p| [0, 1, 2].map(|k| p[k] - b[0][k] + at[k]));
            let larger = |p: Whole, times: i64| [0, 1, 2].map(|k| at[k] + times * (p[k] - at[k]));
            let large = a.map(|p| larger(p, 1000));
            let beyond = [b[1], b[2], larger(b[1], 2)];
            let expected = !parted_by_an_axis(large, beyond);
            prop_assert_eq!(meet(&real(a), &real(b), Shared::Vertex), expected);
            prop_assert_eq!(meet(&real(b), &real(a), Shared::Vertex), expected);
        }

        /// Compares the predicate with integer arithmetic.
        #[test]
        fn orientation_is_exact_for_single_precision(
            corners in prop::array::uniform3(prop::array::uniform3(-1_000_000..1_000_000_i32)),
            [s, t] in prop::array::uniform2(-3..4_i32),
            off in prop::array::uniform3(-1..2_i32),
        ) {
            // The fourth point is in or next to the plane of the other three.
            let along = |k: usize| {
                let [a, b, c] = corners.map(|p| p[k]);
                a + s * (b - a) + t * (c - a) + off[k]
            };
            let fourth = [along(0), along(1), along(2)];
            let wide = |p: [i32; 3]| p.map(i128::from);
            let [a, b, c, d] = [corners[0], corners[1], corners[2], fourth].map(wide);
            let [u, v, w] = [a, b, c].map(|p| [0, 1, 2].map(|k| p[k] - d[k]));
            let exact = u[0] * (v[1] * w[2] - v[2] * w[1])
                + u[1] * (v[2] * w[0] - v[0] * w[2])
                + u[2] * (v[0] * w[1] - v[1] * w[0]);
            // Scales of 2^-100 and 2^100 change no sign.
            for scale in [2_f64.powi(-100), 1.0, 2_f64.powi(100)] {
                let point = |p: [i32; 3]| Vec3::from_array(p.map(f64::from)) * scale;
                let found = side(&corners.map(point), point(fourth));
                prop_assert_eq!(found, exact.cmp(&0));
            }
        }
    }

    #[test]
    fn shared_points_are_sorted_first() {
        assert_eq!(align([7, 3, 5], [1, 2, 4]).2, Shared::Nothing);
        assert_eq!(align([7, 3, 5], [5, 8, 9]), ([5, 3, 7], [5, 8, 9], Shared::Vertex));
        assert_eq!(align([7, 3, 5], [9, 5, 7]), ([5, 7, 3], [5, 7, 9], Shared::Edge));
        assert_eq!(align([7, 3, 5], [3, 5, 7]).2, Shared::All);
    }

    #[test]
    fn fold_is_an_intersection_only_if_exactly_flat() {
        let fold = |p: Vec3| {
            meet(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[Vec3::ZERO, Vec3::X, p], Shared::Edge)
        };
        assert!(fold(Vec3::new(0.3, 2.0, 0.0)));
        assert!(!fold(Vec3::new(0.3, -2.0, 0.0)), "flat, and not folded");
        assert!(!fold(Vec3::new(0.3, 2.0, 1e-30)));
    }

    #[test]
    fn edge_crosses_the_triangle_at_the_reported_point() {
        let a = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let b =
            [Vec3::new(0.25, 0.25, -1.0), Vec3::new(0.25, 0.25, 3.0), Vec3::new(0.5, 0.25, 3.0)];
        assert!(meet(&a, &b, Shared::Nothing));
        assert_eq!(place(&a, &b), Vec3::new(0.25, 0.25, 0.0));
        assert_eq!(place(&b, &a), Vec3::new(0.25, 0.25, 0.0));
    }
}
