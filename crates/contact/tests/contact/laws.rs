//! What contact promises as a whole.

use crate::common::{FRICTION, SETTINGS, arrange, cube, point, rotation};
use proptest::prelude::*;
use resile_contact::Barrier;
use resile_contact::{
    BarrierPotential, CollisionFilter, CollisionMesh, CollisionScene, Contact, Friction,
    Intersection, ObstacleMesh, PairTable, Plane, Primitive, intersections,
};
use resile_system::check::DenseSink;
use resile_system::{Coupling, DissipationPotential, Energy, Hessian, Links, Path, Psd, Vec3};
use std::sync::Arc;

fn gradient(term: &dyn Energy, x: &[Vec3]) -> Vec<Vec3> {
    let mut g = vec![Vec3::ZERO; x.len()];
    term.add_gradient(0.0, x, 1.0, &mut g);
    g
}

fn at(scene: CollisionScene, x: &[Vec3]) -> Contact {
    with(SETTINGS, scene, x)
}

fn with(settings: BarrierPotential, scene: CollisionScene, x: &[Vec3]) -> Contact {
    let mut contact = Contact::new(scene, settings);
    contact.search(&[Path::at(x)]);
    contact
}

fn floor(collider: usize) -> Plane {
    Plane { point: Vec3::ZERO, normal: Vec3::Y, collider }
}

#[test]
fn a_flat_face_on_a_plane_has_the_pressure_of_the_barrier() {
    for n in [1, 3, 5] {
        let (rest, triangles) = cube(n);
        let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
        let gap = 0.04;
        let x: Vec<Vec3> = rest.iter().map(|p| *p + Vec3::Y * gap).collect();
        // Only the bottom face is near; side faces lend its rim vertices area of
        // their own, so the areas that matter are counted by the test.
        let contact = at(arrange(std::slice::from_ref(&surface), vec![floor(1)], vec![], 0.0), &x);
        let mut area = 0.0;
        for t in &triangles {
            let [a, b, c] = t.map(|i| rest[i as usize]);
            let low = [a, b, c].iter().filter(|p| p.y == 0.0).count() as f64;
            area += 0.5 * (b - a).cross(c - a).length() * low / 3.0;
        }
        let pressure =
            -SETTINGS.kappa * SETTINGS.d_hat * Barrier::ClampedLog.at(gap, SETTINGS.d_hat).first;
        let force = -gradient(&contact, &x).iter().sum::<Vec3>();
        assert!((force.y / (pressure * area) - 1.0).abs() < 1e-12, "{}", force.y);
        assert!(force.x.abs() + force.z.abs() < 1e-12 * force.y);
    }
}

/// A sheet of `n x n` squares over the unit square, each cut in two.
fn sheet(n: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let id = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            triangles.push([id(i, j), id(i, j + 1), id(i + 1, j + 1)]);
            triangles.push([id(i, j), id(i + 1, j + 1), id(i + 1, j)]);
        }
    }
    let scale = 1.0 / n as f64;
    let node = |k: usize| Vec3::new((k / (n + 1)) as f64, 0.0, (k % (n + 1)) as f64) * scale;
    ((0..(n + 1) * (n + 1)).map(node).collect(), triangles)
}

#[test]
fn a_sheet_on_a_plane_has_exactly_the_pressure_times_its_area() {
    let (rest, triangles) = sheet(6);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let x: Vec<Vec3> = rest.iter().map(|p| *p + Vec3::Y * 0.03).collect();
    let contact = at(arrange(&[surface], vec![floor(1)], vec![], 0.0), &x);
    let force = -gradient(&contact, &x).iter().sum::<Vec3>();
    let expected =
        -SETTINGS.kappa * SETTINGS.d_hat * Barrier::ClampedLog.at(0.03, SETTINGS.d_hat).first;
    assert!((force.y / expected - 1.0).abs() < 1e-12);
}

