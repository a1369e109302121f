//! Bathe and Bolourchi's bend of 45 degrees.

use super::VerificationEntry;
use super::mapped::{MappedSolid, Order, balance, elastic, is_at};
use crate::drive::StudyError;
use resile_energy::Material;
use resile_system::Vec3;
use std::f64::consts::FRAC_PI_4;

const BEND: &str = "bend of 45 degrees (Bathe & Bolourchi 1979)";

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
    let entry = |quantity, value, target, tolerance| VerificationEntry {
        case: BEND,
        quantity,
        mesh: bar.described(),
        value,
        target,
        tolerance: Some(tolerance),
    };
    Ok(vec![
        entry("displacement of the end along x", moved.x, -13.4, 0.03),
        entry("displacement of the end along y", moved.y, -23.5, 0.03),
        entry("displacement of the end along z", moved.z, 53.4, 0.02),
    ])
}
