//! Stress at nodes against what a uniform deformation has everywhere.

use resile_energy::{
    Lame, Material, MembraneLaw, QuadraticTetElasticity, SheetMaterial, ShellMembrane,
    TetElasticity,
};
use resile_mesh::generate::BoxGrid;
use resile_system::{Energy, Mat3, NodalStress, Strained, Vec3, von_mises};

const YOUNG: f64 = 1e6;

fn stress_of(energy: &dyn Energy, rest: &[Vec3], f: Mat3) -> NodalStress {
    let x: Vec<Vec3> = rest.iter().map(|&p| f * p + Vec3::new(3.0, -1.0, 2.0)).collect();
    let mut stress = NodalStress::new(x.len());
    energy.add_stress(&x, &mut stress);
    stress
}

fn bodies(material: Material) -> Vec<(Box<dyn Energy>, Vec<Vec3>)> {
    let grid = BoxGrid { cells: [2, 1, 3], size: Vec3::new(0.2, 0.1, 0.4) };
    let mesh = grid.build().expect("it is a box");
    let linear = TetElasticity::new(&mesh.positions, &mesh.tets, material).expect("it is a mesh");
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let middles = edges.map(|[i, j]: [usize; 2]| (corners[i] + corners[j]) * 0.5);
    let ten = [&corners[..], &middles[..]].concat();
    let nodes = std::array::from_fn(|k| k as u32);
    let quadratic = QuadraticTetElasticity::new(&ten, &[nodes], material).expect("it is a mesh");
    vec![(Box::new(linear), mesh.positions), (Box::new(quadratic), ten)]
}

/// `P F^T / det F` of neo-Hookean material is `(mu (F F^T - I) + lambda ln J I) / J`.
#[test]
fn a_uniform_deformation_has_its_cauchy_stress_at_every_node() {
    let lame = Lame::from_young_poisson(YOUNG, 0.3).expect("it is a material");
    let f = Mat3::from_cols_array(&[1.2, 0.1, -0.05, 0.2, 0.9, 0.1, 0.0, -0.3, 1.1]);
    let (mu, lambda, j) = (lame.mu(), lame.lambda(), f.determinant());
    let identity = Mat3::IDENTITY;
    let expected = ((f * f.transpose() - identity) * mu + identity * (lambda * j.ln())) * (1.0 / j);
    let trace = (f.transpose() * f).to_cols_array().iter().step_by(4).sum::<f64>();
    let density = 0.5 * mu * (trace - 3.0) - mu * j.ln() + 0.5 * lambda * j.ln().powi(2);
    for (energy, rest) in bodies(Material::NeoHookean(lame)) {
        let stress = stress_of(&*energy, &rest, f);
        for node in 0..stress.node_count() {
            let found = stress.cauchy(node).expect("elements are around every node");
            let apart = (found - expected).to_cols_array();
            assert!(apart.iter().all(|a| a.abs() < 1e-9 * YOUNG), "{found} for {expected}");
            let found = stress.energy_density(node).expect("elements are around every node");
            assert!((found - density).abs() < 1e-9 * YOUNG, "{found} for {density}");
            let found = stress.determinant(node).expect("elements are around every node");
            assert!((found - j).abs() < 1e-12, "{found} for {j}");
            let found = stress.green(node).expect("elements are around every node");
            let apart = (found - (f.transpose() * f - identity) * 0.5).to_cols_array();
            assert!(apart.iter().all(|a| a.abs() < 1e-12), "{found}");
            let [a, b, c] = stress.stretches(node).expect("elements are around it").to_array();
            assert!(a >= b && b >= c, "the largest first");
            assert!((a * b * c - j).abs() < 1e-12 && (a * a + b * b + c * c - trace).abs() < 1e-12);
        }
    }
}

