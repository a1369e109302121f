//! What a step leads to.

use super::{GroupAlpha, Heat, Repeat, Rest, Step, accounting, motion};
use crate::error::StepError;
use resile_math::Vec3;
use resile_solver::SolveReport;
use resile_system::{Path, State};

/// What a method returns of a step: where it ended, and what it took.
#[derive(Debug, Clone)]
pub struct StepEnd {
    /// The state at the end, with what the method remembers. What it does not remember again is
    /// forgotten.
    pub state: State,
    /// The heat that friction and damping made.
    pub heat: Heat,
    /// The energy (J) that the rule of rest took of each body.
    pub rest_loss: Vec<f64>,
    /// Why each body rests, if it does.
    pub resting: Vec<Option<Rest>>,
    /// The [work](Step::work) done on each body (J), if the method has asked for it already.
    pub work: Option<Vec<f64>>,
    /// For methods that correct energies: each group of bodies and its alpha.
    pub alphas: Vec<GroupAlpha>,
    /// For methods that estimate it: the largest error (m) of a coordinate of a free node that
    /// this step has added, see [`Step::largest_error`].
    pub error: Option<f64>,
}

impl StepEnd {
    /// The end of a step in `state`, on the way to which friction and damping made `heat`.
    pub fn new(state: State, heat: Heat) -> Self {
        let bodies = heat.from_bodies.len();
        let (rest_loss, resting) = (vec![0.0; bodies], vec![None; bodies]);
        Self { state, heat, rest_loss, resting, work: None, alphas: Vec::new(), error: None }
    }

    /// The same with an estimate (m) of the error.
    #[must_use]
    pub fn with_error(self, error: f64) -> Self {
        Self { error: Some(error), ..self }
    }
}

/// What a step did, body by body where it can be told.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// The step (s).
    pub step: f64,
    /// The solver's work over all stages.
    pub solve: SolveReport,
    /// Heat (J) that friction, damping and plastic flow made of each body's energy and of the work of what
    /// drags it: the slip power of all nodes, those that are prescribed included.
    pub dissipated: Vec<f64>,
    /// Of `dissipated`, the work (J) of plastic flow in each body.
    pub plastic: Vec<f64>,
    /// Of `dissipated`, the heat of damping inside each body (J).
    pub damping: Vec<f64>,
    /// Of `dissipated`, the heat of impacts with a coefficient of restitution (J).
    pub contact: Vec<f64>,
    /// Energy (J) that the rule of rest took of each body: of velocities too slow for the step, or of those that
    /// moved nothing. No part of `dissipated`.
    pub rest_loss: Vec<f64>,
    /// Why each body rests, if it does.
    pub resting: Vec<Option<Rest>>,
    /// The kinetic energy of the mean velocity of the free nodes of each body, times the step (J s).
    pub motion: Vec<f64>,
    /// Work (J) done on each body by kinematic nodes and moving targets, that against friction
    /// and damping included.
    pub work: Vec<f64>,
    /// For methods that correct energies: each group of bodies and its alpha.
    pub alphas: Vec<GroupAlpha>,
    /// For methods that estimate it: the largest error (m) of a coordinate of a free node that
    /// this step has added.
    pub error: Option<f64>,
    /// How it was taken again, in order, with the length (s) of the step; empty if the first attempt stands.
    pub repeats: Vec<(Repeat, f64)>,
}

