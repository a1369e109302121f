//! Matrices of rank one beside blocks: products, solutions and restrictions, against the filled matrix.

use resile_linalg::cg::{BlockJacobi, CgLimits, CgOutcome, ConjugateGradients, Preconditioned};
use resile_linalg::direct::{Cholesky, DirectError};
use resile_linalg::two_level::{Layout, TwoLevel};
use resile_math::{Mat3, Vec3, outer};
use resile_sparse::{Assembly, BlockSink, Dyad, NO_ROW, SymmetricBlockMatrix};

const ROWS: usize = 60;

/// Springs along a chain with masses, and two dyads on overlapping rows.
fn sum(weights: [f64; 2]) -> Assembly {
    let mut sum = Assembly::new(ROWS);
    sum.begin();
    for i in 0..ROWS {
        sum.add(i, i, Mat3::IDENTITY * 3.0);
        if i > 0 {
            sum.add(i - 1, i, -Mat3::IDENTITY);
        }
    }
    sum.end_static();
    for (first, weight) in [3, 20].into_iter().zip(weights) {
        let entry = |i: usize| (i, Vec3::new((1.7 * i as f64).sin(), 0.4, (0.3 * i as f64).cos()));
        assert!(sum.add_dyad(weight, &(first..first + 30).map(entry).collect::<Vec<_>>()));
    }
    sum.finish();
    sum
}

/// The same with blocks in place of dyads.
fn filled(a: &SymmetricBlockMatrix) -> SymmetricBlockMatrix {
    let mut sum = Assembly::new(a.rows());
    sum.begin();
    for ((i, j), block) in a.pattern.pairs().zip(&a.blocks) {
        sum.add(i as usize, j as usize, *block);
    }
    for dyad in &a.dyads {
        for (k, &(i, a)) in dyad.entries.iter().enumerate() {
            for &(j, b) in &dyad.entries[k..] {
                sum.add(i, j, outer(a, b) * dyad.weight);
            }
        }
    }
    sum.finish().clone()
}

fn along(dyad: &Dyad, x: &[Vec3]) -> f64 {
    dyad.entries.iter().map(|&(i, a)| a.dot(x[i])).sum()
}

fn right_side() -> Vec<Vec3> {
    (0..ROWS).map(|i| Vec3::new((i % 7) as f64, (i % 3) as f64 - 1.0, 0.5)).collect()
}

