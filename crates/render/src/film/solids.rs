//! Triangle meshes of rods (springs) and beads (particles).

use crate::picture::{Mesh, Paint, Triangle};
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Number of sides of a rod, and of meridians of a bead.
const SIDES: u32 = 20;
/// Number of bands between parallels of a bead.
const RINGS: u32 = 10;

/// An end of a rod or the centre of a bead.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolidPoint {
    /// Position (m).
    pub(super) position: Vec3,
    /// Linear colour, for meshes with a colour per point.
    pub(super) color: Option<Vec3>,
}

/// Adds a rod between two points: the side of a prism with this radius (m), without end faces.
pub(super) fn add_rod(mesh: &mut Mesh, [a, b]: [SolidPoint; 2], radius: f32) {
    let Some(axis) = (b.position - a.position).try_normalize() else { return };
    let (u, v) = axis.any_orthonormal_pair();
    let (first_point, first_normal) = (mesh.positions.len() as u32, mesh.normals.len() as u32);
    for k in 0..SIDES {
        let (sin, cos) = (TAU * k as f32 / SIDES as f32).sin_cos();
        let normal = cos * u + sin * v;
        mesh.normals.push(normal);
        for end in [a, b] {
            add_point(mesh, end, radius * normal);
        }
    }
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        let points = [2 * k, 2 * next, 2 * next + 1, 2 * k + 1].map(|p| first_point + p);
        let normals = [k, next, next, k].map(|n| first_normal + n);
        add_quad(mesh, points, normals);
    }
    mesh.convex_ends.push(mesh.triangles.len());
}

/// Adds a bead: a sphere with this radius (m) around a point.
pub(super) fn add_bead(mesh: &mut Mesh, center: SolidPoint, radius: f32) {
    let (first_point, first_normal) = (mesh.positions.len() as u32, mesh.normals.len() as u32);
    for ring in 0..=RINGS {
        let (ring_radius, height) = (PI * ring as f32 / RINGS as f32).sin_cos();
        for k in 0..SIDES {
            let (sin, cos) = (TAU * k as f32 / SIDES as f32).sin_cos();
            let normal = Vec3::new(ring_radius * sin, height, ring_radius * cos);
            mesh.normals.push(normal);
            add_point(mesh, center, radius * normal);
        }
    }
    for ring in 0..RINGS {
        for k in 0..SIDES {
            let next = (k + 1) % SIDES;
            let upper = ring * SIDES;
            let corners = [upper + SIDES + k, upper + SIDES + next, upper + next, upper + k];
            add_quad(mesh, corners.map(|c| first_point + c), corners.map(|c| first_normal + c));
        }
    }
    mesh.convex_ends.push(mesh.triangles.len());
}

/// Adds a mesh point at an offset (m) from an end or centre, with the colour of that.
fn add_point(mesh: &mut Mesh, SolidPoint { position, color }: SolidPoint, offset: Vec3) {
    mesh.positions.push(position + offset);
    if let (Paint::Points(colors), Some(color)) = (&mut mesh.paint, color) {
        colors.push(color);
    }
}

/// Adds the two triangles of a quadrilateral with these point and normal indices at its corners, in cyclic order.
fn add_quad(mesh: &mut Mesh, points: [u32; 4], normals: [u32; 4]) {
    let triangle = |corners: [usize; 3]| Triangle {
        points: corners.map(|k| points[k]),
        normals: corners.map(|k| normals[k]),
    };
    mesh.triangles.extend([triangle([0, 1, 2]), triangle([0, 2, 3])]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Mesh {
        Mesh { paint: Paint::Points(Vec::new()), ..Mesh::default() }
    }

    fn colored(position: Vec3, color: Vec3) -> SolidPoint {
        SolidPoint { position, color: Some(color) }
    }

    /// Volume enclosed by the triangles.
    fn volume(mesh: &Mesh) -> f32 {
        let signed_volume = |t: &Triangle| {
            let [a, b, c] = t.points.map(|p| mesh.positions[p as usize]);
            a.dot(b.cross(c)) / 6.0
        };
        mesh.triangles.iter().map(signed_volume).sum()
    }

    #[test]
    fn particle_spheres_face_outward() {
        let mut mesh = empty();
        add_bead(&mut mesh, colored(Vec3::ZERO, Vec3::X), 2.0);
        let ball = 4.0 / 3.0 * PI * 8.0;
        assert!((0.9..1.0).contains(&(volume(&mesh) / ball)), "{}", volume(&mesh));
        assert!(
            matches!(&mesh.paint, Paint::Points(colors) if colors.len() == mesh.positions.len())
        );
    }

    #[test]
    fn rod_tubes_have_the_segment_length_and_face_outward() {
        let mut mesh = empty();
        let [a, b] = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 0.0, 5.0)];
        add_rod(&mut mesh, [colored(a, Vec3::X), colored(b, Vec3::Y)], 0.1);
        for triangle in &mesh.triangles {
            let [p, q, r] = triangle.points.map(|k| mesh.positions[k as usize]);
            let normal = mesh.normals[triangle.normals[0] as usize];
            assert!((q - p).cross(r - p).dot(normal) > 0.0);
        }
        let along = |p: &Vec3| (*p - a).dot(b - a) / 9.0;
        assert!(
            mesh.positions.iter().all(|p| along(p).abs() < 1e-5 || (along(p) - 1.0).abs() < 1e-5)
        );
        add_rod(&mut mesh, [colored(a, Vec3::X); 2], 0.1);
        assert_eq!(mesh.triangles.len(), 2 * SIDES as usize, "what has no length has no rod");
    }
}
