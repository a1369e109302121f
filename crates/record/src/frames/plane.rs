//! Drawn pieces of planes.

use resile_math::{Aabb, Vec3};
use resile_mesh::TriMesh;

/// Extent of the drawn piece of a plane, relative to the extent of all motion.
const PLANE_EXTENT: f64 = 1.5;

/// A collision plane.
#[derive(Debug, Clone, PartialEq)]
pub struct FramePlane {
    /// Number of the plane among all bodies and obstacles.
    pub body: u32,
    /// Name of the plane.
    pub name: String,
    /// A point on the plane (m).
    pub point: Vec3,
    /// The normal towards the bodies, of any length except zero.
    pub normal: Vec3,
}

impl FramePlane {
    /// Drawn piece of the plane for motion within `motion_box`: a square in the plane, centred at the
    /// projection of the centre of the box. Half of its side is `1.5 (r + d)`, where `r` is half the diagonal
    /// of the box and `d` the distance of its centre from the plane (1.5 m if both are zero). Its triangles
    /// face the bodies.
    pub fn piece(&self, motion_box: Aabb) -> TriMesh {
        let normal = self.normal.normalize();
        let height = normal.dot(motion_box.center() - self.point);
        let center = motion_box.center() - height * normal;
        let farthest = 0.5 * motion_box.size().length() + height.abs();
        let half_side = PLANE_EXTENT * if farthest > 0.0 { farthest } else { 1.0 };
        // Align the sides with the axes of the scene as far as possible.
        let axes = [Vec3::X, Vec3::Z, Vec3::Y];
        let by_alignment = |a: &Vec3, b: &Vec3| a.dot(normal).abs().total_cmp(&b.dot(normal).abs());
        let axis = axes.into_iter().min_by(by_alignment).unwrap_or(Vec3::X);
        let u = (axis - axis.dot(normal) * normal).normalize() * half_side;
        let v = normal.cross(u);
        let positions = vec![center - u - v, center + u - v, center + u + v, center - u + v];
        TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(normal: Vec3) -> FramePlane {
        FramePlane { body: 1, name: "floor".to_owned(), point: Vec3::new(7.0, -1.0, 2.0), normal }
    }

    #[test]
    fn drawn_plane_is_oriented_and_covers_the_motion() {
        let moved = Aabb { min: Vec3::new(-1.0, 0.0, 3.0), max: Vec3::new(1.0, 2.0, 4.0) };
        for normal in [Vec3::Y, -Vec3::Y, 3.0 * Vec3::X, Vec3::new(0.3, 2.0, -0.4), Vec3::Z] {
            let (plane, unit) = (plane(normal), normal.normalize());
            let piece = plane.piece(moved);
            for p in &piece.positions {
                assert!(unit.dot(*p - plane.point).abs() < 1e-12, "{p} is in the plane");
            }
            let distance = unit.dot(moved.center() - plane.point);
            let reach = 1.5 * (1.5 + distance.abs());
            for t in 0..2 {
                let [a, b, c] = piece.corners(t);
                let double = (b - a).cross(c - a);
                assert!((double - unit * 4.0 * reach * reach).length() < 1e-9, "{double}");
            }
            let middle = piece.positions.iter().sum::<Vec3>() / 4.0;
            let foot = moved.center() - distance * unit;
            assert!((middle - foot).length() < 1e-12, "{middle} is below the bodies");
        }
    }

    #[test]
    fn drawn_plane_has_a_minimum_size() {
        let moved = Aabb { min: Vec3::NEG_Y, max: Vec3::NEG_Y };
        let piece = plane(Vec3::Y).piece(moved);
        assert_eq!(
            Aabb::around(&piece.positions).map(|b| b.size()),
            Some(Vec3::new(3.0, 0.0, 3.0))
        );
    }
}
