//! Stepping of a scene by a program, without files.

use super::analysis::take_step;
use super::identity::Identity;
use super::limits::StepLimits;
use super::pressed::pressed_bodies;
use super::restore::{RestoredScene, restore_world};
use super::totals::Totals;
use super::{RunError, refuse_undefined};
use resile_assembly::{self as assembly, BodyMesh, Built, Clock, Evaluated};
use resile_integrators::PathTangent;
use resile_math::Vec3;
use resile_record::{
    Checkpoint, CheckpointError, FileExtents, Fingerprint, PhaseSeconds, Progress, StateRecord,
};
use resile_scene::description::{Analysis, Scene};
use resile_watch::{Activity, Interrupt, Watchdog};
use resile_world::{ControlError, Settling, StepRecord, World};
use std::path::Path;

/// A scene with one step per call. Steps are bitwise equal to those of a [`Run`](super::Run) of the scene.
#[derive(Debug)]
pub struct Stepper {
    scene: Scene,
    fingerprint: Fingerprint,
    identity: Identity,
    clock: Clock,
    world: World,
    meshes: Vec<BodyMesh>,
    totals: Totals,
    settling: Option<Settling>,
    tangent: Option<PathTangent>,
    interrupt: Interrupt,
    /// Enforces `solver.max_seconds_per_step`.
    watchdog: Watchdog,
    evaluated: Vec<Evaluated>,
}

/// Energy flows since the start (J).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyFlows {
    /// Energy at the start.
    pub start: f64,
    /// Heat of friction, damping and plastic flow.
    pub dissipated: f64,
    /// Work of all prescribed motions.
    pub work: f64,
    /// Energy removed by the rule of rest.
    pub rest_loss: f64,
}

impl Stepper {
    /// The scene before its first step and before settling. Steps end when `interrupt` is raised, and fail if they
    /// exceed `solver.max_seconds_per_step`.
    pub fn new(scene: Scene, mut built: Built, interrupt: Interrupt) -> Self {
        let fingerprint = built.fingerprint(&scene);
        let clock = Clock::new(&scene.time, built.world.state(0).time);
        let settling = assembly::settling(&scene, &mut built.world);
        let identity = Identity::new(&built);
        let totals = Totals::at_start(&mut built.world);
        let Built { mut world, meshes, evaluated, .. } = built;
        world.watch(interrupt.clone(), Activity::unobserved());
        let watchdog = StepLimits::new(&scene, None).watchdog(interrupt.clone());
        Self {
            scene,
            fingerprint,
            identity,
            clock,
            world,
            meshes,
            totals,
            settling,
            tangent: None,
            watchdog,
            interrupt,
            evaluated,
        }
    }

    /// Names of all colliders, by the numbers of contact forces: bodies, then the obstacles of the scene.
    pub fn collider_names(&self) -> Vec<String> {
        crate::trace::collider_names(&self.scene, &self.world)
    }

    /// Heat since the start by cause (J).
    pub fn heat(&self) -> resile_record::Heat {
        self.totals.heat()
    }

    /// Performs a step of settling; returns false if there is nothing to settle.
    ///
    /// # Errors
    /// If the start does not settle, or the step is interrupted or exceeds its time limit.
    pub fn settle(&mut self) -> Result<bool, RunError> {
        let Some(settling) = &mut self.settling else { return Ok(false) };
        self.watchdog.begin();
        let result = settling.advance(&mut self.world);
        self.watchdog.end();
        let limits = StepLimits::new(&self.scene, None);
        let step = result.map_err(|failure| limits.settling_error(failure))?;
        if let Some(settled) = step.settled {
            self.settling = None;
            self.totals = Totals::at_start(&mut self.world);
            self.totals.settled = Some(super::settle::settling_record(settled));
        }
        Ok(true)
    }

