//! Paths on which nearly everything comes near to everything.

use crate::common::{SETTINGS, arrange, cube};
use resile_contact::{BarrierPotential, CollisionMesh, CollisionScene, Contact};
use resile_system::{Coupling, Energy, Path, Vec3};
use std::sync::Arc;

/// Two cubes of 432 triangles each, 2 cm apart: more than a million pairs.
fn two_cubes() -> (CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(6);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let other = rest.iter().map(|p| *p + Vec3::new(0.05, 1.02, 0.07));
    let x = rest.iter().copied().chain(other).collect();
    (arrange(&[surface.clone(), surface], vec![], vec![], 0.0), x)
}

/// Everything flies apart, so that nothing touches, but the boxes around all paths overlap.
fn blown_up(x: &[Vec3], times: f64) -> Vec<Vec3> {
    let middle = Vec3::new(0.5, 1.01, 0.5);
    x.iter().map(|p| middle + (*p - middle) * times).collect()
}

fn along(from: &[Vec3], to: &[Vec3], t: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * t).collect()
}

/// The energy at `x` is what a search at this place makes it, and more than none.
fn assert_same(contact: &Contact, scene: &CollisionScene, x: &[Vec3]) {
    let mut fresh = Contact::new(scene.clone(), SETTINGS);
    fresh.search(&[Path::at(x)]);
    let (actual, expected) = (contact.value(0.0, x), fresh.value(0.0, x));
    assert!(
        expected > 0.0 && (actual - expected).abs() < 1e-12 * expected,
        "{actual}, not {expected}"
    );
}

#[test]
fn where_everything_meets_everything_the_first_impact_is_found() {
    let (scene, x) = two_cubes();
    let noise = |k: f64| Vec3::new(k.sin(), (1.7 * k).cos(), (2.3 * k).sin());
    let to: Vec<Vec3> = x.iter().zip(0..).map(|(x, k)| *x + noise(f64::from(k)) * 50.0).collect();
    let mut contact = Contact::new(scene.clone(), SETTINGS);
    let bound = contact.search(&[Path { from: &x, to: &to }]);
    assert!(bound > 0.0 && bound < 0.1, "{bound}");
    for t in [0.0, 0.5 * bound, bound] {
        assert_same(&contact, &scene, &along(&x, &to, t));
    }
    // The same way as far as it has few pairs, looked at in one piece. Between one and two
    // tenths of the first gap are left by either.
    let near = along(&x, &to, 1.0 / 4096.0);
    let part = Contact::new(scene, SETTINGS).search(&[Path { from: &x, to: &near }]);
    let ratio = bound * 4096.0 / part;
    assert!(part < 1.0 && (0.8 / 0.9..0.9 / 0.8).contains(&ratio), "{part}, {ratio}");
}

#[test]
fn a_way_on_which_nothing_touches_is_free_to_its_end() {
    let (scene, x) = two_cubes();
    let to = blown_up(&x, 1e3);
    let search = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        let bound = pool.install(|| contact.search(&[Path { from: &x, to: &to }]));
        (bound, contact)
    };
    let (bound, contact) = search(1);
    assert_eq!(bound, 1.0, "nothing touches");
    // What was near the other at the start is soon far apart.
    for t in [0.0, 1e-4, 1e-3, 2e-3, 3e-3] {
        assert_same(&contact, &scene, &along(&x, &to, t));
    }
    // Looked at in one piece, 300,889 pairs come near.
    assert!(contact.candidate_count() < 200_000, "{}", contact.candidate_count());
    let (with_two, on_two) = search(2);
    assert_eq!((with_two, on_two.candidate_count()), (bound, contact.candidate_count()));
}

#[test]
fn where_there_are_many_pairs_at_the_start_a_way_is_not_cut() {
    let (scene, x) = two_cubes();
    let settings = BarrierPotential { d_hat: 3.0, ..SETTINGS };
    let mut contact = Contact::new(scene, settings);
    let bound = contact.search(&[Path { from: &x, to: &blown_up(&x, 1.5) }]);
    assert_eq!(bound, 1.0);
    assert!(contact.candidate_count() > 1_000_000, "{}", contact.candidate_count());
}
