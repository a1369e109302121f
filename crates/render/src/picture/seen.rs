//! Shading: from the visible surfaces of a tile to the colours of its pixels.

use super::Scene;
use super::ground::{Backdrop, Background};
use super::mesh::Paint;
use super::project::Projected;
use super::tile::{self, BACKGROUND, SAMPLES, TILE, Tile};
use crate::camera::Camera;
use crate::color::{Light, cut_face, encoded};
use crate::light::{Irradiance, Lighting, SurfacePoints};
use glam::Vec3;

/// Strength and exponent of the sun's specular highlights.
const GLOSS: (f32, f32) = (0.09, 36.0);

/// Width of drawn edges (pixels of an image 720 high), and their opacity.
const EDGE_WIDTH: f64 = 1.0;
const EDGE_OPACITY: f32 = 0.75;

/// Side of a block of pixels that is shaded together.
const BLOCK: usize = 8;

/// A scene as seen by the camera.
#[derive(Debug)]
pub(super) struct VisibleScene<'a> {
    pub(super) scene: &'a Scene,
    pub(super) camera: &'a Camera,
    pub(super) size: [usize; 2],
    pub(super) lighting: Lighting,
    pub(super) triangles: Vec<Projected>,
    pub(super) backdrop: Backdrop<'a>,
}

/// A part of a pixel that is not lit yet.
#[derive(Debug)]
struct UnlitSample {
    pixel: usize,
    /// Covered fraction of the pixel.
    part: f32,
    color: Light,
    shading: Shading,
}

/// Shading model of a sample.
#[derive(Debug)]
enum Shading {
    /// Lit, with a highlight of this strength if the whole sun is visible.
    Mesh { highlight: f32 },
    /// Unlit: the colour represents a value.
    Value,
    /// Lit and partly faded into the backdrop.
    Plane { sky: Light, faded: f32 },
}

/// Parts of pixels, and the surface points visible in them.
#[derive(Debug, Default)]
struct Parts {
    waiting: Vec<UnlitSample>,
    surface_points: SurfacePoints,
}

