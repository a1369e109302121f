//! Stiffness of loads that follow the deformation, against finite differences of their forces.

use crate::common::*;
use resile_energy::{FollowerLaw, FollowerLoad, Liquid, Schedule, SpreadTorque, SurfacePatch};
use resile_math::Vec3;
use resile_system::check::DenseSink;
use resile_system::{Dissipation, Hessian};

/// Half of the interval of central differences (m): the forces are polynomials of second degree in most of the laws.
const STEP: f64 = 1e-5;

/// Minus the forces of a load (N) at rest.
fn gradient(load: &dyn Dissipation, x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    load.lagged(x).add_gradient(0.0, &vec![Vec3::ZERO; x.len()], 1.0, &mut gradient);
    gradient
}

/// The field of unit displacement of one coordinate.
fn unit(node_count: usize, coordinate: usize) -> Vec<Vec3> {
    let mut field = vec![Vec3::ZERO; node_count];
    field[coordinate / 3][coordinate % 3] = 1.0;
    field
}

/// The column of the derivative of [`gradient`] by a coordinate, from central differences.
fn measured_column(load: &dyn Dissipation, x: &[Vec3], coordinate: usize) -> Vec<f64> {
    let direction = unit(x.len(), coordinate);
    let gradient_at = |by: f64| {
        let moved: Vec<Vec3> = x.iter().zip(&direction).map(|(x, u)| *x + *u * by).collect();
        gradient(load, &moved)
    };
    let pairs = gradient_at(STEP).into_iter().zip(gradient_at(-STEP));
    pairs.flat_map(|(high, low)| ((high - low) / (2.0 * STEP)).to_array()).collect()
}

/// Largest error of the symmetric part and of the antisymmetric part, and largest entries of both.
fn compare(load: &dyn Dissipation, x: &[Vec3]) -> ([f64; 2], [f64; 2]) {
    let size = 3 * x.len();
    let columns: Vec<Vec<f64>> = (0..size).map(|c| measured_column(load, x, c)).collect();
    let mut dense = DenseSink::new(x.len());
    load.add_load_stiffness(0.0, x, &mut Hessian::new(&mut dense, 0, 1.0));
    let (mut errors, mut largest) = ([0.0f64; 2], [0.0f64; 2]);
    for c in 0..size {
        let mut product = vec![Vec3::ZERO; x.len()];
        load.add_antisymmetric_load(0.0, (x, &unit(x.len(), c)), 1.0, &mut product);
        for r in 0..size {
            let parts = [
                (0.5 * (columns[c][r] + columns[r][c]), dense.at(r, c)),
                (0.5 * (columns[c][r] - columns[r][c]), product[r / 3][r % 3]),
            ];
            for (k, (measured, told)) in parts.into_iter().enumerate() {
                errors[k] = errors[k].max((measured - told).abs());
                largest[k] = largest[k].max(told.abs());
            }
        }
    }
    (errors, largest)
}

fn check(name: &str, law: FollowerLaw, x: &[Vec3]) {
    let load = FollowerLoad::new(law, Schedule::constant(-2.0));
    let (errors, largest) = compare(&load, x);
    for k in 0..2 {
        assert!(largest[k] > 0.1, "{name}: part {k} is not active, {}", largest[k]);
        assert!(errors[k] < 1e-8 * largest[k], "{name}: part {k} is wrong by {}", errors[k]);
    }
}

/// A sheet of two squares, bent and twisted.
fn sheet() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let node = |(u, v): (f64, f64)| Vec3::new(u, v + 0.1 * u, 0.3 * u * v - 0.2 * v * v + 0.05 * u);
    let grid = [(0., 0.), (1., 0.), (2., 0.), (0., 1.), (1., 1.), (2., 1.)];
    let triangles = vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    (grid.into_iter().map(node).collect(), triangles)
}

#[test]
fn load_stiffness_of_pressure_is_the_derivative_of_its_forces() {
    let (x, triangles) = sheet();
    let patch = SurfacePatch { triangles, quadratic: Vec::new() };
    check("linear faces", FollowerLaw::Pressure(patch, 3.0), &x);
    let x = [(0., 0.), (1., 0.), (0., 1.), (0.5, 0.05), (0.55, 0.5), (-0.03, 0.5)];
    let x: Vec<Vec3> = x.map(|(u, v)| Vec3::new(u, v, 0.3 * u * u - 0.4 * u * v)).to_vec();
    let patch = SurfacePatch { triangles: Vec::new(), quadratic: vec![[0, 1, 2, 3, 4, 5]] };
    check("a curved quadratic face", FollowerLaw::Pressure(patch, 3.0), &x);
}

