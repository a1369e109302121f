//! Obstacles, which are not simulated: planes and fixed meshes.
//!
//! Obstacles have no degrees of freedom and exist only for contact, so they link no bodies.

use crate::CollisionMesh;
use crate::geometry::collision_mesh::MeshBoxes;
use crate::geometry::packed::PackedPath;
use resile_math::parameters::INPUT_ERROR;
use resile_math::{Aabb, Vec3};
use std::sync::Arc;
use thiserror::Error;

/// A half-space: everything below the plane is solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Point on the plane (m).
    pub point: Vec3,
    /// Outward unit normal of the solid.
    pub normal: Vec3,
    /// Index in the [`PairTable`](crate::PairTable).
    pub collider: usize,
}

impl Plane {
    /// Signed distance of `x` above the plane (m).
    pub fn height(&self, x: Vec3) -> f64 {
        self.normal.dot(x - self.point)
    }
}

/// A fixed triangle mesh.
#[derive(Debug, Clone)]
pub struct ObstacleMesh {
    /// Collision mesh.
    pub mesh: Arc<CollisionMesh>,
    /// Positions of its nodes (m).
    pub positions: Vec<Vec3>,
    /// Index in the [`PairTable`](crate::PairTable).
    pub collider: usize,
}

/// Error of an obstacle.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ObstacleError {
    /// The normal of a plane is not a unit vector.
    #[error("the normal of plane {plane} has length {length}, not 1")]
    NotUnit {
        /// Index of the plane.
        plane: usize,
        /// Length of the normal.
        length: f64,
    },
    /// The number of positions of a mesh differs from its number of nodes.
    #[error("obstacle mesh {mesh} has {positions} positions for {nodes} nodes")]
    WrongCount {
        /// Index of the mesh.
        mesh: usize,
        /// Number of positions.
        positions: usize,
        /// Number of nodes of the mesh.
        nodes: usize,
    },
}

/// All obstacles of a scene.
#[derive(Debug, Default)]
pub struct Obstacles {
    pub(crate) planes: Vec<Plane>,
    pub(crate) meshes: Vec<PlacedObstacle>,
    /// Positions of the points of all meshes (m), mesh by mesh.
    pub(crate) points: Vec<Vec3>,
}

/// A fixed mesh with its boxes and packed points, computed once.
#[derive(Debug)]
pub(crate) struct PlacedObstacle {
    pub(crate) mesh: Arc<CollisionMesh>,
    pub(crate) boxes: MeshBoxes,
    pub(crate) packed: PackedPath,
    pub(crate) first_point: usize,
    pub(crate) collider: usize,
}

impl Obstacles {
    /// Obstacles with the bounding boxes of their meshes.
    ///
    /// # Errors
    /// If a normal is not of unit length to 1e-9, or if the number of positions differs from the number of nodes.
    pub fn new(planes: Vec<Plane>, meshes: Vec<ObstacleMesh>) -> Result<Self, ObstacleError> {
        for (plane, Plane { normal, .. }) in planes.iter().enumerate() {
            let length = normal.length();
            if !length.is_finite() || (length - 1.0).abs() > INPUT_ERROR {
                return Err(ObstacleError::NotUnit { plane, length });
            }
        }
        let mut obstacles = Self { planes, ..Self::default() };
        for (index, obstacle) in meshes.into_iter().enumerate() {
            let (positions, nodes) = (obstacle.positions.len(), obstacle.mesh.node_count());
            if positions != nodes {
                return Err(ObstacleError::WrongCount { mesh: index, positions, nodes });
            }
            obstacles.push_mesh(obstacle);
        }
        Ok(obstacles)
    }

    /// Adds a mesh with one position per node.
    fn push_mesh(&mut self, ObstacleMesh { mesh, positions, collider }: ObstacleMesh) {
        let points = mesh.points(&positions);
        let position = |i: u32| points[i as usize];
        let boxes = mesh.boxes(position, position);
        let root = Aabb::of_points(mesh.vertices().iter().map(|&i| position(i)));
        let centre = (root.min + root.max) * 0.5;
        let packed = PackedPath::new(&mesh, centre, Vec3::ZERO, [&points; 2]);
        let first_point = self.points.len();
        self.points.extend_from_slice(&points);
        self.meshes.push(PlacedObstacle { mesh, boxes, packed, first_point, collider });
    }

    /// The planes.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }
}
