use super::*;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use resile_math::Mat3;

fn dense(a: &SymmetricBlockMatrix) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(3 * a.rows(), 3 * a.rows());
    for ((i, j), block) in a.pattern.pairs().zip(&a.blocks) {
        for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
            out[(3 * i as usize + r, 3 * j as usize + c)] = block.col(c)[r];
            out[(3 * j as usize + c, 3 * i as usize + r)] = block.col(c)[r];
        }
    }
    out
}

fn flat(x: &[Vec3]) -> DVector<f64> {
    DVector::from_iterator(3 * x.len(), x.iter().flat_map(Vec3::to_array))
}

/// A symmetric matrix over `pattern`; positive definite for `shift` 1.
fn matrix(pattern: &Arc<BlockPattern>, numbers: &[f64], shift: f64) -> SymmetricBlockMatrix {
    let mut a = SymmetricBlockMatrix::zeros(pattern.clone());
    let mut weight = vec![0.0; pattern.rows()];
    for (slot, (i, j)) in pattern.pairs().enumerate() {
        let at = |k: usize| numbers[(9 * slot + k) % numbers.len()];
        let block = Mat3::from_cols_array(&std::array::from_fn(at));
        a.blocks[slot] = if i == j { block + block.transpose() } else { block };
        let size: f64 = a.blocks[slot].to_cols_array().iter().map(|x| x.abs()).sum();
        weight[i as usize] += size;
        weight[j as usize] += size;
    }
    for (i, weight) in weight.iter().enumerate() {
        *a.diagonal_mut(i) += Mat3::IDENTITY * (shift * (weight + 1.0));
    }
    a
}

fn assert_solves(cholesky: &mut Cholesky, a: &SymmetricBlockMatrix, b: &[Vec3]) {
    cholesky.factorize(a).unwrap();
    let mut x = vec![Vec3::ZERO; a.rows()];
    cholesky.solve(b, &mut x);
    let expected =
        dense(a).cholesky().expect("the oracle agrees that it is definite").solve(&flat(b));
    assert!((flat(&x) - &expected).amax() <= 1e-12 * (1.0 + expected.amax()), "{x:?} {expected}");
}

fn right_side(rows: usize, numbers: &[f64]) -> Vec<Vec3> {
    let at = |k: usize| numbers[k % numbers.len()];
    (0..rows).map(|i| Vec3::new(at(7 * i), at(7 * i + 1), at(7 * i + 2))).collect()
}

/// The factor of the matrix that was factorised last, permuted by faer.
fn factor_of_faer(cholesky: &mut Cholesky) -> Vec<f64> {
    let lower = plan::lower_triangle(&cholesky.plans[0].pattern, 3);
    let symbolic = &cholesky.plans[0].symbolic().expect("it was computed").cholesky;
    let mut factor = vec![0.0; symbolic.len_val()];
    let request = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, faer::Spec::default());
    let factorised = symbolic.factorize_numeric_llt(
        &mut factor,
        SparseColMatRef::new(lower.as_ref(), &cholesky.values),
        faer::Side::Lower,
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(request)),
        faer::Spec::default(),
    );
    assert!(factorised.is_ok(), "it is positive definite");
    factor
}

#[test]
fn empty_matrix_has_a_factor() {
    let a = SymmetricBlockMatrix::<Mat3>::zeros(Arc::new(BlockPattern::new(0, [])));
    let mut cholesky = Cholesky::new();
    cholesky.factorize(&a).expect("it is positive definite");
    cholesky.solve(&[], &mut []);
}

