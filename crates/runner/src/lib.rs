#![doc = include_str!("../README.md")]
//! # Design
//!
//! The caller drives a [`Run`] step by step and decides about progress, interruption and terminal
//! output; there are no callbacks. The folder always contains the last valid state: failed steps and
//! interruptions end with a checkpoint.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod analysis;
mod audit;
mod buckling;
mod error;
mod fields;
mod frames;
mod gain;
mod identity;
mod limits;
mod live;
pub mod memory;
mod modes;
mod path;
mod pressed;
mod probes;
mod provenance;
mod record;
mod restore;
mod settle;
mod skins;
mod start;
mod stepper;
mod tables;
mod totals;
mod trace;

pub use error::{RunError, Stop};
pub use live::LiveScene;
pub use pressed::Pressed;
pub use provenance::earlier_legs;
pub use start::Start;
pub use stepper::{EnergyFlows, Stepper};

use gain::EnergyExtrema;
use identity::Identity;
use record::Recorder;
use resile_assembly::{Built, Clock, Evaluated, settling};
use resile_record::{
    Checkpoint, EnergyPlot, Existing, FileExtents, Fingerprint, PhaseSeconds, ProfilePlot,
    ProfileRow, RunFolder, RunLock, StateRecord, Status, Summary, keep_originals, write_checkpoint,
};
use resile_scene::description::{Analysis, Scene, Units};
use resile_watch::{Activity, Interrupt, Watchdog};
use resile_world::{Settling, StepRecord, World};
use restore::{RestoredScene, restore};
use std::path::{Path, PathBuf};
use std::time::Instant;
use totals::Totals;
use trace::SolverTrace;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The folder to write.
    pub folder: PathBuf,
    /// Treatment of an existing run.
    pub existing: Existing,
    /// Name of the scene if its text has none.
    pub name: String,
    /// Total number of steps, in place of the duration of the scene.
    pub steps: Option<u64>,
    /// Whether to record computing times.
    pub profile: Profile,
    /// Threads in use; only recorded.
    pub threads: usize,
    /// Fingerprint of everything that determines the motion.
    pub fingerprint: Fingerprint,
    /// The commit that the program was built from; only recorded.
    pub commit: Option<String>,
    /// Overrides of the command line; only recorded.
    pub set: Vec<String>,
}

/// Recording of computing times, one line per step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Totals only, unless a resumed run has a profile.
    InTotal,
    /// Per step, in `profile.csv` and `profile.svg`.
    EachStep,
}

/// Refuses a step if an expression has no finite value at its end (s).
fn refuse_undefined(
    evaluated: &[Evaluated],
    units: Units,
    step: u64,
    end: f64,
) -> Result<(), RunError> {
    let undefined = evaluated.iter().find_map(|expression| expression.undefined(end, units));
    undefined.map_or(Ok(()), |undefined| Err(RunError::UndefinedExpression { step, undefined }))
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub steps: u64,
    /// Number of requested steps.
    pub steps_asked: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Newton iterations in the last step.
    pub newton: usize,
    /// Energy now (J).
    pub energy: f64,
    /// Expected energy (J): the target, or the initial energy plus work minus dissipation. `None` along an equilibrium path,
    /// where the work of loads is not known.
    pub expected_energy: Option<f64>,
    /// Initial energy (J).
    pub start_energy: f64,
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// The equilibrium path so far.
    path: path::PathProgress,
    scene: Scene,
    clock: Clock,
    /// Identification in checkpoints.
    identity: Identity,
    world: World,
    /// Expressions of position and time, which must be finite at the end of each step.
    evaluated: Vec<Evaluated>,
    options: RunOptions,
    folder: RunFolder,
    recorder: Recorder,
    totals: Totals,
    /// Settling in progress.
    settling: Option<Settling>,
    /// Damaged files that were rewritten.
    repaired_files: Vec<PathBuf>,
    /// Output time (s) already in the profile.
    profiled_output: f64,
    /// When this leg of the run began.
    leg_start: Instant,
    watchdog: Watchdog,
    /// Memory (bytes) that the process may use.
    memory_limit: Option<u64>,
    /// The trace of the solver, if requested.
    trace: Option<SolverTrace>,
}

