//! Laws of Newton's method as it is here.

use crate::support::{
    Floor, OneNode, Springs, Witness, distance, shaken, smallest_curvature, stationarity,
};
use resile_math::{Mat3, Vec3};
use resile_solver::{
    Iterative, LinearChoice, Newton, NewtonSettings, ProjectionPolicy, Psd, SolveError,
};

fn with_linear(linear: LinearChoice) -> Newton {
    Newton::new(NewtonSettings { linear, ..NewtonSettings::default() })
}

/// Accepted values never rise by more than rounding.
fn assert_descent(accepted: &[f64]) {
    for pair in accepted.windows(2) {
        let noise = 1e-12 * pair[0].abs().max(accepted[0].abs());
        assert!(pair[1] <= pair[0] + noise, "{accepted:?}");
    }
}

#[test]
fn quadratic_problem_takes_one_step_and_one_check() {
    let mut springs = Springs::chain(9, 0.0, 2.5);
    springs.springs.clear();
    let expected = springs.pull.clone();
    let mut witness = Witness::new(springs);
    let mut u = shaken(&expected, 3.0);
    let report = Newton::default().minimise(&mut witness, &mut u, 1e-9).unwrap();
    assert!(distance(&u, &expected) < 1e-14);
    assert_eq!((report.iterations, report.backtracks, report.projected), (2, 0, 0));
    assert!(report.last_step < 1e-14);

    // Within the tolerance from the start: the step is taken all the same.
    let mut u = shaken(&expected, 1e-3);
    let report = Newton::default().minimise(&mut witness, &mut u, 1e-2).unwrap();
    assert!(distance(&u, &expected) < 1e-14);
    assert_eq!(report.iterations, 1);
}

#[test]
fn rosenbrock_is_minimised_from_many_starts() {
    for (x, y) in [(-1.2, 1.0), (0.0, 3.0), (2.0, -2.0), (-3.0, -4.0), (0.5, 0.9)] {
        let mut witness = Witness::new(OneNode {
            wall: f64::NEG_INFINITY,
            value: |u: Vec3| {
                (1.0 - u.x).powi(2) + 100.0 * (u.y - u.x * u.x).powi(2) + 0.5 * u.z * u.z
            },
            gradient: |u: Vec3| {
                let w = u.y - u.x * u.x;
                Vec3::new(-2.0 * (1.0 - u.x) - 400.0 * u.x * w, 200.0 * w, u.z)
            },
            hessian: |u: Vec3, psd| {
                // The residual r = y - x^2 has the gradient (-2x, 1); without its own
                // second derivative the Hessian is Gauss-Newton's, semi-definite.
                let bend = match psd {
                    Psd::Exact => -400.0 * (u.y - u.x * u.x),
                    Psd::Clamp => 0.0,
                };
                Mat3::from_cols(
                    Vec3::new(2.0 + 800.0 * u.x * u.x + bend, -400.0 * u.x, 0.0),
                    Vec3::new(-400.0 * u.x, 200.0, 0.0),
                    Vec3::Z,
                )
            },
        });
        let mut u = vec![Vec3::new(x, y, 1.0)];
        let report = Newton::default().minimise(&mut witness, &mut u, 1e-10).unwrap();
        assert!(distance(&u, &[Vec3::new(1.0, 1.0, 0.0)]) < 1e-12, "{u:?} {report:?}");
        assert_descent(&witness.accepted);
    }
}

#[test]
fn nonconvex_springs_reach_a_stable_equilibrium_under_every_policy() {
    for projection in [ProjectionPolicy::OnDemand, ProjectionPolicy::Always] {
        for (k, squeeze) in [(1.0, 0.4), (50.0, 0.3), (1e4, 0.6)] {
            let springs = Springs::block(3, k, 0.1);
            let start: Vec<Vec3> =
                shaken(&springs.pull, 0.1).iter().map(|x| *x * squeeze).collect();
            assert!(smallest_curvature(&springs, &start) < 0.0, "the start must be nonconvex");
            let mut witness = Witness::new(springs);
            let mut u = start;
            let settings = NewtonSettings { projection, ..NewtonSettings::default() };
            let report = Newton::new(settings).minimise(&mut witness, &mut u, 1e-9).unwrap();
            assert_descent(&witness.accepted);
            assert!(stationarity(&witness.inner, &u) < 1e-11 * k.max(1.0), "{report:?}");
            assert!(smallest_curvature(&witness.inner, &u) > 0.0);
            assert!(report.projected > 0);
            if projection == ProjectionPolicy::Always {
                assert_eq!((report.projected, witness.exact.get()), (report.iterations, 0));
            }
        }
    }
}

