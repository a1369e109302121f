//! Collision times against exact arithmetic, in positions that are hard on rounding.
//!
//! `cargo run --release -p resile-contact --example ccd_hunt` asks the same of many more.

mod families;
mod oracle;
mod verdict;

use families::{FAMILIES, Random, draw};
use oracle::Oracle;
use resile_contact::Vec3;
use resile_contact::ccd::time_of_impact;
use resile_contact::distance::PairKind;
use verdict::{Verdict, verdict};

/// So many queries of each family.
const QUERIES: u64 = 1500;

#[test]
fn time_of_impact_is_safe_and_tight() {
    for (family, seed) in FAMILIES.into_iter().zip(0..) {
        for case in 0..QUERIES {
            let query = draw(family, &mut Random::new(seed, case));
            let actual = verdict(&query);
            assert_eq!(actual, Verdict::Good, "{} {case}: {query:?}", family.0);
        }
    }
}

/// A point falls through a triangle, from `above` to the same below.
fn falling(above: f64) -> ([Vec3; 4], [Vec3; 4]) {
    let x = |z: f64| [Vec3::new(0.25, 0.25, z), Vec3::ZERO, Vec3::X, Vec3::Y];
    (x(above), x(-above))
}

#[test]
fn exact_oracle_separates_touch_from_the_time_before() {
    for above in [1.0, 1e-150, 1e300] {
        let (from, to) = falling(above);
        let oracle = Oracle::new(PairKind::VertexFace, &from, &to, 0.0);
        assert!(oracle.stay_apart_until(0.5f64.next_down()));
        assert!(!oracle.stay_apart_until(0.5));
        assert!(!oracle.stay_apart_until(1.0));
        let oracle = Oracle::new(PairKind::VertexFace, &from, &to, 0.5 * above);
        assert!(oracle.stay_apart_until(0.25f64.next_down()));
        assert!(!oracle.stay_apart_until(0.25));
    }
}

#[test]
fn exact_oracle_measures_the_distance() {
    let (from, to) = falling(0.75);
    let oracle = Oracle::new(PairKind::VertexFace, &from, &to, 0.25);
    // The unit is the power of two above the largest number, which is one in sixteenths: two.
    let unit = 2.0;
    for (time, gap) in [(0.0, 0.5), (0.25, 0.125), (1.0, 0.5)] {
        assert_eq!(oracle.gap(time) * unit, gap, "{time}");
    }
}

#[test]
fn extreme_sizes_are_rescaled() {
    for scale in [1e-310, 1e-200, 1e-75, 1e75, 1e200, 1e308] {
        let (from, to) = falling(1.0);
        let [from, to] = [from, to].map(|x| x.map(|x| x * scale));
        let time = time_of_impact(PairKind::VertexFace, &from, &to, 0.0);
        assert!((0.4..0.5).contains(&time), "{time} at {scale:e}");
    }
}

#[test]
fn gap_below_the_floor_may_not_close() {
    let triangle = [-Vec3::X - Vec3::Y, Vec3::X - Vec3::Y, Vec3::Y];
    let x = |z: f64| [Vec3::Z * z, triangle[0], triangle[1], triangle[2]];
    for gap in [1e-14, 1e-17, 1e-20, 1e-24] {
        let time = |to: f64| time_of_impact(PairKind::VertexFace, &x(gap), &x(to), 0.0);
        assert_eq!([time(gap), time(2.0 * gap), time(1.0)], [1.0; 3], "{gap:e}");
        assert_eq!([time(0.0), time(-1.0)], [0.0; 2], "{gap:e}");
    }
}

/// A fixed plane separates pieces of unit length that rotate by 0.2 for a time in proportion to their distance.
#[test]
fn pieces_that_rotate_together_keep_their_whole_path_at_any_distance() {
    let (sin, cos) = 0.2f64.sin_cos();
    let rotated = |x: Vec3| Vec3::new(x.x, cos * x.y - sin * x.z, sin * x.y + cos * x.z);
    let line = [Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0)];
    let across = |z: f64| [Vec3::new(0.1, -0.5, z), Vec3::new(0.1, 0.5, z)];
    for exponent in 3..11 {
        let distance = 10f64.powi(-exponent);
        let [a, b] = across(distance);
        let [c, d] = line;
        let below = [-Vec3::X - Vec3::Y, Vec3::X - Vec3::Y, Vec3::Y];
        let point = Vec3::new(0.1, -0.4, distance);
        for (kind, from) in [
            (PairKind::EdgeEdge, [c, d, a, b]),
            (PairKind::VertexEdge, [a, c - Vec3::Y * 0.5, d - Vec3::Y * 0.5, d - Vec3::Y * 0.5]),
            (PairKind::VertexFace, [point, below[0], below[1], below[2]]),
        ] {
            let to = from.map(rotated);
            assert_eq!(time_of_impact(kind, &from, &to, 0.0), 1.0, "{kind:?} at {distance:e}");
        }
    }
}
