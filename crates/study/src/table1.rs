//! ASEARCH's Table 1: cost of its scenes.
//!
//! The paper's meshes are not available. The scenes have similar numbers of elements (fewer where the row says so),
//! generated as boxes, balls and signed distances. Each scene is run with A-search, and with BDF2 at the same step
//! where the paper has it, without output. The paper's machine has ten cores (Intel Xeon w5-2445), for the last row
//! twenty-four (Intel Core i9-14900KF).

use crate::drive::{StudyError, Watch};
use crate::table::{Deviation, Table};
use crate::track::{Track, build_scene, builtin_text, scene_with};
use std::time::Instant;

/// Wall time (s) and Newton iterations of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Seconds.
    pub seconds: f64,
    /// Iterations of Newton's method.
    pub iterations: u32,
}

/// A row of the paper's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The name of the row in the paper.
    pub name: &'static str,
    /// The corresponding scene.
    pub scene: &'static str,
    /// The paper's thousands of nodes, tetrahedra and triangles.
    pub size: &'static str,
    /// A-search, with the decay of the scene.
    pub a_search: Cost,
    /// BDF2 with the same step.
    pub bdf2: Option<Cost>,
}

/// A row of [`ROWS`], with the seconds and iterations of A-search and of BDF2.
const fn row(
    name: &'static str,
    scene: &'static str,
    size: &'static str,
    (seconds, iterations): (f64, u32),
    bdf2: Option<(f64, u32)>,
) -> Row {
    let a_search = Cost { seconds, iterations };
    let bdf2 = match bdf2 {
        Some((seconds, iterations)) => Some(Cost { seconds, iterations }),
        None => None,
    };
    Row { name, scene, size, a_search, bdf2 }
}

/// All rows, the slowest scenes last.
pub const ROWS: [Row; 14] = [
    row("soft square", "rotating-cube-soft", "1.3, 6.0, 1.2", (27.6, 902), Some((20.3, 661))),
    row("stiff square", "rotating-cube-stiff", "1.3, 6.0, 1.2", (43.8, 1500), Some((27.3, 822))),
    row("twisted bar", "twisted-bar", "4.8, 24, 3.2", (113.5, 947), Some((60.8, 409))),
    row("soft ball", "bouncing-ball-soft", "1.6, 7.1, 0.7", (75.0, 2681), Some((36.3, 868))),
    row("medium ball", "bouncing-ball-medium", "1.6, 7.1, 0.7", (68.3, 1683), Some((34.6, 423))),
    row("stiff ball", "bouncing-ball-stiff", "1.6, 7.1, 0.7", (94.2, 2391), Some((37.3, 326))),
    row("stiff ball (ABD)", "bouncing-ball-abd", "0.6, 0, 1.3", (224.9, 8902), Some((48.4, 1221))),
    row("suspended armadillo", "suspended", "28, 110, 30", (1458.7, 1870), Some((396.6, 453))),
    row("membrane", "membrane", "16, 0, 31", (286.5, 954), Some((185.9, 442))),
    row("dice roll", "dice", "5.8, 24.6, 6.1", (326.6, 4659), None),
    row("bunny stairs, weak decay", "stairs", "7.5, 19, 12", (342.1, 2248), None),
    row("armadillo trampoline", "trampoline", "33, 110, 43", (7570.9, 13145), None),
    row("bunny splash", "splash", "19, 43, 31", (1303.1, 5799), None),
    row("chain net", "chain-net", "47, 0, 93", (6612.0, 21683), None),
];

/// Cost of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Table1Entry {
    /// The row.
    pub row: Row,
    /// The name of the method in tables.
    pub method: &'static str,
    /// The paper's cost with this method.
    pub paper: Cost,
    /// Nodes (points of the surface of an affine body), tetrahedra and triangles of surfaces.
    pub size: [usize; 3],
    /// Steps taken.
    pub steps: usize,
    /// Steps of the whole scene.
    pub scene_steps: usize,
    /// Wall-clock seconds, including the effect of other work on the machine.
    pub seconds: f64,
    /// The recorded run.
    pub track: Track,
}

/// Extent of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExtent {
    /// Complete runs.
    Whole,
    /// The first steps, only for scenes with BDF2 in the paper.
    Beginning(u32),
}

impl RunExtent {
    /// The extent of the study: with `quick` two steps of each run.
    pub fn new(quick: bool) -> Self {
        if quick { Self::Beginning(2) } else { Self::Whole }
    }
}

