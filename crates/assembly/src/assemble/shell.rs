//! Thin shells, and cloth of masses and springs.

use super::discretisation::{
    Discretisation, Elastic, contact_surface, deform_and_place, place_surface, refuse_not_finite,
};
use super::error;
use super::terms::spring_law;
use resile_energy::{
    ClothStiffness, Laminate, MembraneLaw, MomentYield, PlateBending, PlateSection, PlateStiffness,
    RestAngles as Angles, SheetMaterial, ShellBending, ShellError, ShellMembrane, SpringLaw,
    Springs, VonMises, cloth_springs,
};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_scene::description::{
    Bending, BendingModel, Body, Kind, Material, Plasticity, Problem, RestAngles, SheetModel,
    Shell, SpringLaw as SpringLawDescribed, Units,
};
use resile_system::Energy;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Stiffnesses of a shell.
pub(super) struct ShellStiffness {
    membrane: MembraneLaw,
    /// Rest thickness (m).
    thickness: f64,
    /// Flexural rigidity (N m); zero for a shell without bending stiffness.
    rigidity: f64,
    bending_model: BendingModel,
    /// Poisson's ratio of bending.
    poisson: f64,
    /// Yield law of the bending moments, of a plastic shell.
    yielding: Option<MomentYield>,
    rest_angles: Angles,
    /// Factor of the stiffness around each node.
    pub(super) factors: Option<Vec<f64>>,
    /// The thickness of each triangle divided by that of the shell.
    pub(super) ratios: Option<Vec<f64>>,
}

impl ShellStiffness {
    /// The stiffness of a shell, or of its layers if it has several.
    pub(super) fn new(
        shell: &Shell,
        layers: &[(Material, f64)],
        path: &str,
    ) -> Result<Self, Vec<Problem>> {
        let model = &shell.material.model;
        let sheet_with_young = |young| {
            SheetMaterial::new(young, model.poisson(), shell.thickness).map_err(|e| {
                vec![error(format!("{path}.kind"), e, "correct the shell or its material")]
            })
        };
        let sheet_material = sheet_with_young(model.young())?;
        let laminate = if layers.is_empty() { None } else { Some(laminate_of(layers, path)?) };
        let plane = laminate.map_or(sheet_material.plane(), |laminate| laminate.plane());
        let plate = laminate.map_or(sheet_material.plate(), |laminate| laminate.plate());
        let membrane = match shell.model {
            SheetModel::NeoHookean => MembraneLaw::NeoHookean(plane),
            SheetModel::StVK => MembraneLaw::StVenantKirchhoff(plane),
        };
        membrane.check().map_err(|e| {
            let help = "choose a Poisson's ratio from 0 to 0.5, or the model `StVK`";
            vec![error(format!("{path}.material"), e, help)]
        })?;
        let rigidity = match shell.bending {
            Bending::Material => plate.rigidity(),
            Bending::Young(young) => sheet_with_young(young)?.flexural_rigidity(),
            Bending::Rigidity(rigidity) => rigidity,
            Bending::Off => 0.0,
        };
        let rest_angles = match shell.rest_angles {
            RestAngles::Shape => Angles::AsGiven,
            RestAngles::Flat => Angles::Flat,
        };
        Ok(Self {
            membrane,
            thickness: shell.thickness,
            rigidity,
            bending_model: shell.bending_model,
            poisson: plate.poisson(),
            yielding: moment_yield(shell, &sheet_material, path)?,
            rest_angles,
            factors: None,
            ratios: None,
        })
    }

