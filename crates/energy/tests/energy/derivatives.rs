//! Value, gradient and Hessian belong together, in every state.

use crate::common::*;
use nalgebra::{DMatrix, Matrix3, Vector3};
use proptest::prelude::*;
use resile_energy::{ElastoPlastic, Material};
use resile_math::{Mat3, Vec3};
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};

/// A thousandth of an element: the error of the differences is then about 1e-12 of
/// the fifth derivative, that of rounding 1e-13 of the value over the gradient.
const EPS: f64 = 1e-3;

fn check(material: Material, name: &str, mesh: &(Vec<Vec3>, Vec<[u32; 4]>), x: &[Vec3], tol: f64) {
    let term = body(mesh, material);
    let errors = energy_derivatives(&term, x, EPS).expect("the state is strained and admissible");
    assert!(errors.gradient < tol && errors.hessian < tol, "{material:?}, {name}: {errors:?}");
}

#[test]
fn derivatives_agree_with_differences_where_nothing_is_inverted() {
    let mesh = grid(2, 1, 1);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    let stretch = |x, y, z| turn * Mat3::from_diagonal(Vec3::new(x, y, z));
    for material in materials() {
        let x = |f, size| deformed(&mesh.0, f, size);
        check(material, "random", &mesh, &x(turn, 0.15), 1e-8);
        check(material, "stretched", &mesh, &x(stretch(4.0, 0.5, 1.5), 0.05), 1e-8);
        check(material, "compressed", &mesh, &x(stretch(0.4, 0.5, 0.45), 0.02), 1e-6);
        // The gradient is small there, the fifth derivative, which is left over, is not.
        check(material, "near rest", &mesh, &x(turn, 1e-4), 2e-8);
        check(material, "three equal", &mesh, &x(stretch(1.3, 1.3, 1.3), 0.0), 1e-8);
        check(material, "two equal", &mesh, &x(stretch(1.4, 0.8, 0.8), 0.0), 1e-8);
        check(material, "two almost equal", &mesh, &x(stretch(1.4, 0.8, 0.8), 1e-8), 1e-8);
    }
}

#[test]
fn derivatives_agree_with_differences_where_elements_are_inverted() {
    let mesh = grid(2, 1, 1);
    let turn = Mat3::from_rotation_y(0.4);
    for material in [Material::Corotated(lame()), Material::StVenantKirchhoff(lame())] {
        for (name, s) in [
            ("mirrored", Vec3::new(1.3, 1.1, -0.7)),
            ("flat", Vec3::new(1.2, 0.9, 0.0)),
            ("two equal", Vec3::new(1.2, 1.2, -0.5)),
        ] {
            let x = deformed(&mesh.0, turn * Mat3::from_diagonal(s), 0.02);
            check(material, name, &mesh, &x, 1e-7);
        }
    }
}

/// psi by its definition, one element at a time.
fn density(material: Material, f: &Mat3) -> f64 {
    let m = Matrix3::from_column_slice(&f.to_cols_array());
    let j = m.determinant();
    let svd = m.svd(true, true);
    let (mut u, v_t) = (svd.u.expect("asked for"), svd.v_t.expect("asked for"));
    if (u * v_t).determinant() < 0.0 {
        u.column_mut(svd.singular_values.imin()).neg_mut();
    }
    match material {
        Material::NeoHookean(l) => {
            let shear = l.mu() / 2.0 * (m.norm_squared() - 3.0) - l.mu() * j.ln();
            shear + l.lambda() / 2.0 * j.ln().powi(2)
        }
        Material::Corotated(l) => {
            l.mu() * (m - u * v_t).norm_squared() + l.lambda() / 2.0 * (j - 1.0).powi(2)
        }
        Material::StVenantKirchhoff(l) => {
            let g = (m.transpose() * m - Matrix3::identity()) / 2.0;
            l.mu() * g.norm_squared() + l.lambda() / 2.0 * g.trace().powi(2)
        }
        Material::Linear(l) => {
            let e = (m.transpose() + m) / 2.0 - Matrix3::identity();
            l.mu() * e.norm_squared() + l.lambda() / 2.0 * e.trace().powi(2)
        }
        Material::Hencky(l) => {
            let e = deviator(&svd.singular_values);
            (l.lambda() / 2.0 + l.mu() / 3.0) * j.ln().powi(2) + l.mu() * e * e
        }
        Material::ElastoPlastic(ElastoPlastic { lame: l, flow }) => {
            let e = deviator(&svd.singular_values);
            let root = (2.0f64 / 3.0).sqrt();
            // Work of flow with the plastic strain sqrt(2/3) slip.
            let work = |a: f64| flow.yield_stress() * a + flow.hardening() * a * a / 2.0;
            let shape = |slip: f64| l.mu() * (e - slip).powi(2) + work(root * slip);
            let (mut low, mut high) = (0.0, e);
            for _ in 0..200 {
                let [a, b] = [1.0, 2.0].map(|third| low + (high - low) * third / 3.0);
                if shape(a) < shape(b) { high = b } else { low = a }
            }
            (l.lambda() / 2.0 + l.mu() / 3.0) * j.ln().powi(2) + shape(low)
        }
        Material::Maxwell(branch) => {
            let e = deviator(&svd.singular_values);
            branch.shear() * e * e
        }
        _ => unreachable!("not among `materials`"),
    }
}

