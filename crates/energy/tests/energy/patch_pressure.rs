//! Pressure that follows a part of a surface: when it has a potential, and its derivatives.

use resile_energy::{PatchPressure, Schedule, SurfacePatch};
use resile_system::check::{DenseSink, energy_derivatives};
use resile_system::{Energy as _, Hessian, Mat3, Psd, Vec3};

/// The closed surface of a tetrahedron of ten nodes, its middles off the edges.
fn bulged() -> (Vec<Vec3>, SurfacePatch) {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 1.2, Vec3::new(0.2, 0.1, 0.9)];
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let off = |k: usize| Vec3::new((1.7 * k as f64).sin(), (2.3 * k as f64).cos(), 0.3) * 0.1;
    let middle = |(k, [a, b]): (usize, [usize; 2])| 0.5 * (corners[a] + corners[b]) + off(k);
    let x = corners.into_iter().chain(edges.into_iter().enumerate().map(middle)).collect();
    let quadratic =
        vec![[0, 2, 1, 5, 7, 4], [0, 1, 3, 4, 8, 6], [1, 2, 3, 7, 9, 8], [0, 3, 2, 6, 9, 5]];
    (x, SurfacePatch { triangles: Vec::new(), quadratic })
}

/// Three triangles around a node in the middle, a bump in the plane of x and y.
fn bump() -> (Vec<Vec3>, SurfacePatch) {
    let x = vec![
        Vec3::new(0.1, 0.2, 0.5),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(-0.6, 0.8, 0.1),
        Vec3::new(-0.5, -0.9, -0.1),
    ];
    let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]];
    (x, SurfacePatch { triangles, quadratic: Vec::new() })
}

fn made(patch: SurfacePatch, x: &[Vec3], free: impl Fn(usize) -> Mat3) -> Option<PatchPressure> {
    PatchPressure::new(patch, x, free, 3.0, Schedule::constant(2.0))
}

/// Central differences of value and gradient along free directions.
fn check(load: &PatchPressure, x: &[Vec3], free: impl Fn(usize) -> Mat3) {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    load.add_gradient(0.0, x, 1.0, &mut gradient);
    let mut dense = DenseSink::new(x.len());
    load.add_hessian(0.0, x, Psd::Exact, &mut Hessian::new(&mut dense, 0, 1.0));
    let step = 1e-4;
    for node in 0..x.len() {
        for axis in 0..3 {
            let way = free(node).col(axis);
            let at = |by: f64| {
                let mut moved = x.to_vec();
                moved[node] += way * by;
                let mut gradient = vec![Vec3::ZERO; x.len()];
                load.add_gradient(0.0, &moved, 1.0, &mut gradient);
                (load.value(0.0, &moved), gradient)
            };
            let ((low, below), (high, above)) = (at(-step), at(step));
            let slope = (high - low) / (2.0 * step);
            assert!((slope - gradient[node].dot(way)).abs() < 1e-8, "{node}, {axis}: {slope}");
            for other in 0..x.len() {
                let measured = free(other) * (above[other] - below[other]) / (2.0 * step);
                let column = |row: usize| {
                    (0..3).map(|k| dense.at(3 * other + row, 3 * node + k) * way[k]).sum()
                };
                let told = free(other) * Vec3::new(column(0), column(1), column(2));
                assert!(
                    (measured - told).length() < 1e-7,
                    "{node}, {axis}, {other}: {measured}, {told}"
                );
            }
        }
    }
}

#[test]
fn derivatives_are_those_of_the_value_where_the_rim_is_held() {
    let (x, patch) = bump();
    let free = |node: usize| if node == 0 { Mat3::IDENTITY } else { Mat3::ZERO };
    let load = made(patch, &x, free).expect("the rim is held");
    check(&load, &x, free);
    let mut gradient = vec![Vec3::ZERO; x.len()];
    load.add_gradient(0.0, &x, 1.0, &mut gradient);
    assert!(gradient[0].z > 1.0, "a pressure from above pushes down: {}", gradient[0]);
}

/// An eighth of an octahedron whose three corners move on axes of symmetry, and a quarter that is split, its rim in two planes.
#[test]
fn derivatives_are_those_of_the_value_where_the_rim_moves_in_planes_of_symmetry() {
    let x = vec![Vec3::X * 1.1, Vec3::Y * 0.9, Vec3::Z * 1.3, Vec3::new(0.6, 0.7, 0.8)];
    let triangles = vec![[0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let patch = SurfacePatch { triangles, quadratic: Vec::new() };
    let free = |node: usize| match node {
        3 => Mat3::IDENTITY,
        axis => Mat3::from_diagonal(Vec3::from_array([0, 1, 2].map(|k| f64::from(k == axis)))),
    };
    let load = made(patch, &x, free).expect("the rim is in planes of symmetry");
    check(&load, &x, free);
}

#[test]
fn a_closed_surface_of_quadratic_faces_has_derivatives_whatever_is_held() {
    let (x, patch) = bulged();
    let load = made(patch, &x, |_| Mat3::IDENTITY).expect("it has no rim");
    let errors = energy_derivatives(&load, &x, 1e-4).expect("it acts");
    assert!(errors.gradient < 1e-9 && errors.hessian < 1e-8, "{errors:?}");
    assert!(load.is_translation_invariant());
}

#[test]
fn a_rim_that_moves_freely_has_no_potential() {
    let (x, patch) = bump();
    assert!(made(patch.clone(), &x, |_| Mat3::IDENTITY).is_none());
    // Nor one that moves along x and y, while its edges are not in such planes.
    let plane = Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.0));
    assert!(made(patch, &x, |_| plane).is_none());
}

/// A tube of triangles between the planes z = 1.5 and z = 2.5, `sides` of eight around it.
fn tube(sides: usize) -> (Vec<Vec3>, SurfacePatch) {
    let columns = if sides == 8 { 8 } else { sides + 1 };
    let node = |k: usize| {
        let (angle, row) = (std::f64::consts::FRAC_PI_4 * (k / 3) as f64, k % 3);
        let bulge = if row == 1 { 1.3 } else { 1.0 };
        Vec3::new(bulge * angle.cos(), 1.2 * angle.sin(), 1.5 + 0.5 * row as f64)
    };
    let cell = |k: usize| {
        let [a, b] = [k / 2, (k / 2 + 1) % columns].map(|column| (3 * column + k % 2) as u32);
        [[a, b, b + 1], [a, b + 1, a + 1]]
    };
    let triangles = (0..2 * sides).flat_map(cell).collect();
    ((0..3 * columns).map(node).collect(), SurfacePatch { triangles, quadratic: Vec::new() })
}

/// Whole, a quarter between two more planes of symmetry, and a quarter between two parallel ones.
#[test]
fn derivatives_are_those_of_the_value_where_the_rim_moves_in_parallel_planes() {
    let diagonal = |x: f64, y: f64, z: f64| Mat3::from_diagonal(Vec3::new(x, y, z));
    for (sides, last) in [(8, [1.0, 1.0]), (2, [0.0, 1.0]), (2, [1.0, 0.0])] {
        let (x, patch) = tube(sides);
        let free = |node: usize| {
            let z = f64::from(u8::from(node % 3 == 1));
            match (sides, node / 3) {
                (2, 0) => diagonal(1.0, 0.0, z),
                (2, 2) => diagonal(last[0], last[1], z),
                _ => diagonal(1.0, 1.0, z),
            }
        };
        let load = made(patch, &x, free).expect("the rim is in planes of symmetry");
        check(&load, &x, free);
    }
}
