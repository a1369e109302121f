//! The masses of a solid's nodes have its mass, its centre and its moments of inertia.

use proptest::prelude::*;
use resile_math::{Mat3, Vec3, outer};
use resile_mesh::generate::{Ball, BoxGrid, Cylinder};
use resile_mesh::{Moments, TetMesh};

/// Of what its masses are, nothing is smaller than this part of the lumped ones.
const MIN_MASS_FRACTION: f64 = 0.1 - 1e-6;

fn cube(cells: [usize; 3]) -> TetMesh {
    BoxGrid { cells, size: Vec3::new(1.0, 0.7, 1.3) }.build().unwrap()
}

fn solids() -> Vec<TetMesh> {
    let mut solids: Vec<TetMesh> = (2..=6).map(|n| cube([n; 3])).collect();
    solids.extend([2, 3, 5].map(|layers| Ball { radius: 0.7, layers }.build().unwrap()));
    solids.push(Cylinder { radius: 0.3, height: 1.0, rings: 2, layers: 3 }.build().unwrap());
    solids.push(cube([2, 3, 12]));
    solids
}

/// Mass, centre and second moments about it of point masses.
fn of_points(points: &[Vec3], masses: &[f64]) -> (f64, Vec3, Mat3) {
    let mass: f64 = masses.iter().sum();
    let first: Vec3 = points.iter().zip(masses).map(|(p, m)| *p * *m).sum();
    let center = first / mass;
    let second = |(p, m): (&Vec3, &f64)| outer(*p - center, *p - center) * *m;
    let sum = points.iter().zip(masses).map(second).fold(Mat3::ZERO, |sum, one| sum + one);
    (mass, center, sum)
}

/// Asserts that point masses are those of a solid of unit density, to `tolerance`.
fn assert_equimomental(mesh: &TetMesh, masses: &[f64], tolerance: f64) {
    let Moments { volume, center, second } = mesh.moments().unwrap();
    let (mass, middle, found) = of_points(&mesh.positions, masses);
    let size = (second.x_axis.x + second.y_axis.y + second.z_axis.z) / volume;
    assert!((mass / volume - 1.0).abs() < tolerance, "{mass} {volume}");
    assert!(middle.distance(center) < tolerance * size.sqrt(), "{middle} {center}");
    let error = (found - second).to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    assert!(error < tolerance * size * volume, "{found} {second}");
    assert!(mesh.moments().unwrap().inertia_error(&mesh.positions, masses) < 10.0 * tolerance);
}

fn assert_not_below_a_tenth(mesh: &TetMesh, masses: &[f64]) {
    let lumped = mesh.lumped_masses(1.0);
    let smallest = masses.iter().zip(&lumped).map(|(m, l)| m / l).fold(f64::INFINITY, f64::min);
    assert!(smallest >= MIN_MASS_FRACTION, "{smallest}");
}

#[test]
fn node_masses_have_the_moments_of_solids_of_two_or_more_cells() {
    for mesh in solids() {
        let masses = mesh.node_masses(1.0);
        assert_equimomental(&mesh, &masses, 1e-12);
        assert_not_below_a_tenth(&mesh, &masses);
    }
}

#[test]
fn lumped_masses_of_a_coarse_cube_overestimate_inertia_by_half() {
    let mesh = BoxGrid { cells: [2; 3], size: Vec3::splat(0.1) }.build().unwrap();
    let moments = mesh.moments().unwrap();
    let error = moments.inertia_error(&mesh.positions, &mesh.lumped_masses(1000.0));
    assert!((error - 0.5).abs() < 0.2, "{error}");
    let second = of_points(&mesh.positions, &mesh.node_masses(1000.0)).2;
    assert!((second.x_axis.x + second.z_axis.z - 0.1 * 0.1 / 6.0).abs() < 1e-15);
}

