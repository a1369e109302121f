//! NAFEMS' elliptic plates, Cook's membrane and a cylinder under pressure: linear elasticity.

use super::mapped::{MappedSolid, Order, balance, elastic, is_at};
use super::{CaseOnMesh, VerificationEntry};
use crate::drive::StudyError;
use resile_energy::Material;
use resile_system::{Mat3, Vec3};
use std::f64::consts::FRAC_PI_2;

const LE10: &str = "NAFEMS LE10: thick elliptic plate";
const LE1: &str = "NAFEMS LE1: elliptic membrane";
const COOK: &str = "Cook's membrane (1974)";
const LAME: &str = "cylinder under internal pressure (Lame)";

/// The map of the unit cube to a quarter of a plate between two ellipses with these half axes: u leads from the inner
/// to the outer ellipse, v from the x axis to the y axis, w through the thickness. Cells at u = 0 and at v = 0 are half
/// as large as the mean.
fn elliptic_quarter(inner: [f64; 2], outer: [f64; 2], thickness: f64) -> impl Fn(Vec3) -> Vec3 {
    let graded = |t: f64| 0.5 * t * (1.0 + t);
    move |unit: Vec3| {
        let (fraction, angle) = (graded(unit.x), FRAC_PI_2 * graded(unit.y));
        let half_axis = |k: usize| inner[k] + fraction * (outer[k] - inner[k]);
        // Nodes on the y axis have exactly x = 0.
        let cosine = if is_at(unit.y, 1.0) { 0.0 } else { libm::cos(angle) };
        Vec3::new(half_axis(0) * cosine, half_axis(1) * libm::sin(angle), thickness * unit.z)
    }
}

/// The Cauchy stress at a node of the first body.
fn stress_at(world: &resile_world::World, node: usize) -> Mat3 {
    world.stress(0).cauchy(node).unwrap_or(Mat3::ZERO)
}

/// NAFEMS LE10: a pressure of 1 `MPa` on the upper side of a thick plate. The outer rim is fixed along x and y, and its
/// middle line along z.
pub(super) fn thick_plate(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let meshes: &[([usize; 3], Order, Option<f64>)] = match quick {
        true => &[([6, 10, 2], Order::Linear, None), ([6, 10, 2], Order::Quadratic, Some(0.02))],
        false => &[
            ([8, 16, 4], Order::Linear, None),
            ([16, 32, 8], Order::Linear, None),
            ([6, 10, 2], Order::Quadratic, Some(0.02)),
            ([10, 20, 4], Order::Quadratic, Some(0.01)),
        ],
    };
    let fixed_axes = |unit: Vec3| {
        let is_on_rim = is_at(unit.x, 1.0);
        let (is_on_x, is_on_y) = (is_at(unit.y, 0.0), is_at(unit.y, 1.0));
        [is_on_y || is_on_rim, is_on_x || is_on_rim, is_on_rim && is_at(unit.z, 0.5)]
    };
    let entry = |&(cells, order, tolerance): &([usize; 3], Order, Option<f64>)| {
        let plate = MappedSolid::new(cells, order, elliptic_quarter([2.0, 1.0], [3.25, 2.75], 0.6));
        let steel = elastic(Material::Linear, 210e3, 0.3);
        let world = balance(plate.world(steel, plate.pressure(2, 1.0, 1.0), fixed_axes), LE10)?;
        let point = plate.node_at(Vec3::new(2.0, 0.0, 0.6));
        Ok(CaseOnMesh { case: LE10, mesh: plate.description() }.entry(
            "stress yy at D (MPa)",
            stress_at(&world, point).col(1).y,
            -5.38,
            tolerance,
        ))
    };
    meshes.iter().map(entry).collect()
}

/// NAFEMS LE1: a tension of 10 `MPa` across the outer rim of a membrane in plane stress, which is one cell thick and
/// free to contract.
pub(super) fn membrane(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let cells = if quick { [8, 12, 1] } else { [16, 24, 1] };
    let solid =
        MappedSolid::new(cells, Order::Quadratic, elliptic_quarter([2.0, 1.0], [3.25, 2.75], 0.05));
    let fixed_axes = |unit: Vec3| [is_at(unit.y, 1.0), is_at(unit.y, 0.0), is_at(unit.z, 0.0)];
    let steel = elastic(Material::Linear, 210e3, 0.3);
    let world = balance(solid.world(steel, solid.pressure(0, 1.0, -10.0), fixed_axes), LE1)?;
    let point = solid.node_at(Vec3::new(2.0, 0.0, 0.0));
    Ok(vec![CaseOnMesh { case: LE1, mesh: solid.description() }.entry(
        "stress yy at D (MPa)",
        stress_at(&world, point).col(1).y,
        92.7,
        if quick { 0.02 } else { 0.01 },
    )])
}

