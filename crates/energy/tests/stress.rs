//! Stress at nodes against what a uniform deformation has everywhere.

use resile_energy::{Lame, Material, QuadraticTetElasticity, TetElasticity};
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
            let found = stress.density(node).expect("elements are around every node");
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
    stress.add(1, 0.5, &Strained { gradient, cauchy: Mat3::IDENTITY, density: 3.0 });
    assert_eq!((stress.cauchy(0), stress.density(0), stress.von_mises(0)), (None, None, None));
    assert_eq!((stress.cauchy(1), stress.density(1)), (Some(Mat3::IDENTITY), Some(3.0)));
    assert_eq!((stress.stretches(0), stress.stretches(1)), (None, Some(Vec3::new(3.0, 2.0, 1.0))));
}
