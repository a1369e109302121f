//! The step bound of quadratic tetrahedra as a proof: determinants in integers, everywhere in the
//! element and at all times up to the bound.

use crate::common::noise;
use proptest::prelude::*;
use resile_energy::{Lame, Material, QuadraticTetElasticity};
use resile_math::Vec3;
use resile_system::{Energy, Path};

/// Node positions, in units of a grid.
type Nodes = [[i128; 3]; 10];

/// Corners of the element at rest, in units of the grid.
const SIZE: i128 = 256;
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Intervals of barycentric coordinates along an edge.
const PARTS: i128 = 12;
/// Units of the fraction of a path.
const TIMES: i128 = 1 << 14;

fn rest() -> Nodes {
    let corners = [[0, 0, 0], [SIZE, 0, 0], [0, SIZE, 0], [0, 0, SIZE]];
    std::array::from_fn(|k| match k {
        0..4 => corners[k],
        _ => {
            let [i, j] = EDGES[k - 4];
            [0, 1, 2].map(|c| (corners[i][c] + corners[j][c]) / 2)
        }
    })
}

/// The same with noise of so many units.
fn shaken(nodes: &Nodes, size: f64, seed: usize) -> Nodes {
    let number = |k: usize, c: usize| (size * noise(3 * (k + 10 * seed) + c)).round() as i128;
    std::array::from_fn(|k| std::array::from_fn(|c| nodes[k][c] + number(k, c)))
}

fn real(nodes: &Nodes) -> Vec<Vec3> {
    nodes.iter().map(|x| Vec3::from_array(x.map(|c| c as f64 / SIZE as f64))).collect()
}

fn body() -> QuadraticTetElasticity {
    let lame = Lame::from_young_poisson(1.0, 0.3).expect("parameters in range");
    let element = [std::array::from_fn(|k| k as u32)];
    QuadraticTetElasticity::new(&real(&rest()), &element, Material::NeoHookean(lame))
        .expect("the rest shape is a proper one")
}

/// `PARTS` times the derivatives of position by `L_k - L_0` at the point of coordinates `l / PARTS`.
fn columns(nodes: &Nodes, l: [i128; 4]) -> [[i128; 3]; 3] {
    let gradient = |i: usize, c: usize| {
        let corner = (4 * l[i] - PARTS) * nodes[i][c];
        let at_edges = EDGES.iter().zip(4..).map(|([a, b], k)| match i {
            _ if i == *a => 4 * l[*b] * nodes[k][c],
            _ if i == *b => 4 * l[*a] * nodes[k][c],
            _ => 0,
        });
        corner + at_edges.sum::<i128>()
    };
    std::array::from_fn(|k| std::array::from_fn(|c| gradient(k + 1, c) - gradient(0, c)))
}

fn determinant([a, b, c]: [[i128; 3]; 3]) -> i128 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// All points of the grid of an element.
fn points() -> impl Iterator<Item = [i128; 4]> {
    (0..=PARTS).flat_map(|i| {
        (0..=PARTS - i)
            .flat_map(move |j| (0..=PARTS - i - j).map(move |k| [PARTS - i - j - k, i, j, k]))
    })
}

/// The smallest determinant in the grid at the time `time / TIMES` of the path, in integers, over
/// that of the rest shape.
fn smallest(from: &Nodes, to: &Nodes, time: i128) -> f64 {
    let at: Nodes = std::array::from_fn(|k| {
        std::array::from_fn(|c| TIMES * from[k][c] + time * (to[k][c] - from[k][c]))
    });
    let smallest = points().map(|l| determinant(columns(&at, l))).min().expect("there are points");
    smallest as f64 / (PARTS * TIMES * SIZE).pow(3) as f64
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: proptest::test_runner::RngSeed::Fixed(46),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// From bent elements, too: `bend` leaves many with negative coefficients.
    #[test]
    fn inversion_bound_is_a_proof_in_integers(
        bend in 0.0f64..60.0, way in 10.0f64..400.0, seed in 0usize..100_000,
    ) {
        let from = shaken(&rest(), bend, 2 * seed);
        let to = shaken(&from, way, 2 * seed + 1);
        let term = body();
        let (start, end) = (real(&from), real(&to));
        let bound = term.step_bound(&[Path { from: &start, to: &end }]);
        prop_assert!((0.0..=1.0).contains(&bound));
        prop_assert_eq!(bound > 0.0, term.inverted(&start).is_empty());
        if bound > 0.0 {
            let last = (bound * TIMES as f64).floor() as i128;
            for time in (0..=20).map(|k| last * k / 20) {
                prop_assert!(smallest(&from, &to, time) > 0.0, "{} of {}", time, last);
            }
            // What the bound allows, the certificate proves.
            let at: Vec<Vec3> =
                start.iter().zip(&end).map(|(a, b)| *a + bound * (*b - *a)).collect();
            let certificate = term.certificate(&at);
            prop_assert!(!certificate.inverted, "{:?}", certificate);
            prop_assert!(certificate.min_det_f <= smallest(&from, &to, last) + 1e-3);
        }
    }

    /// The determinant falls to a tenth of the smallest at the start, or less, soon after the bound.
    #[test]
    fn inversion_bound_is_not_far_too_small(
        bend in 0.0f64..40.0, way in 10.0f64..400.0, seed in 0usize..100_000,
    ) {
        let from = shaken(&rest(), bend, 2 * seed);
        let to = shaken(&from, way, 2 * seed + 1);
        let term = body();
        let (start, end) = (real(&from), real(&to));
        let bound = term.step_bound(&[Path { from: &start, to: &end }]);
        prop_assume!(bound > 0.0 && bound < 0.75);
        let before = smallest(&from, &to, 0);
        let after = smallest(&from, &to, (bound * TIMES as f64 / 0.75).ceil() as i128);
        prop_assert!(after < 0.3 * before, "{} {} {}", bound, before, after);
    }
}

/// The determinant is positive everywhere, but no coefficient of 64 subelements proves it: from the
/// middle of an edge to its ends it grows a thousandfold.
#[test]
fn inversion_of_a_strongly_bent_element_is_excluded_by_subdivision() {
    let mut found = 0;
    for seed in 0..3000 {
        let nodes = shaken(&rest(), 55.0, seed);
        let least = smallest(&nodes, &nodes, 0);
        if least <= 0.0 {
            assert!(!body().inverted(&real(&nodes)).is_empty(), "{seed}");
        } else if least > 2e-3 {
            found += 1;
            assert!(body().inverted(&real(&nodes)).is_empty(), "{seed}: {least}");
        }
    }
    assert!(found > 100, "{found}");
}
