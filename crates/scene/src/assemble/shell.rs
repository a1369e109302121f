//! Thin shells, and cloth of masses and springs.

use super::discretisation::{
    Discretisation, Elastic, contact_surface, deformed, placed_surface, refuse_not_finite,
};
use super::error;
use super::terms::spring_law;
use crate::description::{
    Bending, BendingModel, Body, Problem, RestAngles, SheetModel, Shell,
    SpringLaw as SpringLawDescribed, Units,
};
use resile_energy::{
    ClothStiffness, MembraneLaw, PlateBending, PlateStiffness, RestAngles as Angles, SheetMaterial,
    ShellBending, ShellError, ShellMembrane, SpringLaw, Springs, cloth_springs,
};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_system::Energy;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Stiffnesses of a shell.
pub(super) struct ShellStiffness {
    membrane: MembraneLaw,
    /// Rest thickness (m).
    thickness: f64,
    /// Flexural rigidity (N m); zero for none.
    rigidity: f64,
    bending_model: BendingModel,
    poisson: f64,
    rest_angles: Angles,
    /// Factor of the stiffness around each node.
    pub(super) factors: Option<Vec<f64>>,
}

impl ShellStiffness {
    pub(super) fn new(shell: &Shell, path: &str) -> Result<Self, Vec<Problem>> {
        let model = &shell.material.model;
        let sheet = |young| {
            SheetMaterial::new(young, model.poisson(), shell.thickness).map_err(|e| {
                vec![error(format!("{path}.kind"), e, "mend the shell or its material")]
            })
        };
        let own = sheet(model.young())?;
        let membrane = match shell.model {
            SheetModel::NeoHookean => MembraneLaw::NeoHookean(own.plane()),
            SheetModel::StVK => MembraneLaw::StVenantKirchhoff(own.plane()),
        };
        membrane.check().map_err(|e| {
            let help = "choose a Poisson's ratio from 0 to 0.5, or the model `StVK`";
            vec![error(format!("{path}.material"), e, help)]
        })?;
        let rigidity = match shell.bending {
            Bending::Material => own.flexural_rigidity(),
            Bending::Young(young) => sheet(young)?.flexural_rigidity(),
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
            poisson: model.poisson(),
            rest_angles,
            factors: None,
        })
    }

    pub(super) fn energies(
        &self,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        path: &str,
    ) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        let unfit = |e: &dyn ToString| unfit_surface(path, e);
        let membrane = ShellMembrane::new(rest, triangles, self.membrane)
            .and_then(|membrane| membrane.with_thickness(self.thickness))
            .and_then(|membrane| match &self.factors {
                Some(factors) => membrane.scaled(factors),
                None => Ok(membrane),
            })
            .map_err(|e| unfit(&e))?;
        let mut energies: Vec<Box<dyn Energy>> = vec![Box::new(membrane)];
        if self.rigidity > 0.0 {
            energies.push(self.bending(rest, triangles).map_err(|e| unfit(&e))?);
        }
        Ok(energies)
    }

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
                Box::new(PlateBending::new(rest, triangles, plate, angles, factors)?)
            }
            BendingModel::Hinges => {
                let hinges = ShellBending::new(rest, triangles, rigidity, angles)?;
                Box::new(match factors {
                    Some(factors) => hinges.scaled(factors)?,
                    None => hinges,
                })
            }
        })
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
    pub(super) fn new(stiffness: ClothStiffness, law: SpringLawDescribed) -> Self {
        Self { stiffness, law: spring_law(law), factors: None }
    }

    pub(super) fn energies(
        &self,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        path: &str,
    ) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        let unfit = |e: &dyn ToString| unfit_surface(path, e);
        let mut elements = cloth_springs(rest, triangles, self.stiffness).map_err(|e| unfit(&e))?;
        for spring in &mut elements {
            if let Some(factors) = &self.factors {
                spring.stiffness *=
                    0.5 * spring.nodes.map(|node| factors[node]).iter().sum::<f64>();
            }
        }
        let springs = Springs::new(rest.len(), elements, self.law).map_err(|e| unfit(&e))?;
        Ok(vec![Box::new(springs)])
    }
}

fn unfit_surface(path: &str, e: &dyn ToString) -> Vec<Problem> {
    vec![error(format!("{path}.shape"), e.to_string(), "mend the surface of the mesh")]
}

/// Area density and thickness of a body of triangles.
#[derive(Clone, Copy)]
pub(super) struct Sheet {
    /// Mass per area (kg/m^2).
    pub(super) area_density: f64,
    /// Default thickness for contact (m).
    pub(super) thickness: f64,
}

/// A body whose nodes are the vertices of a surface.
pub(super) fn discretise(
    described: &Body,
    elastic: Elastic,
    Sheet { area_density, thickness }: Sheet,
    shape: TriMesh,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let start = deformed(described, &shape.positions);
    refuse_not_finite(described, &start, path)?;
    let rest = placed_surface(described, shape);
    let surface = contact_surface(&rest.positions, &rest.triangles, path)?;
    let masses = masses(&rest, area_density, path)?;
    let discretisation = Discretisation {
        placed: rest.positions,
        start,
        masses,
        elastic,
        surface: Arc::new(surface),
        tets: Vec::new(),
        triangles: rest.triangles.into(),
        thickness: described.contact_thickness.unwrap_or(thickness),
        skin: None,
        groups: BTreeMap::new(),
        numbers: None,
        units: Units::default(),
        fields: BTreeMap::new(),
    };
    discretisation.elastic_energies(path)?;
    Ok(discretisation)
}

/// Lumped masses: a third of the mass of its triangles for each node. Nodes without triangles are errors.
fn masses(rest: &TriMesh, area_density: f64, path: &str) -> Result<Vec<f64>, Vec<Problem>> {
    let surface = rest.surface();
    if surface.vertices.len() < rest.positions.len() {
        let message = format!(
            "{} vertices of the surface belong to no triangle and would have no mass",
            rest.positions.len() - surface.vertices.len()
        );
        return Err(vec![error(format!("{path}.shape"), message, "remove them from the file")]);
    }
    let areas = surface.vertex_areas(&rest.positions);
    Ok(areas.into_iter().map(|area| area_density * area).collect())
}
