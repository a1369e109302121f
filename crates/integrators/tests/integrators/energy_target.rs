//! The arithmetic of the energy target, against its formulas.

use resile_energy::{
    CentralField, Factor, Force, MassDamping, Schedule, Sine, SpringElement, SpringLaw, Springs,
};
use resile_integrators::{
    A1, ASearch, AlphaRule, Control, DecayPhase, EnergyControl, EnergyTarget, Integrator,
    MomentumRule, StageSolver, StepReport, advance,
};
use resile_math::Vec3;
use resile_solver::NewtonSettings;
use resile_system::{Body, State, System};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Two masses on a spring, 1 and 3 kg, with the energy of rest below zero.
fn pair(ground: f64) -> System {
    let masses = vec![1.0, 3.0];
    let mut body = Body::new("pair", masses.clone());
    let element = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 50.0 };
    let springs = Springs::new(2, vec![element], SpringLaw::Hooke).expect("a spring");
    body.energies.push(Arc::new(springs));
    body.dissipations.push(Arc::new(MassDamping::new(masses, 0.8)));
    body.ground_energy = ground;
    System::new(vec![body])
}

fn stretched() -> State {
    let v = vec![Vec3::Y * 0.3, Vec3::new(0.1, 0.0, -0.2)];
    State::new(0.0, vec![Vec3::ZERO, Vec3::X * 1.2], v)
}

fn energy(system: &mut System, state: &State) -> f64 {
    let kinetic = system.kinetic_by_body(&state.velocities)[0];
    system.at(&state.positions).potential(state.time, &state.positions) + kinetic
}

fn step(method: &dyn Integrator, system: &mut System, state: &mut State, h: f64) -> StepReport {
    let mut solver = StageSolver::new(1e-12, NewtonSettings::default());
    advance(method, system, &mut solver, state, h).expect("a step")
}

/// `E_0 = E_g + scale (E - E_g)`, then each step `E <- E_g + exp(-h / tau) (E - heat - E_g)`: what
/// a step has made heat is taken off before the decay.
#[test]
fn energy_target_is_scaled_and_decays_above_the_ground() {
    let (ground, scale, tau, h) = (-0.4, 0.9, 0.5, 0.05);
    let decay = vec![DecayPhase { start: 0.0, tau: Some(tau) }];
    let target = EnergyTarget { scale, decay, ..EnergyTarget::default() };
    let method = ASearch { target, ..ASearch::default() };
    let (mut system, mut state) = (pair(ground), stretched());
    let mut expected = ground + scale * (energy(&mut system, &state) - ground);
    for k in 0..5 {
        let report = step(&method, &mut system, &mut state, h);
        let heat = report.dissipated[0] + report.rest_loss[0];
        assert!(heat > 1e-3, "{heat} J");
        expected = ground + (-h / tau).exp() * (expected - heat - ground);
        let found = method.energy_targets(&state).expect("it has one")[0];
        assert!((found - expected).abs() < 1e-12, "step {k}: {found} J is not {expected} J");
    }
}

/// Rules that look back two steps find the deviation of the start in the first one. The mean moves with the target,
/// whatever is lost and decays.
#[test]
fn initial_deviation_equals_the_scaled_part() {
    let decay = vec![DecayPhase { start: 0.0, tau: Some(0.5) }];
    let target = EnergyTarget { scale: 1.5, decay, ..EnergyTarget::default() };
    let method = ASearch { target, ..ASearch::default() };
    let (mut system, mut state) = (pair(-0.4), stretched());
    let start = energy(&mut system, &state);
    let goal = -0.4 + 1.5 * (start + 0.4);
    step(&method, &mut system, &mut state, 0.05);
    let control = EnergyControl::recall(&state.memory).expect("A-search remembers it")[0];
    let off = control.deviations[1] - (start - goal);
    assert!(off.abs() < 1e-12, "{:?} J, not {} J", control.deviations, start - goal);
    let off = control.deviations[0] - (energy(&mut system, &state) - control.target);
    assert!(off.abs() < 1e-12, "{:?} J", control.deviations);
    let off = control.mean - control.target - (start - goal);
    assert!(off.abs() < 1e-12, "{} J, not {} J", control.mean, control.target + start - goal);
}

/// Newton stops before the forces balance, and a velocity that knows only the forces found there
/// would take what is missing for an acceleration. The force remembered is the one by which the
/// step did balance: `m / h^2 (x_n + h v_n - x_n+1)`, without what damping takes.
#[test]
fn stored_force_balances_the_step() {
    let (mut system, mut state, h) = (pair(0.0), stretched(), 0.05);
    system = without_damping(system);
    // Coarse: the first iteration is the last, and forces are off.
    let mut solver = StageSolver::new(10.0, NewtonSettings::default());
    let before = state.clone();
    advance(&A1, &mut system, &mut solver, &mut state, h).expect("a step");
    let remembered = &state.memory.get("balance.gradient").expect("A-1 remembers it").fields[0];
    let forces = system.at(&state.positions).gradient(state.time, &state.positions);
    let mut farthest: f64 = 0.0;
    for (i, mass) in [1.0, 3.0].into_iter().enumerate() {
        let start = before.positions[i] + h * before.velocities[i];
        let balance = mass / (h * h) * (start - state.positions[i]);
        let off = (remembered.values[i] - balance).length();
        assert!(off < 1e-12 * balance.length().max(1.0), "{off} N at {i}");
        farthest = farthest.max((forces[i] - balance).length());
    }
    assert!(farthest > 1e-3, "the solve was coarse: {farthest} N");
}

