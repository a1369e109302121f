//! The interface between integrators and the run loop.

mod accounting;
mod alpha;
mod balanced_velocities;
pub(crate) mod co_moving;
mod co_rotation;
pub(crate) mod elastic_inertia;
mod end;
pub(crate) mod filters;
pub(crate) mod friction_fixed_point;
mod friction_objective;
mod heat;
pub(crate) mod impacts;
pub(crate) mod integrator;
pub(crate) mod memory;
pub(crate) mod motion;
mod objective;
mod prescribed_motion;
mod prescribed_work;
mod repeat;
mod resting;
mod scope;
mod solver;
mod stage_heat;
pub(crate) mod stamp;
mod start_of_solve;
mod support_lag;
mod traced;

pub use alpha::{AlphaOutcome, GroupAlpha};
pub use balanced_velocities::{VelocityTime, balanced_velocities, slip_dissipation};
pub use end::{StepEnd, StepReport};
pub use heat::{Heat, HeatPart};
pub use integrator::Integrator;
pub use memory::{ElasticSlip, EnergyControl, check_memory};
pub use repeat::Repeat;
pub use resting::Rest;
pub use scope::Scope;
pub use solver::{FRICTION_ROUNDS, StageSolver};
pub(crate) use stage_heat::StageHeat;
pub use traced::{Ending, TracedSolve, Unknowns};

use crate::error::StepError;
use crate::rigid::frame::Frame;
use crate::rigid::free_flight::FreeFlight;
use crate::stage::Stage;
use crate::step::co_moving::CoMoving;
use crate::step::elastic_inertia::ElasticInertia;
use crate::step::filters::Filters;
use crate::step::friction_objective::FrictionObjective;
use crate::step::objective::StageObjective;
use crate::tableau::COEFFICIENT_ROUNDING;
use resile_math::Vec3;
use resile_solver::{Objective as _, SolveReport};
use resile_system::DissipationFrame;
use resile_system::{LaggedDissipation, Links, Path, Prepared, Rounds, State, System};

/// Tolerance of the velocities of bodies with an elastic inertia, relative to that of stages. Their first iteration removes
/// elastic impulses of hundreds of times the friction, so a following step of the tolerance is no sign of convergence
/// (`physics::contact_forces`).
const ELASTIC_TOLERANCE: f64 = 1e-2;

/// Tolerance of the block solve of friction alone, relative to that of Newton's method for all dissipation.
const RELAXATION_TOLERANCE: f64 = 0.1;

/// Maximum number of rounds of the block solve; Newton's method continues from there. An iteration of Newton's method
/// costs about ten rounds (`benches/README.md`).
const MAX_RELAXATION_ROUNDS: usize = 50;

/// Marks nodes that are not among the unknowns in a table of indices.
pub(crate) const NO_INDEX: usize = usize::MAX;

/// A step in progress, with the data and solvers for an integrator.
///
/// Friction and damping are lagged at the start. The method returns its result as a [`StepEnd`] and has no other
/// effect, so methods can combine results of other methods.
#[derive(Debug)]
pub struct Step<'a> {
    /// The mechanical system, at first prepared at the start.
    pub system: Prepared<'a>,
    /// Friction and damping, lagged at the start, and at the end by methods that choose so.
    pub(crate) dissipation: LaggedDissipation,
    /// The state at the start.
    pub state: &'a State,
    /// The time step (s).
    pub h: f64,
    /// The time (s) at the end.
    end_time: f64,
    solver: &'a mut StageSolver,
    /// The cost of the solves of this step so far.
    solver_cost: SolveReport,
    /// Whether potentials were evaluated at the last positions that were solved for or moved to.
    evaluated_at_end: bool,
    /// The free motion that the method separates.
    pub(crate) flight: FreeFlight,
    /// The frames in which energies are measured, once they are determined.
    pub(crate) co_moving: CoMoving,
    /// Whether each body separates from another one at the start, with a coefficient of restitution; empty if no pair
    /// has such a coefficient.
    pub(crate) separating: Vec<bool>,
    /// See [`Self::start_spins`].
    start_spins: Vec<co_rotation::BodySpin>,
}

