//! Triangle meshes of rods (springs) and beads (particles).

use crate::picture::{Mesh, Paint, Triangle};
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// Number of sides of a rod and of a bead, and of rings of a bead.
const SIDES: u32 = 20;
const RINGS: u32 = 10;

/// A position with an optional colour of its own.
pub(super) type Place = (Vec3, Option<Vec3>);

/// Adds a rod between two points.
pub(super) fn rod(mesh: &mut Mesh, [a, b]: [Place; 2], radius: f32) {
    let Some(axis) = (b.0 - a.0).try_normalize() else { return };
    let (u, v) = axis.any_orthonormal_pair();
    let (first, normal) = (mesh.positions.len() as u32, mesh.normals.len() as u32);
    for k in 0..SIDES {
        let (sin, cos) = (TAU * k as f32 / SIDES as f32).sin_cos();
        let out = cos * u + sin * v;
        mesh.normals.push(out);
        for place in [a, b] {
            point(mesh, place, radius * out);
        }
    }
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        let points = [2 * k, 2 * next, 2 * next + 1, 2 * k + 1].map(|p| first + p);
        let normals = [k, next, next, k].map(|n| normal + n);
        square(mesh, points, normals);
    }
    mesh.convex_ends.push(mesh.triangles.len());
}

/// Adds a bead at a point.
pub(super) fn bead(mesh: &mut Mesh, place: Place, radius: f32) {
    let (first, normal) = (mesh.positions.len() as u32, mesh.normals.len() as u32);
    for ring in 0..=RINGS {
        let (level, height) = (PI * ring as f32 / RINGS as f32).sin_cos();
        for k in 0..SIDES {
            let (sin, cos) = (TAU * k as f32 / SIDES as f32).sin_cos();
            let out = Vec3::new(level * sin, height, level * cos);
            mesh.normals.push(out);
            point(mesh, place, radius * out);
        }
    }
    for ring in 0..RINGS {
        for k in 0..SIDES {
            let next = (k + 1) % SIDES;
            let upper = ring * SIDES;
            let corners = [upper + SIDES + k, upper + SIDES + next, upper + next, upper + k];
            square(mesh, corners.map(|c| first + c), corners.map(|c| normal + c));
        }
    }
    mesh.convex_ends.push(mesh.triangles.len());
}

fn point(mesh: &mut Mesh, (at, color): Place, out: Vec3) {
    mesh.positions.push(at + out);
    if let (Paint::Points(colors), Some(color)) = (&mut mesh.paint, color) {
        colors.push(color);
    }
}

fn square(mesh: &mut Mesh, p: [u32; 4], n: [u32; 4]) {
    let half = |k: [usize; 3]| Triangle { points: k.map(|k| p[k]), normals: k.map(|k| n[k]) };
    mesh.triangles.extend([half([0, 1, 2]), half([0, 2, 3])]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Mesh {
        Mesh { paint: Paint::Points(Vec::new()), ..Mesh::default() }
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
        bead(&mut mesh, (Vec3::ZERO, Some(Vec3::X)), 2.0);
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
        rod(&mut mesh, [(a, Some(Vec3::X)), (b, Some(Vec3::Y))], 0.1);
        for triangle in &mesh.triangles {
            let [p, q, r] = triangle.points.map(|k| mesh.positions[k as usize]);
            let normal = mesh.normals[triangle.normals[0] as usize];
            assert!((q - p).cross(r - p).dot(normal) > 0.0);
        }
        let along = |p: &Vec3| (*p - a).dot(b - a) / 9.0;
        assert!(
            mesh.positions.iter().all(|p| along(p).abs() < 1e-5 || (along(p) - 1.0).abs() < 1e-5)
        );
        rod(&mut mesh, [(a, None), (a, None)], 0.1);
        assert_eq!(mesh.triangles.len(), 2 * SIDES as usize, "what has no length has no rod");
    }
}