/// `(x^2 - 1)^2 + y^2 + z^2`: a hill between two valleys.
fn two_valleys() -> impl resile_solver::Objective {
    OneNode {
        wall: f64::NEG_INFINITY,
        value: |u: Vec3| (u.x * u.x - 1.0).powi(2) + u.y * u.y + u.z * u.z,
        gradient: |u: Vec3| Vec3::new(4.0 * u.x * (u.x * u.x - 1.0), 2.0 * u.y, 2.0 * u.z),
        hessian: |u: Vec3, psd| {
            let xx = 12.0 * u.x * u.x - 4.0;
            let xx = if psd == Psd::Clamp { xx.max(0.0) } else { xx };
            Mat3::from_diagonal(Vec3::new(xx, 2.0, 2.0))
        },
    }
}

#[test]
fn start_near_a_maximum_descends() {
    let iterative = LinearChoice::Iterative(Iterative::default());
    for linear in [LinearChoice::Direct, iterative] {
        for x in [0.3, -0.3, 1e-6, 0.57] {
            let mut witness = Witness::new(two_valleys());
            let mut u = vec![Vec3::new(x, 0.5, -0.2)];
            let report = with_linear(linear).minimise(&mut witness, &mut u, 1e-10).unwrap();
            assert!(distance(&u, &[Vec3::new(1f64.copysign(x), 0.0, 0.0)]) < 1e-10, "{u:?}");
            assert!(report.projected > 0 && witness.projected.get() == report.projected);
            assert!(report.shifted > 0, "the projected block is singular: {report:?}");
            assert_descent(&witness.accepted);
        }
    }
}

#[test]
fn fixed_nodes_stay_and_others_balance() {
    let mut springs = Springs::block(3, 20.0, 0.01);
    for i in [0, 5, 13, 26] {
        springs.free[i] = false;
    }
    let start = shaken(&springs.pull, 0.2);
    let mut u = start.clone();
    Newton::default().minimise(&mut springs, &mut u, 1e-9).unwrap();
    for i in 0..27 {
        assert_eq!(u[i] == start[i], !springs.free[i], "node {i}");
    }
    assert!(stationarity(&springs, &u) < 1e-11);
}

#[test]
fn prescribed_nodes_arrive_exactly_and_stretch_attached_springs() {
    let mut springs = Springs::chain(11, 5.0, 0.0);
    springs.free[0] = false;
    springs.free[10] = false;
    let end = Vec3::new(17.3, 0.1, -0.2);
    springs.prescribed = vec![(0, Vec3::ZERO), (10, end)];
    let mut u = springs.pull.clone();
    let report = Newton::default().minimise(&mut springs, &mut u, 1e-10).unwrap();
    assert_eq!((u[0], u[10]), (Vec3::ZERO, end));
    for i in 0..11 {
        assert!((u[i] - end * (i as f64 / 10.0)).length() < 1e-12, "{i}: {}", u[i]);
    }
    assert!(report.last_step <= 1e-10);
}

/// A block on a floor whose top is pushed down to height `top`.
fn press(top: f64) -> (Floor, Vec<Vec3>) {
    let mut springs = Springs::block(3, 10.0, 0.1);
    // Shaken a little: from a symmetric start it would end on a symmetric saddle.
    let u: Vec<Vec3> = shaken(&springs.pull, 0.005).iter().map(|x| *x + Vec3::Z * 0.05).collect();
    for i in (0..27).filter(|i| i % 3 == 2) {
        springs.free[i] = false;
        springs.prescribed.push((i, Vec3::new(u[i].x, u[i].y, top)));
    }
    (Floor { springs, reach: 0.04, stiffness: 1e4 }, u)
}

#[test]
fn press_compresses_a_body_within_the_domain() {
    let (floor, mut u) = press(1.0);
    let mut witness = Witness::new(floor);
    let report = Newton::default().minimise(&mut witness, &mut u, 1e-9).unwrap();
    assert!(u.iter().skip(2).step_by(3).all(|u| u.z == 1.0));
    assert!(u.iter().all(|u| u.z > 0.0));
    assert_eq!(witness.outside.get(), 0);
    assert!(report.bounded > 0 && report.bounded == witness.cut, "{report:?}");
    assert!(stationarity(&witness.inner, &u) < 1e-10, "{report:?}");
}