#[test]
fn two_sheets_in_general_position_press_about_twice_as_hard_as_one_on_a_plane() {
    let settings = BarrierPotential { d_hat: 2e-4, ..SETTINGS };
    let (gap, n) = (1e-4, 24);
    let (rest, triangles) = sheet(n);
    let lower = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    // The upper one is smaller, so that all of it lies above the lower one.
    let centre = Vec3::new(0.5, 0.0, 0.5);
    let small: Vec<Vec3> = rest.iter().map(|p| (*p - centre) * 0.6).collect();
    let upper = Arc::new(CollisionMesh::new(&small, &triangles).unwrap());
    let mut ratios = Vec::new();
    for angle in [0.3, 0.5, 1.0] {
        let turn = rotation(Vec3::Y * angle);
        let mut x = rest.clone();
        x.extend(small.iter().map(|p| turn(*p) + centre + Vec3::Y * gap));
        let scene = arrange(&[lower.clone(), upper.clone()], vec![], vec![], 0.0);
        let g = gradient(&with(settings, scene, &x), &x);
        let force = -g[rest.len()..].iter().sum::<Vec3>().y;
        let pressure =
            -settings.kappa * settings.d_hat * Barrier::ClampedLog.at(gap, settings.d_hat).first;
        ratios.push(force / (pressure * 0.36));
    }
    assert!(ratios.iter().all(|r| (2.0..2.8).contains(r)), "{ratios:?}");
}

