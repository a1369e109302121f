//! Growth of the cost of piles.

use resile_study::growth::{GrowthPlan, Pile, Series, exponent, exponents, measure, table};

#[test]
fn exponents_are_those_of_power_laws() {
    for power in [-1.0, 0.0, 1.07, 1.67] {
        let points: Vec<[f64; 2]> =
            [8.0, 64.0, 512.0, 4096.0].iter().map(|n: &f64| [*n, 0.3 * n.powf(power)]).collect();
        assert!((exponent(&points).unwrap() - power).abs() < 1e-12);
    }
}

#[test]
fn exponents_are_of_least_squares() {
    // Equal factors above and below the line at both ends cancel: `cost = size` fits best.
    let points = [[1.0, 2.0], [1.0, 0.5], [100.0, 200.0], [100.0, 50.0]];
    assert!((exponent(&points).unwrap() - 1.0).abs() < 1e-12);
    // Of three equally spaced points the middle one does not affect the slope.
    let bent = [[1.0, 1.0], [10.0, 1e3], [100.0, 1e4]];
    assert!((exponent(&bent).unwrap() - 2.0).abs() < 1e-12);
}

#[test]
fn one_size_and_costs_of_zero_have_no_exponent() {
    for points in [&[][..], &[[8.0, 1.0]], &[[8.0, 1.0], [8.0, 2.0]], &[[8.0, 0.0], [64.0, 1.0]]] {
        assert_eq!(exponent(points), None, "{points:?}");
    }
}

#[test]
fn counts_of_a_small_pile_repeat_and_grow_with_it() {
    let affine = |edge| Pile { series: Series::AffineBodies, edge, cells: None };
    let fine = Pile { series: Series::Resolution, edge: 2, cells: Some(1) };
    let extent = GrowthPlan { piles: vec![affine(2), affine(4), fine], steps: 7..=9 };
    let first = measure(&extent, &|_| {}).unwrap();
    let counts = |entries: &[resile_study::growth::GrowthEntry]| -> Vec<[f64; 4]> {
        let of = |e: &resile_study::growth::GrowthEntry| {
            [e.iterations, e.part_iterations, e.halvings, e.contacts]
        };
        entries.iter().map(of).collect()
    };
    let found = counts(&first);
    assert_eq!(found, counts(&measure(&extent, &|_| {}).unwrap()));
    assert!(found[1][0] > found[0][0], "more islands take more iterations: {found:?}");
    assert_eq!(table(&first).rows.len(), 3);
    assert!(first.iter().all(|e| e.failure.is_none() && e.milliseconds > 0.0));
    let sizes: Vec<u64> = first.iter().map(|e| e.pile.size()).collect();
    assert_eq!(sizes, [8, 64, 48]);
    assert_eq!(exponents(&first).rows.len(), 2, "no solid bodies of different number");
}
