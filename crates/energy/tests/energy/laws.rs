//! What an elastic energy owes to mechanics.

use crate::common::*;
use nalgebra::DVector;
use proptest::prelude::*;
use resile_energy::{ElementError, Material, TetElasticity};
use resile_math::{Mat3, Vec3};
use resile_system::{Energy, Hessian, Path, Psd};

fn norm(v: &[Vec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

#[test]
fn at_rest_there_is_no_energy_and_no_force() {
    let mesh = grid(3, 2, 2);
    for material in materials() {
        let term = body(&mesh, material);
        assert!(term.value(0.0, &mesh.0).abs() < 1e-14, "{material:?}");
        assert!(norm(&gradient(&term, &mesh.0)) < 1e-13, "{material:?}");
    }
}

#[test]
fn all_materials_linearise_to_hookes_law() {
    let mesh = grid(2, 2, 1);
    let volume = 4.0;
    for material in materials() {
        let k = hessian(&body(&mesh, material), &mesh.0, Psd::Exact);
        for case in 0..10 {
            let h = Mat3::from_cols_array(&std::array::from_fn(|i| noise(9 * case + i)));
            let strain = (h + h.transpose()) * 0.5;
            let square: f64 = strain.to_cols_array().iter().map(|e| e * e).sum();
            let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
            let expected = volume * (lame().mu() * square + lame().lambda() / 2.0 * trace * trace);
            let u =
                DVector::from_iterator(k.nrows(), mesh.0.iter().flat_map(|x| (h * *x).to_array()));
            let energy = 0.5 * u.dot(&(&k * &u));
            assert!(
                (energy - expected).abs() < 1e-12 * expected,
                "{material:?}: {energy} {expected}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn energy_is_frame_indifferent(r in rotation(), t in prop::array::uniform3(-5.0f64..5.0)) {
        let mesh = grid(2, 1, 1);
        let x = deformed(&mesh.0, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 0.8)), 0.15);
        let moved: Vec<Vec3> = x.iter().map(|x| r * *x + Vec3::from_array(t)).collect();
        for material in materials() {
            let term = body(&mesh, material);
            let (here, there) = (term.value(0.0, &x), term.value(0.0, &moved));
            prop_assert!((here - there).abs() < 1e-12 * here, "{material:?}: {here} {there}");
            let (here, there) = (gradient(&term, &x), gradient(&term, &moved));
            let apart: Vec<Vec3> = here.iter().zip(&there).map(|(a, b)| r * *a - *b).collect();
            prop_assert!(norm(&apart) < 1e-12 * norm(&here), "{material:?}");
        }
    }

    #[test]
    fn internal_forces_have_no_resultant(f in gradients()) {
        let mesh = grid(2, 1, 1);
        let x = deformed(&mesh.0, f, 0.01);
        for material in materials() {
            let term = body(&mesh, material);
            prop_assume!(term.inverted(&x).is_empty());
            let g = gradient(&term, &x);
            let push: Vec3 = g.iter().sum();
            let turn: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
            let size = 1e-13 * (1.0 + norm(&g)) * (1.0 + norm(&x));
            prop_assert!(push.length() < size && turn.length() < size, "{material:?} {push} {turn}");
        }
    }

    #[test]
    fn the_step_bound_keeps_a_tenth_of_every_volume_and_is_sharp(
        size in 0.05f64..3.0, seed in 0usize..1000,
    ) {
        let mesh = grid(2, 2, 1);
        let from = deformed(&mesh.0, Mat3::from_rotation_x(0.5), 0.1);
        let to: Vec<Vec3> = from.iter().enumerate()
            .map(|(i, x)| {
                let k = 3 * (i + 100 * seed);
                *x + size * Vec3::new(noise(k), noise(k + 1), noise(k + 2))
            })
            .collect();
        let volumes = |t: f64| -> Vec<f64> {
            let x: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| a.lerp(*b, t)).collect();
            let edge = |tet: &[u32; 4], k: usize| x[tet[k] as usize] - x[tet[0] as usize];
            mesh.1.iter().map(|t| edge(t, 1).cross(edge(t, 2)).dot(edge(t, 3))).collect()
        };
        let term = body(&mesh, Material::NeoHookean(lame()));
        let bound = term.step_bound(&[Path { from: &from, to: &to }]);
        let start = volumes(0.0);
        prop_assert!(bound > 0.0 && bound <= 1.0);
        for k in 0..=200 {
            let now = volumes(bound * f64::from(k) / 200.0);
            prop_assert!(now.iter().zip(&start).all(|(v, v0)| *v >= 0.1 * v0 - 1e-12));
        }
        if bound < 1.0 {
            let after = volumes(bound * (1.0 + 1e-5));
            prop_assert!(after.iter().zip(&start).any(|(v, v0)| *v < 0.1 * v0), "{bound}");
        }
        for material in [Material::Corotated(lame()), Material::StVenantKirchhoff(lame())] {
            prop_assert_eq!(body(&mesh, material).step_bound(&[Path { from: &from, to: &to }]), 1.0);
        }
    }
}

#[test]
fn body_is_the_sum_of_its_elements_for_any_lane_fill() {
    let (rest, tets) = grid(3, 1, 1);
    let x = deformed(&rest, Mat3::from_rotation_z(0.3), 0.1);
    for material in materials() {
        for count in 1..=tets.len() {
            let mesh = (rest.clone(), tets[..count].to_vec());
            let whole = body(&mesh, material);
            assert_eq!(whole.element_count(), count);
            let parts: Vec<TetElasticity> =
                tets[..count].iter().map(|t| body(&(rest.clone(), vec![*t]), material)).collect();
            let value: f64 = parts.iter().map(|p| p.value(0.0, &x)).sum();
            assert!((whole.value(0.0, &x) - value).abs() < 1e-13 * value);
            let mut g = vec![Vec3::ZERO; x.len()];
            parts.iter().for_each(|p| p.add_gradient(0.0, &x, -1.0, &mut g));
            whole.add_gradient(0.0, &x, 1.0, &mut g);
            assert!(norm(&g) < 1e-13);
            let k = parts.iter().map(|p| hessian(p, &x, Psd::Clamp)).reduce(|a, b| a + b);
            let apart = hessian(&whole, &x, Psd::Clamp) - k.expect("there is an element");
            assert!(apart.norm() < 1e-12, "{count} elements: {}", apart.norm());
        }
    }
}

#[test]
fn evaluation_is_bitwise_equal_for_any_number_of_threads() {
    let mesh = grid(12, 12, 8);
    assert!(mesh.1.len() > 6000, "several waves of several chunks");
    let from = deformed(&mesh.0, Mat3::from_rotation_y(1.0), 0.05);
    let to = deformed(&mesh.0, Mat3::from_rotation_y(2.0), 0.3);
    for material in materials() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| {
                let term = body(&mesh, material);
                let mut pushes = Pushes::default();
                for psd in [Psd::Exact, Psd::Clamp] {
                    term.add_hessian(0.0, &from, psd, &mut Hessian::new(&mut pushes, 0, 1.0));
                }
                let bound = term.step_bound(&[Path { from: &from, to: &to }]);
                (
                    term.value(0.0, &from),
                    gradient(&term, &from),
                    pushes,
                    bound,
                    term.certificate(&from),
                )
            })
        };
        let one = run(1);
        assert!(one.0.is_finite() && one.0 > 0.0, "the state is an admissible one");
        let inverts = matches!(material, Material::Corotated(_) | Material::StVenantKirchhoff(_));
        assert!(inverts == (one.3 == 1.0));
        for threads in [2, 5] {
            assert!(run(threads) == one, "{material:?} with {threads} threads");
        }
    }
}