fn differ(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

#[test]
fn products_and_solutions_are_those_of_the_filled_matrix() {
    let sum = sum([40.0, 3e5]);
    let (a, whole) = (sum.matrix(), filled(sum.matrix()));
    let b = right_side();
    let [mut x, mut y] = [vec![Vec3::ZERO; ROWS], vec![Vec3::ZERO; ROWS]];
    a.multiply(&b, &mut x);
    whole.multiply(&b, &mut y);
    assert!(differ(&x, &y) < 1e-12 * y.iter().map(|y| y.length()).fold(0.0, f64::max));

    let mut cholesky = Cholesky::new();
    cholesky.factorize(&whole).expect("positive definite");
    cholesky.solve(&b, &mut y);
    cholesky.factorize(a).expect("positive definite");
    cholesky.solve(&b, &mut x);
    assert!(differ(&x, &y) < 1e-9, "{}", differ(&x, &y));
    // The next matrix without dyads knows nothing of them.
    let plain = SymmetricBlockMatrix { dyads: Vec::new(), ..a.clone() };
    cholesky.factorize(&plain).expect("positive definite");
    cholesky.solve(&b, &mut y);
    assert!(differ(&x, &y) > 1e-2);
}

#[test]
fn conjugate_gradients_find_the_same_in_less_than_three_times_the_iterations() {
    let sum = sum([40.0, 3e5]);
    let (a, b) = (sum.matrix(), right_side());
    let mut exact = vec![Vec3::ZERO; ROWS];
    let mut cholesky = Cholesky::new();
    cholesky.factorize(a).expect("positive definite");
    cholesky.solve(&b, &mut exact);
    let plain = SymmetricBlockMatrix { dyads: Vec::new(), ..a.clone() };
    let positions: Vec<Vec3> = (0..ROWS).map(|i| Vec3::X * i as f64).collect();
    let pattern = sum.static_pattern();
    let layout = Layout { pattern, free: &[true; ROWS], positions: &positions, stiff: &[] };
    let limits = CgLimits { tolerance: 1e-10, max_iterations: 400 };
    let mut jacobi = BlockJacobi::new(a).expect("positive definite");
    let mut jacobi_plain = BlockJacobi::new(&plain).expect("positive definite");
    let [mut levels, mut levels_plain] = [TwoLevel::new(), TwoLevel::new()];
    levels.prepare(a, &layout).expect("positive definite");
    levels_plain.prepare(&plain, &layout).expect("positive definite");
    let solve = |a: &SymmetricBlockMatrix, inverse: &mut dyn Preconditioned| {
        let mut x = vec![Vec3::ZERO; ROWS];
        let outcome = ConjugateGradients::new().solve_matrix(a, inverse, &b, &mut x, limits);
        assert!(matches!(outcome, CgOutcome::Converged { .. }), "{outcome:?}");
        (x, outcome.iterations())
    };
    let few = [solve(&plain, &mut jacobi_plain).1, solve(&plain, &mut levels_plain).1];
    let found = [solve(a, &mut jacobi), solve(a, &mut levels)];
    for ((x, iterations), few) in found.into_iter().zip(few) {
        assert!(differ(&x, &exact) < 1e-7, "{}", differ(&x, &exact));
        assert!(iterations < 3 * few, "{iterations} iterations, {few} without dyads");
    }
}

#[test]
fn a_dyad_that_takes_the_definiteness_is_refused() {
    let refused = Cholesky::new().factorize(sum([-40.0, 1.0]).matrix());
    assert!(matches!(refused, Err(DirectError::NotPositiveDefinite { .. })), "{refused:?}");
    Cholesky::new().factorize(sum([-1e-3, 1.0]).matrix()).expect("positive definite");
}

#[test]
fn a_constrained_dyad_acts_in_free_directions_alone() {
    let mut a = sum([40.0, 2.0]).matrix().clone();
    let mut whole = filled(&a);
    let mut free = vec![true; ROWS];
    (free[5], free[30]) = (false, false);
    let normal = Vec3::new(0.6, 0.0, 0.8);
    let guided = [(10, Mat3::IDENTITY - outer(normal, normal))];
    a.constrain(&free, &guided);
    whole.constrain(&free, &guided);
    let mut b = right_side();
    (b[5], b[30], b[10]) = (Vec3::ZERO, Vec3::ZERO, guided[0].1 * b[10]);
    let [mut x, mut y] = [vec![Vec3::ZERO; ROWS], vec![Vec3::ZERO; ROWS]];
    a.multiply(&b, &mut x);
    whole.multiply(&b, &mut y);
    assert!(differ(&x, &y) < 1e-10, "{}", differ(&x, &y));
}

#[test]
fn the_majorant_is_not_below_the_dyad() {
    let sum = sum([40.0, 2.0]);
    let dyad = &sum.matrix().dyads[0];
    for seed in 1..20 {
        let x: Vec<Vec3> = (0..ROWS)
            .map(|i| Vec3::new((seed * i) as f64, 1.3 * i as f64, 0.7 * (seed + i) as f64))
            .map(|x| Vec3::new(x.x.sin(), x.y.cos(), x.z.sin()))
            .collect();
        let own = dyad.weight * along(dyad, &x).powi(2);
        let bound: f64 = dyad.majorant().map(|(i, block)| x[i].dot(block * x[i])).sum();
        assert!(bound >= own, "{bound} < {own}");
    }
    // Along the directions of the entries it is the dyad itself.
    let mut x = vec![Vec3::ZERO; ROWS];
    dyad.entries.iter().for_each(|&(i, a)| x[i] = a.normalize());
    let own = dyad.weight * along(dyad, &x).powi(2);
    let bound: f64 = dyad.majorant().map(|(i, block)| x[i].dot(block * x[i])).sum();
    assert!((bound - own).abs() < 1e-10 * own, "{bound}, {own}");
}

#[test]
fn a_renumbered_assembly_maps_the_rows_of_dyads_and_the_next_evaluation_has_none() {
    let mut sum = Assembly::<Mat3>::new(2);
    sum.begin();
    let rows = std::sync::Arc::from([NO_ROW, 1, 0]);
    sum.renumbered(&rows, |sum| {
        sum.add_dyad(2.0, &[(0, Vec3::X), (1, Vec3::Y), (2, Vec3::Z)]);
    });
    assert_eq!(sum.finish().dyads[0].entries, [(1, Vec3::Y), (0, Vec3::Z)]);
    sum.begin();
    assert!(sum.finish().dyads.is_empty());
}
