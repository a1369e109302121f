//! Rest, friction and rotation of bodies compared with mechanics.
//!
//! The scenes of `scenes/rest` state the exact result in their first lines: a block on a slope, a stack, a house of
//! cards and an arch remain at rest; a falling box comes to rest without a gain of energy; a rolling ball, a slipping
//! ball and a sliding block have known accelerations, speeds and distances; colliding balls preserve the ledger of
//! energy and heat. Each scene is run with each method and step, as solids and, where the scene allows it, as affine
//! bodies, and its [`Track`] is compared with the exact result.

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

    /// Available energy (J), at least that of a fall through `d_hat`. Scenes that start in equilibrium have almost
    /// none.
    fn available(&self) -> f64 {
        self.track.available().max(self.track.mass * FREE_FALL * D_HAT)
    }

    /// Whether the gain is within its bound.
    pub fn has_no_energy_gain(&self) -> bool {
        self.gain() <= if self.deadbeat { MAX_DEADBEAT_GAIN } else { MAX_GAIN }
    }

    /// The measured value, if the scene measures one.
    pub fn value(&self) -> Option<f64> {
        self.bench.quantity.measured(&self.track)
    }

    /// The exact value, if it is known.
    pub fn exact(&self) -> Option<f64> {
        self.bench.quantity.exact(1.0 / f64::from(self.resolution))
    }

    /// Whether the result is the expected one; `None` if none is known.
    pub fn as_expected(&self) -> Option<bool> {
        if self.track.failure.is_some() {
            return Some(false);
        }
        match self.bench.quantity {
            MeasuredQuantity::Rest => Some(self.track.final_speed() < SLIP_SPEED),
            quantity => {
                let (value, exact) = (self.value()?, self.exact()?);
                Some((value / exact - 1.0).abs() <= quantity.tolerance())
            }
        }
    }
}

/// Runs one scene with one method.
///
/// # Errors
/// If the method is unknown, or invalid for the scene. A failed step ends the track without an
/// error.
pub fn run_bench(
    bench: &'static Bench,
    kind: Kind,
    method: &str,
    resolution: u32,
) -> Result<BenchEntry, StudyError> {
    let scene = bench.scene(kind, method, resolution)?;
    let deadbeat = matches!(
        &scene.integrator,
        Scheme::ASearch { control, .. } if *control == Control::Deadbeat
    );
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
        let entry = run_bench(bench, kind, method, resolution)?;
        let failure_text = entry.track.failure.as_deref().map(|failure| format!(": {failure}"));
        let (name, kind, failure) = (bench.name, kind.name(), failure_text.unwrap_or_default());
        watch(&format!("{name} ({kind}), {method} at {resolution} steps/s{failure}"));
        Ok(entry)
    };
    runs.into_par_iter().with_max_len(1).map(run_entry).collect()
}

/// One row per run.
pub fn table(entries: &[BenchEntry]) -> Table {
    Table::with_rows("rest", entries)
        .column("scene", |e| e.bench.name)
        .column("kind", |e| e.kind.name())
        .column("method", |e| e.method.as_str())
        .column("steps/s", |e| e.resolution)
        .number("gain/available", 2, BenchEntry::gain)
        .number("loss/available", 2, BenchEntry::loss)
        .number("heat (J)", 3, |e| e.track.heat())
        .number("rest loss (J)", 3, |e| e.track.rest_loss())
        .number("displacement (mm)", 3, |e| 1e3 * e.track.max_displacement())
        .number("speed in last fifth (mm/s)", 3, |e| 1e3 * e.track.final_speed())
        .number("time to rest (s)", 3, |e| e.track.time_of_rest(SLIP_SPEED))
        .column("quantity", |e| e.bench.quantity.name())
        .number("value", 4, BenchEntry::value)
        .number("exact", 4, BenchEntry::exact)
        .column("no energy gain", BenchEntry::has_no_energy_gain)
        .column("as expected", verdict)
        .column("Newton iterations", |e| e.track.newton_iterations)
        .compare("from exact (%)", Deviation::Percent, "value", "exact")
        .table()
}

/// The verdict of a run, or that it stopped early.
fn verdict(entry: &BenchEntry) -> Cell {
    match &entry.track.failure {
        Some(_) => Cell::text("stopped"),
        None => entry.as_expected().into(),
    }
}

/// One row per run and body: its displacement, and its velocity in the last twentieth of the run.
pub fn bodies(entries: &[BenchEntry]) -> Table {
    let bodies: Vec<(&BenchEntry, usize)> =
        entries.iter().flat_map(|e| (0..e.track.bodies.len()).map(move |b| (e, b))).collect();
    let displacement = |(e, b): &(&BenchEntry, usize)| e.track.displacement(*b);
    let velocity = |(e, b): &(&BenchEntry, usize)| e.track.velocity(*b, [0.95, 1.0]);
    Table::with_rows("rest-bodies", &bodies)
        .column("scene", |(e, _)| e.bench.name)
        .column("kind", |(e, _)| e.kind.name())
        .column("method", |(e, _)| e.method.as_str())
        .column("steps/s", |(e, _)| e.resolution)
        .column("body", |(e, b)| e.track.bodies[*b].as_str())
        .column("displacement x (m)", |row| displacement(row).x)
        .column("displacement y (m)", |row| displacement(row).y)
        .column("displacement z (m)", |row| displacement(row).z)
        .column("velocity x (m/s)", |row| velocity(row).x)
        .column("velocity y (m/s)", |row| velocity(row).y)
        .column("velocity z (m/s)", |row| velocity(row).z)
        .table()
}
