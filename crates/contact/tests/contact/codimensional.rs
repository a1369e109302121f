//! Edges without triangles and points without edges.

use crate::common::{FRICTION, SETTINGS, cube, point, rotation};
use proptest::prelude::*;
use resile_contact::{
    Barrier, BarrierPotential, Candidates, Collider, CollisionMesh, CollisionMeshError,
    CollisionScene, Contact, CurvePlace, Friction, Obstacles, PairTable, Plane, Primitive,
    PrimitivePairs, Psd, Role, intersections, neighbours::Sweep, time_of_impact,
};
use resile_system::check::{dissipation_derivatives, energy_derivatives};
use resile_system::{Coupling, Path, Vec3};
use std::sync::Arc;

const WIDTH: f64 = 0.02;

/// A rod along x from 0 to 1 in so many pieces.
fn rod(pieces: usize) -> (Vec<Vec3>, CollisionMesh) {
    let rest: Vec<Vec3> = (0..=pieces).map(|i| Vec3::X * (i as f64 / pieces as f64)).collect();
    let edges: Vec<[u32; 2]> = (0..pieces as u32).map(|i| [i, i + 1]).collect();
    let mesh = CollisionMesh::with_codimensional(&rest, &[], &edges, &[], WIDTH).unwrap();
    (rest, mesh)
}

/// Grains on a lattice of so many to a side, a tenth apart.
fn grains(count: usize) -> (Vec<Vec3>, CollisionMesh) {
    let place = |k: usize| Vec3::new((k % count) as f64, (k / count) as f64, 0.0) * 0.1;
    let rest: Vec<Vec3> = (0..count * count).map(place).collect();
    let points: Vec<u32> = (0..rest.len() as u32).collect();
    let mesh = CollisionMesh::with_codimensional(&rest, &[], &[], &points, WIDTH).unwrap();
    (rest, mesh)
}

fn pressure(gap: f64) -> f64 {
    -SETTINGS.kappa * SETTINGS.d_hat * SETTINGS.barrier.at(gap, SETTINGS.d_hat).first
}

/// The force (N) on the nodes from `first` on.
fn force(potential: BarrierPotential, scene: &CollisionScene, x: &[Vec3], first: usize) -> Vec3 {
    let candidates = Candidates::near(scene, x, potential.d_hat);
    -potential.gradient(scene, &candidates, x)[first..].iter().sum::<Vec3>()
}

#[test]
fn a_rod_and_grains_on_a_plane_have_the_pressure_times_their_area() {
    let plane = Plane { point: Vec3::ZERO, normal: Vec3::Z, collider: 1 };
    let (gap, half_thickness) = (0.04, 0.01);
    for ((rest, mesh), area) in [(rod(7), WIDTH), (grains(3), 9.0 * WIDTH * WIDTH)] {
        let mut scene = CollisionScene::of_meshes([mesh]);
        let thick = Collider { half_thickness, ..scene.colliders()[0].clone() };
        let obstacles = Obstacles::new(vec![plane], vec![]).unwrap();
        scene = CollisionScene::new(vec![thick], obstacles.into(), PairTable::new(2).into());
        let x: Vec<Vec3> = rest.iter().map(|p| *p + Vec3::Z * (gap + half_thickness)).collect();
        // Contact of the mesh with itself is internal.
        let actual = force(SETTINGS, &scene, &x, 0);
        let expected = Vec3::Z * pressure(gap) * area;
        assert!((actual - expected).length() < 1e-9 * expected.z, "{actual} for {expected}");
    }
}

#[test]
fn parallel_rods_have_the_pressure_times_width_and_length_however_fine() {
    // The upper one is shifted by half a piece, so that no vertex is near a joint.
    let settings = BarrierPotential { d_hat: 5e-3, ..SETTINGS };
    let gap = 2e-3;
    let expected =
        -settings.kappa * settings.d_hat * settings.barrier.at(gap, settings.d_hat).first;
    for pieces in [4, 10, 20] {
        let (rest, lower) = rod(pieces);
        let shift = Vec3::new(0.5 / pieces as f64, 0.0, gap);
        let mut x = rest.clone();
        x.extend(rest.iter().map(|p| *p + shift));
        let scene = CollisionScene::of_meshes([lower, rod(pieces).1]);
        let actual = force(settings, &scene, &x, rest.len());
        // The ends that stick out by half a piece are near no other piece, and stand for a quarter each.
        let length = 1.0 - 0.5 / pieces as f64;
        assert!((actual.z / (expected * WIDTH * length) - 1.0).abs() < 1e-9, "{pieces}: {actual}");
        assert!(actual.x.abs() + actual.y.abs() < 1e-9 * actual.z);
    }
}

