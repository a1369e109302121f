//! ASEARCH's Figure 20: a bouncing ball under all rules for alpha.
//!
//! The ball of `scenes/bouncing-ball-medium.ron` falls from one metre without friction, so any loss is due to
//! vibrations or to the method. For each rule: the rises of its centre after the first three impacts relative to the
//! height of the fall, the apex in the last two of ten seconds, and the largest excess over the initial energy.

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::track::{Track, builtin_text, scene_with};
use rayon::prelude::*;
use resile_plot::{Axis, Curve, Graph, Marks};

/// The radius of the ball (m).
const RADIUS: f64 = 0.05;
/// Height of the fall (m).
const HEIGHT: f64 = 1.0;

/// Names of the rules, and the integrators in scenes.
pub const RULES: [(&str, &str); 7] = [
    ("A-search", "ASearch()"),
    ("alpha_min 0.9", "ASearch(alpha_min: 0.9)"),
    ("alpha_max 2", "ASearch(alpha_max: 2)"),
    ("sparse", "ASearch(control: Sparse())"),
    ("filtered", "ASearch(control: Filtered())"),
    ("A-1", "A1"),
    ("BDF2", "Bdf2"),
];

/// Results of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct ReboundEntry {
    /// The rule.
    pub rule: &'static str,
    /// The recorded run.
    pub track: Track,
}

impl ReboundEntry {
    /// Times (s), and heights (m) of the centre above its height when the undeformed ball touches the ground.
    pub fn heights(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.track.snapshots.iter().map(|s| (s.time, s.centers[0].y - RADIUS))
    }

    /// The largest height after each impact (m); the last flight may be incomplete.
    pub fn rebounds(&self) -> Vec<f64> {
        let heights: Vec<f64> = self.heights().map(|(_, y)| y).collect();
        let flights = heights.split(|y| *y < 0.0).filter(|flight| !flight.is_empty());
        flights.skip(1).map(|flight| flight.iter().copied().fold(0.0, f64::max)).collect()
    }

    /// The apex in the last two seconds (m).
    pub fn last_apex(&self) -> f64 {
        let from = self.track.duration() - 2.0;
        let late_heights = self.heights().filter(|(time, _)| *time >= from);
        late_heights.map(|(_, y)| y).fold(0.0, f64::max)
    }
}

/// Runs all rules for `seconds`.
///
/// # Errors
/// If the scene is invalid.
pub fn measure(seconds: f64, watch: Watch<'_>) -> Result<Vec<ReboundEntry>, StudyError> {
    const SCENE: &str = "bouncing-ball-medium";
    let run_entry = |&(rule, integrator): &(&'static str, &str)| {
        let method = format!("integrator={integrator}");
        let duration = format!("time.duration={seconds}");
        let scene = scene_with(SCENE, builtin_text(SCENE)?, [&*method, &*duration])?;
        let track = Track::new(&scene, SCENE)?;
        watch(rule);
        Ok(ReboundEntry { rule, track })
    };
    RULES.par_iter().with_max_len(1).map(run_entry).collect()
}

/// One row per rule.
pub fn table(entries: &[ReboundEntry]) -> Table {
    let rise = |e: &ReboundEntry, k: usize| e.rebounds().get(k).map(|rise| rise / HEIGHT);
    Table::with_rows("rebound", entries)
        .column("rule", |e| e.rule)
        .number("1st rise/fall", 3, |e| rise(e, 0))
        .number("2nd", 3, |e| rise(e, 1))
        .number("3rd", 3, |e| rise(e, 2))
        .number("apex in last 2 s", 3, |e| e.last_apex() / HEIGHT)
        .number("gain/available", 2, |e| e.track.gain() / e.track.available())
        .number("energy, end/start", 4, |e| 1.0 - e.track.loss() / e.track.available())
        .column("Newton iterations", |e| e.track.newton_iterations)
        .column("failure", |e| e.track.failure.as_deref())
        .table()
}

/// Heights over time.
pub fn chart(entries: &[ReboundEntry]) -> Graph {
    let curve = |(color_index, e): (usize, &ReboundEntry)| {
        Curve::new(e.rule, color_index, e.heights().collect())
    };
    let end = entries.iter().map(|e| e.track.duration()).fold(0.0, f64::max);
    Graph {
        name: "rebound".to_owned(),
        x: Axis::linear("time (s)", [0.0, end]),
        y: Axis::linear("height of the centre above contact (m)", [-RADIUS, 1.5 * HEIGHT]),
        marks: Marks::Lines,
        curves: entries.iter().enumerate().map(curve).collect(),
    }
}
