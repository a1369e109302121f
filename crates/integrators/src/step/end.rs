//! Results of a step.

use super::{GroupAlpha, Heat, Repeat, Rest, Step, accounting, motion};
use crate::error::StepError;
use resile_math::Vec3;
use resile_solver::SolveReport;
use resile_system::{Links, Path, State};

/// The result that a method returns for a step.
#[derive(Debug, Clone)]
pub struct StepEnd {
    /// The state at the end, with the memory of the method. Records of the start are not kept.
    pub state: State,
    /// Heat of friction and damping.
    pub heat: Heat,
    /// The energy (J) that the rule of rest removed from each body.
    pub rest_loss: Vec<f64>,
    /// The criterion by which each body rests; `None` if it moves.
    pub resting: Vec<Option<Rest>>,
    /// The [work](Step::work) on each body (J), if the method has computed it.
    pub work: Option<Vec<f64>>,
    /// For methods that correct energies: each group of bodies and its alpha.
    pub alphas: Vec<GroupAlpha>,
    /// For methods with an error estimate: the largest error (m) that this step added to a coordinate of a free node;
    /// see [`Step::largest_error`].
    pub error: Option<f64>,
    /// The bodies that exchange force at stages within the step, if the method has any.
    pub stage_links: Option<Links>,
    /// Whether each body [bounces or separates](Step::impacted), if the method has determined it.
    pub(crate) impacted: Option<Vec<bool>>,
    /// Whether the velocities are those of the middle of the step, behind by half a step, as under implicit Euler.
    pub(crate) velocities_lag: bool,
}

impl StepEnd {
    /// The end of a step in `state`, with the `heat` of friction and damping.
    pub fn new(state: State, heat: Heat) -> Self {
        let bodies = heat.from_bodies.len();
        let (rest_loss, resting) = (vec![0.0; bodies], vec![None; bodies]);
        Self {
            state,
            heat,
            rest_loss,
            resting,
            work: None,
            alphas: Vec::new(),
            error: None,
            stage_links: None,
            impacted: None,
            velocities_lag: false,
        }
    }

    /// Marks velocities that are those of the middle of the step.
    #[must_use]
    pub(crate) fn with_lagging_velocities(self) -> Self {
        Self { velocities_lag: true, ..self }
    }

    /// Adds an estimate (m) of the error.
    #[must_use]
    pub fn with_error(self, error: f64) -> Self {
        Self { error: Some(error), ..self }
    }
}

/// Report of a step, by body where possible.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The step (s).
    pub step: f64,
    /// The cost of the solver over all stages.
    pub solve: SolveReport,
    /// Heat (J) of friction, damping and plastic flow, from the energy of each body and the work of prescribed motions
    /// on it: the dissipation of all nodes, including prescribed ones.
    pub dissipated: Vec<f64>,
    /// The part of `dissipated` that is the work (J) of plastic flow in each body.
    pub plastic: Vec<f64>,
    /// The part of `dissipated` that is the heat (J) of damping in each body.
    pub damping: Vec<f64>,
    /// The part of `dissipated` that is the heat (J) of contact damping.
    pub contact_damping: Vec<f64>,
    /// The part of `dissipated` that is the heat (J) of impacts with a coefficient of restitution.
    pub contact: Vec<f64>,
    /// Energy (J) of slow motion or unresolved vibrations that the rule of rest removed from each body. Not part of
    /// `dissipated`.
    pub rest_loss: Vec<f64>,
    /// The criterion by which each body rests; `None` if it moves.
    pub resting: Vec<Option<Rest>>,
    /// The kinetic energy of the mean velocity of the free nodes of each body, times the step (J s).
    pub motion: Vec<f64>,
    /// Work (J) of kinematic nodes and moving targets on each body, including that against friction and damping.
    pub work: Vec<f64>,
    /// For methods that correct energies: each group of bodies and its alpha.
    pub alphas: Vec<GroupAlpha>,
    /// The largest error (m) of a coordinate of a free node in this step, for methods that estimate it.
    pub error: Option<f64>,
    /// Repetitions in order, each with the length (s) of its step; empty if the first attempt was accepted.
    pub repeats: Vec<(Repeat, f64)>,
}

impl StepReport {
    /// Replaces the entries of the flagged bodies by those of a `repeated` step, which also gives the cost.
    pub(crate) fn replace_bodies(&mut self, bodies: &[bool], repeated: Self) {
        replace(bodies, &mut self.dissipated, &repeated.dissipated);
        replace(bodies, &mut self.plastic, &repeated.plastic);
        replace(bodies, &mut self.damping, &repeated.damping);
        replace(bodies, &mut self.contact_damping, &repeated.contact_damping);
        replace(bodies, &mut self.contact, &repeated.contact);
        replace(bodies, &mut self.rest_loss, &repeated.rest_loss);
        replace(bodies, &mut self.resting, &repeated.resting);
        replace(bodies, &mut self.motion, &repeated.motion);
        replace(bodies, &mut self.work, &repeated.work);
        self.solve = repeated.solve;
        self.error = match (self.error, repeated.error) {
            (Some(error), Some(repeated_error)) => Some(error.max(repeated_error)),
            (error, repeated_error) => error.or(repeated_error),
        };
    }
}

/// Replaces the entries of the flagged bodies by those of `source`.
fn replace<T: Clone>(bodies: &[bool], target: &mut [T], source: &[T]) {
    for (b, _) in bodies.iter().enumerate().filter(|(_, flagged)| **flagged) {
        target[b].clone_from(&source[b]);
    }
}

