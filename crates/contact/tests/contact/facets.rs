//! The energy of a smooth region does not depend on its triangles.

use crate::common::{arrange, arrange_as, cube, point, rotation};
use proptest::prelude::*;
use resile_contact::{
    Barrier, BarrierPotential, Candidates, CollisionMesh, CollisionScene, Embedding, ObstacleMesh,
    Plane, Psd, Role,
};
use resile_system::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;

const D_HAT: f64 = 1e-3;
const POTENTIAL: BarrierPotential =
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat: D_HAT, kappa: 1e7 };

type Triangles = Vec<[u32; 3]>;

/// A sheet of `n x n` cells of this size (m) in the plane y = 0, cut along alternating diagonals: its interior vertices
/// have four or eight triangles.
fn grid(n: usize, cell: f64) -> (Vec<Vec3>, Triangles) {
    let id = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let mut triangles = Vec::new();
    for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
        let [a, b, c, d] = [id(i, j), id(i, j + 1), id(i + 1, j + 1), id(i + 1, j)];
        match (i + j) % 2 {
            0 => triangles.extend([[a, b, c], [a, c, d]]),
            _ => triangles.extend([[a, b, d], [b, c, d]]),
        }
    }
    let half = 0.5 * n as f64;
    let node = |k: usize| ((k / (n + 1)) as f64 - half, (k % (n + 1)) as f64 - half);
    let place = |(x, z): (f64, f64)| Vec3::new(x, 0.0, z) * cell;
    ((0..(n + 1) * (n + 1)).map(|k| place(node(k))).collect(), triangles)
}

/// An icosahedron divided `subdivisions` times, on a sphere around the origin.
fn sphere(radius: f64, subdivisions: usize) -> (Vec<Vec3>, Triangles) {
    let phi = 0.5 * (1.0 + 5f64.sqrt());
    let mut nodes = Vec::new();
    for (a, b) in [(1.0, phi), (-1.0, phi), (1.0, -phi), (-1.0, -phi)] {
        nodes.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
    }
    let near = |a: Vec3, b: Vec3| a.distance(b) < 2.1;
    let mut triangles: Triangles = Vec::new();
    for (i, j, k) in (0..12).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| (i, j, k))))
    {
        if near(nodes[i], nodes[j]) && near(nodes[j], nodes[k]) && near(nodes[k], nodes[i]) {
            let outward = nodes[i].dot(nodes[j].cross(nodes[k])) > 0.0;
            let t = if outward { [i, j, k] } else { [i, k, j] };
            triangles.push(t.map(|node| node as u32));
        }
    }
    for _ in 0..subdivisions {
        let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                nodes.push(0.5 * (nodes[a as usize].normalize() + nodes[b as usize].normalize()));
                nodes.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
            })
            .collect();
    }
    (nodes.iter().map(|p| p.normalize() * radius).collect(), triangles)
}

fn mesh((rest, triangles): &(Vec<Vec3>, Triangles)) -> Arc<CollisionMesh> {
    Arc::new(CollisionMesh::new(rest, triangles).expect("a proper surface").with_signed_sums())
}

/// An affine body with this surface, which extends to `size` (m) from the origin. Its nodes are those of [`corners`].
fn affine((rest, triangles): &(Vec<Vec3>, Triangles), size: f64) -> Arc<CollisionMesh> {
    let embedding = |p: &Vec3| {
        let [x, y, z] = (*p / size).to_array();
        Embedding { nodes: [0, 1, 2, 3], weights: [1.0 - x - y - z, x, y, z] }
    };
    let mesh = CollisionMesh::embedded(rest, triangles, rest.iter().map(embedding).collect(), 4);
    Arc::new(mesh.expect("a proper surface").with_signed_sums())
}

fn corners(size: f64) -> [Vec3; 4] {
    [Vec3::ZERO, Vec3::X * size, Vec3::Y * size, Vec3::Z * size]
}

/// A grain of one point whose square has the area 2e-6 m^2: half of it counts against another body.
fn grain() -> Arc<CollisionMesh> {
    let mesh = CollisionMesh::with_codimensional(&[Vec3::ZERO], &[], &[], &[0], 2e-6f64.sqrt());
    Arc::new(mesh.expect("a point").with_signed_sums())
}

