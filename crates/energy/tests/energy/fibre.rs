//! Fibre-reinforced material: what it owes to mechanics, to its fibres and to its matrix.

use crate::common::*;
use nalgebra::{DMatrix, Matrix6};
use proptest::prelude::*;
use resile_energy::{Fibre, FibreError, Lame, Material, QuadraticTetElasticity};
use resile_math::{Mat3, Vec3};
use resile_mesh::TetMesh;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};

/// Step of differences (m) in elements of size one: a short one, as the exponential has large
/// fifth derivatives.
const EPS: f64 = 2e-4;
const K1: f64 = 2.0;
const K2: f64 = 0.7;
const ALONG: Vec3 = Vec3::new(2.0, -1.0, 0.5);

fn fibre(stiffness: f64, exponent: f64, direction: Vec3) -> Material {
    Material::Fibre(Fibre::new(lame(), stiffness, exponent, direction).expect("in range"))
}

fn stiff() -> Material {
    fibre(K1, K2, ALONG)
}

fn matrix() -> Material {
    Material::NeoHookean(lame())
}

/// psi at F.
fn psi(material: Material, f: Mat3) -> f64 {
    6.0 * body(&corner(), material).value(0.0, &corner_at(f))
}

/// dpsi/dF.
fn stress(material: Material, f: Mat3) -> Mat3 {
    let g = gradient(&body(&corner(), material), &corner_at(f));
    Mat3::from_cols(g[1], g[2], g[3]) * 6.0
}

/// d2psi/dF2, rows and columns by columns of F.
fn tangent(material: Material, f: Mat3, psd: Psd) -> DMatrix<f64> {
    let k = hessian(&body(&corner(), material), &corner_at(f), psd);
    k.view((3, 3), (9, 9)) * 6.0
}

fn square_along(f: &Mat3) -> f64 {
    (*f * ALONG.normalize()).length_squared()
}

/// Stretches the direction of the fibres by `along` and what is across it by `across`.
fn stretch(along: f64, across: f64) -> Mat3 {
    let a = ALONG.normalize();
    Mat3::IDENTITY * across + resile_math::outer(a, a) * (along - across)
}

