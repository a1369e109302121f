//! The record of a run: energies and positions of bodies.

use crate::drive::{StudyError, scene_error};
use resile_assembly::{Built, build, settle};
use resile_scene::description::{Scene, Time};
use resile_scene::text::SceneText;
use resile_system::Vec3;
use resile_world::{BodyEnergies, Observed, World};
use std::path::Path;

/// The scene of a text with overrides as for `--set`.
pub(crate) fn scene_with<'f>(
    name: &str,
    text: &str,
    fields: impl IntoIterator<Item = &'f str>,
) -> Result<Scene, StudyError> {
    let mut text = SceneText::new(name, text);
    for field in fields {
        text.set(field).map_err(|diagnostic| scene_error(name, diagnostic.message))?;
    }
    Ok(text.load().map_err(|problems| scene_error(name, &problems[0].message))?.scene)
}

/// The text of a built-in scene.
pub(crate) fn builtin_text(name: &str) -> Result<&'static str, StudyError> {
    let scene = resile_scenes::named(name);
    Ok(scene.ok_or_else(|| scene_error(name, "the program has no scene of this name"))?.text)
}

/// Builds a scene that reads no files; the error is the first problem.
pub(crate) fn build_scene(scene: &Scene, name: &str) -> Result<Built, StudyError> {
    build(scene, Path::new("")).map_err(|problems| scene_error(name, &problems[0].message))
}

/// The world at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Time (s).
    pub time: f64,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy (J).
    pub potential: f64,
    /// Heat since the start (J).
    pub heat: f64,
    /// Energy that the rule of rest has removed since the start (J).
    pub rest_loss: f64,
    /// Centre of mass (m) of each body.
    pub centers: Vec<Vec3>,
    /// For each body the kinetic energy (J) of its velocities, and that of the mean velocities of the last step (equal
    /// at the start).
    pub energies_of_motion: Vec<[f64; 2]>,
}

impl Snapshot {
    /// Energy plus heat and rest loss (J). These scenes have no work of prescribed motions, so changes are errors of
    /// the method.
    fn ledger(&self) -> f64 {
        self.kinetic + self.potential + self.heat + self.rest_loss
    }
}

/// The initial state of a run and the end of each step.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// The mass of all bodies (kg).
    pub mass: f64,
    /// The recorded states; the first is the initial one.
    pub snapshots: Vec<Snapshot>,
    /// Newton iterations of the run; for islands solved in parallel the largest number.
    pub newton_iterations: usize,
    /// Largest number of pairs in contact at the end of a step.
    pub max_contacts: usize,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

impl Track {
    /// Runs a scene without files, from its settled start as `sim run` does.
    pub(crate) fn new(scene: &Scene, name: &str) -> Result<Self, StudyError> {
        let mut world = build_scene(scene, name)?.world;
        settle(scene, &mut world).map_err(|failure| scene_error(name, failure))?;
        Ok(Self::record(&mut world, &scene.time))
    }

    /// Runs a world to its end time, or until a step fails, and records it.
    pub(crate) fn record(world: &mut World, time: &Time) -> Self {
        let bodies: Vec<String> =
            (0..world.body_count()).map(|b| world.name(b).to_owned()).collect();
        let observed = world.observe();
        let max_contacts = observed.certificate.contacts;
        let snapshots = vec![snapshot(world, 0.0, &observed, None, [0.0; 2])];
        let mass = world.mass();
        let mut track =
            Self { bodies, mass, snapshots, newton_iterations: 0, max_contacts, failure: None };
        for step in 1..=time.steps() {
            let end = time.step.time_after(step);
            if let Err(failure) = track.step(world, time.step.seconds(), end) {
                track.failure = Some(failure);
                break;
            }
        }
        track
    }

    /// Takes a step and records its end; the error is that of the failed step.
    fn step(&mut self, world: &mut World, h: f64, end: f64) -> Result<(), String> {
        let record = world.step(h, end).map_err(|failure| failure.to_string())?;
        let heat = self.heat() + record.dissipated.iter().sum::<f64>();
        let rest_loss = self.end().rest_loss + record.rest_loss.iter().sum::<f64>();
        let motion = Some(&record.motion[..]);
        self.snapshots.push(snapshot(world, end, &record.observed, motion, [heat, rest_loss]));
        self.newton_iterations += record.iterations;
        self.max_contacts = self.max_contacts.max(record.observed.certificate.contacts);
        Ok(())
    }