/// Energy (J) of a state and its gradient (N).
fn evaluate(scene: &CollisionScene, x: &[Vec3]) -> (f64, Vec<Vec3>) {
    let near = Candidates::near(scene, x, D_HAT);
    (POTENTIAL.value(scene, &near, x), POTENTIAL.gradient(scene, &near, x))
}

/// Energy (J) of the grain at this distance (m).
fn of_grain(distance: f64) -> f64 {
    POTENTIAL.kappa * D_HAT * 1e-6 * POTENTIAL.barrier.at(distance, D_HAT).value
}

proptest! {
    /// Anywhere in a triangle, at a side, at a corner.
    #[test]
    fn point_over_a_flat_grid_has_the_energy_of_its_height(
        place in point(2.0), snapped in 0_usize..3, height in 0.02f64..0.99, cell in 0.5f64..3.0,
    ) {
        let (rest, triangles) = grid(8, cell * D_HAT);
        let roles = [Role::Simulated, Role::Kinematic];
        let bodies = [grain(), mesh(&(rest.clone(), triangles))];
        let scene = arrange_as(&roles, &bodies, vec![], vec![], 0.0);
        let mut place = place;
        if snapped > 0 { place.x = place.x.round() }
        if snapped > 1 { place.z = place.z.round() }
        let at = Vec3::new(place.x * cell, height, place.z * cell) * D_HAT;
        let x: Vec<Vec3> = std::iter::once(at).chain(rest).collect();
        let (energy, gradient) = evaluate(&scene, &x);
        let want = 2.0 * of_grain(height * D_HAT);
        prop_assert!((energy / want - 1.0).abs() < 1e-9, "{} for {}", energy, want);
        let force = -gradient[0];
        prop_assert!(force.y > 0.0 && force.x.abs() + force.z.abs() < 1e-9 * force.y, "{}", force);
    }

    /// Outside of a convex body the energy is that of the distance, at faces, rims and corners.
    #[test]
    fn point_outside_a_convex_body_has_the_energy_of_its_distance(
        direction in point(1.0), part in 0.02f64..0.99, cells in 1_usize..4, round in prop::bool::ANY,
    ) {
        prop_assume!(direction.length() > 0.1);
        let (mut rest, triangles) = if round { sphere(5e-3, 2) } else { cube(cells) };
        if !round {
            rest.iter_mut().for_each(|p| *p = (*p - Vec3::splat(0.5)) * 0.01);
        }
        let scene = arrange(&[grain(), mesh(&(rest.clone(), triangles.clone()))], vec![], vec![], 0.0);
        let distance = |p: Vec3| {
            let to = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|i| rest[i as usize]);
                resile_contact::distance::Closest::vertex_face(&[p, a, b, c]).distance()
            };
            triangles.iter().map(to).fold(f64::INFINITY, f64::min)
        };
        // Away from the middle until the distance is reached.
        let (mut low, mut high) = (5e-3 / 3f64.sqrt(), 0.05);
        let inside = |s: f64| {
            let p = direction.normalize() * s;
            triangles.iter().all(|t| {
                let [a, b, c] = t.map(|i| rest[i as usize]);
                let normal = (b - a).cross(c - a);
                normal.dot(p - a) * normal.dot(a).signum() <= 0.0
            })
        };
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let is_low = inside(middle) || distance(direction.normalize() * middle) < part * D_HAT;
            if is_low { low = middle } else { high = middle }
        }
        let at = direction.normalize() * high;
        let x: Vec<Vec3> = std::iter::once(at).chain(rest.clone()).collect();
        let (energy, _) = evaluate(&scene, &x);
        let want = of_grain(distance(at));
        prop_assert!((energy / want - 1.0).abs() < 1e-8, "{} for {}", energy, want);
    }

    /// A body without sharp edges on a fixed grid has the energy that it has on a plane.
    #[test]
    fn sphere_on_a_flat_grid_has_the_energy_of_a_sphere_on_a_plane(
        angles in point(2.0), place in point(1e-3), depth in 0.1f64..0.7,
    ) {
        let ball = sphere(0.028, 3);
        let surface = affine(&ball, 0.028);
        let (rest, triangles) = grid(12, 2.3e-3);
        let floor = ObstacleMesh { mesh: mesh(&(rest.clone(), triangles)), positions: rest, collider: 1 };
        let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 1 };
        let turn = rotation(angles);
        let low = |x: &[Vec3]| x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let turned: Vec<Vec3> = ball.0.iter().map(|p| turn(*p)).collect();
        let lift = Vec3::new(place.x, (1.0 - depth) * D_HAT - low(&turned), place.z);
        let x = corners(0.028).map(|p| turn(p) + lift);
        let on_grid = arrange(std::slice::from_ref(&surface), vec![], vec![floor], 0.0);
        let on_plane = arrange(&[surface], vec![plane], vec![], 0.0);
        let ((a, g), (b, h)) = (evaluate(&on_grid, &x), evaluate(&on_plane, &x));
        prop_assert!((a / b - 1.0).abs() < 1e-9, "{} for {}", a, b);
        let scale = h.iter().map(|h| h.length()).fold(0.0, f64::max);
        prop_assert!(g.iter().zip(&h).all(|(g, h)| g.distance(*h) < 1e-8 * scale));
    }
}

