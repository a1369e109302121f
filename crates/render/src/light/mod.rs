//! Lighting by an area sun and a sky.
//!
//! Both are sampled by many directions with a [`DepthMap`] each. Shadows of the sun are sharp near
//! contact and soft farther away, and the sky does not reach into gaps (ambient occlusion), which shows
//! contact from any view without noise.

mod depth_map;
mod surface_points;

pub use depth_map::Stage;
pub(crate) use surface_points::SurfacePoints;

use crate::color::Light;
use crate::picture::Mesh;
use depth_map::DepthMap;
use glam::Vec3;
use rayon::prelude::*;
use surface_points::Extent;

/// Number of directions that sample the sun.
const SUN_DIRECTIONS: usize = 20;
/// Resolution of the depth maps of the sun (texels).
const SUN_RESOLUTION: usize = 640;
/// Number of directions that sample the sky.
const SKY_DIRECTIONS: usize = 48;
/// Resolution of the depth maps of the sky (texels).
const SKY_RESOLUTION: usize = 256;
/// Sine of the smallest elevation of sky directions: lower ones contribute little light and long
/// shadows.
const MIN_ELEVATION_SINE: f32 = 0.1;
/// Angular radius of the sun (rad), that of a large lamp.
const SUN_RADIUS: f32 = 0.055;
/// Light on a surface that faces the sun.
const SUN_LIGHT: Light = Light::new(0.96, 0.90, 0.80);
/// Light of the whole sky on a horizontal surface.
const SKY_LIGHT: Light = Light::new(0.40, 0.44, 0.50);
/// Light reflected from the ground onto a downward surface.
const GROUND_LIGHT: Light = Light::new(0.17, 0.165, 0.16);

/// Light sources.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lamps {
    /// Unit up direction, towards the sky.
    pub up: Vec3,
    /// Unit direction towards the sun.
    pub sun: Vec3,
}

/// A direction that samples a light source.
#[derive(Debug, Clone, Copy)]
struct Direction {
    /// Unit direction towards the light.
    toward: Vec3,
    /// Light on a surface perpendicular to the direction, relative to the light of the source.
    strength: f32,
}

/// A sampled light direction with its depth map.
#[derive(Debug)]
struct DirectionalLight {
    direction: Direction,
    map: DepthMap,
}

/// Lighting of a scene in its current state.
#[derive(Debug)]
pub(crate) struct Lighting {
    lamps: Lamps,
    sun: Vec<DirectionalLight>,
    sky: Vec<DirectionalLight>,
}

/// Light at a point of a surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Irradiance {
    /// Light of all sources.
    pub(crate) light: Light,
    /// Visible fraction of the sun, 0 to 1.
    pub(crate) sun: f32,
}

impl Lighting {
    /// Computes the depth maps of all directions, on all threads.
    pub(crate) fn new(meshes: &[Mesh], lamps: Lamps, stage: Stage) -> Self {
        let lights = |directions: Vec<Direction>, resolution: usize| -> Vec<DirectionalLight> {
            let light = |direction: Direction| DirectionalLight {
                direction,
                map: DepthMap::new(meshes, stage, direction.toward, resolution),
            };
            directions.into_par_iter().map(light).collect()
        };
        let sun = lights(sun_directions(lamps), SUN_RESOLUTION);
        let sky = lights(sky_directions(lamps), SKY_RESOLUTION);
        Self { lamps, sun, sky }
    }

    /// Light on surface points. The points of one call should be close together, because unobstructed
    /// directions are detected for all of them at once.
    pub(crate) fn irradiance(&self, surface_points: &SurfacePoints) -> Vec<Irradiance> {
        let Some(extent) = surface_points.extent() else { return Vec::new() };
        let [sun, sky] = [&self.sun, &self.sky]
            .map(|lights| relative_irradiance(lights, surface_points, &extent));
        let irradiance_at = |k: usize| {
            let normal = surface_points.normals[k];
            // Fraction of the ground's light that a surface receives: 1 if it faces downwards, 0 if upwards.
            let ground = 0.5 - 0.5 * normal.dot(self.lamps.up);
            let sun_cosine = normal.dot(self.lamps.sun);
            Irradiance {
                light: sun[k] * SUN_LIGHT + sky[k] * SKY_LIGHT + ground * GROUND_LIGHT,
                sun: if sun_cosine > 0.05 { (sun[k] / sun_cosine).min(1.0) } else { 0.0 },
            }
        };
        (0..surface_points.len()).map(irradiance_at).collect()
    }

