//! A balloon filled with gas.

use super::{CaseOnMesh, VerificationEntry};
use crate::drive::{StudyError, scene_error};
use crate::track::{build_scene, scene_with};
use std::f64::consts::PI;

const BALLOON: &str = "balloon of rubber filled with gas";

/// The stretch of a sphere of neo-Hookean rubber in air when its amount of gas grows by half at constant temperature.
/// At the stretch s, a membrane of thickness t and radius R bears the pressure difference `2 mu t / R (1 / s - s^-7)`
/// (Holzapfel 2000, section 6.5), and the pressure of the gas is proportional to its amount over its volume.
pub(super) fn balloon(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [air_pressure, gas_ratio, radius, thickness, young, poisson]: [f64; 6] =
        [101_325.0, 1.5, 0.1, 1e-3, 1e6, 0.495];
    let subdivisions = 2;
    let text = format!(
        r#"(
            version: 2,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: {young}, poisson: {poisson})) }},
            bodies: [(
                name: "balloon",
                shape: Sphere(radius: {radius}, subdivisions: {subdivisions}),
                kind: Shell(thickness: {thickness}),
                material: "rubber",
                terms: [Gas(
                    pressure: {air_pressure}, outside: {air_pressure},
                    factor: Table(points: [(0, 1), (1, {gas_ratio})]),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            analysis: Static,
            solver: (tolerance: 1e-7),
            time: (step: 0.25, duration: 1),
        )"#
    );
    let mut world = build_scene(&scene_with("balloon", &text, [])?, BALLOON)?.world;
    for step in 1..=4 {
        let result = world.load_step(0.25, 0.25 * f64::from(step));
        result.map_err(|failure| scene_error(BALLOON, failure))?;
    }
    let positions = &world.state(0).positions;
    let stretch =
        positions.iter().map(|x| x.length()).sum::<f64>() / positions.len() as f64 / radius;
    let shear = young / (2.0 * (1.0 + poisson));
    let membrane_pressure = |s: f64| 2.0 * shear * thickness / radius * (1.0 / s - s.powi(-7));
    let (mut low, mut high) = (1.0, 3.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let excess =
            air_pressure + membrane_pressure(middle) - gas_ratio * air_pressure * middle.powi(-3);
        if excess < 0.0 { low = middle } else { high = middle }
    }
    let volume = |s: f64| 4.0 / 3.0 * PI * (radius * s).powi(3);
    let case = CaseOnMesh {
        case: BALLOON,
        mesh: format!("{} triangles, shell", 20 * 4_u32.pow(subdivisions)),
    };
    Ok(vec![
        case.entry("stretch", stretch, low, 0.01),
        case.entry("volume over that at rest", volume(stretch) / volume(1.0), low.powi(3), 0.02),
    ])
}