impl<'a> Step<'a> {
    /// Begins a step of `h` seconds from `state`: lags friction and damping there, prepares the system there, and
    /// determines the bodies that separate after an impact.
    pub(crate) fn begin(
        system: &'a mut System,
        solver: &'a mut StageSolver,
        state: &'a State,
        h: f64,
        end_time: f64,
        flight: FreeFlight,
    ) -> Self {
        let dissipation = system.begin(state);
        let system = system.along(&[Path::at(&state.positions)]);
        let (solver_cost, evaluated_at_end) = (SolveReport::default(), false);
        let co_moving = CoMoving::default();
        let separating = Vec::new();
        let mut step = Self {
            system,
            dissipation,
            state,
            h,
            end_time,
            solver,
            solver_cost,
            evaluated_at_end,
            flight,
            co_moving,
            separating,
            start_spins: Vec::new(),
        };
        step.start_spins = step.start_spins();
        step.separating = step.separating();
        step
    }

    /// Removes the free motions that the contacts at `x` (m) exclude, where the system must be prepared. Returns whether
    /// there are any; frames and stages of the step are then outdated.
    pub(crate) fn restrict_free_motions(&mut self, x: &[Vec3]) -> bool {
        if !self.flight.depends_on_contact(self.h) {
            return false;
        }
        let counts_before = self.flight.counts();
        let mut links = Links::new(self.system.bodies().len());
        self.system.link(x, &mut links);
        self.flight.restrict(&links, [self.h; 2]);
        self.flight.counts() != counts_before
    }

    /// The tolerance of stages (m/s).
    pub(crate) fn tolerance(&self) -> f64 {
        self.solver.tolerance
    }

    /// The frame of rotating and falling bodies at a `fraction` of the step.
    pub(crate) fn frame(&self, fraction: f64) -> Frame {
        self.flight.frame(fraction * self.h)
    }

    /// The system, and the cached matrices of filters.
    pub(crate) fn filters(&mut self) -> (&Prepared<'a>, &mut Filters) {
        (&self.system, &mut self.solver.filters)
    }

    /// The time at the end (s), bitwise the start of the next step.
    pub fn end_time(&self) -> f64 {
        self.end_time
    }

    /// The time (s) at a `fraction` of the step. Fractions equal to one within rounding, such as sums of coefficients,
    /// are the end.
    pub fn time_at(&self, fraction: f64) -> f64 {
        let is_end = (fraction - 1.0).abs() < COEFFICIENT_ROUNDING;
        if is_end { self.end_time } else { self.state.time + fraction * self.h }
    }

    /// Solves `stage` from the admissible positions `start` (m) and returns the positions (m) that solve it. Afterwards
    /// the system can be evaluated at the solution and at the points of evaluation of the stage.
    ///
    /// # Errors
    /// If Newton's method does not reach its tolerance, which is a velocity times `h`.
    pub fn solve(&mut self, stage: &Stage, start: &[Vec3]) -> Result<Vec<Vec3>, StepError> {
        let mut x = self.start_of_solve(stage, start);
        let permitted_lag = self.permitted_lag();
        let objective = StageObjective::new(self.system.reborrow(), &self.dissipation, stage);
        let mut objective = objective.with_permitted_lag(permitted_lag);
        let tolerance = self.solver.tolerance * self.h;
        let outcome = self.solver.positions.minimise(&mut objective, &mut x, tolerance);
        self.solver.record_solve(Unknowns::Positions, [stage.time, self.h], &outcome);
        let report =
            outcome.map_err(|cause| StepError::Solve { time: stage.time, step: self.h, cause })?;
        self.solver_cost.absorb(&report);
        self.evaluated_at_end = stage.terms.iter().any(|term| term.fraction == 1.0);
        Ok(x)
    }