proptest! {
    #[test]
    fn factor_is_bitwise_that_of_a_matrix_permuted_by_faer(
        rows in 1usize..30,
        pairs in prop::collection::vec((0u32..30, 0u32..30), 0..120),
        numbers in prop::collection::vec(-1.0f64..1.0, 900),
    ) {
        let pairs = pairs.into_iter().map(|(i, j)| (i % rows as u32, j % rows as u32));
        let a = matrix(&Arc::new(BlockPattern::new(rows, pairs)), &numbers, 1.0);
        let mut cholesky = Cholesky::new();
        cholesky.factorize(&a).expect("it is positive definite");
        let expected = factor_of_faer(&mut cholesky);
        prop_assert!(cholesky.factor.iter().zip(&expected).all(|(x, y)| x.to_bits() == y.to_bits()));
        prop_assert_eq!(cholesky.factor.len(), expected.len());
    }

    #[test]
    fn solutions_equal_those_of_dense_cholesky(
        rows in 1usize..30,
        pairs in prop::collection::vec((0u32..30, 0u32..30), 0..120),
        numbers in prop::collection::vec(-1.0f64..1.0, 900),
    ) {
        let pairs = pairs.into_iter().map(|(i, j)| (i % rows as u32, j % rows as u32));
        let a = matrix(&Arc::new(BlockPattern::new(rows, pairs)), &numbers, 1.0);
        assert_solves(&mut Cholesky::new(), &a, &right_side(rows, &numbers));
    }

    #[test]
    fn definiteness_verdict_equals_that_of_dense_cholesky(
        pairs in prop::collection::vec((0u32..8, 0u32..8), 0..20),
        numbers in prop::collection::vec(-1.0f64..1.0, 300),
        shift in 0.0f64..0.6,
    ) {
        let a = matrix(&Arc::new(BlockPattern::new(8, pairs)), &numbers, shift);
        let smallest = dense(&a).symmetric_eigenvalues().min();
        prop_assume!(smallest.abs() > 1e-9);
        prop_assert_eq!(Cholesky::new().factorize(&a).is_ok(), smallest > 0.0);
    }
}

/// Neighbours along the axes and the diagonals of a box of nodes.
fn grid(n: [u32; 3]) -> Arc<BlockPattern> {
    let id = move |x: u32, y: u32, z: u32| (x * n[1] + y) * n[2] + z;
    let mut pairs = Vec::new();
    for (x, y, z) in
        (0..n[0]).flat_map(|x| (0..n[1]).flat_map(move |y| (0..n[2]).map(move |z| (x, y, z))))
    {
        for d in 1..8 {
            let (a, b, c) = (x + (d & 1), y + (d >> 1 & 1), z + (d >> 2));
            if a < n[0] && b < n[1] && c < n[2] {
                pairs.push((id(x, y, z), id(a, b, c)));
            }
        }
    }
    Arc::new(BlockPattern::new((n[0] * n[1] * n[2]) as usize, pairs))
}

fn numbers() -> Vec<f64> {
    (0..1001u32)
        .map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 8_388_608.0 - 1.0)
        .collect()
}

#[test]
fn large_supernodal_factor_solves_to_rounding() {
    let a = matrix(&grid([7, 6, 5]), &numbers(), 0.6);
    assert_solves(&mut Cholesky::new(), &a, &right_side(a.rows(), &numbers()));
}

#[test]
fn cached_plans_do_not_change_solutions() {
    let patterns = [
        grid([4, 3, 3]),
        grid([5, 4, 2]),
        grid([2, 2, 2]),
        grid([3, 3, 3]),
        grid([6, 2, 1]),
        Arc::new((*grid([4, 3, 3])).clone()),
    ];
    let numbers = numbers();
    let mut cholesky = Cholesky::new();
    for round in 0..40usize {
        let pattern = &patterns[(round * round + round / 3) % patterns.len()];
        let a = matrix(pattern, &numbers[round..], 1.0);
        assert_solves(&mut cholesky, &a, &right_side(a.rows(), &numbers));
        assert!(cholesky.plans.len() <= MAX_PLANS);
    }
}

#[test]
fn equal_pattern_at_another_address_reuses_its_plan() {
    let mut cholesky = Cholesky::new();
    let pattern = grid([4, 3, 3]);
    cholesky.factorize(&matrix(&pattern, &numbers(), 1.0)).unwrap();
    cholesky.factorize(&matrix(&Arc::new((*pattern).clone()), &numbers(), 1.0)).unwrap();
    assert_eq!(cholesky.plans.len(), 1);
}

#[test]
fn solution_is_independent_of_node_numbering() {
    let a = matrix(&grid([4, 4, 3]), &numbers(), 1.0);
    let rows = a.rows() as u32;
    let renumber = |i: u32| (i * 31 + 5) % rows;
    let pairs = a.pattern.pairs().map(|(i, j)| (renumber(i), renumber(j)));
    let mut moved = SymmetricBlockMatrix::zeros(Arc::new(BlockPattern::new(a.rows(), pairs)));
    for ((i, j), block) in a.pattern.pairs().zip(&a.blocks) {
        let (k, l) = (renumber(i), renumber(j));
        let (slot, block) = if k <= l {
            (moved.pattern.find(k, l).unwrap(), *block)
        } else {
            (moved.pattern.find(l, k).unwrap(), block.transpose())
        };
        moved.blocks[slot] = block;
    }
    let b = right_side(a.rows(), &numbers());
    let mut moved_b = b.clone();
    (0..rows).for_each(|i| moved_b[renumber(i) as usize] = b[i as usize]);
    let (mut x, mut moved_x) = (b.clone(), b.clone());
    let mut cholesky = Cholesky::new();
    cholesky.factorize(&a).unwrap();
    cholesky.solve(&b, &mut x);
    cholesky.factorize(&moved).unwrap();
    cholesky.solve(&moved_b, &mut moved_x);
    for i in 0..rows {
        assert!((x[i as usize] - moved_x[renumber(i) as usize]).length() < 1e-14);
    }
}