    /// The initial state.
    fn start(&self) -> &Snapshot {
        &self.snapshots[0]
    }

    /// The last recorded state.
    fn end(&self) -> &Snapshot {
        &self.snapshots[self.snapshots.len() - 1]
    }

    /// Simulated time (s).
    pub fn duration(&self) -> f64 {
        self.end().time
    }

    /// Total heat (J).
    pub fn heat(&self) -> f64 {
        self.end().heat
    }

    /// Available energy (J): the initial energy minus the least potential of the run.
    pub fn available(&self) -> f64 {
        let lowest = self.snapshots.iter().map(|s| s.potential).fold(f64::INFINITY, f64::min);
        self.start().ledger() - lowest
    }

    /// Largest excess of energy plus heat over the initial energy (J).
    pub fn gain(&self) -> f64 {
        let ledgers = self.snapshots.iter().map(Snapshot::ledger);
        ledgers.fold(f64::NEG_INFINITY, f64::max) - self.start().ledger()
    }

    /// Total energy that the rule of rest removed (J).
    pub fn rest_loss(&self) -> f64 {
        self.end().rest_loss
    }

    /// Deficit of energy plus heat at the end relative to the initial energy (J).
    pub fn loss(&self) -> f64 {
        self.start().ledger() - self.end().ledger()
    }

    /// Final displacement of a body (m).
    pub fn displacement(&self, body: usize) -> Vec3 {
        self.end().centers[body] - self.start().centers[body]
    }

    /// Largest final displacement of any body (m).
    pub fn max_displacement(&self) -> f64 {
        let distances = (0..self.bodies.len()).map(|b| self.displacement(b).length());
        distances.fold(0.0, f64::max)
    }

    /// Mean velocity (m/s) of a body between two states of the run, given as fractions of its steps.
    pub fn velocity(&self, body: usize, fractions: [f64; 2]) -> Vec3 {
        let last = (self.snapshots.len() - 1) as f64;
        let [a, b] = fractions.map(|fraction| &self.snapshots[(fraction * last).round() as usize]);
        (b.centers[body] - a.centers[body]) / (b.time - a.time)
    }

    /// Mean speed (m/s) of the fastest body in the last fifth of the run.
    pub fn final_speed(&self) -> f64 {
        let speeds = (0..self.bodies.len()).map(|b| self.velocity(b, [0.8, 1.0]).length());
        speeds.fold(0.0, f64::max)
    }

    /// The time (s) after which no body moves faster than `speed` (m/s): the end of the last step in which one does.
    /// `None` if that is the last step of the run.
    pub fn time_of_rest(&self, speed: f64) -> Option<f64> {
        let has_motion = |pair: &&[Snapshot]| {
            let max_distance = speed * (pair[1].time - pair[0].time);
            let mut displacements = pair[0].centers.iter().zip(&pair[1].centers);
            displacements.any(|(start, end)| (*end - *start).length() > max_distance)
        };
        let time = self.snapshots.windows(2).rfind(has_motion).map_or(0.0, |pair| pair[1].time);
        (time < self.duration()).then_some(time)
    }
}

/// Records the state of a world. `motion` holds the kinetic energy of the mean velocities of each body in the last
/// step.
fn snapshot(
    world: &World,
    time: f64,
    observed: &Observed,
    motion: Option<&[f64]>,
    [heat, rest_loss]: [f64; 2],
) -> Snapshot {
    let centers = (0..world.body_count()).map(|b| world.center_of_mass(b)).collect();
    let energies_of = |(b, body): (usize, &BodyEnergies)| {
        [body.kinetic, motion.map_or(body.kinetic, |motion| motion[b])]
    };
    let energies_of_motion = observed.bodies.iter().enumerate().map(energies_of).collect();
    let (kinetic, potential) = (observed.kinetic(), observed.potential());
    Snapshot { time, kinetic, potential, heat, rest_loss, centers, energies_of_motion }
}