    /// The membrane energy, and the bending energy unless the rigidity is zero.
    pub(super) fn energies(
        &self,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        path: &str,
    ) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        let membrane = ShellMembrane::new(rest, triangles, self.membrane)
            .and_then(|membrane| membrane.with_thickness(self.thickness))
            .and_then(|membrane| match &self.factors {
                Some(factors) => membrane.scaled(factors),
                None => Ok(membrane),
            })
            .and_then(|membrane| match &self.ratios {
                Some(ratios) => membrane.thickened(ratios),
                None => Ok(membrane),
            })
            .map_err(|e| surface_problem(path, &e))?;
        let mut energies: Vec<Box<dyn Energy>> = vec![Box::new(membrane)];
        if self.rigidity > 0.0 {
            energies.push(self.bending(rest, triangles).map_err(|e| surface_problem(path, &e))?);
        }
        Ok(energies)
    }

    /// The bending energy.
    fn bending(
        &self,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
    ) -> Result<Box<dyn Energy>, ShellError> {
        let (rigidity, angles, factors) =
            (self.rigidity, self.rest_angles, self.factors.as_deref());
        Ok(match self.bending_model {
            BendingModel::Plate => {
                let plate = PlateStiffness::new(rigidity, self.poisson)?;
                if self.yielding.is_none() && self.ratios.is_none() {
                    return Ok(Box::new(PlateBending::new(
                        rest, triangles, plate, angles, factors,
                    )?));
                }
                let sections: Vec<PlateSection> = triangles
                    .iter()
                    .enumerate()
                    .map(|(triangle, nodes)| self.section(plate, triangle, *nodes))
                    .collect();
                Box::new(PlateBending::of_sections(rest, triangles, &sections, angles)?)
            }
            BendingModel::Hinges => {
                let hinges = ShellBending::new(rest, triangles, rigidity, angles)?;
                let hinges = match factors {
                    Some(factors) => hinges.scaled(factors)?,
                    None => hinges,
                };
                Box::new(match &self.ratios {
                    Some(ratios) => hinges.thickened(ratios)?,
                    None => hinges,
                })
            }
        })
    }

    /// The bending parameters of a triangle: the stiffness is scaled by the mean factor of its nodes and the cube of
    /// its thickness ratio.
    fn section(&self, stiffness: PlateStiffness, triangle: usize, nodes: [u32; 3]) -> PlateSection {
        let ratio = self.ratios.as_ref().map_or(1.0, |ratios| ratios[triangle]);
        let mean_factor = |factors: &Vec<f64>| {
            nodes.iter().map(|&node| factors[node as usize]).sum::<f64>() / 3.0
        };
        PlateSection {
            stiffness,
            factor: self.factors.as_ref().map_or(1.0, mean_factor) * ratio.powi(3),
            yielding: self.yielding.map(|yielding| yielding.thickened(ratio)),
        }
    }
}

/// The stiffness of several layers.
fn laminate_of(layers: &[(Material, f64)], path: &str) -> Result<Laminate, Vec<Problem>> {
    let sheet = |(index, (material, thickness)): (usize, &(Material, f64))| {
        let path = format!("{path}.layers[{index}]");
        let model = &material.model;
        let Some(_) = SheetModel::of(model) else {
            let message = "the material of the layer is for solids";
            return Err(vec![error(path, message, "shells are `StVK` or `NeoHookean`")]);
        };
        SheetMaterial::new(model.young(), model.poisson(), *thickness)
            .map_err(|e| vec![error(path, e, "correct the layer or its material")])
    };
    let sheets = layers.iter().enumerate().map(sheet).collect::<Result<Vec<_>, _>>()?;
    Laminate::new(&sheets).map_err(|e| {
        let help = "order them symmetrically, such as face, core, face: shells whose stretching bends them are not supported";
        vec![error(format!("{path}.layers"), e, help)]
    })
}

/// The yield law of the bending moments; `None` if the material is elastic.
fn moment_yield(
    shell: &Shell,
    sheet_material: &SheetMaterial,
    path: &str,
) -> Result<Option<MomentYield>, Vec<Problem>> {
    let Some(Plasticity::VonMises { yield_stress, hardening, .. }) = shell.material.plasticity
    else {
        return Ok(None);
    };
    let flow = VonMises::new(yield_stress, hardening);
    let flow =
        flow.map_err(|e| vec![error(format!("{path}.material"), e, "correct the material")])?;
    Ok(Some(sheet_material.yielding(flow)))
}

/// Mass per area (kg/m^2) of a shell. If it has layers and no density of its own, the sum over its layers.
pub(super) fn area_density(described: &Body, shell: &Shell, layers: &[(Material, f64)]) -> f64 {
    match described.kind {
        Kind::Shell { area_density: None, .. } if !layers.is_empty() => {
            layers.iter().map(|(material, thickness)| material.density * thickness).sum()
        }
        _ => shell.area_density,
    }
}