impl Step<'_> {
    /// Work (J) of prescribed motion and moving targets on each body on the path to the end `x` (m), excluding work
    /// against friction and damping, in the frames in which energies are measured. The system must be prepared at
    /// `x`, and is prepared there afterwards.
    pub fn work(&mut self, x: &[Vec3]) -> Vec<f64> {
        let path = Path { from: &self.state.positions, to: x };
        let times = [self.state.time, self.end_time()];
        accounting::work(&mut self.system, path, times, &self.co_moving)
    }

    /// Transforms [`work`](Self::work) from the frames in which energies are measured to that of the ground, for a step
    /// to the state `end` with the `heat` of friction and damping. `correction` (J) is the part of `work` that is not along
    /// the displacements, and the same in all frames; empty if there is none.
    pub(crate) fn work_in_ground_frame(
        &self,
        work: &[f64],
        correction: &[f64],
        end: &State,
        heat: &Heat,
    ) -> Vec<f64> {
        let times = [self.state.time, self.end_time];
        if !self.system.is_driven() && !self.system.has_moving_support(times) {
            let mut work = self.system.work_by_body(&self.state.positions, &end.positions, times);
            work.iter_mut().zip(correction).for_each(|(work, correction)| *work += correction);
            return work;
        }
        let v = &end.velocities;
        let (system, start) = (&self.system, &self.state.velocities);
        let momentum_change_work = self.co_moving.momentum_change_work(system, |i| v[i] - start[i]);
        let ground_work = |b: usize| {
            work[b] + momentum_change_work[b] + self.co_moving.velocity(b).dot(heat.impulse[b])
        };
        (0..work.len()).map(ground_work).collect()
    }

    /// The work (J) on each body in the frame of the ground on the path to the state `end`, for a method that has not
    /// computed it. `velocities_lag` tells whether velocities are those of the middle of the step.
    fn final_work(&mut self, end: &State, heat: &Heat, velocities_lag: bool) -> Vec<f64> {
        let times = [self.state.time, self.end_time];
        if !self.system.is_driven() && !self.system.has_moving_support(times) {
            return self.work(&end.positions);
        }
        let (mut links, start) = (self.empty_links(), self.state);
        self.at_start().link(&start.positions, &mut links);
        self.system.along(&[Path::at(&end.positions)]).link(&end.positions, &mut links);
        self.set_co_moving_frames(&links);
        let mut work = self.work(&end.positions);
        if velocities_lag {
            let lag_work = self.support_lag_work(&end.positions);
            work.iter_mut().zip(lag_work).for_each(|(work, correction)| *work += correction);
        }
        self.work_in_ground_frame(&work, &[], end, heat)
    }

    /// The largest coordinate (m) of the estimated errors of free nodes; `error_of_node(i)` is the error vector of node
    /// i.
    pub fn largest_error(&self, error_of_node: impl Fn(usize) -> Vec3) -> f64 {
        let node_error = |i: usize| self.system.free_part(i, error_of_node(i)).abs().max_element();
        let errors = (0..self.system.node_count()).map(node_error);
        errors.fold(0.0, f64::max)
    }

    /// Sets the time, the velocities of prescribed nodes and the suggested step of the state `next` at the end.
    ///
    /// # Errors
    /// If a position or velocity is not finite.
    fn complete_state(&self, next: &mut State) -> Result<(), StepError> {
        next.time = self.end_time;
        next.suggested_step = self.state.suggested_step;
        for (i, v) in next.velocities.iter_mut().enumerate() {
            let mean_velocity = (next.positions[i] - self.state.positions[i]) / self.h;
            *v = self.system.compose(i, *v, mean_velocity);
        }
        let is_finite =
            |i: &usize| next.positions[*i].is_finite() && next.velocities[*i].is_finite();
        match (0..next.positions.len()).find(|i| !is_finite(i)) {
            Some(node) => Err(StepError::Exploded { time: next.time, step: self.h, node }),
            None => Ok(()),
        }
    }

    /// Completes the end of a step of any method: sets the velocities of prescribed nodes, checks that the end is
    /// finite and admissible, and sums up work and heat in the report.
    ///
    /// # Errors
    /// If a position or velocity is not finite, or a potential is infinite at the end.
    pub(crate) fn finish(mut self, end: StepEnd) -> Result<(State, StepReport), StepError> {
        let velocities_lag = end.velocities_lag;
        let StepEnd { state: mut next, heat, rest_loss, resting, work, alphas, error, .. } = end;
        self.complete_state(&mut next)?;
        let mut work = work.unwrap_or_else(|| self.final_work(&next, &heat, velocities_lag));
        if !self.evaluated_at_end && !self.system.potential(next.time, &next.positions).is_finite()
        {
            return Err(StepError::Inadmissible { time: next.time, step: self.h });
        }
        let mut dissipated = vec![0.0; work.len()];
        let add = |sums: &mut [f64], terms: &[f64]| {
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        };
        add(&mut dissipated, &heat.from_bodies);
        let mut contact_damping = heat.contact_damping.from_bodies;
        if self.system.is_driven() {
            add(&mut work, &heat.from_motion);
            add(&mut dissipated, &heat.from_motion);
            add(&mut contact_damping, &heat.contact_damping.from_motion);
        }
        let mean_motion_energies = motion::mean_motion_energy(
            &self.system,
            [&self.state.positions, &next.positions],
            self.h,
        );
        let report = StepReport {
            step: self.h,
            solve: self.solver_cost,
            plastic: vec![0.0; work.len()],
            damping: heat.damping,
            contact_damping,
            contact: vec![0.0; work.len()],
            dissipated,
            rest_loss,
            resting,
            motion: mean_motion_energies.iter().map(|energy| self.h * energy).collect(),
            work,
            alphas,
            error,
            repeats: Vec::new(),
        };
        Ok((next, report))
    }
}