impl Run {
    /// Opens the folder, loads the checkpoint of a resumed run, and writes the first frame, unless the start has to
    /// settle.
    ///
    /// # Errors
    /// If the folder contains a run that must not be replaced or cannot be written, or the checkpoint does not fit the
    /// scene.
    pub fn start(scene: Scene, built: Built, options: RunOptions) -> Result<Self, RunError> {
        refuse_initial_run(&built, &options.folder)?;
        let lock = RunLock::at(&options.folder)?;
        Self::start_locked(scene, built, options, lock)
    }

    /// As [`start`](Self::start), in a folder that is already locked, in place of that of the options: one whose name
    /// the program chose ([`RunLock::within`]).
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_locked(
        scene: Scene,
        mut built: Built,
        options: RunOptions,
        lock: RunLock,
    ) -> Result<Self, RunError> {
        let leg_start = Instant::now();
        refuse_initial_run(&built, lock.path())?;
        let options = RunOptions { folder: lock.path().to_owned(), ..options };
        let folder = lock.open(options.existing)?;
        let clock = Clock::new(&scene.time, built.world.state(0).time);
        let initial_settling = settling(&scene, &mut built.world);
        let identity = Identity::new(&built);
        let is_resumed = options.existing == Existing::Resume && folder.has_checkpoint();
        let (totals, file_extents) = match is_resumed {
            true if matches!(scene.analysis, Analysis::ArcLength { .. }) => {
                return Err(RunError::ResumedPath);
            }
            true => {
                let settles = initial_settling.is_some();
                let restored = RestoredScene { scene: &scene, clock: &clock, settles };
                let world = &mut built.world;
                restore(restored, world, &identity, &folder, options.fingerprint)?
            }
            false => (Totals::at_start(&mut built.world), FileExtents::default()),
        };
        let recorder =
            Recorder::open(&scene, &folder, &mut built, (&totals, file_extents), options.profile)?;
        // A resumed run copies the originals again, which restores lost copies.
        keep_originals(&folder, &built.originals)?;
        if is_resumed {
            audit::check_history_agrees(&totals.to_progress(totals.wall_seconds), &folder)?;
        }
        let repaired_files = recorder.repair_lists()?;
        let profiled_output = totals.phases.output;
        let settling = initial_settling.filter(|_| totals.settled.is_none() && totals.steps == 0);
        let mut run = Self {
            path: path::PathProgress::default(),
            scene,
            clock,
            identity,
            world: built.world,
            evaluated: built.evaluated,
            options,
            folder,
            recorder,
            totals,
            settling,
            repaired_files,
            profiled_output,
            leg_start,
            watchdog: Watchdog::unlimited(),
            memory_limit: None,
            trace: None,
        };
        run.watch(Interrupt::new(), Activity::unobserved(), None);
        if run.totals.steps == 0 && !run.is_settling() {
            run.write_start()?;
        }
        Ok(run)
    }

    /// Writes the rows and the frame of the initial state, and the first checkpoint.
    fn write_start(&mut self) -> Result<(), RunError> {
        let time = self.clock.after(0);
        self.write_frame(time)?;
        self.recorder.write_start(&mut self.world, time)?;
        self.write_checkpoint()
    }

    /// Writes a frame of the world at `time` (s).
    fn write_frame(&mut self, time: f64) -> Result<(), RunError> {
        self.recorder.write_frame(&mut self.world, time)?;
        self.totals.frame_box = self.recorder.bounding_box();
        Ok(())
    }

    /// Number of completed steps.
    pub fn steps_done(&self) -> u64 {
        self.totals.steps
    }

    /// Units of the scene, in which the tables and the summary are written.
    pub fn units(&self) -> Units {
        self.scene.units
    }

    /// Total number of steps.
    pub fn steps_asked(&self) -> u64 {
        let scene_steps = self.clock.steps(&self.scene.time);
        self.options.steps.map_or(scene_steps, |steps| steps.min(scene_steps))
    }

    /// Whether all steps are complete.
    pub fn is_complete(&self) -> bool {
        !self.is_settling() && self.totals.steps >= self.steps_asked()
    }