#[test]
fn unreachable_moments_are_approximated_optimally() {
    // All corners of a box are as far from its middle: the products can be had, the squares not.
    let mesh = cube([1; 3]);
    let masses = mesh.node_masses(1.0);
    let moments = mesh.moments().unwrap();
    let (mass, center, second) = of_points(&mesh.positions, &masses);
    assert!((mass - moments.volume).abs() < 1e-12 && center.distance(moments.center) < 1e-12);
    let off = [second.x_axis.y, second.x_axis.z, second.y_axis.z];
    assert!(off.iter().all(|o| o.abs() < 1e-12), "{second}");
    let error = moments.inertia_error(&mesh.positions, &masses);
    assert!((error - 2.0).abs() < 1e-9, "three times the moments of inertia: {error}");
    assert_not_below_a_tenth(&mesh, &masses);

    // Of a beam one cell thick only the one square cannot be had.
    let beam = cube([1, 4, 20]);
    let masses = beam.node_masses(1.0);
    let (_, _, second) = of_points(&beam.positions, &masses);
    let expected = beam.moments().unwrap().second;
    for (i, j) in [(1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
        let error = (second.col(i)[j] - expected.col(i)[j]).abs();
        assert!(error < 1e-12 * expected.col(i)[i].max(expected.col(j)[j]), "{i} {j} {error:e}");
    }
    assert!(second.x_axis.x > 2.9 * expected.x_axis.x);
    assert_not_below_a_tenth(&beam, &masses);
}

#[test]
fn each_component_of_a_body_keeps_its_own_moments() {
    let (mut both, second) = (cube([2; 3]), Ball { radius: 0.4, layers: 2 }.build().unwrap());
    let alone = [both.node_masses(2.0), second.node_masses(2.0)].concat();
    let first = both.positions.len() as u32;
    both.positions.extend(second.positions.iter().map(|p| *p + 3.0 * Vec3::X));
    both.tets.extend(second.tets.iter().map(|tet| tet.map(|node| node + first)));
    let masses = both.node_masses(2.0);
    assert!(masses.iter().zip(&alone).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn single_tetrahedron_keeps_lumped_quarters() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3]] };
    assert!(mesh.node_masses(24.0).iter().all(|m| (m - 1.0).abs() < 1e-12));
}

/// A box whose nodes gather at its sides, the more the larger the power.
fn gathered_outside(power: f64) -> TetMesh {
    let mut mesh = BoxGrid { cells: [3; 3], size: Vec3::ONE }.build().unwrap();
    let outward = |x: f64| 0.5 * x.signum() * (2.0 * x.abs()).powf(1.0 / power);
    mesh.positions.iter_mut().for_each(|p| *p = Vec3::from_array(p.to_array().map(outward)));
    mesh
}

#[test]
fn moments_are_exact_with_active_mass_bounds() {
    let mut touched = 0;
    for power in [1.0, 1.2, 1.4, 1.6] {
        let mesh = gathered_outside(power);
        let (masses, lumped) = (mesh.node_masses(1.0), mesh.lumped_masses(1.0));
        touched += masses.iter().zip(&lumped).filter(|(m, l)| **m < 0.1001 * **l).count();
        assert_not_below_a_tenth(&mesh, &masses);
        assert_equimomental(&mesh, &masses, 1e-12);
    }
    assert!(touched > 0, "no limit was touched");
}

#[test]
fn mass_and_centre_are_exact_if_bounds_exclude_the_moments() {
    // No node is nearer to the middle planes than the radius of gyration.
    let mesh = gathered_outside(2.5);
    let masses = mesh.node_masses(1.0);
    assert_not_below_a_tenth(&mesh, &masses);
    let (mass, center, second) = of_points(&mesh.positions, &masses);
    let moments = mesh.moments().unwrap();
    assert!((mass - moments.volume).abs() < 1e-12 && center.distance(moments.center) < 1e-12);
    let lumped = of_points(&mesh.positions, &mesh.lumped_masses(1.0)).2;
    for axis in 0..3 {
        let expected = moments.second.col(axis)[axis];
        let [actual, reference] = [second, lumped].map(|m| m.col(axis)[axis] / expected - 1.0);
        assert!(actual > 0.0 && actual < 0.5 * reference, "{actual} {reference}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: proptest::test_runner::RngSeed::Fixed(14),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Masses go with any affine map of the solid.
    #[test]
    fn affine_map_scales_all_masses_by_its_determinant(
        columns in prop::array::uniform3(prop::array::uniform3(-1.0..1.0_f64)),
        shift in prop::array::uniform3(-5.0..5.0_f64),
        which in 0..10_usize,
    ) {
        let [x, y, z] = columns.map(Vec3::from_array);
        let map = Mat3::from_cols(x, y, z) + Mat3::from_diagonal(Vec3::splat(2.2));
        prop_assume!(map.determinant() > 0.1);
        let mesh = solids().swap_remove(which);
        let mut image = mesh.clone();
        image.positions.iter_mut().for_each(|p| *p = map * *p + Vec3::from_array(shift));
        let masses = image.node_masses(1.0);
        assert_equimomental(&image, &masses, 2e-12);
        for (mass, before) in masses.iter().zip(mesh.node_masses(1.0)) {
            prop_assert!((mass / (map.determinant() * before) - 1.0).abs() < 1e-9);
        }
    }
}
