//! Bathe and Bolourchi's bend of 45 degrees.

use super::mapped::{MappedSolid, Order, balance, elastic, is_at};
use super::{OnMesh, VerificationEntry, of_scene};
use crate::drive::{StudyError, unfit};
use resile_energy::Material;
use resile_system::Vec3;
use std::f64::consts::{FRAC_PI_4, PI};

const BEND: &str = "bend of 45 degrees (Bathe & Bolourchi 1979)";
/// Of the rod.
const LOAD_STEPS: u32 = 6;

/// A curved bar in the plane of x and y of radius 100, of unit square section, clamped, with a force of 600 across the plane at its
/// end. Lengths and forces have no units; Young's modulus is 1e7, Poisson's ratio zero.
pub(super) fn by_solids(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    const RADIUS: f64 = 100.0;
    let bar = MappedSolid::new([16, 1, 1], Order::Quadratic, |unit| {
        let angle = FRAC_PI_4 * unit.x;
        let radius = RADIUS + unit.y - 0.5;
        Vec3::new(RADIUS - radius * libm::cos(angle), radius * libm::sin(angle), unit.z - 0.5)
    });
    let load = bar.traction(0, 1.0, Vec3::Z * 600.0);
    let material = elastic(Material::StVenantKirchhoff, 1e7, 0.0);
    let world = balance(bar.world(material, load, |unit| [is_at(unit.x, 0.0); 3]), BEND)?;
    let half = libm::sin(FRAC_PI_4) * RADIUS;
    let tip = bar.node_at(Vec3::new(RADIUS - half, half, 0.0));
    let moved = world.state(0).positions[tip] - bar.rest(tip);
    let case = OnMesh { case: BEND, mesh: bar.described() };
    Ok(vec![
        case.entry("displacement of the end along x", moved.x, -13.4, 0.03),
        case.entry("displacement of the end along y", moved.y, -23.5, 0.03),
        case.entry("displacement of the end along z", moved.z, 53.4, 0.02),
    ])
}

/// The bar as a rod of circular section. The radius gives it the flexural rigidity of the square, and Poisson's ratio,
/// which affects only the twist of a rod, its torsional rigidity `0.1406 E / 2`. The area is 1.023 times that of the
/// square. The corners of the clamped segment are half a segment before and behind the clamp.
pub(super) fn by_rods(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    const RADIUS: f64 = 100.0;
    const TORSION: f64 = 0.140_577;
    let segments = if quick { 16 } else { 64 };
    let radius = (1.0 / (3.0 * PI)).sqrt().sqrt();
    let poisson = 1.0 / (6.0 * TORSION) - 1.0;
    let place = |node: usize| {
        let angle = FRAC_PI_4 * (node as f64 - 0.5) / (segments as f64 - 0.5);
        Vec3::new(RADIUS * (1.0 - libm::cos(angle)), RADIUS * libm::sin(angle), 0.0)
    };
    let point = |node: usize| {
        let Vec3 { x, y, .. } = place(node);
        format!("({x:?}, {y:?}, 0), ")
    };
    let points: String = (0..=segments).map(point).collect();
    let text = format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1, model: StVK(young: 1e7, poisson: {poisson:?})) }},
            bodies: [(
                name: "bar",
                shape: Curve(points: [{points}]),
                kind: Rod(radius: {radius:?}, rest_shape: Shape),
                material: "m",
                terms: [Force(
                    force: (0, 0, 600), region: Nodes([{segments}]),
                    factor: Table(points: [(0, 0), (1, 1)]),
                )],
                hold: [(region: Nodes([0, 1]), motion: Fixed)],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    );
    let mut world = of_scene(&text, BEND)?;
    for part in 1..=LOAD_STEPS {
        let end = f64::from(part) / f64::from(LOAD_STEPS);
        let record = world.load_step(1.0 / f64::from(LOAD_STEPS), end);
        record.map_err(|failure| unfit(BEND, failure))?;
    }
    let moved = world.state(0).positions[segments] - place(segments);
    let case = OnMesh { case: BEND, mesh: format!("{segments} segments, rod") };
    Ok(vec![
        case.entry("displacement of the end along x", moved.x, -13.4, 0.03),
        case.entry("displacement of the end along y", moved.y, -23.5, 0.03),
        case.entry("displacement of the end along z", moved.z, 53.4, 0.03),
    ])
}
