//! One row a method: order of accuracy, step matrix on the linear oscillator,
//! momentum.

mod problems;

use problems::{Oscillator, Pendulum, SpringNet, energy, reference, run};
use resile_integrators::{
    A1, ASearch, AlphaRule, Avf, Bdf2, Blend, Control, Decoupled, EnergyTarget, ImplicitEuler,
    Integrator, Newmark, Quadrature, RungeKutta, StageSolver, Steering, Theta, advance,
};
use resile_solver::NewtonSettings;
use resile_system::{Body, State, System, Vec3};

fn methods() -> Vec<(Box<dyn Integrator>, f64)> {
    let rule = |control| AlphaRule { control, ..AlphaRule::default() };
    let a_search = |control| ASearch { rule: rule(control), ..ASearch::default() };
    let searched =
        Steering::Searched { target: EnergyTarget::default(), rule: AlphaRule::default() };
    let sdirk2 = RungeKutta::sdirk2();
    let decoupled = |steering| Decoupled::over(&sdirk2, steering).unwrap();
    // A third-order method of one's own (Kutta 1901).
    let kutta3 = [vec![], vec![0.5], vec![-1.0, 2.0]];
    let kutta3 = RungeKutta::butcher(&kutta3, &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0]).unwrap();
    vec![
        (Box::new(RungeKutta::forward_euler()), 1.0),
        (Box::new(RungeKutta::symplectic_euler()), 1.0),
        (Box::new(RungeKutta::averaged_midpoint()), 1.0),
        (Box::new(RungeKutta::explicit_midpoint()), 2.0),
        (Box::new(RungeKutta::symplectic_midpoint()), 2.0),
        (Box::new(RungeKutta::modified_half_step()), 2.0),
        (Box::new(RungeKutta::heun()), 2.0),
        (Box::new(RungeKutta::verlet()), 2.0),
        (Box::new(kutta3), 3.0),
        (Box::new(RungeKutta::runge_kutta_4()), 4.0),
        (Box::new(RungeKutta::forest_ruth()), 4.0),
        (Box::new(ImplicitEuler), 1.0),
        (Box::new(Theta { theta: 0.7 }), 1.0),
        (Box::new(RungeKutta::theta_outer(0.7)), 1.0),
        (Box::new(Newmark { beta: 0.4, gamma: 0.7 }), 1.0),
        (Box::new(A1), 1.0),
        (Box::new(a_search(Control::Deadbeat)), 1.0),
        (Box::new(a_search(Control::Sparse { dead_band: 1e-9 })), 1.0),
        (Box::new(a_search(Control::FILTERED)), 1.0),
        (Box::new(Theta::MIDPOINT), 2.0),
        (Box::new(RungeKutta::trapezoidal()), 2.0),
        (Box::new(Newmark { beta: 0.3, gamma: 0.5 }), 2.0),
        (Box::new(Bdf2), 2.0),
        (Box::new(RungeKutta::sdirk2()), 2.0),
        (Box::new(RungeKutta::tr_bdf2()), 2.0),
        (Box::new(RungeKutta::bathe()), 2.0),
        (Box::new(Avf { quadrature: Quadrature::SIMPSON }), 2.0),
        (Box::new(Avf { quadrature: Quadrature::Gauss(3) }), 2.0),
        (Box::new(decoupled(Steering::Symplectic)), 2.0),
        (Box::new(decoupled(searched)), 2.0),
        (Box::new(Blend::default()), 2.0),
    ]
}

/// Whether the method never asks the solver.
fn is_explicit(method: &dyn Integrator) -> bool {
    let (mut system, mut state) = net();
    let report = advance(method, &mut system, &mut problems::tight_solver(), &mut state, 1e-3);
    report.unwrap().solve.iterations == 0
}

fn pendulum() -> (System, State) {
    let system =
        System::new(vec![Body::new("pendulum", vec![1.0]).with(Pendulum { gravity: 9.8 })]);
    (system, State::new(0.0, vec![Vec3::X], vec![Vec3::ZERO]))
}

fn oscillator(stiffness: f64) -> (System, State) {
    let body = Body::new("oscillator", vec![1.0]).with(Oscillator { stiffness });
    (System::new(vec![body]), State::new(0.0, vec![Vec3::X * 0.7], vec![Vec3::X * 0.4]))
}

fn net() -> (System, State) {
    let (springs, mut x) = SpringNet::tetrahedron(40.0);
    x[3] += Vec3::new(0.05, 0.1, 0.2);
    let v = vec![Vec3::Y, Vec3::ZERO, Vec3::new(0.3, -0.2, 1.0), Vec3::Z];
    let body = Body::new("net", vec![1.0, 0.5, 2.0, 0.7]).with(springs);
    (System::new(vec![body]), State::new(0.0, x, v))
}