#[test]
fn crossing_rods_have_the_pressure_of_one_patch_however_fine() {
    let settings = BarrierPotential { d_hat: 5e-3, ..SETTINGS };
    let gap = 2e-3;
    for pieces in [1, 3, 9] {
        let (rest, lower) = rod(pieces);
        let mut x = rest.clone();
        x.extend(rest.iter().map(|p| Vec3::new(0.5, p.x - 0.5, gap)));
        let scene = CollisionScene::of_meshes([lower, rod(pieces).1]);
        let actual = force(settings, &scene, &x, rest.len()).z;
        let b = settings.barrier.at(gap, settings.d_hat).first;
        let expected = -settings.kappa * settings.d_hat * b * WIDTH * WIDTH;
        assert!((actual / expected - 1.0).abs() < 1e-9, "{pieces}: {actual} for {expected}");
    }
}

/// Everything near everything: a cube, two rods crossing each other and beside it, grains on the
/// cube and on each other; one node of each kind of primitive in reach of all others.
fn pile(angles: Vec3) -> (CollisionScene, Vec<Vec3>) {
    let (cube_rest, triangles) = cube(2);
    let cube_mesh = CollisionMesh::new(&cube_rest, &triangles).unwrap();
    let (rod_rest, rod_mesh) = rod(3);
    let (grain_rest, grain_mesh) = grains(2);
    let turn = rotation(angles);
    let mut x = cube_rest;
    x.extend(rod_rest.iter().map(|p| turn(*p) + Vec3::new(0.1, 0.3, 1.06)));
    x.extend(
        rod_rest.iter().map(|p| turn(Vec3::new(0.4, p.x - 0.4, 0.06)) + Vec3::new(0.1, 0.3, 1.06)),
    );
    x.extend(grain_rest.iter().map(|p| turn(*p) + Vec3::new(0.37, 0.18, 1.05)));
    x.extend(
        grain_rest
            .iter()
            .map(|p| turn(*p + Vec3::new(0.02, 0.01, 0.05)) + Vec3::new(0.37, 0.18, 1.05)),
    );
    let meshes = [cube_mesh, rod_mesh, rod(3).1, grain_mesh, grains(2).1];
    let mut scene = CollisionScene::of_meshes(meshes);
    let mut pairs = PairTable::of_groups(vec![0; 5]);
    pairs.set_friction(0, 0, 0.4);
    scene.pairs = pairs.into();
    (scene, x)
}

/// How many candidates there are of each kind, in the order of `crate::common::KINDS`.
fn kinds(candidates: &Candidates) -> [usize; 4] {
    crate::common::KINDS.map(|kind| candidates.iter().filter(|c| c.kind() == kind).count())
}

#[test]
fn derivatives_agree_with_differences_with_pairs_of_all_kinds_active() {
    let (scene, x) = pile(Vec3::new(0.02, 0.03, 0.2));
    let candidates = Candidates::near(&scene, &x, SETTINGS.d_hat);
    assert!(kinds(&candidates).iter().all(|&count| count > 3), "{:?}", kinds(&candidates));
    for barrier in Barrier::ALL {
        let potential = BarrierPotential { barrier, ..SETTINGS };
        let mut contact = Contact::new(scene.clone(), potential);
        contact.search(&[Path::at(&x)]);
        let errors = energy_derivatives(&contact, &x, 1e-7).unwrap();
        assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{barrier:?}: {errors:?}");
        let friction = Friction::new(scene.clone(), potential, FRICTION).at(&x, &[]);
        let v: Vec<Vec3> = (0..x.len())
            .map(|i| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin()))
            .collect();
        let errors = dissipation_derivatives(&friction, &v, 1e-6).unwrap();
        assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{barrier:?}: {errors:?}");
    }
}

