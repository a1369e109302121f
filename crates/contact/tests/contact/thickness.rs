//! Sheets with a thickness: contact acts on the distance less both offsets.

use crate::common::{FRICTION, KINDS, SETTINGS, arrange_thick, cube, of_kind, point, rotation};
use proptest::prelude::*;
use resile_contact::Barrier;
use resile_contact::ccd::{CONSERVATIVE_GAP, FLOOR, time_of_impact};
use resile_contact::distance::{Closest, PairKind};
use resile_contact::{
    BarrierPotential, CollisionMesh, CollisionScene, Contact, Embedding, Friction, ObstacleMesh,
    Plane, Primitive, Role, intersections,
};
use resile_system::check::{dissipation_derivatives, energy_derivatives};
use resile_system::{Coupling, DissipationPotential, Energy, Path, Vec3};
use std::sync::Arc;

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
    let node = |k: usize| Vec3::new((k / (n + 1)) as f64, 0.0, (k % (n + 1)) as f64) / n as f64;
    ((0..(n + 1) * (n + 1)).map(node).collect(), triangles)
}

fn simulated(
    surfaces: &[Arc<CollisionMesh>],
    offsets: &[f64],
    planes: Vec<Plane>,
) -> CollisionScene {
    let roles = vec![Role::Simulated; surfaces.len()];
    arrange_thick(offsets, &roles, surfaces, planes, vec![], 0.5)
}

fn at(scene: &CollisionScene, x: &[Vec3]) -> Contact {
    with(SETTINGS, scene, x)
}

fn with(settings: BarrierPotential, scene: &CollisionScene, x: &[Vec3]) -> Contact {
    let mut contact = Contact::new(scene.clone(), settings);
    contact.search(&[Path::at(x)]);
    contact
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_pair_stays_farther_apart_than_its_offset_up_to_the_time_of_impact(
        x in prop::array::uniform4(point(1.0)), y in prop::array::uniform4(point(2.0)),
        kind in 0usize..4, share in prop_oneof![0.0f64..1.0, 0.99f64..0.999_999],
    ) {
        let kind = KINDS[kind];
        let (x, y) = (of_kind(kind, x), of_kind(kind, y));
        let start = Closest::new(kind, &x).distance();
        prop_assume!(start > 1e-3);
        let offset = share * start;
        let gap = start - offset;
        let time = time_of_impact(kind, &x, &y, offset);
        prop_assert!(time > 0.0 && time <= 1.0);
        let at = |t: f64| std::array::from_fn(|k| x[k] + (y[k] - x[k]) * t);
        for i in 0..=400 {
            let d = Closest::new(kind, &at(time * f64::from(i) / 400.0)).distance();
            prop_assert!(d - offset >= CONSERVATIVE_GAP * gap * (1.0 - 1e-6), "{d} less {offset} of {gap}");
        }
        // Round an edge whose thickness is many times the gap it takes so many steps that
        // their number may end it sooner.
        if time < 1.0 && share < 0.9 {
            let left = Closest::new(kind, &at(time)).distance() - offset;
            prop_assert!(left <= 2.0 * CONSERVATIVE_GAP * gap * (1.0 + 1e-6), "{left} of {gap}");
        }
    }

    #[test]
    fn without_a_gap_there_is_no_time_of_impact(
        x in prop::array::uniform4(point(1.0)), y in prop::array::uniform4(point(2.0)),
        kind in 0usize..4, more in prop_oneof![Just(0.0), 0.0f64..2.0],
    ) {
        let kind = KINDS[kind];
        let (x, y) = (of_kind(kind, x), of_kind(kind, y));
        // As `time_of_impact` measures it: from the first point on.
        let local = x.map(|p| p - x[0]);
        let offset = Closest::new(kind, &local).distance() * (1.0 + more);
        prop_assert_eq!(time_of_impact(kind, &x, &y, offset), 0.0);
    }
}

