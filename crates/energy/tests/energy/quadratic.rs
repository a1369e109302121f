//! Quadratic tetrahedra: what linear ones owe to mechanics, and what they do better.

use crate::common::*;
use nalgebra::DVector;
use proptest::prelude::*;
use resile_energy::{ElementError, Lame, Material, QuadraticTetElasticity};
use resile_math::{Mat3, Vec3};
use resile_mesh::{QuadraticMesh, TetMesh};
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Hessian, Path, Psd};

/// A box of unit cells with its corners alone, and with its middles.
fn meshes(nx: usize, ny: usize, nz: usize) -> (TetMesh, QuadraticMesh) {
    let (positions, tets) = grid(nx, ny, nz);
    let linear = TetMesh { positions, tets };
    let quadratic = linear.quadratic();
    (linear, quadratic)
}

fn body_of(mesh: &QuadraticMesh, material: Material) -> QuadraticTetElasticity {
    let made = QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material);
    made.expect("the mesh is a proper one")
}

fn norm(v: &[Vec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

#[test]
fn derivatives_agree_with_differences() {
    let (_, mesh) = meshes(1, 1, 1);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    let stretch = |x, y, z| turn * Mat3::from_diagonal(Vec3::new(x, y, z));
    for material in materials() {
        let term = body_of(&mesh, material);
        for (name, f, size, tolerance) in [
            ("random", turn, 0.05, 1e-7),
            ("stretched", stretch(3.0, 0.6, 1.5), 0.03, 1e-7),
            ("compressed", stretch(0.5, 0.6, 0.55), 0.01, 1e-6),
            ("near rest", turn, 1e-3, 1e-8),
        ] {
            let x = deformed(&mesh.positions, f, size);
            let errors = energy_derivatives(&term, &x, 5e-4).expect("strained and admissible");
            let good = errors.gradient < tolerance && errors.hessian < tolerance;
            assert!(good, "{material:?}, {name}: {errors:?}");
        }
    }
}

#[test]
fn an_affine_deformation_is_that_of_linear_elements() {
    let (linear, mesh) = meshes(2, 2, 1);
    let f = Mat3::from_rotation_y(0.4)
        * Mat3::from_cols_array(&[1.2, 0.1, 0.0, -0.2, 0.8, 0.1, 0.1, 0.0, 1.1]);
    for material in materials() {
        let (actual, reference) = (
            body_of(&mesh, material),
            body(&(linear.positions.clone(), linear.tets.clone()), material),
        );
        let x = deformed(&mesh.positions, f, 0.0);
        let corners = &x[..linear.positions.len()];
        let (value, expected) = (actual.value(0.0, &x), reference.value(0.0, corners));
        assert!((value - expected).abs() < 1e-13 * expected, "{material:?}: {value} {expected}");
        let det = f.determinant();
        assert!(
            (actual.certificate(&x).min_det_f - det).abs() < 1e-12,
            "{}",
            actual.certificate(&x).min_det_f
        );
        // Uniform stress: no force on nodes inside, and the same virial of all.
        let (forces, reference) = (gradient(&actual, &x), gradient(&reference, corners));
        let surface = mesh.refined().surface().vertices;
        for node in (0..x.len()).filter(|&node| !surface.contains(&(node as u32))) {
            assert!(forces[node].length() < 1e-13, "{material:?}: {}", forces[node]);
        }
        let virial = |forces: &[Vec3], x: &[Vec3]| {
            let one = |(g, x): (&Vec3, &Vec3)| resile_math::outer(*g, *x);
            forces.iter().zip(x).map(one).fold(Mat3::ZERO, |a, b| a + b)
        };
        assert!(
            virial(&forces, &x).abs_diff_eq(virial(&reference, corners), 1e-12),
            "{material:?}"
        );
    }
}

#[test]
fn at_rest_there_is_no_energy_and_no_force() {
    let (_, mesh) = meshes(2, 1, 1);
    for material in materials() {
        let term = body_of(&mesh, material);
        assert!(term.value(0.0, &mesh.positions).abs() < 1e-14, "{material:?}");
        assert!(norm(&gradient(&term, &mesh.positions)) < 1e-13, "{material:?}");
        assert!((term.certificate(&mesh.positions).min_det_f - 1.0).abs() < 1e-14);
    }
}

/// Beams of one element bend as long ones do: the energy of pure bending of a beam without
/// lateral contraction is `E I kappa^2 / 2` a length, and linear elements have far more.
#[test]
fn one_element_across_bends_as_a_beam() {
    let (linear, mesh) = meshes(4, 1, 1);
    let young = 3.0;
    let lame = Lame::from_young_poisson(young, 0.0).expect("parameters in range");
    let kappa = 0.01;
    let bend = |x: &Vec3| {
        let y = x.y - 0.5;
        Vec3::new(-kappa * x.x * y, 0.5 * kappa * x.x * x.x, 0.0)
    };
    let quadratic_form = |term: &dyn Energy, x: &[Vec3]| {
        let k = hessian(term, x, Psd::Exact);
        let u = DVector::from_iterator(k.nrows(), x.iter().flat_map(|x| bend(x).to_array()));
        0.5 * u.dot(&(&k * &u))
    };
    let expected = 0.5 * young / 12.0 * kappa * kappa * 4.0;
    let energy = quadratic_form(&body_of(&mesh, Material::NeoHookean(lame)), &mesh.positions);
    assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} {expected}");
    let stiff = body(&(linear.positions.clone(), linear.tets), Material::NeoHookean(lame));
    let energy = quadratic_form(&stiff, &linear.positions);
    assert!(energy > 2.0 * expected, "{energy} {expected}");
}

/// Errors of the energy of a smooth deformation fall with the third power of the size of cells
/// at least; those of linear elements with the second.
#[test]
fn energies_of_smooth_deformations_converge_with_order_three() {
    let map = |x: Vec3| {
        let bump = 0.1 * Vec3::new((2.0 * x.y).sin(), (2.0 * x.z).sin() * x.x, (1.5 * x.x).cos());
        x + bump
    };
    let energy = |cells: usize| {
        let (mut linear, _) = meshes(cells, cells, cells);
        linear.positions.iter_mut().for_each(|x| *x /= cells as f64);
        let mesh = linear.quadratic();
        let x: Vec<Vec3> = mesh.positions.iter().map(|x| map(*x)).collect();
        body_of(&mesh, Material::NeoHookean(lame())).value(0.0, &x)
    };
    let [coarse, middle, fine] = [2, 4, 8].map(energy);
    let order = ((coarse - middle) / (middle - fine)).log2();
    assert!(order > 2.8, "{coarse} {middle} {fine}: order {order}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn energy_is_frame_indifferent(r in rotation(), t in prop::array::uniform3(-5.0f64..5.0)) {
        let (_, mesh) = meshes(1, 1, 1);
        let x = deformed(&mesh.positions, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 0.8)), 0.04);
        let moved: Vec<Vec3> = x.iter().map(|x| r * *x + Vec3::from_array(t)).collect();
        for material in materials() {
            let term = body_of(&mesh, material);
            let (here, there) = (term.value(0.0, &x), term.value(0.0, &moved));
            prop_assert!((here - there).abs() < 1e-12 * here, "{material:?}: {here} {there}");
            let (here, there) = (gradient(&term, &x), gradient(&term, &moved));
            let apart: Vec<Vec3> = here.iter().zip(&there).map(|(a, b)| r * *a - *b).collect();
            prop_assert!(norm(&apart) < 1e-12 * norm(&here), "{material:?}");
            let push: Vec3 = here.iter().sum();
            let turn: Vec3 = here.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
            let size = 1e-13 * (1.0 + norm(&here)) * (1.0 + norm(&x));
            prop_assert!(push.length() < size && turn.length() < size, "{push} {turn}");
        }
    }

    #[test]
    fn the_projected_hessian_is_nowhere_negative(f in gradients(), size in 0.0f64..0.05) {
        let (_, mesh) = meshes(1, 1, 1);
        for material in materials() {
            let x = deformed(&mesh.positions, f, size);
            let term = body_of(&mesh, material);
            prop_assume!(term.value(0.0, &x).is_finite());
            let k = hessian(&term, &x, Psd::Clamp);
            // Rounding is that of the curvatures before they are clamped.
            let size = hessian(&term, &x, Psd::Exact).norm();
            let least = k.symmetric_eigenvalues().min();
            prop_assert!(least > -1e-13 * size, "{material:?}: {least}");
        }
    }

    /// Against a search: det F is nowhere below the bound, which at some corner it may reach.
    #[test]
    fn the_bound_of_det_f_is_one(size in 0.0f64..0.5, seed in 0usize..1000) {
        let (_, mesh) = meshes(1, 1, 1);
        let rest = &mesh.positions;
        let shake = |i: usize| { let k = 3 * (i + 100 * seed); Vec3::new(noise(k), noise(k + 1), noise(k + 2)) };
        let x: Vec<Vec3> = rest.iter().enumerate().map(|(i, x)| *x + size * shake(i)).collect();
        let term = body_of(&mesh, Material::NeoHookean(lame()));
        let bound = term.certificate(&x).min_det_f;
        let inverted = term.inverted(&x);
        let mut least = f64::INFINITY;
        let n = 8;
        for (e, element) in mesh.elements.iter().enumerate() {
            let mut lowest = f64::INFINITY;
            for i in 0..=n {
                for j in 0..=n - i {
                    for k in 0..=n - i - j {
                        let part = |m: usize| m as f64 / n as f64;
                        let l = [part(n - i - j - k), part(i), part(j), part(k)];
                        lowest = lowest.min(determinant(rest, &x, element, l));
                    }
                }
            }
            if lowest <= 0.0 {
                prop_assert!(inverted.iter().any(|(found, _)| *found == e), "{e}: {lowest}");
            }
            least = least.min(lowest);
        }
        prop_assert!(bound <= least + 1e-12, "{bound} {least}");
        prop_assert!(bound > least - 40.0 * size * size - 1e-12, "{bound} {least}");
    }

    #[test]
    fn up_to_the_step_bound_no_element_is_turned_inside_out_anywhere(
        size in 0.05f64..2.0, seed in 0usize..1000,
    ) {
        let (_, mesh) = meshes(1, 1, 1);
        let from = deformed(&mesh.positions, Mat3::from_rotation_x(0.5), 0.02);
        let shake = |i: usize| { let k = 3 * (i + 100 * seed); Vec3::new(noise(k), noise(k + 1), noise(k + 2)) };
        let to: Vec<Vec3> = from.iter().enumerate().map(|(i, x)| *x + size * shake(i)).collect();
        let term = body_of(&mesh, Material::NeoHookean(lame()));
        prop_assume!(term.inverted(&from).is_empty());
        let bound = term.step_bound(&[Path { from: &from, to: &to }]);
        prop_assert!(bound > 0.0 && bound <= 1.0);
        let at = |t: f64| -> Vec<Vec3> { from.iter().zip(&to).map(|(a, b)| a.lerp(*b, t)).collect() };
        for k in 0..=100 {
            let x = at(bound * f64::from(k) / 100.0);
            prop_assert!(term.certificate(&x).min_det_f > 0.0, "{bound} {k}");
            prop_assert!(term.value(0.0, &x).is_finite());
        }
        if bound < 1.0 {
            // A coefficient has lost nine tenths there, so that the bound is not far too small.
            let (before, after) = (term.certificate(&from).min_det_f, term.certificate(&at(bound)).min_det_f);
            prop_assert!(after < 0.2 * before.max(1.0), "{before} {after}");
        }
        for material in [Material::Corotated(lame()), Material::StVenantKirchhoff(lame())] {
            prop_assert_eq!(body_of(&mesh, material).step_bound(&[Path { from: &from, to: &to }]), 1.0);
        }
    }
}

