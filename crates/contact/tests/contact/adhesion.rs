//! Adhesion of flat contacts.

use crate::common::{arrange, cube};
use resile_contact::{
    AdhesionPotential, Candidates, CollisionMesh, CollisionScene, Friction, GapLaw, Plane,
    TangentialAdhesion,
};
use resile_system::{DissipationPotential as _, Vec3};
use std::sync::Arc;

const STRENGTH: f64 = 2e3;
const RANGE: f64 = 0.1;
/// Width of the upper one of two cubes (m).
const SCALE: f64 = 0.8;

fn adhesion(peak: f64) -> AdhesionPotential {
    AdhesionPotential { strength: STRENGTH, peak: peak * RANGE, range: RANGE }
}

/// A cube of one metre over a plane at y = 0.
fn on_plane() -> (CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(3);
    let mesh = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 1 };
    (arrange(&[mesh], vec![plane], vec![], 0.0), rest)
}

/// Two cubes of one metre with other meshes, the second on top of the first and compressed to a part of its width.
fn on_cube() -> (CollisionScene, Vec<Vec3>) {
    let [(mut lower, lower_triangles), (upper, upper_triangles)] = [cube(2), cube(3)];
    let meshes =
        [(&lower, &lower_triangles), (&upper, &upper_triangles)].map(|(rest, triangles)| {
            Arc::new(CollisionMesh::new(rest, triangles).unwrap().with_signed_sums())
        });
    lower.extend(upper.iter().map(|p| Vec3::new(SCALE * p.x + 0.1, p.y + 1.0, SCALE * p.z + 0.1)));
    (arrange(&meshes, vec![], vec![], 0.0), lower)
}

/// The upper body `gap` (m) higher, and the force (N) on it upwards.
fn pulled(
    (scene, x): &(CollisionScene, Vec<Vec3>),
    gap: f64,
    gradient: impl Fn(&CollisionScene, &Candidates, &[Vec3]) -> Vec<Vec3>,
) -> f64 {
    let first = x.len() - cube(3).0.len();
    let mut x = x.clone();
    x[first..].iter_mut().for_each(|p| p.y += gap);
    let candidates = Candidates::near(scene, &x, RANGE);
    -gradient(scene, &candidates, &x)[first..].iter().map(|g| g.y).sum::<f64>()
}

/// The force (N) of adhesion, upwards.
fn attraction(scene: &(CollisionScene, Vec<Vec3>), peak: f64, gap: f64) -> f64 {
    pulled(scene, gap, |scene, candidates, x| adhesion(peak).gradient(scene, candidates, x))
}

/// The area (m^2) of the vertices for which `is_included` is true: a third of that of their triangles.
fn area_of_vertices(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
    is_included: impl Fn(Vec3) -> bool,
) -> f64 {
    let area = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|k| rest[k as usize]);
        let included = [a, b, c].into_iter().filter(|p| is_included(*p)).count();
        0.5 * (b - a).cross(c - a).length() * included as f64 / 3.0
    };
    triangles.iter().map(area).sum()
}

/// The contacts with their areas (m^2): on a plane that of the lowest vertices, between cubes half of those of both
/// sides, as they are at rest.
fn contacts() -> [((CollisionScene, Vec<Vec3>), f64); 2] {
    let [(lower, lower_triangles), (upper, upper_triangles)] = [cube(2), cube(3)];
    let standing = area_of_vertices(&upper, &upper_triangles, |p| p.y == 0.0);
    let beneath = area_of_vertices(&lower, &lower_triangles, |p| {
        p.y == 1.0 && (0.1..0.9).contains(&p.x) && (0.1..0.9).contains(&p.z)
    });
    [(on_plane(), standing), (on_cube(), 0.5 * (standing + beneath))]
}

#[test]
fn traction_of_a_flat_contact_is_that_of_the_law_on_the_area_of_its_vertices() {
    for (scene, area) in contacts() {
        for peak in [0.2, 0.5] {
            for s in [0.05, 0.15, 0.3, 0.6, 0.9] {
                let gap = s * RANGE;
                let traction = -attraction(&scene, peak, gap) / area;
                let expected = STRENGTH * RANGE * GapLaw::Adhesion { peak }.at(gap, RANGE).first;
                assert!((traction / expected - 1.0).abs() < 1e-9, "{s}: {traction} {expected}");
            }
        }
    }
}

#[test]
fn largest_force_is_the_strength_times_the_area_at_the_peak() {
    for (scene, area) in contacts() {
        let forces: Vec<f64> =
            (1..100).map(|k| -attraction(&scene, 0.4, f64::from(k) * 0.01 * RANGE)).collect();
        let largest = forces.iter().copied().fold(0.0, f64::max);
        assert_eq!(forces.iter().position(|force| *force == largest), Some(39));
        let limit = STRENGTH * area;
        assert!((largest / limit - 1.0).abs() < 1e-9, "{largest} N, {limit} N");
    }
}