/// The order observed between the two finest of the given step counts.
fn observed_order(
    method: &dyn Integrator,
    problem: &dyn Fn() -> (System, State),
    duration: f64,
    steps: [usize; 2],
) -> f64 {
    let (mut system, start) = problem();
    let exact = reference(&mut system, &start, duration, 40_000);
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
    for (method, order) in methods() {
        let seen = observed_order(&*method, &pendulum, 1.0, resolved(order, 2000));
        assert!((seen - order).abs() < 0.1, "{}: observed {seen}, want {order}", method.name());
    }
}

#[test]
fn every_method_has_its_order_on_a_spring_net() {
    for (method, order) in methods() {
        let seen = observed_order(&*method, &net, 0.5, resolved(order, 1000));
        assert!((seen - order).abs() < 0.1, "{}: observed {seen}, want {order}", method.name());
    }
}

/// Determinant and trace of the matrix that takes (x, v h) to the next step, for
/// unit mass and `h = 1`, so that hbar is the stiffness.
fn step_matrix(method: &dyn Integrator, hbar: f64) -> [f64; 2] {
    let column = |x: f64, v: f64| {
        let (mut system, _) = oscillator(hbar);
        let mut state = State::new(0.0, vec![Vec3::X * x], vec![Vec3::X * v]);
        run(method, &mut system, &mut state, 1.0, 1, |_, _| {});
        [state.positions[0].x, state.velocities[0].x]
    };
    let (a, b) = (column(1.0, 0.0), column(0.0, 1.0));
    [a[0] * b[1] - a[1] * b[0], a[0] + b[1]]
}

const HBARS: [f64; 5] = [0.01, 0.7, 1.0, 30.0, 1e4];

#[test]
fn step_matrices_are_those_of_the_theory() {
    let check = |method: &dyn Integrator, hbar: f64, det: f64, trace: f64| {
        let seen = step_matrix(method, hbar);
        let tolerance = 1e-10 * (1.0 + hbar);
        let near = (seen[0] - det).abs() < tolerance && (seen[1] - trace).abs() < tolerance;
        assert!(near, "{} at hbar = {hbar}: {seen:?}, want [{det}, {trace}]", method.name());
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
        let (mut system, mut state) = oscillator(hbar);
        let mut before = state.clone();
        let mut invariants = Vec::new();
        run(&A1, &mut system, &mut state, 1.0, 50, |system, state| {
            let w = state.positions[0] - before.positions[0];
            let potential = system.potential(&before.positions);
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
fn every_method_keeps_linear_momentum() {
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
fn implicit_midpoint_keeps_angular_momentum_and_implicit_euler_loses_it() {
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
fn a_search_holds_the_energy_exactly_where_alpha_is_free_and_never_drifts() {
    let (mut system, mut state) = net();
    let start = energy(&mut system, &state);
    let mut solver = problems::tight_solver();
    let mut met = 0;
    for _ in 0..400 {
        let report =
            advance(&ASearch::default(), &mut system, &mut solver, &mut state, 0.03).unwrap();
        let now = energy(&mut system, &state);
        if report.alphas[0].outcome == resile_integrators::AlphaOutcome::Met {
            met += 1;
            assert!((now - start).abs() < 1e-9 * start, "met, but {now} is not {start}");
        } else {
            assert!(now < start * (1.0 + 1e-9), "only a loss can be out of reach: {now}");
        }
    }
    assert!(met > 100, "alpha was within its limits in only {met} steps of 400");
    assert!(energy(&mut system, &state) > 0.5 * start);
}

#[test]
fn damping_methods_lose_energy_and_implicit_euler_most() {
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
fn a_decaying_target_is_followed() {
    let (mut system, mut state) = net();
    let start = energy(&mut system, &state);
    let decay = resile_integrators::Decay { schedule: vec![(0.0, Some(2.0))] };
    let target = EnergyTarget { decay, ..EnergyTarget::default() };
    let method = ASearch { target, ..ASearch::default() };
    run(&method, &mut system, &mut state, 0.01, 100, |_, _| {});
    let target = state.control.as_ref().unwrap()[0].target;
    assert!((target - start * (-0.5f64).exp()).abs() < 1e-12 * start);
    let now = energy(&mut system, &state);
    assert!((now - target).abs() < 0.02 * start, "{now} against {target}");
}

#[test]
fn a_failed_step_leaves_the_state_as_it_was() {
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
