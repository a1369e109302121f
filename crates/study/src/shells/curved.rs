//! Roofs, domes and tubes.

use super::ShellProblem;
use super::model::{Sheet, Shell};
use super::surface::{MeshKind, Surface};
use crate::drive::StudyError;
use resile_system::Vec3;
use std::f64::consts::{PI, TAU};

/// Largest displacement of linear problems over the thickness: their loads are scaled so that the reference
/// displacement is this fraction of the thickness.
const LINEAR_DISPLACEMENT: f64 = 1e-3;
/// Maximum distance of a point from an end to which it belongs.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

/// A surface that is closed along u.
fn closed_surface(kind: MeshKind, cells: [usize; 2]) -> Surface {
    Surface { kind, cells, closed: true, fixed_rows: 0 }
}

/// The factor of the load for which the displacement is [`LINEAR_DISPLACEMENT`] of the thickness.
fn load_scale(sheet: Sheet, displacement: f64) -> f64 {
    LINEAR_DISPLACEMENT * sheet.thickness / displacement
}

pub(super) const SCORDELIS_LO: ShellProblem = ShellProblem {
    case: "Scordelis-Lo roof",
    quantity: "sag in the middle of a free side",
    target: 0.3006,
    cells: &[8, 16, 32, 64],
    quick_count: 2,
    first_judged_cells: 32,
    solve: scordelis_lo,
};

/// A cylindrical roof of 80 degrees between diaphragms, under a weight of 90 per area. Diaphragms prevent displacements
/// in their plane.
fn scordelis_lo(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let point_at = |u: f64, v: f64| {
        let angle = (2.0 * u - 1.0) * 40.0 * PI / 180.0;
        Vec3::new(25.0 * libm::sin(angle), 25.0 * libm::cos(angle), 50.0 * v)
    };
    let sheet = Sheet { young: 4.32e8, poisson: 0.0, thickness: 0.25 };
    let surface = Surface { kind, cells: [cells, cells], closed: false, fixed_rows: 0 };
    let mut roof = Shell::new(&surface, sheet, point_at);
    let scale = load_scale(sheet, SCORDELIS_LO.target);
    for (node, area) in roof.areas().into_iter().enumerate() {
        roof.add_force(node, Vec3::NEG_Y * (90.0 * scale * area));
    }
    let middle = roof.nearest_node(point_at(0.5, 0.5));
    roof.hold(|node, x| {
        let at_diaphragm = (x.z - 25.0).abs() > 25.0 - COINCIDENCE_TOLERANCE;
        [at_diaphragm, at_diaphragm, node == middle]
    });
    let world = roof.equilibrium(SCORDELIS_LO.case, 1)?;
    Ok(-roof.displacement(&world, roof.nearest_node(point_at(0.0, 0.5))).y / scale)
}

pub(super) const HEMISPHERE: ShellProblem = ShellProblem {
    case: "hemisphere with a hole of 18 degrees",
    quantity: "displacement of a loaded point",
    target: 0.0935,
    cells: &[8, 16, 32],
    quick_count: 2,
    first_judged_cells: 16,
    solve: hemisphere,
};

/// Radius of the hemisphere.
const HEMISPHERE_RADIUS: f64 = 10.0;

/// The displacement of a loaded point over the load scale of a hemisphere, whose rim is pulled outwards at two opposite
/// points and pushed inwards at the two points between them, by forces of 2 times the load scale.
fn hemisphere(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let point_at = |u: f64, v: f64| {
        let (longitude, latitude) = (TAU * u, v * 72.0 * PI / 180.0);
        let parallel_radius = libm::cos(latitude);
        HEMISPHERE_RADIUS
            * Vec3::new(
                libm::cos(longitude) * parallel_radius,
                libm::sin(latitude),
                libm::sin(longitude) * parallel_radius,
            )
    };
    let sheet = Sheet { young: 6.825e7, poisson: 0.3, thickness: 0.04 };
    let mut dome = Shell::new(&closed_surface(kind, [4 * cells, cells]), sheet, point_at);
    let scale = load_scale(sheet, HEMISPHERE.target);
    let loaded_nodes = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z]
        .map(|direction| dome.nearest_node(HEMISPHERE_RADIUS * direction));
    for (k, &node) in loaded_nodes.iter().enumerate() {
        let outward = dome.rest_positions()[node] / HEMISPHERE_RADIUS;
        dome.add_force(node, outward * if k < 2 { 2.0 * scale } else { -2.0 * scale });
    }
    // The supports prevent rigid motions only.
    dome.hold(|node, _| {
        let [is_at_x, is_at_minus_x, is_at_z, is_at_minus_z] =
            loaded_nodes.map(|loaded| loaded == node);
        [is_at_z || is_at_minus_z, is_at_x || is_at_minus_x || is_at_z, is_at_x]
    });
    let world = dome.equilibrium(HEMISPHERE.case, 1)?;
    let [first, second] = [0, 1].map(|k| dome.displacement(&world, loaded_nodes[k]).x);
    Ok((first - second) / (2.0 * scale))
}