fn distance(a: &Mat3, b: &Mat3) -> f64 {
    (*a - *b).to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn fibre_derivatives_agree_with_differences_in_tension_and_in_compression() {
    let mesh = grid(2, 1, 1);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    for (name, f, bears) in [
        ("stretched", stretch(1.6, 0.9), true),
        ("a little stretched", stretch(1.15, 1.0), true),
        ("compressed", stretch(0.6, 1.2), false),
    ] {
        let x = deformed(&mesh.0, turn * f, 0.01);
        let linear = body(&mesh, stiff());
        let without = body(&mesh, matrix()).value(0.0, &x);
        assert_eq!(
            linear.value(0.0, &x) > without,
            bears,
            "{name}: the fibres are active, or slack"
        );
        let quadratic = TetMesh { positions: mesh.0.clone(), tets: mesh.1.clone() }.quadratic();
        let start = deformed(&quadratic.positions, turn * f, 0.01);
        let quadratic =
            QuadraticTetElasticity::new(&quadratic.positions, &quadratic.elements, stiff())
                .expect("the mesh is a proper one");
        for (energy, x) in [(&linear as &dyn Energy, &x), (&quadratic, &start)] {
            let errors = energy_derivatives(energy, x, EPS).expect("strained and admissible");
            assert!(errors.gradient < 1e-8 && errors.hessian < 1e-8, "{name}: {errors:?}");
        }
    }
}

#[test]
fn fibre_energy_is_that_of_its_formula_for_small_and_large_exponents() {
    for exponent in [0.0, 1e-9, 1e-3, 0.2, 1.0, 30.0] {
        for along in [0.7, 1.0, 1.0 + 1e-6, 1.03, 1.2, 1.5] {
            let f = stretch(along, 0.95);
            let e = (square_along(&f) - 1.0).max(0.0);
            let x = exponent * e * e;
            let ratio = if x == 0.0 { 1.0 } else { x.exp_m1() / x };
            let expected = psi(matrix(), f) + 0.5 * K1 * e * e * ratio;
            let value = psi(fibre(K1, exponent, ALONG), f);
            assert!(
                (value - expected).abs() < 1e-14 * expected.max(1.0),
                "{exponent} {along}: {value} {expected}"
            );
        }
    }
}

#[test]
fn fibre_stress_is_continuous_where_fibres_begin_to_bear_and_stiffness_jumps_by_four_k1() {
    let a = ALONG.normalize();
    let along = |f: &Mat3| {
        let k = tangent(stiff(), *f, Psd::Exact) - tangent(matrix(), *f, Psd::Exact);
        let d = DMatrix::from_column_slice(9, 1, &resile_math::outer(a, a).to_cols_array());
        (d.transpose() * k * d)[(0, 0)]
    };
    for size in [1e-3, 1e-6] {
        let (slack, taut) = (stretch(1.0 - size, 1.0), stretch(1.0 + size, 1.0));
        let jump = distance(&stress(stiff(), slack), &stress(stiff(), taut));
        assert!(jump < 20.0 * size, "{jump}");
        assert_eq!(along(&slack), 0.0);
        assert!((along(&taut) - 4.0 * K1).abs() < 40.0 * size, "{}", along(&taut));
    }
}

/// Stress by strain in Voigt's order 11, 22, 33, 23, 13, 12 with engineering shears, at rest.
fn moduli(material: Material, f: Mat3) -> Matrix6<f64> {
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
    let k = tangent(material, f, Psd::Exact);
    Matrix6::from_fn(|i, j| {
        let ((p, q), (r, s)) = (PAIRS[i], PAIRS[j]);
        k[(3 * q + p, 3 * s + r)]
    })
}

#[test]
fn fibre_small_strain_moduli_are_those_of_transverse_isotropy() {
    let (young, poisson) = (3.0, 0.35);
    assert_eq!(Lame::from_young_poisson(young, poisson), Ok(lame()));
    // Barely stretched: the moduli in tension, to the size of the stretch.
    let f = Mat3::from_diagonal(Vec3::new(1.0 + 1e-9, 1.0, 1.0));
    let compliance = moduli(fibre(K1, K2, Vec3::X), f).try_inverse().expect("stable at rest");
    let along = young + 4.0 * K1;
    let across = young / (1.0 - 4.0 * K1 * poisson * poisson / along);
    let shear = young / (2.0 * (1.0 + poisson));
    let mut expected = Matrix6::zeros();
    expected[(0, 0)] = 1.0 / along;
    expected[(1, 1)] = 1.0 / across;
    expected[(2, 2)] = 1.0 / across;
    // nu_LT/E_L = nu_TL/E_T, with the Poisson's ratio of the matrix along the fibres.
    for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
        expected[(i, j)] = -poisson / along;
    }
    // G_T = mu = E_T / (2 (1 + nu_T)) across the fibres, and the same mu along them.
    let transverse = across / (2.0 * shear) - 1.0;
    expected[(1, 2)] = -transverse / across;
    expected[(2, 1)] = expected[(1, 2)];
    (3..6).for_each(|k| expected[(k, k)] = 1.0 / shear);
    assert!((compliance - expected).abs().max() < 1e-7, "{compliance} {expected}");

    // In compression along the fibres it is the matrix.
    let slack =
        moduli(fibre(K1, K2, Vec3::X), Mat3::from_diagonal(Vec3::new(1.0 - 1e-9, 1.0, 1.0)));
    let own = moduli(matrix(), Mat3::IDENTITY);
    assert!((slack - own).abs().max() < 1e-7);
}

#[test]
fn fibre_without_stiffness_is_the_matrix_to_the_bit() {
    let mesh = grid(2, 1, 1);
    let x = deformed(&mesh.0, stretch(1.4, 0.9), 0.05);
    // An exponent that would overflow.
    let (none, own) = (body(&mesh, fibre(0.0, 1e6, ALONG)), body(&mesh, matrix()));
    assert_eq!(none.value(0.0, &x), own.value(0.0, &x));
    assert_eq!(gradient(&none, &x), gradient(&own, &x));
    for psd in [Psd::Exact, Psd::Clamp] {
        assert_eq!(hessian(&none, &x, psd), hessian(&own, &x, psd));
    }
}

