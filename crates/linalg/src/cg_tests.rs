use super::*;
use crate::direct::Cholesky;
use proptest::prelude::*;
use resile_sparse::BlockPattern;
use std::sync::Arc;

/// A symmetric matrix with random blocks; positive definite for `shift` 1.
fn matrix(
    rows: usize,
    pairs: Vec<(u32, u32)>,
    numbers: &[f64],
    shift: f64,
) -> SymmetricBlockMatrix {
    let pairs = pairs.into_iter().map(|(i, j)| (i % rows as u32, j % rows as u32));
    let mut a = SymmetricBlockMatrix::zeros(Arc::new(BlockPattern::new(rows, pairs)));
    let mut weight = vec![1.0; rows];
    for (slot, (i, j)) in a.pattern.clone().pairs().enumerate() {
        let block = Mat3::from_cols_array(&std::array::from_fn(|k| {
            numbers[(9 * slot + k) % numbers.len()]
        }));
        a.blocks[slot] = if i == j { block + block.transpose() } else { block };
        let size: f64 = a.blocks[slot].to_cols_array().iter().map(|x| x.abs()).sum();
        weight[i as usize] += size;
        weight[j as usize] += size;
    }
    for (i, weight) in weight.iter().enumerate() {
        *a.diagonal_mut(i) += Mat3::IDENTITY * (shift * weight);
    }
    a
}

fn right_side(rows: usize, numbers: &[f64]) -> Vec<Vec3> {
    (0..rows).map(|i| Vec3::from_slice(&numbers[3 * i..])).collect()
}

const TIGHT: CgLimits = CgLimits { tolerance: 1e-13, max_iterations: 400 };

proptest! {
    #[test]
    fn cg_solution_equals_that_of_cholesky(
        rows in 1usize..25,
        pairs in prop::collection::vec((0u32..25, 0u32..25), 0..100),
        numbers in prop::collection::vec(-1.0f64..1.0, 800),
    ) {
        let a = matrix(rows, pairs, &numbers, 1.0);
        let b = right_side(rows, &numbers);
        let mut want = vec![Vec3::ZERO; rows];
        let mut cholesky = Cholesky::new();
        cholesky.factorize(&a).unwrap();
        cholesky.solve(&b, &mut want);
        let mut x = vec![Vec3::NAN; rows];
        let mut cg = ConjugateGradients::new();
        let outcome = cg.solve(&a, &mut BlockJacobi::new(&a).unwrap(), &b, &mut x, TIGHT);
        let CgOutcome::Converged { iterations, residual } = outcome else { panic!("{outcome:?}") };
        prop_assert!(iterations <= 400 && residual <= 1e-13);
        for (x, want) in x.iter().zip(&want) {
            prop_assert!((*x - *want).length() < 1e-11, "{} {}", x, want);
        }
    }

    #[test]
    fn negative_curvature_is_reported_exactly_for_indefinite_matrices(
        pairs in prop::collection::vec((0u32..6, 0u32..6), 0..15),
        numbers in prop::collection::vec(-1.0f64..1.0, 300),
        shift in 0.0f64..0.5,
    ) {
        let a = matrix(6, pairs, &numbers, shift);
        let b = right_side(6, &numbers);
        let definite = Cholesky::new().factorize(&a).is_ok();
        let mut x = vec![Vec3::ZERO; 6];
        // A random right-hand side has a part in every eigenvector, so the
        // iteration cannot converge without having seen the negative ones.
        let outcome = BlockJacobi::new(&a)
            .map(|mut inverse| ConjugateGradients::new().solve(&a, &mut inverse, &b, &mut x, TIGHT));
        match outcome {
            Err(_) => prop_assert!(!definite),
            Ok(CgOutcome::NegativeCurvature { curvature, .. }) => {
                prop_assert!(!definite && curvature <= 0.0);
            }
            Ok(_) => prop_assert!(definite, "{:?}", outcome),
        }
    }
}

#[test]
fn block_diagonal_matrix_converges_in_one_iteration() {
    let numbers: Vec<f64> = (0..300).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let a = matrix(30, vec![], &numbers, 1.0);
    let b = right_side(30, &numbers);
    let mut x = b.clone();
    let outcome =
        ConjugateGradients::new().solve(&a, &mut BlockJacobi::new(&a).unwrap(), &b, &mut x, TIGHT);
    assert_eq!(outcome.iterations(), 1, "{outcome:?}");
}

#[test]
fn stagnation_reports_the_true_residual() {
    let n = 40;
    let mut a = matrix(n, (0..39).map(|i| (i, i + 1)).collect(), &[0.0], 0.0);
    for (slot, (i, j)) in a.pattern.clone().pairs().enumerate() {
        a.blocks[slot] = Mat3::IDENTITY * if i == j { 2.0 } else { -1.0 };
    }
    let b = vec![Vec3::ONE; n];
    let mut x = b.clone();
    let limits = CgLimits { tolerance: 1e-10, max_iterations: 5 };
    let outcome =
        ConjugateGradients::new().solve(&a, &mut BlockJacobi::new(&a).unwrap(), &b, &mut x, limits);
    let CgOutcome::Stagnated { iterations: 5, residual } = outcome else { panic!("{outcome:?}") };
    let mut r = vec![Vec3::ZERO; n];
    a.multiply(&x, &mut r);
    r.iter_mut().zip(&b).for_each(|(r, b)| *r -= *b);
    let expected = (dot(&r, &r) / dot(&b, &b)).sqrt();
    assert!((residual - expected).abs() < 1e-12 * expected, "{residual} {expected}");
}

#[test]
fn nan_never_counts_as_converged() {
    let mut a = matrix(5, vec![(0, 1), (2, 3)], &[0.3, -0.4], 1.0);
    let mut x = vec![Vec3::ZERO; 5];
    let mut cg = ConjugateGradients::new();
    let nan = [Vec3::NAN; 5];
    for b in [&[Vec3::ONE; 5], &nan] {
        let slot = a.pattern.find(0, 1).unwrap();
        a.blocks[slot] = Mat3::NAN;
        let outcome = cg.solve(&a, &mut BlockJacobi::new(&a).unwrap(), b, &mut x, TIGHT);
        assert!(matches!(outcome, CgOutcome::NegativeCurvature { .. }), "{outcome:?}");
    }
}

#[test]
fn interrupt_ends_the_iterations() {
    let a = matrix(20, (0..19).map(|i| (i, i + 1)).collect(), &[0.3; 9], 0.6);
    let b = right_side(20, &[1.0; 60]);
    for tolerance in [1e-2, 1e-12] {
        let mut cg = ConjugateGradients::new();
        let interrupt = Interrupt::new();
        cg.set_interrupt(&interrupt);
        interrupt.raise(resile_watch::Cause::Asked);
        let mut x = vec![Vec3::ZERO; 20];
        let limits = CgLimits { tolerance, ..TIGHT };
        let outcome = cg.solve(&a, &mut BlockJacobi::new(&a).unwrap(), &b, &mut x, limits);
        assert_eq!(outcome, CgOutcome::Interrupted { iterations: 0 });
    }
}