/// In a valley both sides repel, and the pair with the edge between them is subtracted.
#[test]
fn point_in_a_valley_has_the_energy_of_both_sides_less_that_of_the_edge() {
    let size = 0.01;
    let rest = [[0.0, 0.0], [size, 0.0], [0.0, size]];
    let rest: Vec<Vec3> =
        [0.0, 1.0].iter().flat_map(|z| rest.map(|[x, y]| Vec3::new(x, y, z * size))).collect();
    let triangles = vec![[0, 1, 4], [0, 4, 3], [0, 3, 2], [2, 3, 5]];
    let scene = arrange(&[grain(), mesh(&(rest.clone(), triangles))], vec![], vec![], 0.0);
    for [a, b] in [[0.3, 0.4], [0.05, 0.8], [0.9, 0.02], [0.9, 0.95]] {
        let at = Vec3::new(a * D_HAT, b * D_HAT, 0.4 * size);
        let x: Vec<Vec3> = std::iter::once(at).chain(rest.clone()).collect();
        let energy = evaluate(&scene, &x).0;
        let of = |s: f64| of_grain(s * D_HAT);
        let want = of(a) + of(b) - of(a.hypot(b));
        assert!((energy / want - 1.0).abs() < 1e-9, "{energy} for {want}");
        assert!(energy >= of(a.min(b)));
    }
}

/// Statistics of a sphere in many orientations.
#[derive(Debug)]
struct Spread {
    /// Largest deviation of the energy from the mean, over the mean.
    energy: f64,
    /// Largest and root mean square of torque over normal force and radius.
    torque: f64,
    rms: f64,
}

/// A sphere of 2562 vertices in these many orientations against what `scene` puts below it.
fn spread(
    count: usize,
    gap: f64,
    scene: impl Fn(Arc<CollisionMesh>, usize) -> (CollisionScene, Vec<Vec3>),
) -> Spread {
    let surface = affine(&sphere(0.028, 4), 0.028);
    let (mut energies, mut torques) = (Vec::new(), Vec::new());
    for k in 0..count {
        let s = k as f64;
        let turn = rotation(Vec3::new((1.3 * s).sin(), (2.1 * s).cos(), (0.7 * s).sin()) * 3.0);
        let (scene, others) = scene(surface.clone(), k);
        let middle = Vec3::Y * (0.028 + gap);
        let own = corners(0.028).map(|p| turn(p) + middle);
        let x: Vec<Vec3> = own.into_iter().chain(others).collect();
        let (energy, gradient) = evaluate(&scene, &x);
        let own = gradient[..4].iter().zip(&x);
        let torque: Vec3 = own.clone().map(|(g, x)| (*x - middle).cross(*g)).sum();
        let force: Vec3 = own.map(|(g, _)| *g).sum();
        energies.push(energy);
        torques.push(torque.length() / (force.y.abs() * 0.028));
    }
    let mean = energies.iter().sum::<f64>() / count as f64;
    let largest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
    Spread {
        energy: largest(&mut energies.iter().map(|e| (e / mean - 1.0).abs())),
        torque: largest(&mut torques.iter().copied()),
        rms: (torques.iter().map(|t| t * t).sum::<f64>() / count as f64).sqrt(),
    }
}

