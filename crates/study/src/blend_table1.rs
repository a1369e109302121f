//! BLEND's Table 1: cost of a step with Newton's method and with ten local/global iterations.
//!
//! BLEND's meshes are not available. The rows are corotated bars with similar numbers of tetrahedra in cells of 5 mm,
//! twisted by a quarter turn, held at one end and released. The last row is a cloth of springs with the number of nodes
//! of the paper that hangs by two corners in the wind. There is no contact. Each row is run with backward Euler and
//! with blending, with Newton's method to 1e-3 m/s and with ten local/global iterations per solve. The factorisation of
//! the constant matrices, once per run, is listed separately.

use crate::drive::{StudyError, Watch};
use crate::table::{Deviation, Table};
use crate::track::{build_scene, scene_with};
use resile_scene::description::Scene;
use std::time::{Duration, Instant};

/// BLEND's step (s).
const STEP: f64 = 0.033;
/// Target speedup of ten iterations over the paper.
const TARGET_SPEEDUP: f64 = 8.0;
/// Longest duration (ms) of a step in real time.
const REAL_TIME: f64 = 33.0;
/// Largest number of elements for which real time is a target.
const MAX_REAL_TIME_ELEMENTS: usize = 60_000;

/// The body of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// A bar of this number of cells of 5 mm along each axis.
    Bar([u32; 3]),
    /// A square cloth of springs with this number of cells along each edge.
    Cloth(u32),
}

/// A row of the paper's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlendRow {
    /// Its name in the paper, with the number of elements.
    pub name: &'static str,
    /// Milliseconds per step in the paper with ten local/global iterations per solve: backward Euler, blending.
    pub paper: [f64; 2],
    /// Number of measured steps, after the first.
    pub steps: u32,
    shape: Shape,
}

/// A row of [`ROWS`].
const fn row(name: &'static str, paper: [f64; 2], steps: u32, shape: Shape) -> BlendRow {
    BlendRow { name, paper, steps, shape }
}

/// All rows by size; the cloth, the slowest with Newton's method, is last.
pub const ROWS: [BlendRow; 8] = [
    row("bar, 716", [3.62, 5.73], 20, Shape::Bar([30, 2, 2])),
    row("cube, 996", [5.84, 8.41], 20, Shape::Bar([41, 2, 2])),
    row("hippo, 8,406", [66.4, 73.3], 20, Shape::Bar([14, 10, 10])),
    row("bunny, 15,408", [194.0, 212.0], 20, Shape::Bar([16, 16, 10])),
    row("cactus, 17,187", [115.0, 174.0], 20, Shape::Bar([20, 12, 12])),
    row("dog, 117,423", [916.0, 1205.0], 5, Shape::Bar([27, 27, 27])),
    row("large bunny, 121,058", [1181.0, 1510.0], 5, Shape::Bar([31, 26, 25])),
    row("cloth, 50,200 springs", [110.0, 127.0], 5, Shape::Cloth(100)),
];

/// The methods: the name of the column in the paper, and the integrator as in scenes.
const METHODS: [(&str, &str); 2] = [("backward Euler", "ImplicitEuler"), ("blending", "Blend()")];

impl BlendRow {
    /// Number of tetrahedra or springs.
    pub fn elements(&self) -> usize {
        match self.shape {
            Shape::Bar(cells) => 6 * cells.iter().product::<u32>() as usize,
            Shape::Cloth(n) => (2 * n * (n + 1) + 2 * n * n + 2 * (n - 1) * (n + 1)) as usize,
        }
    }

    /// The scene of the row with an integrator and a solver.
    fn scene(&self, integrator: &str, solver: &str) -> Result<Scene, StudyError> {
        let fields = match self.shape {
            Shape::Bar(cells) => bar_fields(cells),
            Shape::Cloth(cells) => cloth_fields(cells),
        };
        let duration = f64::from(self.steps + 1) * STEP;
        let text = format!(
            "(version: 2, {fields} contact: Off, integrator: {integrator}, time: (step: {STEP}, duration: {duration:e}), \
             solver: (tolerance: 1e-3, method: {solver}))"
        );
        scene_with(self.name, &text, [])
    }
}