#[test]
fn a_gap_below_the_floor_may_grow_and_not_close() {
    let x = [Vec3::Y * (0.5 + 0.5 * FLOOR), -Vec3::X, Vec3::X + Vec3::Z, Vec3::X - Vec3::Z];
    let moved = |by: Vec3| {
        let mut y = x;
        y[0] += by;
        y
    };
    let kind = PairKind::VertexFace;
    assert!(Closest::new(kind, &x).distance() > 0.5);
    assert_eq!(time_of_impact(kind, &x, &moved(Vec3::Y), 0.5), 1.0);
    assert_eq!(time_of_impact(kind, &x, &moved(-Vec3::Y), 0.5), 0.0);
}

#[test]
fn a_thick_sheet_presses_a_plane_by_its_gap() {
    let (rest, triangles) = sheet(6);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 1 };
    let (offset, gap) = (0.01, 0.006);
    let settings = BarrierPotential { d_hat: 0.02, ..SETTINGS };
    let scene = simulated(&[surface], &[offset], vec![plane]);
    let x: Vec<Vec3> = rest.iter().map(|p| *p + Vec3::Y * (offset + gap)).collect();
    let contact = with(settings, &scene, &x);
    assert!((contact.certificate(&x).min_distance - gap).abs() < 1e-15);
    let mut g = vec![Vec3::ZERO; x.len()];
    contact.add_gradient(0.0, &x, 1.0, &mut g);
    let normal = -g.iter().sum::<Vec3>().y;
    let expected =
        -settings.kappa * settings.d_hat * Barrier::ClampedLog.at(gap, settings.d_hat).first;
    assert!((normal / expected - 1.0).abs() < 1e-12, "{normal} for {expected}");
    let friction = Friction::new(scene.clone(), settings, FRICTION).at(&x, &[]);
    let mut drag = vec![Vec3::ZERO; x.len()];
    friction.add_gradient(0.0, &vec![Vec3::X; x.len()], 1.0, &mut drag);
    let drag: Vec3 = drag.iter().sum();
    assert!((drag - Vec3::X * 0.5 * normal).length() < 1e-12 * normal);
    // Down to the offset and no farther.
    let to: Vec<Vec3> = x.iter().map(|p| *p - Vec3::Y * 0.1).collect();
    let bound = Contact::new(scene, SETTINGS).search(&[Path { from: &x, to: &to }]);
    assert!((bound / ((1.0 - CONSERVATIVE_GAP) * gap / 0.1) - 1.0).abs() < 1e-12, "{bound}");
}

/// A thick ordinary cube, a thin one on four nodes and a kinematic one, over a plane and
/// beside a fixed one.
fn mixed() -> (CollisionScene, Vec<Vec3>) {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let (rest, triangles) = cube(2);
    let plain = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let hang = |x: &Vec3| Embedding {
        nodes: [0, 1, 2, 3],
        weights: [1.0 - x.x - x.y - x.z, x.x, x.y, x.z],
    };
    let embedding = rest.iter().map(hang).collect();
    let few = Arc::new(CollisionMesh::embedded(&rest, &triangles, embedding, 4).unwrap());
    let offsets = [0.02, 0.05, 0.01];
    let turn = rotation(Vec3::new(0.01, 0.3, 0.02));
    let mut x: Vec<Vec3> = rest.iter().map(|p| turn(*p) + Vec3::Y * 0.05).collect();
    x.extend(corners.map(|p| p + Vec3::new(0.15, 1.15, 0.1)));
    x.extend(corners.map(|p| p + Vec3::new(1.34, 0.1, -0.1)));
    let plane = Plane { point: Vec3::Y * -0.03, normal: Vec3::Y, collider: 3 };
    let positions = corners.map(|p| p + Vec3::new(-1.05, 0.3, 0.25)).to_vec();
    let mesh = ObstacleMesh { mesh: few.clone(), positions, collider: 4 };
    let roles = [Role::Simulated, Role::Simulated, Role::Kinematic];
    let surfaces = [plain, few.clone(), few];
    (arrange_thick(&offsets, &roles, &surfaces, vec![plane], vec![mesh], 0.4), x)
}

