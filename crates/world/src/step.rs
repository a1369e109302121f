//! One step of the world.

use super::arcs::{self, PrescribedMotions};
use super::collide::Collisions;
use super::intact::{Surroundings, WithoutSlip};
use super::island::{Advance, Island, IslandError, SolvedIsland, TimeInterval, joined_system};
use super::island_graph::{IslandBodies, IslandGraph};
use super::observe::{InvertedBody, StepRecord};
use super::retry::{Retried, Retry};
use super::standby::with_standby;
use super::{TooFast, World, WorldBody, kinematic};
use rayon::prelude::*;
use resile_contact::Role;
use resile_contact::neighbours::Sweep;
use resile_integrators::{Scope, StepError};
use resile_solver::SolveError;
use resile_system::{State, System, Vec3};
use resile_watch::{Cause, Interrupt};
use std::collections::BTreeSet;
use std::fmt;

/// Number of islands whose systems and solvers are in memory at a time: enough work for all threads.
const ISLANDS_AT_ONCE: usize = 256;

/// Error of a step. The world is unchanged.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StepFailure {
    /// The step failed despite all halvings.
    #[error(
        "{} could not be advanced, even in {substeps} substeps: {cause}{}",
        list_names(bodies),
        place.as_ref().map_or_else(String::new, |place| format!(" ({place})"))
    )]
    Unsolved {
        /// Bodies of the island that failed.
        bodies: Vec<String>,
        /// Number of substeps of the last attempt.
        substeps: u64,
        /// Error of the last attempt.
        cause: StepError,
        /// Where it failed, if known.
        place: Option<Box<NodePlace>>,
    },
    /// The energy of a body is infinite or NaN.
    #[error(
        "the energy of {body} would be infinite or not a number at t = {time:.6} s: it is too fast, \
         too far away, or the method is unstable at this step"
    )]
    Overflow {
        /// The body.
        body: String,
        /// End of the step (s).
        time: f64,
    },
    /// The final state is not certified to be free of inverted elements that a material forbids. Methods with step
    /// bounds do not reach such states.
    #[error(
        "no proof that all elements of {body} stay uninverted up to t = {time:.6} s: the lower bound of \
         det F is {min_det_f:.3e}"
    )]
    Inverted {
        /// The body.
        body: String,
        /// Lower bound of det F in the body.
        min_det_f: f64,
        /// End of the step (s).
        time: f64,
    },
    /// The interrupt was raised.
    #[error(
        "{cause} while {} {} solved: Newton iteration {iteration}, {pairs} pairs in contact or near it",
        list_names(bodies),
        if bodies.len() == 1 { "was" } else { "were" }
    )]
    Interrupted {
        /// Cause of the interrupt.
        cause: Cause,
        /// Bodies of the island with the most iterations among those being solved.
        bodies: Vec<String>,
        /// Newton iteration of this island, from 1; 0 before the first.
        iteration: usize,
        /// Number of candidate pairs of its surfaces.
        pairs: usize,
    },
    /// A body moves on an arc that requires too many pieces.
    #[error(transparent)]
    TooFast(#[from] TooFast),
}

/// A node of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct NodePlace {
    /// Name of the body.
    pub body: String,
    /// Number of the node in the body, from zero.
    pub node: usize,
    /// Its position (m).
    pub position: Vec3,
}

impl fmt::Display for NodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { body, node, position: Vec3 { x, y, z } } = self;
        write!(f, "at node {node} of \"{body}\", ({x:.4}, {y:.4}, {z:.4}) m")
    }
}

