//! Strips and square plates.

use super::ShellProblem;
use super::model::{Sheet, Shell};
use super::surface::{MeshKind, Surface};
use crate::drive::{StudyError, unfit};
use resile_system::Vec3;
use std::f64::consts::{PI, TAU};

const THIN: Sheet = Sheet { young: 1e8, poisson: 0.3, thickness: 1e-3 };
/// Distance from an end up to which points count as its points, as a fraction of the length.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

fn rigidity(sheet: Sheet) -> f64 {
    let Sheet { young, poisson, thickness } = sheet;
    young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson))
}

/// An open surface.
fn open(kind: MeshKind, cells: [usize; 2], fixed_rows: usize) -> Surface {
    Surface { kind, cells, closed: false, fixed_rows }
}

pub(super) const TWISTED_STRIP: ShellProblem = ShellProblem {
    case: "twisted strip 10 : 1 (Saint-Venant)",
    quantity: "energy over that of a plate",
    target: 1.0,
    cells: &[10, 20, 40],
    quick: 2,
    judged: 10,
    solve: twisted_strip,
};

/// Energy of a strip between ends that are twisted by 0.001 rad, over `D (1 - nu) phi^2 b / L`.
fn twisted_strip(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let (length, width, angle) = (0.3, 0.03, 1e-3);
    let at = |u: f64, v: f64| Vec3::new(length * (u - 0.5), 0.0, width * (v - 0.5));
    let across = (cells / 10).max(1);
    let mut strip = Shell::new(&open(kind, [cells, across], 0), THIN, at);
    strip.hold(|_, x| [x.x.abs() > (0.5 - COINCIDENCE_TOLERANCE) * length; 3]);
    strip.displace(|x| {
        let turn = angle * x.x / length;
        let (sin, cos) = (libm::sin(turn), libm::cos(turn));
        Vec3::new(x.x, -sin * x.z, cos * x.z) - x
    });
    let world = strip.balance(TWISTED_STRIP.case, 1)?;
    let expected = rigidity(THIN) * (1.0 - THIN.poisson) * angle * angle * width / length;
    Ok(world.observe().potential() / expected)
}

pub(super) const SUPPORTED_SQUARE: ShellProblem = ShellProblem {
    case: "simply supported square plate (Navier)",
    quantity: "frequency over that of a plate",
    target: 1.0,
    cells: &[8, 16, 32],
    quick: 2,
    judged: 16,
    solve: supported_square,
};

pub(super) const FREE_SQUARE: ShellProblem = ShellProblem {
    case: "free square plate (Leissa 1973)",
    quantity: "frequency over that of a plate",
    target: 1.0,
    cells: &[8, 16, 32],
    quick: 2,
    judged: 16,
    solve: free_square,
};

/// A frequency of a square of 0.2 over `factor / (2 pi a^2) sqrt(D)`, the mass per area being one.
fn frequency(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    is_held: bool,
    mode_index: usize,
    factor: f64,
) -> Result<f64, StudyError> {
    let side = 0.2;
    let at = |u: f64, v: f64| Vec3::new(side * (u - 0.5), 0.0, side * (v - 0.5));
    let mut plate = Shell::new(&open(kind, [cells, cells], 0), THIN, at);
    let rim = (0.5 - COINCIDENCE_TOLERANCE) * side;
    plate.hold(|_, x| [is_held && x.x.abs().max(x.z.abs()) > rim; 3]);
    let modes = plate.world(1.0).modes(0, mode_index + 1).map_err(|e| unfit(problem.case, e))?;
    let mode = modes.get(mode_index).ok_or_else(|| unfit(problem.case, "there is no such mode"))?;
    Ok(mode.frequency / (factor / (TAU * side * side) * rigidity(THIN).sqrt()))
}

fn supported_square(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    frequency(&SUPPORTED_SQUARE, kind, cells, true, 0, 2.0 * PI * PI)
}

/// The first mode after six rigid motions, mostly twist.
fn free_square(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    frequency(&FREE_SQUARE, kind, cells, false, 6, 13.468)
}

/// A strip of 10 by 1 along x, clamped at x = 0 between two rows of held nodes, under a force along -y at its end. Downward
/// displacement of the middle of the end.
fn end_loaded(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    sheet: Sheet,
    [force, steps]: [f64; 2],
) -> Result<f64, StudyError> {
    let across = (cells / 10).max(1);
    let row = 10.0 / cells as f64;
    let length = 10.0 + 0.5 * row;
    let at = |u: f64, v: f64| Vec3::new(length * u - 0.5 * row, 0.0, v);
    let mut strip = Shell::new(&open(kind, [cells, across], 2), sheet, at);
    let is_end = |x: &Vec3| x.x > 10.0 - COINCIDENCE_TOLERANCE;
    let end: Vec<usize> = (0..strip.rest().len()).filter(|&i| is_end(&strip.rest()[i])).collect();
    for (k, &node) in end.iter().enumerate() {
        let weight = if k == 0 || k == across { 0.5 } else { 1.0 };
        strip.push(node, Vec3::NEG_Y * (force * weight / across as f64));
    }
    strip.hold(|_, x| [x.x < row; 3]);
    let world = strip.balance(problem.case, steps as u32)?;
    Ok(-strip.displacement(&world, strip.node(at(1.0, 0.5))).y)
}

pub(super) const CANTILEVER: ShellProblem = ShellProblem {
    case: "cantilever strip (Euler-Bernoulli)",
    quantity: "displacement over that of a beam",
    target: 1.0,
    cells: &[10, 20, 40],
    quick: 2,
    judged: 20,
    solve: cantilever,
};

/// Small displacements, over `F L^3 / (3 E I)`.
fn cantilever(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let sheet = Sheet { young: 1.2e6, poisson: 0.0, thickness: 0.1 };
    let expected = 1e-3;
    let force = 3.0 * rigidity(sheet) * expected / 1e3;
    Ok(end_loaded(&CANTILEVER, kind, cells, sheet, [force, 1.0])? / expected)
}

pub(super) const BENT_CANTILEVER: ShellProblem = ShellProblem {
    case: "cantilever strip, bent far (Sze 2004)",
    quantity: "displacement of the end",
    target: 6.698,
    cells: &[10, 20, 40],
    quick: 2,
    judged: 10,
    solve: bent_cantilever,
};

/// Sze et al. 2004.
fn bent_cantilever(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let sheet = Sheet { young: 1.2e6, poisson: 0.0, thickness: 0.1 };
    end_loaded(&BENT_CANTILEVER, kind, cells, sheet, [4.0, 8.0])
}
