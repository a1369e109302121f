//! Projection and near-plane clipping of triangles.

use super::mesh::Mesh;
use crate::camera::Camera;
use glam::DVec3;

/// Subpixel steps per pixel: projected positions are rounded to them, so that edge functions are exact in
/// double precision and adjacent triangles leave no gap.
const STEPS_OF_A_PIXEL: f64 = 256.0;

/// A projected triangle.
#[derive(Debug, Clone)]
pub(crate) struct Projected {
    /// Index of the mesh, and of the triangle in the mesh.
    pub(crate) source: [u32; 2],
    /// Image positions of its corners (pixels from the left and the top).
    pub(crate) places: [[f64; 2]; 3],
    /// Inverse depth (1/m) of each corner, which is linear in the image.
    pub(crate) nearness: [f64; 3],
    /// After clipping: barycentric weights of the source's corners at each corner.
    pub(crate) cut: Option<Box<[[f64; 3]; 3]>>,
}

/// Projects all triangles in front of the camera, in the order of meshes. Parts nearer than `near` (m) are
/// clipped.
pub(crate) fn project(
    meshes: &[Mesh],
    camera: &Camera,
    size: [usize; 2],
    near: f64,
) -> Vec<Projected> {
    let mut out = Vec::new();
    for (number, mesh) in (0..).zip(meshes) {
        let view_positions: Vec<DVec3> =
            mesh.positions.iter().map(|p| camera.view(p.as_dvec3())).collect();
        for (t, triangle) in (0..).zip(&mesh.triangles) {
            let corners = triangle.points.map(|point| view_positions[point as usize]);
            let source = [number, t];
            if corners.iter().all(|p| p.z >= near) {
                out.extend(project_triangle(source, corners, None, camera, size));
            } else if corners.iter().any(|p| p.z >= near) {
                out.extend(clip_near(corners, near).into_iter().filter_map(|(p, weights)| {
                    project_triangle(source, p, Some(weights), camera, size)
                }));
            }
        }
    }
    out
}

/// Projects a triangle; `None` if it is entirely outside of the image.
fn project_triangle(
    source: [u32; 2],
    corners: [DVec3; 3],
    cut: Option<[[f64; 3]; 3]>,
    camera: &Camera,
    [width, height]: [usize; 2],
) -> Option<Projected> {
    let focal = 0.5 * height as f64 / camera.tangent;
    let center = [0.5 * width as f64, 0.5 * height as f64];
    let snapped = |x: f64| (x * STEPS_OF_A_PIXEL).round() / STEPS_OF_A_PIXEL;
    let places = corners.map(|p| {
        let scale = focal / p.z;
        [snapped(center[0] + p.x * scale), snapped(center[1] - p.y * scale)]
    });
    let is_outside = |k: usize, limit: usize| {
        places.iter().all(|p| p[k] < -1.0) || places.iter().all(|p| p[k] > limit as f64 + 1.0)
    };
    if is_outside(0, width) || is_outside(1, height) {
        return None;
    }
    let nearness = corners.map(|p| 1.0 / p.z);
    Some(Projected { source, places, nearness, cut: cut.map(Box::new) })
}

/// Part of a triangle that is at least `near` away: one or two triangles, each corner with barycentric weights
/// of the original corners.
fn clip_near(corners: [DVec3; 3], near: f64) -> Vec<([DVec3; 3], [[f64; 3]; 3])> {
    let mut vertices: Vec<(DVec3, [f64; 3])> = Vec::with_capacity(4);
    for k in 0..3 {
        let next = (k + 1) % 3;
        let (a, b) = (corners[k], corners[next]);
        let mut weights = [0.0; 3];
        if a.z >= near {
            weights[k] = 1.0;
            vertices.push((a, weights));
        }
        if (a.z >= near) != (b.z >= near) {
            let part = (near - a.z) / (b.z - a.z);
            weights = [0.0; 3];
            (weights[k], weights[next]) = (1.0 - part, part);
            vertices.push((a.lerp(b, part).with_z(near), weights));
        }
    }
    let fan = |k: usize| {
        let [a, b, c] = [vertices[0], vertices[k], vertices[k + 1]];
        ([a.0, b.0, c.0], [a.1, b.1, c.1])
    };
    (1..vertices.len() - 1).map(fan).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_plane_clipping_keeps_the_visible_part() {
        let corners =
            [DVec3::new(0.0, 0.0, 3.0), DVec3::new(1.0, 0.0, -1.0), DVec3::new(0.0, 2.0, 5.0)];
        let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        let parts = clip_near(corners, 1.0);
        assert_eq!(parts.len(), 2);
        // One half and two thirds of the edges to the corner behind are kept.
        let expected = area(corners) * (1.0 - 0.5 * (1.0 / 3.0));
        let found: f64 = parts.iter().map(|(part, _)| area(*part)).sum();
        assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
        for (part, weights) in parts {
            for (p, w) in part.iter().zip(weights) {
                let meant = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
                assert!(p.distance(meant) < 1e-12 && p.z >= 1.0, "{p}");
            }
        }
    }
}