/// Strains of linear elasticity are infinitesimal: its stress is `2 mu e + lambda tr e I`, proportional to the load.
#[test]
fn linear_elasticity_has_the_stress_of_hooke() {
    let lame = Lame::from_young_poisson(YOUNG, 0.3).expect("it is a material");
    let gradient = Mat3::from_cols_array(&[1.2, 0.1, -0.05, 0.2, 0.9, 0.1, 0.0, -0.3, 1.1]);
    let strain = (gradient + gradient.transpose()) * 0.5 - Mat3::IDENTITY;
    let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
    let expected = strain * (2.0 * lame.mu()) + Mat3::IDENTITY * (lame.lambda() * trace);
    for (energy, rest) in bodies(Material::Linear(lame)) {
        let stress = stress_of(&*energy, &rest, gradient);
        for node in 0..stress.node_count() {
            let found = stress.cauchy(node).expect("elements are around every node");
            let apart = (found - expected).to_cols_array();
            assert!(apart.iter().all(|a| a.abs() < 1e-9 * YOUNG), "{found} for {expected}");
        }
    }
}

#[test]
fn von_mises_is_the_tension_of_a_bar_and_root_three_times_a_shear() {
    let tension = Mat3::from_diagonal(Vec3::new(0.0, 7.0, 0.0));
    assert!((von_mises(tension) - 7.0).abs() < 1e-14);
    let shear = Mat3::from_cols(Vec3::Y * 2.0, Vec3::X * 2.0, Vec3::ZERO);
    assert!((von_mises(shear) - 12f64.sqrt()).abs() < 1e-14);
    assert_eq!(von_mises(Mat3::IDENTITY * 5.0), 0.0);
}

#[test]
fn nodes_without_elements_have_none() {
    let mut stress = NodalStress::new(2);
    let gradient = Mat3::from_diagonal(Vec3::new(1.0, 3.0, 2.0));
    stress.add(1, 0.5, &Strained { gradient, cauchy: Mat3::IDENTITY, energy_density: 3.0 });
    stress.add_plastic_strain(1, 0.5, 0.25);
    assert_eq!(
        (stress.cauchy(0), stress.energy_density(0), stress.von_mises(0)),
        (None, None, None)
    );
    assert_eq!((stress.cauchy(1), stress.energy_density(1)), (Some(Mat3::IDENTITY), Some(3.0)));
    assert_eq!((stress.plastic_strain(0), stress.plastic_strain(1)), (None, Some(0.25)));
    assert_eq!((stress.stretches(0), stress.stretches(1)), (None, Some(Vec3::new(3.0, 2.0, 1.0))));
}

/// A strip of two triangles of different shapes, in a plane that is no coordinate plane, and its axes.
fn strip(law: fn(SheetMaterial) -> MembraneLaw, poisson: f64) -> (ShellMembrane, Vec<Vec3>, Mat3) {
    let axes = Mat3::from_axis_angle(Vec3::new(1.0, -2.0, 0.5).normalize(), 0.8);
    let flat = [(0.0, 0.0), (0.3, 0.0), (0.35, 0.1), (0.0, 0.2)];
    let rest: Vec<Vec3> = flat.iter().map(|&(x, y)| axes * Vec3::new(x, y, 0.0)).collect();
    let sheet = SheetMaterial::new(YOUNG, poisson, 2e-3).expect("it is a material");
    let membrane = ShellMembrane::new(&rest, &[[0, 1, 2], [0, 2, 3]], law(sheet))
        .and_then(|membrane| membrane.with_thickness(2e-3))
        .expect("it is a mesh");
    (membrane, rest, axes)
}

fn laws() -> [fn(SheetMaterial) -> MembraneLaw; 2] {
    [|s| MembraneLaw::StVenantKirchhoff(s.plane()), |s| MembraneLaw::NeoHookean(s.plane())]
}