/// The surface of the liquid cuts triangles; one triangle is dry.
#[test]
fn load_stiffness_of_a_liquid_is_the_derivative_of_its_forces() {
    let (x, triangles) = sheet();
    for inside in [false, true] {
        let liquid = Liquid { surface: Vec3::X * 0.7, weight: Vec3::new(-4.0, 1.0, -2.0), inside };
        check("a liquid", FollowerLaw::Hydrostatic(triangles.clone(), liquid), &x);
    }
}

#[test]
fn load_stiffness_of_a_torque_is_the_derivative_of_its_forces() {
    let (x, _) = sheet();
    let weights = [1.0, 2.0, 0.5, 0.0, 1.5, 0.7];
    let weights = weights.into_iter().enumerate().collect();
    let torque = SpreadTorque::new(Vec3::new(3.0, -2.0, 0.7), weights).expect("finite weights");
    check("a torque", FollowerLaw::Torque(torque), &x);
}

/// A pressure on a surface whose rim is held has a potential in the free directions.
#[test]
fn antisymmetric_part_of_pressure_vanishes_where_the_rim_is_held() {
    let (x, triangles) = grid_sheet();
    let patch = SurfacePatch { triangles, quadratic: Vec::new() };
    let load = FollowerLoad::new(FollowerLaw::Pressure(patch, 3.0), Schedule::constant(1.0));
    let inner = 4;
    let mut u = vec![Vec3::ZERO; x.len()];
    u[inner] = Vec3::new(0.3, -0.5, 0.7);
    let mut product = vec![Vec3::ZERO; x.len()];
    load.add_antisymmetric_load(0.0, (&x, &u), 1.0, &mut product);
    assert!(product[inner].length() < 1e-14, "{}", product[inner]);
    u[0] = Vec3::Z;
    load.add_antisymmetric_load(0.0, (&x, &u), 1.0, &mut product);
    assert!(product[0].length() > 0.1, "the rim is free: {}", product[0]);
}

/// Three by three nodes, of which only the fourth is not at the rim.
fn grid_sheet() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let node = |k: usize| {
        let (u, v) = ((k % 3) as f64, (k / 3) as f64);
        Vec3::new(u, v, 0.2 * noise(k))
    };
    let cell = |k: u32| [[k, k + 1, k + 4], [k, k + 4, k + 3]];
    ((0..9).map(node).collect(), [0, 1, 3, 4].into_iter().flat_map(cell).collect())
}

/// The torque of a follower torque is constant, so a rigid rotation of its nodes turns the forces only by the change of
/// the arms: the derivative along the rotation about the torque's axis is that of the turned forces.
#[test]
fn load_stiffness_follows_rotations_about_the_axis_of_a_torque() {
    let (x, _) = sheet();
    let axis = Vec3::new(1.0, 2.0, -0.5);
    let weights = (0..x.len()).map(|i| (i, 1.0 + noise(i).abs())).collect();
    let torque = SpreadTorque::new(axis, weights).expect("finite weights");
    let load = FollowerLoad::new(FollowerLaw::Torque(torque), Schedule::constant(1.0));
    let spin: Vec<Vec3> = x.iter().map(|x| axis.cross(*x)).collect();
    let mut dense = DenseSink::new(x.len());
    load.add_load_stiffness(0.0, &x, &mut Hessian::new(&mut dense, 0, 1.0));
    let mut change = vec![Vec3::ZERO; x.len()];
    load.add_antisymmetric_load(0.0, (&x, &spin), 1.0, &mut change);
    for (row, u) in spin.iter().flat_map(|u| u.to_array()).enumerate() {
        (0..x.len())
            .for_each(|i| (0..3).for_each(|k| change[i][k] += dense.at(3 * i + k, row) * u));
    }
    for (gradient, change) in gradient(&load, &x).into_iter().zip(change) {
        assert!((axis.cross(gradient) - change).length() < 1e-10, "{change}");
        assert!(change.length() > 0.1);
    }
}