#[test]
fn indefinite_and_nan_matrices_are_rejected_and_the_solver_stays_usable() {
    for pattern in [grid([2, 1, 1]), grid([6, 6, 6])] {
        let mut cholesky = Cholesky::new();
        let valid = matrix(&pattern, &numbers(), 1.0);
        for poison in [-1e9, 0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for node in [0, valid.rows() / 2, valid.rows() - 1] {
                let mut bad = valid.clone();
                *bad.diagonal_mut(node) = Mat3::from_diagonal(Vec3::new(1.0, poison, 1.0));
                let refused = Err(DirectError::NotPositiveDefinite { rows: valid.rows() });
                assert_eq!(cholesky.factorize(&bad), refused, "{poison} at {node}");
            }
        }
        assert_solves(&mut cholesky, &valid, &right_side(valid.rows(), &numbers()));
    }
}

#[test]
fn solver_is_send() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Cholesky::<Mat3>::new());
}

#[cfg(feature = "host")]
#[test]
fn factorisation_on_a_helper_thread_has_equal_bits_and_can_be_interrupted() {
    let pattern = grid([18, 18, 18]);
    let numbers: Vec<f64> = (0..997).map(|k| (f64::from(k) * 0.7).sin()).collect();
    let (a, b) = (matrix(&pattern, &numbers, 1.0), right_side(pattern.rows(), &numbers));
    let mut cholesky = Cholesky::new();
    assert!(cholesky.predict(&pattern).unwrap().flops > helper_thread::MIN_HELPER_THREAD_FLOPS);
    let solved = |cholesky: &mut Cholesky, factorize: &mut dyn FnMut(&mut Cholesky)| {
        factorize(cholesky);
        let mut x = vec![Vec3::ZERO; b.len()];
        cholesky.solve(&b, &mut x);
        x
    };
    let helper_thread = solved(&mut cholesky, &mut |cholesky| cholesky.factorize(&a).unwrap());
    let here = solved(&mut cholesky, &mut |cholesky| cholesky.factorize_values(a.rows()).unwrap());
    assert_eq!(helper_thread, here);

    let interrupt = Interrupt::new();
    cholesky.set_interrupt(&interrupt);
    interrupt.raise(resile_watch::Cause::Asked);
    assert_eq!(cholesky.factorize(&a), Err(DirectError::Interrupted));
    interrupt.lower(resile_watch::Cause::Asked);
    assert_eq!(solved(&mut cholesky, &mut |cholesky| cholesky.factorize(&a).unwrap()), here);
}

/// A matrix of numbers represents blocks that are multiples of the identity.
#[test]
fn scalar_factor_solves_three_components_like_the_block_factor() {
    for size in [[2, 1, 1], [5, 4, 3], [9, 8, 7]] {
        let pattern = grid(size);
        let blocks = matrix(&pattern, &numbers(), 0.6);
        let mut scalars = SymmetricBlockMatrix::<f64>::zeros(pattern.clone());
        let mut multiples = SymmetricBlockMatrix::<Mat3>::zeros(pattern.clone());
        for (k, block) in blocks.blocks.iter().enumerate() {
            scalars.blocks[k] = block.x_axis.x;
            multiples.blocks[k] = Mat3::from_diagonal(Vec3::splat(block.x_axis.x));
        }
        let b = right_side(pattern.rows(), &numbers());
        let (mut one, mut all) = (Cholesky::<f64>::new(), Cholesky::<Mat3>::new());
        one.factorize(&scalars).unwrap();
        all.factorize(&multiples).unwrap();
        let (mut x, mut expected) = (vec![Vec3::ZERO; b.len()], vec![Vec3::ZERO; b.len()]);
        one.solve(&b, &mut x);
        all.solve(&b, &mut expected);
        let error = (flat(&x) - flat(&expected)).amax();
        assert!(error <= 1e-13 * flat(&expected).amax(), "{size:?}: {error}");
    }
}
