//! The seam between integrators and the run loop.

use crate::accounting::{self, Path};
use crate::control::GroupAlpha;
use crate::error::StepError;
use crate::free_flight::{Frame, FreeFlight};
use crate::guard;
use crate::objective::StageObjective;
use crate::rubbing::Rubbing;
use crate::stage::Stage;
use crate::target::Scope;
use resile_math::Vec3;
use resile_solver::{Newton, NewtonSettings, Objective as _, SolveReport};
use resile_system::{Links, State, System, Way};

/// Newton with the tolerance that the physics sets.
///
/// One belongs to each set of bodies that is solved together: Newton keeps the
/// patterns and buffers of the system it solved last.
#[derive(Debug)]
pub struct StageSolver {
    /// The minimiser and its buffers.
    pub newton: Newton,
    /// The minimiser of problems in velocities alone, whose matrices have another pattern.
    pub velocity_newton: Newton,
    /// Newton stops when its step, as a velocity over the time step, is below
    /// this (m/s, max norm over coordinates). ASEARCH, section 5, has 0.01.
    pub tolerance: f64,
}

impl StageSolver {
    /// A solver without buffers yet.
    pub fn new(tolerance: f64, settings: NewtonSettings) -> Self {
        let [newton, velocity_newton] = [(); 2].map(|()| Newton::new(settings));
        Self { newton, velocity_newton, tolerance }
    }
}

/// A method that advances a system in time: a plain description, without memory.
pub trait Integrator: Send + Sync {
    /// What tables and plots call the method.
    fn name(&self) -> &str;

    /// Whether the method acts with the forces at the start of a step, too, and loses the
    /// energy of what it does not resolve: then it must not gain any where bodies touch.
    fn damps_from_start(&self) -> bool {
        false
    }

    /// The angle (rad) up to which a body that touches another one may turn in a step and still be
    /// followed from the way on which it would turn freely.
    fn turns_in_contact(&self) -> f64 {
        0.0
    }

    /// Over which bodies the method keeps the energy in sum: all of them have to be solved
    /// together then.
    fn scope(&self) -> Scope {
        Scope::Island
    }

    /// The order of positions and velocities on smooth problems: errors over a given time fall as
    /// this power of the step.
    fn order(&self) -> u32;

    /// Whether each step comes with an [estimate](StepReport::error) of its error.
    fn estimates_its_error(&self) -> bool {
        false
    }

    /// The state at the end of `step`. Velocities of prescribed nodes need not be
    /// set: where a hand leads is known, and so is how fast.
    ///
    /// # Errors
    /// If a stage could not be solved, or an explicit move is not free.
    fn step(&self, step: &mut Step<'_>) -> Result<State, StepError>;
}

/// What a step did, body by body where it can be told.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The step (s).
    pub step: f64,
    /// The solver's work over all stages.
    pub solve: SolveReport,
    /// Heat (J) that friction and damping made of each body's energy and of the work of what
    /// drags it: the slip power of all nodes, those that are led included.
    pub dissipated: Vec<f64>,
    /// Work (J) done on each body by scripted nodes and moving targets, that against friction
    /// and damping included.
    pub work: Vec<f64>,
    /// For methods that correct energies: each group of bodies and its alpha.
    pub alphas: Vec<GroupAlpha>,
    /// For methods that estimate it: the largest error (m) of a coordinate of a free node that
    /// this step has added.
    pub error: Option<f64>,
}

/// Advances `state` by `h` seconds. On error the state is as it was.
///
/// # Errors
/// If the method could not take the step.
pub fn advance(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
) -> Result<StepReport, StepError> {
    let end = state.time + h;
    advance_to(integrator, system, solver, state, h, end)
}

