//! One row a method: order of accuracy, step matrix on the linear oscillator,
//! momentum.

use crate::problems::{
    damped_oscillator, energy, net, net_on_moving_anchors, net_under_a_sine,
    net_under_an_expression, oscillator, pendulum, reference, run, triangle_under_pressure,
};
use resile_integrators::{
    A1, ASearch, AlphaRule, Bdf2, EnergyTarget, ImplicitEuler, Integrator, RungeKutta, StageSolver,
    Theta, advance, registry,
};
use resile_solver::NewtonSettings;
use resile_system::{Memory, State, System, Vec3};

/// All methods, and a third-order one of one's own (Kutta 1901).
fn methods() -> Vec<(Box<dyn Integrator>, f64)> {
    let kutta3 = [vec![], vec![0.5], vec![-1.0, 2.0]];
    let kutta3 = RungeKutta::butcher(&kutta3, &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0]).unwrap();
    let own: Box<dyn Integrator> = Box::new(kutta3);
    let known = registry::all().into_iter().map(|method| method.integrator);
    let with_order = |method: Box<dyn Integrator>| {
        let order = order_of(&*method);
        (method, order)
    };
    known.chain([own]).map(with_order).collect()
}

/// The order by the theory, which the method must know: by its name in the literature.
fn order_of(method: &dyn Integrator) -> f64 {
    match method.name() {
        "Runge-Kutta 4" | "Forest-Ruth" => 4.0,
        "Runge-Kutta" => 3.0,
        "explicit midpoint"
        | "modified half step"
        | "Heun"
        | "symplectic midpoint"
        | "Verlet"
        | "implicit midpoint"
        | "trapezoidal"
        | "BDF2"
        | "SDIRK2"
        | "TR-BDF2"
        | "Bathe"
        | "AVF"
        | "decoupled SDIRK2"
        | "blending"
        | "generalized-alpha" => 2.0,
        "Newmark" => f64::from(method.order()),
        _ => 1.0,
    }
}

/// Whether the method never asks the solver.
fn is_explicit(method: &dyn Integrator) -> bool {
    let (mut system, mut state) = net();
    let report =
        advance(method, &mut system, &mut crate::problems::tight_solver(), &mut state, 1e-3);
    report.unwrap().solve.iterations == 0
}

fn still(stiffness: f64) -> (System, State) {
    (
        System::new(vec![oscillator(stiffness)]),
        State::new(0.0, vec![Vec3::X * 0.7], vec![Vec3::X * 0.4]),
    )
}

/// A problem and its solution after a duration (s).
struct Solved {
    problem: Problem,
    duration: f64,
    exact: State,
}

impl Solved {
    fn new(problem: fn() -> (System, State), duration: f64) -> Self {
        let (mut system, start) = problem();
        let exact = reference(&mut system, &start, duration, 40_000);
        Self { problem, duration, exact }
    }
}

/// The order observed between two step counts.
fn observed_order(method: &dyn Integrator, solved: &Solved, steps: [usize; 2]) -> f64 {
    let Solved { problem, duration, exact } = solved;
    let error = |n: usize| {
        let (mut system, mut state) = problem();
        run(method, &mut system, &mut state, duration / n as f64, n, |_, _| {});
        let off = |a: &[Vec3], b: &[Vec3]| {
            a.iter().zip(b).map(|(a, b)| (*a - *b).length_squared()).sum::<f64>()
        };
        (off(&state.positions, &exact.positions) + off(&state.velocities, &exact.velocities)).sqrt()
    };
    (error(steps[0]) / error(steps[1])).ln() / (steps[1] as f64 / steps[0] as f64).ln()
}

/// Step counts at which the error is in its asymptotic range and far above rounding.
fn resolved(order: f64, steps: usize) -> [usize; 2] {
    let coarser = if order > 2.0 { 8 } else { 1 };
    [steps / coarser, 2 * steps / coarser]
}

#[test]
fn every_method_has_its_order_on_the_pendulum() {
    let solved = Solved::new(|| pendulum(9.8), 1.0);
    for (method, order) in methods() {
        assert_eq!(f64::from(method.order()), order, "{} says so", method.name());
        let measured = observed_order(&*method, &solved, resolved(order, 2000));
        assert!(
            (measured - order).abs() < 0.1,
            "{}: observed {measured}, want {order}",
            method.name()
        );
    }
}

#[test]
fn every_method_has_its_order_on_a_spring_net() {
    let solved = Solved::new(net, 0.5);
    for (method, order) in methods() {
        let measured = observed_order(&*method, &solved, resolved(order, 1000));
        assert!(
            (measured - order).abs() < 0.1,
            "{}: observed {measured}, want {order}",
            method.name()
        );
    }
}