/// Cook's membrane: a tapered panel in plane stress, sheared at its right side, with Young's modulus, force and
/// thickness 1.
pub(super) fn cook(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    /// Scale of the force; displacements are proportional to it.
    const SCALE: f64 = 1e-3;
    let cells = if quick { [8, 8, 1] } else { [16, 16, 1] };
    let map = |u: Vec3| Vec3::new(48.0 * u.x, 44.0 * u.x + u.y * (44.0 - 28.0 * u.x), 0.5 * u.z);
    let panel = MappedSolid::new(cells, Order::Quadratic, map);
    let fixed_axes = |unit: Vec3| [is_at(unit.x, 0.0), is_at(unit.x, 0.0), is_at(unit.z, 0.0)];
    let load = panel.traction(0, 1.0, Vec3::Y * (SCALE / 16.0));
    let world =
        balance(panel.world(elastic(Material::Linear, 1.0, 1.0 / 3.0), load, fixed_axes), COOK)?;
    let tip = panel.node_at(Vec3::new(48.0, 52.0, 0.0));
    Ok(vec![CaseOnMesh { case: COOK, mesh: panel.description() }.entry(
        "rise of the tip (m)",
        (world.state(0).positions[tip] - panel.rest(tip)).y / SCALE,
        23.96,
        0.01,
    )])
}

/// A cylinder with radii of 1 m and 2 m in plane strain under internal pressure, with straight and with curved edges of
/// elements. A quarter between planes of symmetry is meshed.
pub(super) fn cylinder(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let cells = if quick { [6, 12, 1] } else { [12, 24, 1] };
    let tolerance = if quick { 0.02 } else { 0.01 };
    let mut entries = Vec::new();
    // Straight edges change the radius; this error of the displacement is of second order in the size of cells.
    for (order, displacement_tolerance) in [(Order::Quadratic, tolerance), (Order::Curved, 1e-3)] {
        entries.extend(pressurised_cylinder(cells, order, [displacement_tolerance, tolerance])?);
    }
    Ok(entries)
}

/// Displacement and hoop stress at the bore of a cylinder, compared with Lame's solution.
fn pressurised_cylinder(
    cells: [usize; 3],
    order: Order,
    [displacement_tolerance, stress_tolerance]: [f64; 2],
) -> Result<[VerificationEntry; 2], StudyError> {
    let [young, poisson, pressure]: [f64; 3] = [210e3, 0.3, 100.0];
    // The inner and the outer radius (m).
    let [a, b] = [1.0_f64, 2.0];
    let cylinder = MappedSolid::new(cells, order, elliptic_quarter([a, a], [b, b], 0.1));
    let fixed_axes = |unit: Vec3| {
        [is_at(unit.y, 1.0), is_at(unit.y, 0.0), is_at(unit.z, 0.0) || is_at(unit.z, 1.0)]
    };
    let steel = elastic(Material::Linear, young, poisson);
    let world =
        balance(cylinder.world(steel, cylinder.pressure(0, 0.0, pressure), fixed_axes), LAME)?;
    let point = cylinder.node_at(Vec3::X * a);
    let bore_displacement = pressure * a * a / (young * (b * b - a * a))
        * (1.0 + poisson)
        * ((1.0 - 2.0 * poisson) * a + b * b / a);
    let hoop_stress = pressure * (a * a + b * b) / (b * b - a * a);
    let case = CaseOnMesh { case: LAME, mesh: cylinder.description() };
    let displacement = (world.state(0).positions[point] - cylinder.rest(point)).x;
    let stress = stress_at(&world, point).col(1).y;
    Ok([
        case.entry(
            "displacement of the bore (m)",
            displacement,
            bore_displacement,
            displacement_tolerance,
        ),
        case.entry("hoop stress at the bore (MPa)", stress, hoop_stress, stress_tolerance),
    ])
}
