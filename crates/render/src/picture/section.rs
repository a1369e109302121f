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
    /// Signed distance (m), positive in the part that is cut away.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.offset
    }

    /// Smallest and largest signed distance (m) of a box.
    pub(crate) fn range(&self, bounds: Bounds) -> [f32; 2] {
        let middle = self.distance(bounds.center());
        let reach = 0.5 * self.normal.abs().dot(bounds.size());
        [middle - reach, middle + reach]
    }

    /// The point at which the line of sight from `eye` to `point` enters the remaining part; `None` if the eye is in it.
    pub(crate) fn entry(&self, eye: Vec3, point: Vec3) -> Option<Vec3> {
        let [near, far] = [eye, point].map(|p| self.distance(p));
        (near > 0.0).then(|| eye.lerp(point, (near / (near - far)).clamp(0.0, 1.0)))
    }

    /// The part of a mesh that remains. O(triangles).
    pub(crate) fn clipped(&self, mesh: &Mesh) -> Mesh {
        let distances: Vec<f32> = mesh.positions.iter().map(|p| self.distance(*p)).collect();
        let is_kept = |point: u32| distances[point as usize] <= 0.0;
        let out = Mesh { triangles: Vec::new(), convex_ends: Vec::new(), ..mesh.clone() };
        let mut clip = Clip { out, cuts: BTreeMap::new(), ring: Vec::new() };
        let mut convex_ends = mesh.convex_ends.iter().peekable();
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let kept = triangle.points.map(is_kept);
            match kept.iter().filter(|kept| **kept).count() {
                0 => {}
                3 => clip.out.triangles.push(*triangle),
                _ => clip.add_part(triangle, kept, &distances),
            }
            if convex_ends.next_if_eq(&&(number + 1)).is_some() {
                clip.close(self.normal);
            }
        }
        clip.out
    }
}

/// A mesh that is being clipped.
struct Clip {
    out: Mesh,
    /// The new point on each edge, by its ends in ascending order.
    cuts: BTreeMap<[u32; 2], u32>,
    /// New points of the present convex part.
    ring: Vec<u32>,
}

impl Clip {
    /// Adds the remaining part of a triangle of which the plane cuts two edges.
    fn add_part(&mut self, triangle: &Triangle, kept: [bool; 3], distances: &[f32]) {
        let mut corners: Vec<[u32; 2]> = Vec::with_capacity(4);
        for k in 0..3 {
            let next = (k + 1) % 3;
            if kept[k] {
                corners.push([triangle.points[k], triangle.normals[k]]);
            }
            if kept[k] != kept[next] {
                let ends = [triangle.points[k], triangle.points[next]];
                let [a, b] = ends.map(|end| distances[end as usize]);
                let part = a / (a - b);
                let normals = [triangle.normals[k], triangle.normals[next]];
                corners.push([self.point(ends, part), self.normal(normals, part)]);
            }
        }
        for k in 1..corners.len() - 1 {
            let corners_of_piece = [corners[0], corners[k], corners[k + 1]];
            self.out.triangles.push(Triangle {
                points: corners_of_piece.map(|c| c[0]),
                normals: corners_of_piece.map(|c| c[1]),
            });
        }
    }

    /// Fills the cut face of a convex part, and begins the next one.
    fn close(&mut self, normal: Vec3) {
        let mut ring = std::mem::take(&mut self.ring);
        ring.sort_unstable();
        ring.dedup();
        let at = |point: u32| self.out.positions[point as usize];
        let center = ring.iter().map(|&p| at(p)).sum::<Vec3>() / ring.len().max(1) as f32;
        let (u, v) = normal.any_orthonormal_pair();
        let v = if u.cross(v).dot(normal) < 0.0 { -v } else { v };
        let angle = |point: u32| {
            let arm = at(point) - center;
            arm.dot(v).atan2(arm.dot(u))
        };
        let mut around: Vec<(f32, u32)> = ring.iter().map(|&point| (angle(point), point)).collect();
        around.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let number = self.out.normals.len() as u32;
        self.out.normals.push(normal);
        for k in 2..around.len() {
            let points = [around[0], around[k - 1], around[k]].map(|(_, point)| point);
            self.out.triangles.push(Triangle { points, normals: [number; 3] });
        }
    }

    /// The index of the point at which the plane cuts an edge, which is added on first use.
    fn point(&mut self, [a, b]: [u32; 2], part: f32) -> u32 {
        let key = [a.min(b), a.max(b)];
        if let Some(existing) = self.cuts.get(&key) {
            return *existing;
        }
        let number = self.out.positions.len() as u32;
        self.ring.push(number);
        let [from, to] = [a, b].map(|end| self.out.positions[end as usize]);
        self.out.positions.push(from.lerp(to, part));
        if let Paint::Points(colors) = &mut self.out.paint {
            let [from, to]: [Light; 2] = [a, b].map(|end| colors[end as usize]);
            colors.push(from.lerp(to, part));
        }
        self.cuts.insert(key, number);
        number
    }

    fn normal(&mut self, [a, b]: [u32; 2], part: f32) -> u32 {
        let [from, to] = [a, b].map(|end| self.out.normals[end as usize]);
        self.out.normals.push(from.lerp(to, part).normalize_or(from));
        self.out.normals.len() as u32 - 1
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
