//! Ogden's, Mooney and Rivlin's, and Yeoh's laws.

use crate::common::*;
use resile_energy::{Material, Ogden, Yeoh};
use resile_math::{Mat3, Vec3};
use resile_system::Energy;
use resile_system::check::energy_derivatives;

const BULK: f64 = 40.0;

/// Treloar's rubber in Ogden's law (Ogden 1972, in kgf/cm^2), Mooney and Rivlin's with two constants, and Yeoh's with three.
fn rubbers() -> [Material; 3] {
    let terms = [(6.3, 1.3), (0.012, 5.0), (-0.1, -2.0)];
    [
        Material::Ogden(Ogden { terms, bulk: BULK }),
        Material::Ogden(Ogden::mooney_rivlin(1.8, 0.3, BULK)),
        Material::Yeoh(Yeoh { coefficients: [1.7, -0.02, 3e-3], bulk: BULK }),
    ]
}

/// psi by its definition, of principal stretches.
fn density(material: Material, s: Vec3) -> f64 {
    let j = s.x * s.y * s.z;
    let bar = s / j.cbrt();
    let volume = 0.5 * BULK * j.ln().powi(2);
    let sum = |power: f64| bar.to_array().map(|s| s.powf(power)).iter().sum::<f64>() - 3.0;
    volume
        + match material {
            Material::Ogden(law) => {
                law.terms.iter().map(|(mu, alpha)| mu / alpha * sum(*alpha)).sum::<f64>()
            }
            Material::Yeoh(law) => {
                let [a, b, c] = law.coefficients;
                let excess = sum(2.0);
                a * excess + b * excess.powi(2) + c * excess.powi(3)
            }
            other => unreachable!("{other:?}"),
        }
}

#[test]
fn the_energy_is_that_of_the_definition() {
    let mesh = grid(1, 1, 1);
    let turn = Mat3::from_rotation_y(0.4) * Mat3::from_rotation_x(-1.3);
    for material in rubbers() {
        let term = body(&mesh, material);
        let rest = term.value(0.0, &mesh.0);
        assert!(rest.abs() < 1e-12, "{material:?}: {rest} at rest");
        for s in [Vec3::new(2.0, 0.7, 0.8), Vec3::new(0.5, 0.6, 1.1), Vec3::splat(1.2)] {
            let x: Vec<Vec3> = mesh.0.iter().map(|x| turn * (s * *x)).collect();
            let (found, exact) = (term.value(0.0, &x), density(material, s));
            assert!((found / exact - 1.0).abs() < 1e-12, "{material:?}: {found} J, not {exact} J");
        }
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let mesh = grid(2, 1, 1);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    let stretch = |x, y, z| turn * Mat3::from_diagonal(Vec3::new(x, y, z));
    for material in rubbers() {
        for (name, f, size, tolerance) in [
            ("random", turn, 0.15, 1e-7),
            ("stretched", stretch(2.5, 0.6, 0.8), 0.05, 1e-7),
            ("near rest", turn, 1e-4, 1e-6),
            ("three equal", stretch(1.2, 1.2, 1.2), 0.0, 1e-7),
            ("two equal", stretch(1.4, 0.8, 0.8), 0.0, 1e-7),
            ("two almost equal", stretch(1.4, 0.8, 0.8), 1e-8, 1e-7),
        ] {
            let x = deformed(&mesh.0, f, size);
            let term = body(&mesh, material);
            let errors = energy_derivatives(&term, &x, 1e-3).expect("admissible");
            assert!(
                errors.gradient < tolerance && errors.hessian < tolerance,
                "{material:?}, {name}: {errors:?}"
            );
        }
    }
}

/// In tension without lateral stress the nominal stress of nearly incompressible rubber is
/// `sum_p mu_p (s^(alpha_p - 1) - s^(-alpha_p/2 - 1))` for Ogden's law, and
/// `2 (s - s^-2) (c1 + 2 c2 (I - 3) + 3 c3 (I - 3)^2)` for Yeoh's.
#[test]
fn tension_has_the_stress_of_the_closed_form() {
    let bulk = 1e7;
    let ogden = Ogden { terms: [(6.3, 1.3), (0.012, 5.0), (-0.1, -2.0)], bulk };
    let mooney = Ogden::mooney_rivlin(1.8, 0.3, bulk);
    let coefficients = [1.7, -0.02, 3e-3];
    let yeoh = Yeoh { coefficients, bulk };
    let of_ogden = |law: Ogden, s: f64| -> f64 {
        law.terms.iter().map(|(mu, a)| mu * (s.powf(a - 1.0) - s.powf(-0.5 * a - 1.0))).sum()
    };
    let of_mooney = |s: f64| 2.0 * (s - s.powi(-2)) * (1.8 + 0.3 / s);
    let of_yeoh = |s: f64| {
        let excess = s * s + 2.0 / s - 3.0;
        let [a, b, c] = coefficients;
        2.0 * (s - s.powi(-2)) * (a + 2.0 * b * excess + 3.0 * c * excess * excess)
    };
    for s in [0.6, 1.01, 1.5, 3.0, 5.0] {
        assert!((of_ogden(mooney, s) / of_mooney(s) - 1.0).abs() < 1e-12);
        for (material, exact) in [
            (Material::Ogden(ogden), of_ogden(ogden, s)),
            (Material::Ogden(mooney), of_mooney(s)),
            (Material::Yeoh(yeoh), of_yeoh(s)),
        ] {
            let found = tension(material, s);
            assert!(
                (found / exact - 1.0).abs() < 1e-4,
                "{material:?} at {s}: {found}, not {exact}"
            );
        }
    }
}

/// dW/ds of a cube of unit volume with lateral stretches that have no stress.
fn tension(material: Material, s: f64) -> f64 {
    let mesh = grid(1, 1, 1);
    let term = body(&mesh, material);
    let at = |s: f64, t: f64| {
        let x: Vec<Vec3> = mesh.0.iter().map(|x| Vec3::new(s, t, t) * *x).collect();
        let mut gradient = vec![Vec3::ZERO; x.len()];
        term.add_gradient(0.0, &x, 1.0, &mut gradient);
        let power = |v: Vec3| mesh.0.iter().zip(&gradient).map(|(x, g)| g.dot(v * *x)).sum::<f64>();
        (power(Vec3::X), power(Vec3::Y))
    };
    let (mut low, mut high) = (0.9 / s.sqrt(), 1.1 / s.sqrt());
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if at(s, middle).1 < 0.0 { low = middle } else { high = middle }
    }
    at(s, low).0
}