/// The names of the first bodies and the number of the others, for messages.
fn list_names(bodies: &[String]) -> String {
    const MAX_LISTED: usize = 4;
    let first: Vec<String> =
        bodies.iter().take(MAX_LISTED).map(|name| format!("\"{name}\"")).collect();
    match bodies.len().saturating_sub(MAX_LISTED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Progress of the solve of an island when it was interrupted.
#[derive(Default)]
struct Progress<'a> {
    /// Simulated bodies of the island, by their indices in the world.
    bodies: &'a [usize],
    /// Newton iteration, from 1; 0 before the first.
    iteration: usize,
    /// Number of candidate pairs.
    pairs: usize,
}

impl<'a> Progress<'a> {
    /// The progress of an island; zero unless its solve was interrupted.
    fn new(island: &'a SolvedIsland) -> Self {
        let bodies = &island.group.bodies;
        match island.outcome {
            Err(IslandError::Unsolved(StepError::Solve {
                cause: SolveError::Interrupted { iteration, pairs, .. },
                ..
            })) => Self { bodies, iteration, pairs },
            _ => Self { bodies, iteration: 0, pairs: 0 },
        }
    }
}

impl World {
    /// Advances all bodies by `h` to the time `end`, which is the present time plus `h` up to rounding.
    ///
    /// # Errors
    /// If an island could not be advanced, or [the interrupt was raised](Self::watch); the world is then unchanged.
    ///
    /// # Panics
    /// Where a term or an integrator does. The world is then unchanged, too, if what panicked keeps no state of its
    /// own.
    pub fn step(&mut self, h: f64, end: f64) -> Result<StepRecord, StepFailure> {
        let without_slip = WithoutSlip::new(self);
        let record = without_slip.world.step_keeping_slip(h, end)?;
        without_slip.make_permanent();
        Ok(record)
    }

    /// A [`step`](Self::step) that reads the slip reference in the memory of bodies, instead of removing it.
    pub(super) fn step_keeping_slip(
        &mut self,
        h: f64,
        end: f64,
    ) -> Result<StepRecord, StepFailure> {
        // The step runs on a thread of the pool. On another thread each of its thousands of small parallel sections
        // would be handed over to the pool, and the thread would wait for it.
        let nodes = self.members.iter().map(|member| member.state.positions.len()).sum();
        with_standby(nodes, || self.step_in_pool(TimeInterval { h, end }))
    }

    /// Takes a step over the interval `step`; must be called on a thread of the pool. Islands whose sweeps overlap are
    /// merged and solved again until none do.
    fn step_in_pool(&mut self, step: TimeInterval) -> Result<StepRecord, StepFailure> {
        let path_cuts = self.path_cuts(step)?;
        let mut graph = self.predicted_islands(step.h, &path_cuts);
        let trace_length = self.trace.as_ref().map_or(0, Vec::len);
        let mut solved = Vec::new();
        self.solve_missing(&mut solved, graph.groups(), step);
        let mut merges = Vec::new();
        while !self.interrupt.is_raised() && self.join_conflicting(&solved, &mut graph, &path_cuts)
        {
            let new_groups = graph
                .groups()
                .into_iter()
                .filter(|group| solved.iter().all(|island| island.group != *group));
            merges.extend(new_groups.map(|IslandBodies { bodies, .. }| Retried {
                retry: Retry::Merge,
                bodies,
                step: step.h,
            }));
            self.solve_missing(&mut solved, graph.groups(), step);
        }
        let mut record = self.commit(solved, &path_cuts, step)?;
        record.retries.splice(..0, merges);
        self.mark_accepted(trace_length, &record.islands);
        Ok(record)
    }

    /// Makes `solved` the results of the islands `groups` over a `step`, ordered by their first body: removes the results
    /// of other islands and advances the islands that are missing. After an interrupt some stay missing.
    fn solve_missing(
        &mut self,
        solved: &mut Vec<SolvedIsland>,
        groups: Vec<IslandBodies>,
        step: TimeInterval,
    ) {
        self.solvers.retain(&groups);
        let mut unsolved: BTreeSet<IslandBodies> = groups.into_iter().collect();
        solved.retain(|island| unsolved.remove(&island.group));
        let missing: Vec<IslandBodies> = unsolved.into_iter().collect();
        for chunk in missing.chunks(ISLANDS_AT_ONCE) {
            if self.interrupt.is_raised() {
                break;
            }
            let mut islands = self.advance_islands(chunk, step);
            self.record_solves(&mut islands);
            solved.extend(islands);
        }
        solved.sort_by_key(|island| island.group.bodies[0]);
    }

    /// Advances these islands by a `step` in parallel.
    fn advance_islands(
        &mut self,
        groups: &[IslandBodies],
        step: TimeInterval,
    ) -> Vec<SolvedIsland> {
        let subintervals_by_island: Vec<_> =
            groups.iter().map(|group| self.subintervals(&group.all_bodies(), step)).collect();
        let interrupt = self.interrupt.clone();
        let (collisions, joints) = (self.collisions.as_ref(), &self.joints);
        let surroundings = Surroundings { collisions, joints, interrupt };
        let solvers = &mut self.solvers;
        let gather = |group: &IslandBodies| {
            Island::gather(group.clone(), &self.members, &surroundings, solvers)
        };
        let mut islands: Vec<Island> = groups.iter().map(gather).collect();
        let is_traced = self.trace.is_some();
        islands.iter_mut().for_each(|island| island.trace(is_traced));
        let (integrator, settings) = (&*self.integrator, &self.settings);
        let job = |island: &Island| self.activity.begin(|| list_names(&island.names()));
        islands.par_iter_mut().zip(subintervals_by_island).for_each(|(island, subintervals)| {
            match subintervals {
                Ok(list) => island.advance(integrator, settings, &list, &job(island)),
                Err(too_fast) => island.reject(too_fast),
            }
        });
        islands.into_iter().map(|island| island.finish(&mut self.solvers)).collect()
    }

    /// Evaluates a nodal quantity in each island in the present state and returns it by body. For bodies that belong to
    /// no island (kinematic bodies) it is that of `default`.
    pub(super) fn map_islands(
        &self,
        default: impl Fn(&WorldBody) -> Vec<Vec3>,
        evaluate: impl Fn(System, &State) -> Vec<Vec<Vec3>>,
    ) -> Vec<Vec<Vec3>> {
        let mut by_body: Vec<Vec<Vec3>> = self.members.iter().map(default).collect();
        self.for_each_island(|group, system, state| {
            let values = evaluate(system, state);
            group.bodies.iter().zip(values).for_each(|(&b, body_values)| by_body[b] = body_values);
        });
        by_body
    }

    /// Calls `visit` for each island in the present state, with its system.
    pub(super) fn for_each_island(&self, mut visit: impl FnMut(&IslandBodies, System, &State)) {
        let (collisions, joints) = (self.collisions.as_ref(), &self.joints);
        // Observations are complete even after an interrupt.
        let surroundings = Surroundings { collisions, joints, interrupt: Interrupt::new() };
        for group in self.predicted_islands(0.0, &[]).groups() {
            let (system, state) = joined_system(&group, &self.members, &surroundings);
            visit(&group, system, &state);
        }
    }

    /// Indices of the kinematic bodies.
    pub(super) fn kinematic_bodies(&self) -> Vec<usize> {
        let bodies = 0..self.members.len();
        bodies.filter(|&b| self.members[b].role == Role::Kinematic).collect()
    }

    /// Times (s) within a `step` at which the path of each kinematic body is cut; empty for simulated bodies and for
    /// paths without cuts.
    fn path_cuts(&self, step: TimeInterval) -> Result<Vec<Vec<f64>>, TooFast> {
        let body_cuts = |(b, member): (usize, &WorldBody)| match member.role {
            Role::Simulated => Ok(Vec::new()),
            Role::Kinematic => {
                let subintervals = self.subintervals(&[b], step)?;
                let inner_count = subintervals.len() - 1;
                Ok(subintervals[..inner_count].iter().map(|part| part.end).collect())
            }
        };
        self.members.iter().enumerate().map(body_cuts).collect()
    }

    /// The subintervals of a `step` for these bodies together, cut such that prescribed motions are nearly straight in
    /// each.
    fn subintervals(
        &self,
        bodies: &[usize],
        step: TimeInterval,
    ) -> Result<Vec<TimeInterval>, TooFast> {
        let motions: Vec<&PrescribedMotions> =
            bodies.iter().map(|&b| &self.members[b].prescribed).collect();
        let is_moving = motions.iter().any(|motion| !motion.is_empty());
        let Some(collisions) = self.collisions.as_ref().filter(|_| is_moving) else {
            return Ok(vec![step]);
        };
        let limit = arcs::limit(collisions.barrier.d_hat);
        let start = self.members[bodies[0]].state.time;
        let times = [start, step.end];
        match arcs::pieces(&motions, times, limit) {
            // Without a cut the length is bitwise that of the step.
            Some(ends) if ends.len() == 1 => Ok(vec![step]),
            Some(ends) => {
                let starts = [start].into_iter().chain(ends.iter().copied());
                let subinterval = |(start, &end)| TimeInterval { h: end - start, end };
                Ok(starts.zip(&ends).map(subinterval).collect())
            }
            None => Err(arcs::fastest(&motions, times, limit)),
        }
    }

    /// The graph of islands for a step of `h` (s), before it is solved. Bodies are joined if joints connect them, or if
    /// their sweeps overlap: simulated bodies are predicted to continue in free fall, and kinematic ones follow their
    /// paths, which are cut at `cuts`.
    pub(super) fn predicted_islands(&self, h: f64, cuts: &[Vec<f64>]) -> IslandGraph {
        let mut graph = IslandGraph::new(self.members.iter().map(|member| member.role).collect());
        self.joints.iter().for_each(|joint| graph.join(joint.bodies[0], joint.bodies[1]));
        match (self.integrator.scope(), &self.collisions) {
            (Scope::Scene, _) => graph.join_all(),
            (Scope::Island, None) => {}
            (Scope::Island, Some(collisions)) => {
                let indexed_members = self.members.iter().enumerate();
                let predicted_sweeps =
                    indexed_members.map(|(b, WorldBody { state, role, .. })| match role {
                        Role::Simulated => collisions.predicted_sweep(b, state, h),
                        Role::Kinematic => {
                            self.kinematic_sweep(collisions, b, cuts, &[state.time, state.time + h])
                        }
                    });
                let sweeps: Vec<_> = predicted_sweeps.map(Some).collect();
                collisions.join_overlapping(&sweeps, &mut graph);
            }
        }
        graph
    }

    /// The sweep of the kinematic body `body` at these times (s), on the straight paths between them, and on its
    /// prescribed path if that is cut.
    fn kinematic_sweep(
        &self,
        collisions: &Collisions,
        body: usize,
        cuts: &[Vec<f64>],
        times: &[f64],
    ) -> Sweep<'static> {
        let body_cuts = cuts.get(body).map_or(&[][..], |times| times);
        let deviation =
            if body_cuts.is_empty() { 0.0 } else { arcs::limit(collisions.barrier.d_hat) };
        let all_times = [times, body_cuts].concat();
        collisions.kinematic_sweep(body, &self.members[body].body, &all_times, deviation)
    }

    /// Joins islands of `graph` whose solved motions came too close to each other, or to a kinematic body of which they
    /// have no copy. The paths of kinematic bodies are cut at `cuts`. Returns whether the islands changed.
    fn join_conflicting(
        &self,
        islands: &[SolvedIsland],
        graph: &mut IslandGraph,
        cuts: &[Vec<f64>],
    ) -> bool {
        let Some(collisions) = &self.collisions else { return false };
        let mut sweeps: Vec<_> = (0..self.members.len()).map(|_| None).collect();
        let mut substep_times = Vec::new();
        for island in islands {
            if let Ok(advance) = &island.outcome {
                for (k, &b) in island.group.bodies.iter().enumerate() {
                    sweeps[b] = Some(collisions.sweep(b, &advance.swept[k]));
                }
                substep_times.extend_from_slice(&advance.times);
            }
        }
        // In each island a kinematic body moves straight between the ends of substeps. Its box over the ends of all
        // islands contains all these paths.
        substep_times.sort_by(f64::total_cmp);
        substep_times.dedup();
        if !substep_times.is_empty() {
            for b in self.kinematic_bodies() {
                sweeps[b] = Some(self.kinematic_sweep(collisions, b, cuts, &substep_times));
            }
        }
        let groups_before = graph.groups();
        collisions.join_overlapping(&sweeps, graph);
        graph.groups() != groups_before
    }

    /// The error of an interrupted step, with the bodies of the island with the most iterations among `islands`.
    fn interruption(&self, cause: Cause, islands: &[SolvedIsland]) -> StepFailure {
        let most_advanced = islands
            .iter()
            .map(Progress::new)
            .reduce(|first, next| if next.iteration > first.iteration { next } else { first });
        let Progress { bodies, iteration, pairs } = most_advanced.unwrap_or_default();
        let bodies = bodies.iter().map(|&b| self.name(b).to_owned()).collect();
        StepFailure::Interrupted { cause, bodies, iteration, pairs }
    }

    /// Accepts the results of a step as the state of the world and returns its record, if every island succeeded and all
    /// end states have finite energies and no forbidden inversion. Otherwise the world is unchanged. The paths of
    /// kinematic bodies are cut at `cuts`.
    fn commit(
        &mut self,
        mut islands: Vec<SolvedIsland>,
        cuts: &[Vec<f64>],
        TimeInterval { h, end }: TimeInterval,
    ) -> Result<StepRecord, StepFailure> {
        // Checked once for all islands: results computed after the interrupt was raised may be wrong.
        if let Some(cause) = self.interrupt.cause() {
            return Err(self.interruption(cause, &islands));
        }
        self.check_end_states(&islands, end)?;
        if let Some(index) = islands.iter().position(|island| island.outcome.is_err()) {
            let SolvedIsland { group, outcome, .. } = islands.swap_remove(index);
            return Err(outcome.map_or_else(
                |error| self.island_failure(&group, error, h),
                |_| unreachable!("the outcome is an error"),
            ));
        }
        islands.iter_mut().for_each(|island| island.accept(&mut self.members));
        for (WorldBody { body, state, role, .. }, body_cuts) in self.members.iter_mut().zip(cuts) {
            if *role == Role::Kinematic {
                kinematic::move_along_path(body, state, body_cuts, h, end);
            }
        }
        let (groups, advances): (Vec<IslandBodies>, Vec<Advance>) = islands
            .into_iter()
            .filter_map(|island| Some((island.group, island.outcome.ok()?)))
            .unzip();
        let islands = groups.iter().map(|group| &group.bodies).zip(advances);
        let mut record = StepRecord::new(self.members.len(), h, islands);
        record.observed.add_kinematic(&self.kinematic_bodies());
        self.release(&mut record);
        Ok(record)
    }

    /// Checks that the end states, at the time `end` (s), of all islands that succeeded have finite energies and no
    /// forbidden inversion.
    fn check_end_states(&self, islands: &[SolvedIsland], end: f64) -> Result<(), StepFailure> {
        let overflowing_body =
            islands.iter().find_map(|SolvedIsland { group, outcome, .. }| {
                let body = outcome.as_ref().ok()?.observation.body_of_infinite_energy()?;
                group.bodies.get(body).copied()
            });
        if let Some(body) = overflowing_body {
            return Err(StepFailure::Overflow { body: self.name(body).to_owned(), time: end });
        }
        let inverted_body = islands.iter().find_map(|SolvedIsland { group, outcome, .. }| {
            let InvertedBody { body, min_det_f } = outcome.as_ref().ok()?.observation.inverted?;
            Some(InvertedBody { body: *group.bodies.get(body)?, min_det_f })
        });
        if let Some(InvertedBody { body, min_det_f }) = inverted_body {
            let body = self.name(body).to_owned();
            return Err(StepFailure::Inverted { body, min_det_f, time: end });
        }
        Ok(())
    }

    /// The error of a step of `h` (s) in which an island failed.
    fn island_failure(&self, group: &IslandBodies, error: IslandError, h: f64) -> StepFailure {
        match error {
            IslandError::TooFast(too_fast) => too_fast.into(),
            IslandError::Unsolved(cause) => StepFailure::Unsolved {
                bodies: group.bodies.iter().map(|&b| self.name(b).to_owned()).collect(),
                substeps: (h / cause.step()).round() as u64,
                place: cause.node().and_then(|node| self.place_in_island(group, node)),
                cause,
            },
        }
    }

    /// The body and the position of a node of the system of an island; `None` for nodes of kinematic bodies.
    fn place_in_island(
        &self,
        group: &IslandBodies,
        node_in_island: usize,
    ) -> Option<Box<NodePlace>> {
        let mut node = node_in_island;
        for &b in &group.bodies {
            let WorldBody { body, state, .. } = &self.members[b];
            if let Some(position) = state.positions.get(node) {
                let body = body.name.clone();
                return Some(Box::new(NodePlace { body, node, position: *position }));
            }
            node -= state.positions.len();
        }
        None
    }
}
