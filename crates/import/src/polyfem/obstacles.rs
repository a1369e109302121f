//! Conversion of obstacles.

use super::boundary;
use super::geometry::{Geometry, Obstacle, ObstacleShape};
use super::motion::Steps;
use super::writer::ProblemWriter;
use crate::draft::{DraftObstacle, DraftShape};
use crate::meshes::{self, relative_path};
use crate::pose::Pose;
use resile_math::Aabb;
use resile_mesh::Wireframe;
use std::path::Path;

impl ProblemWriter<'_> {
    /// Converts planes, meshes with their prescribed motion, and mesh sequences to obstacles of the scene, with a
    /// common coefficient of friction.
    pub(super) fn obstacles(
        &mut self,
        geometry: &Geometry,
        friction: f64,
        steps: Steps,
    ) -> Vec<DraftObstacle> {
        let convert = |obstacle: &Obstacle| {
            let (name, shape) = self.obstacle_shape(obstacle, steps);
            DraftObstacle { name, shape, friction }
        };
        geometry.obstacles.iter().map(convert).collect()
    }

    /// Name and shape of an obstacle.
    fn obstacle_shape(&mut self, obstacle: &Obstacle, steps: Steps) -> (String, DraftShape) {
        match &obstacle.shape {
            ObstacleShape::Plane { point, normal } => {
                let shape = DraftShape::Plane { point: *point, normal: *normal };
                (self.names.unique("plane"), shape)
            }
            ObstacleShape::Mesh { file, pose, wireframe } => {
                let bounds = placed_bounds(file, pose, wireframe.as_ref());
                let motion = boundary::obstacle_motion(&mut self.reader, obstacle, bounds, steps);
                let path = match wireframe {
                    Some(wireframe) => self.wireframe_name(file, wireframe),
                    None => relative_path(self.base, file),
                };
                let shape = DraftShape::Mesh { file: path, pose: pose.clone(), motion };
                (self.names.of_file(file), shape)
            }
            ObstacleShape::Sequence { files, rate, pose } => {
                let name = self.names.of_file(&files[0]);
                let (file, frames) = self.frames_of(&name, files);
                let (pose, frame_rate) = (pose.clone(), *rate);
                let shape = DraftShape::Animated { file, pose, frames, frame_rate, start: 0.0 };
                (name, shape)
            }
        }
    }
}

/// Bounding box (m) of the corners of the bounding box of a mesh at a pose. The mesh is `wireframe` or that of the file.
fn placed_bounds(file: &Path, pose: &Pose, wireframe: Option<&Wireframe>) -> Aabb {
    let bounds = match wireframe {
        Some(wireframe) => Aabb::of_points(wireframe.positions.iter().copied()),
        None => meshes::read(file).map_or(Aabb::EMPTY, |mesh| mesh.bounds()),
    };
    Aabb::of_points([bounds.min, bounds.max].map(|corner| pose.apply(corner)))
}