/// Two cubes, one turned, a little apart, somewhere in space.
fn two_cubes(n: usize, angles: Vec3, gap: f64) -> (CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(n);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let turn = rotation(angles);
    let mut x = rest.clone();
    let turned: Vec<Vec3> = rest.iter().map(|p| turn(*p)).collect();
    let low = turned.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    x.extend(turned.iter().map(|p| *p + Vec3::new(0.1, 1.0 + gap - low, 0.15)));
    (arrange(&[surface.clone(), surface], vec![], vec![], 0.5), x)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn internal_forces_and_torques_sum_to_zero(angles in point(1.0), gap in 0.005f64..0.05) {
        let (scene, x) = two_cubes(2, angles, gap);
        let contact = at(scene, &x);
        let g = gradient(&contact, &x);
        let size: f64 = g.iter().map(|g| g.length()).sum();
        prop_assume!(size > 0.0);
        let torque: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
        prop_assert!(g.iter().sum::<Vec3>().length() < 1e-12 * size);
        prop_assert!(torque.length() < 1e-11 * size);
    }

    #[test]
    fn evaluation_is_the_same_with_candidates_of_any_way_that_holds_the_point(
        angles in point(1.0), gap in 0.01f64..0.05, moves in prop::collection::vec(point(0.3), 16),
        fall in point(2.0), s in 0.0f64..1.0,
    ) {
        let (scene, from) = two_cubes(2, angles, gap);
        let to: Vec<Vec3> =
            from.iter().enumerate().map(|(i, x)| *x + fall + moves[i % 16]).collect();
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        let t = s * contact.search(&[Path { from: &from, to: &to }]);
        prop_assume!(t > 0.0);
        let x: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| *a + (*b - *a) * t).collect();
        let fresh = at(scene, &x);
        let (got, want) = (contact.value(0.0, &x), fresh.value(0.0, &x));
        prop_assert!((got - want).abs() <= 1e-12 * want, "{got} for {want}");
        prop_assert_eq!(contact.certificate(&x).contacts, fresh.certificate(&x).contacts);
    }

    #[test]
    fn bounded_motion_never_intersects(
        angles in point(2.0), gap in 0.002f64..0.05,
        moves in prop::collection::vec(point(0.4), 32), push in 0.0f64..2.0,
    ) {
        let (scene, mut x) = two_cubes(2, angles, gap);
        prop_assert!(intersections(&scene, &x, 1).is_empty());
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        let half = x.len() / 2;
        for round in 0..4 {
            let to: Vec<Vec3> = x.iter().enumerate().map(|(i, x)| {
                let down = if i >= half { Vec3::Y * -push } else { Vec3::ZERO };
                *x + down + moves[(i + 7 * round) % 32]
            }).collect();
            let t = contact.search(&[Path { from: &x, to: &to }]);
            prop_assert!(t > 0.0 && t <= 1.0);
            x = x.iter().zip(&to).map(|(a, b)| *a + (*b - *a) * t).collect();
            prop_assert!(contact.value(0.0, &x).is_finite());
            prop_assert!(contact.certificate(&x).min_distance > 0.0);
            let found = intersections(&scene, &x, 1);
            prop_assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn friction_opposes_slip_and_never_exceeds_its_limit(
        angles in point(1.0), v in prop::collection::vec(point(1.0), 16), scale in 1e-4f64..10.0,
    ) {
        let (scene, x) = two_cubes(2, angles, 0.01);
        let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
        prop_assume!(friction.pair_count() > 0);
        let v: Vec<Vec3> = (0..x.len()).map(|i| v[(5 * i + i / 16) % 16] * scale).collect();
        let mut g = vec![Vec3::ZERO; x.len()];
        friction.add_gradient(0.0, &v, 1.0, &mut g);
        let power: f64 = g.iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
        prop_assert!(power >= 0.0 && friction.value(0.0, &v) >= 0.0);
        let limit: f64 = friction.limits().sum();
        let lower: Vec3 = g[..x.len() / 2].iter().sum();
        prop_assert!(lower.length() <= limit * (1.0 + 1e-12));
        prop_assert!(g.iter().sum::<Vec3>().length() < 1e-12 * limit);
        let mut h = DenseSink::new(x.len());
        friction.add_hessian(0.0, &v, Psd::Clamp, &mut Hessian::new(&mut h, 0, 1.0));
        let n = h.size();
        let h = nalgebra::DMatrix::from_fn(n, n, |i, j| h.at(i, j));
        // By Cholesky, whose error is that of rounding; the eigenvalues that nalgebra finds
        // of so graded a matrix are off by more than is asked for here.
        let shift = nalgebra::DMatrix::identity(n, n) * (1e-12 * h.amax());
        prop_assert!((h + shift).cholesky().is_some());
    }
}

#[test]
fn a_sliding_sheet_feels_mu_times_its_normal_force() {
    let (rest, triangles) = sheet(4);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let x: Vec<Vec3> = rest.iter().map(|p| *p + Vec3::Y * 0.05).collect();
    let scene = arrange(&[surface], vec![floor(1)], vec![], 0.3);
    let normal = -gradient(&at(scene.clone(), &x), &x).iter().sum::<Vec3>().y;
    let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
    let mut g = vec![Vec3::ZERO; x.len()];
    friction.add_gradient(0.0, &vec![Vec3::new(1.0, 5.0, 0.0); x.len()], 1.0, &mut g);
    let total: Vec3 = g.iter().sum();
    assert!((total - Vec3::X * 0.3 * normal).length() < 1e-12 * normal);
}

#[test]
fn shares_sum_to_the_value_and_links_follow_force() {
    let (scene, x) = two_cubes(3, Vec3::new(0.2, 0.3, 0.1), 0.02);
    let contact = at(scene, &x);
    let mut shares = [0.0; 2];
    contact.add_energy_by_body(0.0, &x, &mut shares);
    let value = contact.value(0.0, &x);
    assert!(value > 0.0 && (shares[0] + shares[1] - value).abs() < 1e-12 * value);
    assert!((shares[0] - shares[1]).abs() < 1e-12 * value, "half to each");
    let mut links = Links::new(2);
    contact.link(&x, &mut links);
    assert_eq!(links.groups().len(), 1);
}

#[test]
fn a_switched_off_pair_neither_pushes_nor_stops() {
    let (mut scene, x) = two_cubes(2, Vec3::ZERO, 0.02);
    let mut pairs = PairTable::new(2);
    pairs.set_filter(1, 0, CollisionFilter::Ignored);
    scene.pairs = Arc::new(pairs);
    let half = x.len() / 2;
    let to: Vec<Vec3> =
        x[..half].iter().copied().chain(x[half..].iter().map(|p| *p - Vec3::Y)).collect();
    let mut contact = Contact::new(scene, SETTINGS);
    assert_eq!(contact.search(&[Path { from: &x, to: &to }]), 1.0);
    assert_eq!(contact.value(0.0, &x), 0.0);
}

#[test]
fn many_bodies_find_what_each_two_of_them_find() {
    let (rest, triangles) = cube(1);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let noise =
        |k: usize| Vec3::new((k as f64).sin(), (1.7 * k as f64).cos(), (2.3 * k as f64).sin());
    let count = 40;
    // Apart at the start, each on a way of its own, and all falling.
    let place = |b: usize| Vec3::new((b % 4) as f64, (b / 4 % 4) as f64, (b / 16) as f64) * 1.6;
    let from = |b: usize| rest.iter().map(|p| *p + place(b) + noise(b) * 0.1).collect::<Vec<_>>();
    let to = |b: usize| {
        let path = noise(b + 100) * 0.9 - Vec3::Y * 5.0;
        from(b).iter().enumerate().map(|(i, p)| *p + path + noise(i + b) * 0.05).collect::<Vec<_>>()
    };
    let settings = BarrierPotential { d_hat: 0.4, ..SETTINGS };
    let search = |bodies: &[usize], part: f64| {
        let surfaces = vec![surface.clone(); bodies.len()];
        let x: Vec<Vec3> = bodies.iter().flat_map(|&b| from(b)).collect();
        let y: Vec<Vec3> = bodies.iter().flat_map(|&b| to(b)).collect();
        let y: Vec<Vec3> = x.iter().zip(y).map(|(x, y)| x.lerp(y, part)).collect();
        let mut contact = Contact::new(arrange(&surfaces, vec![], vec![], 0.0), settings);
        let bound = contact.search(&[Path { from: &x, to: &y }]);
        (contact.candidate_count(), bound)
    };
    let everyone: Vec<usize> = (0..count).collect();
    let pairs = || (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
    let shortest = pairs().map(|pair| search(&pair, 1.0).1).fold(1.0, f64::min);
    assert!(shortest < 1.0);
    assert_eq!(search(&everyone, 1.0).1, shortest);

    // Where a path is cut short, what lies beyond is not listed; so on the part that is free.
    let part = 0.99 * shortest;
    let alone: Vec<usize> = (0..count).map(|b| search(&[b], part).0).collect();
    let met = |[a, b]: [usize; 2]| search(&[a, b], part).0 - alone[a] - alone[b];
    let met: Vec<usize> = pairs().map(met).collect();
    let meetings = met.iter().filter(|met| **met > 0).count();
    assert!(meetings > 20, "{meetings}");
    let sum = alone.iter().sum::<usize>() + met.iter().sum::<usize>();
    assert_eq!(search(&everyone, part), (sum, 1.0));
}

#[test]
fn a_body_falls_onto_a_fixed_mesh_and_a_plane_and_stops_before_them() {
    let (rest, triangles) = cube(2);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let (ground, faces) = sheet(1);
    let ground_surface = Arc::new(CollisionMesh::new(&ground, &faces).unwrap());
    let positions = ground.iter().map(|p| (*p - Vec3::new(0.5, 0.0, 0.5)) * 10.0).collect();
    let mesh = ObstacleMesh { mesh: ground_surface, positions, collider: 1 };
    for scene in [
        arrange(std::slice::from_ref(&surface), vec![], vec![mesh], 0.0),
        arrange(std::slice::from_ref(&surface), vec![floor(1)], vec![], 0.0),
    ] {
        let x: Vec<Vec3> = rest.iter().map(|p| *p + Vec3::Y).collect();
        let to: Vec<Vec3> = x.iter().map(|p| *p - Vec3::Y * 4.0).collect();
        let mut contact = Contact::new(scene, SETTINGS);
        let t = contact.search(&[Path { from: &x, to: &to }]);
        assert!((0.2..0.25).contains(&t), "{t}");
    }
}

#[test]
fn what_several_ways_have_in_common_counts_once() {
    let (rest, triangles) = cube(2);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let (ground, faces) = sheet(1);
    let ground_surface = Arc::new(CollisionMesh::new(&ground, &faces).unwrap());
    let positions = ground.iter().map(|p| (*p - Vec3::new(0.5, 0.0, 0.5)) * 10.0).collect();
    let mesh = ObstacleMesh { mesh: ground_surface, positions, collider: 1 };
    // A plane and a mesh of equal friction, both touched.
    let scene = arrange(std::slice::from_ref(&surface), vec![floor(2)], vec![mesh], 0.0);
    let mut contact = Contact::new(scene, SETTINGS);
    let lowest = rest.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let lift = Vec3::Y * (0.3 * SETTINGS.d_hat - lowest);
    let x: Vec<Vec3> = rest.iter().map(|p| *p + lift).collect();
    contact.search(&[Path::at(&x)]);
    let (once, certificate) = (contact.value(0.0, &x), contact.certificate(&x));
    assert!(certificate.contacts > 0 && once > 0.0);
    let above: Vec<Vec3> = x.iter().map(|p| *p + Vec3::Y * SETTINGS.d_hat).collect();
    contact.search(&[Path::at(&x), Path { from: &x, to: &above }, Path::at(&x)]);
    assert!((contact.value(0.0, &x) - once).abs() < 1e-12 * once);
    assert_eq!(contact.certificate(&x).contacts, certificate.contacts);
}

#[test]
fn evaluation_is_the_same_to_the_bit_on_one_and_on_two_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (scene, x) = two_cubes(16, Vec3::new(0.02, 0.4, 0.01), 0.02);
            let to: Vec<Vec3> =
                x.iter().enumerate().map(|(i, x)| *x + Vec3::Y * (i as f64).sin() * 0.1).collect();
            let mut contact = Contact::new(scene, SETTINGS);
            let bound = contact.search(&[Path { from: &x, to: &to }]);
            assert!(contact.candidate_count() > 2000);
            (bound, contact.value(0.0, &x), gradient(&contact, &x))
        })
    };
    assert!(run(1) == run(2));
}

