//! An island: bodies in one system for the duration of a step.

use super::collide::Extent;
use super::intact::Surroundings;
use super::island_graph::IslandBodies;
use super::observe::{IslandObservation, observe};
use super::retry::Retry;
use super::{TooFast, WorldBody, WorldJoint, WorldSettings, kinematic};
use resile_contact::CollisionMesh;
use resile_energy::{Joint, JointBody, Joints};
use resile_integrators::adaptive::{self, Adaptive, Attempt};
use resile_integrators::{Integrator, StageSolver, StepError, StepReport, TracedSolve, advance_to};
use resile_math::AFFINE_NODES;
use resile_system::{Body, DissipationFrame, State, System, Vec3};
use resile_watch::{Interrupt, Job};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An island before, during and after its step.
pub(super) struct Island {
    /// Indices of the bodies of the island. Copies of kinematic bodies come last in the system.
    pub(super) group: IslandBodies,
    /// The system of these bodies, with contact and joints.
    pub(super) system: System,
    /// The state of the system.
    pub(super) state: State,
    /// Surfaces of the simulated bodies; empty without contact.
    surfaces: Vec<Arc<CollisionMesh>>,
    solver: StageSolver,
    /// The result of the step; `None` before it.
    outcome: Option<Result<Advance, IslandError>>,
}

/// The time interval of a step, of a substep or of a part of a step between. The start is not stored: it is that of the
/// state, up to rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeInterval {
    /// The length (s).
    pub(super) h: f64,
    /// The time (s) at the end.
    pub(super) end: f64,
}

/// Result of the step of an island, without its system and solver.
pub(super) struct SolvedIsland {
    /// Indices of the bodies of the island.
    pub(super) group: IslandBodies,
    /// States of the simulated bodies at the end of the step.
    states: Vec<State>,
    pub(super) outcome: Result<Advance, IslandError>,
    /// Records of the solves, if tracing is on.
    pub(super) solves: Vec<TracedSolve>,
}

impl SolvedIsland {
    /// Moves the states at the end of the step to `members`, the bodies of the world.
    pub(super) fn accept(&mut self, members: &mut [WorldBody]) {
        for (&b, state) in self.group.bodies.iter().zip(self.states.drain(..)) {
            members[b].state = state;
        }
    }
}

/// Joins the states of the bodies of an island; kinematic bodies come last. `members` has all bodies of the world.
pub(super) fn joined_state(group: &IslandBodies, members: &[WorldBody]) -> State {
    let mut state = State::join(group.bodies.iter().map(|&b| &members[b].state));
    for WorldBody { body, state: member_state, .. } in group.kinematic.iter().map(|&b| &members[b])
    {
        kinematic::append(&mut state, body, member_state);
    }
    state
}

/// Builds the system of an island, with contact and joints, and its state; kinematic bodies come last. `members` has
/// all bodies of the world.
pub(super) fn joined_system(
    group: &IslandBodies,
    members: &[WorldBody],
    &Surroundings { collisions, joints, ref interrupt }: &Surroundings<'_>,
) -> (System, State) {
    let state = joined_state(group, members);
    let mut bodies: Vec<Body> = group.bodies.iter().map(|&b| members[b].body.clone()).collect();
    bodies.extend(group.kinematic.iter().map(|&b| kinematic::without_terms(&members[b].body)));
    let mut system = System::new(bodies);
    system.set_internal(&state.internal, state.time);
    if let Some(collisions) = collisions {
        system = collisions.couple(system, &state, &group.all_bodies(), interrupt);
    }
    (with_joints(system, group, joints), state)
}

/// The sum of the forces (N) of all terms on each node, as one vector of nodal forces for each body.
pub(super) fn net_forces(mut system: System, state: &State) -> Vec<Vec<Vec3>> {
    let mut gradient = system.at(&state.positions).gradient(state.time, &state.positions);
    let frame = DissipationFrame::at_start(state.time);
    system.lagged(state).add_gradient(&frame, &state.velocities, 1.0, &mut gradient);
    let body_forces = |k| gradient[system.nodes(k)].iter().map(|g| -*g).collect();
    (0..system.bodies().len()).map(body_forces).collect()
}

