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
use resile_system::{Body, State, System, Vec3};
use resile_watch::{Interrupt, Job};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An island before, during and after its step.
pub(super) struct Island {
    /// Bodies of the island. Copies of kinematic bodies come last in the system.
    pub(super) group: IslandBodies,
    pub(super) system: System,
    pub(super) state: State,
    /// Surfaces of the simulated bodies; empty without contact.
    surfaces: Vec<Arc<CollisionMesh>>,
    solver: StageSolver,
    outcome: Option<Result<Advance, IslandError>>,
}

/// Result of the step of an island, without its system and solver.
pub(super) struct Solved {
    pub(super) group: IslandBodies,
    /// Final states of its simulated bodies.
    states: Vec<State>,
    pub(super) outcome: Result<Advance, IslandError>,
    /// Records of its solves, if tracing is on.
    pub(super) solves: Vec<TracedSolve>,
}

impl Solved {
    /// Sets the new states of the bodies.
    pub(super) fn accept(&mut self, members: &mut [WorldBody]) {
        for (&b, state) in self.group.bodies.iter().zip(self.states.drain(..)) {
            members[b].state = state;
        }
    }
}

/// The state of the bodies of an island; kinematic bodies come last.
pub(super) fn joined_state(group: &IslandBodies, members: &[WorldBody]) -> State {
    let mut state = State::join(group.bodies.iter().map(|&b| &members[b].state));
    for WorldBody { body, state: member_state, .. } in group.kinematic.iter().map(|&b| &members[b])
    {
        kinematic::append(&mut state, body, member_state);
    }
    state
}

/// The system of an island and its state; kinematic bodies come last.
pub(super) fn joined(
    group: &IslandBodies,
    members: &[WorldBody],
    &Surroundings { collisions, joints, ref interrupt }: &Surroundings<'_>,
) -> (System, State) {
    let state = joined_state(group, members);
    let mut bodies: Vec<Body> = group.bodies.iter().map(|&b| members[b].body.clone()).collect();
    bodies.extend(group.kinematic.iter().map(|&b| kinematic::copy(&members[b].body)));
    let mut system = System::new(bodies);
    system.set_internal(&state.internal, state.time);
    if let Some(collisions) = collisions {
        system = collisions.couple(system, &state, &group.all(), interrupt);
    }
    (join_bodies(system, group, joints), state)
}

/// Forces (N) of all terms on the nodes of each body.
pub(super) fn net_forces(mut system: System, state: &State) -> Vec<Vec<Vec3>> {
    let mut gradient = system.at(&state.positions).gradient(state.time, &state.positions);
    system.lagged(state).add_gradient(state.time, &state.velocities, 1.0, &mut gradient);
    let of_body = |k| gradient[system.nodes(k)].iter().map(|g| -*g).collect();
    (0..system.bodies().len()).map(of_body).collect()
}

/// Why an island could not be advanced.
pub(super) enum IslandError {
    Unsolved(StepError),
    TooFast(TooFast),
}

/// Result of a successful step of an island.
pub(super) struct Advance {
    pub(super) report: StepReport,
    /// Smallest substep (s).
    pub(super) smallest_step: f64,
    /// Extents of the points of each surface over the ends of (sub)steps, between which they move on straight
    /// lines.
    pub(super) swept: Vec<Extent>,
    /// End times of these (sub)steps (s).
    pub(super) times: Vec<f64>,
    /// Retries, with the lengths of the substeps (s).
    pub(super) retries: Vec<(Retry, f64)>,
    pub(super) observation: IslandObservation,
}