#[test]
fn every_method_has_its_order_on_the_damped_oscillator() {
    let solved = Solved::new(damped_oscillator, 1.0);
    for (method, order) in methods() {
        let measured = observed_order(&*method, &solved, resolved(order, 1000));
        assert!(
            (measured - order).abs() < 0.1,
            "{}: observed {measured}, want {order}",
            method.name()
        );
    }
}

/// Makes a system and its initial state.
type Problem = fn() -> (System, State);

/// Problems with a load or a target that varies in time, by name.
const DRIVEN: [(&str, Problem); 4] = [
    ("sine", net_under_a_sine),
    ("expression", net_under_an_expression),
    ("moving anchors", net_on_moving_anchors),
    ("follower pressure", triangle_under_pressure),
];

#[test]
fn every_method_has_its_order_under_loads_that_vary_in_time() {
    for (load, problem) in DRIVEN {
        let solved = Solved::new(problem, 0.5);
        for (method, order) in methods() {
            let measured = observed_order(&*method, &solved, resolved(order, 1000));
            let name = method.name();
            assert!(
                (measured - order).abs() < 0.1,
                "{load}, {name}: observed {measured}, want {order}"
            );
        }
    }
}

/// `P + K` at the end less that at the start, the work and the heat (J) of `n` steps.
fn imbalance(method: &dyn Integrator, problem: fn() -> (System, State), n: usize) -> f64 {
    let (mut system, mut state) = problem();
    let mut solver = crate::problems::tight_solver();
    let mut known = energy(&mut system, &state);
    for _ in 0..n {
        let h = 0.5 / n as f64;
        let report = advance(method, &mut system, &mut solver, &mut state, h).unwrap();
        known += report.work[0] - report.dissipated[0];
    }
    (energy(&mut system, &state) - known).abs()
}

/// Imbalance (J) to which the tolerance of solves closes a balance; the energies are of the order of 10 J.
const CLOSED: f64 = 1e-8;

/// Work is exact to second order at least.
#[test]
fn energy_balance_under_loads_that_vary_in_time_has_the_order_of_the_method() {
    for (load, problem) in DRIVEN {
        for method in registry::all().into_iter().filter(|method| method.linear) {
            let order = f64::from(method.integrator.order()).min(2.0);
            let [coarse, fine] = [500, 1000].map(|n| imbalance(&*method.integrator, problem, n));
            let measured = (coarse / fine).log2();
            let name = method.name;
            assert!(
                fine < CLOSED || measured > order - 0.1,
                "{load}, {name}: observed {measured}, want {order}; {fine:e} J"
            );
        }
    }
}

#[test]
fn damping_heat_is_booked() {
    for (method, order) in methods() {
        let (mut system, mut state) = damped_oscillator();
        let start = energy(&mut system, &state);
        let mut solver = crate::problems::tight_solver();
        let mut lost = 0.0;
        for _ in 0..2000 {
            let report = advance(&*method, &mut system, &mut solver, &mut state, 1e-3).unwrap();
            assert!(report.dissipated[0] >= 0.0, "{}", method.name());
            lost += report.dissipated[0];
        }
        // The ledger is as good as the method: at this step to 1 % where the order is one.
        let off = (start - lost - energy(&mut system, &state)).abs() / lost;
        let expected = if order == 1.0 { 0.15 } else { 1e-4 };
        assert!(off < expected, "{}: {off:e} of what was lost", method.name());
    }
}

#[test]
fn bdf2_is_second_order_with_variable_steps() {
    let error = |n: usize| {
        let (mut system, mut state) = pendulum(9.8);
        let exact = reference(&mut system, &state, 1.0, 40_000);
        let mut solver = crate::problems::tight_solver();
        // Steps in the ratios 1 : 2 : 0.9 : 1.7, over and over; n of each.
        let shares = [1.0, 2.0, 0.9, 1.7];
        let unit = 1.0 / (n as f64 * shares.iter().sum::<f64>());
        for share in shares.iter().cycle().take(4 * n) {
            advance(&Bdf2, &mut system, &mut solver, &mut state, share * unit).unwrap();
        }
        (state.positions[0] - exact.positions[0]).length()
    };
    let order = (error(200) / error(400)).log2();
    assert!((order - 2.0).abs() < 0.1, "observed {order}");
}

#[test]
fn bdf2_restarts_if_the_step_grows_too_much() {
    let (mut system, mut state) = pendulum(9.8);
    let mut solver = crate::problems::tight_solver();
    advance(&Bdf2, &mut system, &mut solver, &mut state, 0.01).unwrap();
    let mut fresh = State { memory: Memory::default(), ..state.clone() };
    assert_ne!(fresh, state);
    let mut step = |method: &dyn Integrator, state: &mut State| {
        advance(method, &mut system, &mut solver, state, 0.0242).unwrap();
    };
    step(&Bdf2, &mut state);
    step(&ImplicitEuler, &mut fresh);
    assert_eq!(state.positions, fresh.positions);
}