/// Why an island could not be advanced.
pub(super) enum IslandError {
    /// A substep failed, and no shorter one is permitted.
    Unsolved(StepError),
    /// The step needs too many subintervals.
    TooFast(TooFast),
}

/// Result of a successful step of an island.
pub(super) struct Advance {
    /// Sums over all substeps.
    pub(super) report: StepReport,
    /// Smallest substep (s).
    pub(super) smallest_step: f64,
    /// Largest distance (m) of a prescribed node from its target at the end.
    pub(super) prescribed_lag: f64,
    /// Largest ratio of the last step of Newton's method to the length of its substep (m/s).
    pub(super) last_step_speed: f64,
    /// Bounding boxes of the points of the surface of each simulated body over the ends of substeps, between which they
    /// move on straight lines.
    pub(super) swept: Vec<Extent>,
    /// The times (s) at the start and at the ends of substeps.
    pub(super) times: Vec<f64>,
    /// Retries, with the lengths of the substeps (s).
    pub(super) retries: Vec<(Retry, f64)>,
    /// Energies and certificate at the end.
    pub(super) observation: IslandObservation,
}

impl Island {
    /// Builds the island of the bodies in `group`, which are copied into one system. `members` has all bodies of the
    /// world. The solver of the island is taken from `solvers` if it is cached there.
    pub(super) fn gather(
        group: IslandBodies,
        members: &[WorldBody],
        surroundings: &Surroundings<'_>,
        solvers: &mut Solvers,
    ) -> Self {
        let (system, state) = joined_system(&group, members, surroundings);
        let surfaces = surroundings.collisions.map_or_else(Vec::new, |c| {
            group.bodies.iter().map(|&b| c.surfaces[b].clone()).collect()
        });
        let solver = solvers.take(&group);
        Self { group, system, state, surfaces, solver, outcome: None }
    }

    /// Names of the bodies of the island.
    pub(super) fn names(&self) -> Vec<String> {
        let bodies = self.system.bodies().iter().take(self.group.bodies.len());
        bodies.map(|body| body.name.clone()).collect()
    }

    /// Returns the result of the step and puts the solver back into `solvers`.
    ///
    /// # Panics
    /// If the island was not advanced.
    pub(super) fn finish(self, solvers: &mut Solvers) -> SolvedIsland {
        let Self { group, system, state, mut solver, outcome, .. } = self;
        let solves = solver.take_solves();
        let body_state = |k| state.part(system.nodes(k), k);
        let states = (0..group.bodies.len()).map(body_state).collect();
        solvers.put(group.clone(), solver, state.positions.len());
        let outcome = outcome.expect("the island was advanced");
        SolvedIsland { group, states, outcome, solves }
    }

    /// Advances through consecutive `subintervals` of a step. Each takes one substep, or as many as the error control
    /// requires; failed substeps are halved repeatedly. Reports progress to `job`, and stores the outcome.
    pub(super) fn advance(
        &mut self,
        integrator: &dyn Integrator,
        settings: &WorldSettings,
        subintervals: &[TimeInterval],
        job: &Job,
    ) {
        self.solver.set_progress(job);
        if let Some(last) = subintervals.last() {
            self.solver.begin_whole_step(&self.system, &self.state, last.end);
        }
        let mut sums = SubstepSums {
            report: None,
            smallest_step: subintervals.iter().map(|part| part.h).fold(f64::INFINITY, f64::min),
            last_step_speed: 0.0,
            swept: self.extents(),
            times: vec![self.state.time],
            retries: Vec::new(),
        };
        let result = subintervals.iter().try_for_each(|&subinterval| match settings.adaptive {
            None => {
                self.advance_in_halves(integrator, subinterval, settings.max_halvings, &mut sums)
            }
            Some(adaptive) => {
                self.advance_adaptively(integrator, &adaptive, subinterval, &mut sums)
            }
        });
        self.system.set_internal(&self.state.internal, self.state.time);
        self.outcome = Some(result.map_err(IslandError::Unsolved).map(|()| Advance {
            report: sums.report.expect("a step that succeeded has a report"),
            smallest_step: sums.smallest_step,
            prescribed_lag: self.system.prescribed_lag(self.state.time, &self.state.positions),
            last_step_speed: sums.last_step_speed,
            swept: sums.swept,
            times: sums.times,
            retries: sums.retries,
            observation: observe(&mut self.system, &self.state, integrator),
        }));
        self.solver.end_whole_step();
        self.solver.set_progress(&Job::default());
    }

