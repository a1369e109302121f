//! Obstacles, and the surfaces of all colliders.

use super::animation::{Animated, place_animated};
use super::body::PlacedBody;
use super::pair_table::pair_table;
use super::shape::{Mesh, Meshes};
use super::{error, path_of};
use resile_contact::{
    BarrierPotential, CollisionMesh, FrictionPotential, ObstacleMesh, Obstacles, Plane, Role,
};
use resile_math::Vec3;
use resile_mesh::{TriMesh, Wireframe};
use resile_scene::description::{
    Contact, ExpandedBody, Obstacle, Problem, Scene, Severity, is_wireframe_file,
};
use resile_system::Samples;
use resile_world::{Adhesion, Collisions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An obstacle with its surface, if it is a mesh.
#[derive(Debug)]
pub(super) struct PlacedObstacle {
    pub(super) name: String,
    pub(super) mesh: Option<TriMesh>,
    /// The segments of an obstacle without triangles. Points that belong to no segment also collide.
    pub(super) segments: Option<Vec<[u32; 2]>>,
    /// The motion of its vertices, if files move them.
    pub(super) samples: Option<Arc<Samples>>,
}

/// Places all obstacles, and reads their mesh files.
pub(super) fn place_all(
    scene: &Scene,
    meshes: &mut Meshes<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<PlacedObstacle> {
    let mut placed_obstacles = Vec::new();
    for (i, described) in scene.obstacles.iter().enumerate() {
        match place_obstacle(scene, described, &format!("obstacles[{i}]"), meshes) {
            Ok(placed) => placed_obstacles.push(placed),
            Err(problem) => problems.push(problem),
        }
    }
    placed_obstacles
}

/// Reads and places the surface, the segments or the animation of one obstacle.
fn place_obstacle(
    scene: &Scene,
    described: &Obstacle,
    path: &str,
    meshes: &mut Meshes<'_>,
) -> Result<PlacedObstacle, Problem> {
    let name = described.name().to_owned();
    let (geometry, placement) = match described {
        Obstacle::Plane { .. } => {
            return Ok(PlacedObstacle { name, mesh: None, segments: None, samples: None });
        }
        Obstacle::Animated { placement, .. } => {
            let animation = described.animation().expect("it is animated");
            let Animated { mesh, segments, samples } =
                place_animated(scene, &animation, placement, path, meshes)?;
            let (mesh, samples) = (Some(mesh), Some(samples));
            return Ok(PlacedObstacle { name, mesh, segments, samples });
        }
        Obstacle::Mesh { file, placement, .. } => {
            let path = format!("{path}.file");
            let geometry = match is_wireframe_file(file) {
                true => wireframe_geometry(meshes.wireframe(file, &path)?),
                false => mesh_geometry(meshes.of_obstacle(file, described.moves(), &path)?),
            };
            (geometry, placement)
        }
        Obstacle::Shape { shape, placement, .. } => {
            (mesh_geometry(meshes.of_shape(shape, &format!("{path}.shape"))?), placement)
        }
    };
    let (mut mesh, segments) = geometry;
    mesh.positions.iter_mut().for_each(|p| *p = placement.apply(*p));
    Ok(PlacedObstacle { name, mesh: Some(mesh), segments, samples: None })
}

/// Vertices and triangles, or segments instead of triangles.
type Geometry = (TriMesh, Option<Vec<[u32; 2]>>);

/// The geometry of a mesh: its surface, or its curves as segments.
fn mesh_geometry(mesh: Mesh) -> Geometry {
    match mesh {
        Mesh::Curves(curves) => wireframe_geometry(curves.into()),
        mesh => (mesh.into_surface(), None),
    }
}

/// The geometry of segments and points.
fn wireframe_geometry(frame: Wireframe) -> Geometry {
    let Wireframe { positions, segments } = frame;
    (TriMesh { positions, triangles: Vec::new() }, Some(segments))
}

/// The colliders and their parameters, if contact is on.
pub(super) fn collisions(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &mut [PlacedBody],
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Option<Collisions> {
    let Contact::Barrier {
        d_hat,
        kappa,
        barrier,
        adhesion,
        slip_speed,
        improved_max,
        rim_weights,
        ..
    } = &scene.contact
    else {
        return None;
    };
    let obstacles = match fixed_obstacles(scene, obstacles, placed.len(), *improved_max) {
        Ok(obstacles) => obstacles,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    let pairs = pair_table(scene, expanded);
    for (k, (body, expanded)) in placed.iter().zip(expanded).enumerate() {
        if pairs.collide(k, k) {
            warn_wide_barrier(body, &path_of(expanded), *d_hat, problems);
        }
    }
    Some(Collisions {
        surfaces: contact_surfaces(placed, *improved_max, *rim_weights),
        roles: placed.iter().map(collider_role).collect(),
        half_thicknesses: placed.iter().map(|body| 0.5 * body.thickness).collect(),
        obstacles: Arc::new(obstacles),
        adhesion: adhesion
            .map(|adhesion| Adhesion::new(adhesion.potential(), adhesion.bonds(), &pairs)),
        pairs: Arc::new(pairs),
        barrier: BarrierPotential {
            barrier: *barrier,
            d_hat: *d_hat,
            kappa: kappa.unwrap_or_else(|| scene.default_kappa()),
        },
        friction: FrictionPotential { slip_speed: *slip_speed },
        gravity: Vec3::from_array(scene.gravity),
    })
}

/// Applies the settings of contact to the surfaces of all bodies, and returns the surfaces. Copies of a body continue
/// to share one surface.
fn contact_surfaces(
    placed: &mut [PlacedBody],
    improved_max: bool,
    rim_weights: bool,
) -> Vec<Arc<CollisionMesh>> {
    let empty = Arc::new(CollisionMesh::new(&[], &[]).expect("an empty mesh is proper"));
    let mut changed_surfaces = BTreeMap::new();
    for body in &mut *placed {
        let original = std::mem::replace(&mut body.surface, empty.clone());
        let entry = changed_surfaces.entry(Arc::as_ptr(&original));
        let change = || {
            let points = rim_weights.then(|| original.points(&body.rest).into_owned());
            let surface = with_signed_sums(original, improved_max);
            match points {
                Some(points) => Arc::new(Arc::unwrap_or_clone(surface).with_rim_weights(&points)),
                None => surface,
            }
        };
        body.surface = entry.or_insert_with(change).clone();
    }
    placed.iter().map(|body| body.surface.clone()).collect()
}

/// The surface with signed sums (improved max operator), if the scene requests them. Copies a shared surface.
fn with_signed_sums(surface: Arc<CollisionMesh>, improved_max: bool) -> Arc<CollisionMesh> {
    match improved_max {
        true => Arc::new(Arc::unwrap_or_clone(surface).with_signed_sums()),
        false => surface,
    }
}

/// Warns of sheets whose barrier range exceeds the size of their triangles, so that neighbouring triangles repel each
/// other. The check for intersections at the start reports sheets that intersect.
fn warn_wide_barrier(body: &PlacedBody, path: &str, d_hat: f64, problems: &mut Vec<Problem>) {
    let Err(e) = body.surface.check_thickness(0.5 * body.thickness, d_hat) else { return };
    if body.affine.is_some() || body.thickness == 0.0 || e.height <= e.thickness {
        // The check of `contact.d_hat` compares it with the edges of bodies without thickness.
        return;
    }
    let problem = Problem {
        severity: Severity::Warning,
        path: format!("{path}.contact_thickness"),
        message: e.to_string(),
        help: "make the sheet thinner for contact, d_hat smaller or the triangles larger".into(),
        concerns_steps: false,
    };
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}

/// Whether contact moves a body, or only its prescribed motion.
fn collider_role(placed: &PlacedBody) -> Role {
    if placed.body.is_kinematic() { Role::Kinematic } else { Role::Simulated }
}

/// The obstacles that do not move, with collider indices after those of the `body_count` bodies.
fn fixed_obstacles(
    scene: &Scene,
    obstacles: &[PlacedObstacle],
    body_count: usize,
    improved_max: bool,
) -> Result<Obstacles, Problem> {
    let (mut planes, mut meshes) = (Vec::new(), Vec::new());
    for (i, (described, obstacle)) in scene.obstacles.iter().zip(obstacles).enumerate() {
        let collider = body_count + i;
        if described.moves() {
            // The world has it as a body.
            continue;
        }
        match (described, &obstacle.mesh) {
            (Obstacle::Plane { point, normal, .. }, _) => planes.push(Plane {
                point: Vec3::from_array(*point),
                normal: Vec3::from_array(*normal).normalize(),
                collider,
            }),
            (Obstacle::Mesh { .. } | Obstacle::Shape { .. }, Some(mesh)) => {
                let path = format!("obstacles[{i}]");
                let surface = CollisionMesh::new(&mesh.positions, &mesh.triangles)
                    .map_err(|e| error(path, e, "repair the mesh"))?;
                let positions = mesh.positions.clone();
                let mesh = with_signed_sums(Arc::new(surface), improved_max);
                meshes.push(ObstacleMesh { mesh, positions, collider });
            }
            (Obstacle::Mesh { .. } | Obstacle::Shape { .. }, None)
            | (Obstacle::Animated { .. }, _) => {}
        }
    }
    Obstacles::new(planes, meshes).map_err(|e| error("obstacles", e, "correct the obstacle"))
}