/// A strip that is drawn out and free to become narrower: its stress is Young's modulus times its strain,
/// along it and nowhere else, wherever it lies and however it has been turned.
#[test]
fn a_shell_that_is_drawn_has_the_stress_and_the_thickness_of_a_bar() {
    for law in laws() {
        for (poisson, strain) in [(0.0, 1e-6), (0.3, 1e-6), (0.5, -1e-6)] {
            let (membrane, rest, axes) = strip(law, poisson);
            let turn = Mat3::from_axis_angle(Vec3::new(0.3, 1.0, 2.0).normalize(), 2.0);
            let narrow = 1.0 - poisson * strain;
            let stretch = Mat3::from_diagonal(Vec3::new(1.0 + strain, narrow, narrow));
            let expected_f = turn * axes * stretch * axes.transpose();
            let stress = stress_of(&membrane, &rest, expected_f);
            let along = turn * axes * Vec3::X;
            let tension = Mat3::from_cols(along * along.x, along * along.y, along * along.z);
            for node in 0..4 {
                let apart = stress.cauchy(node).expect("a shell") - tension * (YOUNG * strain);
                let size = apart.to_cols_array().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
                assert!(size < 1e-5 * YOUNG * strain.abs(), "{apart}");
                let thickness = stress.thickness(node).expect("a shell");
                assert!((thickness / 2e-3 - narrow).abs() < 1e-11, "{thickness}");
                let green = (expected_f.transpose() * expected_f - Mat3::IDENTITY) * 0.5;
                let apart = (stress.green(node).expect("a shell") - green).to_cols_array();
                assert!(apart.iter().all(|a| a.abs() < 1e-11), "{apart:?}");
            }
        }
    }
}

/// Far from rest: the Cauchy stress times the area of a cut is the force, and the energy density the energy.
#[test]
fn a_shell_s_stress_does_the_work_that_its_energy_says() {
    for law in laws() {
        let (membrane, rest, axes) = strip(law, 0.4);
        let at = |along: f64| {
            let local = Mat3::from_cols_array(&[along, 0.1, 0.0, 0.2, 0.9, 0.0, 0.0, 0.0, 1.0]);
            axes * local * axes.transpose()
        };
        let (f, step) = (at(1.3), 1e-6);
        let stress = stress_of(&membrane, &rest, f);
        // By virtual work: d psi / d along = (J sigma F^-T) : dF / d along, all by volume at rest.
        let density = |f: Mat3| stress_of(&membrane, &rest, f).energy_density(0).expect("a shell");
        let slope = (density(at(1.3 + step)) - density(at(1.3 - step))) / (2.0 * step);
        // The gradient with the thickness as it is, which does not change to first order in plane stress.
        let third = stress.thickness(0).expect("a shell") / 2e-3;
        let normal = axes * Vec3::Z;
        let outer = Mat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        let whole = f + outer * (third - 1.0);
        let sigma = stress.cauchy(0).expect("a shell");
        let piola = sigma * whole.inverse().transpose() * whole.determinant();
        let along = axes * Vec3::X;
        let power = along.dot(piola * along);
        assert!((power / slope - 1.0).abs() < 1e-7, "{power} for {slope}");
        assert!(
            (stress.determinant(0).expect("a shell") / whole.determinant() - 1.0).abs() < 1e-12
        );
    }
}

#[test]
fn shell_without_thickness_has_no_stress() {
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let sheet = SheetMaterial::new(YOUNG, 0.3, 1e-3).expect("it is a material");
    let law = MembraneLaw::NeoHookean(sheet.plane());
    let membrane = || ShellMembrane::new(&rest, &[[0, 1, 2]], law).expect("it is a mesh");
    assert_eq!(stress_of(&membrane(), &rest, Mat3::IDENTITY).von_mises(0), None);
    let thin = membrane().with_thickness(1e-3).expect("it is a thickness");
    assert_eq!(stress_of(&thin, &rest, Mat3::IDENTITY).thickness(0), Some(1e-3));
    assert!(membrane().with_thickness(-1.0).is_err());
}
