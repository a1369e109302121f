//! Further errors of a scene with invalid numbers. Invalid shapes and unreadable files are found in the same check, so
//! that all errors are reported at once.

use super::shape::Meshes;
use resile_scene::description::{
    Kind, Obstacle, Problem, Scene, Severity, Shape, is_wireframe_file,
};

/// Builds the shapes of which no field has an error, and adds the errors of doing so. Filled solids are skipped because
/// they take seconds, and animations because their frames need valid times.
pub(super) fn add_shape_errors(
    scene: &Scene,
    meshes: &mut Meshes<'_>,
    problems: &mut Vec<Problem>,
) {
    let error_paths: Vec<String> = (problems.iter())
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| problem.path.clone())
        .collect();
    let is_valid = |path: &str| !error_paths.iter().any(|error_path| error_path.starts_with(path));
    for (i, body) in scene.bodies.iter().enumerate() {
        let path = format!("bodies[{i}].shape");
        if !is_valid(&path)
            || !is_valid(&format!("bodies[{i}].kind"))
            || !is_cheap_to_build(&body.shape)
        {
            continue;
        }
        let result = match body.kind {
            Kind::Rod { .. } => meshes.curves(&body.shape, &path).map(drop),
            _ => meshes.of_shape(&body.shape, &path).map(drop),
        };
        problems.extend(result.err());
    }
    for (i, obstacle) in scene.obstacles.iter().enumerate() {
        let path = format!("obstacles[{i}]");
        let result = match obstacle {
            _ if !is_valid(&path) => Ok(()),
            Obstacle::Mesh { file, .. } if is_wireframe_file(file) => {
                meshes.wireframe(file, &format!("{path}.file")).map(drop)
            }
            Obstacle::Mesh { file, motion, .. } => {
                let has_motion = motion.is_some();
                meshes.of_obstacle(file, has_motion, &format!("{path}.file")).map(drop)
            }
            Obstacle::Shape { shape, .. } if is_cheap_to_build(shape) => {
                meshes.of_shape(shape, &format!("{path}.shape")).map(drop)
            }
            _ => Ok(()),
        };
        problems.extend(result.err());
    }
}

/// Whether a shape has a mesh that is built quickly, that is, without filling a surface.
fn is_cheap_to_build(shape: &Shape) -> bool {
    shape.particles().is_none() && !matches!(shape, Shape::Implicit { .. } | Shape::Fill { .. })
}
