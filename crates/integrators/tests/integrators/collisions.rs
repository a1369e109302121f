//! ASEARCH, appendix E: a particle against a stiff wall, and section 5.5: a bar.

use crate::problems::{Bar, before_a_wall, run};
use resile_integrators::{A1, ASearch, Bdf2, Integrator, RungeKutta};
use resile_system::{State, System, Vec3};

/// The particle at `x = beta h`, `v = -1`, `h = 1`, against a wall with
/// `hbar = 1e8`; its velocities after each step.
fn velocities(method: &dyn Integrator, beta: f64) -> Vec<f64> {
    let mut system = System::new(vec![before_a_wall(1e8)]);
    let mut state = State::new(0.0, vec![Vec3::X * beta], vec![-Vec3::X]);
    let mut out = Vec::new();
    run(method, &mut system, &mut state, 1.0, 6, |_, state| out.push(state.velocities[0].x));
    out
}

fn phases() -> impl Iterator<Item = f64> {
    (0..40).map(|k| (f64::from(k) + 0.5) / 40.0)
}

#[test]
fn a_1_rebounds_with_its_speed_at_any_phase() {
    for beta in phases() {
        let v = velocities(&A1, beta);
        for (k, expected) in [-1.0, -beta, 1.0 - beta, 1.0, 1.0].into_iter().enumerate() {
            assert!((v[k] - expected).abs() < 1e-6, "beta = {beta}: {v:?}");
        }
    }
}

#[test]
fn a_search_rebounds_with_its_speed_at_any_phase() {
    for beta in phases() {
        let v = velocities(&ASearch::default(), beta);
        let v2 = -(1.1 * beta).min(1.0);
        let v3 = (1.1 * (1.0 + v2)).min(1.0);
        for (k, expected) in [-1.0, v2, v3, 1.0].into_iter().enumerate() {
            assert!((v[k] - expected).abs() < 1e-6, "beta = {beta}: {v:?}, want {expected} at {k}");
        }
    }
}

#[test]
fn trapezoidal_rule_rebound_speed_depends_on_the_phase() {
    for beta in phases() {
        let expected = if beta < 2.0 / 3.0 { 3.0 - 4.0 * beta } else { 8.0 * beta - 5.0 };
        let v = velocities(&RungeKutta::trapezoidal(), beta);
        assert!(
            (v.last().unwrap() - expected).abs() < 1e-6,
            "beta = {beta}: {v:?}, want {expected}"
        );
    }
}

/// Velocity of the bar's centre of mass after 5 s.
fn rebound(method: &dyn Integrator, sound_speed: f64, steps_per_second: usize) -> f64 {
    let mut system = System::new(vec![Bar { sound_speed, wall: true }.body()]);
    let mut state = Bar::incoming();
    let h = 1.0 / steps_per_second as f64;
    run(method, &mut system, &mut state, h, 5 * steps_per_second, |_, _| {});
    Bar::mean_velocity(system.masses(), &state.velocities)
}

#[test]
fn bouncing_bar_rebounds_as_in_table_2() {
    // [BDF2, A-1, A-search] at soft, medium, stiff; the tolerances are those of
    // the entries that are chaotic in the gap or rounded in the paper.
    let rows = [
        (30, 1.0, [(0.776, 0.003), (0.810, 0.003), (0.819, 0.003)]),
        (30, 10.0, [(0.742, 0.003), (0.643, 0.003), (0.632, 0.003)]),
        (30, 100.0, [(0.795, 0.003), (0.978, 0.003), (0.999, 0.003)]),
        (300, 1.0, [(0.760, 0.003), (0.831, 0.02), (0.816, 0.003)]),
        (300, 10.0, [(0.937, 0.003), (0.934, 0.003), (0.932, 0.003)]),
        (300, 100.0, [(0.842, 0.003), (0.782, 0.003), (0.788, 0.012)]),
    ];
    let a_search = ASearch::default();
    let methods: [&dyn Integrator; 3] = [&Bdf2, &A1, &a_search];
    for (steps_per_second, sound_speed, paper) in rows {
        for (method, (expected, tolerance)) in methods.into_iter().zip(paper) {
            let v = rebound(method, sound_speed, steps_per_second);
            assert!(
                (v - expected).abs() < tolerance,
                "{} at c = {sound_speed}, h = 1/{steps_per_second}: {v:.4}, paper {expected}",
                method.name()
            );
        }
    }
}
