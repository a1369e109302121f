//! What a run has counted so far, over all its resumptions.

use super::RunOptions;
use crate::description::Scene;
use crate::output::{PhaseSeconds, Progress, Status, Summary};
use crate::world::{StepRecord, World};
use std::time::Duration;

/// The counters of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Totals {
    pub(super) steps: u64,
    pub(super) frames: u64,
    newton: u64,
    linear: u64,
    /// Wall time (s) of the runs that were resumed.
    pub(super) wall_seconds: f64,
    /// Assembly, linear solve, collision, line search (s).
    phases: [f64; 4],
    pub(super) output_seconds: f64,
    min_distance: Option<f64>,
    min_det_f: Option<f64>,
    max_residual: Option<f64>,
    /// Energy of the first state (J).
    pub(super) start_energy: f64,
    dissipated: f64,
    work: f64,
}

/// The smaller of two numbers, of which infinity is none.
fn smallest(known: Option<f64>, found: f64) -> Option<f64> {
    let found = found.is_finite().then_some(found);
    match (known, found) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl Totals {
    /// Before the first step.
    pub(super) fn at_start(world: &mut World) -> Self {
        let observed = world.observe();
        Self {
            steps: 0,
            frames: 0,
            newton: 0,
            linear: 0,
            wall_seconds: 0.0,
            phases: [0.0; 4],
            output_seconds: 0.0,
            min_distance: smallest(None, observed.proof.min_distance),
            min_det_f: smallest(None, observed.proof.min_det_f),
            max_residual: None,
            start_energy: observed.total(),
            dissipated: 0.0,
            work: 0.0,
        }
    }

    pub(super) fn add(&mut self, record: &StepRecord) {
        let proof = record.observed.proof;
        self.steps += 1;
        self.newton += record.newton as u64;
        self.linear += record.solve.linear_iterations as u64;
        let phases = &record.solve.phases;
        let spent = [phases.assembly, phases.linear_solve, phases.collision, phases.line_search];
        for (sum, spent) in self.phases.iter_mut().zip(spent) {
            *sum += Duration::as_secs_f64(&spent);
        }
        self.min_distance = smallest(self.min_distance, proof.min_distance);
        self.min_det_f = smallest(self.min_det_f, proof.min_det_f);
        let residual = record.solve.residual;
        self.max_residual = Some(self.max_residual.map_or(residual, |r| r.max(residual)));
        self.dissipated += record.dissipated.iter().sum::<f64>();
        self.work += record.work.iter().sum::<f64>();
    }

    /// The energy (J) that start, work and dissipation leave.
    pub(super) fn expected_energy(&self) -> f64 {
        self.start_energy + self.work - self.dissipated
    }

    pub(super) fn to_progress(&self, wall_seconds: f64) -> Progress {
        let [assembly, linear_solve, collision, line_search] = self.phases;
        Progress {
            steps: self.steps,
            frames: self.frames,
            newton: self.newton,
            linear: self.linear,
            wall_seconds,
            phase_seconds: [assembly, linear_solve, collision, line_search, self.output_seconds],
            min_distance: self.min_distance,
            min_det_f: self.min_det_f,
            max_residual: self.max_residual,
            start_energy: self.start_energy,
            dissipated: self.dissipated,
            work: self.work,
        }
    }

    pub(super) fn from_progress(progress: Progress) -> Self {
        let [assembly, linear_solve, collision, line_search, output] = progress.phase_seconds;
        Self {
            steps: progress.steps,
            frames: progress.frames,
            newton: progress.newton,
            linear: progress.linear,
            wall_seconds: progress.wall_seconds,
            phases: [assembly, linear_solve, collision, line_search],
            output_seconds: output,
            min_distance: progress.min_distance,
            min_det_f: progress.min_det_f,
            max_residual: progress.max_residual,
            start_energy: progress.start_energy,
            dissipated: progress.dissipated,
            work: progress.work,
        }
    }

    /// The summary, but for how the run ended.
    pub(super) fn summary(
        &self,
        options: &RunOptions,
        scene: &Scene,
        steps_asked: u64,
        wall_seconds: f64,
    ) -> Summary {
        let [assembly, linear_solve, collision, line_search] = self.phases;
        let output = self.output_seconds;
        Summary {
            scene: scene.name.clone().unwrap_or_else(|| options.name.clone()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads: options.threads,
            steps_done: self.steps,
            steps_asked,
            simulated_seconds: scene.time.step.time_after(self.steps),
            wall_seconds,
            newton_iterations: self.newton,
            linear_iterations: self.linear,
            phase_seconds: PhaseSeconds { assembly, linear_solve, collision, line_search, output },
            min_distance: self.min_distance,
            min_det_f: self.min_det_f,
            max_residual: self.max_residual,
            peak_memory_bytes: peak_memory(),
            status: Status::Interrupted,
            reason: String::new(),
        }
    }
}

/// The largest resident size of this process (bytes), where Linux tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