    /// Damaged files that a resumed run rewrote from the checkpoint.
    pub fn repaired_files(&self) -> &[PathBuf] {
        &self.repaired_files
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Performs one step and records it, after settling if necessary.
    ///
    /// # Errors
    /// If the start does not settle or the step fails (call [`finish`](Self::finish) then), or a file cannot be
    /// written.
    pub fn advance(&mut self) -> Result<Progress, RunError> {
        while self.is_settling() {
            self.settle()?;
        }
        let step_start = Instant::now();
        let step = self.totals.steps + 1;
        let h = self.scene.time.step.seconds();
        let end = self.clock.after(step);
        refuse_undefined(&self.evaluated, self.scene.units, step, end)?;
        self.watchdog.begin();
        let (world, tangent) = (&mut self.world, &mut self.path.tangent);
        let result = analysis::take_step(world, &self.scene.analysis, tangent, [h, end]);
        self.watchdog.end();
        self.write_trace(step)?;
        let record = result.map_err(|failure| self.step_error(step, failure))?;
        self.totals.add_step(&record);
        if matches!(self.scene.analysis, Analysis::ArcLength { .. }) {
            self.write_path_row(&record)?;
        }
        let seconds = step_start.elapsed().as_secs_f64();
        let output_start = Instant::now();
        self.recorder.write_step(&mut self.world, &self.totals, &record, end, seconds)?;
        if self.frame_is_due(step) {
            self.write_frame(end)?;
        }
        self.totals.phases.output += output_start.elapsed().as_secs_f64();
        self.write_profile_row(&record, end, seconds)?;
        if step.is_multiple_of(u64::from(self.scene.output.checkpoint_steps)) {
            self.write_checkpoint()?;
        }
        Ok(self.progress(record.iterations, end, &record.observed))
    }

    /// Writes the row of computing times of a step that ended at `time` (s) and took `seconds` of wall time, if the
    /// run has a profile.
    fn write_profile_row(
        &mut self,
        record: &StepRecord,
        time: f64,
        seconds: f64,
    ) -> Result<(), RunError> {
        let output = self.totals.phases.output - self.profiled_output;
        self.profiled_output = self.totals.phases.output;
        let phases = PhaseSeconds { output, ..totals::step_phases(record) };
        let counts = totals::step_counts(record);
        let step = self.totals.steps;
        self.recorder.write_profile_row(&ProfileRow { step, time, seconds, phases, counts })
    }

    /// Whether the end of this step is the one nearest to a requested frame time (the earlier of two). Frames are
    /// states of the run and never interpolated, because interpolated states may intersect.
    fn frame_is_due(&self, step: u64) -> bool {
        let Scene { time, output, .. } = &self.scene;
        let half_step = 0.5 * time.step.seconds();
        let last_due_frame = |steps| {
            let midpoint = self.clock.after(steps) + half_step;
            // The tolerance assigns frame times in the middle between two steps to the earlier one.
            (midpoint * output.frame_rate + 1e-6).floor()
        };
        last_due_frame(step) > last_due_frame(step - 1)
    }

    /// The progress after a step that ended at `time` (s) with `newton` iterations.
    fn progress(&self, newton: usize, time: f64, observed: &resile_world::Observed) -> Progress {
        let is_path = matches!(self.scene.analysis, Analysis::ArcLength { .. });
        let expected = || observed.target().unwrap_or_else(|| self.totals.expected_energy());
        Progress {
            steps: self.totals.steps,
            steps_asked: self.steps_asked(),
            time,
            newton,
            energy: observed.total(),
            expected_energy: (!is_path).then(expected),
            start_energy: self.totals.start_energy,
        }
    }

    /// Writes the last checkpoint, the plots and the summary, and returns the summary.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(mut self, stop: Stop) -> Result<Summary, RunError> {
        self.write_checkpoint()?;
        let is_complete = matches!(stop, Stop::Done) && self.is_complete();
        if is_complete {
            self.write_last_frame()?;
        }
        let (status, reason) = match stop {
            Stop::Done if is_complete => (Status::Complete, String::new()),
            Stop::Done | Stop::Interrupted => {
                (Status::Interrupted, format!("stopped after step {}", self.totals.steps))
            }
            Stop::Failed(reason) | Stop::Unsolvable(reason) | Stop::Limit(reason) => {
                (Status::Failed, reason)
            }
        };
        let output_start = Instant::now();
        self.draw_plots()?;
        self.draw_trace()?;
        self.totals.phases.output += output_start.elapsed().as_secs_f64();
        let wall_seconds = self.totals.wall_seconds + self.leg_start.elapsed().as_secs_f64();
        let summary =
            self.totals.summary(&self.options, &self.scene, self.steps_asked(), wall_seconds);
        let simulated_seconds = self.clock.after(self.totals.steps);
        let observed = self.world.observe();
        let terms = observed.terms.iter().map(|(name, _)| name.as_str());
        let extrema = EnergyExtrema::read(&self.folder.history(), terms)?;
        let resolution = extrema.resolution(self.world.mass(), self.scene.solver.tolerance);
        let energy = Some(self.totals.energy_account(&observed, extrema, resolution));
        let summary = Summary { energy, status, reason, simulated_seconds, ..summary };
        summary.write(&self.folder.summary())?;
        Ok(summary)
    }

