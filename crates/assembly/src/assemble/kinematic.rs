//! Moving obstacles: surfaces embedded in four prescribed nodes, or with a node for each vertex that a file
//! moves.

use super::affine::embedded;
use super::body::PlacedBody;
use super::collisions::PlacedObstacle;
use super::error;
use super::motion::motion_of;
use super::ties::Pending;
use resile_contact::CollisionMesh;
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_scene::description::{Elements, Problem, Scene};
use resile_system::{Body, Held, Motion, Prescribed, Samples, State};
use std::sync::Arc;

/// The moving obstacles as bodies, in the order of the scene.
pub(super) fn kinematic(
    scene: &Scene,
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Vec<PlacedBody> {
    let mut out = Vec::new();
    for (i, (described, obstacle)) in scene.obstacles.iter().zip(obstacles).enumerate() {
        let made = match (&obstacle.mesh, described.motion(), &obstacle.samples) {
            (Some(mesh), Some(motion), _) => {
                prescribed(&obstacle.name, mesh, &motion_of(motion, scene.units))
            }
            (Some(mesh), None, Some(samples)) => sampled(&obstacle.name, mesh, samples),
            _ => continue,
        };
        match made {
            Ok(body) => out.push(body),
            Err(e) => problems.push(error(format!("obstacles[{i}]"), e, "mend the obstacle")),
        }
    }
    out
}

fn prescribed(name: &str, mesh: &TriMesh, motion: &Motion) -> Result<PlacedBody, String> {
    let bounds = mesh.bounds().ok_or("the surface is empty")?;
    let frame = AffineBody::around(bounds.min, bounds.max).map_err(|e| e.to_string())?;
    let surface = embedded(&frame, &mesh.positions, &mesh.triangles).map_err(|e| e.to_string())?;
    let motions = vec![motion.clone(); 4];
    Ok(placed(name, frame.nodes().to_vec(), motions, mesh, surface))
}

/// A node for each vertex, initially at the first sample.
fn sampled(name: &str, mesh: &TriMesh, samples: &Arc<Samples>) -> Result<PlacedBody, String> {
    let surface =
        CollisionMesh::new(&mesh.positions, &mesh.triangles).map_err(|e| e.to_string())?;
    let motion = |point| Motion::Sampled { point, samples: samples.clone() };
    let motions = (0..mesh.positions.len()).map(motion).collect();
    Ok(placed(name, mesh.positions.clone(), motions, mesh, surface))
}

/// Nodes with the reference positions `rest` (m), and a surface embedded in them.
fn placed(
    name: &str,
    rest: Vec<Vec3>,
    motions: Vec<Motion>,
    mesh: &TriMesh,
    surface: CollisionMesh,
) -> PlacedBody {
    // Prescribed nodes need no mass.
    let mut body = Body::new(name, vec![0.0; rest.len()]);
    let prescribed =
        |(node, (&start, motion))| Prescribed { node, start, motion, until: None, held: Held::All };
    body.prescribed = rest.iter().zip(motions).enumerate().map(prescribed).collect();
    let at = body.prescribed.iter().map(|p| p.motion.position(p.start, 0.0)).collect();
    let velocities = body.prescribed.iter().map(|p| p.motion.initial_velocity(p.start)).collect();
    PlacedBody {
        body,
        state: State::new(0.0, at, velocities),
        rest,
        tets: Vec::new(),
        elements: Elements::Linear,
        lines: Vec::new(),
        rod_radius: None,
        triangles: mesh.triangles.as_slice().into(),
        surface: Arc::new(surface),
        thickness: 0.0,
        affine: None,
        skin: None,
        sites: Vec::new(),
        ties: Pending::default(),
        evaluated: Vec::new(),
    }
}
