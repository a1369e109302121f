//! Closest points and collision times against slow oracles.

use crate::common::{KINDS, of_kind, point};
use proptest::prelude::*;
use resile_contact::bvh::{Fitted, Tree, pairs, self_pairs};
use resile_contact::ccd::{CONSERVATIVE_GAP, time_of_impact};
use resile_contact::distance::{Closest, Feature, PairKind};
use resile_math::Aabb;
use resile_system::Vec3;
use std::ops::ControlFlow;

/// Points on a coarse lattice: parallel, collinear, coincident and flat pairs abound.
fn lattice() -> impl Strategy<Value = [Vec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(-2i32..3))
        .prop_map(|p| p.map(|c| Vec3::from_array(c.map(f64::from))))
}

fn cloud() -> impl Strategy<Value = [Vec3; 4]> {
    prop_oneof![prop::array::uniform4(point(1.0)), lattice()]
}

/// Centres and half sizes of few boxes, or of so many that nodes of a tree have grandchildren.
fn boxes_of_one_or_more_levels() -> impl Strategy<Value = Vec<(Vec3, Vec3)>> {
    let some = |count| prop::collection::vec((point(1.0), point(0.2)), count);
    prop_oneof![3 => some(0..60), 1 => some(200..600)]
}

/// The smallest distance by ternary search over one parameter; over the other, the
/// minimum of a parabola is known. The partial minimum of a convex function is convex.
fn brute_force(kind: PairKind, x: &[Vec3; 4]) -> f64 {
    // Offset = base + t * along, t in [0, most].
    let line = |s: f64| match kind {
        PairKind::EdgeEdge => (x[2] - x[0] - (x[1] - x[0]) * s, x[3] - x[2], 1.0),
        // An edge and a vertex are triangles without area.
        _ => (x[0] - x[1] - (x[2] - x[1]) * s, x[1] - x[3], 1.0 - s),
    };
    let distance2 = |s: f64| {
        let (base, along, most) = line(s);
        let square = along.length_squared();
        let t = if square > 0.0 { (-base.dot(along) / square).clamp(0.0, most) } else { 0.0 };
        (base + along * t).length_squared()
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..120 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance2(a) <= distance2(b) { high = b } else { low = a }
    }
    distance2(low).min(distance2(high)).min(distance2(0.0)).min(distance2(1.0)).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn weights_reproduce_the_difference_and_are_barycentric(x in cloud(), kind in 0usize..4) {
        let kind = KINDS[kind];
        let x = of_kind(kind, x);
        let closest = Closest::new(kind, &x);
        let sum: Vec3 = x.iter().zip(closest.weights).map(|(x, w)| *x * w).sum();
        prop_assert!((sum - closest.difference).length() < 1e-11);
        let w = closest.weights;
        let sides = match kind {
            PairKind::EdgeEdge => [vec![-w[0], -w[1]], vec![w[2], w[3]]],
            _ => [vec![w[0]], vec![-w[1], -w[2], -w[3]]],
        };
        for side in sides {
            prop_assert!(side.iter().all(|&w| w >= -1e-15));
            prop_assert!((side.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
        let held = w.iter().filter(|&&w| w != 0.0).count();
        match closest.feature {
            Feature::Points => prop_assert_eq!(held, 2),
            Feature::PointLine(_) => prop_assert_eq!(held, 3),
            Feature::Plane(..) => prop_assert_eq!(held, 4),
        }
    }

    #[test]
    fn closest_point_is_the_minimum(x in cloud(), kind in 0usize..4) {
        let kind = KINDS[kind];
        let x = of_kind(kind, x);
        let got = Closest::new(kind, &x).distance();
        let want = brute_force(kind, &x);
        // The search compares squares: sure to the root of a rounding.
        prop_assert!((got - want).abs() <= 1e-7 * (want + 0.1), "{got} for {want}");
        // Optimality: every vertex lies behind the plane through its closest point.
        let c = Closest::new(kind, &x);
        if got > 1e-6 {
            let n = c.difference / got;
            let ahead: &[usize] = if kind == PairKind::EdgeEdge { &[2, 3] } else { &[0] };
            for &i in ahead {
                for j in (0..4).filter(|j| !ahead.contains(j)) {
                    prop_assert!(n.dot(x[i] - x[j]) >= got - 1e-9);
                }
            }
        }
    }

    #[test]
    fn pairs_stay_apart_up_to_the_time_of_impact(
        x in cloud(), y in prop::array::uniform4(point(2.0)), kind in 0usize..4,
    ) {
        let kind = KINDS[kind];
        let x = of_kind(kind, x);
        let start = Closest::new(kind, &x).distance();
        prop_assume!(start > 1e-9);
        let y = of_kind(kind, y);
        let time = time_of_impact(kind, &x, &y, 0.0);
        prop_assert!(time > 0.0 && time <= 1.0);
        let at = |t: f64| std::array::from_fn(|k| x[k] + (y[k] - x[k]) * t);
        for i in 0..=200 {
            let d = Closest::new(kind, &at(time * f64::from(i) / 200.0)).distance();
            prop_assert!(d >= CONSERVATIVE_GAP * start * (1.0 - 1e-6), "{d} of {start}");
        }
        if time < 1.0 {
            let left = Closest::new(kind, &at(time)).distance();
            prop_assert!(left <= 2.0 * CONSERVATIVE_GAP * start * (1.0 + 1e-9), "{left} of {start}");
        }
    }

    #[test]
    fn trees_find_the_pairs_of_an_exhaustive_search(
        [a, b] in [boxes_of_one_or_more_levels(), boxes_of_one_or_more_levels()],
        sweep in point(0.5),
    ) {
        let boxes = |v: &[(Vec3, Vec3)]| -> Vec<Aabb> {
            v.iter().map(|(c, h)| Aabb::of_points([*c - h.abs(), *c + h.abs()])).collect()
        };
        let (ba, bb) = (boxes(&a), boxes(&b));
        let tree = |v: &[(Vec3, Vec3)]| Tree::new(&v.iter().map(|p| p.0).collect::<Vec<_>>());
        let (ta, tb) = (tree(&a), tree(&b));
        let (fa, fb) = (ta.refit(|i| ba[i]), tb.refit(|i| bb[i]));
        let (fa, fb) = (Fitted::new(&ta, &fa), Fitted::new(&tb, &fb));
        // Trees round boxes outwards: all that overlap, and none clearly apart.
        let mut got = Vec::new();
        let all = pairs(fa, fb, sweep, 0.01, |i, j| {
            got.push((i, j));
            ControlFlow::Continue(())
        });
        prop_assert!(all.is_continue());
        got.sort_unstable();
        prop_assert!(got.windows(2).all(|w| w[0] != w[1]), "each pair once");
        for i in 0..a.len() {
            for j in 0..b.len() {
                let near = |m: f64| ba[i].overlaps(&bb[j].swept(sweep).inflate(m));
                let found = got.binary_search(&(i, j)).is_ok();
                prop_assert!(found || !near(0.01));
                prop_assert!(!found || near(0.01 + 1e-5));
            }
        }
        let mut got = Vec::new();
        let all = self_pairs(fa, 0.01, |i, j| {
            got.push((i.min(j), i.max(j)));
            ControlFlow::Continue(())
        });
        prop_assert!(all.is_continue());
        got.sort_unstable();
        prop_assert!(got.windows(2).all(|w| w[0] != w[1]), "each pair once");
        for i in 0..a.len() {
            for j in i + 1..a.len() {
                let near = |m: f64| ba[i].overlaps(&ba[j].inflate(m));
                let found = got.binary_search(&(i, j)).is_ok();
                prop_assert!(found || !near(0.01));
                prop_assert!(!found || near(0.01 + 1e-5));
            }
        }
    }
}

#[test]
fn close_sliding_needs_few_ccd_steps() {
    let triangle = [Vec3::ZERO, Vec3::X, Vec3::Z];
    let from = [Vec3::new(0.1, 1e-6, 0.1), triangle[0], triangle[1], triangle[2]];
    let to = [Vec3::new(5.0, 1e-6, 0.1), triangle[0], triangle[1], triangle[2]];
    assert_eq!(time_of_impact(PairKind::VertexFace, &from, &to, 0.0), 1.0);
}

#[test]
fn bvh_finds_exact_pairs_beyond_single_precision() {
    let boxes =
        [0.0, 1.0, 1e50].map(|size: f64| Aabb { min: Vec3::splat(-size), max: Vec3::splat(size) });
    let tree = Tree::new(&[Vec3::ZERO; 3]);
    let fitted = tree.refit(|i| boxes[i]);
    let fitted = Fitted::new(&tree, &fitted);
    let mut found = Vec::new();
    let end = pairs(fitted, fitted, Vec3::ZERO, 1e50, |i, j| {
        found.push([i, j]);
        ControlFlow::Continue(())
    });
    assert!(end.is_continue());
    found.sort_unstable();
    let all: Vec<_> = (0..3).flat_map(|i| [0, 1, 2].map(|j| [i, j])).collect();
    assert_eq!(found, all);
}