impl Island {
    /// Copies the bodies of `members` into one system.
    pub(super) fn gather(
        group: IslandBodies,
        members: &[WorldBody],
        surroundings: &Surroundings<'_>,
        solvers: &mut Solvers,
    ) -> Self {
        let (system, state) = joined(&group, members, surroundings);
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

    /// The result of the step. The solver is returned to `solvers`.
    pub(super) fn finish(self, solvers: &mut Solvers) -> Solved {
        let Self { group, system, state, mut solver, outcome, .. } = self;
        let solves = solver.take_solves();
        let of_body = |k| state.part(system.nodes(k), k);
        let states = (0..group.bodies.len()).map(of_body).collect();
        solvers.put(group.clone(), solver, state.positions.len());
        let outcome = outcome.expect("the island was advanced");
        Solved { group, states, outcome, solves }
    }

    /// Advances through `pieces`, each given by its length and end time (s). Each piece takes one step, or as many
    /// as the error control requires; failed steps are halved repeatedly. Reports progress to `job`.
    pub(super) fn advance(
        &mut self,
        integrator: &dyn Integrator,
        settings: &WorldSettings,
        pieces: &[[f64; 2]],
        job: &Job,
    ) {
        self.solver.set_progress(job);
        let mut progress = SubstepSums {
            report: None,
            smallest_step: pieces.iter().map(|[h, _]| *h).fold(f64::INFINITY, f64::min),
            swept: self.extents(),
            times: vec![self.state.time],
            retries: Vec::new(),
        };
        let result = pieces.iter().try_for_each(|&piece| match settings.adaptive {
            None => self.advance_in_halves(integrator, piece, settings.max_halvings, &mut progress),
            Some(adaptive) => self.advance_adaptively(integrator, &adaptive, piece, &mut progress),
        });
        self.system.set_internal(&self.state.internal, self.state.time);
        self.outcome = Some(result.map_err(IslandError::Unsolved).map(|()| Advance {
            report: progress.report.expect("a step that succeeded has a report"),
            smallest_step: progress.smallest_step,
            swept: progress.swept,
            times: progress.times,
            retries: progress.retries,
            observation: observe(&mut self.system, &self.state, integrator),
        }));
        self.solver.set_progress(&Job::default());
    }

    /// Switches the recording of solves on or off.
    pub(super) fn trace(&mut self, on: bool) {
        self.solver.trace(on);
    }

    /// Fails the step before it begins.
    pub(super) fn reject(&mut self, too_fast: TooFast) {
        self.outcome = Some(Err(IslandError::TooFast(too_fast)));
    }

    /// Advances by `h` to the time `end` with error-controlled steps, equal ones up to each intermediate stop.
    fn advance_adaptively(
        &mut self,
        integrator: &dyn Integrator,
        adaptive: &Adaptive,
        [h, end]: [f64; 2],
        progress: &mut SubstepSums,
    ) -> Result<(), StepError> {
        let mut stop = adaptive.next_stop(&self.system, self.state.time, end);
        let mut left = if stop == end { h } else { stop - self.state.time };
        loop {
            let step = adaptive::next_step(left, self.state.suggested_step);
            let next_time = if step == left { stop } else { self.state.time + step };
            match self.advance_once(integrator, adaptive, [step, next_time], progress)? {
                Taken::No => {}
                Taken::Yes if step < left => left -= step,
                Taken::Yes if stop == end => return Ok(()),
                Taken::Yes => {
                    let start = self.state.time;
                    stop = adaptive.next_stop(&self.system, start, end);
                    left = stop - start;
                }
            }
        }
    }

    /// Attempts a step of `h` (s) to the time `end`. A rejected or failed step suggests a shorter one.
    fn advance_once(
        &mut self,
        integrator: &dyn Integrator,
        adaptive: &Adaptive,
        [h, end]: [f64; 2],
        progress: &mut SubstepSums,
    ) -> Result<Taken, StepError> {
        let Self { system, solver, state, .. } = self;
        let middle_time = state.time + h / 2.0;
        match adaptive::attempt(integrator, adaptive, system, solver, state, h, end) {
            Ok(Attempt::Taken { reports, middle }) => {
                if let Some(middle) = middle {
                    self.note_extents(progress, middle_time, &middle);
                }
                self.note_extents(progress, self.state.time, &self.state.positions);
                reports.into_iter().for_each(|report| progress.add(report));
                Ok(Taken::Yes)
            }
            Ok(Attempt::Rejected(reports)) => {
                reports.into_iter().for_each(|report| progress.add_work_of(report));
                Ok(Taken::No)
            }
            Err(error) => {
                let retry = Retry::after_failure(&error, adaptive.is_shortest(h)).ok_or(error)?;
                progress.retries.push((retry, h));
                self.state.suggested_step = Some((h / 2.0).max(adaptive.shortest));
                Ok(Taken::No)
            }
        }
    }

    /// Advances by `h` to the time `end` in one step; failed steps are halved.
    fn advance_in_halves(
        &mut self,
        integrator: &dyn Integrator,
        piece: [f64; 2],
        halvings: u32,
        progress: &mut SubstepSums,
    ) -> Result<(), StepError> {
        let mut pending = vec![(piece, halvings)];
        while let Some(([h, end], halvings)) = pending.pop() {
            let Self { system, solver, state, .. } = self;
            match advance_to(integrator, system, solver, state, h, end) {
                Ok(report) => {
                    self.note_extents(progress, self.state.time, &self.state.positions);
                    progress.add(report);
                }
                Err(error) => {
                    let retry = Retry::after_failure(&error, halvings == 0).ok_or(error)?;
                    progress.retries.push((retry, h));
                    let (half, middle) = (h / 2.0, state.time + h / 2.0);
                    pending.extend([[half, end], [half, middle]].map(|part| (part, halvings - 1)));
                }
            }
        }
        Ok(())
    }

    fn note_extents(&self, progress: &mut SubstepSums, time: f64, positions: &[Vec3]) {
        progress.times.push(time);
        for (k, swept) in progress.swept.iter_mut().enumerate() {
            swept.add(&positions[self.system.nodes(k)]);
        }
    }

    fn extents(&self) -> Vec<Extent> {
        let extent_of_surface = |(k, surface): (usize, &Arc<CollisionMesh>)| {
            Extent::at(surface.clone(), &self.state.positions[self.system.nodes(k)])
        };
        self.surfaces.iter().enumerate().map(extent_of_surface).collect()
    }
}

/// Joints indexed by the first of their bodies, so that an island finds its own joints directly.
#[derive(Debug, Default)]
pub(super) struct JointList {
    all: Vec<WorldJoint>,
    /// Indices, ascending, of the joints with this first body.
    of_first: BTreeMap<usize, Vec<usize>>,
}

impl JointList {
    pub(super) fn new(all: Vec<WorldJoint>) -> Self {
        let mut of_first: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, joint) in all.iter().enumerate() {
            of_first.entry(joint.bodies[0]).or_default().push(number);
        }
        Self { all, of_first }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &WorldJoint> {
        self.all.iter()
    }

