//! A balloon filled with gas.

use super::{OnMesh, VerificationEntry};
use crate::drive::{StudyError, unfit};
use crate::track::{built, overridden};
use std::f64::consts::PI;

const BALLOON: &str = "balloon of rubber filled with gas";

/// A sphere of neo-Hookean rubber in air whose amount of gas grows by half at constant temperature: the membrane of thickness t and radius
/// R bears `2 mu t / R (1 / s - s^-7)` at the stretch s (Holzapfel 2000, section 6.5), the gas has `p V` constant.
pub(super) fn balloon(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [air, amount, radius, thickness, young, poisson]: [f64; 6] =
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
                    pressure: {air}, outside: {air},
                    factor: Table(points: [(0, 1), (1, {amount})]),
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
    let mut world = built(&overridden("balloon", &text, [])?, BALLOON)?.world;
    for step in 1..=4 {
        let reached = world.load_step(0.25, 0.25 * f64::from(step));
        reached.map_err(|failure| unfit(BALLOON, failure))?;
    }
    let x = &world.state(0).positions;
    let stretch = x.iter().map(|x| x.length()).sum::<f64>() / x.len() as f64 / radius;
    let shear = young / (2.0 * (1.0 + poisson));
    let rubber = |s: f64| 2.0 * shear * thickness / radius * (1.0 / s - s.powi(-7));
    let (mut low, mut high) = (1.0, 3.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let excess = air + rubber(middle) - amount * air * middle.powi(-3);
        if excess < 0.0 { low = middle } else { high = middle }
    }
    let volume = |s: f64| 4.0 / 3.0 * PI * (radius * s).powi(3);
    let case = OnMesh {
        case: BALLOON,
        mesh: format!("{} triangles, shell", 20 * 4_u32.pow(subdivisions)),
    };
    Ok(vec![
        case.entry("stretch", stretch, low, 0.01),
        case.entry("volume over that at rest", volume(stretch) / volume(1.0), low.powi(3), 0.02),
    ])
}