impl Step<'_> {
    /// Work (J) that prescribed motion and moving targets do on each body on the way to the end
    /// `x` (m), that against friction and damping not included, in the frames in which energies are measured.
    /// Afterwards the system is prepared
    /// at `x`, where it has to be prepared before, and at the time of the end.
    pub fn work(&mut self, x: &[Vec3]) -> Vec<f64> {
        let path = Path { from: &self.state.positions, to: x };
        let times = [self.state.time, self.end_time()];
        self.system.at_time(times[1]);
        accounting::work(&mut self.system, path, times, &self.co_moving)
    }

    /// What [`work`](Self::work) in the frames in which energies are measured is on the ground, where a step leads to the
    /// state `end` and friction and damping make `heat`.
    pub(crate) fn work_on_the_ground(&self, work: &[f64], end: &State, heat: &Heat) -> Vec<f64> {
        if !self.system.is_driven() {
            // Nothing outside moves, so nothing does work but moving targets.
            let times = [self.state.time, self.end_time];
            return self.system.work_by_body(&self.state.positions, &end.positions, times);
        }
        let v = &end.velocities;
        let (system, start) = (&self.system, &self.state.velocities);
        let gained = self.co_moving.of_change(system, |i| v[i] - start[i]);
        let of = |b: usize| work[b] + gained[b] + self.co_moving.velocity(b).dot(heat.impulse[b]);
        (0..work.len()).map(of).collect()
    }

    /// The work on the ground on the way to the end `state`, for a method that has not asked for it.
    fn final_work(&mut self, end: &State, heat: &Heat) -> Vec<f64> {
        if !self.system.is_driven() {
            return self.work(&end.positions);
        }
        let (mut links, start) = (self.no_links(), self.state);
        self.at_start().link(&start.positions, &mut links);
        let time = self.end_time;
        self.system.along(time, &[Path::at(&end.positions)]).link(&end.positions, &mut links);
        self.move_with(&links);
        let work = self.work(&end.positions);
        self.work_on_the_ground(&work, end, heat)
    }

    /// The largest coordinate (m) over the free nodes of what each is probably off by.
    pub fn largest_error(&self, of_node: impl Fn(usize) -> Vec3) -> f64 {
        let of = |i: usize| self.system.free_part(i, of_node(i)).abs().max_element();
        let errors = (0..self.system.node_count()).map(of);
        errors.fold(0.0, f64::max)
    }

    /// Sets what is the same for all methods at the end of a step.
    pub(crate) fn finish(mut self, end: StepEnd) -> Result<(State, StepReport), StepError> {
        let StepEnd { state: mut next, heat, rest_loss, resting, work, alphas, error } = end;
        next.time = self.end_time;
        for (i, v) in next.velocities.iter_mut().enumerate() {
            let mean = (next.positions[i] - self.state.positions[i]) / self.h;
            *v = self.system.compose(i, *v, mean);
        }
        let finite = |i: &usize| next.positions[*i].is_finite() && next.velocities[*i].is_finite();
        if let Some(node) = (0..next.positions.len()).find(|i| !finite(i)) {
            return Err(StepError::Exploded { time: next.time, step: self.h, node });
        }
        let mut work = work.unwrap_or_else(|| self.final_work(&next, &heat));
        if !self.evaluated_at_end && !self.system.potential(&next.positions).is_finite() {
            return Err(StepError::Inadmissible { time: next.time, step: self.h });
        }
        next.suggested_step = self.state.suggested_step;
        let mut dissipated = vec![0.0; work.len()];
        let add = |sum: &mut [f64], by: &[f64]| sum.iter_mut().zip(by).for_each(|(s, by)| *s += by);
        add(&mut dissipated, &heat.from_bodies);
        if self.system.is_driven() {
            add(&mut work, &heat.from_motion);
            add(&mut dissipated, &heat.from_motion);
        }
        let motion =
            motion::kinetic(&self.system, [&self.state.positions, &next.positions], self.h);
        let report = StepReport {
            step: self.h,
            solve: self.solve,
            plastic: vec![0.0; work.len()],
            damping: heat.damping,
            contact: vec![0.0; work.len()],
            dissipated,
            rest_loss,
            resting,
            motion: motion.iter().map(|kinetic| self.h * kinetic).collect(),
            work,
            alphas,
            error,
            repeats: Vec::new(),
        };
        Ok((next, report))
    }
}
