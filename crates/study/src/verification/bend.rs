//! Bathe and Bolourchi's bend of 45 degrees.

use super::mapped::{MappedSolid, Order, balance, elastic, is_at};
use super::{CaseOnMesh, VerificationEntry, world_of_scene};
use crate::drive::{StudyError, scene_error};
use resile_energy::Material;
use resile_system::Vec3;
use std::f64::consts::{FRAC_PI_4, PI};

const BEND: &str = "bend of 45 degrees (Bathe & Bolourchi 1979)";
/// Number of load steps of the rod.
const LOAD_STEPS: u32 = 6;
/// Radius of the centreline of the bar.
const ARC_RADIUS: f64 = 100.0;
/// Torsion constant of a square with sides of length 1.
const TORSION_CONSTANT: f64 = 0.140_577;

/// A curved bar of solid elements in the xy plane with a radius of 100 and a unit square section, clamped at one end,
/// under a force of 600 along z at the other end. Quantities have no units; Young's modulus is 1e7, Poisson's ratio
/// zero.
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
    let leg = libm::sin(FRAC_PI_4) * RADIUS;
    let tip = bar.node_at(Vec3::new(RADIUS - leg, leg, 0.0));
    let displacement = world.state(0).positions[tip] - bar.rest(tip);
    let case = CaseOnMesh { case: BEND, mesh: bar.description() };
    Ok(vec![
        case.entry("displacement of the end along x", displacement.x, -13.4, 0.03),
        case.entry("displacement of the end along y", displacement.y, -23.5, 0.03),
        case.entry("displacement of the end along z", displacement.z, 53.4, 0.02),
    ])
}

/// The bar as a rod of circular section. The radius is chosen such that the flexural rigidity is that of the square.
/// Poisson's ratio, which affects only the twist of a rod, is chosen such that the torsional rigidity is that of the
/// square, `0.1406 E / 2`. The area is 1.023 times that of the square. The clamp is in the middle of the first segment,
/// whose two nodes are fixed.
pub(super) fn by_rods(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let segments = if quick { 16 } else { 64 };
    let mut world = world_of_scene(&rod_scene(segments), BEND)?;
    for step in 1..=LOAD_STEPS {
        let end = f64::from(step) / f64::from(LOAD_STEPS);
        let record = world.load_step(1.0 / f64::from(LOAD_STEPS), end);
        record.map_err(|failure| scene_error(BEND, failure))?;
    }
    let displacement = world.state(0).positions[segments] - rod_rest_position(segments, segments);
    let case = CaseOnMesh { case: BEND, mesh: format!("{segments} segments, rod") };
    Ok(vec![
        case.entry("displacement of the end along x", displacement.x, -13.4, 0.03),
        case.entry("displacement of the end along y", displacement.y, -23.5, 0.03),
        case.entry("displacement of the end along z", displacement.z, 53.4, 0.03),
    ])
}

/// Position at rest of a node of the rod with this number of segments: on an arc of 45 degrees, which begins in the
/// middle of the first segment.
fn rod_rest_position(node: usize, segments: usize) -> Vec3 {
    let angle = FRAC_PI_4 * (node as f64 - 0.5) / (segments as f64 - 0.5);
    Vec3::new(ARC_RADIUS * (1.0 - libm::cos(angle)), ARC_RADIUS * libm::sin(angle), 0.0)
}

/// Text of the scene of the rod with this number of segments.
fn rod_scene(segments: usize) -> String {
    let radius = (1.0 / (3.0 * PI)).sqrt().sqrt();
    let poisson = 1.0 / (6.0 * TORSION_CONSTANT) - 1.0;
    let point = |node: usize| {
        let Vec3 { x, y, .. } = rod_rest_position(node, segments);
        format!("({x:?}, {y:?}, 0), ")
    };
    let points: String = (0..=segments).map(point).collect();
    format!(
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
    )
}
