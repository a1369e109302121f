//! Counters of a run over all its legs.

use super::{EnergyFlows, RunOptions};
use crate::gain::EnergyExtrema;
use crate::memory;
use resile_math::{Aabb, Vec3};
use resile_record::{
    Counts, EnergyAccount, Heat, ModesState, PhaseSeconds, PrescribedLag, Progress, Settled, Setup,
    Status, Summary,
};
use resile_scene::description::Scene;
use resile_world::{Observed, StepRecord, World};

/// The counters of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Totals {
    pub(super) steps: u64,
    counts: Counts,
    /// Wall time (s) of earlier legs.
    pub(super) wall_seconds: f64,
    pub(super) phases: PhaseSeconds,
    min_distance: Option<f64>,
    min_det_f: Option<f64>,
    prescribed_lag: Option<PrescribedLag>,
    max_residual: Option<f64>,
    /// Energy of the first state (J).
    pub(super) start_energy: f64,
    /// Kinetic energy of the first state (J).
    pub(super) start_kinetic: f64,
    /// Bounding box of all frames (m); `None` before the first one.
    pub(super) frame_box: Option<Aabb>,
    /// Heat (J) of all causes.
    dissipated: f64,
    /// Heat (J) of plastic flow.
    plastic: f64,
    /// Heat (J) of damping within bodies.
    damping: f64,
    /// Heat (J) of damping in contact.
    contact_damping: f64,
    /// Heat (J) of impacts with a coefficient of restitution.
    contact: f64,
    /// Energy (J) removed by the rule of rest.
    rest_loss: f64,
    /// Work (J) of prescribed motions.
    work: f64,
    /// The outcome of settling, if any.
    pub(super) settled: Option<Settled>,
    /// The states about which modes were computed, if any.
    pub(super) modes: Option<Vec<ModesState>>,
}

/// Relative rounding error of sums over the steps of a run.
const ROUNDING: f64 = 1e-12;

