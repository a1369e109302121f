//! Whether bodies that rest, rub and turn do what mechanics says.
//!
//! The scenes of `scenes/rest` say in their first lines what is true of them: a block on a
//! slope, a stack, a house of cards and an arch must stand; a box that falls must come to rest
//! without a gain of energy; a ball that rolls, one that slips first and a block that slides have
//! known accelerations, speeds and ways; balls that meet keep a ledger of energy and heat. Each
//! is run under each method with each step, as solids and as affine bodies where both are asked
//! for, and its [`Track`] is held against the truth.

mod bench;

pub use bench::{BENCHES, Bench, Kind, Question};

use crate::drive::{StudyError, Watch};
use crate::table::{Cell, Deviation, Table};
use crate::track::Track;
use rayon::prelude::*;
use resile_scene::description::{Control, Integrator};

/// Methods as scenes write them.
pub const METHODS: [&str; 7] = [
    "ASearch()",
    "A1",
    "ASearch(control: Filtered())",
    "ASearch(control: Sparse())",
    "ImplicitEuler",
    "Bdf2",
    "TrBdf2",
];
/// Below this speed (m/s) friction of the scenes takes bodies for resting.
pub const SLIP_SPEED: f64 = 1e-3;
/// What a rule that never exceeds its target may gain of what there is to spend: rounding.
const ROUNDING: f64 = 1e-9;
/// What other methods may gain of it.
const TOLERABLE: f64 = 0.02;

/// What a method made of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchEntry {
    /// The scene.
    pub bench: &'static Bench,
    /// What its bodies were.
    pub kind: Kind,
    /// The method as the scene writes it, without empty brackets.
    pub method: String,
    /// Steps a second.
    pub resolution: u32,
    /// Whether the method aims each step at the target, which it then never exceeds.
    pub deadbeat: bool,
    /// What happened.
    pub track: Track,
}

impl BenchEntry {
    /// Energy gained over all there was to spend.
    pub fn gain(&self) -> f64 {
        self.track.gain() / self.track.available()
    }

    /// Energy that is gone at the end and became no heat, over all there was to spend.
    pub fn loss(&self) -> f64 {
        self.track.loss() / self.track.available()
    }

    /// Whether the method gains no more than it may.
    pub fn gains_nothing(&self) -> bool {
        self.gain() <= if self.deadbeat { ROUNDING } else { TOLERABLE }
    }

    /// The number that the scene asks for, if it asks for one.
    pub fn figure(&self) -> Option<f64> {
        self.bench.question.figure(&self.track)
    }

    /// What that number is in truth, if that is known.
    pub fn truth(&self) -> Option<f64> {
        self.bench.question.truth(1.0 / f64::from(self.resolution))
    }

    /// Whether the scene ends as is known of it; none if nothing is known.
    pub fn as_known(&self) -> Option<bool> {
        if self.track.stopped.is_some() {
            return Some(false);
        }
        match self.bench.question {
            Question::Rest => Some(self.track.unrest() < SLIP_SPEED),
            question => {
                let (figure, truth) = (self.figure()?, self.truth()?);
                Some((figure / truth - 1.0).abs() <= question.tolerance())
            }
        }
    }
}

/// One scene under one method.
///
/// # Errors
/// If the method is none, or the scene cannot be had with it. A step that cannot be taken
/// ends the track and is no error.
pub fn entry(
    bench: &'static Bench,
    kind: Kind,
    method: &str,
    resolution: u32,
) -> Result<BenchEntry, StudyError> {
    let scene = bench.scene(kind, method, resolution)?;
    let control = Control::Deadbeat;
    let deadbeat =
        matches!(&scene.integrator, Integrator::ASearch { control: c, .. } if *c == control);
    let track = Track::of(&scene, bench.name)?;
    let method = method.strip_suffix("()").unwrap_or(method).to_owned();
    Ok(BenchEntry { bench, kind, method, resolution, deadbeat, track })
}

/// All scenes under these methods with these steps per second.
///
/// # Errors
/// If a method is none.
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
    let of = |(bench, kind, method, resolution): (&'static Bench, Kind, &str, u32)| {
        let entry = entry(bench, kind, method, resolution)?;
        let stopped = entry.track.stopped.as_deref().map(|why| format!(": {why}"));
        let (name, kind, why) = (bench.name, kind.name(), stopped.unwrap_or_default());
        watch(&format!("{name} ({kind}), {method} at {resolution} steps/s{why}"));
        Ok(entry)
    };
    runs.into_par_iter().with_max_len(1).map(of).collect()
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
            Cell::Number(1e3 * t.unrest(), 3),
            t.time_of_rest(SLIP_SPEED).map_or(Cell::Nothing, |time| Cell::Number(time, 3)),
            Cell::text(e.bench.question.name()),
            e.figure().map_or(Cell::Nothing, |figure| Cell::Number(figure, 4)),
            e.truth().map_or(Cell::Nothing, |truth| Cell::Number(truth, 4)),
            Cell::Verdict(e.gains_nothing()),
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
        None => entry.as_known().map_or(Cell::Nothing, Cell::Verdict),
    }
}

/// A row a run and body: how far it came, and how fast it is in the last twentieth of the run.
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