    /// Sets whether the solver records its solves.
    pub(super) fn trace(&mut self, enabled: bool) {
        self.solver.trace(enabled);
    }

    /// Sets the result of the step to `too_fast` without advancing the island.
    pub(super) fn reject(&mut self, too_fast: TooFast) {
        self.outcome = Some(Err(IslandError::TooFast(too_fast)));
    }

    /// Advances through a subinterval with error-controlled substeps. A substep ends at each change of the prescribed
    /// motions, and the substeps up to the next change have equal lengths unless the error requires shorter ones.
    fn advance_adaptively(
        &mut self,
        integrator: &dyn Integrator,
        adaptive: &Adaptive,
        TimeInterval { h, end }: TimeInterval,
        sums: &mut SubstepSums,
    ) -> Result<(), StepError> {
        let mut stop = adaptive.next_stop(&self.system, self.state.time, end);
        let mut remaining = if stop == end { h } else { stop - self.state.time };
        loop {
            let step = adaptive::next_step(remaining, self.state.suggested_step);
            let next_time = if step == remaining { stop } else { self.state.time + step };
            let substep = TimeInterval { h: step, end: next_time };
            match self.attempt_substep(integrator, adaptive, substep, sums)? {
                AttemptOutcome::Rejected => {}
                AttemptOutcome::Accepted if step < remaining => remaining -= step,
                AttemptOutcome::Accepted if stop == end => return Ok(()),
                AttemptOutcome::Accepted => {
                    let start = self.state.time;
                    stop = adaptive.next_stop(&self.system, start, end);
                    remaining = stop - start;
                }
            }
        }
    }

    /// Attempts a substep. A rejected or failed substep suggests a shorter one.
    ///
    /// # Errors
    /// If the substep failed and is the shortest permitted one, or was interrupted.
    fn attempt_substep(
        &mut self,
        integrator: &dyn Integrator,
        adaptive: &Adaptive,
        TimeInterval { h, end }: TimeInterval,
        sums: &mut SubstepSums,
    ) -> Result<AttemptOutcome, StepError> {
        let Self { system, solver, state, .. } = self;
        let middle_time = state.time + h / 2.0;
        match adaptive::attempt(integrator, adaptive, system, solver, state, h, end) {
            Ok(Attempt::Taken { reports, middle }) => {
                if let Some(middle) = middle {
                    self.record_positions(sums, middle_time, &middle);
                }
                self.record_positions(sums, self.state.time, &self.state.positions);
                reports.into_iter().for_each(|report| sums.add_accepted(report));
                Ok(AttemptOutcome::Accepted)
            }
            Ok(Attempt::Rejected(reports)) => {
                reports.into_iter().for_each(|report| sums.add_report(report));
                Ok(AttemptOutcome::Rejected)
            }
            Err(error) => {
                let retry = Retry::after_failure(&error, adaptive.is_shortest(h)).ok_or(error)?;
                sums.retries.push((retry, h));
                self.state.suggested_step = Some((h / 2.0).max(adaptive.shortest));
                Ok(AttemptOutcome::Rejected)
            }
        }
    }

