//! What bodies collide with that is not simulated: planes and fixed meshes.
//!
//! Obstacles have no degrees of freedom and are known to contact alone, so they
//! connect no bodies.

use crate::CollisionMesh;
use crate::geometry::collision_mesh::MeshBoxes;
use crate::geometry::packed::PackedPath;
use resile_math::{Aabb, Vec3};
use std::sync::Arc;
use thiserror::Error;

/// A half-space: everything below the plane is solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// A point of the plane (m).
    pub point: Vec3,
    /// Unit normal, out of the solid.
    pub normal: Vec3,
    /// Its number in the [`PairTable`](crate::PairTable).
    pub collider: usize,
}

impl Plane {
    /// The height of `x` above the plane (m).
    pub fn height(&self, x: Vec3) -> f64 {
        self.normal.dot(x - self.point)
    }
}

/// A fixed triangle mesh.
#[derive(Debug, Clone)]
pub struct ObstacleMesh {
    /// Its collision mesh.
    pub mesh: Arc<CollisionMesh>,
    /// Where its nodes are (m).
    pub positions: Vec<Vec3>,
    /// Its number in the [`PairTable`](crate::PairTable).
    pub collider: usize,
}

/// Why an obstacle is refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ObstacleError {
    /// A plane's normal is not of length one.
    #[error("the normal of plane {plane} has length {length}, not 1")]
    NotUnit {
        /// Number of the plane.
        plane: usize,
        /// The length found.
        length: f64,
    },
    /// A mesh has not as many positions as its surface has nodes.
    #[error("obstacle mesh {mesh} has {positions} positions for {nodes} nodes")]
    WrongCount {
        /// Number of the mesh.
        mesh: usize,
        /// Positions given.
        positions: usize,
        /// Nodes of the surface.
        nodes: usize,
    },
}

/// All obstacles of a scene.
#[derive(Debug, Default)]
pub struct Obstacles {
    pub(crate) planes: Vec<Plane>,
    pub(crate) meshes: Vec<PlacedObstacle>,
    /// Positions of all meshes' points, one mesh after the other.
    pub(crate) points: Vec<Vec3>,
}

#[derive(Debug)]
pub(crate) struct PlacedObstacle {
    pub(crate) mesh: Arc<CollisionMesh>,
    pub(crate) boxes: MeshBoxes,
    pub(crate) packed: PackedPath,
    pub(crate) first_point: usize,
    pub(crate) collider: usize,
}

impl Obstacles {
    /// The obstacles, with the boxes of the meshes.
    ///
    /// # Errors
    /// If a normal is not of unit length to 1e-9, or positions are too few or many.
    pub fn new(planes: Vec<Plane>, meshes: Vec<ObstacleMesh>) -> Result<Self, ObstacleError> {
        for (plane, p) in planes.iter().enumerate() {
            let length = p.normal.length();
            if !length.is_finite() || (length - 1.0).abs() > 1e-9 {
                return Err(ObstacleError::NotUnit { plane, length });
            }
        }
        let mut all = Self { planes, ..Self::default() };
        for (number, ObstacleMesh { mesh, positions, collider }) in meshes.into_iter().enumerate() {
            if positions.len() != mesh.node_count() {
                let (positions, nodes) = (positions.len(), mesh.node_count());
                return Err(ObstacleError::WrongCount { mesh: number, positions, nodes });
            }
            let points = mesh.points(&positions);
            let at = |i: u32| points[i as usize];
            let boxes = mesh.boxes(at, at);
            let vertices = mesh.vertices().iter().map(|&i| at(i));
            let root = Aabb::of_points(vertices);
            let centre = (root.min + root.max) * 0.5;
            let packed = PackedPath::new(&mesh, [centre, Vec3::ZERO], &points, &points);
            let first_point = all.points.len();
            all.points.extend_from_slice(&points);
            all.meshes.push(PlacedObstacle { mesh, boxes, packed, first_point, collider });
        }
        Ok(all)
    }

    /// The planes.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }
}
