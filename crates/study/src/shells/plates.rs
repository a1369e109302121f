//! Strips and square plates.

use super::ShellProblem;
use super::model::{Sheet, Shell};
use super::surface::{MeshKind, Surface};
use crate::drive::{StudyError, scene_error};
use resile_system::Vec3;
use std::f64::consts::{PI, TAU};

/// A thin sheet.
const THIN: Sheet = Sheet { young: 1e8, poisson: 0.3, thickness: 1e-3 };
/// Maximum distance of a point from an end to which it belongs, as a fraction of the length.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

/// The flexural rigidity `D = E t^3 / (12 (1 - nu^2))`.
fn rigidity(sheet: Sheet) -> f64 {
    let Sheet { young, poisson, thickness } = sheet;
    young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson))
}

/// A surface that is not closed.
fn open_surface(kind: MeshKind, cells: [usize; 2], fixed_rows: usize) -> Surface {
    Surface { kind, cells, closed: false, fixed_rows }
}

pub(super) const TWISTED_STRIP: ShellProblem = ShellProblem {
    case: "twisted strip 10 : 1 (Saint-Venant)",
    quantity: "energy over that of a plate",
    target: 1.0,
    cells: &[10, 20, 40],
    quick_count: 2,
    first_judged_cells: 10,
    solve: twisted_strip,
};

/// The energy of a strip whose ends are turned against each other by phi = 0.001 rad, over `D (1 - nu) phi^2 b / L`.
fn twisted_strip(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let (length, width, angle) = (0.3, 0.03, 1e-3);
    let point_at = |u: f64, v: f64| Vec3::new(length * (u - 0.5), 0.0, width * (v - 0.5));
    let cells_across = (cells / 10).max(1);
    let mut strip = Shell::new(&open_surface(kind, [cells, cells_across], 0), THIN, point_at);
    strip.hold(|_, x| [x.x.abs() > (0.5 - COINCIDENCE_TOLERANCE) * length; 3]);
    strip.displace(|x| {
        let twist = angle * x.x / length;
        let (sin, cos) = (libm::sin(twist), libm::cos(twist));
        Vec3::new(x.x, -sin * x.z, cos * x.z) - x
    });
    let world = strip.equilibrium(TWISTED_STRIP.case, 1)?;
    let expected = rigidity(THIN) * (1.0 - THIN.poisson) * angle * angle * width / length;
    Ok(world.observe().potential() / expected)
}

pub(super) const SUPPORTED_SQUARE: ShellProblem = ShellProblem {
    case: "simply supported square plate (Navier)",
    quantity: "frequency over that of a plate",
    target: 1.0,
    cells: &[8, 16, 32],
    quick_count: 2,
    first_judged_cells: 16,
    solve: supported_square,
};

pub(super) const FREE_SQUARE: ShellProblem = ShellProblem {
    case: "free square plate (Leissa 1973)",
    quantity: "frequency over that of a plate",
    target: 1.0,
    cells: &[8, 16, 32],
    quick_count: 2,
    first_judged_cells: 16,
    solve: free_square,
};

/// A frequency of a square plate with a side of a = 0.2 and a mass per area of one, over `factor / (2 pi a^2) sqrt(D)`.
fn relative_frequency(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    is_held: bool,
    mode_index: usize,
    factor: f64,
) -> Result<f64, StudyError> {
    let side = 0.2;
    let point_at = |u: f64, v: f64| Vec3::new(side * (u - 0.5), 0.0, side * (v - 0.5));
    let mut plate = Shell::new(&open_surface(kind, [cells, cells], 0), THIN, point_at);
    let rim = (0.5 - COINCIDENCE_TOLERANCE) * side;
    plate.hold(|_, x| [is_held && x.x.abs().max(x.z.abs()) > rim; 3]);
    let modes =
        plate.world(1.0).modes(0, mode_index + 1).map_err(|e| scene_error(problem.case, e))?;
    let mode =
        modes.get(mode_index).ok_or_else(|| scene_error(problem.case, "there is no such mode"))?;
    Ok(mode.frequency / (factor / (TAU * side * side) * rigidity(THIN).sqrt()))
}

/// The first mode of a simply supported plate.
fn supported_square(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    relative_frequency(&SUPPORTED_SQUARE, kind, cells, true, 0, 2.0 * PI * PI)
}

/// The first mode of a free plate after its six rigid motions; it is mostly a twist.
fn free_square(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    relative_frequency(&FREE_SQUARE, kind, cells, false, 6, 13.468)
}

/// The downward displacement of the middle of the end of a strip of 10 by 1 along x under a force along -y at its end,
/// in equilibrium after `load_steps` load steps. The strip is clamped at x = 0, which is midway between two rows of
/// fixed nodes.
fn end_loaded(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    sheet: Sheet,
    force: f64,
    load_steps: u32,
) -> Result<f64, StudyError> {
    let cells_across = (cells / 10).max(1);
    let row_length = 10.0 / cells as f64;
    let length = 10.0 + 0.5 * row_length;
    let point_at = |u: f64, v: f64| Vec3::new(length * u - 0.5 * row_length, 0.0, v);
    let mut strip = Shell::new(&open_surface(kind, [cells, cells_across], 2), sheet, point_at);
    let is_end = |x: &Vec3| x.x > 10.0 - COINCIDENCE_TOLERANCE;
    let end_nodes: Vec<usize> =
        (0..strip.rest_positions().len()).filter(|&i| is_end(&strip.rest_positions()[i])).collect();
    for (k, &node) in end_nodes.iter().enumerate() {
        let weight = if k == 0 || k == cells_across { 0.5 } else { 1.0 };
        strip.add_force(node, Vec3::NEG_Y * (force * weight / cells_across as f64));
    }
    strip.hold(|_, x| [x.x < row_length; 3]);
    let world = strip.equilibrium(problem.case, load_steps)?;
    Ok(-strip.displacement(&world, strip.nearest_node(point_at(1.0, 0.5))).y)
}

pub(super) const CANTILEVER: ShellProblem = ShellProblem {
    case: "cantilever strip (Euler-Bernoulli)",
    quantity: "displacement over that of a beam",
    target: 1.0,
    cells: &[10, 20, 40],
    quick_count: 2,
    first_judged_cells: 20,
    solve: cantilever,
};

/// The displacement under a small force F, over `F L^3 / (3 E I)`.
fn cantilever(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let sheet = Sheet { young: 1.2e6, poisson: 0.0, thickness: 0.1 };
    let expected = 1e-3;
    let force = 3.0 * rigidity(sheet) * expected / 1e3;
    Ok(end_loaded(&CANTILEVER, kind, cells, sheet, force, 1)? / expected)
}

pub(super) const BENT_CANTILEVER: ShellProblem = ShellProblem {
    case: "cantilever strip, bent far (Sze 2004)",
    quantity: "displacement of the end",
    target: 6.698,
    cells: &[10, 20, 40],
    quick_count: 2,
    first_judged_cells: 10,
    solve: bent_cantilever,
};

/// The displacement under a force of 4 (Sze et al. 2004).
fn bent_cantilever(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let sheet = Sheet { young: 1.2e6, poisson: 0.0, thickness: 0.1 };
    end_loaded(&BENT_CANTILEVER, kind, cells, sheet, 4.0, 8)
}