#[test]
fn inverted_elements_are_named_with_their_determinant() {
    let mesh = grid(3, 1, 1);
    let term = body(&mesh, Material::NeoHookean(lame()));
    let mut x = mesh.0.clone();
    assert!(term.inverted(&x).is_empty());
    assert_eq!(term.certificate(&x).min_det_f, 1.0);
    // Node 0 belongs to the six elements of the first cell.
    x[0] = Vec3::new(1.5, 1.2, 1.3);
    let found = term.inverted(&x);
    assert!(!found.is_empty() && found.iter().all(|(e, det)| *e < 6 && *det < 0.0), "{found:?}");
    let smallest = found.iter().map(|(_, det)| *det).fold(f64::INFINITY, f64::min);
    assert_eq!(term.certificate(&x).min_det_f, smallest);
    assert_eq!(term.value(0.0, &x), f64::INFINITY);
}

#[test]
fn non_finite_positions_are_inadmissible_and_uncertified() {
    for material in materials() {
        let mesh = grid(2, 1, 1);
        let term = body(&mesh, material);
        let mut x = mesh.0.clone();
        x[3].y = f64::NAN;
        assert_eq!(term.value(0.0, &x), f64::INFINITY);
        assert_eq!(term.certificate(&x).min_det_f, f64::NEG_INFINITY);
        assert!(!term.inverted(&x).is_empty());
    }
}

#[test]
fn bad_elements_are_refused_all_at_once_with_their_volumes() {
    let material = Material::Corotated(lame());
    let (mut rest, mut tets) = grid(2, 1, 1);
    tets[3].swap(0, 1);
    tets[7][3] = tets[7][2];
    let error = TetElasticity::new(&rest, &tets, material).expect_err("two are no elements");
    let ElementError::NoVolume { elements, total: 12 } = &error else { panic!("{error:?}") };
    assert_eq!(elements[0].0, 3);
    assert!((elements[0].1 + 1.0 / 6.0).abs() < 1e-15);
    assert_eq!(elements[1], (7, 0.0));
    let text = error.to_string();
    assert!(text.contains("2 of 12") && text.contains("3 (-1.667e-1 m^3)"), "{text}");

    tets = grid(2, 1, 1).1;
    tets[5][2] = 99;
    let error = TetElasticity::new(&rest, &tets, material).expect_err("node 99 does not exist");
    assert_eq!(error, ElementError::NoSuchNode { element: 5, node: 99, nodes: 12 });

    rest[4].z = f64::INFINITY;
    let error = TetElasticity::new(&rest, &grid(2, 1, 1).1, material).expect_err("node 4 is away");
    assert_eq!(error, ElementError::NotFinite { node: 4, position: rest[4] });
}
