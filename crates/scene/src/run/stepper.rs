//! A scene that is stepped by a program and leaves no files.

use super::clock::Clock;
use super::identity::Identity;
use super::restore::take_up;
use super::totals::Totals;
use super::{RunError, beginning};
use crate::assemble::{BodyMesh, Built};
use crate::description::Scene;
use resile_math::Vec3;
use resile_record::{
    Checkpoint, CheckpointError, Fingerprint, PhaseSeconds, Progress, StateRecord, Written,
};
use resile_watch::{Activity, Cause, Interrupt};
use resile_world::{ControlError, Settling, StepFailure, StepRecord, World};
use std::path::Path;

/// A scene, one step a call. It takes the steps of a [`Run`](super::Run) of the scene, to the bit.
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
    interrupt: Interrupt,
}

/// What happened to energy since the start (J).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyFlows {
    /// Energy at the start.
    pub start: f64,
    /// Heat of friction, damping and plastic flow.
    pub dissipated: f64,
    /// Work of all prescribed motions.
    pub work: f64,
    /// What the rule of rest took.
    pub rest_loss: f64,
}

impl Stepper {
    /// The scene before its first step; a start that has to settle has not yet. Steps end when `interrupt` is raised.
    pub fn new(scene: Scene, mut built: Built, interrupt: Interrupt) -> Self {
        let fingerprint = built.fingerprint(&scene);
        let clock = Clock::new(&scene.time, built.world.state(0).time);
        let settling = beginning(&scene, &mut built.world);
        let identity = Identity::of(&built);
        let totals = Totals::at_start(&mut built.world);
        let Built { mut world, meshes, .. } = built;
        world.watch(interrupt.clone(), Activity::unseen());
        Self { scene, fingerprint, identity, clock, world, meshes, totals, settling, interrupt }
    }

    /// Takes a step of settling; whether there was one to take.
    ///
    /// # Errors
    /// If the start does not settle.
    pub fn settle(&mut self) -> Result<bool, RunError> {
        let Some(settling) = &mut self.settling else { return Ok(false) };
        let step = settling.advance(&mut self.world)?;
        if let Some(settled) = step.settled {
            self.settling = None;
            self.totals = Totals::at_start(&mut self.world);
            self.totals.settled = Some(super::settle::recorded(settled));
        }
        Ok(true)
    }

    /// Takes a step; what has not settled yet settles before. A scene may be stepped for longer than its duration.
    ///
    /// # Errors
    /// If it fails; the state is as it was before.
    pub fn advance(&mut self) -> Result<StepRecord, RunError> {
        while self.settle()? {}
        let step = self.totals.steps + 1;
        let h = self.scene.time.step.seconds();
        let record =
            self.world.step(h, self.clock.after(step)).map_err(|failure| match failure {
                StepFailure::Interrupted { cause: Cause::Asked, .. } => {
                    RunError::Interrupted { step: format!("step {step}") }
                }
                failure => RunError::Step { step, failure: Box::new(failure) },
            })?;
        self.totals.add(&record);
        Ok(record)
    }

    /// The state and all that the method remembers, to the bit.
    pub fn save(&self) -> Vec<u8> {
        let states =
            (0..self.world.body_count()).map(|b| StateRecord::from(self.world.state(b))).collect();
        // Seconds are no part of the state.
        let phase_seconds = PhaseSeconds::default();
        let progress = Progress { phase_seconds, ..self.totals.to_progress(0.0) };
        let Identity { described, bodies } = self.identity.clone();
        let written = Written::default();
        let checkpoint = Checkpoint { described, bodies, states, progress, written };
        checkpoint.to_bytes(self.fingerprint)
    }

    /// Goes on from what [`save`](Self::save) gave of the same scene. Targets and forces are taken back
    /// ([`World::reset_controls`]). Nodes that were released stay free: to go back to
    /// before their release, begin with a new one.
    ///
    /// # Errors
    /// If it is of another scene, or anything of it cannot be.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let name = Path::new("the saved state");
        let checkpoint = Checkpoint::of_bytes(name, bytes, self.fingerprint)?;
        let settles = checkpoint.progress.settled.is_some();
        let mut wrong = Vec::new();
        let place = (&self.scene, &self.clock, settles);
        let totals = take_up(place, &mut self.world, &self.identity, checkpoint, &mut wrong);
        if !wrong.is_empty() {
            return Err(CheckpointError::Contents { path: name.to_owned(), wrong });
        }
        (self.totals, self.settling) = (totals, None);
        self.world.reset_controls().map_err(|error| CheckpointError::Contents {
            path: name.to_owned(),
            wrong: vec![error.to_string()],
        })
    }

    /// Moves the prescribed nodes of a body straight to `targets` (m) in the next step
    /// ([`World::set_targets`]). These are no part of a saved state.
    ///
    /// # Errors
    /// If the body cannot be moved there.
    pub fn set_targets(&mut self, body: usize, targets: &[Vec3]) -> Result<(), ControlError> {
        let end = self.clock.after(self.totals.steps + 1);
        self.world.set_targets(body, targets, end)
    }

    /// The bodies as they are.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The bodies, to observe them or to reach in.
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

    /// Steps that were taken.
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

    /// What happened to energy since the start.
    pub fn flows(&self) -> EnergyFlows {
        self.totals.flows()
    }

    /// The flag that ends a step.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}