/// The fields of a scene with a bar of this number of cells, twisted by a quarter turn and held at one end.
fn bar_fields(cells: [u32; 3]) -> String {
    let [x, y, z] = cells.map(|n| 0.005 * f64::from(n));
    let [nx, ny, nz] = cells;
    format!(
        r#"materials: {{"soft": (density: 1000, model: Corotated(young: 1e5, poisson: 0.3))}},
        bodies: [(
            name: "bar", shape: Box(size: ({x}, {y}, {z}), cells: ({nx}, {ny}, {nz})), material: "soft",
            deform: [Twist(axis: X, degrees: 90)],
            hold: [(region: Plane(point: ({}, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
        )],
        gravity: (0, 0, 0),"#,
        -0.5 * x
    )
}

/// The fields of a scene with a cloth of springs with this number of cells along each edge, held by two corners in the
/// wind.
fn cloth_fields(cells: u32) -> String {
    format!(
        r#"bodies: [(
            name: "cloth", shape: Sheet(size: (1, 1), cells: ({cells}, {cells})), kind: Springs(
                area_density: 0.2, structural: 100, shear: 50, bending: 2, law: Hooke),
            hold: [(region: Nodes([0, {cells}]), motion: Fixed)],
        )],
        wind: (velocity: (0, 0, 2), density: 1.2, drag: 1, friction: 0.05), gravity: (0, -9.8, 0),"#
    )
}

/// Cost of steps with one solver.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepCost {
    /// Mean milliseconds per step, without the first step and without factorisations of constant matrices.
    pub milliseconds: f64,
    /// Mean iterations per step over all solves, without the first step.
    pub iterations: f64,
    /// Factorisations of constant matrices in the whole run.
    pub factorisations: usize,
    /// Duration of all factorisations (ms).
    pub factorising: f64,
    /// The largest final iteration step of a solve over h (m/s).
    pub last_step_speed: f64,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

/// Costs of a row with one method.
#[derive(Debug, Clone, PartialEq)]
pub struct BlendCost {
    /// The row.
    pub row: BlendRow,
    /// The name of the method in tables.
    pub method: &'static str,
    /// Milliseconds per step in the paper.
    pub paper: f64,
    /// With Newton's method to 1e-3 m/s.
    pub newton: StepCost,
    /// With ten local/global iterations per solve.
    pub local_global: StepCost,
}

/// Measures these rows sequentially, at most `steps` steps of each.
///
/// # Errors
/// If a scene is invalid. A failed step ends its run without an error.
pub fn measure(
    rows: &[BlendRow],
    steps: u32,
    watch: Watch<'_>,
) -> Result<Vec<BlendCost>, StudyError> {
    let mut entries = Vec::new();
    for row in rows {
        let row = BlendRow { steps: row.steps.min(steps), ..*row };
        for ((method, integrator), paper) in METHODS.into_iter().zip(row.paper) {
            let local_global =
                measure_cost(&row.scene(integrator, "LocalGlobal(iterations: 10)")?, row.name)?;
            let newton = measure_cost(&row.scene(integrator, "Newton")?, row.name)?;
            watch(&format!("{}, {method}: {:.1} ms a step", row.name, local_global.milliseconds));
            entries.push(BlendCost { row, method, paper, newton, local_global });
        }
    }
    Ok(entries)
}

/// Runs a scene and times all steps except the first, which determines the sparsity patterns. The time of
/// factorisations is separate, and includes those of the first step. A failed step ends the run early.
fn measure_cost(scene: &Scene, name: &str) -> Result<StepCost, StudyError> {
    let mut world = build_scene(scene, name)?.world;
    let h = scene.time.step.seconds();
    let (mut step_time, mut factorisation_time, mut iterations, mut step_count) =
        (Duration::ZERO, Duration::ZERO, 0, 0);
    let mut cost = StepCost::default();
    for step in 1..=scene.time.steps() {
        let start = Instant::now();
        let record = match world.step(h, scene.time.step.time_after(step)) {
            Ok(record) => record,
            Err(failure) => {
                cost.failure = Some(failure.to_string());
                break;
            }
        };
        let elapsed = start.elapsed();
        factorisation_time += record.solve.factorising;
        cost.factorisations += record.solve.factorisations;
        cost.last_step_speed = cost.last_step_speed.max(record.last_step_speed);
        if step > 1 {
            step_time += elapsed.saturating_sub(record.solve.factorising);
            iterations += record.solve.iterations;
            step_count += 1;
        }
    }
    let step_count = f64::from(step_count.max(1));
    cost.milliseconds = 1e3 * step_time.as_secs_f64() / step_count;
    cost.iterations = iterations as f64 / step_count;
    cost.factorising = 1e3 * factorisation_time.as_secs_f64();
    Ok(cost)
}

impl BlendCost {
    /// Whether ten iterations reach the target speedup.
    fn reaches_speedup(&self) -> bool {
        self.local_global.milliseconds * TARGET_SPEEDUP <= self.paper
    }

    /// Whether Newton's method is faster than the paper's ten iterations.
    fn is_newton_faster(&self) -> bool {
        self.newton.failure.is_none() && self.newton.milliseconds < self.paper
    }

    /// Whether ten iterations reach real time, if that is a target.
    fn is_real_time(&self) -> Option<bool> {
        let is_applicable = self.row.elements() <= MAX_REAL_TIME_ELEMENTS;
        is_applicable.then_some(self.local_global.milliseconds <= REAL_TIME)
    }
}

/// Whether a timing target is reached, as text and not as a verdict, because it depends on the machine.
fn target_text(reached: bool) -> &'static str {
    if reached { "reached" } else { "missed" }
}

/// Names of the columns whose times are compared.
const PAPER: &str = "paper (ms/step)";
const TEN_ITERATIONS: &str = "ten iterations (ms/step)";
const NEWTON: &str = "Newton to 1e-3 m/s (ms/step)";

/// One row per method: times, then targets.
pub fn table(entries: &[BlendCost]) -> Table {
    Table::with_rows("blend-table1", entries)
        .column("BLEND's row", |e| e.row.name)
        .column("elements here", |e| e.row.elements())
        .column("method", |e| e.method)
        .number(PAPER, 4, |e| e.paper)
        .number(TEN_ITERATIONS, 3, |e| e.local_global.milliseconds)
        .number(NEWTON, 3, |e| e.newton.milliseconds)
        .number("Newton iterations per step", 3, |e| e.newton.iterations)
        .column("factorisations per run", |e| e.local_global.factorisations)
        .number("factorisation (ms/run)", 3, |e| e.local_global.factorising)
        .number("residual after ten (m/s)", 2, |e| e.local_global.last_step_speed)
        .column("8x faster than paper", |e| target_text(e.reaches_speedup()))
        .column("Newton faster than paper", |e| target_text(e.is_newton_faster()))
        .column("within 33 ms", |e| e.is_real_time().map(target_text))
        .column("failure", |e| e.local_global.failure.as_deref().or(e.newton.failure.as_deref()))
        .compare("paper/ten", Deviation::Ratio, TEN_ITERATIONS, PAPER)
        .compare("paper/Newton", Deviation::Ratio, NEWTON, PAPER)
        .table()
}
