//! Problems with known answers, shared by the suites.
#![allow(dead_code, unused_imports, reason = "each suite uses some of the problems")]
#![allow(unreachable_pub, reason = "a module of test crates has no outside")]

mod bar;
mod driven;
mod particles;

pub use bar::Bar;
pub use driven::{
    net_on_moving_anchors, net_under_a_sine, net_under_an_expression, triangle_under_pressure,
};
pub use particles::{before_a_wall, damped_oscillator, net, oscillator, pendulum};

use resile_integrators::{Integrator, StageSolver, advance};
use resile_solver::NewtonSettings;
use resile_system::{DissipationFrame, State, System, Vec3};

/// Newton solved to rounding, so that only the integrator's error is seen.
pub fn tight_solver() -> StageSolver {
    StageSolver::new(1e-10, NewtonSettings::default())
}

/// Takes `steps` steps of `h` and shows each state to `observe`.
pub fn run(
    integrator: &dyn Integrator,
    system: &mut System,
    state: &mut State,
    h: f64,
    steps: usize,
    mut observe: impl FnMut(&mut System, &State),
) {
    let mut solver = tight_solver();
    for _ in 0..steps {
        advance(integrator, system, &mut solver, state, h).unwrap();
        observe(system, state);
    }
}

/// Kinetic and potential energy of all bodies (J).
pub fn energy(system: &mut System, state: &State) -> f64 {
    let kinetic: f64 = system.kinetic_by_body(&state.velocities).iter().sum();
    kinetic + system.at(&state.positions).potential(state.time, &state.positions)
}

/// Explicit fourth-order Runge-Kutta, the independent reference.
pub fn reference(system: &mut System, state: &State, duration: f64, steps: usize) -> State {
    let h = duration / steps as f64;
    let masses = system.masses().to_vec();
    let mut acceleration = |time: f64, x: &[Vec3], v: &[Vec3]| {
        let mut g = vec![Vec3::ZERO; x.len()];
        let at = State::new(time, x.to_vec(), v.to_vec());
        let frame = DissipationFrame::at_start(time);
        system.lagged(&at).add_gradient(&frame, v, -1.0, &mut g);
        system.at(x).add_gradient(time, x, -1.0, &mut g);
        g.iter().zip(&masses).map(|(g, m)| *g / *m).collect::<Vec<_>>()
    };
    let along = |x: &[Vec3], d: &[Vec3], s: f64| -> Vec<Vec3> {
        x.iter().zip(d).map(|(x, d)| *x + s * *d).collect()
    };
    let (mut x, mut v) = (state.positions.clone(), state.velocities.clone());
    for k in 0..steps {
        let [start, middle, end] = [0.0, 0.5, 1.0].map(|part| state.time + (k as f64 + part) * h);
        let a1 = acceleration(start, &x, &v);
        let v2 = along(&v, &a1, h / 2.0);
        let a2 = acceleration(middle, &along(&x, &v, h / 2.0), &v2);
        let v3 = along(&v, &a2, h / 2.0);
        let a3 = acceleration(middle, &along(&x, &v2, h / 2.0), &v3);
        let v4 = along(&v, &a3, h);
        let a4 = acceleration(end, &along(&x, &v3, h), &v4);
        for i in 0..x.len() {
            x[i] += h / 6.0 * (v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
            v[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
        }
    }
    State::new(state.time + duration, x, v)
}
