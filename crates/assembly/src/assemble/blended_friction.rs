//! The warning of blending with friction.

use super::warnings::step_warning;
use resile_contact::{PairTable, Role};
use resile_scene::description::{Analysis, Problem, Scene, Scheme};

/// Warns of friction on bodies under `Blend`: positions that are mixed with those of another method are those of no balance
/// of contact forces, so sliding bodies hop, and friction acts at the landings
/// ([docs/integrators.md](../../../../docs/integrators.md#the-family)). `roles` are those of the first colliders of `pairs`;
/// the others are fixed obstacles.
pub(super) fn warn_blended_friction(
    scene: &Scene,
    roles: &[Role],
    pairs: &PairTable,
) -> Option<Problem> {
    let is_blended = matches!(scene.integrator, Scheme::Blend { .. });
    let applies = is_blended && scene.analysis == Analysis::Dynamic && !pairs.is_frictionless();
    (applies && has_friction_on_bodies(roles, pairs)).then(|| {
        step_warning(
            "integrator".to_owned(),
            "bodies that slide with friction hop under `Blend` and stop where they should slide"
                .to_owned(),
            "`ASearch()` or `TrBdf2`; a smaller `solver.tolerance` helps at some steps only"
                .to_owned(),
        )
    })
}

/// Whether a simulated body has friction against itself or an obstacle. O(bodies * obstacles).
fn has_friction_on_bodies(roles: &[Role], pairs: &PairTable) -> bool {
    let is_simulated = |collider: usize| roles.get(collider) == Some(&Role::Simulated);
    let colliders = || 0..pairs.collider_count();
    colliders().filter(|&body| is_simulated(body)).any(|body| {
        let mut others = colliders().filter(|&other| other == body || !is_simulated(other));
        others.any(|other| pairs.friction(body, other) > 0.0)
    })
}
