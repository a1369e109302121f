//! The ground level of the energies of a comparison.

use super::Variant;
use resile_scene::description::{Ground, Scheme};
use resile_scene::text::SceneText;

/// The ground level of a comparison: that of the scene or, if it defines none, that of the first variant that defines
/// one. Texts that cannot be read define none.
pub(crate) fn common_ground(base: &SceneText, variants: &[Variant]) -> Option<Ground> {
    let mut texts = std::iter::once(base).chain(variants.iter().map(|variant| &variant.text));
    texts.find_map(|text| ground(&text.read().ok()?.integrator))
}

/// The ground level of the energy target of a method, if any.
fn ground(integrator: &Scheme) -> Option<Ground> {
    integrator.target()?.1.ground
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_scene::text::options;

    #[test]
    fn ground_level_is_found_in_nested_integrators() {
        let of = |text: &str| ground(&options().from_str(text).expect("an integrator"));
        assert_eq!(
            of("ASearch(target: (ground: RestHeight(0.05)))"),
            Some(Ground::RestHeight(0.05))
        );
        assert_eq!(of("Blend(target: (ground: Joules(-3.5)))"), Some(Ground::Joules(-3.5)));
        assert_eq!(of("ASearch()"), None);
        assert_eq!(of("Bdf2"), None);
    }
}
