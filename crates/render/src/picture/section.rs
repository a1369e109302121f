//! Section planes: what lies in front of them is cut away, and the cut faces of closed surfaces are filled.
//!
//! Triangles are clipped. The cut faces are not triangulated: if the nearest remaining surface at a pixel is the inner side of
//! a closed surface, the line of sight enters the body where it meets the plane, and that point of the plane is drawn.
//! Convex parts, which may overlap, have polygons as cut faces.

use super::mesh::{Mesh, Paint, Triangle};
use crate::color::Light;
use crate::geometry::Bounds;
use glam::Vec3;
use std::collections::BTreeMap;

/// A plane that cuts away the half space in the direction of its normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Unit normal towards the part that is cut away.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal (m).
    pub offset: f32,
}

impl Section {
    /// Signed distance (m) of a point from the plane, positive in the part that is cut away.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.offset
    }

    /// Smallest and largest signed distance (m) of the points of a box from the plane.
    pub(crate) fn range(&self, bounds: Bounds) -> [f32; 2] {
        let middle = self.distance(bounds.center());
        let reach = 0.5 * self.normal.abs().dot(bounds.size());
        [middle - reach, middle + reach]
    }

    /// The point at which the line of sight from `eye` to `point` enters the remaining part; `None` if the eye is in
    /// it.
    pub(crate) fn entry(&self, eye: Vec3, point: Vec3) -> Option<Vec3> {
        let [eye_distance, point_distance] = [eye, point].map(|p| self.distance(p));
        (eye_distance > 0.0).then(|| {
            let parameter = eye_distance / (eye_distance - point_distance);
            eye.lerp(point, parameter.clamp(0.0, 1.0))
        })
    }

    /// The part of a mesh that is not cut away. The cut faces of its convex parts are filled. O(triangles).
    pub(crate) fn clipped(&self, mesh: &Mesh) -> Mesh {
        let distances: Vec<f32> = mesh.positions.iter().map(|p| self.distance(*p)).collect();
        let is_kept = |point: u32| distances[point as usize] <= 0.0;
        let clipped = Mesh { triangles: Vec::new(), convex_ends: Vec::new(), ..mesh.clone() };
        let mut clipper = MeshClipper {
            mesh: clipped,
            point_on_edge: BTreeMap::new(),
            cut_face_points: Vec::new(),
        };
        let mut convex_ends = mesh.convex_ends.iter().peekable();
        for (triangle_index, triangle) in mesh.triangles.iter().enumerate() {
            let kept = triangle.points.map(is_kept);
            match kept.iter().filter(|kept| **kept).count() {
                0 => {}
                3 => clipper.mesh.triangles.push(*triangle),
                _ => clipper.add_clipped(triangle, kept, &distances),
            }
            if convex_ends.next_if_eq(&&(triangle_index + 1)).is_some() {
                clipper.fill_convex_part(self.normal);
            }
        }
        clipper.mesh
    }
}

/// A mesh that is being clipped.
struct MeshClipper {
    /// All points of the original mesh and the new ones, with the triangles that remain so far.
    mesh: Mesh,
    /// The new point on each cut edge, by the ends of the edge in ascending order.
    point_on_edge: BTreeMap<[u32; 2], u32>,
    /// New points of the convex part that is being clipped.
    cut_face_points: Vec<u32>,
}

impl MeshClipper {
    /// Adds the remaining part of a triangle of which the plane cuts two edges. `kept` tells which corners remain, and
    /// `distances` (m) are the signed distances of all points of the original mesh.
    fn add_clipped(&mut self, triangle: &Triangle, kept: [bool; 3], distances: &[f32]) {
        let (mut points, mut normals) = (Vec::with_capacity(4), Vec::with_capacity(4));
        for k in 0..3 {
            let next = (k + 1) % 3;
            if kept[k] {
                points.push(triangle.points[k]);
                normals.push(triangle.normals[k]);
            }
            if kept[k] != kept[next] {
                let end_points = [triangle.points[k], triangle.points[next]];
                let [a, b] = end_points.map(|point| distances[point as usize]);
                let parameter = a / (a - b);
                let end_normals = [triangle.normals[k], triangle.normals[next]];
                points.push(self.add_point(end_points, parameter));
                normals.push(self.add_normal(end_normals, parameter));
            }
        }
        for k in 1..points.len() - 1 {
            self.mesh.triangles.push(Triangle {
                points: [points[0], points[k], points[k + 1]],
                normals: [normals[0], normals[k], normals[k + 1]],
            });
        }
    }