    /// Advances through a subinterval in one substep; failed substeps are halved, at most `max_halvings` times.
    ///
    /// # Errors
    /// If a substep failed after the last halving, or was interrupted.
    fn advance_in_halves(
        &mut self,
        integrator: &dyn Integrator,
        subinterval: TimeInterval,
        max_halvings: u32,
        sums: &mut SubstepSums,
    ) -> Result<(), StepError> {
        // A stack of subintervals with their remaining halvings; the earliest is last.
        let mut pending = vec![(subinterval, max_halvings)];
        while let Some((TimeInterval { h, end }, halvings_left)) = pending.pop() {
            let Self { system, solver, state, .. } = self;
            match advance_to(integrator, system, solver, state, h, end) {
                Ok(report) => {
                    self.record_positions(sums, self.state.time, &self.state.positions);
                    sums.add_accepted(report);
                }
                Err(error) => {
                    let retry = Retry::after_failure(&error, halvings_left == 0).ok_or(error)?;
                    sums.retries.push((retry, h));
                    let (half, middle) = (h / 2.0, state.time + h / 2.0);
                    let halves = [end, middle].map(|end| TimeInterval { h: half, end });
                    pending.extend(halves.map(|half| (half, halvings_left - 1)));
                }
            }
        }
        Ok(())
    }

    /// Extends the bounding boxes of the surfaces by these positions (m) of all nodes at a `time` (s).
    fn record_positions(&self, sums: &mut SubstepSums, time: f64, positions: &[Vec3]) {
        sums.times.push(time);
        for (k, swept) in sums.swept.iter_mut().enumerate() {
            swept.add(&positions[self.system.nodes(k)]);
        }
    }

    /// Returns the bounding box of the points of each surface at the present positions.
    fn extents(&self) -> Vec<Extent> {
        let surface_extent = |(k, surface): (usize, &Arc<CollisionMesh>)| {
            Extent::at_rest(surface.clone(), &self.state.positions[self.system.nodes(k)])
        };
        self.surfaces.iter().enumerate().map(surface_extent).collect()
    }
}

/// Joints indexed by the first of their bodies, so that an island finds its own joints directly.
#[derive(Debug, Default)]
pub(super) struct JointList {
    joints: Vec<WorldJoint>,
    /// Indices, ascending, of the joints with each first body.
    indices_by_first_body: BTreeMap<usize, Vec<usize>>,
}

impl JointList {
    /// Indexes these joints and keeps their order.
    pub(super) fn new(joints: Vec<WorldJoint>) -> Self {
        let mut indices_by_first_body: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, joint) in joints.iter().enumerate() {
            indices_by_first_body.entry(joint.bodies[0]).or_default().push(index);
        }
        Self { joints, indices_by_first_body }
    }

    /// Iterates over all joints.
    pub(super) fn iter(&self) -> impl Iterator<Item = &WorldJoint> {
        self.joints.iter()
    }

    /// Iterates over the joints whose first body is among `bodies`, in the order of the list.
    fn with_first_body_in(&self, bodies: &[usize]) -> impl Iterator<Item = &WorldJoint> {
        let index_lists = bodies.iter().filter_map(|body| self.indices_by_first_body.get(body));
        let mut indices: Vec<usize> = index_lists.flatten().copied().collect();
        indices.sort_unstable();
        indices.into_iter().map(|index| &self.joints[index])
    }
}

/// Adds the joints between the bodies of an island to its system.
fn with_joints(system: System, group: &IslandBodies, joints: &JointList) -> System {
    match joints_between(&system, group, joints) {
        Some(joints) => system.with_coupling(joints),
        None => system,
    }
}

/// Returns the joints between the simulated bodies of an island, or `None` if there are none.
pub(super) fn joints_between(
    system: &System,
    group: &IslandBodies,
    joints: &JointList,
) -> Option<Joints> {
    let joint_body = |b: &usize| {
        let body = group.bodies.binary_search(b).ok()?;
        Some(JointBody { body, first_node: system.nodes(body).start })
    };
    let inner_joints = joints.with_first_body_in(&group.bodies).filter_map(
        |WorldJoint { shape, bodies: [a, b] }| {
            Some(Joint { shape: shape.clone(), bodies: [joint_body(a)?, joint_body(b)?] })
        },
    );
    let inner_joints: Vec<Joint> = inner_joints.collect();
    (!inner_joints.is_empty()).then(|| Joints::new(inner_joints))
}

