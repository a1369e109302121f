//! A pendulum with an energy and an integrator of one's own.
//!
//! `cargo run --release --example pendulum`
//!
//! Nothing is registered anywhere: an energy is put into a body, an integrator is given
//! to `advance`.

#![allow(clippy::print_stdout, reason = "an example shows what it did")]

use resile_integrators::{ASearch, Integrator, StageSolver, Step, StepEnd, StepError, advance};
use resile_solver::NewtonSettings;
use resile_system::{Body, DissipationFrame, Energy, Hessian, Mat3, Psd, State, System, Vec3};

/// The angle of a pendulum of unit mass and length, on x: V = -g cos x.
struct Pendulum {
    g: f64,
}

impl Energy for Pendulum {
    fn name(&self) -> &'static str {
        "gravity"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        -self.g * x[0].x.cos()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out[0].x += scale * self.g * x[0].x.sin();
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let curvature = self.g * x[0].x.cos();
        let curvature = if psd == Psd::Clamp { curvature.max(0.0) } else { curvature };
        out.add(0, 0, Mat3::from_diagonal(Vec3::X * curvature));
    }
}

/// Symplectic Euler: the velocity first, then the position with it.
struct SymplecticEuler;

impl Integrator for SymplecticEuler {
    fn name(&self) -> &'static str {
        "my symplectic Euler"
    }

    fn order(&self) -> u32 {
        1
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let old = step.state;
        let start = DissipationFrame::at_start(old.time);
        let friction = step.dissipative_gradient(&start, &old.velocities);
        let gradient = step.start_gradient();
        let a = step.acceleration(&gradient, &friction);
        let v: Vec<Vec3> = (0..a.len()).map(|i| old.velocities[i] + step.h * a[i]).collect();
        let mut x: Vec<Vec3> = (0..a.len()).map(|i| old.positions[i] + step.h * v[i]).collect();
        step.move_straight(&old.positions, &mut x, step.end_time())?;
        let heat = step.heat(&start, 1.0, &old.velocities);
        Ok(StepEnd::new(State::new(step.end_time(), x, v), heat))
    }
}

fn main() -> Result<(), StepError> {
    let methods: [&dyn Integrator; 2] = [&SymplecticEuler, &ASearch::default()];
    for method in methods {
        let mut system = System::new(vec![Body::new("bob", vec![1.0]).with(Pendulum { g: 9.81 })]);
        let mut state = State::new(0.0, vec![Vec3::X], vec![Vec3::ZERO]);
        let mut solver = StageSolver::new(1e-9, NewtonSettings::default());
        println!("{}: time (s), angle (rad), energy (J)", method.name());
        for n in 0..=100 {
            if n % 20 == 0 {
                let kinetic = 0.5 * state.velocities[0].length_squared();
                let x = &state.positions;
                let energy = kinetic + system.at(x).potential(state.time, x);
                println!("{:6.2} {:8.4} {:9.5}", state.time, state.positions[0].x, energy);
            }
            advance(method, &mut system, &mut solver, &mut state, 0.05)?;
        }
    }
    Ok(())
}
