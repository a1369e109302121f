//! Adhesion of flat contacts.

use crate::common::{arrange, cube};
use resile_contact::{AdhesionPotential, Candidates, CollisionMesh, CollisionScene, GapLaw, Plane};
use resile_system::Vec3;
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