/// Whether an attempted substep was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttemptOutcome {
    Accepted,
    Rejected,
}

/// Sums and records over the substeps of an island; see [`Advance`].
struct SubstepSums {
    /// The sum of the reports; `None` before the first.
    report: Option<StepReport>,
    smallest_step: f64,
    last_step_speed: f64,
    swept: Vec<Extent>,
    times: Vec<f64>,
    retries: Vec<(Retry, f64)>,
}

impl SubstepSums {
    /// Adds the report of an accepted substep.
    fn add_accepted(&mut self, report: StepReport) {
        self.smallest_step = self.smallest_step.min(report.step);
        self.last_step_speed = self.last_step_speed.max(report.solve.last_step / report.step);
        self.add_report(report);
    }

    /// Adds a report, except for the length of its substep. Rejected substeps contribute only the cost of the solver.
    fn add_report(&mut self, report: StepReport) {
        let repeats = report.repeats.iter();
        self.retries.extend(repeats.map(|&(repeat, step)| (Retry::from(repeat), step)));
        self.report = Some(match self.report.take() {
            None => report,
            Some(mut sum) => {
                sum.solve.absorb(&report.solve);
                let add = |sums: &mut Vec<f64>, terms: &[f64]| {
                    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                };
                add(&mut sum.dissipated, &report.dissipated);
                add(&mut sum.plastic, &report.plastic);
                add(&mut sum.damping, &report.damping);
                add(&mut sum.contact_damping, &report.contact_damping);
                add(&mut sum.contact, &report.contact);
                add(&mut sum.rest_loss, &report.rest_loss);
                add(&mut sum.motion, &report.motion);
                add(&mut sum.work, &report.work);
                StepReport { alphas: report.alphas, resting: report.resting, ..sum }
            }
        });
    }
}

/// Largest island (number of nodes) whose solver is rebuilt in each step: two affine bodies. For 2,000 affine
/// cubes, 512 such solvers took 16 KiB each, more than all other data of a cube.
const MAX_REBUILT_NODES: usize = 2 * AFFINE_NODES;

/// Solvers of islands, kept because they cache the patterns of their systems. Results do not depend on their state.
#[derive(Debug)]
pub(super) struct Solvers {
    /// The settings of new solvers.
    settings: WorldSettings,
    interrupt: Interrupt,
    /// The solvers that no island uses at present.
    unused: BTreeMap<IslandBodies, StageSolver>,
}

impl Solvers {
    /// Creates an empty cache, whose solvers will poll `interrupt`.
    pub(super) fn new(settings: &WorldSettings, interrupt: &Interrupt) -> Self {
        Self { settings: *settings, interrupt: interrupt.clone(), unused: BTreeMap::new() }
    }

    /// Removes the solver of an island from the cache, or creates one.
    fn take(&mut self, group: &IslandBodies) -> StageSolver {
        let WorldSettings { tolerance, friction_rounds, dirichlet_tolerance, method, .. } =
            self.settings;
        let new = || {
            StageSolver::new(tolerance, method)
                .with_friction_rounds(friction_rounds)
                .with_dirichlet_tolerance(dirichlet_tolerance)
                .with_interrupt(&self.interrupt)
        };
        self.unused.remove(group).unwrap_or_else(new)
    }

    /// Returns the solver of an island with this number of nodes to the cache. Those of small islands are dropped
    /// ([`MAX_REBUILT_NODES`]).
    fn put(&mut self, group: IslandBodies, solver: StageSolver, nodes: usize) {
        if nodes > MAX_REBUILT_NODES {
            self.unused.insert(group, solver);
        }
    }

    /// Removes the solvers of all islands except `groups`, which must be sorted. In a heap of bodies islands change in
    /// nearly every step. With solvers kept for three more steps, the first 200 steps of `scenes/dice.ron` took a fifth
    /// more memory, and the same time within noise.
    pub(super) fn retain(&mut self, groups: &[IslandBodies]) {
        self.unused.retain(|group, _| groups.binary_search(group).is_ok());
    }
}
