//! Whether the energy that A-search conserves displaces bodies.
//!
//! Displacements follow the mean velocity of a step. Kinetic energy of the velocities at the end of a step is *idle* if no
//! neighbouring step has a mean velocity of that size: it counts towards the energy target but displaces nothing. The study
//! runs scenes without friction and damping under each rule for the velocity correction and measures the idle fraction, the
//! first and last apex, the missing energy, and the cost.

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::track::{Track, named, overridden};
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

/// Number of steps before and after a step that are searched for motion: impacts last three or four steps, and unresolved
/// vibrations have a period of six.
const NEIGHBOURING_STEPS: usize = 3;

/// Largest idle fraction of the kinetic energy that passes.
const MAX_IDLE_FRACTION: f64 = 0.05;

/// A scene of the study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionScene {
    /// Its name in tables.
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

const fn bench(
    name: &'static str,
    scene: &'static str,
    fields: &'static [&'static str],
    seconds: f64,
    quick: Option<f64>,
) -> MotionScene {
    MotionScene { name, scene, fields, seconds, quick }
}

/// All scenes, with overrides that remove decay and friction.
pub static BENCHES: [MotionScene; 12] = [
    bench(
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
    bench("affine ball", "bouncing-ball-abd", &[], 10.0, Some(2.0)),
    bench("soft ball", "bouncing-ball-soft", &[], 10.0, Some(0.6)),
    bench("medium ball", "bouncing-ball-medium", &[], 10.0, None),
    bench("stiff ball", "bouncing-ball-stiff", &[], 10.0, None),
    bench("two balls", "study/two-balls", &[], 1.0, Some(0.5)),
    bench("dice", "dice", NO_FRICTION, 2.0, None),
    bench("affine dice", "dice", NO_FRICTION_AFFINE, 2.0, None),
    bench("membrane", "membrane", &["bodies.membrane.shape.rings=24"], 2.0, None),
    bench("rotating cube", "rotating-cube-soft", &[], 10.0, Some(1.0)),
    bench("twisted mat", "bench/mat-twist-40", &["bodies.mat.shape.cells=(15, 1, 15)"], 5.0, None),
    bench("chain net", "chain-net-small", &[], 1.0, None),
];

const NO_FRICTION: &[&str] = &["obstacles.floor.friction=0"];
const NO_FRICTION_AFFINE: &[&str] = &["obstacles.floor.friction=0", "bodies.die.kind=Affine"];

/// Results of a rule in a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionEntry {
    /// The scene.
    pub bench: MotionScene,
    /// The rule, as in scenes.
    pub correction: &'static str,
    /// Steps a second.
    pub resolution: u32,
    /// The recorded run.
    pub track: Track,
}

impl MotionEntry {
    /// Idle kinetic energy over total kinetic energy, both summed over steps.
    pub fn idle(&self) -> f64 {
        let (mut idle, mut all) = (0.0, 0.0);
        for b in 0..self.track.bodies.len() {
            let energies: Vec<[f64; 2]> =
                self.track.moments.iter().skip(1).map(|m| m.energies_of_motion[b]).collect();
            for (step, [kinetic, _]) in energies.iter().enumerate() {
                let near = step.saturating_sub(NEIGHBOURING_STEPS)
                    ..(step + NEIGHBOURING_STEPS + 1).min(energies.len());
                let moved = energies[near].iter().map(|[_, motion]| *motion).fold(0.0, f64::max);
                idle += (kinetic - moved).max(0.0);
                all += kinetic;
            }
        }
        if all > 0.0 { idle / all } else { 0.0 }
    }

    /// Excess of the kinetic energy at the ends of steps over that of the mean velocities, relative to the total.
    pub fn undisplaced_fraction(&self) -> f64 {
        let sum = |k: usize| -> f64 {
            let steps = self.track.moments.iter().skip(1);
            steps.map(|m| m.energies_of_motion.iter().map(|of| of[k]).sum::<f64>()).sum()
        };
        1.0 - sum(1) / sum(0)
    }

    /// Largest height (m) of the first body in a part of the run.
    pub fn highest(&self, [from, to]: [f64; 2]) -> f64 {
        let within = |time: f64| (from..=to).contains(&(time / self.track.duration()));
        let moments = self.track.moments.iter().filter(|m| within(m.time));
        moments.map(|m| m.centers[0].y).fold(f64::NEG_INFINITY, f64::max)
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
    for bench in &BENCHES {
        let seconds = if quick { bench.quick } else { Some(bench.seconds) };
        for &resolution in resolutions {
            let of_rule = |correction| seconds.map(|s| (bench, s, resolution, correction));
            runs.extend(CORRECTIONS.iter().copied().filter_map(of_rule));
        }
    }
    let run_scene =
        |(bench, seconds, resolution, correction): (&MotionScene, f64, u32, &'static str)| {
            let overrides = [
                format!("integrator=ASearch(correction: {correction})"),
                format!("time.duration={seconds}"),
                format!("time.step=1/{resolution}"),
            ];
            let fields = bench.fields.iter().copied().chain(overrides.iter().map(String::as_str));
            let scene = overridden(bench.name, named(bench.scene)?, fields)?;
            let track = Track::new(&scene, bench.name)?;
            watch(&format!("{}, {correction} at {resolution} steps/s", bench.name));
            Ok(MotionEntry { bench: *bench, correction, resolution, track })
        };
    runs.into_par_iter().with_max_len(1).map(run_scene).collect()
}

/// A row a run.
pub fn table(entries: &[MotionEntry]) -> Table {
    Table::of("motion", entries)
        .column("scene", |e| e.bench.name)
        .column("steps/s", |e| e.resolution)
        .column("correction", |e| e.correction)
        .number("idle", 3, MotionEntry::idle)
        .number("1 - motion/kinetic", 3, MotionEntry::undisplaced_fraction)
        .number("first apex (m)", 4, |e| e.highest([0.2, 0.4]))
        .number("last apex (m)", 4, |e| e.highest([0.8, 1.0]))
        .number("gain/available", 2, |e| e.track.gain() / e.track.available())
        .number("missing/available", 3, |e| e.track.loss() / e.track.available())
        .number("heat (J)", 3, |e| e.track.heat())
        .number("rest loss (J)", 3, |e| e.track.rest_loss())
        .column("Newton iterations", |e| e.track.newton)
        .column("in the motion", |e| if e.idle() <= MAX_IDLE_FRACTION { "yes" } else { "less" })
        .column("failure", |e| e.track.stopped.as_deref())
        .table()
}

/// Heights of the first scene over time, at the first number of steps per second.
pub fn chart(entries: &[MotionEntry]) -> Graph {
    let first = entries.first().map(|e| (e.bench.name, e.resolution));
    let drawn = entries.iter().filter(|e| Some((e.bench.name, e.resolution)) == first);
    let curve = |(place, e): (usize, &MotionEntry)| Curve::new(e.correction, place, envelope(e));
    let curves: Vec<Curve> = drawn.enumerate().map(curve).collect();
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
    let of_second = |second: u32| {
        let from = f64::from(second);
        let within = entry.track.moments.iter().filter(|m| m.time >= from && m.time <= from + 1.0);
        (from + 0.5, within.map(|m| m.centers[0].y).fold(0.0, f64::max))
    };
    (0..seconds).map(of_second).collect()
}