/// The smaller of two numbers; one that is not finite counts as missing.
fn smallest(current: Option<f64>, new: f64) -> Option<f64> {
    let new = new.is_finite().then_some(new);
    match (current, new) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Counters of the solver in a step.
pub(super) fn step_counts(record: &StepRecord) -> Counts {
    let solve = &record.solve;
    Counts {
        newton_iterations: record.iterations as u64,
        island_iterations: solve.iterations as u64,
        part_iterations: solve.part_iterations as u64,
        linear_iterations: solve.linear_iterations as u64,
        projected_iterations: solve.projected as u64,
        direct_solves: solve.direct_solves as u64,
        unconverged_solves: solve.unconverged as u64,
        backtracks: solve.backtracks as u64,
        most_islands: record.islands.len() as u64,
        largest_island: record.islands.iter().map(Vec::len).max().unwrap_or(0) as u64,
    }
}

/// Computing times of the solver in a step.
pub(super) fn step_phases(record: &StepRecord) -> PhaseSeconds {
    let phases = &record.solve.phases;
    PhaseSeconds {
        assembly: phases.assembly.as_secs_f64(),
        linear_solve: phases.linear_solve.as_secs_f64(),
        collision: phases.collision.as_secs_f64(),
        line_search: phases.line_search.as_secs_f64(),
        output: 0.0,
    }
}

impl Totals {
    /// Energy flows since the start.
    pub(super) fn flows(&self) -> EnergyFlows {
        let Self { start_energy: start, dissipated, work, rest_loss, .. } = *self;
        EnergyFlows { start, dissipated, work, rest_loss }
    }

    /// The counters before the first step.
    pub(super) fn at_start(world: &mut World) -> Self {
        let observed = world.observe();
        Self {
            steps: 0,
            counts: Counts::default(),
            wall_seconds: 0.0,
            phases: PhaseSeconds::default(),
            min_distance: smallest(None, observed.certificate.min_distance),
            min_det_f: smallest(None, observed.certificate.min_det_f),
            prescribed_lag: None,
            max_residual: None,
            start_energy: observed.total(),
            start_kinetic: observed.kinetic(),
            frame_box: None,
            dissipated: 0.0,
            plastic: 0.0,
            damping: 0.0,
            contact_damping: 0.0,
            contact: 0.0,
            rest_loss: 0.0,
            work: 0.0,
            settled: None,
            modes: None,
        }
    }

    /// Adds the counters of a step.
    pub(super) fn add_step(&mut self, record: &StepRecord) {
        let certificate = record.observed.certificate;
        self.steps += 1;
        self.counts.add(&step_counts(record));
        self.phases.add(&step_phases(record));
        self.min_distance = smallest(self.min_distance, certificate.min_distance);
        self.min_det_f = smallest(self.min_det_f, certificate.min_det_f);
        self.prescribed_lag = PrescribedLag::after_step(self.prescribed_lag, record.prescribed_lag);
        let residual = record.last_step_speed;
        self.max_residual = Some(self.max_residual.map_or(residual, |r| r.max(residual)));
        self.dissipated += record.dissipated.iter().sum::<f64>();
        self.plastic += record.plastic.iter().sum::<f64>();
        self.damping += record.damping.iter().sum::<f64>();
        self.contact_damping += record.contact_damping.iter().sum::<f64>();
        self.contact += record.contact.iter().sum::<f64>();
        self.rest_loss += record.rest_loss.iter().sum::<f64>();
        self.work += record.work.iter().sum::<f64>();
    }

    /// The heat (J) of friction: the total minus all other kinds. A difference below the rounding error is zero.
    fn friction(&self) -> f64 {
        let other_heat = self.plastic + self.damping + self.contact_damping + self.contact;
        let friction = self.dissipated - other_heat;
        if friction < ROUNDING * self.dissipated { 0.0 } else { friction }
    }

    /// The expected energy (J): initial energy plus work minus dissipation and rest loss.
    pub(super) fn expected_energy(&self) -> f64 {
        self.start_energy + self.work - self.dissipated - self.rest_loss
    }

    /// The counters for a checkpoint, with the wall time (s) up to now.
    pub(super) fn to_progress(&self, wall_seconds: f64) -> Progress {
        Progress {
            steps: self.steps,
            counts: self.counts,
            wall_seconds,
            phase_seconds: self.phases,
            min_distance: self.min_distance,
            min_det_f: self.min_det_f,
            prescribed_lag: self.prescribed_lag,
            max_residual: self.max_residual,
            start_energy: self.start_energy,
            start_kinetic: self.start_kinetic,
            frame_box: self.frame_box.map(|b| [b.min.to_array(), b.max.to_array()]),
            dissipated: self.dissipated,
            plastic: self.plastic,
            damping: self.damping,
            contact_damping: self.contact_damping,
            contact: self.contact,
            rest_loss: self.rest_loss,
            work: self.work,
            settled: self.settled,
        }
    }

    /// The counters of a checkpoint.
    pub(super) fn from_progress(progress: Progress) -> Self {
        Self {
            steps: progress.steps,
            counts: progress.counts,
            wall_seconds: progress.wall_seconds,
            phases: progress.phase_seconds,
            min_distance: progress.min_distance,
            min_det_f: progress.min_det_f,
            prescribed_lag: progress.prescribed_lag,
            max_residual: progress.max_residual,
            start_energy: progress.start_energy,
            start_kinetic: progress.start_kinetic,
            frame_box: progress.frame_box.map(|corners| {
                let [min, max] = corners.map(Vec3::from_array);
                Aabb { min, max }
            }),
            dissipated: progress.dissipated,
            plastic: progress.plastic,
            damping: progress.damping,
            contact_damping: progress.contact_damping,
            contact: progress.contact,
            rest_loss: progress.rest_loss,
            work: progress.work,
            settled: progress.settled,
            modes: None,
        }
    }

    /// The energy balance up to a state, with extrema over all steps and the `resolution` (J) of energies; energies that
    /// are not finite are missing.
    pub(super) fn energy_account(
        &self,
        observed: &Observed,
        extrema: EnergyExtrema,
        resolution: f64,
    ) -> EnergyAccount {
        let finite = |joules: f64| joules.is_finite().then_some(joules);
        let term = |(name, joules): &(String, f64)| (name.clone(), finite(*joules));
        EnergyAccount {
            start: finite(self.start_energy),
            end: finite(observed.total()),
            kinetic: finite(observed.kinetic()),
            potential: observed.terms.iter().map(term).collect(),
            work: finite(self.work),
            heat: self.heat(),
            gained: finite(extrema.gained),
            largest_kinetic: finite(extrema.kinetic),
            above_target: extrema.excess.and_then(finite),
            resolution: finite(resolution),
        }
    }

    /// The heat by cause.
    pub(super) fn heat(&self) -> Heat {
        let finite = |joules: f64| joules.is_finite().then_some(joules);
        Heat {
            friction: finite(self.friction()),
            damping: finite(self.damping),
            plastic_flow: finite(self.plastic),
            contact_damping: finite(self.contact_damping),
            contact: finite(self.contact),
        }
    }

    /// The summary without outcome, simulated time and energy balance, which the caller adds.
    pub(super) fn summary(
        &self,
        options: &RunOptions,
        scene: &Scene,
        steps_asked: u64,
        wall_seconds: f64,
    ) -> Summary {
        Summary {
            scene: scene.name.clone().unwrap_or_else(|| options.name.clone()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            setup: Setup {
                commit: options.commit.clone(),
                set: options.set.clone(),
                integrator: scene.integrator_in_ron(),
                step: scene.time.step.seconds(),
            },
            units: scene.units,
            threads: options.threads,
            steps_done: self.steps,
            steps_asked,
            simulated_seconds: 0.0,
            wall_seconds,
            counts: self.counts,
            phase_seconds: self.phases,
            settled: self.settled.filter(|_| scene.settle),
            contact_start: self.settled.filter(|_| !scene.settle),
            modes: self.modes.clone(),
            plastic_work: (self.plastic > 0.0).then_some(self.plastic),
            energy: None,
            min_distance: self.min_distance,
            min_det_f: self.min_det_f,
            prescribed_lag: self.prescribed_lag,
            max_residual: self.max_residual,
            peak_memory_bytes: memory::peak(),
            status: Status::Interrupted,
            reason: String::new(),
        }
    }
}
