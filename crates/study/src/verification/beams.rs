//! Bending, buckling and vibration of beams and plates.

use super::mapped::{MappedSolid, Order, balance, elastic, is_at};
use super::{CaseOnMesh, VerificationEntry};
use crate::drive::{StudyError, scene_error};
use crate::track::{build_scene, scene_with};
use resile_energy::Material;
use resile_system::Vec3;
use resile_world::World;
use std::f64::consts::{FRAC_PI_2, TAU};

const CANTILEVER: &str = "cantilever 10 : 1 (Timoshenko)";
const COLUMN: &str = "clamped column 20 : 1 (Euler)";
const FREQUENCIES: &str = "cantilever 20 : 1 (Bernoulli)";
const FREE_PLATE: &str = "free square plate (Leissa 1969)";
const POISSON: f64 = 0.3;

/// A beam of length 1 along x with a square section.
fn square_beam(cells: [usize; 3], width: f64) -> MappedSolid {
    MappedSolid::new(cells, Order::Quadratic, |unit| {
        Vec3::new(unit.x, width * (unit.y - 0.5), width * (unit.z - 0.5))
    })
}

/// The held axes of a node: all at x = 0.
fn clamped(unit: Vec3) -> [bool; 3] {
    [is_at(unit.x, 0.0); 3]
}

/// The deflection of a cantilever under a transverse force at its end.
pub(super) fn cantilever(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, width, force]: [f64; 3] = [1e5, 0.1, 1e-4];
    let beam = square_beam(if quick { [20, 2, 2] } else { [30, 3, 3] }, width);
    let load = beam.traction(0, 1.0, Vec3::Y * (force / (width * width)));
    let world =
        balance(beam.world(elastic(Material::Linear, young, POISSON), load, clamped), CANTILEVER)?;
    let tip = beam.node_at(Vec3::X);
    let shear = young / (2.0 * (1.0 + POISSON));
    let bending_deflection = force / (3.0 * young * width.powi(4) / 12.0);
    let shear_deflection = force / (5.0 / 6.0 * shear * width * width);
    Ok(vec![CaseOnMesh { case: CANTILEVER, mesh: beam.description() }.entry(
        "deflection of the end (m)",
        (world.state(0).positions[tip] - beam.rest(tip)).y,
        bending_deflection + shear_deflection,
        0.02,
    )])
}

/// The square of the lowest angular frequency.
fn lowest_squared_frequency(world: &mut World, case: &str) -> Result<f64, StudyError> {
    let modes = world.modes(0, 1).map_err(|failure| scene_error(case, failure))?;
    modes.first().map(|mode| mode.square).ok_or_else(|| scene_error(case, "there is no mode"))
}

/// The buckling load: the load at which the squared lowest frequency is zero, extrapolated linearly from its values
/// under 0.8 and 0.9 of Euler's load.
pub(super) fn column(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, width]: [f64; 2] = [1e5, 0.05];
    let solid = square_beam(if quick { [20, 1, 1] } else { [40, 2, 2] }, width);
    let euler = FRAC_PI_2 * FRAC_PI_2 * young * width.powi(4) / 12.0;
    let squared_frequency = |load_fraction: f64| {
        let load = solid.traction(0, 1.0, Vec3::X * (-load_fraction * euler / (width * width)));
        let material = elastic(Material::StVenantKirchhoff, young, POISSON);
        lowest_squared_frequency(
            &mut balance(solid.world(material, load, clamped), COLUMN)?,
            COLUMN,
        )
    };
    let [low, high] = [0.8, 0.9];
    let [at_low, at_high] = [squared_frequency(low)?, squared_frequency(high)?];
    Ok(vec![CaseOnMesh { case: COLUMN, mesh: solid.description() }.entry(
        "buckling load (N)",
        euler * (high + (high - low) * at_high / (at_low - at_high)),
        euler,
        if quick { 0.02 } else { 0.01 },
    )])
}

/// The first two bending frequencies; each belongs to a pair of modes, because the section is square.
pub(super) fn frequencies(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, width]: [f64; 2] = [1e4, 0.05];
    let beam = square_beam(if quick { [20, 1, 1] } else { [40, 2, 2] }, width);
    let world =
        beam.world(elastic(Material::StVenantKirchhoff, young, POISSON), Vec::new(), clamped);
    let modes = world.modes(0, 4).map_err(|failure| scene_error(FREQUENCIES, failure))?;
    let unit_frequency = (young * width * width / 12.0).sqrt() / TAU;
    let case = CaseOnMesh { case: FREQUENCIES, mesh: beam.description() };
    let entry = |quantity, mode_index: usize, root: f64| {
        case.entry(quantity, modes[mode_index].frequency, root * root * unit_frequency, 0.02)
    };
    Ok(vec![
        entry("first frequency (Hz)", 0, 1.875_104_068_711_961),
        entry("second frequency (Hz)", 2, 4.694_091_132_974_175),
    ])
}

/// The first bending frequency of a free square shell with a side of a = 1 m and a thickness of 1 cm:
/// `13.468 / (2 pi a^2) sqrt(D / rho t)`.
pub(super) fn free_plate(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let cells = if quick { 12 } else { 24 };
    let text = format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: StVK(young: 1e7, poisson: {POISSON})) }},
            bodies: [(
                name: "plate",
                shape: Sheet(size: (1, 1), cells: ({cells}, {cells})),
                kind: Shell(thickness: 1e-2),
                material: "m",
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    );
    let scene = scene_with("plate", &text, [])?;
    let world = build_scene(&scene, "plate")?.world;
    let modes = world.modes(0, 7).map_err(|failure| scene_error(FREE_PLATE, failure))?;
    let flexural_rigidity = 1e7 * 1e-6 / (12.0 * (1.0 - POISSON * POISSON));
    Ok(vec![CaseOnMesh { case: FREE_PLATE, mesh: format!("{cells} x {cells}, shell") }.entry(
        "first bending frequency (Hz)",
        modes[6].frequency,
        13.468 / TAU * (flexural_rigidity / 10.0).sqrt(),
        0.02,
    )])
}
