//! Roofs, domes and tubes.

use super::ShellProblem;
use super::model::{Sheet, Shell};
use super::surface::{MeshKind, Surface};
use crate::drive::StudyError;
use resile_system::Vec3;
use std::f64::consts::{PI, TAU};

/// Loads of linear problems are scaled down by this many thicknesses per displacement of the reference, so that they remain linear.
const LINEAR_DISPLACEMENT: f64 = 1e-3;
/// Distance from an end up to which points count as its points.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

fn closed(kind: MeshKind, cells: [usize; 2]) -> Surface {
    Surface { kind, cells, closed: true, fixed_rows: 0 }
}

/// Factor of the load for which the displacement is a small part of the thickness.
fn scale(sheet: Sheet, displacement: f64) -> f64 {
    LINEAR_DISPLACEMENT * sheet.thickness / displacement
}

pub(super) const SCORDELIS_LO: ShellProblem = ShellProblem {
    case: "Scordelis-Lo roof",
    quantity: "sag in the middle of a free side",
    target: 0.3006,
    cells: &[8, 16, 32, 64],
    quick: 2,
    judged: 32,
    solve: scordelis_lo,
};

/// A roof of 80 degrees between diaphragms, under its weight of 90 per area.
fn scordelis_lo(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let at = |u: f64, v: f64| {
        let angle = (2.0 * u - 1.0) * 40.0 * PI / 180.0;
        Vec3::new(25.0 * libm::sin(angle), 25.0 * libm::cos(angle), 50.0 * v)
    };
    let sheet = Sheet { young: 4.32e8, poisson: 0.0, thickness: 0.25 };
    let surface = Surface { kind, cells: [cells, cells], closed: false, fixed_rows: 0 };
    let mut roof = Shell::new(&surface, sheet, at);
    let scale = scale(sheet, SCORDELIS_LO.target);
    for (node, area) in roof.areas().into_iter().enumerate() {
        roof.push(node, Vec3::NEG_Y * (90.0 * scale * area));
    }
    let middle = roof.node(at(0.5, 0.5));
    roof.hold(|node, x| {
        let at_wall = (x.z - 25.0).abs() > 25.0 - COINCIDENCE_TOLERANCE;
        [at_wall, at_wall, node == middle]
    });
    let world = roof.balance(SCORDELIS_LO.case, 1)?;
    Ok(-roof.displacement(&world, roof.node(at(0.0, 0.5))).y / scale)
}

pub(super) const HEMISPHERE: ShellProblem = ShellProblem {
    case: "hemisphere with a hole of 18 degrees",
    quantity: "displacement of a loaded point",
    target: 0.0935,
    cells: &[8, 16, 32],
    quick: 2,
    judged: 16,
    solve: hemisphere,
};

/// Pulled at two opposite points of its rim and pushed between them by 2.
fn hemisphere(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let at = |u: f64, v: f64| {
        let (around, up) = (TAU * u, v * 72.0 * PI / 180.0);
        let rim = libm::cos(up);
        10.0 * Vec3::new(libm::cos(around) * rim, libm::sin(up), libm::sin(around) * rim)
    };
    let sheet = Sheet { young: 6.825e7, poisson: 0.3, thickness: 0.04 };
    let mut dome = Shell::new(&closed(kind, [4 * cells, cells]), sheet, at);
    let scale = scale(sheet, HEMISPHERE.target);
    let points = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|d| dome.node(10.0 * d));
    for (k, &node) in points.iter().enumerate() {
        let out = dome.rest()[node] / 10.0;
        dome.push(node, out * if k < 2 { 2.0 * scale } else { -2.0 * scale });
    }
    dome.hold(|node, _| {
        let [first, second, third, fourth] = points.map(|point| point == node);
        [third || fourth, first || second || third, first]
    });
    let world = dome.balance(HEMISPHERE.case, 1)?;
    let [first, second] = [0, 1].map(|k| dome.displacement(&world, points[k]).x);
    Ok((first - second) / (2.0 * scale))
}

pub(super) const PINCHED_CYLINDER: ShellProblem = ShellProblem {
    case: "pinched cylinder between diaphragms",
    quantity: "displacement of a loaded point",
    target: 1.8248e-5,
    cells: &[8, 16, 32, 64],
    quick: 2,
    judged: 32,
    solve: pinched_cylinder,
};

/// Pinched in the middle by 1.
fn pinched_cylinder(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let at = tube(300.0, 600.0);
    let sheet = Sheet { young: 3e6, poisson: 0.3, thickness: 3.0 };
    let mut cylinder = Shell::new(&closed(kind, [4 * cells, 2 * cells]), sheet, at);
    let scale = scale(sheet, PINCHED_CYLINDER.target);
    let points = [0.0, 0.5].map(|u| cylinder.node(at(u, 0.5)));
    cylinder.push(points[0], Vec3::NEG_X * scale);
    cylinder.push(points[1], Vec3::X * scale);
    cylinder.hold(|node, x| {
        let at_wall = (x.z - 300.0).abs() > 300.0 - COINCIDENCE_TOLERANCE;
        [at_wall, at_wall, node == points[0]]
    });
    let world = cylinder.balance(PINCHED_CYLINDER.case, 1)?;
    let [first, second] = points.map(|point| cylinder.displacement(&world, point).x);
    Ok((second - first) / (2.0 * scale))
}

/// A tube along z that begins at the origin.
fn tube(radius: f64, length: f64) -> impl Fn(f64, f64) -> Vec3 + Copy {
    move |u, v| {
        let angle = TAU * u;
        Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), length * v)
    }
}

/// A tube with open ends, loaded in the middle by a force along x at two opposite points, outwards if positive. Its
/// increase of radius there.
fn open_tube(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    [force, steps]: [f64; 2],
) -> Result<f64, StudyError> {
    let at = tube(4.953, 10.35);
    let sheet = Sheet { young: 10.5e6, poisson: 0.3125, thickness: 0.094 };
    let mut tube = Shell::new(&closed(kind, [4 * cells, 2 * cells]), sheet, at);
    let points = [0.0, 0.5].map(|u| tube.node(at(u, 0.5)));
    let across = [0.25, 0.75].map(|u| tube.node(at(u, 0.5)));
    tube.push(points[0], Vec3::X * force);
    tube.push(points[1], Vec3::NEG_X * force);
    // Rigid motions alone.
    tube.hold(|node, _| {
        [
            across.contains(&node),
            points.contains(&node),
            points.contains(&node) || node == across[0],
        ]
    });
    let world = tube.balance(problem.case, steps as u32)?;
    let [first, second] = points.map(|point| tube.displacement(&world, point).x);
    Ok(0.5 * (first - second))
}

pub(super) const PINCHED_TUBE: ShellProblem = ShellProblem {
    case: "tube with open ends, pinched",
    quantity: "displacement of a loaded point",
    target: 0.1139,
    cells: &[8, 16, 32],
    quick: 2,
    judged: 32,
    solve: pinched_tube,
};

fn pinched_tube(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let scale = LINEAR_DISPLACEMENT;
    Ok(-open_tube(&PINCHED_TUBE, kind, cells, [-100.0 * scale, 1.0])? / scale)
}

pub(super) const PULLED_TUBE: ShellProblem = ShellProblem {
    case: "tube with open ends, pulled (Sze 2004)",
    quantity: "displacement of a loaded point",
    target: 2.768,
    cells: &[8, 16],
    quick: 0,
    judged: 8,
    solve: pulled_tube,
};

/// Sze et al. 2004, through a snap.
fn pulled_tube(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    open_tube(&PULLED_TUBE, kind, cells, [40_000.0, 20.0])
}
