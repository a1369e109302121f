//! Ways on which nearly everything comes near to everything.

mod common;
use common::{SETTINGS, arrange, cube};
use resile_contact::{Arrangement, Contact, ContactSettings, Surface};
use resile_system::{Energy, Vec3, Way};
use std::sync::Arc;

/// Two cubes of 432 triangles each, 2 cm apart: more than a million pairs.
fn two_cubes(d_hat: f64) -> (Arrangement, Vec<Vec3>) {
    let (rest, triangles) = cube(6);
    let surface = Arc::new(Surface::new(&rest, &triangles).unwrap());
    let other = rest.iter().map(|p| *p + Vec3::new(0.05, 1.02, 0.07));
    let x = rest.iter().copied().chain(other).collect();
    let settings = ContactSettings { d_hat, ..SETTINGS };
    (arrange(&[surface.clone(), surface], vec![], vec![], settings, 0.0), x)
}

/// Everything flies apart, so that nothing touches, but the boxes around all ways overlap.
fn blown_up(x: &[Vec3], times: f64) -> Vec<Vec3> {
    let middle = Vec3::new(0.5, 1.01, 0.5);
    x.iter().map(|p| middle + (*p - middle) * times).collect()
}

fn along(from: &[Vec3], to: &[Vec3], t: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * t).collect()
}

#[test]
fn only_a_part_of_them_is_looked_at_and_that_part_wholly() {
    let (arrangement, x) = two_cubes(SETTINGS.d_hat);
    let to = blown_up(&x, 1e3);
    let search = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut contact = Contact::new(arrangement.clone());
        let bound = pool.install(|| contact.step_bound(&[Way { from: &x, to: &to }]));
        (bound, contact)
    };
    let (bound, contact) = search(1);
    assert!(bound > 0.0 && bound < 0.01, "nothing touches, yet the way ends at {bound}");
    for t in [0.0, 0.5 * bound, bound] {
        let there = along(&x, &to, t);
        let mut fresh = Contact::new(arrangement.clone());
        fresh.step_bound(&[Way::at(&there)]);
        let (got, want) = (contact.value(&there), fresh.value(&there));
        assert!(want > 0.0 && (got - want).abs() < 1e-12 * want, "{got}, not {want}, at {t}");
    }
    let (with_two, on_two) = search(2);
    assert_eq!((with_two, on_two.candidate_count()), (bound, contact.candidate_count()));
}

#[test]
fn where_there_are_many_pairs_at_the_start_a_way_is_not_cut() {
    let (arrangement, x) = two_cubes(3.0);
    let mut contact = Contact::new(arrangement);
    let bound = contact.step_bound(&[Way { from: &x, to: &blown_up(&x, 1.5) }]);
    assert_eq!(bound, 1.0);
    assert!(contact.candidate_count() > 1_000_000, "{}", contact.candidate_count());
}
