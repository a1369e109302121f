//! Laws of elements from described materials.

use super::error;
use resile_energy::{ElastoPlastic, Fibre, Lame, Material, Ogden, VonMises, Yeoh};
use resile_math::Vec3;
use resile_scene::description::{Model, Placement, Plasticity, Problem};

/// Converts a described elastic model to a law of `energy`; `model` may differ from that of the material in its
/// parameters.
pub(super) fn law(
    model: &Model,
    plasticity: Option<Plasticity>,
    placement: &Placement,
    path: &str,
) -> Result<Material, Vec<Problem>> {
    let unfit = |e: &dyn ToString| {
        vec![error(format!("{path}.material"), e.to_string(), "mend the material")]
    };
    let lame = Lame::from_young_poisson(model.young(), model.poisson()).map_err(|e| unfit(&e))?;
    match *model {
        Model::NeoHookean { .. } => Ok(Material::NeoHookean(lame)),
        Model::Corotated { .. } => Ok(Material::Corotated(lame)),
        Model::Linear { .. } => Ok(Material::Linear(lame)),
        Model::MooneyRivlin { c10, c01, bulk } => {
            Ok(Material::Ogden(Ogden::mooney_rivlin(c10, c01, bulk)))
        }
        Model::Yeoh { c10, c20, c30, bulk } => {
            Ok(Material::Yeoh(Yeoh { coefficients: [c10, c20, c30], bulk }))
        }
        Model::Ogden { first, second, third, bulk } => {
            let term = |term: Option<[f64; 2]>| term.map_or((0.0, 1.0), |[mu, alpha]| (mu, alpha));
            Ok(Material::Ogden(Ogden { terms: [Some(first), second, third].map(term), bulk }))
        }
        Model::Hencky { .. } => match plasticity {
            None => Ok(Material::Hencky(lame)),
            Some(Plasticity::VonMises { yield_stress, hardening }) => {
                let flow = VonMises::new(yield_stress, hardening).map_err(|e| unfit(&e))?;
                Ok(Material::ElastoPlastic(ElastoPlastic { lame, flow }))
            }
        },
        Model::StVK { .. } | Model::Orthogonal { .. } => Ok(Material::StVenantKirchhoff(lame)),
        Model::Fibre { stiffness, exponent, direction, .. } => {
            let placed = placement.apply_to_direction(Vec3::from_array(direction));
            let fibre = Fibre::new(lame, stiffness, exponent, placed).map_err(|e| unfit(&e))?;
            Ok(Material::Fibre(fibre))
        }
    }
}
