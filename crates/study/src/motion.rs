//! Whether the energy that A-search conserves displaces bodies.
//!
//! Displacements follow the mean velocity of a step. Kinetic energy of the velocities at the end of a step is *idle* if
//! no neighbouring step has a mean velocity of that size: it counts towards the energy target but displaces nothing.
//! The study runs scenes without friction and damping under each rule for the velocity correction and measures the idle
//! fraction, the first and last apex, the missing energy, and the cost.

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::track::{Track, builtin_text, scene_with};
use rayon::prelude::*;
use resile_plot::{Axis, Curve, Graph, Marks};

/// The rules for the velocity correction, as in scenes.
pub const CORRECTIONS: [&str; 6] = [
    "Plain",
    "Resolved(c: 0.02)",
    "Resolved(c: 0.05)",
    "Resolved(c: 0.1)",
    "Split(elastic: 0)",
    "Along",
];

/// Number of steps before and after a step in which its motion is searched for: impacts last three or four steps, and
/// unresolved vibrations have a period of six.
const NEIGHBOURING_STEPS: usize = 3;

/// Largest idle fraction of the kinetic energy that passes.
const MAX_IDLE_FRACTION: f64 = 0.05;

/// A scene of the study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionScene {
    /// The name in tables.
    pub name: &'static str,
    /// The built-in scene.
    scene: &'static str,
    /// Overrides of its fields.
    fields: &'static [&'static str],
    /// Duration (s).
    seconds: f64,
    /// Duration with `--quick` (s); `None` omits the scene.
    quick: Option<f64>,
}

/// An entry of [`SCENES`].
const fn new_scene(
    name: &'static str,
    scene: &'static str,
    fields: &'static [&'static str],
    seconds: f64,
    quick: Option<f64>,
) -> MotionScene {
    MotionScene { name, scene, fields, seconds, quick }
}

/// All scenes, with overrides that remove decay and friction.
pub static SCENES: [MotionScene; 12] = [
    new_scene(
        "phantom",
        "bouncing-ball-abd",
        &[
            "bodies.ball.placement.translate=(0, 0.3, 0)",
            "materials.hard rubber.model.young=1e8",
            "solver.tolerance=1e-3",
        ],
        75.0,
        Some(10.0),
    ),
    new_scene("affine ball", "bouncing-ball-abd", &[], 10.0, Some(2.0)),
    new_scene("soft ball", "bouncing-ball-soft", &[], 10.0, Some(0.6)),
    new_scene("medium ball", "bouncing-ball-medium", &[], 10.0, None),
    new_scene("stiff ball", "bouncing-ball-stiff", &[], 10.0, None),
    new_scene("two balls", "study/two-balls", &[], 1.0, Some(0.5)),
    new_scene("dice", "dice", NO_FRICTION, 2.0, None),
    new_scene("affine dice", "dice", NO_FRICTION_AFFINE, 2.0, None),
    new_scene("membrane", "membrane", &["bodies.membrane.shape.rings=24"], 2.0, None),
    new_scene("rotating cube", "rotating-cube-soft", &[], 10.0, Some(1.0)),
    new_scene(
        "twisted mat",
        "bench/mat-twist-40",
        &["bodies.mat.shape.cells=(15, 1, 15)"],
        5.0,
        None,
    ),
    new_scene("chain net", "chain-net-small", &[], 1.0, None),
];

const NO_FRICTION: &[&str] = &["obstacles.floor.friction=0"];
const NO_FRICTION_AFFINE: &[&str] = &["obstacles.floor.friction=0", "bodies.die.kind=Affine"];

/// Results of a rule in a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionEntry {
    /// The scene.
    pub scene: MotionScene,
    /// The rule, as in scenes.
    pub correction: &'static str,
    /// Steps a second.
    pub resolution: u32,
    /// The recorded run.
    pub track: Track,
}

impl MotionEntry {
    /// Idle kinetic energy over total kinetic energy, both summed over steps.
    pub fn idle_fraction(&self) -> f64 {
        let (mut idle, mut total) = (0.0, 0.0);
        for b in 0..self.track.bodies.len() {
            let energies: Vec<[f64; 2]> =
                self.track.snapshots.iter().skip(1).map(|s| s.energies_of_motion[b]).collect();
            for (step, [kinetic, _]) in energies.iter().enumerate() {
                let neighbours = step.saturating_sub(NEIGHBOURING_STEPS)
                    ..(step + NEIGHBOURING_STEPS + 1).min(energies.len());
                let max_motion =
                    energies[neighbours].iter().map(|[_, motion]| *motion).fold(0.0, f64::max);
                idle += (kinetic - max_motion).max(0.0);
                total += kinetic;
            }
        }
        if total > 0.0 { idle / total } else { 0.0 }
    }

