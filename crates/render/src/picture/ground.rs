//! Background: infinite planes and the backdrop.

use super::{Plane, Scene};
use crate::camera::{Camera, Rays};
use crate::color::Light;
use glam::Vec3;

/// Colour of planes.
const PLANE_COLOR: Light = Light::new(0.770, 0.772, 0.775);
/// Colour of the backdrop at the horizon and below.
const HORIZON_COLOR: Light = Light::new(0.846, 0.850, 0.856);
/// Colour of the backdrop overhead.
const ZENITH_COLOR: Light = Light::new(0.60, 0.66, 0.74);
/// Distance from the stage centre, in stage radii, at which planes begin to fade.
const FADE_START: f32 = 1.8;
/// Distance from the stage centre, in stage radii, beyond which planes are invisible.
const FADE_END: f32 = 7.0;
/// Fraction by which grid lines are darker than their plane.
const LINE_DARKENING: f32 = 0.14;
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
    /// Distance of the eye from the nearest grid line below, along each axis (m).
    eye: [f32; 2],
}

/// The background at a pixel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Background {
    /// The backdrop alone.
    Sky(Light),
    /// The point (m) of a plane with this unit normal and colour. The fraction `faded` of its light is replaced by the
    /// backdrop `sky`.
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
    /// Backdrop of an image of this size (pixels).
    pub(crate) fn new(scene: &'a Scene, camera: &Camera, size: [usize; 2]) -> Self {
        let spacing = round_down(0.25 * scene.stage.radius);
        let planes =
            scene.planes.iter().filter_map(|plane| VisiblePlane::new(*plane, camera, spacing));
        let (eye, rays) = (camera.eye.as_vec3(), camera.rays(size));
        Self { scene, eye, rays, planes: planes.collect(), spacing }
    }

    /// Background at an image position (pixels from the left and the top).
    pub(crate) fn background_at(&self, position: [f32; 2]) -> Background {
        let ray = self.rays.at_pixel(position);
        let elevation_sine = ray.normalize().dot(self.scene.lamps.up).max(0.0);
        let sky = HORIZON_COLOR.lerp(ZENITH_COLOR, smoothstep(elevation_sine));
        let hits = self.planes.iter().filter_map(|plane| Some((plane.distance(ray)?, plane)));
        let Some((distance, plane)) = hits.min_by(|(a, _), (b, _)| a.total_cmp(b)) else {
            return Background::Sky(sky);
        };
        let point = self.eye + distance * ray;
        let stage = &self.scene.stage;
        let relative_distance = point.distance(stage.center) / stage.radius;
        let faded = smoothstep((relative_distance - FADE_START) / (FADE_END - FADE_START));
        if faded >= 1.0 {
            return Background::Sky(sky);
        }
        let line_coverage = plane.line_coverage(&self.rays, ray, distance, self.spacing);
        let color = PLANE_COLOR * (1.0 - LINE_DARKENING * line_coverage);
        Background::Plane { point, normal: plane.plane.normal, color, sky, faded }
    }
}

impl VisiblePlane {
    /// The plane with a grid whose lines are parallel to the coordinate axes, as far as the plane permits, at this
    /// spacing (m). `None` if the eye is behind the plane.
    fn new(plane: Plane, camera: &Camera, spacing: f32) -> Option<Self> {
        let height = (camera.eye - plane.point.as_dvec3()).dot(plane.normal.as_dvec3()) as f32;
        let cosine = |axis: &Vec3| axis.dot(plane.normal).abs();
        let most_parallel_axis = [Vec3::X, Vec3::Z, Vec3::Y]
            .into_iter()
            .min_by(|a, b| cosine(a).total_cmp(&cosine(b)))
            .unwrap_or(Vec3::X);
        let first = most_parallel_axis.reject_from_normalized(plane.normal).normalize();
        let axes = [first, plane.normal.cross(first)];
        // The remainder is computed in double precision, because the eye may be far from the origin.
        let from_line = |axis: Vec3| camera.eye.dot(axis.as_dvec3()).rem_euclid(spacing.into());
        let eye = axes.map(|axis| from_line(axis) as f32);
        (height > 0.0).then_some(Self { plane, axes, height, eye })
    }

    /// Distance from the eye to the plane in multiples of a ray; `None` if the ray does not meet the plane.
    fn distance(&self, ray: Vec3) -> Option<f32> {
        let descent = -ray.dot(self.plane.normal);
        (descent > 0.0).then(|| self.height / descent).filter(|distance| distance.is_finite())
    }

    /// Fraction of a pixel covered by grid lines, 0 to 1, where its ray meets the plane at `distance` (multiples of the
    /// ray).
    fn line_coverage(&self, rays: &Rays, ray: Vec3, distance: f32, spacing: f32) -> f32 {
        // Displacements of the intersection point (m) from a pixel to its neighbours at the right and below.
        let descent = -ray.dot(self.plane.normal);
        let displacements = [rays.right, rays.down]
            .map(|step| distance * (step + ray * (step.dot(self.plane.normal) / descent)));
        let line_width = LINE_WIDTH * spacing;
        let coverage_across = |k: usize| {
            let coordinate = self.eye[k] + distance * ray.dot(self.axes[k]);
            let from_nearest_line = coordinate - (coordinate / spacing).round() * spacing;
            let pixel_width = displacements.iter().map(|d| d.dot(self.axes[k]).abs()).sum::<f32>();
            let covered_width = (0.5 * (line_width + pixel_width) - from_nearest_line.abs())
                .min(line_width)
                .min(pixel_width);
            // Lines fade where a pixel is nearly as wide as a grid cell, against aliasing.
            let visibility = 1.0 - smoothstep(pixel_width / (0.4 * spacing));
            visibility * (covered_width / pixel_width).max(0.0)
        };
        coverage_across(0).max(coverage_across(1))
    }
}

/// The largest of 1, 2 and 5 times a power of ten that does not exceed `length`.
fn round_down(length: f32) -> f32 {
    let power_of_ten = 10f32.powf(length.max(1e-12).log10().floor());
    let digit = [5.0, 2.0, 1.0].into_iter().find(|digit| digit * power_of_ten <= length * 1.0001);
    digit.unwrap_or(1.0) * power_of_ten
}

/// Smoothstep from 0 to 1, with zero slope at both ends.
fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_line_spacing_is_a_round_number() {
        let rounded = [0.9, 1.0, 1.99, 2.0, 4.9, 5.5, 0.031].map(round_down);
        let expected = [0.5, 1.0, 1.0, 2.0, 2.0, 5.0, 0.02];
        for (found, expected) in rounded.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5 * expected, "{found} and not {expected}");
        }
    }
}
