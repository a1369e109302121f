//! Quadratic tetrahedra with curved edges at rest: what isoparametric elements owe to mechanics.

use crate::common::*;
use proptest::prelude::*;
use resile_energy::{
    ElastoPlastic, ElementError, Material, Maxwell, QuadraticTetElasticity, VonMises,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::{Ball, Cylinder};
use resile_mesh::{QuadraticMesh, TetMesh};
use resile_system::check::energy_derivatives;
use resile_system::{Energy, NodalStress, Path};

/// A box of unit cells whose nodes, corners and middles, are moved by a smooth map.
fn curved(nx: usize, ny: usize, nz: usize) -> QuadraticMesh {
    let (positions, tets) = grid(nx, ny, nz);
    let mut mesh = TetMesh { positions, tets }.quadratic();
    for x in &mut mesh.positions {
        let wave = Vec3::new((2.1 * x.y).sin(), (1.7 * x.z + x.x).cos(), (2.3 * x.x).sin() * x.y);
        *x += 0.08 * wave;
    }
    assert_eq!(mesh.curved_count(), mesh.elements.len());
    mesh
}

fn body_of(mesh: &QuadraticMesh, material: Material) -> QuadraticTetElasticity {
    QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material).expect("a proper mesh")
}

fn norm(v: &[Vec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

/// Any affine map.
fn affine() -> Mat3 {
    Mat3::from_rotation_y(0.4)
        * Mat3::from_cols_array(&[1.2, 0.1, 0.0, -0.2, 0.8, 0.1, 0.1, 0.0, 1.1])
}

#[test]
fn derivatives_of_curved_elements_agree_with_differences() {
    let mesh = curved(1, 1, 1);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    let stretch = |x, y, z| turn * Mat3::from_diagonal(Vec3::new(x, y, z));
    for material in materials() {
        let term = body_of(&mesh, material);
        for (name, f, size, tolerance) in [
            ("random", turn, 0.05, 1e-7),
            ("stretched", stretch(3.0, 0.6, 1.5), 0.03, 1e-7),
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
fn rigid_motions_of_curved_elements_have_no_energy_and_no_force() {
    let mesh = curved(2, 1, 1);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    let moved: Vec<Vec3> = mesh.positions.iter().map(|x| turn * *x + Vec3::splat(3.0)).collect();
    for material in materials() {
        let term = body_of(&mesh, material);
        for x in [&mesh.positions, &moved] {
            assert!(term.value(0.0, x).abs() < 1e-13, "{material:?}: {}", term.value(0.0, x));
            assert!(norm(&gradient(&term, x)) < 1e-12, "{material:?}");
            assert!((term.certificate(x).min_det_f - 1.0).abs() < 1e-13);
        }
        assert_eq!(term.certificate(&mesh.positions).min_det_f, 1.0, "to the bit at rest");
    }
}

/// The patch test: affine displacements are in the space of isoparametric elements, the stress is uniform, and the
/// rule integrates the forces of a uniform stress exactly.
#[test]
fn an_affine_deformation_of_a_curved_mesh_has_uniform_stress_and_is_in_equilibrium() {
    let mesh = curved(3, 2, 2);
    let surface = mesh.refined().surface().vertices;
    let inside: Vec<usize> =
        (0..mesh.positions.len()).filter(|&n| !surface.contains(&(n as u32))).collect();
    assert!(inside.len() > 20, "{}", inside.len());
    let straight = {
        let (positions, tets) = grid(1, 1, 1);
        TetMesh { positions, tets }.quadratic()
    };
    for material in materials() {
        let f = affine();
        let [term, of_cube] = [&mesh, &straight].map(|mesh| body_of(mesh, material));
        let [x, of_straight] = [&mesh, &straight].map(|mesh| deformed(&mesh.positions, f, 0.0));
        let density = of_cube.value(0.0, &of_straight);
        let (value, want) = (term.value(0.0, &x), density * mesh.volume());
        assert!((value - want).abs() < 1e-12 * want, "{material:?}: {value} {want}");
        let forces = gradient(&term, &x);
        for &node in &inside {
            assert!(forces[node].length() < 1e-13, "{material:?}, {node}: {}", forces[node]);
        }
        let stress = |term: &dyn Energy, x: &[Vec3]| {
            let mut stress = NodalStress::new(x.len());
            term.add_stress(x, &mut stress);
            stress
        };
        let (all, one) = (stress(&term, &x), stress(&of_cube, &of_straight));
        let one = one.cauchy(0).expect("elements are around it");
        for node in 0..x.len() {
            let own = all.cauchy(node).expect("elements are around it");
            assert!(own.abs_diff_eq(one, 1e-12), "{material:?}, {node}: {own} {one}");
        }
        let (bound, det) = (term.certificate(&x).min_det_f, f.determinant());
        assert!((bound - det).abs() < 1e-12, "{bound} {det}");
    }
}

/// History variables are those of points, each with its own rest shape.
#[test]
fn flow_under_an_affine_deformation_is_uniform_in_a_curved_mesh() {
    let mesh = curved(2, 1, 1);
    let flow = VonMises::new(0.03, 0.4).expect("parameters in range");
    let plastic = Material::ElastoPlastic(ElastoPlastic { lame: lame(), flow });
    let viscous = Material::Maxwell(Maxwell::new(0.7, 0.4).expect("parameters in range"));
    let straight = {
        let (positions, tets) = grid(1, 1, 1);
        TetMesh { positions, tets }.quadratic()
    };
    for (material, variables) in [(plastic, 10), (viscous, 15)] {
        let [mut curved, mut cube] =
            [&mesh, &straight].map(|mesh| Evolving::new(body_of(mesh, material)));
        let mut heats = [0.0; 2];
        for (k, strain) in [0.3, -0.2, 0.4].into_iter().enumerate() {
            let stretch = Vec3::new(1.0 + strain, 1.0 - 0.3 * strain, 1.0);
            let f = Mat3::from_diagonal(stretch) * affine();
            for ((term, mesh), heat) in
                [(&mut curved, &mesh), (&mut cube, &straight)].into_iter().zip(&mut heats)
            {
                let x = deformed(&mesh.positions, f, 0.0);
                let time = 0.1 * (k + 1) as f64;
                *heat += term.work(&x, &x, [time - 0.1, time]);
                let taken = term.flow(time, &x);
                *heat += taken.plastic + taken.viscous;
            }
        }
        let [heat, want] = [heats[0], heats[1] * mesh.volume()];
        assert!((heat - want).abs() < 1e-12 * want.abs(), "{material:?}: {heat} {want}");
        let one = cube.variables()[..variables].to_vec();
        for point in curved.variables().chunks_exact(variables) {
            let far = point.iter().zip(&one).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-12, "{material:?}: {point:?} {one:?}");
        }
    }
}

/// An element does not depend on the shape of others, although eight are evaluated together. (Singular values are iterated
/// until those of all eight have converged.)
#[test]
fn straight_elements_beside_a_curved_one_keep_their_forces() {
    let (positions, tets) = grid(2, 1, 1);
    let straight = TetMesh { positions, tets }.quadratic();
    let mut mesh = straight.clone();
    let middle = mesh.elements[0][4];
    mesh.positions[middle as usize] += Vec3::new(0.02, 0.05, -0.03);
    assert!(mesh.curved_count() < mesh.elements.len());
    let untouched = |node: &usize| {
        let around = |e: &&[u32; 10]| e.contains(&(*node as u32));
        mesh.elements.iter().filter(around).all(|e| !e.contains(&middle))
    };
    let far: Vec<usize> = (0..mesh.positions.len()).filter(untouched).collect();
    assert!(far.len() > 10);
    for material in materials() {
        let x = deformed(&straight.positions, affine(), 0.05);
        let [ours, theirs] = [&mesh, &straight].map(|mesh| gradient(&body_of(mesh, material), &x));
        let tolerance = if let Material::NeoHookean(_) = material { 0.0 } else { 1e-13 };
        assert!(
            far.iter().all(|&node| ours[node].distance(theirs[node]) <= tolerance),
            "{material:?}"
        );
        assert!(ours != theirs, "the curved one has another stress");
    }
}

#[test]
fn generated_curved_balls_and_cylinders_are_proper_at_rest() {
    for layers in 1..8 {
        let ball = Ball { radius: 0.7, layers };
        let mesh = ball.build().expect("a ball");
        let mesh = mesh.quadratic_with_curved_edges(&ball.curved_edges(&mesh));
        body_of(&mesh, Material::NeoHookean(lame()));
    }
    for rings in 1..6 {
        let cylinder = Cylinder { radius: 0.7, height: 0.3, rings, layers: 2 };
        let mesh = cylinder.build().expect("a cylinder");
        let mesh = mesh.quadratic_with_curved_edges(&cylinder.curved_edges(&mesh));
        body_of(&mesh, Material::NeoHookean(lame()));
    }
}

/// One element with the middle of an edge at a fraction of it: the map is one-to-one between a quarter and three quarters.
fn with_middle_at(fraction: f64) -> QuadraticMesh {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3]] }.quadratic();
    let middle = mesh.elements[0][4];
    mesh.positions[middle as usize] = Vec3::X * fraction;
    mesh
}

#[test]
fn a_folded_rest_shape_with_sound_corners_is_refused_by_number() {
    let material = Material::Corotated(lame());
    for fraction in [0.26, 0.4, 0.74] {
        body_of(&with_middle_at(fraction), material);
    }
    for fraction in [0.1, 0.24, 0.76] {
        let mesh = with_middle_at(fraction);
        let made = QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material);
        match made.expect_err("folded") {
            ElementError::Folded { elements, total: 1 } => {
                assert!(elements[0].0 == 0 && elements[0].1 <= 0.0, "{elements:?}");
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn inversion_inside_a_curved_element_with_sound_corners_is_certified_and_bounded() {
    let mesh = with_middle_at(0.35);
    let term = body_of(&mesh, Material::NeoHookean(lame()));
    let middle = mesh.elements[0][4] as usize;
    let mut folded = mesh.positions.clone();
    folded[middle] = Vec3::X * 0.2;
    assert!(term.certificate(&folded).inverted, "{:?}", term.certificate(&folded));
    assert_eq!(term.inverted(&folded).len(), 1);
    let bound = term.step_bound(&[Path { from: &mesh.positions, to: &folded }]);
    // The corner is singular where the middle is at a quarter.
    let singular = (0.35 - 0.25) / (0.35 - 0.2);
    assert!(bound > 0.8 * singular && bound < singular, "{bound} {singular}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Against a search over points of each element.
    #[test]
    fn the_bound_of_det_f_of_curved_elements_holds_everywhere(
        size in 0.0f64..0.4, seed in 0usize..1000,
    ) {
        let mesh = curved(1, 1, 1);
        let shake = |i: usize| { let k = 3 * (i + 100 * seed); Vec3::new(noise(k), noise(k + 1), noise(k + 2)) };
        let x: Vec<Vec3> =
            mesh.positions.iter().enumerate().map(|(i, x)| *x + size * shake(i)).collect();
        let term = body_of(&mesh, Material::NeoHookean(lame()));
        let bound = term.certificate(&x).min_det_f;
        let n = 8;
        let mut least = f64::INFINITY;
        for element in &mesh.elements {
            for (i, j, k) in (0..=n).flat_map(|i| (0..=n - i).flat_map(move |j| (0..=n - i - j).map(move |k| (i, j, k)))) {
                let part = |m: usize| m as f64 / n as f64;
                let l = [part(n - i - j - k), part(i), part(j), part(k)];
                least = least.min(determinant(&mesh.positions, &x, element, l));
            }
        }
        prop_assert!(bound <= least + 1e-12, "{bound} {least}");
        prop_assert!(bound > least - 60.0 * size * size - 4.0 * size - 1e-12, "{bound} {least}");
    }
}
