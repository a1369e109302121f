//! Obstacles that move: surfaces embedded in four nodes of prescribed motion.

use super::affine::embedded;
use super::body::PlacedBody;
use super::collisions::PlacedObstacle;
use super::error;
use crate::description::{Elements, Problem, Scene};
use resile_energy::AffineBody;
use resile_mesh::TriMesh;
use resile_system::{Body, Prescribed, State};
use std::sync::Arc;

/// The obstacles with a motion, as bodies, in the order of the scene.
pub(super) fn kinematic(
    scene: &Scene,
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Vec<PlacedBody> {
    let mut out = Vec::new();
    for (i, (described, obstacle)) in scene.obstacles.iter().zip(obstacles).enumerate() {
        let (Some(motion), Some(mesh)) = (described.motion(), &obstacle.mesh) else { continue };
        match prescribed(&obstacle.name, mesh, &motion.motion()) {
            Ok(body) => out.push(body),
            Err(e) => problems.push(error(format!("obstacles[{i}]"), e, "mend the obstacle")),
        }
    }
    out
}

fn prescribed(
    name: &str,
    mesh: &TriMesh,
    motion: &resile_system::Motion,
) -> Result<PlacedBody, String> {
    let bounds = mesh.bounds().ok_or("the surface is empty")?;
    let frame = AffineBody::around(bounds.min, bounds.max).map_err(|e| e.to_string())?;
    let surface = embedded(&frame, &mesh.positions, &mesh.triangles).map_err(|e| e.to_string())?;
    let nodes = frame.nodes();
    // Nobody asks what moves an obstacle, so it needs no mass.
    let mut body = Body::new(name, vec![0.0; 4]);
    let prescribed = |(node, start)| Prescribed { node, start, motion: motion.clone() };
    body.prescribed = nodes.into_iter().enumerate().map(prescribed).collect();
    let at = nodes.map(|p| motion.position(p, 0.0));
    let velocities = nodes.map(|p| motion.initial_velocity(p));
    Ok(PlacedBody {
        body,
        state: State::new(0.0, at.to_vec(), velocities.to_vec()),
        rest: nodes.to_vec(),
        tets: Vec::new(),
        elements: Elements::Linear,
        lines: Vec::new(),
        triangles: mesh.triangles.clone(),
        surface: Arc::new(surface),
        thickness: 0.0,
        affine: None,
        sites: Vec::new(),
    })
}
