//! A described body becomes nodes, masses, terms and a state.

use super::shape::Meshes;
use super::{BodyMesh, error, path_of};
use crate::description::{Body as Described, ExpandedBody, Model, Problem, Region, Scene};
use resile_contact::Surface;
use resile_energy::{Attachment, Gravity, Lame, Material, MaterialError, Spring, TetElasticity};
use resile_linalg::Vec3;
use resile_mesh::{Bounds, TetMesh};
use resile_system::{Body, Motion, Prescribed, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A body in its place at the start.
#[derive(Debug)]
pub(super) struct PlacedBody {
    pub(super) body: Body,
    pub(super) state: State,
    tets: Vec<[u32; 4]>,
    /// The boundary of the mesh, for contact.
    pub(super) surface: Arc<Surface>,
}

impl PlacedBody {
    pub(super) fn mesh(&self) -> BodyMesh {
        BodyMesh {
            name: self.body.name.clone(),
            tets: self.tets.clone(),
            nodes: self.body.node_count(),
        }
    }

    pub(super) fn into_parts(self) -> (Body, State) {
        (self.body, self.state)
    }
}

/// Meshes the body's shape, deforms and places it, and gives it its terms.
pub(super) fn place(
    expanded: &ExpandedBody,
    scene: &Scene,
    meshes: &mut Meshes<'_>,
) -> Result<PlacedBody, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let shape = meshes.of_shape(&described.shape, &format!("{path}.shape")).map_err(|p| vec![p])?;
    let rest = TetMesh {
        positions: shape.positions.iter().map(|p| described.placement.apply(*p)).collect(),
        tets: shape.tets,
    };
    let start = deformed(described, &shape.positions);
    let density = expanded.material.density;
    let masses = rest.node_masses(density);
    let material = material(expanded)
        .map_err(|e| vec![error(format!("{path}.material"), e, "mend the material")])?;
    let elasticity = TetElasticity::new(&rest.positions, &rest.tets, material)
        .map_err(|e| vec![error(format!("{path}.shape"), e, "mend the mesh or the placement")])?;
    refuse_inverted(&elasticity, described, &start, &path)?;
    let surface = Surface::new(&rest.positions, &rest.surface().triangles)
        .map_err(|e| vec![error(format!("{path}.shape"), e, "mend the surface of the mesh")])?;

    let velocities = velocities(described, &start, &masses);
    let mut body = Body::new(&described.name, masses).with(elasticity);
    let gravity = Vec3::from_array(scene.gravity);
    if gravity != Vec3::ZERO {
        let term = Gravity::new(body.masses.clone(), gravity);
        body = body.with(term);
    }
    body = attach(body, described, &rest.positions, &start, &path)?;
    body.prescribed = hold(described, &rest.positions, &start, &path)?;
    let mut state = State::new(0.0, start, velocities);
    for prescribed in &body.prescribed {
        // A hand that rests at the start has no velocity to give.
        let rate = prescribed.motion.initial_velocity(prescribed.start);
        state.velocities[prescribed.node] = rate;
    }
    Ok(PlacedBody { body, state, tets: rest.tets, surface: Arc::new(surface) })
}

/// Start positions: the shape deformed, then placed.
fn deformed(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    let mut points = shape.to_vec();
    for deformation in &described.deform {
        let Some(Bounds { min, max }) = Bounds::around(&points) else { break };
        points.iter_mut().for_each(|p| *p = deformation.apply(*p, min, max));
    }
    points.iter_mut().for_each(|p| *p = described.placement.apply(*p));
    points
}

fn material(expanded: &ExpandedBody) -> Result<Material, MaterialError> {
    let model = expanded.material.model;
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

fn velocities(described: &Described, start: &[Vec3], masses: &[f64]) -> Vec<Vec3> {
    let mass: f64 = masses.iter().sum();
    let moment: Vec3 = start.iter().zip(masses).map(|(x, m)| *m * *x).sum();
    start.iter().map(|x| described.initial_velocity(*x, moment / mass)).collect()
}

/// The nodes of a region of space, by where they are before deformation.
fn chosen(region: &Region, placed: &[Vec3], path: String) -> Result<Vec<usize>, Problem> {
    let nodes: Vec<usize> = (0..placed.len()).filter(|&i| region.contains(placed[i])).collect();
    if nodes.is_empty() {
        let Bounds { min, max } =
            Bounds::around(placed).unwrap_or(Bounds { min: Vec3::ZERO, max: Vec3::ZERO });
        let help = format!("the body reaches from {min:.6} to {max:.6}, before any deformation");
        return Err(error(path, "the region holds no node of the body", help));
    }
    Ok(nodes)
}

fn attach(
    mut body: Body,
    described: &Described,
    placed: &[Vec3],
    start: &[Vec3],
    path: &str,
) -> Result<Body, Vec<Problem>> {
    for (k, attachment) in described.attach.iter().enumerate() {
        let nodes = chosen(&attachment.region, placed, format!("{path}.attach[{k}].region"))
            .map_err(|p| vec![p])?;
        let spring = |node| Spring {
            node,
            start: start[node],
            motion: attachment.motion.motion(),
            stiffness: attachment.stiffness,
        };
        let springs = nodes.into_iter().map(spring).collect();
        let term = Attachment::new(start.len(), springs)
            .map_err(|e| vec![error(format!("{path}.attach[{k}]"), e, "mend the attachment")])?;
        body = body.with(term);
    }
    Ok(body)
}

fn hold(
    described: &Described,
    placed: &[Vec3],
    start: &[Vec3],
    path: &str,
) -> Result<Vec<Prescribed>, Vec<Problem>> {
    let mut held: BTreeMap<usize, Motion> = BTreeMap::new();
    for (k, hold) in described.hold.iter().enumerate() {
        let own = format!("{path}.hold[{k}].region");
        let motion = hold.motion.motion();
        for node in chosen(&hold.region, placed, own.clone()).map_err(|p| vec![p])? {
            if held.insert(node, motion).is_some_and(|other| other != motion) {
                let message = format!("node {node} is held twice, with different motions");
                return Err(vec![error(own, message, "make the regions of `hold` disjoint")]);
            }
        }
    }
    let prescribed = |(node, motion)| Prescribed { node, start: start[node], motion };
    Ok(held.into_iter().map(prescribed).collect())
}
