//! Times of impact of points that slide past triangles closely, against exact signs.

use crate::common::point;
use proptest::prelude::*;
use resile_contact::Vec3;
use resile_contact::ccd::time_of_impact;
use resile_contact::distance::PairKind;
use resile_contact::predicates::orientation;

/// Whether the segment `p q` surely goes through the triangle: exact signs, none of them zero.
fn goes_through(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
    let side = |p: Vec3| orientation(a, b, c, p);
    let round = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
    side(p) * side(q) < 0.0 && (round.iter().all(|&s| s > 0.0) || round.iter().all(|&s| s < 0.0))
}

/// Coordinates of a point in a triangle.
fn inside() -> impl Strategy<Value = (f64, f64)> {
    (0.0f64..1.0, 0.0f64..1.0)
        .prop_map(|(u, v)| if u + v < 1.0 { (u, v) } else { (1.0 - u, 1.0 - v) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40_000, ..ProptestConfig::default() })]

    /// The point starts at a very small distance from a side of the triangle, above its plane and
    /// outside, and goes through its inside: so the normal at the start is one of a point and a
    /// line, which is known to a rounding over the distance.
    #[test]
    fn crossings_of_a_sliding_point_are_found(
        t in prop::array::uniform3(point(1.0)), along in 0.01f64..0.99, through in inside(),
        height in -13.0f64..-5.0, angle in 0.0f64..1.5, beyond in 1.01f64..3.0,
    ) {
        let [a, b, c] = t;
        let normal = (b - a).cross(c - a);
        prop_assume!(normal.length() > 1e-3);
        let up = normal.normalize();
        let outside = (b - a).cross(up).normalize();
        let gap = 10f64.powf(height);
        let p = a + (b - a) * along + (up * angle.cos() + outside * angle.sin()) * gap;
        let (u, v) = through;
        let q = p + (a + (b - a) * u + (c - a) * v - p) * beyond;
        prop_assume!(goes_through(p, q, t));
        let time = time_of_impact(PairKind::VertexFace, &[p, a, b, c], &[q, a, b, c], 0.0);
        let reached = p + (q - p) * time;
        prop_assert!(time < 1.0, "from a gap of {gap:e}");
        prop_assert!(!goes_through(p, reached, t), "{time} from a gap of {gap:e}");
    }
}