    /// The velocities (m/s) that result from `v` (m/s) if friction and damping, as lagged now, act for the whole step:
    /// `argmin_u 1/2 |u - v|_M^2 + h D(u)`. M consists of the elastic inertias of the bodies that have one in
    /// `inertias`, and of the masses of all other nodes. Prescribed nodes have their mean velocities.
    ///
    /// The block solve of friction starts at `guess` (m/s), and Newton's method at its result.
    ///
    /// # Errors
    /// If Newton's method does not reach its tolerance.
    pub(crate) fn solve_friction(
        &mut self,
        v: &[Vec3],
        guess: &[Vec3],
        inertias: &[ElasticInertia],
    ) -> Result<Vec<Vec3>, StepError> {
        let time = self.end_time;
        let mut undamped = v.to_vec();
        for (node, target) in self.system.prescribed(time) {
            let mean_velocity = (target - self.state.positions[node]) / self.h;
            undamped[node] = self.system.compose(node, undamped[node], mean_velocity);
        }
        let relative_tolerance = if inertias.is_empty() { 1.0 } else { ELASTIC_TOLERANCE };
        let tolerance = relative_tolerance * self.solver.tolerance;
        let rounds = Rounds {
            max_rounds: MAX_RELAXATION_ROUNDS,
            tolerance: RELAXATION_TOLERANCE * tolerance,
        };
        let frame = self.dissipation_frame_at_end();
        let block_solution = self.dissipation.relaxed(&frame, self.h, &undamped, guess, rounds);
        let mut objective = FrictionObjective::new(
            &self.system,
            &self.dissipation,
            (frame, self.h),
            &undamped,
            inertias,
        );
        let mut velocities = objective.gather(&block_solution);
        let outcome = self.solver.velocities.minimise(&mut objective, &mut velocities, tolerance);
        self.solver.record_solve(Unknowns::Velocities, [time, self.h], &outcome);
        let report = outcome.map_err(|cause| StepError::Solve { time, step: self.h, cause })?;
        self.solver_cost.phases.absorb(&report.phases);
        Ok(objective.scatter(&velocities))
    }

