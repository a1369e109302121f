//! Moving obstacles: surfaces embedded in four prescribed nodes, surfaces with a node for each vertex that a file
//! moves, and segments and points with a node for each point.

use super::affine::embedded;
use super::body::PlacedBody;
use super::collisions::PlacedObstacle;
use super::error;
use super::motion::motion_of;
use super::ties::PendingTies;
use resile_contact::CollisionMesh;
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_mesh::{TriMesh, Wireframe};
use resile_scene::description::{Contact, Elements, Problem, Scene};
use resile_system::{Body, Held, Motion, Prescribed, Samples, State};
use std::sync::Arc;

/// The moving obstacles as bodies, in the order of the scene.
pub(super) fn moving_obstacles(
    scene: &Scene,
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Vec<PlacedBody> {
    let mut bodies = Vec::new();
    for (i, (described, obstacle)) in scene.obstacles.iter().zip(obstacles).enumerate() {
        let Some(mesh) = &obstacle.mesh else { continue };
        let motions = match (described.motion(), &obstacle.samples) {
            (Some(motion), _) => NodeMotions::Rigid(motion_of(motion, scene.units)),
            (None, Some(samples)) => NodeMotions::Sampled(samples.clone()),
            (None, None) => continue,
        };
        let kinematic_body = match (&obstacle.segments, motions) {
            (Some(segments), motions) => {
                wireframe_body(&obstacle.name, mesh, segments, &motions, strip_width(scene))
            }
            (None, NodeMotions::Rigid(motion)) => rigid_body(&obstacle.name, mesh, &motion),
            (None, NodeMotions::Sampled(samples)) => sampled_body(&obstacle.name, mesh, &samples),
        };
        match kinematic_body {
            Ok(body) => bodies.push(body),
            Err(e) => problems.push(error(format!("obstacles[{i}]"), e, "correct the obstacle")),
        }
    }
    bodies
}

/// Motion of the nodes of an obstacle.
enum NodeMotions {
    Rigid(Motion),
    Sampled(Arc<Samples>),
}

impl NodeMotions {
    /// The motion of a node.
    fn of_node(&self, point: usize) -> Motion {
        match self {
            Self::Rigid(motion) => motion.clone(),
            Self::Sampled(samples) => Motion::Sampled { point, samples: samples.clone() },
        }
    }
}

/// Width (m) of the strip that a segment represents in contact. A segment has no width, so the strip has the range of
/// the barrier.
fn strip_width(scene: &Scene) -> f64 {
    match &scene.contact {
        Contact::Barrier { d_hat, .. } => *d_hat,
        Contact::Off => 1.0,
    }
}

/// An obstacle with a node for each point; points that belong to no segment also collide.
fn wireframe_body(
    name: &str,
    mesh: &TriMesh,
    segments: &[[u32; 2]],
    motions: &NodeMotions,
    width: f64,
) -> Result<PlacedBody, String> {
    let frame = Wireframe { positions: mesh.positions.clone(), segments: segments.to_vec() };
    let points = frame.isolated();
    let surface =
        CollisionMesh::with_codimensional(&frame.positions, &[], segments, &points, width)
            .map_err(|e| e.to_string())?;
    let motions = (0..frame.positions.len()).map(|point| motions.of_node(point)).collect();
    let body = place_kinematic(name, frame.positions, motions, mesh, surface);
    Ok(PlacedBody { lines: frame.segments, ..body })
}

/// An obstacle with a rigid motion: its surface is embedded in four prescribed nodes.
fn rigid_body(name: &str, mesh: &TriMesh, motion: &Motion) -> Result<PlacedBody, String> {
    let bounds = mesh.bounds().ok_or("the surface is empty")?;
    let frame = AffineBody::around(bounds.min, bounds.max).map_err(|e| e.to_string())?;
    let surface = embedded(&frame, &mesh.positions, &mesh.triangles).map_err(|e| e.to_string())?;
    let motions = vec![motion.clone(); 4];
    Ok(place_kinematic(name, frame.nodes().to_vec(), motions, mesh, surface))
}

/// An obstacle with a node for each vertex, initially at the first sample.
fn sampled_body(name: &str, mesh: &TriMesh, samples: &Arc<Samples>) -> Result<PlacedBody, String> {
    let surface =
        CollisionMesh::new(&mesh.positions, &mesh.triangles).map_err(|e| e.to_string())?;
    let motion = |point| Motion::Sampled { point, samples: samples.clone() };
    let motions = (0..mesh.positions.len()).map(motion).collect();
    Ok(place_kinematic(name, mesh.positions.clone(), motions, mesh, surface))
}

/// A body whose nodes have the reference positions `rest` (m) and prescribed motions, with a surface.
fn place_kinematic(
    name: &str,
    rest: Vec<Vec3>,
    motions: Vec<Motion>,
    mesh: &TriMesh,
    surface: CollisionMesh,
) -> PlacedBody {
    // Nodes that are prescribed in all directions need no mass.
    let mut body = Body::new(name, vec![0.0; rest.len()]);
    let prescribed =
        |(node, (&start, motion))| Prescribed { node, start, motion, until: None, held: Held::All };
    body.prescribed = rest.iter().zip(motions).enumerate().map(prescribed).collect();
    let positions = body.prescribed.iter().map(|p| p.motion.position(p.start, 0.0)).collect();
    let velocities = body.prescribed.iter().map(|p| p.motion.initial_velocity(p.start)).collect();
    PlacedBody {
        body,
        state: State::new(0.0, positions, velocities),
        rest,
        tets: Vec::new(),
        elements: Elements::Linear,
        quadratic: Vec::new(),
        element_groups: Vec::new(),
        lines: Vec::new(),
        rod_radius: None,
        triangles: mesh.triangles.as_slice().into(),
        surface: Arc::new(surface),
        thickness: 0.0,
        affine: None,
        skin: None,
        sites: Vec::new(),
        ties: PendingTies::default(),
        evaluated: Vec::new(),
        is_continued: false,
    }
}