impl VisibleScene<'_> {
    /// Pixels of a tile: the mean over the samples. A surface seen by several samples of a pixel is shaded
    /// once, at their centroid.
    pub(super) fn tile(&self, origin: [usize; 2], triangles: &[u32]) -> Vec<[u8; 3]> {
        let mut tile = Tile::new(origin);
        triangles.iter().for_each(|&number| tile.add(number, &self.triangles[number as usize]));
        let mut light = vec![Light::ZERO; TILE * TILE];
        for block in 0..(TILE / BLOCK).pow(2) {
            let first = [block % (TILE / BLOCK), block / (TILE / BLOCK)].map(|k| k * BLOCK);
            self.block(&tile, origin, first, &mut light);
        }
        light.iter().map(|light| light.to_array().map(encoded)).collect()
    }

    /// Adds the light of the pixels of a block, which begins at `first` in its tile. Meshes and planes are lit
    /// in separate batches, so that the points of a batch are close together.
    fn block(&self, tile: &Tile, origin: [usize; 2], first: [usize; 2], light: &mut [Light]) {
        let (mut meshes, mut planes) = (Parts::default(), Parts::default());
        for k in 0..BLOCK * BLOCK {
            let [column, row] = [first[0] + k % BLOCK, first[1] + k / BLOCK];
            let [x, y] = [origin[0] + column, origin[1] + row];
            if x >= self.size[0] || y >= self.size[1] {
                continue;
            }
            let pixel = row * TILE + column;
            let center = [x as f64 + 0.5, y as f64 + 0.5];
            for (number, middle, part) in groups(&tile.front[pixel]) {
                if number != BACKGROUND {
                    let place = [0, 1].map(|k| center[k] + middle[k]);
                    self.add_surface_sample(number, place, &mut meshes, (pixel, part));
                    continue;
                }
                match self.backdrop.at(center.map(|x| x as f32)) {
                    Background::Sky(sky) => light[pixel] += part * sky,
                    Background::Plane { point, normal, color, sky, faded } => {
                        planes.surface_points.add(point, normal);
                        let shading = Shading::Plane { sky, faded };
                        planes.waiting.push(UnlitSample { pixel, part, color, shading });
                    }
                }
            }
        }
        for parts in [meshes, planes] {
            for (waiting, lit) in parts.waiting.iter().zip(self.lighting.on(&parts.surface_points))
            {
                light[waiting.pixel] += waiting.part * waiting.shaded(lit);
            }
        }
    }

    /// Adds the surface sample of a triangle at a position of the image.
    fn add_surface_sample(
        &self,
        number: u32,
        place: [f64; 2],
        parts: &mut Parts,
        (pixel, part): (usize, f32),
    ) {
        let projected = &self.triangles[number as usize];
        let [mesh, triangle] = projected.source.map(|n| n as usize);
        let mesh = &self.scene.meshes[mesh];
        let triangle = &mesh.triangles[triangle];
        let weights = tile::weights(projected, place);
        let weights = match &projected.cut {
            None => weights,
            Some(cut) => [0, 1, 2].map(|k| (0..3).map(|j| weights[j] * cut[j][k]).sum()),
        };
        let weights = weights.map(|weight| weight as f32);
        let mix = |vectors: &[Vec3], corners: [u32; 3]| -> Vec3 {
            let weighted = [0, 1, 2].map(|k| vectors[corners[k] as usize] * weights[k]);
            weighted[0] + weighted[1] + weighted[2]
        };
        let [a, b, c] = triangle.points.map(|point| mesh.positions[point as usize]);
        let point = mix(&mesh.positions, triangle.points);
        let to_eye = (self.camera.eye.as_vec3() - point).normalize_or(Vec3::Y);
        // Sign of the visible side.
        let side = (b - a).cross(c - a).dot(to_eye);
        if side < 0.0
            && mesh.is_solid
            && let Some(section) = self.scene.section
            && let Some(entry) = section.entry(self.camera.eye.as_vec3(), point)
        {
            let value = mesh.cut_face.as_ref().and_then(|face| face.color(entry));
            let (color, shading) = match (&mesh.paint, value) {
                (Paint::Plain(color), _) => (*color, Shading::Mesh { highlight: 0.0 }),
                (Paint::Points(_), Some(color)) => (color, Shading::Value),
                (Paint::Points(_), None) => (cut_face(), Shading::Mesh { highlight: 0.0 }),
            };
            parts.surface_points.add(entry, section.normal);
            parts.waiting.push(UnlitSample { pixel, part, color, shading });
            return;
        }
        let normal = mix(&mesh.normals, triangle.normals).normalize_or(Vec3::Y);
        let normal = if side < 0.0 { -normal } else { normal };
        let half = (to_eye + self.lighting.sun()).normalize_or(normal);
        let (strength, size) = GLOSS;
        let highlight = strength * normal.dot(half).max(0.0).powf(size);
        let color = mesh.color(triangle, weights) * self.edge_factor(projected, place);
        let shading = match mesh.paint {
            Paint::Plain(_) => Shading::Mesh { highlight },
            Paint::Points(_) => Shading::Value,
        };
        parts.surface_points.add(point, normal);
        parts.waiting.push(UnlitSample { pixel, part, color, shading });
    }

    /// Fraction of its colour that a pixel keeps near a drawn edge.
    fn edge_factor(&self, projected: &Projected, place: [f64; 2]) -> f32 {
        if !self.scene.edges {
            return 1.0;
        }
        let half_width = EDGE_WIDTH * 0.5 * (self.size[1] as f64 / 720.0).max(1.0);
        let distance = tile::distance_from_edges(projected, place);
        1.0 - EDGE_OPACITY * (half_width + 0.5 - distance).clamp(0.0, 1.0) as f32
    }
}

impl UnlitSample {
    /// Shades the sample.
    fn shaded(&self, lit: Irradiance) -> Light {
        let light = self.color * lit.light;
        match self.shading {
            Shading::Value => self.color,
            Shading::Mesh { highlight } => light + Light::splat(highlight * lit.sun),
            Shading::Plane { sky, faded } => light.lerp(sky, faded),
        }
    }
}

/// Surfaces in front at the samples of a pixel: triangle index, mean offset of its samples from the pixel
/// centre, and covered fraction of the pixel.
fn groups(front: &[u32; 8]) -> Vec<(u32, [f64; 2], f32)> {
    if front.iter().all(|number| *number == front[0]) {
        return vec![(front[0], [0.0; 2], 1.0)];
    }
    let is_first = |&k: &usize| !front[..k].contains(&front[k]);
    let group = |k: usize| {
        let (mut samples, mut middle) = (0.0, [0.0; 2]);
        for j in (k..SAMPLES.len()).filter(|&j| front[j] == front[k]) {
            samples += 1.0;
            middle = [0, 1].map(|axis| middle[axis] + SAMPLES[j][axis]);
        }
        let part = samples / SAMPLES.len() as f64;
        (front[k], middle.map(|sum| sum / samples), part as f32)
    };
    (0..SAMPLES.len()).filter(is_first).map(group).collect()
}