/// All pairs of everything, many of which mean nothing.
fn all_pairs(scene: &CollisionScene) -> PrimitivePairs {
    let vertices: Vec<usize> = scene.vertices().map(|v| v as usize).collect();
    let edges: Vec<usize> = (0..scene.edges().count()).collect();
    let faces: Vec<usize> = (0..scene.triangles().count()).collect();
    let all = |a: &[usize], b: &[usize]| {
        a.iter().flat_map(|&i| b.iter().map(move |&j| [i, j])).collect::<Vec<_>>()
    };
    PrimitivePairs {
        vertex_faces: all(&vertices, &faces),
        edge_edges: all(&edges, &edges),
        edge_vertices: all(&edges, &vertices),
        vertex_vertices: all(&vertices, &vertices),
        vertex_planes: vec![],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_broad_phase_finds_what_all_pairs_find(
        angles in point(0.2), moves in prop::collection::vec(point(0.3), 12),
    ) {
        let (scene, x) = pile(angles);
        prop_assume!(intersections(&scene, &x, 1).is_empty());
        let to: Vec<Vec3> = x.iter().enumerate().map(|(i, x)| *x + moves[i % 12]).collect();
        let slow = Candidates::from_pairs(&scene, &all_pairs(&scene)).unwrap();
        let found = Candidates::search(&scene, &x, &to, SETTINGS.d_hat);
        let (got, want) = (found.collision_free, time_of_impact(&scene, &slow, &x, &to));
        prop_assert_eq!(got, want);
        prop_assert_eq!(time_of_impact(&scene, &found.candidates, &x, &to), want);
        for part in [0.0, 0.5, 1.0] {
            let t = part * got;
            let x: Vec<Vec3> = x.iter().zip(&to).map(|(x, y)| *x + (*y - *x) * t).collect();
            let value = |candidates| SETTINGS.value(&scene, candidates, &x);
            let (got, want) = (value(&found.candidates), value(&slow));
            prop_assert!(want > 0.0 && (got - want).abs() < 1e-11 * want, "{got} for {want}");
        }
    }

    #[test]
    fn nothing_passes_through_rods_and_grains(
        angles in point(0.2), moves in prop::collection::vec(point(0.4), 16),
    ) {
        let (scene, mut x) = pile(angles);
        prop_assume!(intersections(&scene, &x, 1).is_empty());
        let slow = Candidates::from_pairs(&scene, &all_pairs(&scene)).unwrap();
        for round in 0..6 {
            let to: Vec<Vec3> =
                x.iter().enumerate().map(|(i, x)| *x + moves[(i + 5 * round) % 16]).collect();
            let t = Candidates::search(&scene, &x, &to, SETTINGS.d_hat).collision_free;
            prop_assert!(t > 0.0);
            // The slow oracle: the sides on which rods pass each other, and the distances of
            // all pairs, at many times.
            for k in 0..=40 {
                let t = t * f64::from(k) / 40.0;
                let y: Vec<Vec3> = x.iter().zip(&to).map(|(x, y)| *x + (*y - *x) * t).collect();
                prop_assert!(SETTINGS.value(&scene, &slow, &y).is_finite());
                prop_assert!(intersections(&scene, &y, 1).is_empty());
            }
            x = x.iter().zip(&to).map(|(x, y)| *x + (*y - *x) * t).collect();
        }
    }
}

#[test]
fn rods_do_not_pass_each_other_end_to_end_or_across() {
    // Across, along, and both a grain against a grain and against a rod.
    let (rest, rod_mesh) = rod(1);
    let grain = || CollisionMesh::with_codimensional(&[Vec3::ZERO], &[], &[], &[0], WIDTH).unwrap();
    let still: Vec<Vec3> = rest;
    let rods = CollisionScene::of_meshes([rod_mesh, rod(1).1]);
    for other in [
        [Vec3::new(0.5, -0.5, 0.1), Vec3::new(0.5, 0.5, 0.1)],
        [Vec3::new(0.0, 0.0, 0.1), Vec3::new(1.0, 0.0, 0.1)],
        [Vec3::new(0.3, 0.0, 0.1), Vec3::new(0.3, 0.0, 1.1)],
    ] {
        let from = [&*still, &other].concat();
        let to = [&*still, &other.map(|p| p - Vec3::Z * 0.2)].concat();
        let free = Candidates::search(&rods, &from, &to, 0.01).collision_free;
        assert!((0.4..0.5).contains(&free), "{other:?}: {free}");
    }
    let with_grain = CollisionScene::of_meshes([rod(1).1, grain()]);
    let from = [&*still, &[Vec3::new(0.3, 0.0, 0.1)]].concat();
    let to = [&*still, &[Vec3::new(0.3, 0.0, -0.1)]].concat();
    let free = Candidates::search(&with_grain, &from, &to, 0.01).collision_free;
    assert!((0.4..0.5).contains(&free), "{free}");
    let two = CollisionScene::of_meshes([grain(), grain()]);
    let found = Candidates::search(&two, &[Vec3::ZERO, Vec3::X], &[Vec3::X, Vec3::ZERO], 0.01);
    assert!((0.4..0.5).contains(&found.collision_free));
    let missed = [Vec3::X, Vec3::new(0.0, 0.5, 0.0)];
    assert_eq!(Candidates::search(&two, &[Vec3::ZERO, Vec3::X], &missed, 0.01).collision_free, 1.0);
}

#[test]
fn touching_rods_and_grains_intersect_and_sweeps_see_them() {
    let scene = CollisionScene::of_meshes([rod(2).1, rod(2).1, grains(1).1]);
    let (rest, mesh) = rod(2);
    let across = |height: f64| rest.iter().map(move |p| Vec3::new(0.3, p.x - 0.4, height));
    let at = |height: f64, grain: Vec3| {
        let x: Vec<Vec3> = rest.iter().copied().chain(across(height)).chain([grain]).collect();
        intersections(&scene, &x, 10).len()
    };
    assert_eq!(at(1e-6, Vec3::Y), 0);
    assert!(at(0.0, Vec3::Y) > 0 && at(1e-6, Vec3::X * 0.2) > 0);
    let mesh = Arc::new(mesh);
    let own = Sweep::new(mesh.clone(), rest.clone(), rest.clone(), 0.0);
    let sweep = |dx: f64| {
        let moved: Vec<Vec3> = across(0.0).map(|p| p + Vec3::X * dx).collect();
        let start: Vec<Vec3> = moved.iter().map(|p| *p + Vec3::Z).collect();
        Sweep::new(mesh.clone(), start, moved, 0.0)
    };
    assert!(own.may_touch(&sweep(0.0)) && !own.may_touch(&sweep(1.0)));
}

#[test]
fn pairs_that_mean_nothing_are_left_out_and_what_does_not_exist_is_refused() {
    let (scene, x) = pile(Vec3::ZERO);
    let candidates = Candidates::from_pairs(&scene, &all_pairs(&scene)).unwrap();
    let points = |c: &resile_contact::Candidate| c.points().flatten().collect::<Vec<_>>();
    for c in candidates.iter() {
        let mut points = points(c);
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), c.kind().points(), "no vertex in common");
        assert!(c.area() > 0.0);
    }
    let pairs = PrimitivePairs { edge_vertices: vec![[0, x.len()]], ..PrimitivePairs::default() };
    let error = Candidates::from_pairs(&scene, &pairs).unwrap_err();
    assert_eq!((error.list, error.pair, error.number), ("edge_vertices", 0, x.len()));
    let bad = |edges: &[[u32; 2]], points: &[u32], width: f64| {
        CollisionMesh::with_codimensional(
            &[Vec3::ZERO, Vec3::X, Vec3::X],
            &[],
            edges,
            points,
            width,
        )
        .unwrap_err()
    };
    assert_eq!(bad(&[[0, 1]], &[], 0.0), CollisionMeshError::NoWidth { width: 0.0 });
    assert_eq!(bad(&[[1, 2]], &[], 0.1), CollisionMeshError::NoLength { nodes: [1, 2] });
    let (primitive, node, nodes) = (Primitive::Vertex(3), 3, 3);
    assert_eq!(bad(&[], &[3], 0.1), CollisionMeshError::NoSuchEnd { primitive, node, nodes });
}

