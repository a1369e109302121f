//! Warnings of contact that is too stiff for the tolerance of the solver.

use super::Parts;
use super::warnings::warning;
use resile_contact::BarrierPotential;
use resile_math::{Aabb, Vec3};
use resile_scene::description::Problem;

/// Change of the contact force of a resting body by a displacement within the tolerance, relative to its weight, above
/// which a warning is issued.
const MAX_FORCE_CHANGE: f64 = 1.0;

/// Warns of a light body on a barrier, if a displacement within the tolerance of the solver, `tolerance h`,
/// changes its contact force by its weight or more:
///
/// ```text
/// tolerance h k(p) / p,   p = weight / area
/// ```
///
/// with the stiffness `k` of the barrier (Pa/m) under the pressure `p`.
pub(super) fn warn_loose_tolerance(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let collisions = parts.collisions.as_ref()?;
    let scene = parts.scene;
    let gravity = Vec3::from_array(scene.gravity);
    let body = &parts.placed[k];
    let points = body.surface.points(&body.state.positions);
    let size = Aabb::around(&points)?.size();
    // Projected area of a box along gravity.
    let [x, y, z] = gravity.normalize_or_zero().abs().to_array();
    let area = x * size.y * size.z + y * size.z * size.x + z * size.x * size.y;
    let mass: f64 = body.body.masses.iter().sum();
    let pressure = mass * gravity.length() / area;
    let pairs = &collisions.pairs;
    // A body does not lie on itself.
    let mut others = (0..pairs.colliders()).filter(|other| *other != k);
    let has_friction = others.any(|other| pairs.friction(k, other) > 0.0);
    if !(has_friction && area > 0.0 && pressure > 0.0 && pressure.is_finite()) {
        return None;
    }
    let displacement = scene.solver.tolerance * scene.time.step.seconds();
    let force_change = displacement * contact_stiffness(&collisions.barrier, pressure) / pressure;
    (force_change > MAX_FORCE_CHANGE).then(|| {
        let units = scene.units;
        let message = format!(
            "the solver's tolerance of {:e} lets \"{}\" be {:.1e} off, which changes the force of its contact at rest \
             by about {force_change:.1} times its weight",
            units.show(scene.solver.tolerance, "m/s"),
            body.body.name,
            units.show(displacement, "m")
        );
        let help = format!(
            "friction that holds or slides by that force may be as far off: choose `solver.tolerance` below {:.0e}",
            units.number(0.1 * scene.solver.tolerance / force_change, "m/s")
        );
        warning("solver.tolerance".to_owned(), message, help)
    })
}

/// The stiffness (Pa/m) of a flat contact at the distance at which the barrier has a pressure (Pa), found by bisection.
fn contact_stiffness(potential: &BarrierPotential, pressure: f64) -> f64 {
    let BarrierPotential { barrier, d_hat, kappa } = *potential;
    let exceeds_pressure = |s: f64| -kappa * d_hat * barrier.at(s * d_hat, d_hat).first > pressure;
    let (mut lower, mut upper) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (lower + upper);
        if exceeds_pressure(middle) { lower = middle } else { upper = middle }
    }
    kappa * d_hat * barrier.at(lower.max(f64::MIN_POSITIVE) * d_hat, d_hat).second
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_contact::Barrier;

    /// The table of `docs/contact.md`.
    #[test]
    fn barrier_stiffness_follows_from_the_pressure() {
        let potential = BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 1e-3, kappa: 1e5 };
        for (pressure, over) in [(0.01, 0.36), (0.1, 1.2), (1.0, 5.5), (10.0, 85.0)] {
            let found = contact_stiffness(&potential, pressure * 1e5) / (1e5 / 1e-3);
            assert!((found / over - 1.0).abs() < 0.05, "{pressure} kappa: {found}, not {over}");
        }
    }
}
