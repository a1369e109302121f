//! Points that move with the surface of an obstacle.

use super::collisions::PlacedObstacle;
use resile_contact::distance::{Closest, PairKind};
use resile_math::{Mat3, Vec3};
use resile_mesh::{TriMesh, TriangleTree};
use resile_system::{Motion, Pose, Samples};
use std::sync::Arc;

/// The surface of an obstacle and its motion.
pub(super) struct ObstacleSurface {
    /// The triangles that are not degenerate at t = 0.
    triangles: Vec<[u32; 3]>,
    /// Positions of its vertices at t = 0 (m).
    positions: Vec<Vec3>,
    tree: TriangleTree,
    kinematics: ObstacleKinematics,
}

enum ObstacleKinematics {
    Rigid(Motion),
    Sampled(Arc<Samples>),
}

/// A point relative to its triangle: the closest point of the triangle, and the offset in the frame of the
/// triangle.
struct TrianglePoint {
    triangle: [u32; 3],
    /// Barycentric coordinates.
    weights: [f64; 3],
    /// Offset from the closest point (m).
    offset: Vec3,
}

impl ObstacleSurface {
    /// `None` if all triangles are degenerate.
    pub(super) fn new(obstacle: &PlacedObstacle, motion: Motion) -> Option<Self> {
        let TriMesh { positions, triangles } = obstacle.mesh.as_ref()?;
        let (positions, kinematics): (Vec<Vec3>, ObstacleKinematics) = match &obstacle.samples {
            Some(samples) => {
                let at = (0..samples.point_count()).map(|point| samples.position(point, 0.0));
                (at.collect(), ObstacleKinematics::Sampled(samples.clone()))
            }
            None => {
                let at = positions.iter().map(|x| motion.position(*x, 0.0)).collect();
                (at, ObstacleKinematics::Rigid(motion))
            }
        };
        let has_area = |triangle: &&[u32; 3]| frame(&positions, **triangle).is_some();
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(has_area).copied().collect();
        if triangles.is_empty() {
            return None;
        }
        let tree = TriangleTree::new(triangles.iter().map(|t| corners(&positions, *t)));
        Some(Self { triangles, positions, tree, kinematics })
    }

    /// The motions of points that are at `places` (m) at t = 0, and their reference positions.
    pub(super) fn motions(&self, places: &[Vec3]) -> Vec<(Vec3, Motion)> {
        match &self.kinematics {
            ObstacleKinematics::Rigid(motion) => {
                places.iter().map(|x| (reference_position(motion, *x), motion.clone())).collect()
            }
            ObstacleKinematics::Sampled(samples) => {
                let seen: Vec<TrianglePoint> = places.iter().map(|x| self.locate(*x)).collect();
                let followed = samples
                    .of_points(|vertices| seen.iter().map(|point| point.at(vertices)).collect());
                // The offset rotates with the triangle, and is linear between two samples. This is its value at t = 0.
                let offset = |(k, x): (usize, &Vec3)| *x - followed.position(k, 0.0);
                let offset: Vec<Vec3> = places.iter().enumerate().map(offset).collect();
                let corrected = followed.of_points(|points| {
                    points.iter().zip(&offset).map(|(point, offset)| *point + *offset).collect()
                });
                let samples = Arc::new(corrected);
                let motion = |point| Motion::Sampled { point, samples: samples.clone() };
                places.iter().enumerate().map(|(k, x)| (*x, motion(k))).collect()
            }
        }
    }

    /// The point nearest to `x` with the distance `min_distance` (m) or more from the surface, at t = 0.
    pub(super) fn project_outside(&self, x: Vec3, min_distance: f64) -> Vec3 {
        project_outside(&self.tree, x, min_distance)
    }

    fn locate(&self, x: Vec3) -> TrianglePoint {
        let triangle = self.triangles[self.tree.nearest(x).1 as usize];
        let [a, b, c] = corners(&self.positions, triangle);
        let Closest { weights, difference, .. } = Closest::new(PairKind::VertexFace, &[x, a, b, c]);
        let frame = frame(&self.positions, triangle).unwrap_or(Mat3::IDENTITY);
        let weights = [-weights[1], -weights[2], -weights[3]];
        TrianglePoint { triangle, weights, offset: frame.transpose() * difference }
    }
}

impl TrianglePoint {
    /// Position of the point if the vertices are at `x` (m). If its triangle is degenerate, the point is on the
    /// triangle.
    fn at(&self, x: &[Vec3]) -> Vec3 {
        let [a, b, c] = corners(x, self.triangle);
        let [u, v, w] = self.weights;
        let offset = frame(x, self.triangle).map_or(Vec3::ZERO, |frame| frame * self.offset);
        a * u + b * v + c * w + offset
    }
}

/// As [`ObstacleSurface::project_outside`], for the triangles of a tree.
pub(super) fn project_outside(tree: &TriangleTree, x: Vec3, min_distance: f64) -> Vec3 {
    let nearest = tree.closest(x);
    let offset = x - nearest.point;
    if offset.length() >= min_distance {
        return x;
    }
    let away = if offset == Vec3::ZERO { nearest.normal } else { offset.normalize() };
    nearest.point + away * min_distance
}

fn corners(x: &[Vec3], triangle: [u32; 3]) -> [Vec3; 3] {
    triangle.map(|vertex| x[vertex as usize])
}

/// The orthonormal frame of a triangle: along its first edge, in its plane, along its normal.
fn frame(x: &[Vec3], triangle: [u32; 3]) -> Option<Mat3> {
    let [a, b, c] = corners(x, triangle);
    let along = (b - a).normalize_or_zero();
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let has_area = along != Vec3::ZERO && normal != Vec3::ZERO;
    has_area.then(|| Mat3::from_cols(along, normal.cross(along), normal))
}

/// The reference position of a motion that is at `x` at t = 0.
fn reference_position(motion: &Motion, x: Vec3) -> Vec3 {
    match motion.pose(0.0) {
        Some(Pose { rotation, translation }) if motion.position(x, 0.0) != x => {
            rotation.transpose() * (x - translation)
        }
        _ => x,
    }
}