#[test]
fn derivatives_agree_with_differences() {
    let (scene, x) = mixed();
    assert!(intersections(&scene, &x, 1).is_empty());
    let contact = at(&scene, &x);
    let certificate = contact.certificate(&x);
    assert!(certificate.contacts > 10 && certificate.min_distance > 0.0, "{certificate:?}");
    let errors = energy_derivatives(&contact, &x, 1e-7).unwrap();
    assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
    let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
    assert!(friction.pair_count() > 10);
    let v: Vec<Vec3> = (0..x.len())
        .map(|i| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin()))
        .collect();
    let errors = dissipation_derivatives(&friction, &v, 1e-6).unwrap();
    assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn bounded_motion_keeps_the_thickness(
        moves in prop::collection::vec(point(0.3), 24), push in 0.0f64..2.0,
    ) {
        let (scene, mut x) = mixed();
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        for round in 0..4 {
            let to: Vec<Vec3> = x.iter().enumerate().map(|(i, p)| {
                let down = if (26..30).contains(&i) { Vec3::Y * push } else { Vec3::ZERO };
                *p + moves[(i + 7 * round) % 24] - down
            }).collect();
            let t = contact.search(&[Path { from: &x, to: &to }]);
            x = x.iter().zip(&to).map(|(a, b)| *a + (*b - *a) * t).collect();
            prop_assert!(contact.value(0.0, &x).is_finite());
            prop_assert!(contact.certificate(&x).min_distance > 0.0);
            let found = intersections(&scene, &x, 1);
            prop_assert!(found.is_empty(), "{found:?}");
        }
    }
}

#[test]
fn what_is_nearer_than_its_thickness_is_told_with_names_and_place() {
    let (rest, triangles) = sheet(3);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let plane = Plane { point: Vec3::Y * -0.015, normal: Vec3::Y, collider: 2 };
    let mut x = rest.clone();
    x.extend(rest.iter().map(|p| *p + Vec3::new(0.1, 0.025, 0.15)));
    let look = |offsets: &[f64]| {
        let surfaces = [surface.clone(), surface.clone()];
        intersections(&simulated(&surfaces, offsets, vec![plane]), &x, 1000)
    };
    assert!(look(&[0.01, 0.01]).is_empty());
    let found = look(&[0.01, 0.02]);
    assert!(found.len() > 10);
    for near in found {
        assert_eq!(near.colliders.iter().sum::<usize>(), 1);
        assert!((near.distance - 0.025).abs() < 6e-3 && near.min_separation == 0.03, "{near:?}");
        assert!(near.point.y == 0.0 || near.point.y == 0.025);
        assert!((near.collider_depth - 0.005).abs() < 1e-12, "{near:?}");
    }
    let found = look(&[0.02, 0.001]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].colliders, found[0].primitives[1]), ([0, 2], Primitive::Plane(0)));
    assert!((found[0].distance - 0.015).abs() < 1e-15);
    assert!((found[0].collider_depth - 0.005).abs() < 1e-15);
}

#[test]
fn a_flat_sheet_repels_itself_at_rest_exactly_where_its_triangles_are_too_low() {
    let (n, d_hat) = (4, 0.05);
    let (rest, triangles) = sheet(n);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let height = 0.5f64.sqrt() / n as f64;
    let settings = BarrierPotential { d_hat, ..SETTINGS };
    for (reach, fits) in [(0.999 * height, true), (1.001 * height, false)] {
        let offset = 0.5 * (reach - d_hat);
        let checked = surface.check_thickness(offset, d_hat);
        assert_eq!(checked.is_ok(), fits);
        let contact =
            with(settings, &simulated(std::slice::from_ref(&surface), &[offset], vec![]), &rest);
        assert_eq!(contact.value(0.0, &rest) == 0.0, fits);
        if let Err(error) = checked {
            let Primitive::Triangle(lowest) = error.primitive else { panic!("{error}") };
            assert!((error.height / height - 1.0).abs() < 1e-12 && triangles.contains(&lowest));
            assert!(
                (error.activation_distance - reach).abs() < 1e-15
                    && error.thickness == 2.0 * offset
            );
        }
    }
}