#[test]
fn force_is_continuous_over_the_whole_range_and_zero_beyond_it() {
    for (scene, area) in contacts() {
        let steps = 400;
        let forces: Vec<f64> = (1..=steps + 20)
            .map(|k| attraction(&scene, 0.3, f64::from(k) / f64::from(steps) * RANGE))
            .collect();
        // The steepest part rises by the largest force within 0.3 of the range.
        let limit = 2.0 * STRENGTH * area / 0.3 / f64::from(steps);
        let jumps = forces.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        assert!(jumps.fold(0.0, f64::max) < limit);
        assert!(forces[steps as usize - 1..].iter().all(|force| *force == 0.0));
        assert!(forces[..steps as usize - 1].iter().all(|force| *force < 0.0));
    }
}

const BONDS: TangentialAdhesion = TangentialAdhesion { coefficient: 0.7, slip_speed: 1e-3 };

/// The upper body `gap` (m) higher, and the force (N) of its bonds on it at the velocity `v` (m/s) above that of all
/// nodes, `frame` (m/s). The step began at the velocity `start` (m/s) above it.
fn holding_force(
    (scene, x): &(CollisionScene, Vec<Vec3>),
    gap: f64,
    frame: Vec3,
    [start, v]: [Vec3; 2],
) -> Vec3 {
    let first = x.len() - cube(3).0.len();
    let velocities = |upper: Vec3| {
        let node = |i: usize| if i < first { frame } else { frame + upper };
        (0..x.len()).map(node).collect::<Vec<Vec3>>()
    };
    let mut x = x.clone();
    x[first..].iter_mut().for_each(|p| p.y += gap);
    let bonds = Friction::adhesive(scene.clone(), adhesion(0.3), BONDS).at(&x, &velocities(start));
    let mut gradient = vec![Vec3::ZERO; x.len()];
    bonds.add_gradient(0.0, &velocities(v), -1.0, &mut gradient);
    let force: Vec3 = gradient[first..].iter().sum();
    let power = -force.dot(v);
    assert!(power >= 0.0, "{power} W");
    force
}

/// At any gap below the range the coefficient times the strength times the area, against the slip.
#[test]
fn bonds_hold_a_flat_contact_up_to_their_limit_at_any_gap() {
    for (scene, area) in contacts() {
        let limit = 0.7 * STRENGTH * area;
        for gap in [0.001, 0.3, 0.6, 0.99] {
            for direction in [Vec3::X, Vec3::new(0.6, 0.0, -0.8)] {
                let force = |speed: f64| {
                    let v = [Vec3::ZERO, direction * (speed * BONDS.slip_speed)];
                    holding_force(&scene, gap * RANGE, Vec3::ZERO, v)
                };
                let (slow, fast) = (force(0.5), force(50.0));
                assert!((fast + direction * limit).length() < 1e-9 * limit, "{gap}: {fast}");
                // The smoothed law at half of the slip speed.
                assert!((slow + direction * (0.75 * limit)).length() < 1e-9 * limit, "{slow}");
            }
        }
        let beyond = holding_force(&scene, 1.01 * RANGE, Vec3::ZERO, [Vec3::ZERO, Vec3::X]);
        assert_eq!(beyond, Vec3::ZERO);
    }
}

#[test]
fn bonds_of_surfaces_that_slip_at_the_start_are_broken() {
    for (scene, _) in contacts() {
        let force = |start: f64| {
            let start = Vec3::X * (start * BONDS.slip_speed);
            holding_force(&scene, 0.3 * RANGE, Vec3::ZERO, [start, Vec3::X]).length()
        };
        assert!(force(1.99) > 0.0 && force(2.01) == 0.0);
    }
}

#[test]
fn bonds_of_two_bodies_depend_on_their_relative_velocity_alone() {
    let [_, (scene, _)] = contacts();
    let at = |frame: Vec3, start: f64| {
        let v = [Vec3::Z * (start * BONDS.slip_speed), Vec3::new(4e-4, 0.0, -7e-4)];
        holding_force(&scene, 0.3 * RANGE, frame, v)
    };
    for start in [0.0, 1.9, 2.1] {
        let (rest, moving) = (at(Vec3::ZERO, start), at(Vec3::new(3.0, -2.0, 5.0), start));
        assert!((rest - moving).length() <= 1e-9 * rest.length(), "{rest} {moving}");
        assert_eq!(rest == Vec3::ZERO, start > 2.0);
    }
}