    /// Unit direction towards the sun.
    pub(crate) fn sun_direction(&self) -> Vec3 {
        self.lamps.sun
    }
}

/// Irradiance at each point relative to the light of a source: the sum over its sample directions of strength, cosine
/// of incidence and visible fraction. `extent` is that of the points.
fn relative_irradiance(
    lights: &[DirectionalLight],
    surface_points: &SurfacePoints,
    extent: &Extent,
) -> Vec<f32> {
    let mut sums = vec![0.0; surface_points.len()];
    // Light common to all points.
    let mut common = 0.0;
    for DirectionalLight { direction: Direction { toward, strength }, map } in lights {
        let cosine = |normal: &Vec3| normal.dot(*toward).max(0.0);
        match (map.is_free(extent), &extent.normal) {
            (false, _) => map.add_light(surface_points, *strength, &mut sums),
            (true, Some(normal)) => common += strength * cosine(normal),
            (true, None) => {
                for (sum, normal) in sums.iter_mut().zip(&surface_points.normals) {
                    *sum += strength * cosine(normal);
                }
            }
        }
    }
    sums.iter_mut().for_each(|sum| *sum += common);
    sums
}

/// Sample directions over the disc of the sun, in a spiral; together they give 1 on a surface that faces the sun, up to
/// the cosines of their angles.
fn sun_directions(lamps: Lamps) -> Vec<Direction> {
    let count = SUN_DIRECTIONS as f32;
    let (u, v) = lamps.sun.any_orthonormal_pair();
    let direction = |k: usize| {
        let radius = SUN_RADIUS * ((k as f32 + 0.5) / count).sqrt();
        let (sin, cos) = (k as f32 * GOLDEN_ANGLE).sin_cos();
        let toward = (lamps.sun + radius * (cos * u + sin * v)).normalize();
        Direction { toward, strength: 1.0 / count }
    };
    (0..SUN_DIRECTIONS).map(direction).collect()
}

/// Sample directions over the upper hemisphere, in a spiral; together they give 1 on a horizontal surface.
fn sky_directions(lamps: Lamps) -> Vec<Direction> {
    let count = SKY_DIRECTIONS as f32;
    let (u, v) = lamps.up.any_orthonormal_pair();
    let mean_height = 0.5 * (1.0 + MIN_ELEVATION_SINE);
    let direction = |k: usize| {
        // Equal steps in height give equal areas on the sphere.
        let height = MIN_ELEVATION_SINE + (1.0 - MIN_ELEVATION_SINE) * (k as f32 + 0.5) / count;
        let (sin, cos) = (k as f32 * GOLDEN_ANGLE).sin_cos();
        let horizontal = (1.0 - height * height).sqrt();
        let toward = height * lamps.up + horizontal * (cos * u + sin * v);
        Direction { toward, strength: 1.0 / (mean_height * count) }
    };
    (0..SKY_DIRECTIONS).map(direction).collect()
}

/// Golden angle (rad) between neighbours of a spiral that fills a disc evenly.
const GOLDEN_ANGLE: f32 = 2.399_963;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_gets_sun_and_full_sky_and_wall_half_the_sky() {
        let lamps = Lamps { up: Vec3::Y, sun: Vec3::new(0.6, 0.8, 0.0) };
        let stage = Stage { center: Vec3::ZERO, radius: 1.0 };
        let light = Lighting::new(&[], lamps, stage);
        let at = |normal: Vec3| {
            let mut surface_points = SurfacePoints::default();
            surface_points.add(Vec3::ZERO, normal);
            light.irradiance(&surface_points)[0]
        };
        let ground = at(Vec3::Y);
        let expected = 0.8 * SUN_LIGHT + SKY_LIGHT;
        assert!(ground.light.distance(expected) < 2e-3, "{}", ground.light);
        assert!((ground.sun - 1.0).abs() < 1e-2);
        let wall = at(Vec3::NEG_X);
        // Half of the sky, without the part below its lowest sample directions.
        let arc = |height: f32| 0.5 * (height * (1.0 - height * height).sqrt() + height.asin());
        let sky = (arc(1.0) - arc(MIN_ELEVATION_SINE))
            / (std::f32::consts::PI * 0.5 * (1.0 + MIN_ELEVATION_SINE));
        let expected = sky * SKY_LIGHT + 0.5 * GROUND_LIGHT;
        // The tolerance reflects the small number of directions.
        assert!(wall.light.distance(expected) < 0.035, "{}", wall.light);
        assert_eq!(wall.sun, 0.0);
    }
}
