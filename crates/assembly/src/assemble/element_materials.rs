//! Materials of the elements of a solid.

use super::error;
use super::law::{ElementLaw, element_law};
use resile_energy::{Material, MaterialError, Materials, Model};
use resile_mesh::read::{CellFields, Groups};
use resile_scene::description::{
    Body as Described, ExpandedBody, Material as DescribedMaterial, Problem, Units,
};

/// Materials and densities: one for all elements, or one per element.
#[derive(Debug, Clone)]
pub(super) struct ElementMaterials {
    laws: Vec<ElementLaw>,
    /// Densities (kg/m^3).
    densities: Vec<f64>,
    /// The smallest speed (m/s) of shear waves at small strain.
    pub(super) shear_wave_speed: f64,
    /// Whether the stiffness varies from element to element within a material.
    graded: bool,
}

/// The elements of one elastic law with their parameters.
pub(super) struct LawElements {
    /// Indices of the elements; `None` for all.
    pub(super) elements: Option<Vec<usize>>,
    pub(super) materials: Materials,
    /// Materials of laws that act in parallel to `materials`: their stresses add.
    pub(super) overlays: Vec<Materials>,
}

impl ElementMaterials {
    /// The materials of a body of `count` elements from the groups and fields of its file, with stiffnesses scaled by
    /// `factors`.
    pub(super) fn new(
        expanded: &ExpandedBody,
        described_material: &DescribedMaterial,
        (count, groups, fields, factors): (usize, &Groups, (&CellFields, Units), Option<Vec<f64>>),
        path: &str,
    ) -> Result<Self, Vec<Problem>> {
        let described = &expanded.body;
        let body_law =
            element_law(described_material, &described_material.model, &described.placement, path)?;
        let is_uniform = described.group_materials.is_empty() && described.young_field.is_none();
        if is_uniform && factors.is_none() {
            let (laws, densities) = (vec![body_law], vec![described_material.density]);
            let shear_wave_speed = shear_wave_speed(&described_material.model, densities[0]);
            return Ok(Self { laws, densities, shear_wave_speed, graded: false });
        }
        let mut materials = vec![described_material; count];
        for (element, material) in materials_by_group(expanded, groups, count, path)? {
            materials[element] = material;
        }
        let young = young_moduli(described, fields, path)?;
        let graded = young.is_some() || factors.is_some();
        let mut smallest_wave_speed = f64::INFINITY;
        let law = |(element, described_material): (usize, &&DescribedMaterial)| {
            let mut model = match &young {
                Some(young) => described_material.model.with_young(young[element]),
                None => described_material.model,
            };
            if let Some(factors) = &factors {
                model = model.with_young(model.young() * factors[element]);
            }
            smallest_wave_speed =
                smallest_wave_speed.min(shear_wave_speed(&model, described_material.density));
            element_law(described_material, &model, &described.placement, path)
        };
        let laws = materials.iter().enumerate().map(law).collect::<Result<_, _>>()?;
        let densities =
            materials.iter().map(|described_material| described_material.density).collect();
        Ok(Self { laws, densities, shear_wave_speed: smallest_wave_speed, graded })
    }

    /// The elements of each material, in the order of first occurrence. If the stiffness is graded, the elements of
    /// each kind of law instead. Each entry becomes a separate term, because stresses must not be averaged between
    /// materials.
    pub(super) fn by_law(&self) -> Result<Vec<LawElements>, MaterialError> {
        let have_same_law = |a: &ElementLaw, b: &ElementLaw| match self.graded {
            true => a.kinds().eq(b.kinds()),
            false => a == b,
        };
        let first = &self.laws[0];
        if self.laws.iter().all(|law| have_same_law(law, first)) {
            let laws: Vec<&ElementLaw> = self.laws.iter().collect();
            return Ok(vec![LawElements::new(None, &laws)?]);
        }
        let mut kinds: Vec<&ElementLaw> = Vec::new();
        for law in &self.laws {
            if !kinds.iter().any(|kind| have_same_law(kind, law)) {
                kinds.push(law);
            }
        }
        let law_elements = |kind: &ElementLaw| {
            let indices =
                (0..self.laws.len()).filter(|&element| have_same_law(&self.laws[element], kind));
            let elements: Vec<usize> = indices.collect();
            let laws: Vec<&ElementLaw> =
                elements.iter().map(|&element| &self.laws[element]).collect();
            LawElements::new(Some(elements), &laws)
        };
        kinds.into_iter().map(law_elements).collect()
    }

    /// Masses of nodes (kg): the sum over all densities of `masses_of`, the masses of nodes of elements with one
    /// density.
    pub(super) fn node_masses<const N: usize>(
        &self,
        elements: &[[u32; N]],
        masses_of: impl Fn(Vec<[u32; N]>, f64) -> Vec<f64>,
    ) -> Vec<f64> {
        let mut densities = self.densities.clone();
        densities.sort_unstable_by(f64::total_cmp);
        densities.dedup();
        if let [density] = densities[..] {
            return masses_of(elements.to_vec(), density);
        }
        let masses_of_density = |density: f64| {
            let elements_of_density = elements
                .iter()
                .zip(&self.densities)
                .filter(|(_, element_density)| **element_density == density);
            masses_of(elements_of_density.map(|(element, _)| *element).collect(), density)
        };
        let add = |mut sum: Vec<f64>, masses: Vec<f64>| {
            sum.iter_mut().zip(masses).for_each(|(sum, mass)| *sum += mass);
            sum
        };
        densities.into_iter().map(masses_of_density).reduce(add).unwrap_or_default()
    }