pub(super) const PINCHED_CYLINDER: ShellProblem = ShellProblem {
    case: "pinched cylinder between diaphragms",
    quantity: "displacement of a loaded point",
    target: 1.8248e-5,
    cells: &[8, 16, 32, 64],
    quick_count: 2,
    first_judged_cells: 32,
    solve: pinched_cylinder,
};

/// A cylinder between diaphragms, pinched in the middle by two opposite forces of 1.
fn pinched_cylinder(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let point_at = tube_points(300.0, 600.0);
    let sheet = Sheet { young: 3e6, poisson: 0.3, thickness: 3.0 };
    let mut cylinder = Shell::new(&closed_surface(kind, [4 * cells, 2 * cells]), sheet, point_at);
    let scale = load_scale(sheet, PINCHED_CYLINDER.target);
    let points = [0.0, 0.5].map(|u| cylinder.nearest_node(point_at(u, 0.5)));
    cylinder.add_force(points[0], Vec3::NEG_X * scale);
    cylinder.add_force(points[1], Vec3::X * scale);
    cylinder.hold(|node, x| {
        let at_diaphragm = (x.z - 300.0).abs() > 300.0 - COINCIDENCE_TOLERANCE;
        [at_diaphragm, at_diaphragm, node == points[0]]
    });
    let world = cylinder.equilibrium(PINCHED_CYLINDER.case, 1)?;
    let [first, second] = points.map(|point| cylinder.displacement(&world, point).x);
    Ok((second - first) / (2.0 * scale))
}

/// The points of a tube along z that begins at the origin, over the unit square.
fn tube_points(radius: f64, length: f64) -> impl Fn(f64, f64) -> Vec3 + Copy {
    move |u, v| {
        let angle = TAU * u;
        Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), length * v)
    }
}

/// The increase of the radius at the loaded points of a tube with open ends, in equilibrium after `load_steps` load
/// steps. Two opposite points in the middle are loaded by a force along x, outwards if it is positive.
fn open_tube(
    problem: &ShellProblem,
    kind: MeshKind,
    cells: usize,
    force: f64,
    load_steps: u32,
) -> Result<f64, StudyError> {
    let point_at = tube_points(4.953, 10.35);
    let sheet = Sheet { young: 10.5e6, poisson: 0.3125, thickness: 0.094 };
    let mut shell = Shell::new(&closed_surface(kind, [4 * cells, 2 * cells]), sheet, point_at);
    let points = [0.0, 0.5].map(|u| shell.nearest_node(point_at(u, 0.5)));
    let side_points = [0.25, 0.75].map(|u| shell.nearest_node(point_at(u, 0.5)));
    shell.add_force(points[0], Vec3::X * force);
    shell.add_force(points[1], Vec3::NEG_X * force);
    // The supports prevent rigid motions only.
    shell.hold(|node, _| {
        [
            side_points.contains(&node),
            points.contains(&node),
            points.contains(&node) || node == side_points[0],
        ]
    });
    let world = shell.equilibrium(problem.case, load_steps)?;
    let [first, second] = points.map(|point| shell.displacement(&world, point).x);
    Ok(0.5 * (first - second))
}

pub(super) const PINCHED_TUBE: ShellProblem = ShellProblem {
    case: "tube with open ends, pinched",
    quantity: "displacement of a loaded point",
    target: 0.1139,
    cells: &[8, 16, 32],
    quick_count: 2,
    first_judged_cells: 32,
    solve: pinched_tube,
};

/// The tube under small inward forces; the displacement is that of a force of 100.
fn pinched_tube(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    let scale = LINEAR_DISPLACEMENT;
    Ok(-open_tube(&PINCHED_TUBE, kind, cells, -100.0 * scale, 1)? / scale)
}

pub(super) const PULLED_TUBE: ShellProblem = ShellProblem {
    case: "tube with open ends, pulled (Sze 2004)",
    quantity: "displacement of a loaded point",
    target: 2.768,
    cells: &[8, 16],
    quick_count: 0,
    first_judged_cells: 8,
    solve: pulled_tube,
};

/// The tube under forces of 40,000, at which it has snapped through (Sze et al. 2004).
fn pulled_tube(kind: MeshKind, cells: usize) -> Result<f64, StudyError> {
    open_tube(&PULLED_TUBE, kind, cells, 40_000.0, 20)
}