#[test]
fn intersections_name_who_and_where_and_how_deep() {
    let (rest, triangles) = cube(1);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let scene = |shift: Vec3| {
        let mut x = rest.clone();
        x.extend(rest.iter().map(|p| *p + shift));
        let planes = vec![Plane { point: Vec3::Y * -1.0, normal: Vec3::Y, collider: 2 }];
        let scene = arrange(&[surface.clone(), surface.clone()], planes, vec![], 0.0);
        intersections(&scene, &x, 5)
    };
    assert!(scene(Vec3::new(1.001, 0.0, 0.0)).is_empty());
    let touching = scene(Vec3::new(1.0, 0.25, 0.125));
    assert!(!touching.is_empty() && touching.iter().all(|i| i.pair_depth == 0.0));
    let deep = scene(Vec3::new(0.9, 0.3, 0.2));
    let Intersection { colliders, collider_depth, point, .. } = deep[0];
    assert_eq!(colliders.iter().sum::<usize>(), 1);
    assert!((collider_depth - 0.1).abs() < 1e-12);
    assert!(point.x >= 0.9 && point.x <= 1.0);
    assert!(deep.iter().all(|i| i.pair_depth > 0.0));
    let sunk = scene(Vec3::new(0.0, -1.5, 0.0));
    assert_eq!(sunk[0].colliders, [1, 2]);
    assert_eq!(sunk[0].primitives[1], Primitive::Plane(0));
    assert!((sunk[0].pair_depth - 0.5).abs() < 1e-12);
}