#[test]
fn prescribed_nodes_are_blocked_before_a_wall() {
    let (mut floor, start) = press(-0.3);
    let mut u = start.clone();
    let error = Newton::default().minimise(&mut floor, &mut u, 1e-9).unwrap_err();
    let SolveError::PrescribedBlocked { fraction, remaining, node } = error else {
        panic!("{error}")
    };
    assert_eq!(error.node(), Some(node));
    assert!(start[node].z == start.iter().map(|x| x.z).fold(f64::MIN, f64::max), "node {node}");
    // The wall is at 0, the end 0.3 behind it; each step closes 0.9 of the distance
    // of the node that is nearest.
    assert!((0.3..0.301).contains(&remaining), "{error}");
    let path = |u: &Vec3| u.z + 0.3;
    let longest = start.iter().skip(2).step_by(3).map(path).fold(0.0, f64::max);
    assert!((fraction - (1.0 - remaining / longest)).abs() < 1e-12, "{error}");
    assert_eq!(u, start);
}

#[test]
fn barrier_is_never_crossed_under_any_load() {
    for pull in [0.5, 10.0, 1e5] {
        let mut springs = Springs::block(3, 10.0, pull);
        springs.pull.iter_mut().for_each(|y| y.z -= 5.0);
        let mut u: Vec<Vec3> =
            Springs::block(3, 1.0, 1.0).pull.iter().map(|x| *x + 0.3 * Vec3::Z).collect();
        let mut witness = Witness::new(Floor { springs, reach: 0.05, stiffness: 1e4 });
        let report = Newton::default().minimise(&mut witness, &mut u, 1e-10).unwrap();
        assert_eq!(witness.outside.get(), 0, "{report:?}");
        assert!(u.iter().all(|u| u.z > 0.0) && u.iter().any(|u| u.z < 0.05));
        assert!(stationarity(&witness.inner, &u) < 1e-9 * (1.0 + 5.0 * pull), "{report:?}");
        assert_descent(&witness.accepted);
    }
}

#[test]
fn start_deep_in_a_barrier_is_not_taken_for_the_minimum() {
    let springs = Springs::block(3, 10.0, 1.0);
    let mut expected: Vec<Vec3> = springs.pull.iter().map(|x| *x + 0.3 * Vec3::Z).collect();
    let floor = Floor { springs, reach: 0.05, stiffness: 1e4 };
    Newton::default().minimise(&mut floor.clone(), &mut expected, 1e-10).unwrap();
    for (depth, shake) in [(1e-6, 0.0), (1e-9, 0.0), (1e-12, 0.0), (1e-7, 1e-6)] {
        let mut u = shaken(&expected, shake);
        // Closer to the wall than the tolerance; so is the end of Newton's step.
        (0..27).step_by(3).for_each(|i| u[i].z = depth * (1.0 + i as f64));
        let tolerance = 1e-4;
        let report = Newton::default().minimise(&mut floor.clone(), &mut u, tolerance).unwrap();
        assert!(
            distance(&u, &expected) < tolerance,
            "{depth:e}: {} {report:?}",
            distance(&u, &expected)
        );
    }
}

#[test]
fn factorisation_and_conjugate_gradients_find_the_same_minimiser() {
    let springs = Springs::block(4, 30.0, 0.5);
    let start = shaken(&springs.pull, 0.3);
    let solve = |linear| {
        let mut u = start.clone();
        let report = with_linear(linear).minimise(&mut springs.clone(), &mut u, 1e-8).unwrap();
        (u, report)
    };
    let iterative = Iterative::default();
    let (direct, by_factor) = solve(LinearChoice::Direct);
    let (gradients, by_gradients) = solve(LinearChoice::Iterative(iterative));
    assert!(stationarity(&springs, &direct) < 1e-12);
    assert!(distance(&direct, &gradients) < 1e-10, "{}", distance(&direct, &gradients));
    assert!(by_factor.direct_solves >= by_factor.iterations && by_factor.linear_iterations == 0);
    assert!(by_gradients.direct_solves == 0 && by_gradients.linear_iterations > 20);

    // What is small enough is factorised, to the bit as if that had been asked for.
    let (auto, _) = solve(LinearChoice::Auto { flop_limit: 1e9, iterative });
    assert_eq!(auto, direct);
}

