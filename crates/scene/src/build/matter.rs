//! What a shape gives a body: nodes, masses and, if it is meshed, elasticity and a
//! surface.

use super::shape::Meshes;
use super::{error, path_of};
use crate::description::{Body as Described, Deformation, ExpandedBody, Model, Problem, Shape};
use resile_contact::Surface;
use resile_energy::{ElementError, Lame, Material, MaterialError, TetElasticity};
use resile_linalg::Vec3;
use resile_mesh::{Bounds, TetMesh};

/// The nodes of a body and what is between them.
pub(super) struct Matter {
    /// Positions of the shape in its place, undeformed (m).
    pub(super) placed: Vec<Vec3>,
    /// Positions at the start (m).
    pub(super) start: Vec<Vec3>,
    /// Mass of each node (kg).
    pub(super) masses: Vec<f64>,
    /// Of meshes alone.
    pub(super) elasticity: Option<TetElasticity>,
    law: Option<Material>,
    /// The boundary of a mesh; of particles, which have none, one without triangles.
    pub(super) surface: Surface,
    pub(super) tets: Vec<[u32; 4]>,
}

impl Matter {
    /// The elasticity of a mesh once more, for damping along it.
    pub(super) fn elasticity_again(
        &self,
        path: &str,
    ) -> Result<Option<TetElasticity>, Vec<Problem>> {
        let made = self.law.map(|law| TetElasticity::new(&self.placed, &self.tets, law));
        made.transpose().map_err(|e| vec![unfit_mesh(path, e)])
    }
}

/// Makes the nodes of a body.
pub(super) fn matter(
    expanded: &ExpandedBody,
    meshes: &mut Meshes<'_>,
) -> Result<Matter, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let shape_path = format!("{path}.shape");
    if let Some((points, masses)) = particles(&described.shape) {
        return of_particles(described, &points, masses, &path);
    }
    let shape = meshes.of_shape(&described.shape, &shape_path).map_err(|p| vec![p])?;
    let rest = TetMesh { positions: placed(described, &shape.positions), tets: shape.tets };
    let start = deformed(described, &shape.positions);
    let made_of = expanded.material.expect("a scene without errors gives meshes a material");
    let material = law(&made_of.model)
        .map_err(|e| vec![error(format!("{path}.material"), e, "mend the material")])?;
    let elasticity = TetElasticity::new(&rest.positions, &rest.tets, material)
        .map_err(|e| vec![unfit_mesh(&path, e)])?;
    refuse_inverted(&elasticity, described, &start, &path)?;
    let surface = Surface::new(&rest.positions, &rest.surface().triangles)
        .map_err(|e| vec![error(&shape_path, e, "mend the surface of the mesh")])?;
    let masses = rest.node_masses(made_of.density);
    let (elasticity, law) = (Some(elasticity), Some(material));
    let TetMesh { positions: placed, tets } = rest;
    Ok(Matter { placed, start, masses, elasticity, law, surface, tets })
}

fn unfit_mesh(path: &str, e: ElementError) -> Problem {
    error(format!("{path}.shape"), e, "mend the mesh or the placement")
}

/// Positions and masses of the particles of a shape that consists of such.
fn particles(shape: &Shape) -> Option<(Vec<Vec3>, Vec<f64>)> {
    match *shape {
        Shape::Particles { ref positions, ref masses } => {
            Some((positions.iter().copied().map(Vec3::from_array).collect(), masses.clone()))
        }
        Shape::Line { from, to, nodes, mass } => {
            let [from, to] = [from, to].map(Vec3::from_array);
            let intervals = f64::from(nodes - 1);
            let at = |i| from + (to - from) * (f64::from(i) / intervals);
            let mut masses = vec![mass / intervals; nodes as usize];
            masses[0] *= 0.5;
            masses[nodes as usize - 1] *= 0.5;
            Some(((0..nodes).map(at).collect(), masses))
        }
        Shape::Box { .. } | Shape::Ball { .. } | Shape::Cylinder { .. } | Shape::File(_) => None,
    }
}

fn of_particles(
    described: &Described,
    points: &[Vec3],
    masses: Vec<f64>,
    path: &str,
) -> Result<Matter, Vec<Problem>> {
    let start = deformed(described, points);
    if start.iter().any(|x| !x.is_finite()) {
        // A mesh has an extent along every axis; particles may lie in a plane.
        let turns = |d: &Deformation| !matches!(d, Deformation::Stretch { .. });
        let at = described.deform.iter().position(turns).unwrap_or(0);
        let message =
            format!("\"{}\" has no extent along the axis of the deformation", described.name);
        let help = "`Twist` and `Bend` need a shape that reaches along their axis";
        return Err(vec![error(format!("{path}.deform[{at}]"), message, help)]);
    }
    let placed = placed(described, points);
    let surface = Surface::new(&placed, &[]).map_err(|e| vec![error(path, e, "")])?;
    Ok(Matter { placed, start, masses, elasticity: None, law: None, surface, tets: Vec::new() })
}

fn placed(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    shape.iter().map(|p| described.placement.apply(*p)).collect()
}

/// Start positions: the shape deformed, then placed.
fn deformed(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    let mut points = shape.to_vec();
    for deformation in &described.deform {
        let Some(Bounds { min, max }) = Bounds::around(&points) else { break };
        points.iter_mut().for_each(|p| *p = deformation.apply(*p, min, max));
    }
    placed(described, &points)
}

fn law(model: &Model) -> Result<Material, MaterialError> {
    let lame = Lame::from_young_poisson(model.young(), model.poisson())?;
    Ok(match model {
        Model::NeoHookean { .. } => Material::NeoHookean(lame),
        Model::Corotated { .. } => Material::Corotated(lame),
        Model::StVK { .. } => Material::StVenantKirchhoff(lame),
    })
}

/// A start state in which elements are turned inside out has no way back for
/// some materials and a wrong one for all.
fn refuse_inverted(
    elasticity: &TetElasticity,
    described: &Described,
    start: &[Vec3],
    path: &str,
) -> Result<(), Vec<Problem>> {
    let inverted = elasticity.inverted(start);
    let Some((element, det_f)) = inverted.first() else { return Ok(()) };
    let message = format!(
        "{} elements of \"{}\" are inverted at the start (element {element}: det F = {det_f:.3e})",
        inverted.len(),
        described.name
    );
    Err(vec![error(format!("{path}.deform"), message, "deform the body less, or in finer cells")])
}
