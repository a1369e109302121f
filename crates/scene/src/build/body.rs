//! A described body becomes nodes, masses, terms and a state.

use super::matter::{Matter, matter};
use super::shape::Meshes;
use super::terms::{add_damping, add_terms, drawn_lines};
use super::{BodyMesh, error, path_of};
use crate::description::{Body as Described, ExpandedBody, Problem, Region, Scene};
use resile_contact::Surface;
use resile_energy::{Attachment, Gravity, Spring};
use resile_linalg::Vec3;
use resile_mesh::Bounds;
use resile_system::{Body, Motion, Prescribed, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A body in its place at the start.
#[derive(Debug)]
pub(super) struct PlacedBody {
    pub(super) body: Body,
    pub(super) state: State,
    tets: Vec<[u32; 4]>,
    lines: Vec<[u32; 2]>,
    /// The boundary of the mesh, for contact.
    pub(super) surface: Arc<Surface>,
}

impl PlacedBody {
    pub(super) fn mesh(&self) -> BodyMesh {
        let nodes = self.body.node_count();
        let mut alone = vec![self.tets.is_empty(); nodes];
        self.lines.as_flattened().iter().for_each(|&node| alone[node as usize] = false);
        BodyMesh {
            name: self.body.name.clone(),
            tets: self.tets.clone(),
            lines: self.lines.clone(),
            points: (0..nodes as u32).filter(|&node| alone[node as usize]).collect(),
            nodes,
        }
    }

    pub(super) fn into_parts(self) -> (Body, State) {
        (self.body, self.state)
    }
}

/// Makes the body's nodes, deforms and places them, and gives it its terms.
pub(super) fn place(
    expanded: &ExpandedBody,
    scene: &Scene,
    meshes: &mut Meshes<'_>,
) -> Result<PlacedBody, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let mut matter = matter(expanded, meshes)?;
    let velocities = velocities(described, &matter.start, &matter.masses);
    let mut body = Body::new(&described.name, matter.masses.clone());
    if let Some(elasticity) = matter.elasticity.take() {
        body = body.with(elasticity);
    }
    let gravity = Vec3::from_array(scene.gravity);
    if gravity != Vec3::ZERO {
        let term = Gravity::new(body.masses.clone(), gravity);
        body = body.with(term);
    }
    body = add_terms(body, described, &matter, &path)?;
    body = add_damping(body, described, &matter, &path)?;
    body = attach(body, described, &matter.placed, &matter.start, &path)?;
    body.prescribed = hold(described, &matter.placed, &matter.start, &path)?;
    let mut state = State::new(0.0, matter.start.clone(), velocities);
    for prescribed in &body.prescribed {
        // A hand that rests at the start has no velocity to give.
        let rate = prescribed.motion.initial_velocity(prescribed.start);
        state.velocities[prescribed.node] = rate;
    }
    let lines = drawn_lines(described, &matter);
    let Matter { tets, surface, .. } = matter;
    Ok(PlacedBody { body, state, tets, lines, surface: Arc::new(surface) })
}

fn velocities(described: &Described, start: &[Vec3], masses: &[f64]) -> Vec<Vec3> {
    let mass: f64 = masses.iter().sum();
    let moment: Vec3 = start.iter().zip(masses).map(|(x, m)| *m * *x).sum();
    let of_body = |x: &Vec3| described.initial_velocity(*x, moment / mass);
    let mut velocities: Vec<Vec3> = start.iter().map(of_body).collect();
    for (velocity, own) in velocities.iter_mut().zip(&described.velocities) {
        *velocity += Vec3::from_array(*own);
    }
    velocities
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
            if held.insert(node, motion.clone()).is_some_and(|other| other != motion) {
                let message = format!("node {node} is held twice, with different motions");
                return Err(vec![error(own, message, "make the regions of `hold` disjoint")]);
            }
        }
    }
    let prescribed = |(node, motion)| Prescribed { node, start: start[node], motion };
    Ok(held.into_iter().map(prescribed).collect())
}