    /// Joints whose first body is among these, in order.
    fn among(&self, bodies: &[usize]) -> impl Iterator<Item = &WorldJoint> {
        let joints_of_body = bodies.iter().filter_map(|body| self.of_first.get(body));
        let mut numbers: Vec<usize> = joints_of_body.flatten().copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().map(|number| &self.all[number])
    }
}

/// Adds the joints between the bodies of an island.
fn join_bodies(system: System, group: &IslandBodies, joints: &JointList) -> System {
    match joints_between(&system, group, joints) {
        Some(joints) => system.with_coupling(joints),
        None => system,
    }
}

/// The joints between the bodies of an island, if there are any.
pub(super) fn joints_between(
    system: &System,
    group: &IslandBodies,
    joints: &JointList,
) -> Option<Joints> {
    let index = |b: &usize| {
        let body = group.bodies.binary_search(b).ok()?;
        Some(JointBody { body, first_node: system.nodes(body).start })
    };
    let joints_between =
        joints.among(&group.bodies).filter_map(|WorldJoint { shape, bodies: [a, b] }| {
            Some(Joint { shape: shape.clone(), bodies: [index(a)?, index(b)?] })
        });
    let joints_between: Vec<Joint> = joints_between.collect();
    (!joints_between.is_empty()).then(|| Joints::new(joints_between))
}

/// Whether an attempted step was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

/// Sums over substeps.
struct SubstepSums {
    report: Option<StepReport>,
    smallest_step: f64,
    swept: Vec<Extent>,
    times: Vec<f64>,
    retries: Vec<(Retry, f64)>,
}

impl SubstepSums {
    fn add(&mut self, mut report: StepReport) {
        self.smallest_step = self.smallest_step.min(report.step);
        // Converts the residual (m) to a velocity, since substeps differ in length.
        report.solve.residual /= report.step;
        self.add_work_of(report);
    }

    /// Adds a report; the length of its step does not count.
    fn add_work_of(&mut self, report: StepReport) {
        let repeats = report.repeats.iter();
        self.retries.extend(repeats.map(|&(repeat, step)| (Retry::from(repeat), step)));
        self.report = Some(match self.report.take() {
            None => report,
            Some(mut sum) => {
                sum.solve.absorb(&report.solve);
                let add =
                    |a: &mut Vec<f64>, b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
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
const MAX_REBUILT_NODES: usize = 8;

/// Solvers of islands, kept because they cache the patterns of their systems. Results do not depend on their state.
#[derive(Debug)]
pub(super) struct Solvers {
    settings: (f64, u32, resile_solver::Method),
    interrupt: Interrupt,
    idle: BTreeMap<IslandBodies, StageSolver>,
}

impl Solvers {
    /// An empty cache; its solvers poll `interrupt`.
    pub(super) fn new(settings: &WorldSettings, interrupt: &Interrupt) -> Self {
        let settings = (settings.tolerance, settings.friction_rounds, settings.method);
        Self { settings, interrupt: interrupt.clone(), idle: BTreeMap::new() }
    }

    fn take(&mut self, group: &IslandBodies) -> StageSolver {
        let (tolerance, rounds, method) = self.settings;
        let new = || {
            let solver = StageSolver::new(tolerance, method).with_friction_rounds(rounds);
            solver.with_interrupt(&self.interrupt)
        };
        self.idle.remove(group).unwrap_or_else(new)
    }

    /// Keeps the solver of an island if it has more than [`MAX_REBUILT_NODES`] nodes.
    fn put(&mut self, group: IslandBodies, solver: StageSolver, nodes: usize) {
        if nodes > MAX_REBUILT_NODES {
            self.idle.insert(group, solver);
        }
    }

    /// Removes the solvers of all islands except these, which are sorted. The bodies of a heap form new groups all
    /// the time. With solvers kept for three more steps, the first 200 steps of `scenes/dice.ron` took a fifth more
    /// memory, and the same time within noise.
    pub(super) fn keep(&mut self, groups: &[IslandBodies]) {
        self.idle.retain(|group, _| groups.binary_search(group).is_ok());
    }
}
