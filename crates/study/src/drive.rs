//! Running a method on a problem.

use crate::problems::Problem;
use resile_integrators::{Integrator, StageSolver, StepError, advance};
use resile_solver::{LinearChoice, NewtonSettings};
use resile_system::{State, System, Vec3};
use std::fmt::Display;

/// Newton's tolerance (m/s), so small that the error of the integrator dominates.
pub const NEWTON_TOLERANCE: f64 = 1e-10;

/// A study failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A required run, such as a reference, failed.
    #[error("{what}: {cause}")]
    Run {
        /// The run.
        what: String,
        /// The error.
        #[source]
        cause: StepError,
    },
    /// A scene is invalid.
    #[error("{what}: {reason}")]
    Scene {
        /// The scene.
        what: String,
        /// The reason.
        reason: String,
    },
}

/// The error of a scene that cannot be built or computed.
pub(crate) fn scene_error(what: &str, reason: impl Display) -> StudyError {
    StudyError::Scene { what: what.to_owned(), reason: reason.to_string() }
}

/// Progress callback with the finished part of a study. Several threads may call it.
pub type Watch<'a> = &'a (dyn Fn(&str) + Sync);

/// A solver with sparse Cholesky and Newton's tolerance (m/s).
pub fn solver(tolerance: f64) -> StageSolver {
    let settings = NewtonSettings { linear: LinearChoice::Direct, ..NewtonSettings::default() };
    StageSolver::new(tolerance, settings)
}

/// Kinetic and potential energy of all bodies (J).
pub fn energy(system: &mut System, state: &State) -> f64 {
    let kinetic: f64 = system.kinetic_by_body(&state.velocities).iter().sum();
    kinetic + system.at(&state.positions).potential(state.time, &state.positions)
}

/// A pseudo-random number between -1 and 1 from a generator with this state (Steele, Lea, Flood 2014, `SplitMix64`).
pub(crate) fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let bits = (z ^ (z >> 31)) >> 11;
    bits as f64 / (1u64 << 52) as f64 - 1.0
}

/// A problem in progress.
#[derive(Debug)]
pub struct Run {
    /// The system.
    pub system: System,
    /// The state.
    pub state: State,
    /// The solver.
    pub solver: StageSolver,
}

impl Run {
    /// Starts `problem` in its initial state, with Newton's tolerance (m/s).
    pub fn new(problem: Problem, tolerance: f64) -> Self {
        Self { system: problem.system, state: problem.start, solver: solver(tolerance) }
    }

    /// Takes one step of `h` seconds.
    ///
    /// # Errors
    /// If the step fails; the state is then unchanged.
    pub fn step(&mut self, method: &dyn Integrator, h: f64) -> Result<(), StepError> {
        advance(method, &mut self.system, &mut self.solver, &mut self.state, h).map(drop)
    }

    /// Takes `steps` steps of `h` seconds.
    ///
    /// # Errors
    /// If a step fails; the state is then that before the failed step.
    pub fn steps(
        &mut self,
        method: &dyn Integrator,
        h: f64,
        steps: usize,
    ) -> Result<(), StepError> {
        (0..steps).try_for_each(|_| self.step(method, h))
    }

    /// Kinetic and potential energy (J).
    pub fn energy(&mut self) -> f64 {
        energy(&mut self.system, &self.state)
    }

    /// Angular momentum (kg m^2/s) of all nodes about the origin.
    pub fn angular_momentum(&self) -> Vec3 {
        let State { positions: x, velocities: v, .. } = &self.state;
        self.system.masses().iter().enumerate().map(|(i, m)| *m * x[i].cross(v[i])).sum()
    }
}
