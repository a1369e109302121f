//! Rest, friction and rotation of bodies compared with mechanics.
//!
//! The scenes of `scenes/rest` state the exact result in their first lines: a block on a slope, a
//! stack, a house of cards and an arch remain at rest; a falling box comes to rest without a gain of
//! energy; a rolling ball, a slipping ball and a sliding block have known accelerations, speeds and
//! distances; colliding balls preserve the ledger of energy and heat. Each scene is run with each method
//! and step, as solids and, where the scene allows it, as affine bodies, and its [`Track`] is compared with the exact result.

mod bench;

pub use bench::{BENCHES, Bench, Kind, MeasuredQuantity};

use crate::drive::{StudyError, Watch};
use crate::table::{Cell, Deviation, Table};
use crate::track::Track;
use rayon::prelude::*;
use resile_scene::description::{Control, Scheme};

/// Methods as in scenes.
pub const METHODS: [&str; 7] = [
    "ASearch()",
    "A1",
    "ASearch(control: Filtered())",
    "ASearch(control: Sparse())",
    "ImplicitEuler",
    "Bdf2",
    "TrBdf2",
];
/// Slip speed (m/s) of friction in the scenes, below which bodies are at rest.
pub const SLIP_SPEED: f64 = 1e-3;
/// `d_hat` (m) of the scenes.
const D_HAT: f64 = 1e-3;
/// Acceleration of free fall (m/s^2) of the scenes that start in equilibrium.
const FREE_FALL: f64 = 9.81;
/// Largest gain over available energy of rules that never exceed their target: rounding.
const MAX_DEADBEAT_GAIN: f64 = 1e-9;
/// Largest gain over available energy of other methods.
const MAX_GAIN: f64 = 0.02;

/// Results of a method in a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchEntry {
    /// The scene.
    pub bench: &'static Bench,
    /// The kind of its bodies.
    pub kind: Kind,
    /// The method as the scene writes it, without empty brackets.
    pub method: String,
    /// Steps a second.
    pub resolution: u32,
    /// Whether the method controls the energy of each step, so that it never exceeds the target.
    pub deadbeat: bool,
    /// The recorded run.
    pub track: Track,
}

impl BenchEntry {
    /// Energy gain over available energy.
    pub fn gain(&self) -> f64 {
        self.track.gain() / self.available()
    }

    /// Energy lost other than as heat, over available energy.
    pub fn loss(&self) -> f64 {
        self.track.loss() / self.available()
    }

    /// Available energy (J), at least that of a fall through `d_hat`. Scenes that start in equilibrium have almost none.
    fn available(&self) -> f64 {
        self.track.available().max(self.track.mass * FREE_FALL * D_HAT)
    }

    /// Whether the gain is within its bound.
    pub fn has_no_energy_gain(&self) -> bool {
        self.gain() <= if self.deadbeat { MAX_DEADBEAT_GAIN } else { MAX_GAIN }
    }

    /// The measured value, if the scene measures one.
    pub fn figure(&self) -> Option<f64> {
        self.bench.question.figure(&self.track)
    }

    /// The exact value, if it is known.
    pub fn exact(&self) -> Option<f64> {
        self.bench.question.exact(1.0 / f64::from(self.resolution))
    }

    /// Whether the result is the expected one; `None` if none is known.
    pub fn as_expected(&self) -> Option<bool> {
        if self.track.stopped.is_some() {
            return Some(false);
        }
        match self.bench.question {
            MeasuredQuantity::Rest => Some(self.track.final_speed() < SLIP_SPEED),
            question => {
                let (figure, exact) = (self.figure()?, self.exact()?);
                Some((figure / exact - 1.0).abs() <= question.tolerance())
            }
        }
    }
}

/// Runs one scene with one method.
///
/// # Errors
/// If the method is unknown, or invalid for the scene. A failed step ends the track without an
/// error.
pub fn entry(
    bench: &'static Bench,
    kind: Kind,
    method: &str,
    resolution: u32,
) -> Result<BenchEntry, StudyError> {
    let scene = bench.scene(kind, method, resolution)?;
    let control = Control::Deadbeat;
    let deadbeat = matches!(&scene.integrator, Scheme::ASearch { control: c, .. } if *c == control);
    let track = Track::new(&scene, bench.name)?;
    let method = method.strip_suffix("()").unwrap_or(method).to_owned();
    Ok(BenchEntry { bench, kind, method, resolution, deadbeat, track })
}

