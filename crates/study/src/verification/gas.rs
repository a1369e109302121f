//! A balloon filled with gas.

use super::{CaseOnMesh, VerificationEntry};
use crate::drive::{StudyError, scene_error};
use crate::track::{build_scene, scene_with};
use std::f64::consts::PI;

const BALLOON: &str = "balloon of rubber filled with gas";

/// Pressure of the air outside, and of the gas at rest (Pa).
const AIR_PRESSURE: f64 = 101_325.0;
/// Final amount of gas over the initial amount.
const GAS_RATIO: f64 = 1.5;
/// Radius at rest (m).
const RADIUS: f64 = 0.1;
/// Thickness at rest (m).
const THICKNESS: f64 = 1e-3;
/// Young's modulus (Pa).
const YOUNG: f64 = 1e6;
/// Poisson's ratio.
const POISSON: f64 = 0.495;
/// Number of subdivisions of an icosahedron.
const SUBDIVISIONS: u32 = 2;

/// The stretch of a sphere of neo-Hookean rubber in air when its amount of gas grows by half at constant temperature.
/// At the stretch s, a membrane of thickness t and radius R bears the pressure difference `2 mu t / R (1 / s - s^-7)`
/// (Holzapfel 2000, section 6.5), and the pressure of the gas is proportional to its amount over its volume.
pub(super) fn balloon(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let mut world = build_scene(&scene_with("balloon", &scene(), [])?, BALLOON)?.world;
    for step in 1..=4 {
        let result = world.load_step(0.25, 0.25 * f64::from(step));
        result.map_err(|failure| scene_error(BALLOON, failure))?;
    }
    let positions = &world.state(0).positions;
    let stretch =
        positions.iter().map(|x| x.length()).sum::<f64>() / positions.len() as f64 / RADIUS;
    let expected_stretch = theoretical_stretch();
    let volume = |stretch: f64| 4.0 / 3.0 * PI * (RADIUS * stretch).powi(3);
    let case = CaseOnMesh {
        case: BALLOON,
        mesh: format!("{} triangles, shell", 20 * 4_u32.pow(SUBDIVISIONS)),
    };
    let (relative_volume, expected_volume) =
        (volume(stretch) / volume(1.0), expected_stretch.powi(3));
    Ok(vec![
        case.entry("stretch", stretch, expected_stretch, 0.01),
        case.entry("volume over that at rest", relative_volume, expected_volume, 0.02),
    ])
}

/// The stretch at which the membrane is in equilibrium with the gas, by bisection.
fn theoretical_stretch() -> f64 {
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let membrane_pressure = |s: f64| 2.0 * shear * THICKNESS / RADIUS * (1.0 / s - s.powi(-7));
    let (mut low, mut high) = (1.0, 3.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let excess =
            AIR_PRESSURE + membrane_pressure(middle) - GAS_RATIO * AIR_PRESSURE * middle.powi(-3);
        if excess < 0.0 { low = middle } else { high = middle }
    }
    low
}

/// Text of the scene, in which the amount of gas grows linearly from time 0 to 1.
fn scene() -> String {
    format!(
        r#"(
            version: 2,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "balloon",
                shape: Sphere(radius: {RADIUS}, subdivisions: {SUBDIVISIONS}),
                kind: Shell(thickness: {THICKNESS}),
                material: "rubber",
                terms: [Gas(
                    pressure: {AIR_PRESSURE}, outside: {AIR_PRESSURE},
                    factor: Table(points: [(0, 1), (1, {GAS_RATIO})]),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            analysis: Static,
            solver: (tolerance: 1e-7),
            time: (step: 0.25, duration: 1),
        )"#
    )
}
