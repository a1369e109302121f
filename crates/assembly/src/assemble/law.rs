//! Laws of elements from described materials.

use super::error;
use resile_energy::{
    ElastoPlastic, KinematicHardening, Lame, Material, Maxwell, RateDependence, VonMises,
};
use resile_scene::description::{
    Material as DescribedMaterial, Model, Placement, Plasticity, Problem, Viscosity,
};
use std::mem::{Discriminant, discriminant};

/// The law of an element: materials that act in parallel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ElementLaw {
    pub(super) base: Material,
    /// Materials whose stress adds to that of `base`.
    pub(super) overlays: Vec<Material>,
}

impl ElementLaw {
    /// The kinds of the laws, without their parameters.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Discriminant<Material>> + '_ {
        std::iter::once(&self.base).chain(&self.overlays).map(discriminant)
    }
}

/// The law of elements of a described material; `model` may differ from that of the material in its parameters.
pub(super) fn element_law(
    described_material: &DescribedMaterial,
    model: &Model,
    placement: &Placement,
    path: &str,
) -> Result<ElementLaw, Vec<Problem>> {
    if let Some(Viscosity::Prony(branches)) = &described_material.viscosity {
        let relaxed_fraction = 1.0 - branches.iter().map(|branch| branch.modulus).sum::<f64>();
        let base = elastic_law(&model.with_shear_scaled(relaxed_fraction), placement, path)?;
        let maxwell = |modulus: f64, time: f64| Maxwell::new(modulus * model.shear(), time);
        let overlays = branches.iter().map(|branch| maxwell(branch.modulus, branch.time));
        let overlays =
            overlays.map(|branch| branch.map(Material::Maxwell)).collect::<Result<_, _>>();
        return Ok(ElementLaw {
            base,
            overlays: overlays.map_err(|e| material_problem(path, &e))?,
        });
    }
    let base = elastic_law(model, placement, path)?;
    match (described_material.plasticity, base) {
        (Some(plasticity), Material::Hencky(lame)) => plastic_law(plasticity, lame, path),
        _ => Ok(ElementLaw { base, overlays: Vec::new() }),
    }
}

/// The law of a Hencky material with von Mises plasticity. Kinematic hardening needs two materials that act in
/// parallel.
fn plastic_law(
    Plasticity::VonMises { yield_stress, hardening, kinematic_hardening, rate }: Plasticity,
    lame: Lame,
    path: &str,
) -> Result<ElementLaw, Vec<Problem>> {
    let mut flow =
        VonMises::new(yield_stress, hardening).map_err(|e| material_problem(path, &e))?;
    if let Some(rate) = rate {
        let rate = RateDependence::new(rate.reference, rate.exponent);
        flow = flow.with_rate(rate.map_err(|e| material_problem(path, &e))?);
    }
    let plastic = ElastoPlastic { lame, flow };
    if kinematic_hardening == 0.0 {
        return Ok(ElementLaw { base: Material::ElastoPlastic(plastic), overlays: Vec::new() });
    }
    let law = KinematicHardening::new(plastic, kinematic_hardening)
        .map_err(|e| material_problem(path, &e))?;
    Ok(ElementLaw { base: law.spring, overlays: vec![law.slider] })
}

/// The message for invalid parameters of a material.
fn material_problem(path: &str, e: &dyn ToString) -> Vec<Problem> {
    vec![error(format!("{path}.material"), e.to_string(), "correct the material")]
}

/// The elastic law of a model. The placement rotates its material directions.
pub(super) fn elastic_law(
    model: &Model,
    placement: &Placement,
    path: &str,
) -> Result<Material, Vec<Problem>> {
    let placed = model.turned(|direction| placement.apply_to_direction(direction));
    placed.law().map_err(|e| material_problem(path, &e))
}