#[test]
fn a_rod_whose_pieces_are_shorter_than_its_thickness_is_refused() {
    let (_, mesh) = rod(10);
    assert!(mesh.check_thickness(0.02, 0.05).is_ok());
    let error = mesh.check_thickness(0.03, 0.05).unwrap_err();
    assert!((error.height - 0.1).abs() < 1e-12 && matches!(error.primitive, Primitive::Edge(_)));
}

#[test]
fn kinematic_rods_push_grains_by_the_grains_areas() {
    let (rest, mesh) = rod(3);
    let grain = CollisionMesh::with_codimensional(&[Vec3::ZERO], &[], &[], &[0], WIDTH).unwrap();
    let stacked = CollisionScene::of_meshes([mesh, grain]);
    let mut colliders = stacked.colliders().to_vec();
    colliders[0].role = Role::Kinematic;
    let scene = CollisionScene::new(colliders, Arc::default(), PairTable::new(2).into());
    let gap = 0.03;
    let x = [&*rest, &[Vec3::new(0.5, 0.0, gap)]].concat();
    let actual = force(SETTINGS, &scene, &x, rest.len());
    assert!((actual.z / (pressure(gap) * WIDTH * WIDTH) - 1.0).abs() < 1e-9, "{actual}");
    let candidates = Candidates::near(&scene, &x, SETTINGS.d_hat);
    let blocks = SETTINGS.hessian(&scene, &candidates, &x, Psd::Clamp);
    assert!(blocks.iter().all(|(i, j, block)| i <= x.len() && j <= x.len() && block.is_finite()));
}

