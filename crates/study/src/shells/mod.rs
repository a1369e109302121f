//! The usual test problems of shell elements (`MacNeal` & Harder 1985, *A proposed standard set of problems to test
//! finite element accuracy*; Belytschko, Stolarski, Liu, Carpenter & Ong 1985, *Stress projection for membrane and
//! shear locking in shell finite elements*; Sze, Liu & Lo 2004, *Popular benchmark problems for geometric nonlinear
//! analysis of shells*), on meshes of three kinds and several resolutions, in static equilibrium or natural vibration
//! of a world.
//!
//! Shells are whole, without symmetry planes. The membrane is St. Venant-Kirchhoff's. Cells are counted along a side of
//! the roof and the plates, along a strip, and along a quarter of the circumference of the others. Linear problems have
//! loads so small that displacements are a thousandth of the thickness.

mod curved;
mod model;
mod plates;
mod surface;

pub use surface::MeshKind;

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use resile_plot::{Axis, Curve, Graph, Marks};

/// Tolerance of the verdict: value over target minus one.
const TOLERANCE: f64 = 0.03;

/// A test problem.
struct ShellProblem {
    case: &'static str,
    quantity: &'static str,
    /// Published or theoretical value.
    target: f64,
    /// Resolutions, ascending.
    cells: &'static [usize],
    /// How many of these resolutions a quick study has.
    quick_count: usize,
    /// The smallest number of cells that gets a verdict.
    first_judged_cells: usize,
    /// Computes the quantity on a mesh of a kind with this number of cells.
    solve: fn(MeshKind, usize) -> Result<f64, StudyError>,
}

const PROBLEMS: [&ShellProblem; 10] = [
    &plates::TWISTED_STRIP,
    &plates::SUPPORTED_SQUARE,
    &plates::FREE_SQUARE,
    &plates::CANTILEVER,
    &plates::BENT_CANTILEVER,
    &curved::SCORDELIS_LO,
    &curved::HEMISPHERE,
    &curved::PINCHED_CYLINDER,
    &curved::PINCHED_TUBE,
    &curved::PULLED_TUBE,
];

/// A value of a problem on a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct ShellEntry {
    /// The problem.
    pub case: &'static str,
    /// Name of the measured quantity.
    pub quantity: &'static str,
    /// Kind of mesh.
    pub kind: MeshKind,
    /// Cells along a side.
    pub cells: usize,
    /// Computed value.
    pub value: f64,
    /// Published or theoretical value.
    pub target: f64,
    /// Observed order of convergence to the target: of the error between the mesh of the row above and this one.
    pub order: Option<f64>,
    /// Whether the ratio is within 3 %; `None` on meshes that are too coarse for a verdict.
    pub is_within_tolerance: Option<bool>,
}

impl ShellEntry {
    /// Value over target.
    pub fn ratio(&self) -> f64 {
        self.value / self.target
    }

    /// Relative error.
    fn error(&self) -> f64 {
        (self.ratio() - 1.0).abs()
    }
}

/// The error below which the rounding of published values dominates, so that no order can be determined.
const MIN_ERROR_OF_ORDER: f64 = 2e-3;

/// All problems on all kinds of meshes; a quick study has the coarser ones.
///
/// # Errors
/// If there is no static equilibrium, or no modes are found.
pub fn measure(quick: bool, watch: Watch<'_>) -> Result<Vec<ShellEntry>, StudyError> {
    let mut entries: Vec<ShellEntry> = Vec::new();
    for problem in PROBLEMS {
        let count = if quick { problem.quick_count } else { problem.cells.len() };
        for kind in MeshKind::ALL {
            let first_entry_index = entries.len();
            for &cells in &problem.cells[..count] {
                let entry = solve_on_mesh(
                    problem,
                    kind,
                    cells,
                    entries.get(first_entry_index..).and_then(<[_]>::last),
                )?;
                entries.push(entry);
            }
            watch(&format!("{}, {}", problem.case, kind.name()));
        }
    }
    Ok(entries)
}

/// Solves a problem on a mesh. `coarser` is the entry of the next coarser mesh, from which the order of convergence
/// follows.
fn solve_on_mesh(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    coarser: Option<&ShellEntry>,
) -> Result<ShellEntry, StudyError> {
    let value = (problem.solve)(kind, cells)?;
    let ShellProblem { case, quantity, target, first_judged_cells, .. } = *problem;
    let mut entry = ShellEntry {
        case,
        quantity,
        kind,
        cells,
        value,
        target,
        order: None,
        is_within_tolerance: None,
    };
    entry.is_within_tolerance = (cells >= first_judged_cells).then_some(entry.error() <= TOLERANCE);
    entry.order = coarser.and_then(|coarser| {
        let errors = [coarser.error(), entry.error()];
        let refinement = cells as f64 / coarser.cells as f64;
        let is_measurable = errors.iter().all(|error| *error > MIN_ERROR_OF_ORDER);
        is_measurable.then(|| libm::log(errors[0] / errors[1]) / libm::log(refinement))
    });
    Ok(entry)
}

/// One row per mesh.
pub fn table(entries: &[ShellEntry]) -> Table {
    Table::with_rows("shells", entries)
        .column("case", |e| e.case)
        .column("quantity", |e| e.quantity)
        .column("mesh", |e| e.kind.name())
        .column("cells", |e| e.cells)
        .column("value", |e| e.value)
        .column("target", |e| e.target)
        .number("value/target", 4, ShellEntry::ratio)
        .number("order", 2, |e| e.order)
        .column("within 3 %", |e| e.is_within_tolerance)
        .table()
}

/// Error over cells for each problem, a chart for each kind of mesh.
pub fn charts(entries: &[ShellEntry]) -> Vec<Graph> {
    MeshKind::ALL.into_iter().map(|kind| chart(entries, kind)).collect()
}

/// Error over cells for each problem, on one kind of mesh.
fn chart(entries: &[ShellEntry], kind: MeshKind) -> Graph {
    let curve = |(color_index, problem): (usize, &&ShellProblem)| {
        let of_curve = |e: &&ShellEntry| e.case == problem.case && e.kind == kind;
        let points = entries.iter().filter(of_curve).map(|e| (e.cells as f64, e.error()));
        let name = problem.case.split(" (").next().unwrap_or(problem.case);
        Curve::new(name, color_index, points.collect())
    };
    Graph {
        name: format!("shells-{}", kind.name()),
        x: Axis::logarithmic("cells along a side", [5.0, 100.0]),
        y: Axis::logarithmic("relative error", [1e-5, 1.0]),
        marks: Marks::DotsAndLines,
        curves: PROBLEMS.iter().enumerate().map(curve).collect(),
    }
}
