//! Steps by the matrix of the step before.

use crate::support::{Springs, Witness, distance, shaken};
use resile_math::Vec3;
use resile_solver::{Iterative, LinearChoice, Newton, NewtonSettings, SolveReport};

/// The minimiser that is found, the work, and how many second derivatives were asked for.
fn solve(
    linear: LinearChoice,
    springs: &Springs,
    start: &[Vec3],
    tolerance: f64,
) -> (Vec<Vec3>, SolveReport, usize) {
    let (mut u, mut witness) = (start.to_vec(), Witness::new(springs.clone()));
    let mut newton = Newton::new(NewtonSettings { linear, ..NewtonSettings::default() });
    let report = newton.minimise(&mut witness, &mut u, tolerance).unwrap();
    (u, report, witness.exact.get() + witness.projected.get())
}

#[test]
fn error_after_a_reused_matrix_is_far_below_the_tolerance() {
    let (mut kept, mut far) = (0, 0.0_f64);
    for (k, shake) in [(0.3, 0.1), (3.0, 0.05), (30.0, 0.02), (300.0, 0.01)] {
        let springs = Springs::block(4, k, 1.0);
        let start = shaken(&springs.pull, shake);
        let (expected, ..) = solve(LinearChoice::Direct, &springs, &start, 1e-13);
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
            let iterative = LinearChoice::Iterative(Iterative::default());
            let (u, report, matrices) = solve(iterative, &springs, &start, tolerance);
            assert!(matrices + report.kept >= report.iterations, "{report:?}");
            kept += usize::from(matrices < report.iterations);
            far = far.max(distance(&u, &expected) / tolerance);
        }
    }
    assert!(kept > 12, "in {kept} of 24 solves");
    assert!(far < 0.03, "{far} of the tolerance");
}

#[test]
fn quadratic_problem_needs_one_matrix_and_factorised_steps_one_each() {
    let mut springs = Springs::chain(9, 0.0, 2.5);
    springs.springs.clear();
    let start = shaken(&springs.pull, 3.0);
    let iterative = LinearChoice::Iterative(Iterative::default());
    let (u, report, matrices) = solve(iterative, &springs, &start, 1e-9);
    assert!(distance(&u, &springs.pull) < 1e-14);
    assert!(report.iterations > 1 && matrices == 1, "{report:?}");
    let (_, report, matrices) = solve(LinearChoice::Direct, &springs, &start, 1e-9);
    assert_eq!((report.kept, matrices), (0, report.iterations));
}
