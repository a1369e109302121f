//! Background: infinite planes and the backdrop.

use super::{Plane, Scene};
use crate::camera::{Camera, Rays};
use crate::color::Light;
use glam::Vec3;

/// Colour of planes.
const PLANE_COLOR: Light = Light::new(0.770, 0.772, 0.775);
/// Backdrop at the horizon and below, and overhead.
const HORIZON: Light = Light::new(0.846, 0.850, 0.856);
const OVERHEAD: Light = Light::new(0.60, 0.66, 0.74);
/// Distances from the stage centre, in stage radii, between which planes fade.
const FADE_RANGE: [f32; 2] = [1.8, 7.0];
/// Darkening of grid lines.
const LINE: f32 = 0.14;
/// Width of grid lines, relative to their spacing.
const LINE_WIDTH: f32 = 0.012;

/// A visible plane.
#[derive(Debug)]
struct VisiblePlane {
    plane: Plane,
    /// Unit vectors along the lines of its grid.
    axes: [Vec3; 2],
    /// Distance of the eye from the plane (m), on its free side.
    height: f32,
    /// Coordinates of the eye along the axes, relative to a grid line (m).
    eye: [f32; 2],
}

/// The background at a pixel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Background {
    /// The backdrop alone.
    Sky(Light),
    /// A plane of this colour, partly faded into the backdrop.
    Plane { point: Vec3, normal: Vec3, color: Light, sky: Light, faded: f32 },
}

/// Background of a scene, behind its meshes.
#[derive(Debug)]
pub(crate) struct Backdrop<'a> {
    scene: &'a Scene,
    eye: Vec3,
    rays: Rays,
    planes: Vec<VisiblePlane>,
    /// Spacing of grid lines (m).
    spacing: f32,
}

impl<'a> Backdrop<'a> {
    pub(crate) fn new(scene: &'a Scene, camera: &Camera, size: [usize; 2]) -> Self {
        let spacing = round(0.25 * scene.stage.radius);
        let planes =
            scene.planes.iter().filter_map(|plane| VisiblePlane::new(*plane, camera, spacing));
        let (eye, rays) = (camera.eye.as_vec3(), camera.rays(size));
        Self { scene, eye, rays, planes: planes.collect(), spacing }
    }

    /// Background at a position of the image without a mesh.
    pub(crate) fn at(&self, place: [f32; 2]) -> Background {
        let ray = self.rays.at(place);
        let height = ray.normalize().dot(self.scene.lamps.up).max(0.0);
        let sky = HORIZON.lerp(OVERHEAD, smooth(height));
        let hits = self.planes.iter().filter_map(|plane| Some((plane.hit(ray)?, plane)));
        let Some((distance, plane)) = hits.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Background::Sky(sky);
        };
        let point = self.eye + distance * ray;
        let stage = &self.scene.stage;
        let relative_distance = point.distance(stage.center) / stage.radius;
        let faded = smooth((relative_distance - FADE_RANGE[0]) / (FADE_RANGE[1] - FADE_RANGE[0]));
        if faded >= 1.0 {
            return Background::Sky(sky);
        }
        let line = plane.line(&self.rays, ray, distance, self.spacing);
        let color = PLANE_COLOR * (1.0 - LINE * line);
        Background::Plane { point, normal: plane.plane.normal, color, sky, faded }
    }
}

impl VisiblePlane {
    /// `None` if the eye is behind the plane.
    fn new(plane: Plane, camera: &Camera, spacing: f32) -> Option<Self> {
        let height = (camera.eye - plane.point.as_dvec3()).dot(plane.normal.as_dvec3()) as f32;
        // Along the coordinate axes, as far as the plane permits.
        let compare =
            |a: &Vec3, b: &Vec3| a.dot(plane.normal).abs().total_cmp(&b.dot(plane.normal).abs());
        let axis = [Vec3::X, Vec3::Z, Vec3::Y].into_iter().min_by(compare).unwrap_or(Vec3::X);
        let first = axis.reject_from_normalized(plane.normal).normalize();
        let axes = [first, plane.normal.cross(first)];
        let from_line = |axis: Vec3| camera.eye.dot(axis.as_dvec3()).rem_euclid(spacing.into());
        let eye = axes.map(|axis| from_line(axis) as f32);
        (height > 0.0).then_some(Self { plane, axes, height, eye })
    }

    /// Distance along a ray to the plane, if the ray meets it.
    fn hit(&self, ray: Vec3) -> Option<f32> {
        let falls = -ray.dot(self.plane.normal);
        (falls > 0.0).then(|| self.height / falls).filter(|distance| distance.is_finite())
    }

    /// Fraction of a pixel covered by grid lines, 0 to 1, where its ray meets the plane.
    fn line(&self, rays: &Rays, ray: Vec3, distance: f32, spacing: f32) -> f32 {
        // Displacement of the intersection point from pixel to pixel.
        let falls = -ray.dot(self.plane.normal);
        let moves = [rays.right, rays.down]
            .map(|step| distance * (step + ray * (step.dot(self.plane.normal) / falls)));
        let across = |k: usize| {
            let at = self.eye[k] + distance * ray.dot(self.axes[k]);
            let off = at - (at / spacing).round() * spacing;
            let width = LINE_WIDTH * spacing;
            let pixel = moves.iter().map(|step| step.dot(self.axes[k]).abs()).sum::<f32>();
            let covered = (0.5 * (width + pixel) - off.abs()).min(width).min(pixel);
            // Fade lines where a pixel is nearly as wide as a grid cell, against aliasing.
            let fine = 1.0 - smooth(pixel / (0.4 * spacing));
            fine * (covered / pixel).max(0.0)
        };
        across(0).max(across(1))
    }
}

/// The largest of 1, 2 and 5 times a power of ten that does not exceed `length`.
fn round(length: f32) -> f32 {
    let power = length.max(1e-12).log10().floor();
    let unit = 10f32.powf(power);
    let steps = [5.0, 2.0, 1.0].into_iter().find(|step| step * unit <= length * 1.0001);
    steps.unwrap_or(1.0) * unit
}

/// Smoothstep from 0 to 1, with zero slope at both ends.
fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_line_spacing_is_a_round_number() {
        let rounded = [0.9, 1.0, 1.99, 2.0, 4.9, 5.5, 0.031].map(round);
        let expected = [0.5, 1.0, 1.0, 2.0, 2.0, 5.0, 0.02];
        for (found, expected) in rounded.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5 * expected, "{found} and not {expected}");
        }
    }
}