    /// The first material.
    pub(super) fn first(&self) -> Material {
        self.laws[0].base
    }
}

impl LawElements {
    /// The elements of one kind of law. `laws` has the law of all elements, or one law of this kind per element.
    fn new(elements: Option<Vec<usize>>, laws: &[&ElementLaw]) -> Result<Self, MaterialError> {
        let collect = |material_of: &dyn Fn(&ElementLaw) -> Material| match laws {
            [law] if elements.is_none() => Ok(Materials::from(material_of(law))),
            laws => {
                let materials: Vec<Material> = laws.iter().map(|law| material_of(law)).collect();
                Materials::by_element(&materials)
            }
        };
        let materials = collect(&|law| law.base)?;
        let overlays = (0..laws[0].overlays.len()).map(|k| collect(&|law| law.overlays[k]));
        let overlays = overlays.collect::<Result<_, _>>()?;
        Ok(Self { elements, materials, overlays })
    }
}

/// The speed `sqrt(mu / rho)` (m/s) of shear waves at small strain.
fn shear_wave_speed(model: &Model, density: f64) -> f64 {
    (model.shear() / density).sqrt()
}

/// The elements that have the material of their group instead of that of the body, with that material.
fn materials_by_group<'a>(
    expanded: &'a ExpandedBody,
    groups: &Groups,
    count: usize,
    path: &str,
) -> Result<Vec<(usize, &'a DescribedMaterial)>, Vec<Problem>> {
    let mut owners: Vec<Option<&str>> = vec![None; count];
    let mut element_materials = Vec::new();
    for (name, material) in &expanded.group_materials {
        let group_path = format!("{path}.group_materials.{name}");
        let group = groups
            .get(name)
            .ok_or_else(|| vec![unknown_group_problem(name, groups.keys(), group_path.clone())])?;
        if group.elements.is_empty() {
            let message = format!("the group \"{name}\" has no tetrahedra");
            return Err(vec![error(
                group_path,
                message,
                "it is of faces, lines or points: name another",
            )]);
        }
        for element in group.elements.iter().map(|&element| element as usize) {
            if let Some(other) = owners[element].replace(name) {
                let message = format!(
                    "element {element} is in \"{other}\" and in \"{name}\", both with materials"
                );
                return Err(vec![error(
                    group_path,
                    message,
                    "name groups that have no element in common",
                )]);
            }
            element_materials.push((element, material));
        }
    }
    Ok(element_materials)
}

/// The message for a group that does not exist, with the existing groups.
pub(super) fn unknown_group_problem<'a>(
    name: &str,
    known: impl ExactSizeIterator<Item = &'a String>,
    path: String,
) -> Problem {
    const MAX_LISTED: usize = 12;
    let count = known.len();
    let names: Vec<String> = known.take(MAX_LISTED).map(|name| format!("\"{name}\"")).collect();
    let names = names.join(", ");
    let help = match count {
        0 => "its shape has no named parts: of a `File` the physical groups of Gmsh, integers of cells of VTK, \
              references of Medit, attributes of TetGen, and groups, objects and materials of OBJ are read"
            .to_owned(),
        count if count > MAX_LISTED => format!("there are {count}, such as {names}"),
        _ => format!("there are {names}"),
    };
    error(path, format!("the mesh has no group \"{name}\""), help)
}

/// Young's moduli of all elements (Pa) from the cell data of the file; `None` if the body has the modulus of its
/// material.
fn young_moduli(
    described: &Described,
    (fields, units): (&CellFields, Units),
    path: &str,
) -> Result<Option<Vec<f64>>, Vec<Problem>> {
    let Some(name) = &described.young_field else { return Ok(None) };
    let path = format!("{path}.young_field");
    let Some(values) = fields.get(name) else {
        let names: Vec<String> = fields.keys().map(|name| format!("\"{name}\"")).collect();
        let help = match names.is_empty() {
            true => "data of cells of `.vtu` and `.vtk` files are read".to_owned(),
            false => format!("there are {}", names.join(", ")),
        };
        let message = format!("the mesh has no data \"{name}\" of its tetrahedra");
        return Err(vec![error(path, message, help)]);
    };
    match values.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
        None => Ok(Some(values.iter().map(|value| units.in_si(*value, "Pa")).collect())),
        Some(element) => {
            let (value, unit) = (values[element], units.symbol("Pa"));
            let message = format!("Young's modulus of element {element} would be {value} {unit}");
            Err(vec![error(path, message, "it must be positive: correct the data")])
        }
    }
}
