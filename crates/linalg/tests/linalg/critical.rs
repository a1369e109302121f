//! Load factors against closed forms.

use resile_linalg::critical::{CriticalError, CriticalPencil};
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, BlockSink as _, SymmetricBlockMatrix};

/// `a . K b`.
fn product(matrix: &SymmetricBlockMatrix, a: &[Vec3], b: &[Vec3]) -> f64 {
    let mut image = vec![Vec3::ZERO; b.len()];
    matrix.multiply(b, &mut image);
    a.iter().zip(&image).map(|(a, b)| a.dot(*b)).sum()
}

/// A chain of springs between `n` rows and both ends, along each axis of its own stiffness.
fn chain(n: usize, stiffness: Vec3) -> SymmetricBlockMatrix {
    let mut sum = Assembly::new(n);
    sum.begin();
    let block = Mat3::from_diagonal(stiffness);
    for i in 0..n {
        sum.add(i, i, block * 2.0);
        if i > 0 {
            sum.add(i - 1, i, -block);
        }
    }
    sum.end_static();
    sum.finish().clone()
}

/// `loaded = unloaded + G` with `G = -diag(loads)` on every row.
fn under(unloaded: &SymmetricBlockMatrix, loads: Vec3) -> SymmetricBlockMatrix {
    let mut loaded = unloaded.clone();
    for i in 0..loaded.rows() {
        *loaded.diagonal_mut(i) -= Mat3::from_diagonal(loads);
    }
    loaded
}

/// `4 k sin^2(j pi / (2n + 2)) / load` along x and, as often, along y; along z the load is a tension, whose negative factors
/// are of smaller magnitude and are left out.
#[test]
fn factors_of_a_chain_are_those_of_theory_and_its_vectors_orthonormal() {
    let n = 40;
    let unloaded = chain(n, Vec3::new(3.0, 3.0, 1.0));
    let loaded = under(&unloaded, Vec3::new(0.1, 0.1, -5.0));
    let pencil =
        CriticalPencil { unloaded: &unloaded, loaded: &loaded, free: &vec![true; n], guided: &[] };
    let found = pencil.smallest(6).expect("a positive definite matrix");
    assert_eq!(found.len(), 6);
    for (k, pair) in found.iter().enumerate() {
        let angle = (k / 2 + 1) as f64 * std::f64::consts::PI / (2 * n + 2) as f64;
        let exact = 4.0 * 3.0 * angle.sin() * angle.sin() / 0.1;
        assert!((pair.factor / exact - 1.0).abs() < 1e-12, "{k}: {}, not {exact}", pair.factor);
        assert!(pair.residual < 1e-7, "{k}: {}", pair.residual);
        for (l, other) in found.iter().enumerate() {
            let found = product(&unloaded, &pair.vector, &other.vector);
            let exact = if k == l { 1.0 } else { 0.0 };
            assert!((found - exact).abs() < 1e-10, "{k}, {l}: {found}");
        }
    }
}

/// Rows that are held, or guided along z, have no part in a vector; there are as many factors as directions.
#[test]
fn held_and_guided_rows_have_no_part_in_a_vector() {
    let n = 5;
    let unloaded = chain(n + 1, Vec3::new(1.0, 1.0, 2.0));
    let loaded = under(&unloaded, Vec3::splat(0.5));
    let mut free = vec![true; n + 1];
    free[0] = false;
    let along = Mat3::from_diagonal(Vec3::Z);
    let guided: Vec<(usize, Mat3)> = (1..=n).map(|i| (i, along)).collect();
    let pencil =
        CriticalPencil { unloaded: &unloaded, loaded: &loaded, free: &free, guided: &guided };
    let found = pencil.smallest(20).expect("a positive definite matrix");
    assert_eq!(found.len(), n);
    for (j, pair) in found.iter().enumerate() {
        let angle = (j + 1) as f64 * std::f64::consts::PI / (2 * n + 2) as f64;
        let exact = 4.0 * 2.0 * angle.sin() * angle.sin() / 0.5;
        assert!((pair.factor / exact - 1.0).abs() < 1e-12, "{j}: {}, not {exact}", pair.factor);
        assert!(pair.vector.iter().all(|x| x.x == 0.0 && x.y == 0.0));
        assert_eq!(pair.vector[0], Vec3::ZERO);
    }
}

#[test]
fn a_load_without_effect_and_a_matrix_without_a_factor_are_told_apart() {
    let unloaded = chain(4, Vec3::ONE);
    let singular = under(&unloaded, Vec3::splat(10.0));
    let free = vec![true; 4];
    let of = |unloaded, loaded| {
        CriticalPencil { unloaded, loaded, free: &free, guided: &[] }.smallest(1)
    };
    assert_eq!(of(&unloaded, &unloaded), Err(CriticalError::Unchanged));
    assert!(matches!(of(&singular, &unloaded), Err(CriticalError::Direct(_))));
    // Under the opposite load nothing becomes singular.
    let stiffer = under(&unloaded, Vec3::splat(-1.0));
    assert_eq!(of(&unloaded, &stiffer), Ok(Vec::new()));
}