    /// The one of two `candidates` for the positions (m) at which the objective of `stage` is lower, the first one if both
    /// are equal. Both must be admissible. Afterwards the system is prepared at the second one.
    pub(crate) fn position_of_lower_value<'x>(
        &mut self,
        stage: &Stage,
        candidates: [&'x [Vec3]; 2],
    ) -> &'x [Vec3] {
        let mut objective = StageObjective::new(self.system.reborrow(), &self.dissipation, stage);
        let [first_value, second_value] = candidates.map(|x| {
            // Prepares the system at `x`.
            objective.step_bound(x, x);
            objective.value(x)
        });
        if second_value < first_value { candidates[1] } else { candidates[0] }
    }

    /// Solves the `stage` of a method with a single stage from `x_n`. Returns the end state, in which a node at `x` (m)
    /// has the velocity `velocity(node, x)` (m/s).
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_only(
        &mut self,
        stage: &Stage,
        velocity: impl Fn(usize, Vec3) -> Vec3,
    ) -> Result<State, StepError> {
        let x = self.solve(stage, &self.state.positions)?;
        let v = x.iter().enumerate().map(|(i, x)| velocity(i, *x)).collect();
        Ok(State::new(stage.time, x, v))
    }

    /// Moves nodes straight from the admissible positions `from` (m) to `to` (m). In `to` prescribed nodes are set to
    /// their positions at `time` (s). Afterwards the system can be evaluated at `to`.
    ///
    /// # Errors
    /// If a position is not finite, or if there is a collision on the path, which explicit formulas do not prevent.
    pub fn move_straight(
        &mut self,
        from: &[Vec3],
        to: &mut [Vec3],
        time: f64,
    ) -> Result<(), StepError> {
        for (node, target) in self.system.prescribed(time) {
            to[node] = self.system.compose(node, to[node], target);
        }
        if let Some(node) = to.iter().position(|x| !x.is_finite()) {
            return Err(StepError::Exploded { time, step: self.h, node });
        }
        self.evaluated_at_end = false;
        let fraction = self.system.along(&[Path { from, to }]).fraction();
        if fraction < 1.0 {
            return Err(StepError::Blocked { time, step: self.h, free: fraction });
        }
        Ok(())
    }

    /// `grad P(x_n)` (N): the stored [balancing gradient](Self::balancing_gradient) of the last step; without one, the
    /// evaluated gradient.
    pub fn start_gradient(&mut self) -> Vec<Vec3> {
        match memory::gradient(&self.state.memory) {
            Some(gradient) => gradient.to_vec(),
            None => self.evaluated_start_gradient(),
        }
    }

    /// `grad P(x_n)` (N), always evaluated.
    pub fn evaluated_start_gradient(&mut self) -> Vec<Vec3> {
        let start = self.state;
        self.at_start().gradient(start.time, &start.positions)
    }

    /// The system, prepared at the start of the step again.
    pub fn at_start(&mut self) -> Prepared<'_> {
        self.system.along(&[Path::at(&self.state.positions)])
    }

    /// `grad P(x)` (N) at `time` (s), at a position that was solved for or reached.
    pub fn potential_gradient(&self, time: f64, x: &[Vec3]) -> Vec<Vec3> {
        self.system.gradient(time, x)
    }

    /// `dD/dv` (N) in `frame` at the velocity `v`.
    pub fn dissipative_gradient(&self, frame: &DissipationFrame, v: &[Vec3]) -> Vec<Vec3> {
        let mut gradient = vec![Vec3::ZERO; v.len()];
        if self.system.dissipates() {
            self.dissipation.add_gradient(frame, v, 1.0, &mut gradient);
        }
        gradient
    }

    /// `-m^-1 (grad P + dD/dv)` (m/s^2) for the gradients (N) of the potential and of the dissipation; zero at
    /// prescribed nodes.
    pub fn acceleration(
        &self,
        potential_gradient: &[Vec3],
        dissipative_gradient: &[Vec3],
    ) -> Vec<Vec3> {
        let system = &self.system;
        let node_acceleration = |i: usize| {
            let force = -(potential_gradient[i] + dissipative_gradient[i]);
            system.free_part(i, force / system.masses()[i])
        };
        (0..potential_gradient.len()).map(node_acceleration).collect()
    }

    /// The velocities (m/s) at the start; prescribed nodes have their mean velocities over this step.
    pub fn start_velocities(&self) -> Vec<Vec3> {
        let mut v = self.state.velocities.clone();
        for (node, target) in self.system.prescribed(self.end_time()) {
            let mean_velocity = (target - self.state.positions[node]) / self.h;
            v[node] = self.system.compose(node, v[node], mean_velocity);
        }
        v
    }

    /// The gradient (N) that balances `stage` at `x`. All forces of the stage must be evaluated at its unknown with the
    /// same `weight`: `m (y - x) / weight - dD/dv`. At nodes that are not solved for, `grad P(x)` itself.
    ///
    /// For an exact solve this is `grad P(x)`. However, Newton's method stops by the length of its step, and on a stiff
    /// barrier a length below the tolerance is a large force. If A-search corrects velocities by `grad P(x)`, this
    /// force remains in them: with a tolerance of 0.01 m/s the stiff ball of `scenes/` rebounds to 6 cm. The balancing
    /// gradient has no such error, because its contributions to two consecutive steps cancel: the ball rebounds to 98
    /// cm with 0.01 m/s and with 0.001 m/s.
    pub fn balancing_gradient(&self, stage: &Stage, weight: f64, x: &[Vec3]) -> Vec<Vec3> {
        let system = &self.system;
        let mut gradient = match system.is_driven() {
            true => system.gradient(stage.time, x),
            false => vec![Vec3::ZERO; x.len()],
        };
        let v: Vec<Vec3> = (0..x.len()).map(|i| stage.lag.velocity(i, x[i])).collect();
        let dissipative = self.dissipative_gradient(&stage.lag.frame(), &v);
        for i in (0..x.len()).filter(|&i| system.free()[i]) {
            let balancing =
                system.masses()[i] / weight * (stage.predictor[i] - x[i]) - dissipative[i];
            gradient[i] = system.compose(i, balancing, gradient[i]);
        }
        gradient
    }

    /// Maximum number of rounds of friction.
    pub(crate) fn friction_rounds(&self) -> u32 {
        self.solver.friction_rounds
    }

    /// Links without entries. They record velocities of obstacles if nodes are prescribed.
    pub(crate) fn empty_links(&self) -> Links {
        let links = Links::new(self.system.bodies().len());
        match self.system.is_driven() {
            true => links.with_velocities(self.start_velocities()),
            false => links,
        }
    }

    /// Sets the frames in which the rest of the step measures energies: those of the groups of `links`.
    pub(crate) fn set_co_moving_frames(&mut self, links: &Links) {
        self.co_moving = CoMoving::new(
            &self.system,
            links,
            &self.start_velocities(),
            [self.state.time, self.end_time()],
        );
    }

    /// The kinetic energy (J) of each body whose nodes move at `v` (m/s), in the [co-moving
    /// frames](Self::set_co_moving_frames).
    pub(crate) fn kinetic(&self, v: &[Vec3]) -> Vec<f64> {
        self.co_moving.kinetic(&self.system, v)
    }
}