/// The size of the deviator of logarithmic strains.
fn deviator(s: &Vector3<f64>) -> f64 {
    let logarithms = s.map(f64::ln);
    logarithms.add_scalar(-logarithms.mean()).norm()
}

/// d2psi/dF2 over six, projected or not.
fn block(material: Material, f: Mat3, psd: Psd) -> DMatrix<f64> {
    let k = hessian(&body(&corner(), material), &corner_at(f), psd);
    k.view((3, 3), (9, 9)).into_owned()
}

fn projects_like_a_numeric_clamp(material: Material, f: Mat3) -> Result<(), TestCaseError> {
    let exact = block(material, f, Psd::Exact);
    let actual = block(material, f, Psd::Clamp);
    // Rounding of F shifts curvatures by this much of the largest.
    let size = exact.norm();
    prop_assert!((&exact - exact.transpose()).norm() < 1e-13 * size, "d2psi/dF2 is symmetric");
    let expected = clamped(&exact);
    prop_assert!((&actual - expected).norm() < 1e-12 * size, "{material:?} at {f}");
    prop_assert!(actual.symmetric_eigenvalues().min() > -1e-13 * size, "{material:?} at {f}");
    let element = hessian(&body(&corner(), material), &corner_at(f), Psd::Clamp);
    prop_assert!(element.symmetric_eigenvalues().min() > -1e-13 * size, "{material:?} at {f}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_value_is_the_density_times_the_volume(f in gradients(), g in inverted_gradients()) {
        for material in materials() {
            let term = body(&corner(), material);
            let value = term.value(0.0, &corner_at(f)) * 6.0;
            let want = density(material, &f);
            // The terms of psi are of the size of mu |F|^2 and may cancel.
            let size = 1e-13 * (1.0 + f.to_cols_array().iter().map(|x| x * x).sum::<f64>()).powi(2);
            prop_assert!((value - want).abs() < 10.0 * size, "{material:?}: {value} {want}");
            let value = term.value(0.0, &corner_at(g)) * 6.0;
            if let Material::NeoHookean(_) | Material::Hencky(_) | Material::ElastoPlastic(_) = material {
                prop_assert_eq!(value, f64::INFINITY);
            } else {
                let want = density(material, &g);
                prop_assert!((value - want).abs() < 1e-11 * want, "{material:?}: {value} {want}");
            }
        }
    }

    #[test]
    fn the_projection_is_the_clamp_of_all_nine_eigenvalues(f in gradients()) {
        for material in materials() {
            projects_like_a_numeric_clamp(material, f)?;
        }
    }

    #[test]
    fn the_projection_is_the_clamp_under_inversion_too(f in inverted_gradients()) {
        for material in [Material::Corotated(lame()), Material::StVenantKirchhoff(lame())] {
            projects_like_a_numeric_clamp(material, f)?;
        }
    }

    #[test]
    fn definite_matrices_are_not_changed(
        u in rotation(), v in rotation(), s in prop::array::uniform3(1.05f64..1.2),
    ) {
        let f = u * Mat3::from_diagonal(Vec3::from_array(s)) * v.transpose();
        for material in materials() {
            let (exact, ours) = (block(material, f, Psd::Exact), block(material, f, Psd::Clamp));
            prop_assert!(exact.symmetric_eigenvalues().min() > 0.0, "the state is a stable one");
            let size = exact.norm();
            prop_assert!((exact - ours).norm() < 1e-13 * size, "{material:?} at {f}");
        }
    }
}

#[test]
fn compression_makes_every_material_indefinite() {
    // Else the tests of the projection would be empty.
    let f = Mat3::from_diagonal(Vec3::new(0.5, 0.6, 1.0));
    for material in materials() {
        let smallest = block(material, f, Psd::Exact).symmetric_eigenvalues().min();
        assert!(smallest < -0.01, "{material:?}: {smallest}");
    }
}