fn without_damping(system: System) -> System {
    let mut bodies = system.bodies().to_vec();
    bodies[0].dissipations.clear();
    System::new(bodies)
}

fn filtered() -> ASearch {
    ASearch {
        rule: AlphaRule { control: Control::FILTERED, ..AlphaRule::default() },
        ..ASearch::default()
    }
}

/// The filtered rule keeps the mean energy of a vibration at its target.
#[test]
fn filtered_rule_conserves_the_mean_energy_of_a_vibration() {
    let h = 0.05;
    for hbar in [0.01, 0.1, 1.0] {
        // Two masses of 1 and 3 kg have the square of the frequency k (1 + 1/3).
        let stiffness = hbar / (h * h) * 0.75;
        let element = SpringElement { nodes: [0, 1], rest: 1.0, stiffness };
        let mut body = Body::new("pair", vec![1.0, 3.0]);
        let springs = Springs::new(2, vec![element], SpringLaw::Hooke).expect("a spring");
        body.energies.push(Arc::new(springs));
        let mut system = System::new(vec![body]);
        let mut state = State::new(0.0, vec![Vec3::ZERO, Vec3::X * 1.1], vec![Vec3::ZERO; 2]);
        let start = energy(&mut system, &state);
        let mut sum = 0.0;
        for k in 0..2000 {
            step(&filtered(), &mut system, &mut state, h);
            sum += if k < 1000 { 0.0 } else { energy(&mut system, &state) };
        }
        let mean = sum / 1000.0 / start;
        assert!((mean - 1.0).abs() < 0.002, "hbar {hbar}: the mean energy is {mean} of the target");
    }
}

/// On an orbit of eccentricity 0.6 the energy swings by `S` once a turn, which takes much longer than the filter's memory.
#[test]
fn filtered_rule_keeps_an_orbit_bound() {
    for (h, farthest) in [(0.02, 1.80), (0.005, 1.62)] {
        let mut body = Body::new("planet", vec![1.0]);
        body.energies.push(Arc::new(CentralField::new(vec![1.0], Vec3::ZERO, 1.0)));
        let mut system = System::new(vec![body]);
        let mut state = State::new(0.0, vec![Vec3::X * 0.4], vec![Vec3::Y * 2.0]);
        let mut far: f64 = 0.0;
        while state.time < 60.0 {
            step(&filtered(), &mut system, &mut state, h);
            far = far.max(state.positions[0].length());
        }
        assert!((1.59..farthest).contains(&far), "h {h}: {far} m, of 1.6");
    }
}

/// A pair on a spring, pushed by a force with zero mean: its momentum is that of the trapezoidal rule for every method,
/// and its energy meets the target, because the work is that along the mean velocities. Both masses have the same
/// acceleration in the first case, and the force acts on one of them in the second.
#[test]
fn momentum_follows_the_impulse_of_a_load_that_varies_in_time() {
    let (frequency, h) = (2.0, 1.0 / 120.0);
    let sine = Sine { frequency, amplitude: 1.0, phase: 0.0, offset: 0.0 };
    let amplitude = Vec3::new(10.0, 0.0, 4.0);
    for forces in [vec![(0, 0.25 * amplitude), (1, 0.75 * amplitude)], vec![(1, amplitude)]] {
        for momentum in [MomentumRule::Plain, MomentumRule::Exact] {
            let method = ASearch { momentum, ..ASearch::default() };
            let factor = Factor::sine(Schedule::constant(1.0), sine);
            let force = Force::new(2, forces.clone(), factor).expect("both nodes exist");
            let mut system = pair(0.0);
            let mut body = system.bodies()[0].clone();
            body.dissipations.clear();
            body.energies.push(Arc::new(force));
            system = System::new(vec![body]);
            let mut state = State::new(0.0, vec![Vec3::ZERO, Vec3::X], vec![Vec3::ZERO; 2]);
            let mut expected = Vec3::ZERO;
            let force_at = |time: f64| amplitude * (TAU * frequency * time).sin();
            for k in 0..360 {
                let report = step(&method, &mut system, &mut state, h);
                let (from, to) = (f64::from(k) * h, f64::from(k + 1) * h);
                expected += 0.5 * h * (force_at(from) + force_at(to));
                let found = state.velocities[0] + 3.0 * state.velocities[1];
                assert!((found - expected).length() < 1e-9, "{k}: {found}, not {expected} kg m/s");
                let group = &report.alphas[0];
                assert!((group.energy - group.target).abs() < 0.02, "{k}: {group:?}");
            }
            // The mean velocity over whole periods is F / (2 pi f m).
            let centre = (state.positions[0] + 3.0 * state.positions[1]) / 4.0 - 0.75 * Vec3::X;
            let exact = 3.0 * amplitude / (TAU * frequency * 4.0);
            assert!((centre - exact).length() < 0.02 * exact.length(), "{centre}, not {exact} m");
        }
    }
}