#[test]
fn explicit_methods_on_the_pendulum_equal_the_documentation() {
    // Energy after 1e4 steps of 0.1 s over the height of the start, with half a unit of
    // the last digit; then the largest error, for methods that do not drift.
    let at_the_end = [
        (RungeKutta::forward_euler(), 106.0, 0.5),
        (RungeKutta::averaged_midpoint(), 54.0, 0.5),
        (RungeKutta::explicit_midpoint(), 0.19, 5e-3),
        (RungeKutta::heun(), 0.20, 5e-3),
        (RungeKutta::modified_half_step(), 0.011, 5e-4),
    ];
    let largest = [
        (RungeKutta::runge_kutta_4(), 1e-4, 5e-6),
        (RungeKutta::verlet(), 2e-3, 5e-4),
        (RungeKutta::symplectic_euler(), 0.05, 5e-3),
        (RungeKutta::forest_ruth(), 1.6e-6, 5e-8),
    ];
    let errors = |method: &RungeKutta| {
        let (mut system, mut state) = pendulum(1.0);
        let start = energy(&mut system, &state);
        let height = 1.0 - 1f64.cos();
        let mut errors = Vec::new();
        run(method, &mut system, &mut state, 0.1, 10_000, |system, state| {
            errors.push((energy(system, state) - start) / height);
        });
        errors
    };
    for (method, expected, half_a_digit) in &at_the_end {
        let seen = *errors(method).last().unwrap();
        assert!(
            (seen - expected).abs() <= *half_a_digit,
            "{}: {seen}, not {expected}",
            method.name
        );
    }
    for (method, expected, half_a_digit) in &largest {
        let seen = errors(method).iter().map(|e| e.abs()).fold(0.0, f64::max);
        assert!(
            (seen - expected).abs() <= *half_a_digit,
            "{}: {seen}, not {expected}",
            method.name
        );
    }
}

/// Determinant and trace of the matrix that takes (x, v h) to the next step, for
/// unit mass and `h = 1`, so that hbar is the stiffness.
fn step_matrix(method: &dyn Integrator, hbar: f64) -> [f64; 2] {
    let column = |x: f64, v: f64| {
        let (mut system, _) = still(hbar);
        let mut state = State::new(0.0, vec![Vec3::X * x], vec![Vec3::X * v]);
        run(method, &mut system, &mut state, 1.0, 1, |_, _| {});
        [state.positions[0].x, state.velocities[0].x]
    };
    let (a, b) = (column(1.0, 0.0), column(0.0, 1.0));
    [a[0] * b[1] - a[1] * b[0], a[0] + b[1]]
}

const HBARS: [f64; 5] = [0.01, 0.7, 1.0, 30.0, 1e4];

#[test]
fn step_matrices_equal_theory() {
    let check = |method: &dyn Integrator, hbar: f64, det: f64, trace: f64| {
        let measured = step_matrix(method, hbar);
        let tolerance = 1e-10 * (1.0 + hbar);
        let near = (measured[0] - det).abs() < tolerance && (measured[1] - trace).abs() < tolerance;
        assert!(near, "{} at hbar = {hbar}: {measured:?}, want [{det}, {trace}]", method.name());
    };
    for hbar in HBARS {
        check(&ImplicitEuler, hbar, 1.0 / (1.0 + hbar), 2.0 / (1.0 + hbar));
        check(&A1, hbar, 1.0, 1.0 + 1.0 / (1.0 + hbar));
        let trapezoidal = 2.0 * (4.0 - hbar) / (4.0 + hbar);
        check(&RungeKutta::trapezoidal(), hbar, 1.0, trapezoidal);
        check(&Theta::MIDPOINT, hbar, 1.0, trapezoidal);
        for alpha in [0.0, 0.3, 1.1] {
            let rule = AlphaRule { limits: [alpha, alpha], ..AlphaRule::default() };
            let method = ASearch { rule, ..ASearch::default() };
            let det = 1.0 + (alpha - 1.0) * hbar / (1.0 + hbar);
            check(&method, hbar, det, (2.0 + alpha * hbar) / (1.0 + hbar));
        }
    }
}