/// As [`advance`], to the time `end` (s), which is `h` later but for rounding.
///
/// Sums of steps and multiples of one differ in their last bits. What is switched at a
/// given time is felt and paid for in one and the same step if to the bit the end of each
/// step is the start of the next.
///
/// # Errors
/// If the method could not take the step.
pub fn advance_to(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
    end: f64,
) -> Result<StepReport, StepError> {
    let limit = integrator.turns_in_contact();
    let mut flight = FreeFlight::from(system, state, h, limit);
    let mut thrown_away = SolveReport::default();
    let (mut next, mut report) = loop {
        let mut step = Step::begin(system, solver, state, h, end, flight.clone());
        let reached = integrator.step(&mut step)?;
        let (next, report) = step.end(reached)?;
        let followed = flight.len();
        flight = flight.without_touching(system, &next, h, limit);
        if flight.len() == followed {
            break (next, report);
        }
        thrown_away.absorb(&report.solve);
    };
    if integrator.damps_from_start() && guard::gains(system, [state, &next], &report) {
        let mut step = Step::begin(system, solver, state, h, end, flight);
        let again = guard::implicit_euler(&mut step)?;
        thrown_away.absorb(&report.solve);
        (next, report) = step.end(again)?;
    }
    report.solve.absorb(&thrown_away);
    *state = next;
    Ok(report)
}

/// A step on its way: what an integrator reads, and what it is done with.
///
/// Friction and damping are frozen at the start, and what crosses the border of the
/// system (work, dissipation) is accounted here for all methods alike.
#[derive(Debug)]
pub struct Step<'a> {
    /// The mechanical system.
    pub system: &'a mut System,
    /// The state at the start.
    pub state: &'a State,
    /// The time step (s).
    pub h: f64,
    end_time: f64,
    solver: &'a mut StageSolver,
    report: StepReport,
    worked: bool,
    /// What hands supplied to friction and damping at each body (J): work and heat at once, of
    /// which no body's energy learns.
    dragged: Vec<f64>,
    end: EndPoint,
    pub(crate) flight: FreeFlight,
}

/// Whether potentials were asked about the position that was solved for or reached last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndPoint {
    Felt,
    Unfelt,
}

impl<'a> Step<'a> {
    fn begin(
        system: &'a mut System,
        solver: &'a mut StageSolver,
        state: &'a State,
        h: f64,
        end_time: f64,
        flight: FreeFlight,
    ) -> Self {
        system.set_time(state.time);
        system.freeze(&state.positions);
        let bodies = system.bodies().len();
        let report = StepReport {
            step: h,
            solve: SolveReport::default(),
            dissipated: vec![0.0; bodies],
            work: vec![0.0; bodies],
            alphas: Vec::new(),
            error: None,
        };
        let end = EndPoint::Unfelt;
        let dragged = vec![0.0; bodies];
        Self { system, state, h, end_time, solver, report, worked: false, dragged, end, flight }
    }

    /// The frame at a `share` of the step in which turning bodies are seen.
    pub(crate) fn frame(&self, share: f64) -> Frame {
        self.flight.frame(share * self.h)
    }

    /// The time at the end (s), to the bit that at which the next step starts.
    pub fn end_time(&self) -> f64 {
        self.end_time
    }

    /// The time (s) at a `share` of the step. Shares that are sums, as abscissas are, come
    /// to one but for rounding, and that is the end.
    pub(crate) fn time_at(&self, share: f64) -> f64 {
        let at_end = (share - 1.0).abs() < 1e-12;
        if at_end { self.end_time } else { self.state.time + share * self.h }
    }

    /// Solves `stage` from the admissible start `u`. Afterwards the system can be
    /// evaluated at the answer and wherever the stage took its forces.
    ///
    /// # Errors
    /// If Newton does not reach its tolerance, a velocity times `h`.
    pub fn solve(&mut self, stage: &Stage, start: &[Vec3]) -> Result<Vec<Vec3>, StepError> {
        let mut u = start.to_vec();
        let mut objective = StageObjective::new(self.system, stage);
        let tolerance = self.solver.tolerance * self.h;
        let solved = self.solver.newton.minimise(&mut objective, &mut u, tolerance);
        let report =
            solved.map_err(|cause| StepError::Solve { time: stage.time, step: self.h, cause })?;
        self.report.solve.absorb(&report);
        let felt = stage.terms.iter().any(|term| term.share == 1.0);
        self.end = if felt { EndPoint::Felt } else { EndPoint::Unfelt };
        Ok(u)
    }

