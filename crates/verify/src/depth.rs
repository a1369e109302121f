//! Penetration depth of two triangles, and the depth that rounding can cause.
//!
//! The depth is the length of the shortest translation that separates them. It equals the distance of the
//! origin from the boundary of their Minkowski difference. This is a convex body whose sides are parallel to
//! one of the triangles or to two edges (separating axes; Gottschalk, Lin and Manocha 1996).
//!
//! A run keeps positions in double precision and writes them rounded to the nearest number
//! in single precision, which moves each vertex of a triangle by no more than its *rounding*,
//! half the diagonal of the cell of representable points around it. Let two triangles be disjoint
//! before rounding. Then a plane separates them, and after rounding each reaches beyond it by at most
//! its own rounding, so the depth is at most the sum of the two. **A deeper intersection was a crossing
//! in the run.** A shallower one cannot be distinguished from a touch. The same holds for two
//! triangles that share a vertex and do not meet elsewhere.

use crate::triangles::Triangle;
use glam::DVec3 as Vec3;

/// Shortest translation of `b` that separates it from `a` (m), for intersecting triangles.
pub(crate) fn parting(a: &Triangle, b: &Triangle) -> Vec3 {
    // Coordinates relative to a corner avoid cancellation far from the origin.
    let origin = a[0];
    let [a, b] = [a, b].map(|t| t.map(|corner| corner - origin));
    let edges = |t: &Triangle| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (edges_a, edges_b) = (edges(&a), edges(&b));
    let normals = [edges_a, edges_b].map(|e| e[0].cross(e[1]));
    let edge_products = edges_a.iter().flat_map(|e| edges_b.map(|f| e.cross(f)));
    let mut shortest = Vec3::splat(f64::INFINITY);
    for axis in normals.into_iter().chain(edge_products) {
        let Some(axis) = axis.try_normalize() else { continue };
        let [[a_min, a_max], [b_min, b_max]] = [&a, &b].map(|t| extent(t, axis));
        let (up, down) = (a_max - b_min, b_max - a_min);
        let shift = if up < down { axis * up.max(0.0) } else { axis * -down.max(0.0) };
        if shift.length() < shortest.length() {
            shortest = shift;
        }
    }
    // Two collinear degenerate triangles have no separating axis and depth zero.
    if shortest.is_finite() { shortest } else { Vec3::ZERO }
}

/// Smallest and largest coordinate of a triangle along an axis.
fn extent(t: &Triangle, axis: Vec3) -> [f64; 2] {
    let [p, q, r] = t.map(|corner| axis.dot(corner));
    [p.min(q).min(r), p.max(q).max(r)]
}

/// Largest rounding error of a coordinate that was rounded to `x` (m).
pub(crate) fn half_spacing(x: f32) -> f64 {
    0.5 * (f64::from(x.abs().next_up()) - f64::from(x.abs()))
}

/// Largest displacement of a triangle's corner by rounding to single precision (m).
pub(crate) fn rounding(corners: [[f32; 3]; 3]) -> f64 {
    let displacement = |p: [f32; 3]| Vec3::from_array(p.map(half_spacing)).length();
    corners.into_iter().map(displacement).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::triangles::{Shared, meet};
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0).prop_map(Vec3::from_array)
    }

    /// Two triangles with a common interior point.
    fn meeting() -> impl Strategy<Value = [Triangle; 2]> {
        let within = || prop::array::uniform3(0.01..1.0);
        let triangle = || prop::array::uniform3(vector());
        (triangle(), triangle(), within(), within()).prop_map(|(a, b, edges_a, edges_b)| {
            let point = |t: &Triangle, w: [f64; 3]| {
                (t[0] * w[0] + t[1] * w[1] + t[2] * w[2]) / w.iter().sum::<f64>()
            };
            [a, displacement(&b, point(&a, edges_a) - point(&b, edges_b))]
        })
    }

    fn displacement(t: &Triangle, by: Vec3) -> Triangle {
        t.map(|corner| corner + by)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            max_global_rejects: 5000,
            ..ProptestConfig::with_cases(5000)
        })]

        #[test]
        fn penetration_depth_is_the_shortest_separating_translation(
            [a, b] in meeting(), direction in vector(), part in 0.0..0.999,
        ) {
            prop_assume!(meet(&a, &b, Shared::Nothing) && direction.length() > 0.1);
            let shift = parting(&a, &b);
            let enough = shift * (1.0 + 1e-9) + shift.normalize() * 1e-12;
            prop_assert!(!meet(&a, &displacement(&b, enough), Shared::Nothing));
            for way in [shift.normalize(), direction.normalize()] {
                let short = way * shift.length() * part;
                prop_assert!(meet(&a, &displacement(&b, short), Shared::Nothing));
            }
            let back = parting(&b, &a);
            prop_assert!((back.length() - shift.length()).abs() < 1e-12);
        }

        /// Tests the statement of the module documentation: after rounding, disjoint triangles are no deeper
        /// than the sum of their roundings.
        #[test]
        fn rounding_bound_covers_the_depth_made_by_rounding(
            [a, b] in meeting(), gap in 0.0..1e-9, far in prop::array::uniform3(-100.0..100.0),
        ) {
            prop_assume!(meet(&a, &b, Shared::Nothing));
            // Separated by a gap below single precision, at an arbitrary position.
            let shift = parting(&a, &b);
            let far = Vec3::from_array(far);
            let a = displacement(&a, far);
            let b = displacement(&b, far + shift * (1.0 + 1e-9) + shift.normalize() * (1e-12 + gap));
            prop_assume!(!meet(&a, &b, Shared::Nothing));
            let single = |t: &Triangle| t.map(|p| p.to_array().map(|x| x as f32));
            let (a, b) = (single(&a), single(&b));
            let precision = rounding(a) + rounding(b);
            let [a, b] = [a, b].map(|t| t.map(|p| Vec3::from_array(p.map(f64::from))));
            if meet(&a, &b, Shared::Nothing) {
                prop_assert!(parting(&a, &b).length() <= precision);
            }
        }
    }

    #[test]
    fn depth_of_known_pairs() {
        let a = [Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];
        let spike =
            [Vec3::new(1.0, 1.0, -0.25), Vec3::new(1.0, 1.0, 3.0), Vec3::new(1.5, 1.0, 3.0)];
        assert!(parting(&a, &spike).abs_diff_eq(Vec3::Z * 0.25, 1e-15));
        assert_eq!(
            parting(&a, &displacement(&a, Vec3::X)).length(),
            0.0,
            "in one plane nothing is deep"
        );
    }

    #[test]
    fn rounding_moves_a_coordinate_by_at_most_half_a_spacing() {
        assert_eq!(half_spacing(1.0), 2_f64.powi(-24));
        assert_eq!(half_spacing(-1.5), 2_f64.powi(-24));
        assert_eq!(half_spacing(0.0), 2_f64.powi(-150));
    }
}
