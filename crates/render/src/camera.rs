//! Perspective camera.

use glam::{DVec3, Vec3};

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position (m).
    pub eye: DVec3,
    /// Unit viewing direction.
    pub forward: DVec3,
    /// Right direction in the image, of unit length and perpendicular to `forward`.
    pub right: DVec3,
    /// Up direction in the image, of unit length and perpendicular to both.
    pub up: DVec3,
    /// Tangent of half the vertical angle of view.
    pub tangent: f64,
}

impl Camera {
    /// A camera at `eye` (m) directed at `target` (m), with `up` upwards in the image and this vertical angle of view
    /// (rad). If the viewing direction is parallel to `up`, the up direction of the image is arbitrary.
    pub fn looking_at(eye: DVec3, target: DVec3, up: DVec3, vertical_angle: f64) -> Self {
        let forward = (target - eye).try_normalize().unwrap_or(DVec3::NEG_Z);
        let perpendicular = forward.cross(up);
        let right = match perpendicular.length() > 1e-6 * up.length() {
            true => perpendicular.normalize(),
            false => forward.any_orthonormal_vector(),
        };
        let up = right.cross(forward);
        Self { eye, forward, right, up, tangent: (0.5 * vertical_angle).tan() }
    }

    /// Camera coordinates of a point (m): right, up, and forward from the eye.
    pub fn view(&self, point: DVec3) -> DVec3 {
        let offset = point - self.eye;
        DVec3::new(offset.dot(self.right), offset.dot(self.up), offset.dot(self.forward))
    }

    /// Viewing rays of an image of this size (pixels). The component of each ray along `forward` is 1.
    pub(crate) fn rays(&self, [width, height]: [usize; 2]) -> Rays {
        let scale = 2.0 * self.tangent / height as f64;
        let [right, down] = [self.right * scale, -self.up * scale];
        let corner = self.forward - 0.5 * width as f64 * right - 0.5 * height as f64 * down;
        Rays { corner: corner.as_vec3(), right: right.as_vec3(), down: down.as_vec3() }
    }

    /// Projection of a point (m) to an image of this size (pixels): pixels from the left and from the top, and depth
    /// (m). `None` for points that are not in front of the eye.
    pub fn project(&self, point: DVec3, [width, height]: [usize; 2]) -> Option<[f64; 3]> {
        let DVec3 { x, y, z } = self.view(point);
        let scale = 0.5 * height as f64 / (self.tangent * z);
        let projection = [0.5 * width as f64 + x * scale, 0.5 * height as f64 - y * scale, z];
        (z > 0.0).then_some(projection)
    }
}

/// Viewing rays of an image, not normalised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rays {
    /// Ray of the top left corner.
    corner: Vec3,
    /// Increment of the ray per pixel to the right.
    pub(crate) right: Vec3,
    /// Increment of the ray per pixel downwards.
    pub(crate) down: Vec3,
}

impl Rays {
    /// Ray at a position in pixels from the top left corner.
    pub(crate) fn at_pixel(&self, [x, y]: [f32; 2]) -> Vec3 {
        self.corner + x * self.right + y * self.down
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_and_ray_are_inverse() {
        let eye = DVec3::new(3.0, 2.0, -4.0);
        let camera = Camera::looking_at(eye, DVec3::new(0.0, 0.5, 0.0), DVec3::Y, 0.7);
        let size = [640, 480];
        let point = DVec3::new(0.3, 0.1, 0.2);
        let [x, y, depth] = camera.project(point, size).expect("it is in front");
        let ray = camera.rays(size).at_pixel([x as f32, y as f32]);
        let reconstructed = ray.as_dvec3() * depth + eye;
        assert!(reconstructed.distance(point) < 1e-5, "{reconstructed}");
        assert_eq!(camera.project(eye - camera.forward, size), None);
        let [x, y, _] = camera.project(DVec3::new(0.0, 0.5, 0.0), size).expect("it is in front");
        assert!((x - 320.0).abs() + (y - 240.0).abs() < 1e-9, "what is looked at is in the middle");
    }

    #[test]
    fn camera_can_look_straight_down() {
        let camera = Camera::looking_at(DVec3::Y, DVec3::ZERO, DVec3::Y, 1.0);
        assert!((camera.right.length() - 1.0).abs() < 1e-12 && camera.right.y.abs() < 1e-12);
        assert!(camera.up.cross(camera.right).distance(camera.forward) < 1e-12);
    }
}
