//! The seam between integrators and the run loop.

use crate::accounting::{self, Path};
use crate::control::GroupAlpha;
use crate::objective::StageObjective;
use crate::stage::Stage;
use resile_linalg::Vec3;
use resile_solver::{Newton, NewtonSettings, SolveError, SolveReport};
use resile_system::{State, System};

/// Newton with the tolerance that the physics sets.
///
/// One belongs to each set of bodies that is solved together: Newton keeps the
/// patterns and buffers of the system it solved last.
#[derive(Debug)]
pub struct StageSolver {
    /// The minimiser and its buffers.
    pub newton: Newton,
    /// Newton stops when its step, as a velocity over the time step, is below
    /// this (m/s, max norm over coordinates). ASEARCH, section 5, has 0.01.
    pub tolerance: f64,
}

impl StageSolver {
    /// A solver without buffers yet.
    pub fn new(tolerance: f64, settings: NewtonSettings) -> Self {
        Self { newton: Newton::new(settings), tolerance }
    }
}

/// A method that advances a system in time.
pub trait Integrator: Send + Sync {
    /// What tables and plots call the method.
    fn name(&self) -> &'static str;

    /// Advances `state` by `h` seconds. On error the state is as it was.
    ///
    /// # Errors
    /// If a stage could not be solved to the tolerance of `solver`.
    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError>;
}

/// What a step did, body by body where it can be told.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The solver's work over all stages.
    pub solve: SolveReport,
    /// Energy taken by friction and damping from each body (J).
    pub dissipated: Vec<f64>,
    /// Work (J) done on each body by scripted nodes and moving targets.
    pub work: Vec<f64>,
    /// For methods that correct velocities: each group of bodies and its alpha.
    pub alphas: Vec<GroupAlpha>,
}

/// Why a step failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The stage at `time` was not solved.
    #[error("the step to t = {time:.6} s of {step:.3e} s was not solved: {cause}")]
    Solve {
        /// End of the step (s).
        time: f64,
        /// The step (s).
        step: f64,
        /// What the solver says.
        cause: SolveError,
    },
}

/// Solves `stage` from the start `u` and returns the minimiser, at which the
/// system's terms then can be evaluated.
///
/// The tolerance is a velocity, so Newton's is that times `h`.
///
/// # Errors
/// If Newton does not reach its tolerance.
pub fn solve_stage(
    system: &mut System,
    solver: &mut StageSolver,
    stage: &Stage,
    start: &[Vec3],
    h: f64,
) -> Result<(Vec<Vec3>, SolveReport), StepError> {
    let mut u = start.to_vec();
    let mut objective = StageObjective::new(system, stage);
    let solved = solver.newton.minimise(&mut objective, &mut u, solver.tolerance * h);
    let report = solved.map_err(|cause| StepError::Solve { time: stage.time, step: h, cause })?;
    if stage.terms.iter().all(|term| term.share != 1.0) {
        system.prepare(&u);
    }
    Ok((u, report))
}

/// Takes the step of a method with one stage, whose velocity at a node follows from
/// the old state and the new position. The state is replaced only if all went well.
pub(crate) fn single_stage(
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    stage: &Stage,
    h: f64,
    velocity: impl Fn(&State, usize, Vec3) -> Vec3,
) -> Result<StepReport, StepError> {
    let start_gradient = system.is_driven().then(|| {
        system.set_time(state.time);
        system.prepare(&state.positions);
        accounting::potential_gradient(system, &state.positions)
    });
    system.freeze(&state.positions);
    let (x, solve) = solve_stage(system, solver, stage, &state.positions, h)?;
    let path = Path { from: &state.positions, to: &x, times: [state.time, stage.time] };
    let end_gradient = start_gradient.is_some().then(|| accounting::potential_gradient(system, &x));
    let gradients = start_gradient.as_deref().zip(end_gradient.as_deref()).map(|(a, b)| [a, b]);
    let report = StepReport {
        solve,
        dissipated: accounting::dissipated(system, stage, path),
        work: accounting::work(system, path, gradients),
        alphas: Vec::new(),
    };
    let velocities = (0..x.len()).map(|i| match system.free()[i] {
        true => velocity(state, i, x[i]),
        // Where a hand leads is known, and so is how fast.
        false => (x[i] - state.positions[i]) / h,
    });
    let velocities = velocities.collect();
    *state = State { control: state.control.take(), ..State::new(stage.time, x, velocities) };
    Ok(report)
}