    /// Fills the cut face of the present convex part, a polygon in the plane with this unit normal, and begins the next
    /// part.
    fn fill_convex_part(&mut self, normal: Vec3) {
        let mut corners = std::mem::take(&mut self.cut_face_points);
        corners.sort_unstable();
        corners.dedup();
        let position = |point: u32| self.mesh.positions[point as usize];
        let sum = corners.iter().map(|&point| position(point)).sum::<Vec3>();
        let center = sum / corners.len().max(1) as f32;
        let (u, v) = normal.any_orthonormal_pair();
        let v = if u.cross(v).dot(normal) < 0.0 { -v } else { v };
        let angle = |point: u32| {
            let offset = position(point) - center;
            offset.dot(v).atan2(offset.dot(u))
        };
        corners.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)).then(a.cmp(&b)));
        let normal_index = self.mesh.normals.len() as u32;
        self.mesh.normals.push(normal);
        for k in 2..corners.len() {
            let points = [corners[0], corners[k - 1], corners[k]];
            self.mesh.triangles.push(Triangle { points, normals: [normal_index; 3] });
        }
    }

    /// The index of the point at which the plane cuts the edge from `a` to `b` at this parameter (0 at `a`, 1 at `b`).
    /// The point is added at the first call for the edge.
    fn add_point(&mut self, [a, b]: [u32; 2], parameter: f32) -> u32 {
        let edge = [a.min(b), a.max(b)];
        if let Some(existing) = self.point_on_edge.get(&edge) {
            return *existing;
        }
        let index = self.mesh.positions.len() as u32;
        self.cut_face_points.push(index);
        let [start, end] = [a, b].map(|point| self.mesh.positions[point as usize]);
        self.mesh.positions.push(start.lerp(end, parameter));
        if let Paint::Points(colors) = &mut self.mesh.paint {
            let [start, end]: [Light; 2] = [a, b].map(|point| colors[point as usize]);
            colors.push(start.lerp(end, parameter));
        }
        self.point_on_edge.insert(edge, index);
        index
    }

    /// Adds the normal interpolated between the normals `a` and `b` at this parameter; returns its index.
    fn add_normal(&mut self, [a, b]: [u32; 2], parameter: f32) -> u32 {
        let [start, end] = [a, b].map(|normal| self.mesh.normals[normal as usize]);
        self.mesh.normals.push(start.lerp(end, parameter).normalize_or(start));
        self.mesh.normals.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn area(mesh: &Mesh) -> f32 {
        let triangle_area = |t: &Triangle| {
            let [a, b, c] = t.points.map(|p| mesh.positions[p as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        mesh.triangles.iter().map(triangle_area).sum()
    }

    #[test]
    fn the_two_parts_of_a_mesh_have_its_area_and_lie_on_their_sides() {
        let mesh = Mesh::flat(CORNERS.to_vec(), &FACES, Paint::Points(CORNERS.to_vec()));
        let section = Section { normal: Vec3::new(0.6, 0.0, 0.8), offset: 0.3 };
        let other = Section { normal: -section.normal, offset: -section.offset };
        let [kept, removed] = [section, other].map(|section| section.clipped(&mesh));
        assert!((area(&kept) + area(&removed) - area(&mesh)).abs() < 1e-6);
        assert!(area(&kept) > 0.1 && area(&removed) > 0.1);
        for triangle in &kept.triangles {
            assert!(
                triangle
                    .points
                    .iter()
                    .all(|&p| section.distance(kept.positions[p as usize]) < 1e-6)
            );
        }
        // The colour of each corner is its position.
        let Paint::Points(colors) = &kept.paint else { panic!("it has a colour for each point") };
        assert!(colors.iter().zip(&kept.positions).all(|(color, p)| color.distance(*p) < 1e-6));
        // A tetrahedron that is cut between one corner and three has three new points.
        let tip = Section { normal: Vec3::X, offset: 0.5 }.clipped(&mesh);
        assert_eq!(tip.positions.len(), 7);
    }

    #[test]
    fn cut_faces_of_overlapping_convex_parts_are_filled_and_face_the_cut() {
        let shifted = CORNERS.map(|corner| corner + Vec3::splat(0.05));
        let positions = [CORNERS, shifted].concat();
        let second = FACES.map(|corners| corners.map(|corner| corner + 4));
        let faces = [FACES, second].concat();
        let mut mesh = Mesh::flat(positions, &faces, Paint::default());
        mesh.convex_ends = vec![4, 8];
        let section = Section { normal: Vec3::X, offset: 0.5 };
        let kept = section.clipped(&mesh);
        let is_face = |t: &&Triangle| {
            t.points.iter().all(|&p| section.distance(kept.positions[p as usize]).abs() < 1e-6)
        };
        let cut_faces: Vec<Triangle> = kept.triangles.iter().filter(is_face).copied().collect();
        // Right triangles with legs of 0.5 and 0.55.
        let filled = Mesh { triangles: cut_faces.clone(), ..kept.clone() };
        let expected = 0.5 * (0.5_f32.powi(2) + 0.55_f32.powi(2));
        assert!((area(&filled) - expected).abs() < 1e-6, "{}", area(&filled));
        for triangle in &cut_faces {
            let [a, b, c] = triangle.points.map(|p| kept.positions[p as usize]);
            assert!((b - a).cross(c - a).dot(section.normal) > 0.0);
            assert_eq!(triangle.normals.map(|n| kept.normals[n as usize]), [section.normal; 3]);
        }
    }

    #[test]
    fn a_line_of_sight_enters_at_the_plane_unless_the_eye_is_behind_it() {
        let section = Section { normal: Vec3::X, offset: 1.0 };
        let entry = section.entry(Vec3::new(3.0, 2.0, 0.0), Vec3::new(-1.0, -2.0, 0.0));
        assert_eq!(entry, Some(Vec3::new(1.0, 0.0, 0.0)));
        assert_eq!(section.entry(Vec3::new(0.5, 0.0, 0.0), Vec3::ZERO), None);
    }
}