/// A run: its row, the name of the method in tables, and the paper's cost.
pub type Run = (Row, &'static str, Cost);

/// All runs of all rows.
pub fn runs(extent: RunExtent) -> Vec<Run> {
    let published_runs = |row: &Row| {
        let methods = [("A-search", Some(row.a_search)), ("BDF2", row.bdf2)];
        let row = *row;
        methods.into_iter().filter_map(move |(method, paper)| Some((row, method, paper?)))
    };
    let is_requested = |row: &&Row| extent == RunExtent::Whole || row.bdf2.is_some();
    ROWS.iter().filter(is_requested).flat_map(published_runs).collect()
}

/// Measures all runs sequentially.
///
/// # Errors
/// If a scene is invalid. A failed step ends its run without an error.
pub fn measure(extent: RunExtent, watch: Watch<'_>) -> Result<Vec<Table1Entry>, StudyError> {
    let run_entry = |run: Run| {
        let entry = measure_run(run, extent)?;
        watch(&format!("{}, {}: {:.1} s", entry.row.scene, entry.method, entry.seconds));
        Ok(entry)
    };
    runs(extent).into_iter().map(run_entry).collect()
}

/// Measures one run; the time is that of its steps alone.
///
/// # Errors
/// If the scene is invalid.
pub fn measure_run(
    (row, method, paper): Run,
    extent: RunExtent,
) -> Result<Table1Entry, StudyError> {
    let method_override = match method {
        "BDF2" => "integrator=Bdf2",
        _ => "integrator.correction=Plain",
    };
    let mut scene = scene_with(row.scene, builtin_text(row.scene)?, [method_override])?;
    let scene_steps = scene.time.steps() as usize;
    if let RunExtent::Beginning(steps) = extent {
        scene.time.duration = f64::from(steps) * scene.time.step.seconds();
    }
    let mut built = build_scene(&scene, row.scene)?;
    let mut size = [0; 3];
    for mesh in &built.meshes {
        let mesh_size = [mesh.rest.len(), mesh.tets.len(), mesh.surface.triangles().len()];
        size.iter_mut().zip(mesh_size).for_each(|(total, count)| *total += count);
    }
    let start = Instant::now();
    let track = Track::record(&mut built.world, &scene.time);
    let seconds = start.elapsed().as_secs_f64();
    let step_count = track.snapshots.len() - 1;
    Ok(Table1Entry { row, method, paper, size, steps: step_count, scene_steps, seconds, track })
}

impl Table1Entry {
    /// Whether all steps of the scene were completed.
    fn is_complete(&self) -> bool {
        self.steps == self.scene_steps
    }

    /// The completed part of the scene, in words.
    fn completed_part(&self) -> String {
        let Self { steps, scene_steps, .. } = self;
        if self.is_complete() {
            "all".into()
        } else {
            format!("first {steps} of {scene_steps} steps")
        }
    }
}

/// Table with one row per run, beside the paper's costs. Incomplete runs are not compared.
pub fn table(entries: &[Table1Entry]) -> Table {
    let is_complete = Table1Entry::is_complete;
    Table::with_rows("table1", entries)
        .column("paper's row", |e| e.row.name)
        .column("paper's nodes, tets, faces (1000)", |e| e.row.size)
        .column("scene", |e| e.row.scene)
        .column("nodes", |e| e.size[0])
        .column("tets", |e| e.size[1])
        .column("faces", |e| e.size[2])
        .column("max contacts", |e| e.track.max_contacts)
        .column("method", |e| e.method)
        .column("part of the scene", Table1Entry::completed_part)
        .number("seconds", 3, |e| e.seconds)
        .number("paper (s)", 4, |e| e.paper.seconds)
        .column("iterations", |e| e.track.newton_iterations)
        .column("paper's", |e| e.paper.iterations)
        .number("energy and heat, end/start", 3, |e| 1.0 - e.track.loss() / e.track.available())
        .number("energy, end/start", 3, |e| {
            1.0 - (e.track.loss() + e.track.heat()) / e.track.available()
        })
        .column("failure", |e| e.track.failure.as_deref())
        .compare_where("paper/here", Deviation::Ratio, &["seconds"], "paper (s)", is_complete)
        .compare_where(
            "from paper's (%)",
            Deviation::Percent,
            &["iterations"],
            "paper's",
            is_complete,
        )
        .table()
}