#[test]
fn a_1_conserves_its_own_energy_on_linear_problems() {
    // P(x_n) + 1/2 v_n . m w_n+1 with w_n+1 = (x_n+1 - x_n) / h.
    for hbar in HBARS {
        let (mut system, mut state) = still(hbar);
        let mut before = state.clone();
        let mut invariants = Vec::new();
        run(&A1, &mut system, &mut state, 1.0, 50, |system, state| {
            let w = state.positions[0] - before.positions[0];
            let potential = system.at(&before.positions).potential(0.0, &before.positions);
            invariants.push(potential + 0.5 * before.velocities[0].dot(w));
            before = state.clone();
        });
        for value in &invariants {
            let drift = (value - invariants[0]).abs() / invariants[0].abs();
            assert!(drift < 1e-10, "hbar = {hbar}: drift {drift:e}");
        }
    }
}

#[test]
fn methods_conserve_linear_momentum() {
    for (method, _) in methods() {
        let (mut system, mut state) = net();
        let momentum = |system: &System, state: &State| -> Vec3 {
            system.masses().iter().zip(&state.velocities).map(|(m, v)| *m * *v).sum()
        };
        let before = momentum(&system, &state);
        // Forward Euler and its like explode at larger steps, and rounding with them.
        run(&*method, &mut system, &mut state, 0.003, 200, |_, _| {});
        let change = (momentum(&system, &state) - before).length() / before.length();
        assert!(change < 1e-9, "{}: {change:e}", method.name());
    }
}

fn angular_momentum(system: &System, state: &State) -> Vec3 {
    let of = |i: usize| system.masses()[i] * state.positions[i].cross(state.velocities[i]);
    (0..system.node_count()).map(of).sum()
}

#[test]
fn implicit_midpoint_conserves_angular_momentum_and_implicit_euler_does_not() {
    let kept = |method: &dyn Integrator| {
        let (mut system, mut state) = net();
        let before = angular_momentum(&system, &state);
        run(method, &mut system, &mut state, 0.03, 200, |_, _| {});
        (angular_momentum(&system, &state) - before).length() / before.length()
    };
    assert!(kept(&Theta::MIDPOINT) < 1e-9);
    assert!(kept(&ImplicitEuler) > 1e-2);
}

#[test]
fn a_search_conserves_energy_where_alpha_is_free_and_never_drifts() {
    let (mut system, mut state) = net();
    let start = energy(&mut system, &state);
    let mut solver = crate::problems::tight_solver();
    let mut count = 0;
    for _ in 0..400 {
        let report =
            advance(&ASearch::default(), &mut system, &mut solver, &mut state, 0.03).unwrap();
        let now = energy(&mut system, &state);
        if report.alphas[0].outcome == resile_integrators::AlphaOutcome::Met {
            count += 1;
            assert!((now - start).abs() < 1e-9 * start, "met, but {now} is not {start}");
        } else {
            assert!(now < start * (1.0 + 1e-9), "only a loss can be out of reach: {now}");
        }
    }
    assert!(count > 100, "alpha was within its limits in only {count} steps of 400");
    assert!(energy(&mut system, &state) > 0.5 * start);
}

#[test]
fn damping_methods_lose_energy_and_implicit_euler_the_most() {
    let left = |method: &dyn Integrator| {
        let (mut system, mut state) = net();
        let start = energy(&mut system, &state);
        run(method, &mut system, &mut state, 0.03, 300, |_, _| {});
        energy(&mut system, &state) / start
    };
    let (euler, bdf2) = (left(&ImplicitEuler), left(&Bdf2));
    assert!(euler < bdf2 && bdf2 < 0.999, "implicit Euler {euler}, BDF2 {bdf2}");
}

#[test]
fn decaying_target_is_followed() {
    let (mut system, mut state) = net();
    let start = energy(&mut system, &state);
    let decay = vec![resile_integrators::DecayPhase { start: 0.0, tau: Some(2.0) }];
    let target = EnergyTarget { decay, ..EnergyTarget::default() };
    let method = ASearch { target, ..ASearch::default() };
    run(&method, &mut system, &mut state, 0.01, 100, |_, _| {});
    let target = method.energy_targets(&state).unwrap()[0];
    assert!((target - start * (-0.5f64).exp()).abs() < 1e-12 * start);
    let now = energy(&mut system, &state);
    assert!((now - target).abs() < 0.02 * start, "{now} against {target}");
}

#[test]
fn failed_step_leaves_the_state_unchanged() {
    for (method, _) in methods() {
        let (mut system, mut state) = net();
        run(&*method, &mut system, &mut state, 0.03, 3, |_, _| {});
        let before = state.clone();
        let settings = NewtonSettings { max_iterations: 1, ..NewtonSettings::default() };
        let mut solver = StageSolver::new(1e-12, settings);
        // An explicit method fails by what its step leads to.
        let h = if is_explicit(&*method) { 1e308 } else { 0.03 };
        let failed = advance(&*method, &mut system, &mut solver, &mut state, h);
        assert!(failed.is_err(), "{} took the step", method.name());
        assert_eq!(state, before, "{}", method.name());
    }
}
