//! How far Newton's method goes where its matrix is too stiff.

mod support;

use resile_math::{Mat3, Vec3};
use resile_solver::{Newton, NewtonSettings, Objective};
use support::{OneNode, Witness};

/// What Newton's method does in so many iterations at most with `1/2 |u|^2` of one node, a Hessian that is
/// `factor` times too stiff, and a wall that no x is below.
fn watched(factor: f64, wall: f64, most: usize) -> Witness<impl Objective> {
    let mut witness = Witness::new(OneNode {
        wall,
        value: |u: Vec3| 0.5 * u.length_squared(),
        gradient: |u: Vec3| u,
        hessian: move |_, _| Mat3::from_diagonal(Vec3::splat(factor)),
    });
    let settings = NewtonSettings { max_iterations: most, ..NewtonSettings::default() };
    let mut u = [Vec3::new(3.0, -2.0, 1.0)];
    // That it is not solved to such a tolerance is no matter: what it did is looked at.
    let _ = Newton::new(settings).minimise(&mut witness, &mut u, 1e-9);
    witness
}

#[test]
fn a_step_that_is_too_short_is_followed_towards_the_minimum_along_its_line() {
    for factor in [2.5, 10.0, 100.0] {
        let witness = watched(factor, -1.0, 12);
        let [first, .., last] = witness.accepted[..] else { panic!("{:?}", witness.accepted) };
        // Each iteration leaves less than half of the way; whole steps leave `1 - 1 / factor`.
        assert!(last < 1e-6 * first, "{factor}: {:?}", witness.accepted);
        assert!(witness.accepted.is_sorted_by(|a, b| a >= b), "{:?}", witness.accepted);
        let asked = witness.values.get();
        assert!(asked <= 4 * 12 + 1, "{factor}: {asked} values, of which each goes farther");
    }
    assert_eq!(watched(1.0, -1.0, 12).values.get(), 2, "a right model is not tried farther");
    assert_eq!(watched(1.99, -1.0, 1).values.get(), 2, "nor one that is less than twice too stiff");
    assert_eq!(watched(2.01, -1.0, 1).values.get(), 3);
}

#[test]
fn it_is_followed_no_farther_than_the_path_is_free() {
    // Its witness asserts that nothing is evaluated behind a bound. The minimum is behind the wall.
    let witness = watched(50.0, 0.75, 5);
    let (u, _) = &witness.segment;
    assert!((0.75..0.8).contains(&u[0].x) && witness.cut > 0, "{u:?}");
}
