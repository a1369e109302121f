//! Steps as long as their error allows.

use crate::problems::{pendulum, reference, tight_solver};
use resile_integrators::adaptive::{Attempt, attempt, next_step};
use resile_integrators::{
    ASearch, Adaptive, Bdf2, ImplicitEuler, Integrator, Measure, RungeKutta, Theta,
};
use resile_system::{State, Vec3};

/// The interval of these runs (s).
const INTERVAL: f64 = 0.05;

/// Takes `intervals` with an error of `error` (m/s), and counts the steps that were taken.
fn run(method: &dyn Integrator, measure: Measure, error: f64, intervals: usize) -> (State, u32) {
    let (mut system, mut state) = pendulum(9.8);
    let adaptive = Adaptive { measure, error: error * INTERVAL, shortest: INTERVAL * 1e-6 };
    let (mut solver, mut steps) = (tight_solver(), 0);
    for k in 1..=intervals {
        let end = k as f64 * INTERVAL;
        while state.time < end {
            let h = next_step(end - state.time, state.suggested_step);
            let there = if h == end - state.time { end } else { state.time + h };
            let tried =
                attempt(method, &adaptive, &mut system, &mut solver, &mut state, h, there).unwrap();
            steps += u32::from(matches!(tried, Attempt::Taken { .. }));
        }
    }
    (state, steps)
}

fn distance(a: &State, b: &State) -> f64 {
    let apart = a.positions.iter().zip(&b.positions).map(|(a, b)| (*a - *b).length());
    apart.fold(0.0, f64::max)
}

/// Of steps that err by `e` each there are as many as `e^(-1/(p+1))`, so together they err by
/// `e^(p/(p+1))`.
#[test]
fn adaptive_error_decreases_with_the_tolerance_at_the_order() {
    let (mut system, start) = pendulum(9.8);
    let exact = reference(&mut system, &start, 20.0 * INTERVAL, 40_000);
    let methods: [(&dyn Integrator, Measure, [f64; 2]); 8] = [
        (&ImplicitEuler, Measure::Doubling, [1e-3, 1e-5]),
        (&ImplicitEuler, Measure::Embedded, [1e-3, 1e-5]),
        (&ASearch::default(), Measure::Embedded, [1e-3, 1e-5]),
        (&Theta::MIDPOINT, Measure::Doubling, [1e-4, 1e-7]),
        (&Bdf2, Measure::Embedded, [1e-5, 1e-8]),
        (&RungeKutta::sdirk2(), Measure::Embedded, [1e-4, 1e-7]),
        (&RungeKutta::tr_bdf2(), Measure::Embedded, [1e-4, 1e-7]),
        (&RungeKutta::runge_kutta_4(), Measure::Doubling, [1e-7, 1e-9]),
    ];
    for (method, measure, [loose, tight]) in methods {
        let p = f64::from(method.order());
        let of = |tolerance: f64| {
            let (end, steps) = run(method, measure, tolerance, 20);
            (distance(&end, &exact), steps)
        };
        let ((error, few), (smaller, many)) = (of(loose), of(tight));
        let measured = (error / smaller).ln() / (loose / tight).ln();
        let name = method.name();
        assert!(
            (measured - p / (p + 1.0)).abs() < 0.17,
            "{name}, {measure:?}: {error:e} and {smaller:e} m, the power is {measured}"
        );
        let power = (f64::from(many) / f64::from(few)).ln() / (loose / tight).ln();
        assert!((power - 1.0 / (p + 1.0)).abs() < 0.1, "{name}: {few} and {many} steps, {power}");
    }
}

#[test]
fn newton_residual_is_not_counted_as_step_error() {
    let (mut system, mut state) = pendulum(9.8);
    let shortest = INTERVAL / 1024.0;
    let adaptive = Adaptive { measure: Measure::Doubling, error: 1e-12, shortest };
    let mut solver = tight_solver();
    solver.tolerance = 1.0;
    state.velocities.fill(Vec3::ZERO);
    let method = ImplicitEuler;
    let tried =
        attempt(&method, &adaptive, &mut system, &mut solver, &mut state, INTERVAL, INTERVAL);
    assert!(matches!(tried, Ok(Attempt::Taken { .. })), "{tried:?}");
}