    /// Excess of the kinetic energy at the ends of steps over that of the mean velocities, relative to the total.
    pub fn undisplaced_fraction(&self) -> f64 {
        let energy_sum = |k: usize| -> f64 {
            let steps = self.track.snapshots.iter().skip(1);
            steps
                .map(|s| s.energies_of_motion.iter().map(|energies| energies[k]).sum::<f64>())
                .sum()
        };
        1.0 - energy_sum(1) / energy_sum(0)
    }

    /// Largest height (m) of the first body in a part of the run, given by fractions of its duration.
    pub fn max_height(&self, [from, to]: [f64; 2]) -> f64 {
        let is_within = |time: f64| (from..=to).contains(&(time / self.track.duration()));
        let snapshots = self.track.snapshots.iter().filter(|s| is_within(s.time));
        snapshots.map(|s| s.centers[0].y).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Runs all scenes (with `quick` those that have a short version) under all rules with these steps per second.
///
/// # Errors
/// If a scene cannot be built.
pub fn measure(
    quick: bool,
    resolutions: &[u32],
    watch: Watch<'_>,
) -> Result<Vec<MotionEntry>, StudyError> {
    let mut runs = Vec::new();
    for scene in &SCENES {
        let Some(duration) = (if quick { scene.quick } else { Some(scene.seconds) }) else {
            continue;
        };
        for &resolution in resolutions {
            runs.extend(CORRECTIONS.map(|correction| (scene, duration, resolution, correction)));
        }
    }
    let run_scene = |(motion_scene, duration, resolution, correction): (
        &MotionScene,
        f64,
        u32,
        &'static str,
    )| {
        let overrides = [
            format!("integrator=ASearch(correction: {correction})"),
            format!("time.duration={duration}"),
            format!("time.step=1/{resolution}"),
        ];
        let changes =
            motion_scene.fields.iter().copied().chain(overrides.iter().map(String::as_str));
        let scene = scene_with(motion_scene.name, builtin_text(motion_scene.scene)?, changes)?;
        let track = Track::new(&scene, motion_scene.name)?;
        watch(&format!("{}, {correction} at {resolution} steps/s", motion_scene.name));
        Ok(MotionEntry { scene: *motion_scene, correction, resolution, track })
    };
    runs.into_par_iter().with_max_len(1).map(run_scene).collect()
}

/// One row per run.
pub fn table(entries: &[MotionEntry]) -> Table {
    Table::with_rows("motion", entries)
        .column("scene", |e| e.scene.name)
        .column("steps/s", |e| e.resolution)
        .column("correction", |e| e.correction)
        .number("idle", 3, MotionEntry::idle_fraction)
        .number("1 - motion/kinetic", 3, MotionEntry::undisplaced_fraction)
        .number("first apex (m)", 4, |e| e.max_height([0.2, 0.4]))
        .number("last apex (m)", 4, |e| e.max_height([0.8, 1.0]))
        .number("gain/available", 2, |e| e.track.gain() / e.track.available())
        .number("missing/available", 3, |e| e.track.loss() / e.track.available())
        .number("heat (J)", 3, |e| e.track.heat())
        .number("rest loss (J)", 3, |e| e.track.rest_loss())
        .column("Newton iterations", |e| e.track.newton_iterations)
        .column("in the motion", |e| {
            if e.idle_fraction() <= MAX_IDLE_FRACTION { "yes" } else { "less" }
        })
        .column("failure", |e| e.track.failure.as_deref())
        .table()
}

/// Heights of the first scene over time, at the first number of steps per second.
pub fn chart(entries: &[MotionEntry]) -> Graph {
    let first_series = entries.first().map(|e| (e.scene.name, e.resolution));
    let first_entries =
        entries.iter().filter(|e| Some((e.scene.name, e.resolution)) == first_series);
    let curve = |(color_index, e): (usize, &MotionEntry)| {
        Curve::new(e.correction, color_index, envelope(e))
    };
    let curves: Vec<Curve> = first_entries.enumerate().map(curve).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().map(|p| p.0).fold(1e-3, f64::max);
    let top = points().map(|p| p.1).fold(1e-3, f64::max);
    Graph {
        name: "motion".to_owned(),
        x: Axis::linear("time (s)", [0.0, end]),
        y: Axis::linear("apex of the centre within a second (m)", [0.0, 1.1 * top]),
        marks: Marks::Lines,
        curves,
    }
}

/// Largest height of the first body in each second.
fn envelope(entry: &MotionEntry) -> Vec<(f64, f64)> {
    let seconds = entry.track.duration().floor().max(1.0) as u32;
    let apex_of = |second: u32| {
        let from = f64::from(second);
        let in_second =
            entry.track.snapshots.iter().filter(|s| s.time >= from && s.time <= from + 1.0);
        (from + 0.5, in_second.map(|s| s.centers[0].y).fold(0.0, f64::max))
    };
    (0..seconds).map(apex_of).collect()
}
