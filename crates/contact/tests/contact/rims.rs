//! Area weights at sharp edges.

use crate::common::{arrange, cube, point, rotation};
use proptest::prelude::*;
use resile_contact::{
    Barrier, BarrierPotential, Candidates, CollisionMesh, CollisionScene, Embedding, Plane, Psd,
};
use resile_system::Vec3;
use std::sync::Arc;

const D_HAT: f64 = 0.02;
const POTENTIAL: BarrierPotential =
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat: D_HAT, kappa: 1e5 };
/// Weight of a triangle perpendicular to the plane.
const MIN_WEIGHT: f64 = 0.1;
const FLOOR: Plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 1 };

/// A cube of one metre above the plane y = 0, as a body with a node at each vertex or as an affine body.
fn on_floor(cells: usize, is_affine: bool) -> (CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(cells);
    let weights = |p: &Vec3| [1.0 - p.x - p.y - p.z, p.x, p.y, p.z];
    let embedding = |p: &Vec3| Embedding { nodes: [0, 1, 2, 3], weights: weights(p) };
    let mesh = match is_affine {
        true => CollisionMesh::embedded(&rest, &triangles, rest.iter().map(embedding).collect(), 4),
        false => CollisionMesh::new(&rest, &triangles),
    };
    let mesh = Arc::new(mesh.expect("a proper surface").with_rim_weights(&rest));
    let nodes = if is_affine { vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z] } else { rest };
    (arrange(&[mesh], vec![FLOOR], vec![], 0.0), nodes)
}

fn energy(scene: &CollisionScene, x: &[Vec3]) -> f64 {
    POTENTIAL.value(scene, &Candidates::near(scene, x, D_HAT), x)
}

fn gradient(scene: &CollisionScene, x: &[Vec3]) -> Vec<Vec3> {
    POTENTIAL.gradient(scene, &Candidates::near(scene, x, D_HAT), x)
}

/// Lifts `x`, turned by `turn`, so that its lowest point is `height` (m) above the floor.
fn placed(x: &[Vec3], turn: impl Fn(Vec3) -> Vec3, height: f64) -> Vec<Vec3> {
    let turned: Vec<Vec3> = x.iter().map(|p| turn(*p)).collect();
    turned.iter().map(|p| *p + Vec3::Y * (height - lowest(&turned))).collect()
}

fn lowest(x: &[Vec3]) -> f64 {
    x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
}

#[test]
fn face_on_a_plane_has_the_energy_of_its_area() {
    for (cells, is_affine) in [(1, false), (2, true), (5, false)] {
        let (scene, x) = on_floor(cells, is_affine);
        for gap in [0.1, 0.5, 0.9] {
            let found = energy(&scene, &placed(&x, |p| p, gap * D_HAT));
            // Half of the lowest row of triangles of each side, without them the area of the face.
            let of_sides = 4.0 * 0.5 / cells as f64;
            let b = POTENTIAL.barrier.at(gap * D_HAT, D_HAT).value;
            let want = POTENTIAL.kappa * D_HAT * (1.0 + MIN_WEIGHT * of_sides) * b;
            assert!((found / want - 1.0).abs() < 1e-12, "{found} for {want}");
        }
    }
}

#[test]
fn face_on_a_plane_has_the_forces_of_constant_areas() {
    let (rest, triangles) = cube(2);
    let (scene, x) = on_floor(2, false);
    let gap = 0.3 * D_HAT;
    let gradient = gradient(&scene, &placed(&x, |p| p, gap));
    for (i, (p, g)) in rest.iter().zip(gradient).enumerate() {
        let share = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| rest[k as usize]);
            let is_level = a.y == b.y && b.y == c.y;
            let area = (b - a).cross(c - a).length() / 6.0;
            let is_adjacent = p.y == 0.0 && t.contains(&(i as u32));
            if is_adjacent { area * if is_level { 1.0 } else { MIN_WEIGHT } } else { 0.0 }
        };
        let area: f64 = triangles.iter().map(share).sum();
        let per_area = POTENTIAL.kappa * D_HAT * POTENTIAL.barrier.at(gap, D_HAT).first;
        let want = Vec3::Y * (per_area * area);
        assert!(g.distance(want) <= 1e-12 * per_area.abs(), "{g} for {want}");
    }
}

proptest! {
    /// States with sides tilted by 53 to 90 degrees, as well as any others.
    #[test]
    fn derivatives_of_tilted_cubes_equal_differences(
        angles in point(1.0), strain in point(0.1), gap in 0.1f64..0.8, is_affine in prop::bool::ANY,
        direction in prop::array::uniform32(-1.0f64..1.0),
    ) {
        let (scene, x) = on_floor(1, is_affine);
        let turn = rotation(angles * 0.9);
        let deformed = |p: Vec3| turn(p + strain * p.x * p.y + Vec3::new(strain.y, strain.z, strain.x) * p.z);
        let x: Vec<Vec3> = x.iter().map(|p| deformed(*p)).collect();
        let low = lowest(&scene.colliders()[0].mesh.points(&x));
        let x: Vec<Vec3> = x.iter().map(|p| *p + Vec3::Y * (gap * D_HAT - low)).collect();
        let v: Vec<Vec3> =
            (0..x.len()).map(|k| Vec3::from_slice(&direction[3 * k..3 * k + 3])).collect();
        let eps = 1e-7;
        let moved = |s: f64| -> Vec<Vec3> { x.iter().zip(&v).map(|(x, v)| *x + *v * (s * eps)).collect() };
        let all = gradient(&scene, &x);
        let slope = (energy(&scene, &moved(1.0)) - energy(&scene, &moved(-1.0))) / (2.0 * eps);
        let want: f64 = all.iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
        let size: f64 = all.iter().map(|g| g.length()).sum();
        prop_assert!((slope - want).abs() < 1e-5 * size, "{} for {}", slope, want);
        let near = Candidates::near(&scene, &x, D_HAT);
        let product = POTENTIAL.hessian(&scene, &near, &x, Psd::Exact).times(&v);
        let size = product.iter().map(|p| p.length()).fold(0.0, f64::max);
        let (after, before) = (gradient(&scene, &moved(1.0)), gradient(&scene, &moved(-1.0)));
        for (k, product) in product.iter().enumerate() {
            let difference = (after[k] - before[k]) / (2.0 * eps);
            prop_assert!(difference.distance(*product) < 1e-4 * size, "{} for {}", difference, product);
        }
        // The weights depend on heights alone: no force along the plane.
        prop_assert!(all.iter().all(|g| g.x == 0.0 && g.z == 0.0));
        let clamped = POTENTIAL.hessian(&scene, &near, &x, Psd::Clamp).times(&v);
        let curvature: f64 = clamped.iter().zip(&v).map(|(p, v)| p.dot(*v)).sum();
        prop_assert!(curvature >= -1e-9 * size);
    }
}
