//! How far Newton's method goes where its matrix is too stiff.

use crate::support::{OneNode, Witness};
use resile_math::{Mat3, Vec3};
use resile_solver::{
    Curvature, Cut, Iteration, Minimiser as _, Newton, NewtonSettings, Objective, SolveError,
    SolveReport,
};

/// What Newton's method does in so many iterations at most with `1/2 |u|^2` of one node, a Hessian that is
/// `factor` times too stiff, and a wall that no x is below.
fn watched(factor: f64, wall: f64, limit: usize) -> Witness<impl Objective> {
    let mut witness = Witness::new(OneNode {
        wall,
        value: |u: Vec3| 0.5 * u.length_squared(),
        gradient: |u: Vec3| u,
        hessian: move |_, _| Mat3::from_diagonal(Vec3::splat(factor)),
    });
    let settings = NewtonSettings { max_iterations: limit, ..NewtonSettings::default() };
    let mut u = [Vec3::new(3.0, -2.0, 1.0)];
    // That it is not solved to such a tolerance is no matter: what it did is looked at.
    let _ = Newton::new(settings).minimise(&mut witness, &mut u, 1e-9);
    witness
}

#[test]
fn short_step_is_extended_towards_the_minimum_along_its_line() {
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
fn extension_stays_within_the_step_bound() {
    // Its witness asserts that nothing is evaluated behind a bound. The minimum is behind the wall.
    let witness = watched(50.0, 0.75, 5);
    let (u, _) = &witness.segment;
    assert!((0.75..0.8).contains(&u[0].x) && witness.cut > 0, "{u:?}");
}

/// The rows of a minimisation of one node: a value with its derivatives, a wall, and a start.
fn traced(
    objective: &mut dyn Objective,
    start: Vec3,
    most: usize,
) -> (Vec<Iteration>, Result<SolveReport, SolveError>) {
    let settings = NewtonSettings { max_iterations: most, ..NewtonSettings::default() };
    let mut newton = Newton::new(settings);
    newton.trace(true);
    let solved = newton.minimise(objective, &mut [start], 1e-9);
    let rows = newton.take_iterations();
    assert!(newton.take_iterations().is_empty(), "they are given once");
    (rows, solved)
}

fn cuts(rows: &[Iteration]) -> Vec<Cut> {
    rows.iter().map(|row| row.outcome.cut).collect()
}

#[test]
fn trace_of_a_quadratic_has_its_decrease_and_no_remainder() {
    let mut quadratic = OneNode {
        wall: -9.0,
        value: |u: Vec3| 0.5 * u.length_squared(),
        gradient: |u: Vec3| u,
        hessian: |_, _| Mat3::IDENTITY,
    };
    let (rows, solved) = traced(&mut quadratic, Vec3::new(3.0, -4.0, 0.0), 9);
    assert_eq!(rows.len(), solved.unwrap().iterations);
    let first = &rows[0];
    assert_eq!((first.number, first.value, first.gradient, first.step), (1, 12.5, 4.0, 4.0));
    assert_eq!(
        [first.outcome.predicted, first.outcome.actual, first.outcome.fraction],
        [12.5, 12.5, 1.0]
    );
    assert_eq!((first.outcome.cut, first.gradient_left), (Cut::None, Some(0.0)));
    assert_eq!((first.curvature, first.factorisations), (Some(Curvature::Exact), 1));
}

#[test]
fn trace_holds_the_cause_of_shortened_steps() {
    let one = |wall: f64, factor: f64| OneNode {
        wall,
        value: |u: Vec3| 0.5 * u.length_squared(),
        gradient: |u: Vec3| u,
        hessian: move |_, _| Mat3::from_diagonal(Vec3::splat(factor)),
    };
    let (rows, _) = traced(&mut one(0.75, 1.0), Vec3::X * 3.0, 2);
    assert_eq!(cuts(&rows), [Cut::Bound; 2]);
    assert_eq!(rows[0].outcome.bound, rows[0].outcome.fraction);
    let (rows, _) = traced(&mut one(-9.0, 10.0), Vec3::X * 3.0, 1);
    assert_eq!(cuts(&rows), [Cut::Extended]);
    assert!(rows[0].outcome.fraction > 1.0 && rows[0].outcome.actual > rows[0].outcome.predicted);
    // Far out the whole step of sqrt(1 + x^2) leads to -x^3.
    let mut flat = OneNode {
        wall: f64::NEG_INFINITY,
        value: |u: Vec3| (1.0 + u.length_squared()).sqrt(),
        gradient: |u: Vec3| u / (1.0 + u.length_squared()).sqrt(),
        hessian: |u: Vec3, _| {
            Mat3::from_diagonal(Vec3::splat((1.0 + u.length_squared()).powf(-1.5)))
        },
    };
    let (rows, solved) = traced(&mut flat, Vec3::X * 3.0, 50);
    assert_eq!((rows[0].outcome.cut, rows[0].backtracks > 1), (Cut::Decrease, true));
    let report = solved.unwrap();
    assert_eq!(rows.iter().map(|row| row.backtracks).sum::<usize>(), report.backtracks);
    for pair in rows.windows(2) {
        let [before, after] = pair else { continue };
        assert_eq!(before.value - before.outcome.actual, after.value);
        assert_eq!(before.gradient_left, Some(after.gradient));
    }
}
