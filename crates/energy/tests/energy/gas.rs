//! Enclosed gas: derivatives, its law, and the work of filling.

use crate::common::*;
use resile_energy::{Factor, Gas, GasError, GasLaw, PressureError, Schedule};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::generate::Icosphere;
use resile_sparse::BlockSink;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Hessian, Psd};

const LAW: GasLaw = GasLaw { pressure: 1.3e5, exponent: 1.4, outside: 1e5 };

fn sphere() -> TriMesh {
    Icosphere { radius: 0.2, subdivisions: 1 }.build().expect("a sphere")
}

fn gas(law: GasLaw) -> Gas {
    let mesh = sphere();
    Gas::new(&mesh.positions, &mesh.triangles, law, Schedule::constant(1.0)).expect("closed")
}

fn squeezed(scale: f64) -> Vec<Vec3> {
    let stretch = Mat3::from_diagonal(Vec3::new(0.8, 1.2, 1.0) * scale);
    deformed(&sphere().positions, stretch, 0.02)
}

fn volume(x: &[Vec3]) -> f64 {
    TriMesh { positions: x.to_vec(), triangles: sphere().triangles }.enclosed_volume()
}

#[test]
fn derivatives_are_those_of_the_value_and_nothing_negative_is_left_by_the_clamp() {
    for exponent in [1.0, 1.0 + 1e-9, 1.4, 0.5] {
        let gas = gas(GasLaw { exponent, ..LAW });
        for scale in [0.7, 1.0, 1.6] {
            let x = squeezed(scale);
            let errors = energy_derivatives(&gas, &x, 1e-4).expect("it presses");
            assert!(errors.gradient < 1e-7 && errors.hessian < 1e-8, "{exponent}: {errors:?}");
            let clamped = hessian(&gas, &x, Psd::Clamp).symmetric_eigenvalues();
            assert!(clamped.min() > -1e-12 * clamped.max(), "{clamped}");
        }
    }
}

/// What diagonal blocks stand for the dyad where there is no place for it is not below it.
#[test]
fn a_sink_of_blocks_alone_has_a_majorant() {
    #[derive(Debug)]
    struct Blocks(resile_system::check::DenseSink);
    impl BlockSink for Blocks {
        fn add(&mut self, i: usize, j: usize, block: Mat3) {
            self.0.add(i, j, block);
        }
    }
    let (gas, x) = (gas(LAW), squeezed(1.1));
    let mut blocks = Blocks(resile_system::check::DenseSink::new(x.len()));
    gas.add_hessian(0.0, &x, Psd::Clamp, &mut Hessian::new(&mut blocks, 0, 1.0));
    let exact = hessian(&gas, &x, Psd::Clamp);
    let n = exact.nrows();
    let above = nalgebra::DMatrix::from_fn(n, n, |i, j| blocks.0.at(i, j) - exact[(i, j)]);
    let eigenvalues = above.symmetric_eigenvalues();
    assert!(eigenvalues.min() > -1e-10 * eigenvalues.max(), "{}", eigenvalues.min());
}

/// The force on a node over the area vector there is `p_0 (V_0 / V)^n - p_a`.
#[test]
fn the_pressure_follows_the_law_and_the_energy_is_its_integral() {
    let v0 = volume(&sphere().positions);
    for exponent in [1.0, 1.4] {
        let gas = gas(GasLaw { exponent, ..LAW });
        let (mut work, mut before) = (0.0, f64::NAN);
        for k in 0..=2000 {
            let x: Vec<Vec3> =
                sphere().positions.iter().map(|x| *x * (0.8 + 0.0004 * f64::from(k))).collect();
            let v = volume(&x);
            let over = LAW.pressure * (v0 / v).powf(exponent) - LAW.outside;
            let push = -gradient(&gas, &x).iter().zip(&x).map(|(g, x)| g.dot(*x)).sum::<f64>();
            assert!((push - 3.0 * v * over).abs() < 1e-9 * v * LAW.pressure, "{push}");
            if k > 0 {
                let (a, b): (f64, f64) = (before, v);
                let middle = LAW.pressure * (2.0 * v0 / (a + b)).powf(exponent) - LAW.outside;
                work += middle * (b - a);
            }
            before = v;
        }
        let at = |scale: f64| {
            gas.value(0.0, &sphere().positions.iter().map(|x| *x * scale).collect::<Vec<_>>())
        };
        let change = at(0.8) - at(1.6);
        assert!((work - change).abs() < 1e-5 * work.abs(), "{exponent}: {work} J, {change} J");
        assert!(at(1.0).abs() < 1e-12 * LAW.pressure * v0);
    }
}

/// The faces of a cavity turn the other way.
#[test]
fn a_cavity_holds_what_a_shell_holds() {
    let mesh = sphere();
    let turned: Vec<[u32; 3]> = mesh.triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
    let cavity = Gas::new(&mesh.positions, &turned, LAW, Schedule::constant(1.0)).expect("closed");
    let x = squeezed(1.2);
    let forces = gradient(&cavity, &x);
    for (a, b) in gradient(&gas(LAW), &x).iter().zip(forces) {
        assert!((*a - b).length() < 1e-9 * a.length(), "{a}, {b}");
    }
}

/// For nodes at rest the work of filling is the change of the energy.
#[test]
fn the_work_of_filling_is_the_change_of_the_energy() {
    let mesh = sphere();
    let amount = Factor::table(Schedule::constant(1.0), vec![(0.0, 1.0), (2.0, 4.0)]);
    let amount = amount.expect("ascending");
    let gas = Gas::new(&mesh.positions, &mesh.triangles, LAW, amount).expect("closed");
    let x = squeezed(0.8);
    let work = gas.work(&x, &x, [0.5, 1.5]);
    let change = gas.value(1.5, &x) - gas.value(0.5, &x);
    assert!((work - change).abs() < 1e-9 * change.abs() && change > 1.0, "{work} J, {change} J");
}

#[test]
fn what_is_no_gas_is_refused() {
    let mesh = sphere();
    let make = |triangles: &[[u32; 3]], law: GasLaw| {
        Gas::new(&mesh.positions, triangles, law, Schedule::constant(1.0)).map(|_| ())
    };
    for law in [
        GasLaw { pressure: 0.0, ..LAW },
        GasLaw { exponent: -1.0, ..LAW },
        GasLaw { outside: f64::NAN, ..LAW },
    ] {
        let refused = make(&mesh.triangles, law);
        assert!(matches!(refused, Err(GasError::Law { .. })), "{refused:?}");
    }
    let open = make(&mesh.triangles[1..], LAW);
    assert!(matches!(open, Err(GasError::Surface(PressureError::Open { .. }))), "{open:?}");
    let flat = vec![Vec3::ZERO; mesh.positions.len()];
    let none = Gas::new(&flat, &mesh.triangles, LAW, Schedule::constant(1.0)).map(|_| ());
    assert_eq!(none, Err(GasError::Volume { volume: 0.0 }));
    let inverted: Vec<Vec3> = mesh.positions.iter().map(|x| -*x).collect();
    assert_eq!(gas(LAW).value(0.0, &inverted), f64::INFINITY);
}