/// Facets as such remain: the lowest points of the sphere differ by its sagitta.
#[test]
fn plane_exerts_no_torque_on_a_sphere() {
    for gap in [0.3, 0.6] {
        let found = spread(200, gap * D_HAT, |surface, _| {
            let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 1 };
            (arrange(&[surface], vec![plane], vec![], 0.0), Vec::new())
        });
        assert!(found.torque < 0.003 && found.rms < 0.001 && found.energy < 0.04, "{found:?}");
    }
}

/// The nearest facets have normals that differ by up to two degrees from the line of the centres.
#[test]
fn facets_of_a_sphere_exert_a_torque_below_their_slope() {
    for gap in [0.3, 0.6] {
        let found = spread(200, gap * D_HAT, |surface, k| {
            let turn = rotation(Vec3::new(0.3 * k as f64, 1.0, 0.5));
            let below = corners(0.028).map(|p| turn(p) - Vec3::Y * 0.028).to_vec();
            (arrange(&[surface.clone(), surface], vec![], vec![], 0.0), below)
        });
        assert!(found.torque < 0.036 && found.rms < 0.015, "{found:?}");
    }
}

#[test]
fn grid_exerts_no_torque_on_a_sphere() {
    for cell in [1.5e-3, 4e-3] {
        let found = spread(60, 0.4 * D_HAT, |surface, k| {
            let (mut rest, triangles) = grid(10, cell);
            let place = Vec3::new((k as f64).sin(), 0.0, (1.7 * k as f64).sin()) * 2e-3;
            rest.iter_mut().for_each(|p| *p += place);
            let floor = mesh(&(rest.clone(), triangles));
            let floor = ObstacleMesh { mesh: floor, positions: rest, collider: 1 };
            (arrange(&[surface], vec![], vec![floor], 0.0), Vec::new())
        });
        assert!(found.torque < 0.003 && found.energy < 0.03, "{cell}: {found:?}");
    }
}

/// A ball of facets over a bumpy sheet, with terms of either sign.
#[test]
fn gradient_and_hessian_equal_differences_in_concave_regions() {
    let (rest, triangles) = grid(6, 1.1e-3);
    let bumpy: Vec<Vec3> = rest
        .iter()
        .enumerate()
        .map(|(k, p)| *p + Vec3::Y * 3e-4 * (2.7 * k as f64).sin())
        .collect();
    let (ball, of_ball) = sphere(2e-3, 1);
    let scene = arrange(
        &[mesh(&(ball.clone(), of_ball)), mesh(&(bumpy.clone(), triangles))],
        vec![],
        vec![],
        0.0,
    );
    let turn = rotation(Vec3::new(0.3, 0.2, 0.9));
    let place = Vec3::new(3e-4, 2.0e-3 + 7e-4, -2e-4);
    let x: Vec<Vec3> = ball.iter().map(|p| turn(*p) + place).chain(bumpy).collect();
    let v: Vec<Vec3> = (0..x.len())
        .map(|k| Vec3::new((k as f64).sin(), (1.9 * k as f64).cos(), (0.4 * k as f64).sin()))
        .collect();
    let eps = 1e-9;
    let moved = |s: f64| x.iter().zip(&v).map(|(x, v)| *x + *v * s).collect::<Vec<_>>();
    let value = |s: f64| evaluate(&scene, &moved(s)).0;
    let gradient = |s: f64| evaluate(&scene, &moved(s)).1;
    let slope = (value(eps) - value(-eps)) / (2.0 * eps);
    let want: f64 = gradient(0.0).iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
    assert!((slope / want - 1.0).abs() < 1e-5, "{slope} for {want}");
    let near = Candidates::near(&scene, &x, D_HAT);
    let product = POTENTIAL.hessian(&scene, &near, &x, Psd::Exact).times(&v);
    let size = product.iter().map(|p| p.length()).fold(0.0, f64::max);
    for (k, (a, b)) in gradient(eps).iter().zip(gradient(-eps)).enumerate() {
        let difference = (*a - b) / (2.0 * eps);
        assert!(
            difference.distance(product[k]) < 1e-4 * size,
            "{k}: {difference} for {}",
            product[k]
        );
    }
}