    /// The velocities (m/s) that friction and damping, as they are lagged now, leave of the
    /// velocities `v` if they act for the whole step: `argmin_u 1/2 |u - v|_m^2 + h D(u)`.
    /// Prescribed nodes have their mean velocities. `guess` is where Newton begins.
    ///
    /// # Errors
    /// If Newton does not reach its tolerance.
    pub(crate) fn rub(&mut self, v: &[Vec3], guess: &[Vec3]) -> Result<Vec<Vec3>, StepError> {
        let time = self.end_time;
        let mut undamped = v.to_vec();
        for (node, place) in self.system.prescribed(time) {
            undamped[node] = (place - self.state.positions[node]) / self.h;
        }
        let mut objective = Rubbing::new(self.system, self.h, &undamped);
        let mut found = objective.gather(guess);
        let tolerance = self.solver.tolerance;
        let solved = self.solver.velocity_newton.minimise(&mut objective, &mut found, tolerance);
        let report = solved.map_err(|cause| StepError::Solve { time, step: self.h, cause })?;
        self.report.solve.phases.absorb(&report.phases);
        Ok(objective.scatter(&found))
    }

    /// Of two admissible positions the one where the objective of `stage` is lower.
    pub(crate) fn lower<'x>(&mut self, stage: &Stage, at: [&'x [Vec3]; 2]) -> &'x [Vec3] {
        let mut objective = StageObjective::new(self.system, stage);
        let [first, second] = at.map(|x| {
            objective.step_bound(x, x);
            objective.value(x)
        });
        if second < first { at[1] } else { at[0] }
    }

    /// Solves a method's only stage from `x_n` and returns the end state with the
    /// velocity that `velocity(node, x)` gives. What friction and damping took is told
    /// apart, by [`lose`](Self::lose).
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

    /// Goes straight from the admissible `from` to `to` at `time`, where prescribed
    /// nodes are put in their places. Afterwards the system can be evaluated there.
    ///
    /// # Errors
    /// If the way is not free: explicit formulas know nothing of what they would cross.
    pub fn reach(&mut self, from: &[Vec3], to: &mut [Vec3], time: f64) -> Result<(), StepError> {
        self.system.set_time(time);
        for (node, place) in self.system.prescribed(time) {
            to[node] = place;
        }
        if let Some(node) = to.iter().position(|x| !x.is_finite()) {
            return Err(StepError::Exploded { time, step: self.h, node });
        }
        self.end = EndPoint::Unfelt;
        let free = self.system.step_bound(&[Way { from, to }]);
        if free < 1.0 {
            return Err(StepError::Blocked { time, step: self.h, free });
        }
        Ok(())
    }

    /// `grad P(x_n)` (N): that by which the last step balanced if it is known, else
    /// evaluated. See [`State::gradient`].
    pub fn start_gradient(&mut self) -> Vec<Vec3> {
        match &self.state.gradient {
            Some(gradient) => gradient.clone(),
            None => self.evaluated_start_gradient(),
        }
    }

    /// `grad P(x_n)` (N) as the terms give it.
    pub fn evaluated_start_gradient(&mut self) -> Vec<Vec3> {
        self.system.set_time(self.state.time);
        self.system.prepare(&self.state.positions);
        accounting::potential_gradient(self.system, &self.state.positions)
    }

    /// `grad P(x)` (N), at a position that was solved for or reached.
    pub fn potential_gradient(&self, x: &[Vec3]) -> Vec<Vec3> {
        accounting::potential_gradient(self.system, x)
    }

    /// `dD/dv` (N) at the velocity `v`.
    pub fn dissipative_gradient(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut gradient = vec![Vec3::ZERO; v.len()];
        if self.system.dissipates() {
            self.system.add_dissipation_gradient(v, 1.0, &mut gradient);
        }
        gradient
    }

    /// `-m^-1 (grad P + dD/dv)` (m/s^2); zero at prescribed nodes.
    pub fn acceleration(&self, potential: &[Vec3], dissipative: &[Vec3]) -> Vec<Vec3> {
        let of = |i: usize| match self.system.free()[i] {
            true => -(potential[i] + dissipative[i]) / self.system.masses()[i],
            false => Vec3::ZERO,
        };
        (0..potential.len()).map(of).collect()
    }

    /// The velocities at the start; those of prescribed nodes are their mean ones in
    /// this step.
    pub fn start_velocities(&self) -> Vec<Vec3> {
        let mut v = self.state.velocities.clone();
        for (node, place) in self.system.prescribed(self.end_time()) {
            v[node] = (place - self.state.positions[node]) / self.h;
        }
        v
    }

    /// The `grad P` (N) by which `stage`, all of whose forces are taken at its unknown with
    /// the one `weight`, was balanced at `x`: `m (y - x) / weight - dD/dv`. At nodes that
    /// are not solved for, `grad P(x)` itself.
    ///
    /// Of an exact solve both are the same. But Newton stops by the length of its step,
    /// and where a barrier is stiff a length below the tolerance is a large force. With
    /// `grad P(x)` A-search's velocity correction handed that force on: at a tolerance of
    /// 0.01 m/s the stiff ball of `scenes/` rebounded to 6 cm. The force that the motion has
    /// shown has no such error, and what one step adds of it the next one takes away: the
    /// ball rebounds to 98 cm, with 0.01 m/s as with 0.001.
    pub fn balancing_gradient(&self, stage: &Stage, weight: f64, x: &[Vec3]) -> Vec<Vec3> {
        let system = &*self.system;
        let mut gradient = match system.is_driven() {
            true => accounting::potential_gradient(system, x),
            false => vec![Vec3::ZERO; x.len()],
        };
        let v: Vec<Vec3> = (0..x.len()).map(|i| stage.lag.velocity(i, x[i])).collect();
        let dissipative = self.dissipative_gradient(&v);
        for i in (0..x.len()).filter(|&i| system.free()[i]) {
            gradient[i] =
                system.masses()[i] / weight * (stage.predictor[i] - x[i]) - dissipative[i];
        }
        gradient
    }

    /// Accounts for friction and damping that acted at the velocity `v` for this `share`
    /// of the step: `h share dD/dv . v`, which is heat and no convex D makes negative. That
    /// of the free nodes is taken from bodies, that of the others supplied by hands.
    pub fn lose(&mut self, share: f64, v: &[Vec3]) {
        let lost = self.power(v);
        let h = self.h;
        self.add_dissipated(&lost.iter().map(|power| h * share * power).collect::<Vec<_>>());
        let dragged = self.dragging_power(v);
        self.add_dragged(&dragged.iter().map(|power| h * share * power).collect::<Vec<_>>());
    }

    /// Accounts for friction and damping that acted at the mean velocity on the way to `x`.
    pub fn lose_on_the_way(&mut self, x: &[Vec3]) {
        let mean = self.mean_velocities(x, &Frame::default());
        self.lose(1.0, &mean);
    }

    /// The mean velocities (m/s) on the way to `x` in `frame`, but for the turning.
    pub(crate) fn mean_velocities(&self, x: &[Vec3], frame: &Frame) -> Vec<Vec3> {
        let (old, detour) = (&self.state.positions, frame.detour(x.len()));
        (0..x.len()).map(|i| (x[i] - (old[i] + detour[i])) / self.h).collect()
    }

    /// What friction and damping, acting with the force they have at the velocities `v`, took
    /// from the free nodes of each body (J) while these moved at `moved` (m/s).
    pub(crate) fn loss_at(&self, v: &[Vec3], moved: &[Vec3]) -> Vec<f64> {
        let (force, free, h) = (self.dissipative_gradient(v), self.system.free(), self.h);
        self.system.sum_by_body(|i| if free[i] { h * force[i].dot(moved[i]) } else { 0.0 })
    }

    /// Accounts for what hands supplied to friction and damping, as if these acted at the mean
    /// velocity on the way to `x`.
    pub(crate) fn drag_on_the_way(&mut self, x: &[Vec3]) {
        let mean = self.mean_velocities(x, &Frame::default());
        let h = self.h;
        let dragged: Vec<f64> = self.dragging_power(&mean).iter().map(|power| h * power).collect();
        self.add_dragged(&dragged);
    }

    /// What friction and damping take from the free nodes of each body at the velocity
    /// `v` (W): their kinetic energy is the system's. Negative where a hand drags them.
    pub(crate) fn power(&self, v: &[Vec3]) -> Vec<f64> {
        let force = self.dissipative_gradient(v);
        let free = self.system.free();
        self.system.sum_by_body(|i| if free[i] { force[i].dot(v[i]) } else { 0.0 })
    }

    /// What hands supply to friction and damping at each body while nodes move at `v` (W);
    /// nothing where none moves.
    pub(crate) fn dragging_power(&self, v: &[Vec3]) -> Vec<f64> {
        match self.system.is_driven() && self.system.dissipates() {
            true => self.system.dragging_power(v, &self.dissipative_gradient(v)),
            false => Vec::new(),
        }
    }

    /// Accounts for what hands supplied to friction and damping at each body (J).
    pub(crate) fn add_dragged(&mut self, supplied: &[f64]) {
        self.dragged.iter_mut().zip(supplied).for_each(|(sum, supplied)| *sum += supplied);
    }

    /// Accounts for energy (J) taken from each body by friction and damping.
    pub fn add_dissipated(&mut self, lost: &[f64]) {
        self.report.dissipated.iter_mut().zip(lost).for_each(|(sum, lost)| *sum += lost);
    }

    /// Takes back what was accounted for since `before`, for a method that uses only part
    /// of what another one did; what hands supplied so far is forgotten.
    pub(crate) fn take_dissipated_since(&mut self, before: &[f64]) -> Vec<f64> {
        self.dragged.fill(0.0);
        let now = std::mem::replace(&mut self.report.dissipated, before.to_vec());
        now.iter().zip(before).map(|(now, before)| now - before).collect()
    }

    /// Accounts for the work of hands and moving targets on the way to the end `x`,
    /// at which the system can be evaluated, before and after.
    pub(crate) fn account_work(&mut self, x: &[Vec3]) {
        let path = Path { from: &self.state.positions, to: x };
        let times = [self.state.time, self.end_time()];
        self.report.work = accounting::work(self.system, path, times);
        self.worked = true;
    }

    /// The velocity (m/s) below which a Newton step ends a solve.
    pub(crate) fn tolerance(&self) -> f64 {
        self.solver.tolerance
    }

    /// The accounts so far.
    pub(crate) fn report(&self) -> &StepReport {
        &self.report
    }

    /// Says which alphas were chosen.
    pub(crate) fn set_alphas(&mut self, alphas: Vec<GroupAlpha>) {
        self.report.alphas = alphas;
    }

    /// Says by how much (m) each node is probably off.
    pub(crate) fn set_error(&mut self, of_node: impl Fn(usize) -> Vec3) {
        let free = self.system.free();
        let errors = (0..free.len()).filter(|&i| free[i]).map(|i| of_node(i).abs().max_element());
        self.report.error = Some(errors.fold(0.0, f64::max));
    }

    /// Links without any pair yet.
    pub(crate) fn no_links(&self) -> Links {
        Links::new(self.system.bodies().len())
    }

    /// Sets what is the same for all methods at the end of a step.
    fn end(mut self, mut next: State) -> Result<(State, StepReport), StepError> {
        next.time = self.end_time;
        if !self.worked {
            self.system.set_time(next.time);
            self.account_work(&next.positions);
        }
        for (i, v) in next.velocities.iter_mut().enumerate() {
            if !self.system.free()[i] {
                *v = (next.positions[i] - self.state.positions[i]) / self.h;
            }
        }
        let finite = |i: &usize| next.positions[*i].is_finite() && next.velocities[*i].is_finite();
        if let Some(node) = (0..next.positions.len()).find(|i| !finite(i)) {
            return Err(StepError::Exploded { time: next.time, step: self.h, node });
        }
        let fits = self.end == EndPoint::Felt || self.system.potential(&next.positions).is_finite();
        if !fits {
            return Err(StepError::Inadmissible { time: next.time, step: self.h });
        }
        if next.control.is_none() {
            next.control.clone_from(&self.state.control);
        }
        next.pace = self.state.pace;
        if self.system.is_driven() {
            let Self { dragged, report, .. } = &mut self;
            for column in [&mut report.work, &mut report.dissipated] {
                column.iter_mut().zip(&*dragged).for_each(|(sum, dragged)| *sum += dragged);
            }
        }
        Ok((next, self.report))
    }
}
