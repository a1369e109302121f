//! Projection and near-plane clipping of triangles.

use super::mesh::Mesh;
use crate::camera::Camera;
use glam::DVec3;

/// Subpixel steps per pixel. Projected positions are rounded to them, so that edge functions are exact in double
/// precision and adjacent triangles leave no gap.
const STEPS_PER_PIXEL: f64 = 256.0;

/// A projected triangle.
#[derive(Debug, Clone)]
pub(crate) struct Projected {
    /// The triangle that was projected.
    pub(crate) source: TriangleIndex,
    /// Image positions of its corners (pixels from the left and the top).
    pub(crate) corners: [[f64; 2]; 3],
    /// Inverse depth (1/m) of each corner, which is linear in the image.
    pub(crate) inverse_depths: [f64; 3],
    /// For each corner of a clipped triangle, the barycentric weights of the corners of the source; `None` if it was
    /// not clipped.
    pub(crate) source_weights: Option<Box<[[f64; 3]; 3]>>,
}

/// A triangle of one of the meshes of a scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TriangleIndex {
    /// Index of the mesh.
    pub(crate) mesh: u32,
    /// Index of the triangle in the mesh.
    pub(crate) triangle: u32,
}

/// Projects all triangles in front of the camera to an image of this size (pixels), in the order of meshes. Parts
/// nearer than `near` (m) are clipped.
pub(crate) fn project(
    meshes: &[Mesh],
    camera: &Camera,
    size: [usize; 2],
    near: f64,
) -> Vec<Projected> {
    let mut projected = Vec::new();
    for (mesh_index, mesh) in (0..).zip(meshes) {
        let view_positions: Vec<DVec3> =
            mesh.positions.iter().map(|p| camera.view(p.as_dvec3())).collect();
        for (triangle_index, triangle) in (0..).zip(&mesh.triangles) {
            let corners = triangle.points.map(|point| view_positions[point as usize]);
            let source = TriangleIndex { mesh: mesh_index, triangle: triangle_index };
            if corners.iter().all(|p| p.z >= near) {
                projected.extend(project_triangle(source, corners, None, camera, size));
            } else if corners.iter().any(|p| p.z >= near) {
                for fragment in clip_near(corners, near) {
                    let corners = fragment.map(|corner| corner.position);
                    let weights = fragment.map(|corner| corner.source_weights);
                    projected.extend(project_triangle(
                        source,
                        corners,
                        Some(weights),
                        camera,
                        size,
                    ));
                }
            }
        }
    }
    projected
}

/// Projects a triangle, given by the camera coordinates of its corners (m). `None` if it is entirely outside of the
/// image.
fn project_triangle(
    source: TriangleIndex,
    view_corners: [DVec3; 3],
    source_weights: Option<[[f64; 3]; 3]>,
    camera: &Camera,
    [width, height]: [usize; 2],
) -> Option<Projected> {
    let focal = 0.5 * height as f64 / camera.tangent;
    let center = [0.5 * width as f64, 0.5 * height as f64];
    let snapped = |x: f64| (x * STEPS_PER_PIXEL).round() / STEPS_PER_PIXEL;
    let corners = view_corners.map(|p| {
        let scale = focal / p.z;
        [snapped(center[0] + p.x * scale), snapped(center[1] - p.y * scale)]
    });
    let is_outside = |axis: usize, side: usize| {
        corners.iter().all(|p| p[axis] < -1.0)
            || corners.iter().all(|p| p[axis] > side as f64 + 1.0)
    };
    if is_outside(0, width) || is_outside(1, height) {
        return None;
    }
    let inverse_depths = view_corners.map(|p| 1.0 / p.z);
    let source_weights = source_weights.map(Box::new);
    Some(Projected { source, corners, inverse_depths, source_weights })
}

/// A corner of a clipped triangle.
#[derive(Debug, Clone, Copy)]
struct ClippedCorner {
    /// Camera coordinates (m).
    position: DVec3,
    /// Barycentric weights of the corners of the source.
    source_weights: [f64; 3],
}

/// The part of a triangle at a depth of at least `near` (m), as one or two triangles. The corners are given by their
/// camera coordinates (m), and at least one of them is in that part.
fn clip_near(corners: [DVec3; 3], near: f64) -> Vec<[ClippedCorner; 3]> {
    let mut polygon: Vec<ClippedCorner> = Vec::with_capacity(4);
    for k in 0..3 {
        let next = (k + 1) % 3;
        let (a, b) = (corners[k], corners[next]);
        if a.z >= near {
            let mut source_weights = [0.0; 3];
            source_weights[k] = 1.0;
            polygon.push(ClippedCorner { position: a, source_weights });
        }
        if (a.z >= near) != (b.z >= near) {
            let parameter = (near - a.z) / (b.z - a.z);
            let mut source_weights = [0.0; 3];
            (source_weights[k], source_weights[next]) = (1.0 - parameter, parameter);
            let position = a.lerp(b, parameter).with_z(near);
            polygon.push(ClippedCorner { position, source_weights });
        }
    }
    (1..polygon.len() - 1).map(|k| [polygon[0], polygon[k], polygon[k + 1]]).collect()
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
        let found: f64 = parts.iter().map(|part| area(part.map(|corner| corner.position))).sum();
        assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
        for ClippedCorner { position, source_weights: w } in parts.into_iter().flatten() {
            let expected = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
            assert!(position.distance(expected) < 1e-12 && position.z >= 1.0, "{position}");
        }
    }
}