#[test]
fn invalid_fibre_parameters_are_rejected_with_their_value() {
    for wrong in [-1.0, f64::INFINITY] {
        let refused = Fibre::new(lame(), wrong, 1.0, Vec3::X);
        assert_eq!(refused, Err(FibreError::Stiffness { stiffness: wrong }));
        let refused = Fibre::new(lame(), 1.0, wrong, Vec3::X);
        assert_eq!(refused, Err(FibreError::Exponent { exponent: wrong }));
    }
    for direction in [Vec3::ZERO, Vec3::new(f64::INFINITY, 0.0, 0.0)] {
        let refused = Fibre::new(lame(), 1.0, 1.0, direction);
        assert_eq!(refused, Err(FibreError::Direction { direction }));
    }
    assert!(Fibre::new(lame(), f64::NAN, 1.0, Vec3::X).is_err());
    assert!(Fibre::new(lame(), 1.0, f64::NAN, Vec3::X).is_err());
    let unit = Fibre::new(lame(), 1.0, 1.0, ALONG).expect("in range").direction();
    assert!(unit.abs_diff_eq(ALONG / ALONG.length(), 1e-15));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn fibre_objectivity_a_rotation_of_space_turns_stress_along(f in gradients(), r in rotation()) {
        let (here, there) = (psi(stiff(), f), psi(stiff(), r * f));
        prop_assert!((here - there).abs() < 1e-10 * (1.0 + here), "{here} {there}");
        let (here, there) = (r * stress(stiff(), f), stress(stiff(), r * f));
        let size = distance(&here, &Mat3::ZERO);
        prop_assert!(distance(&here, &there) < 1e-10 * (1.0 + size));
    }

    #[test]
    fn fibre_symmetry_a_rotation_about_the_fibres_or_their_reversal_changes_nothing(
        f in gradients(), angle in -3.0f64..3.0, other in rotation(),
    ) {
        let a = ALONG.normalize();
        let about = Mat3::from_axis_angle(a, angle);
        let reversed = Mat3::from_axis_angle(a.any_orthonormal_vector(), std::f64::consts::PI);
        let here = psi(stiff(), f);
        for q in [about, reversed] {
            let there = psi(stiff(), f * q);
            prop_assert!((here - there).abs() < 1e-10 * (1.0 + here), "{here} {there}");
        }
        // Any other rotation of the material is one of its fibres.
        let (turned, moved) = (fibre(K1, K2, other * ALONG), psi(stiff(), f * other));
        prop_assert!((psi(turned, f) - moved).abs() < 1e-10 * (1.0 + moved));
    }

    /// With `K = 2 g' I + 4 g'' f f^T`, f = F a, the fibres' d2psi is `K (x) a a^T`: in the
    /// directions `dF = v a^T` it is K, whose eigenvectors are f and what is across it, and
    /// it vanishes for all `dF = v w^T` with w across a.
    #[test]
    fn fibre_part_has_the_eigenvalues_of_its_formula_and_none_below_zero(f in gradients()) {
        // At I4 = 1 itself the second derivative jumps, and rounding chooses the side.
        prop_assume!((square_along(&f) - 1.0).abs() > 1e-12);
        let (with, without) = (tangent(stiff(), f, Psd::Exact), tangent(matrix(), f, Psd::Exact));
        let part = &with - &without;
        let size = with.norm();
        let i4 = square_along(&f);
        let e = (i4 - 1.0).max(0.0);
        let exp = (K2 * e * e).exp();
        let first = 2.0 * K1 * e * exp;
        let second = if e > 0.0 { 4.0 * K1 * (1.0 + 2.0 * K2 * e * e) * exp } else { 0.0 };
        let mut want = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, first, first, first + second * i4];
        want.sort_by(f64::total_cmp);
        let mut values: Vec<f64> = part.symmetric_eigenvalues().iter().copied().collect();
        values.sort_by(f64::total_cmp);
        for (value, want) in values.iter().zip(want) {
            prop_assert!((value - want).abs() < 1e-12 * size, "{value} {want}");
        }
    }

    #[test]
    fn fibre_projection_is_semi_definite_and_nowhere_softer_than_the_exact(f in gradients()) {
        let (exact, ours) = (tangent(stiff(), f, Psd::Exact), tangent(stiff(), f, Psd::Clamp));
        let size = exact.norm();
        prop_assert!((&exact - exact.transpose()).norm() < 1e-13 * size, "d2psi/dF2 is symmetric");
        prop_assert!(ours.symmetric_eigenvalues().min() > -1e-12 * size);
        prop_assert!((&ours - &exact).symmetric_eigenvalues().min() > -1e-12 * size);
        if tangent(matrix(), f, Psd::Exact).symmetric_eigenvalues().min() > 1e-9 * size {
            prop_assert!((&ours - &exact).norm() < 1e-12 * size, "what is definite stays");
        }
    }
}