/// Runs all scenes with these methods and steps per second.
///
/// # Errors
/// If a method is unknown.
pub fn measure(
    methods: &[&str],
    resolutions: &[u32],
    watch: Watch<'_>,
) -> Result<Vec<BenchEntry>, StudyError> {
    let mut runs = Vec::new();
    for bench in &BENCHES {
        for &kind in bench.kinds {
            for &resolution in resolutions {
                runs.extend(methods.iter().map(|&method| (bench, kind, method, resolution)));
            }
        }
    }
    let run_entry = |(bench, kind, method, resolution): (&'static Bench, Kind, &str, u32)| {
        let entry = entry(bench, kind, method, resolution)?;
        let stopped = entry.track.stopped.as_deref().map(|why| format!(": {why}"));
        let (name, kind, why) = (bench.name, kind.name(), stopped.unwrap_or_default());
        watch(&format!("{name} ({kind}), {method} at {resolution} steps/s{why}"));
        Ok(entry)
    };
    runs.into_par_iter().with_max_len(1).map(run_entry).collect()
}

/// A row a run.
pub fn table(entries: &[BenchEntry]) -> Table {
    let columns = [
        "scene",
        "kind",
        "method",
        "steps/s",
        "gain/available",
        "loss/available",
        "heat (J)",
        "rest loss (J)",
        "displacement (mm)",
        "speed in last fifth (mm/s)",
        "time to rest (s)",
        "quantity",
        "value",
        "exact",
        "no energy gain",
        "as expected",
        "Newton iterations",
    ];
    let mut table = Table::new("rest", &columns);
    for e in entries {
        let t = &e.track;
        table.push(vec![
            Cell::text(e.bench.name),
            Cell::text(e.kind.name()),
            Cell::text(&e.method),
            Cell::Count(e.resolution.into()),
            Cell::Number(e.gain(), 2),
            Cell::Number(e.loss(), 2),
            Cell::Number(t.heat(), 3),
            Cell::Number(t.rest_loss(), 3),
            Cell::Number(1e3 * t.moved(), 3),
            Cell::Number(1e3 * t.final_speed(), 3),
            t.time_of_rest(SLIP_SPEED).map_or(Cell::Nothing, |time| Cell::Number(time, 3)),
            Cell::text(e.bench.question.name()),
            e.figure().map_or(Cell::Nothing, |figure| Cell::Number(figure, 4)),
            e.exact().map_or(Cell::Nothing, |exact| Cell::Number(exact, 4)),
            Cell::Verdict(e.has_no_energy_gain()),
            verdict(e),
            Cell::Count(t.newton as u64),
        ]);
    }
    table.compare("from exact (%)", Deviation::Percent, "value", "exact");
    table
}

fn verdict(entry: &BenchEntry) -> Cell {
    match &entry.track.stopped {
        Some(_) => Cell::text("stopped"),
        None => entry.as_expected().map_or(Cell::Nothing, Cell::Verdict),
    }
}

/// One row per run and body: its displacement, and its velocity in the last twentieth of the run.
pub fn bodies(entries: &[BenchEntry]) -> Table {
    let columns = [
        "scene",
        "kind",
        "method",
        "steps/s",
        "body",
        "displacement x (m)",
        "displacement y (m)",
        "displacement z (m)",
        "velocity x (m/s)",
        "velocity y (m/s)",
        "velocity z (m/s)",
    ];
    let mut table = Table::new("rest-bodies", &columns);
    for e in entries {
        for (b, name) in e.track.bodies.iter().enumerate() {
            let mut row = vec![
                Cell::text(e.bench.name),
                Cell::text(e.kind.name()),
                Cell::text(&e.method),
                Cell::Count(e.resolution.into()),
                Cell::text(name),
            ];
            let vectors = [e.track.displacement(b), e.track.velocity(b, [0.95, 1.0])];
            row.extend(vectors.iter().flat_map(|v| v.to_array()).map(Cell::number));
            table.push(row);
        }
    }
    table
}
