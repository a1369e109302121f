//! Materials of the elements of a solid.

use super::error;
use super::law::{ElementLaw, element_law};
use resile_energy::{Material, MaterialError, Materials};
use resile_mesh::read::{CellFields, Groups};
use resile_scene::description::{
    Body as Described, ExpandedBody, Material as MadeOf, Problem, Units,
};

/// Materials and densities: one for all elements, or one per element.
#[derive(Debug, Clone)]
pub(super) struct ElementMaterials {
    laws: Vec<ElementLaw>,
    /// Densities (kg/m^3).
    densities: Vec<f64>,
    /// Whether the stiffness varies from element to element within a material.
    graded: bool,
}

/// The elements of one elastic law with their parameters.
pub(super) struct LawElements {
    /// Numbers of the elements; `None` for all.
    pub(super) elements: Option<Vec<usize>>,
    pub(super) materials: Materials,
    /// Laws that act in parallel, whose stresses add.
    pub(super) overlays: Vec<Materials>,
}

impl ElementMaterials {
    /// The materials of a body of `count` elements from the groups and fields of its file, with stiffnesses scaled by
    /// `factors`.
    pub(super) fn new(
        expanded: &ExpandedBody,
        made_of: &MadeOf,
        (count, groups, fields, factors): (usize, &Groups, (&CellFields, Units), Option<Vec<f64>>),
        path: &str,
    ) -> Result<Self, Vec<Problem>> {
        let described = &expanded.body;
        let of_body = element_law(made_of, &made_of.model, &described.placement, path)?;
        let of_one = described.group_materials.is_empty() && described.young_field.is_none();
        if of_one && factors.is_none() {
            let (laws, densities) = (vec![of_body], vec![made_of.density]);
            return Ok(Self { laws, densities, graded: false });
        }
        let mut made_of = vec![made_of; count];
        for (element, material) in split_by_group(expanded, groups, count, path)? {
            made_of[element] = material;
        }
        let young = young(described, fields, path)?;
        let graded = young.is_some() || factors.is_some();
        let law = |(element, made_of): (usize, &&MadeOf)| {
            let mut model = match &young {
                Some(young) => made_of.model.with_young(young[element]),
                None => made_of.model,
            };
            if let Some(factors) = &factors {
                model = model.with_young(model.young() * factors[element]);
            }
            element_law(made_of, &model, &described.placement, path)
        };
        let laws = made_of.iter().enumerate().map(law).collect::<Result<_, _>>()?;
        let densities = made_of.iter().map(|made_of| made_of.density).collect();
        Ok(Self { laws, densities, graded })
    }

    /// The elements of each material, in the order of first occurrence. If the stiffness is graded, the elements of
    /// each law. Each entry becomes a separate term, because stress must not be averaged between materials.
    pub(super) fn by_law(&self) -> Result<Vec<LawElements>, MaterialError> {
        let same = |a: &ElementLaw, b: &ElementLaw| match self.graded {
            true => a.kinds().eq(b.kinds()),
            false => a == b,
        };
        let first = &self.laws[0];
        if self.laws.iter().all(|law| same(law, first)) {
            let laws: Vec<&ElementLaw> = self.laws.iter().collect();
            return Ok(vec![LawElements::new(None, &laws)?]);
        }
        let mut kinds: Vec<&ElementLaw> = Vec::new();
        for law in &self.laws {
            if !kinds.iter().any(|kind| same(kind, law)) {
                kinds.push(law);
            }
        }
        let of_kind = |kind: &ElementLaw| {
            let of_law = (0..self.laws.len()).filter(|&element| same(&self.laws[element], kind));
            let elements: Vec<usize> = of_law.collect();
            let laws: Vec<&ElementLaw> =
                elements.iter().map(|&element| &self.laws[element]).collect();
            LawElements::new(Some(elements), &laws)
        };
        kinds.into_iter().map(of_kind).collect()
    }

    /// Masses of nodes (kg). `of` computes the masses of the elements of one density; the result is the sum over
    /// densities.
    pub(super) fn node_masses<const N: usize>(
        &self,
        elements: &[[u32; N]],
        of: impl Fn(Vec<[u32; N]>, f64) -> Vec<f64>,
    ) -> Vec<f64> {
        let mut densities = self.densities.clone();
        densities.sort_unstable_by(f64::total_cmp);
        densities.dedup();
        if let [density] = densities[..] {
            return of(elements.to_vec(), density);
        }
        let part = |density: f64| {
            let elements_of_density = elements
                .iter()
                .zip(&self.densities)
                .filter(|(_, of_element)| **of_element == density);
            of(elements_of_density.map(|(element, _)| *element).collect(), density)
        };
        let sum = |mut sum: Vec<f64>, part: Vec<f64>| {
            sum.iter_mut().zip(part).for_each(|(sum, mass)| *sum += mass);
            sum
        };
        densities.into_iter().map(part).reduce(sum).unwrap_or_default()
    }

    /// The first material.
    pub(super) fn first(&self) -> Material {
        self.laws[0].base
    }
}

impl LawElements {
    /// Elements of one law, from the law of all or from one law per element of the same kind.
    fn new(elements: Option<Vec<usize>>, laws: &[&ElementLaw]) -> Result<Self, MaterialError> {
        let of_all = |of_one: &dyn Fn(&ElementLaw) -> Material| match laws {
            [one] if elements.is_none() => Ok(Materials::from(of_one(one))),
            laws => {
                let materials_of_elements: Vec<Material> =
                    laws.iter().map(|law| of_one(law)).collect();
                Materials::by_element(&materials_of_elements)
            }
        };
        let materials = of_all(&|law| law.base)?;
        let overlays = (0..laws[0].overlays.len()).map(|k| of_all(&|law| law.overlays[k]));
        let overlays = overlays.collect::<Result<_, _>>()?;
        Ok(Self { elements, materials, overlays })
    }
}

/// The indices of the elements that have the material of their group instead of that of the body.
fn split_by_group<'a>(
    expanded: &'a ExpandedBody,
    groups: &Groups,
    count: usize,
    path: &str,
) -> Result<Vec<(usize, &'a MadeOf)>, Vec<Problem>> {
    let mut owners: Vec<Option<&str>> = vec![None; count];
    let mut parts = Vec::new();
    for (name, material) in &expanded.group_materials {
        let group_path = format!("{path}.group_materials.{name}");
        let group = groups
            .get(name)
            .ok_or_else(|| vec![unknown_group_message(name, groups.keys(), group_path.clone())])?;
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
            parts.push((element, material));
        }
    }
    Ok(parts)
}

/// A message that lists the existing groups.
pub(super) fn unknown_group_message<'a>(
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

/// Young's moduli of all elements (Pa), from the file.
fn young(
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