    /// Writes a frame at the end of the duration, if none is due there. The last checkpoint, which is written before,
    /// does not list it, so a run that is extended later has the same frames as an uninterrupted one.
    fn write_last_frame(&mut self) -> Result<(), RunError> {
        let step = self.totals.steps;
        if step == 0 || step < self.clock.steps(&self.scene.time) || self.frame_is_due(step) {
            return Ok(());
        }
        self.write_frame(self.clock.after(step))
    }

    /// The output folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Name of the method by which the run finds its states: that of the analysis or, if the scene moves, of the
    /// integrator.
    fn method_name(&self) -> &str {
        match self.scene.analysis {
            Analysis::Dynamic => self.world.integrator().name(),
            Analysis::Static => "static equilibrium",
            Analysis::ArcLength { .. } => "equilibrium path",
        }
    }

    /// Draws the energy plot and the profile, if there are steps.
    fn draw_plots(&self) -> Result<(), RunError> {
        if self.totals.steps == 0 {
            return Ok(());
        }
        let name = self.scene.name.as_ref().unwrap_or(&self.options.name);
        let title = format!("{name}, {}", self.method_name());
        let limits = self.world.integrator().alpha_limits();
        let start = [self.totals.start_kinetic, self.totals.start_energy];
        let plot = EnergyPlot::of_history(&self.folder.history(), title, limits)?;
        let plot = plot.in_units(self.scene.units).starting_with(self.clock.after(0), start);
        let plot = match self.scene.analysis {
            Analysis::Dynamic => plot,
            Analysis::Static => plot.of_equilibria(),
            Analysis::ArcLength { .. } => plot.along_path(&self.path.load_times()),
        };
        plot.write(&self.folder.energy_plot())?;
        if self.recorder.has_profile() {
            let title = format!("{name}: where time goes");
            let plot = ProfilePlot::of_profile(&self.folder.profile(), title)?;
            plot.write(&self.folder.profile_plot())?;
        }
        Ok(())
    }

    /// Syncs all files to disk, and writes a checkpoint of the present state.
    fn write_checkpoint(&mut self) -> Result<(), RunError> {
        let output_start = Instant::now();
        self.recorder.flush()?;
        self.flush_trace()?;
        let states =
            (0..self.world.body_count()).map(|b| StateRecord::from(self.world.state(b))).collect();
        let wall_seconds = self.totals.wall_seconds + self.leg_start.elapsed().as_secs_f64();
        let progress = self.totals.to_progress(wall_seconds);
        let Identity { described, bodies } = self.identity.clone();
        let file_extents = self.recorder.extents();
        let checkpoint = Checkpoint { described, bodies, states, progress, file_extents };
        write_checkpoint(&self.folder.checkpoint(), self.options.fingerprint, &checkpoint)?;
        self.totals.phases.output += output_start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Refuses to write a run into the folder of the run from which its scene begins.
fn refuse_initial_run(built: &Built, folder: &Path) -> Result<(), RunError> {
    match &built.initial_run {
        Some(initial_run) if is_same_folder(initial_run, folder) => {
            Err(RunError::ReplacesInitialRun { folder: initial_run.clone() })
        }
        _ => Ok(()),
    }
}

/// Whether two paths lead to the same existing folder.
fn is_same_folder(a: &Path, b: &Path) -> bool {
    matches!([a, b].map(Path::canonicalize), [Ok(a), Ok(b)] if a == b)
}