/// A curve through `rest` and its mesh, of pieces that may be shorter than it is thick.
fn along(rest: &[Vec3]) -> CollisionMesh {
    let edges: Vec<[u32; 2]> = (1..rest.len() as u32).map(|i| [i - 1, i]).collect();
    let mut arc_length = 0.0;
    let mut places = vec![CurvePlace { curve: 0, arc_length, closed_length: f64::INFINITY }];
    for pair in rest.windows(2) {
        arc_length += pair[0].distance(pair[1]);
        places.push(CurvePlace { curve: 0, arc_length, closed_length: f64::INFINITY });
    }
    let mesh = CollisionMesh::with_codimensional(rest, &[], &edges, &[], WIDTH).unwrap();
    mesh.along_curves(places)
}

fn thick(mesh: CollisionMesh, half_thickness: f64) -> CollisionScene {
    let one = CollisionScene::of_meshes([mesh]);
    let collider = Collider { half_thickness, ..one.colliders()[0].clone() };
    CollisionScene::new(vec![collider], Obstacles::default().into(), PairTable::new(1).into())
}

#[test]
fn neighbours_along_a_rod_that_is_thicker_than_its_pieces_are_long_are_no_contact() {
    let (half, d_hat) = (0.1, 0.05);
    let (rest, plain) = rod(40);
    let near = |mesh, x: &[Vec3]| Candidates::near(&thick(mesh, half), x, d_hat).len();
    assert!(near(plain, &rest) > 100, "they would push each other");
    assert_eq!(near(along(&rest), &rest), 0);
    assert!(intersections(&thick(along(&rest), half), &rest, 1).is_empty());
    // A hairpin: its legs are as far apart as contact reaches, and a half circle joins them.
    let hairpin = |apart: f64| -> Vec<Vec3> {
        let radius = 0.5 * apart;
        let leg = |k: usize| Vec3::X * (0.05 * (20.0 - k as f64)) + Vec3::Y * radius;
        let turned = |k: usize| {
            let angle = std::f64::consts::PI * k as f64 / 12.0;
            Vec3::new(-radius * angle.sin(), radius * angle.cos(), 0.0)
        };
        let back = |k: usize| Vec3::X * (0.05 * k as f64) - Vec3::Y * radius;
        (0..20).map(leg).chain((0..12).map(turned)).chain((0..=20).map(back)).collect()
    };
    let wide = hairpin((2.0 * half + d_hat) * 1.02);
    assert_eq!(near(along(&wide), &wide), 0);
    let narrow = hairpin((2.0 * half + d_hat) * 0.9);
    assert!(near(along(&narrow), &narrow) > 10);
    let inside = hairpin(2.0 * half * 0.9);
    assert!(!intersections(&thick(along(&inside), half), &inside, 1).is_empty());
}

#[test]
fn a_closed_rod_knows_the_shorter_way_around() {
    let count = 60;
    let at = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        Vec3::new(angle.cos(), angle.sin(), 0.0)
    };
    let rest: Vec<Vec3> = (0..count).map(at).collect();
    let edges: Vec<[u32; 2]> = (0..count as u32).map(|i| [i, (i + 1) % count as u32]).collect();
    let piece = rest[0].distance(rest[1]);
    let place = |k: usize| CurvePlace {
        curve: 0,
        arc_length: piece * k as f64,
        closed_length: piece * count as f64,
    };
    let mesh = CollisionMesh::with_codimensional(&rest, &[], &edges, &[], WIDTH).unwrap();
    let mesh = mesh.along_curves((0..count).map(place).collect());
    assert_eq!(Candidates::near(&thick(mesh, 0.15), &rest, 0.1).len(), 0);
}