/// Cloth of masses and springs.
pub(super) struct Cloth {
    stiffness: ClothStiffness,
    law: SpringLaw,
    /// Factor of the stiffness around each node.
    pub(super) factors: Option<Vec<f64>>,
}

impl Cloth {
    /// Cloth without factors of the stiffness.
    pub(super) fn new(stiffness: ClothStiffness, law: SpringLawDescribed) -> Self {
        Self { stiffness, law: spring_law(law), factors: None }
    }

    /// The energy of all springs.
    pub(super) fn energies(
        &self,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        path: &str,
    ) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        let mut springs = cloth_springs(rest, triangles, self.stiffness)
            .map_err(|e| surface_problem(path, &e))?;
        for spring in &mut springs {
            if let Some(factors) = &self.factors {
                spring.stiffness *=
                    0.5 * spring.nodes.map(|node| factors[node]).iter().sum::<f64>();
            }
        }
        let springs =
            Springs::new(rest.len(), springs, self.law).map_err(|e| surface_problem(path, &e))?;
        Ok(vec![Box::new(springs)])
    }
}

/// The message for a surface of which no energy can be constructed.
fn surface_problem(path: &str, e: &dyn ToString) -> Vec<Problem> {
    vec![error(format!("{path}.shape"), e.to_string(), "repair the surface of the mesh")]
}

/// Parameters that shells and cloth share.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'a> {
    /// Mass per area (kg/m^2).
    pub(super) area_density: f64,
    /// Default thickness for contact (m).
    pub(super) thickness: f64,
    /// The thickness of each triangle divided by that of the sheet. Masses are proportional to it.
    pub(super) ratios: Option<&'a [f64]>,
}

/// The discretisation of a shell or of cloth, whose nodes are the vertices of a surface.
pub(super) fn discretise(
    described: &Body,
    elastic: Elastic,
    Sheet { area_density, thickness, ratios }: Sheet<'_>,
    shape: TriMesh,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let start = deform_and_place(described, &shape.positions);
    refuse_not_finite(described, &start, path)?;
    let rest = place_surface(described, shape);
    let surface = contact_surface(&rest.positions, &rest.triangles, path)?;
    let masses = node_masses(&rest, area_density, ratios, path)?;
    let discretisation = Discretisation {
        placed: rest.positions,
        start,
        masses,
        elastic,
        surface: Arc::new(surface),
        tets: Vec::new(),
        triangles: rest.triangles.into(),
        thickness: described.contact_thickness.unwrap_or_else(|| thickness * largest_ratio(ratios)),
        skin: None,
        groups: BTreeMap::new(),
        element_groups: Vec::new(),
        vertex_map: None,
        units: Units::default(),
        fields: BTreeMap::new(),
    };
    discretisation.elastic_energies(path)?;
    Ok(discretisation)
}

/// The largest thickness ratio. Contact has one thickness per body, which must be that of the thickest triangle.
fn largest_ratio(ratios: Option<&[f64]>) -> f64 {
    ratios.map_or(1.0, |ratios| ratios.iter().copied().fold(0.0, f64::max))
}

/// Lumped masses: each node has a third of the mass of its triangles.
///
/// # Errors
/// If a node belongs to no triangle.
fn node_masses(
    rest: &TriMesh,
    area_density: f64,
    ratios: Option<&[f64]>,
    path: &str,
) -> Result<Vec<f64>, Vec<Problem>> {
    let surface = rest.surface();
    if surface.vertices.len() < rest.positions.len() {
        let message = format!(
            "{} vertices of the surface belong to no triangle and would have no mass",
            rest.positions.len() - surface.vertices.len()
        );
        return Err(vec![error(format!("{path}.shape"), message, "remove them from the file")]);
    }
    let areas = match ratios {
        None => surface.vertex_areas(&rest.positions),
        Some(ratios) => weighted_areas(rest, ratios),
    };
    Ok(areas.into_iter().map(|area| area_density * area).collect())
}

/// For each node a third of the sum of area times thickness ratio of its triangles.
fn weighted_areas(rest: &TriMesh, ratios: &[f64]) -> Vec<f64> {
    let mut areas = vec![0.0; rest.positions.len()];
    for (triangle, ratio) in rest.triangles.iter().zip(ratios) {
        let [a, b, c] = triangle.map(|node| rest.positions[node as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&node| areas[node as usize] += ratio * third);
    }
    areas
}
