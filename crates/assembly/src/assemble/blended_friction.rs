//! The warning of blending with friction.

use super::warnings::warning;
use resile_contact::PairTable;
use resile_scene::description::{Analysis, Problem, Scene, Scheme};

/// Warns of friction between `pairs` under `Blend`: positions that are mixed with those of another method are those of no
/// balance of contact forces, so sliding bodies hop, and friction acts at the landings
/// ([docs/integrators.md](../../../../docs/integrators.md#the-family)).
pub(super) fn warn_blended_friction(scene: &Scene, pairs: &PairTable) -> Option<Problem> {
    let is_blended = matches!(scene.integrator, Scheme::Blend { .. });
    (is_blended && scene.analysis == Analysis::Dynamic && !pairs.is_frictionless()).then(|| {
        warning(
            "integrator".to_owned(),
            "bodies that slide with friction hop under `Blend` and stop where they should slide"
                .to_owned(),
            "`ASearch()` or `TrBdf2`; a shorter step or a smaller tolerance does not help"
                .to_owned(),
        )
    })
}