    /// Performs a step of the scene's analysis, after settling if necessary. Steps beyond the duration are allowed.
    ///
    /// # Errors
    /// If it fails, is interrupted or exceeds its time limit; the state is then unchanged.
    pub fn advance(&mut self) -> Result<StepRecord, RunError> {
        while self.settle()? {}
        let step = self.totals.steps + 1;
        let h = self.scene.time.step.seconds();
        let end = self.clock.after(step);
        refuse_undefined(&self.evaluated, self.scene.units, step, end)?;
        let (analysis, tangent) = (&self.scene.analysis, &mut self.tangent);
        self.watchdog.begin();
        let result = take_step(&mut self.world, analysis, tangent, [h, end]);
        self.watchdog.end();
        let limits = StepLimits::new(&self.scene, None);
        let record = result.map_err(|failure| {
            let pressed = pressed_bodies(&self.scene, &self.world, &failure);
            limits.step_error(step, end, failure, pressed)
        })?;
        self.totals.add_step(&record);
        Ok(record)
    }

    /// The exact state with the memory of the integrator, as the bytes of a checkpoint.
    pub fn save(&self) -> Vec<u8> {
        let states =
            (0..self.world.body_count()).map(|b| StateRecord::from(self.world.state(b))).collect();
        // Computing times are not part of the state.
        let phase_seconds = PhaseSeconds::default();
        let progress = Progress { phase_seconds, ..self.totals.to_progress(0.0) };
        let Identity { described, bodies } = self.identity.clone();
        let file_extents = FileExtents::default();
        let checkpoint = Checkpoint { described, bodies, states, progress, file_extents };
        checkpoint.to_bytes(self.fingerprint)
    }

    /// Restores a state of [`save`](Self::save) of the same scene. Targets and forces are reset
    /// ([`World::reset_controls`]). Released nodes stay free: to restore a state before their release, construct a new
    /// stepper.
    ///
    /// # Errors
    /// If it belongs to another scene or is invalid.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let name = Path::new("the saved state");
        if matches!(self.scene.analysis, Analysis::ArcLength { .. }) {
            let error = "it does not contain the direction of the equilibrium path".to_owned();
            return Err(CheckpointError::Contents { path: name.to_owned(), errors: vec![error] });
        }
        let checkpoint = Checkpoint::of_bytes(name, bytes, self.fingerprint)?;
        let settles = checkpoint.progress.settled.is_some();
        let mut errors = Vec::new();
        let restored = RestoredScene { scene: &self.scene, clock: &self.clock, settles };
        let totals =
            restore_world(restored, &mut self.world, &self.identity, checkpoint, &mut errors);
        if !errors.is_empty() {
            return Err(CheckpointError::Contents { path: name.to_owned(), errors });
        }
        (self.totals, self.settling) = (totals, None);
        self.world.reset_controls().map_err(|error| CheckpointError::Contents {
            path: name.to_owned(),
            errors: vec![error.to_string()],
        })
    }

    /// Moves the prescribed nodes of a body straight to `targets` (m) in the next step
    /// ([`World::set_targets`]). Targets are not part of a saved state.
    ///
    /// # Errors
    /// If the targets are invalid.
    pub fn set_targets(&mut self, body: usize, targets: &[Vec3]) -> Result<(), ControlError> {
        let end = self.clock.after(self.totals.steps + 1);
        self.world.set_targets(body, targets, end)
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The mutable world, for observations and controls.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The meshes of the bodies, in the world's order.
    pub fn meshes(&self) -> &[BodyMesh] {
        &self.meshes
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of completed steps.
    pub fn steps(&self) -> u64 {
        self.totals.steps
    }

    /// Steps up to the duration of the scene.
    pub fn steps_asked(&self) -> u64 {
        self.clock.steps(&self.scene.time)
    }

    /// The time (s) of the state.
    pub fn time(&self) -> f64 {
        self.clock.after(self.totals.steps)
    }

    /// Energy flows since the start.
    pub fn flows(&self) -> EnergyFlows {
        self.totals.flows()
    }

    /// The flag that interrupts a step.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}
