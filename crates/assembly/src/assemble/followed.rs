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

/// The motion of an obstacle: of the whole, or of each vertex.
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
    /// The surface of an obstacle; `None` if it has no triangles or all are degenerate.
    pub(super) fn new(obstacle: &PlacedObstacle, motion: Motion) -> Option<Self> {
        let TriMesh { positions, triangles } = obstacle.mesh.as_ref()?;
        let (positions, kinematics): (Vec<Vec3>, ObstacleKinematics) = match &obstacle.samples {
            Some(samples) => {
                let initial = (0..samples.point_count()).map(|point| samples.position(point, 0.0));
                (initial.collect(), ObstacleKinematics::Sampled(samples.clone()))
            }
            None => {
                let initial = positions.iter().map(|x| motion.position(*x, 0.0)).collect();
                (initial, ObstacleKinematics::Rigid(motion))
            }
        };
        let has_area = |triangle: &&[u32; 3]| triangle_frame(&positions, **triangle).is_some();
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(has_area).copied().collect();
        if triangles.is_empty() {
            return None;
        }
        let tree = TriangleTree::new(triangles.iter().map(|t| corners(&positions, *t)));
        Some(Self { triangles, positions, tree, kinematics })
    }

    /// The reference positions and motions of points that are at `start_points` (m) at t = 0.
    pub(super) fn motions(&self, start_points: &[Vec3]) -> Vec<(Vec3, Motion)> {
        match &self.kinematics {
            ObstacleKinematics::Rigid(motion) => start_points
                .iter()
                .map(|x| (reference_position(motion, *x), motion.clone()))
                .collect(),
            ObstacleKinematics::Sampled(samples) => {
                let triangle_points: Vec<TrianglePoint> =
                    start_points.iter().map(|x| self.locate(*x)).collect();
                let followed = samples.of_points(|vertices| {
                    triangle_points.iter().map(|point| point.position(vertices)).collect()
                });
                // Followed points pass through `start_points` only up to rounding and the interpolation between
                // samples. A constant offset corrects this at t = 0.
                let correction = |(k, x): (usize, &Vec3)| *x - followed.position(k, 0.0);
                let corrections: Vec<Vec3> =
                    start_points.iter().enumerate().map(correction).collect();
                let corrected = followed.of_points(|points| {
                    points
                        .iter()
                        .zip(&corrections)
                        .map(|(point, correction)| *point + *correction)
                        .collect()
                });
                let samples = Arc::new(corrected);
                let motion = |point| Motion::Sampled { point, samples: samples.clone() };
                start_points.iter().enumerate().map(|(k, x)| (*x, motion(k))).collect()
            }
        }
    }

    /// The point nearest to `x` with the distance `min_distance` (m) or more from the surface, at t = 0.
    pub(super) fn project_outside(&self, x: Vec3, min_distance: f64) -> Vec3 {
        project_outside(&self.tree, x, min_distance)
    }

    /// A point at t = 0 relative to the nearest triangle.
    fn locate(&self, x: Vec3) -> TrianglePoint {
        let triangle = self.triangles[self.tree.nearest(x).1 as usize];
        let [a, b, c] = corners(&self.positions, triangle);
        let Closest { weights, difference, .. } = Closest::new(PairKind::VertexFace, &[x, a, b, c]);
        let frame = triangle_frame(&self.positions, triangle).unwrap_or(Mat3::IDENTITY);
        let weights = [-weights[1], -weights[2], -weights[3]];
        TrianglePoint { triangle, weights, offset: frame.transpose() * difference }
    }
}

impl TrianglePoint {
    /// Position of the point if the vertices are at `x` (m). If its triangle is degenerate, the point is on the
    /// triangle.
    fn position(&self, x: &[Vec3]) -> Vec3 {
        let [a, b, c] = corners(x, self.triangle);
        let [u, v, w] = self.weights;
        let offset =
            triangle_frame(x, self.triangle).map_or(Vec3::ZERO, |frame| frame * self.offset);
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
    let direction = if offset == Vec3::ZERO { nearest.normal } else { offset.normalize() };
    nearest.point + direction * min_distance
}

/// The positions of the corners of a triangle.
fn corners(x: &[Vec3], triangle: [u32; 3]) -> [Vec3; 3] {
    triangle.map(|vertex| x[vertex as usize])
}

/// The orthonormal frame of a triangle: along its first edge, perpendicular to it in the plane, and along the normal.
/// `None` if the triangle is degenerate.
fn triangle_frame(x: &[Vec3], triangle: [u32; 3]) -> Option<Mat3> {
    let [a, b, c] = corners(x, triangle);
    let tangent = (b - a).normalize_or_zero();
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let has_area = tangent != Vec3::ZERO && normal != Vec3::ZERO;
    has_area.then(|| Mat3::from_cols(tangent, normal.cross(tangent), normal))
}

/// The reference position that a motion takes to `x` at t = 0.
fn reference_position(motion: &Motion, x: Vec3) -> Vec3 {
    match motion.pose(0.0) {
        Some(Pose { rotation, translation }) if motion.position(x, 0.0) != x => {
            rotation.transpose() * (x - translation)
        }
        _ => x,
    }
}