#[test]
fn conjugate_gradients_are_limited_to_the_work_of_a_factorisation() {
    let mut springs = Springs::block(8, 30.0, 5.0);
    let start = shaken(&springs.pull, 0.05);
    let iterative = Iterative { tolerance: 1e-4, ..Iterative::default() };
    let auto = LinearChoice::Auto { flop_limit: 0.0, iterative };
    let mut u = start.clone();
    let report = with_linear(auto).minimise(&mut springs, &mut u, 1e-8).unwrap();
    assert_eq!(report.direct_solves, 0, "an easy system: {report:?}");

    // Stiff and soft springs side by side, which no rigid motions of groups of nodes
    // are any use for: the first solve uses up its share, then never again.
    springs.mass = 1e-6;
    for (k, spring) in springs.springs.iter_mut().enumerate() {
        spring.2 *= 10f64.powi((k * 7919 % 13) as i32 - 9);
    }
    let mut u = start.clone();
    let report = with_linear(auto).minimise(&mut springs, &mut u, 1e-8).unwrap();
    assert!(report.direct_solves > 0, "{report:?}");
    assert!(report.linear_iterations < 600, "{report:?}");
    assert!(stationarity(&springs, &u) < 1e-9);
}

#[test]
fn factorisation_replaces_stagnating_conjugate_gradients() {
    let springs = Springs::block(8, 1e4, 0.01);
    let start = shaken(&springs.pull, 0.05);
    let hopeless = Iterative { tolerance: 1e-6, max_iterations: 3 };
    let mut u = start.clone();
    let auto = LinearChoice::Auto { flop_limit: 0.0, iterative: hopeless };
    let report = with_linear(auto).minimise(&mut springs.clone(), &mut u, 1e-9).unwrap();
    assert!(report.direct_solves > 0 && report.linear_iterations > 0, "{report:?}");
    assert!(stationarity(&springs, &u) < 1e-9);

    let mut u = start.clone();
    let error = with_linear(LinearChoice::Iterative(hopeless))
        .minimise(&mut springs.clone(), &mut u, 1e-9)
        .unwrap_err();
    assert!(matches!(error, SolveError::Linear { .. }), "{error}");
    assert_eq!(u, start);
}

#[test]
fn steps_below_the_rounding_of_the_value_converge() {
    for constant in [0.0, 1e6, -1e9] {
        let mut springs = Springs { constant, ..Springs::block(3, 30.0, 0.5) };
        let mut u = shaken(&springs.pull, 0.3);
        let report = Newton::default().minimise(&mut springs, &mut u, 1e-13).unwrap();
        assert!(stationarity(&springs, &u) < 1e-12, "{constant}: {report:?}");
        assert!(report.iterations < 40, "{report:?}");
    }
}

#[test]
fn report_counts_iterations_and_evaluations() {
    let (floor, mut u) = press(1.2);
    let mut witness = Witness::new(floor);
    let mut newton = Newton::default();
    let report = newton.minimise(&mut witness, &mut u, 1e-9).unwrap();
    assert_eq!(report, *newton.report());
    assert_eq!(witness.projected.get(), report.projected);
    assert!(witness.exact.get() + witness.projected.get() >= report.iterations);
    assert_eq!(report.bounded, witness.cut);
    // The start, one for each direction tried, and one for each halving.
    let searches = witness.accepted.len() - 1;
    assert_eq!(witness.values.get(), 1 + searches + report.backtracks);
    assert!(report.direct_solves >= report.iterations);
}

#[test]
fn empty_problem_is_solved() {
    let mut newton = Newton::default();
    let report = newton.minimise(&mut Springs::chain(0, 1.0, 1.0), &mut [], 1e-9).unwrap();
    assert_eq!((report.iterations, report.last_step), (1, 0.0));

    let mut fixed = Springs::chain(3, 1.0, 1.0);
    fixed.free = vec![false; 3];
    fixed.prescribed = vec![(1, Vec3::splat(0.3))];
    let mut u = shaken(&fixed.pull, 0.1);
    let mut expected = u.clone();
    expected[1] = Vec3::splat(0.3);
    newton.minimise(&mut fixed, &mut u, 1e-9).unwrap();
    assert_eq!(u, expected);
}

#[test]
fn solution_is_bitwise_independent_of_previous_solves() {
    let solve = |newton: &mut Newton| {
        let (mut floor, mut u) = press(1.1);
        let report = newton.minimise(&mut floor, &mut u, 1e-9).unwrap();
        (u, report.iterations, report.backtracks, report.last_step.to_bits())
    };
    let iterative = Iterative::default();
    for flop_limit in [0.0, 2e5, 1e9] {
        let mut newton = with_linear(LinearChoice::Auto { flop_limit, iterative });
        let fresh = solve(&mut newton);
        assert_eq!(solve(&mut newton), fresh);
        let mut other = Springs::chain(5, 3.0, 1.0);
        let mut u = shaken(&other.pull, 0.2);
        newton.minimise(&mut other, &mut u, 1e-6).unwrap();
        assert_eq!(solve(&mut newton), fresh);
    }
}