#[test]
fn evaluation_is_bitwise_equal_for_any_number_of_threads() {
    let (_, mesh) = meshes(8, 8, 4);
    assert!(mesh.elements.len() > 1500, "several patches");
    let from = deformed(&mesh.positions, Mat3::from_rotation_y(1.0), 0.01);
    let to = deformed(&mesh.positions, Mat3::from_rotation_y(2.0), 0.1);
    for material in materials() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| {
                let term = body_of(&mesh, material);
                let mut pushes = Pushes::default();
                term.add_hessian(0.0, &from, Psd::Clamp, &mut Hessian::new(&mut pushes, 0, 1.0));
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
        for threads in [2, 5] {
            assert!(run(threads) == one, "{material:?} with {threads} threads");
        }
    }
}

#[test]
fn non_finite_positions_are_inadmissible_and_uncertified() {
    let (_, mesh) = meshes(1, 1, 1);
    for material in materials() {
        let term = body_of(&mesh, material);
        let mut x = mesh.positions.clone();
        x[9].y = f64::NAN;
        assert_eq!(term.value(0.0, &x), f64::INFINITY);
        assert_eq!(term.certificate(&x).min_det_f, f64::NEG_INFINITY);
        assert!(!term.inverted(&x).is_empty());
    }
}

#[test]
fn bad_elements_are_refused_with_numbers() {
    let material = Material::Corotated(lame());
    let (_, mesh) = meshes(1, 1, 1);
    let refused = |change: &dyn Fn(&mut QuadraticMesh)| {
        let mut mesh = mesh.clone();
        change(&mut mesh);
        QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material).expect_err("bad")
    };
    let error = refused(&|mesh| mesh.elements[2][9] = 99);
    assert_eq!(
        error,
        ElementError::NoSuchNode { element: 2, node: 99, nodes: mesh.positions.len() }
    );
    let error = refused(&|mesh| mesh.elements[3].swap(0, 1));
    assert!(matches!(error, ElementError::NoVolume { total: 6, .. }), "{error}");
}
