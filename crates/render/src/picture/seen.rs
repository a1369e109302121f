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

/// Strength of the specular highlights of the sun.
const HIGHLIGHT_STRENGTH: f32 = 0.09;
/// Exponent of the specular highlights of the sun (Blinn 1977).
const HIGHLIGHT_EXPONENT: f32 = 36.0;

/// Width of drawn edges (pixels of an image with 720 rows).
const EDGE_WIDTH: f64 = 1.0;
/// Opacity of drawn edges.
const EDGE_OPACITY: f32 = 0.75;

/// Side of a block of pixels that is shaded together.
const BLOCK: usize = 8;

/// A scene as seen by the camera.
#[derive(Debug)]
pub(super) struct VisibleScene<'a> {
    pub(super) scene: &'a Scene,
    pub(super) camera: &'a Camera,
    /// Width and height of the image (pixels).
    pub(super) size: [usize; 2],
    pub(super) lighting: Lighting,
    /// Projected triangles of all meshes.
    pub(super) triangles: Vec<Projected>,
    pub(super) backdrop: Backdrop<'a>,
}

/// A portion of a pixel that is covered by one surface.
#[derive(Debug, Clone, Copy)]
struct PixelCoverage {
    /// Index of the pixel in its tile, row by row.
    pixel: usize,
    /// Covered fraction of the pixel.
    fraction: f32,
}

/// A surface sample that is not lit yet.
#[derive(Debug)]
struct UnlitSample {
    coverage: PixelCoverage,
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

/// Surface samples that are lit together.
#[derive(Debug, Default)]
struct SampleBatch {
    samples: Vec<UnlitSample>,
    /// Position and normal of each sample.
    surface_points: SurfacePoints,
}

impl SampleBatch {
    /// Adds a sample of the surface point at `position` (m) with this unit normal.
    fn add(&mut self, position: Vec3, normal: Vec3, sample: UnlitSample) {
        self.surface_points.add(position, normal);
        self.samples.push(sample);
    }
}

impl VisibleScene<'_> {
    /// sRGB pixels of the tile with this first column and row: the mean over the samples of each pixel. `triangles` are
    /// the indices of the projected triangles that may cover the tile. A surface seen by several samples of a pixel is
    /// shaded once, at their centroid.
    pub(super) fn draw_tile(&self, origin: [usize; 2], triangles: &[u32]) -> Vec<[u8; 3]> {
        let mut tile = Tile::new(origin);
        triangles.iter().for_each(|&index| tile.add(index, &self.triangles[index as usize]));
        let mut light = vec![Light::ZERO; TILE * TILE];
        let blocks_per_row = TILE / BLOCK;
        for block in 0..blocks_per_row.pow(2) {
            let block_origin = [block % blocks_per_row, block / blocks_per_row].map(|k| k * BLOCK);
            self.shade_block(&tile, origin, block_origin, &mut light);
        }
        light.iter().map(|light| light.to_array().map(encoded)).collect()
    }

    /// Adds the light of the pixels of a block to `light`, which has the pixels of the tile. The block begins at
    /// `block_origin` in the tile, and the tile at `origin` in the image. Meshes and planes are lit in separate
    /// batches, so that the points of a batch are close together.
    fn shade_block(
        &self,
        tile: &Tile,
        origin: [usize; 2],
        block_origin: [usize; 2],
        light: &mut [Light],
    ) {
        let (mut meshes, mut planes) = (SampleBatch::default(), SampleBatch::default());
        for k in 0..BLOCK * BLOCK {
            let [column, row] = [block_origin[0] + k % BLOCK, block_origin[1] + k / BLOCK];
            let [x, y] = [origin[0] + column, origin[1] + row];
            if x >= self.size[0] || y >= self.size[1] {
                continue;
            }
            let pixel = row * TILE + column;
            let center = [x as f64 + 0.5, y as f64 + 0.5];
            for SampleGroup { triangle, offset, fraction } in sample_groups(&tile.front[pixel]) {
                let coverage = PixelCoverage { pixel, fraction };
                if triangle != BACKGROUND {
                    let position = [0, 1].map(|axis| center[axis] + offset[axis]);
                    self.add_surface_sample(triangle, position, &mut meshes, coverage);
                    continue;
                }
                match self.backdrop.background_at(center.map(|x| x as f32)) {
                    Background::Sky(sky) => light[pixel] += fraction * sky,
                    Background::Plane { point, normal, color, sky, faded } => {
                        let shading = Shading::Plane { sky, faded };
                        planes.add(point, normal, UnlitSample { coverage, color, shading });
                    }
                }
            }
        }
        for batch in [meshes, planes] {
            let irradiances = self.lighting.irradiance(&batch.surface_points);
            for (sample, irradiance) in batch.samples.iter().zip(irradiances) {
                let PixelCoverage { pixel, fraction } = sample.coverage;
                light[pixel] += fraction * sample.shaded(irradiance);
            }
        }
    }

    /// Adds the surface sample of the projected triangle with this index at an image position (pixels). Where the inner
    /// side of a solid is visible through a section plane, the sample is that of the cut face.
    fn add_surface_sample(
        &self,
        index: u32,
        image_position: [f64; 2],
        batch: &mut SampleBatch,
        coverage: PixelCoverage,
    ) {
        let projected = &self.triangles[index as usize];
        let mesh = &self.scene.meshes[projected.source.mesh as usize];
        let triangle = &mesh.triangles[projected.source.triangle as usize];
        let weights = tile::barycentric_weights(projected, image_position);
        let weights = match &projected.source_weights {
            None => weights,
            Some(source_weights) => {
                [0, 1, 2].map(|k| (0..3).map(|j| weights[j] * source_weights[j][k]).sum())
            }
        };
        let weights = weights.map(|weight| weight as f32);
        let interpolate = |vectors: &[Vec3], corners: [u32; 3]| -> Vec3 {
            let weighted = |k: usize| vectors[corners[k] as usize] * weights[k];
            weighted(0) + weighted(1) + weighted(2)
        };
        let [a, b, c] = triangle.points.map(|point| mesh.positions[point as usize]);
        let point = interpolate(&mesh.positions, triangle.points);
        let to_eye = (self.camera.eye.as_vec3() - point).normalize_or(Vec3::Y);
        let is_back_face = (b - a).cross(c - a).dot(to_eye) < 0.0;
        if is_back_face
            && mesh.is_solid
            && let Some(section) = self.scene.section
            && let Some(entry) = section.entry(self.camera.eye.as_vec3(), point)
        {
            let value_color = mesh.cut_face.as_ref().and_then(|face| face.color(entry));
            let (color, shading) = match (&mesh.paint, value_color) {
                (Paint::Plain(color), _) => (*color, Shading::Mesh { highlight: 0.0 }),
                (Paint::Points(_), Some(color)) => (color, Shading::Value),
                (Paint::Points(_), None) => (cut_face(), Shading::Mesh { highlight: 0.0 }),
            };
            batch.add(entry, section.normal, UnlitSample { coverage, color, shading });
            return;
        }
        let normal = interpolate(&mesh.normals, triangle.normals).normalize_or(Vec3::Y);
        let normal = if is_back_face { -normal } else { normal };
        let half_vector = (to_eye + self.lighting.sun_direction()).normalize_or(normal);
        let highlight =
            HIGHLIGHT_STRENGTH * normal.dot(half_vector).max(0.0).powf(HIGHLIGHT_EXPONENT);
        let color = mesh.color(triangle, weights) * self.edge_factor(projected, image_position);
        let shading = match mesh.paint {
            Paint::Plain(_) => Shading::Mesh { highlight },
            Paint::Points(_) => Shading::Value,
        };
        batch.add(point, normal, UnlitSample { coverage, color, shading });
    }

    /// Factor of the colour of a surface at an image position (pixels): below 1 near a drawn edge of the triangle.
    fn edge_factor(&self, projected: &Projected, image_position: [f64; 2]) -> f32 {
        if !self.scene.edges {
            return 1.0;
        }
        let half_width = EDGE_WIDTH * 0.5 * (self.size[1] as f64 / 720.0).max(1.0);
        let distance = tile::distance_from_edges(projected, image_position);
        1.0 - EDGE_OPACITY * (half_width + 0.5 - distance).clamp(0.0, 1.0) as f32
    }
}

impl UnlitSample {
    /// Light of the sample under this irradiance.
    fn shaded(&self, irradiance: Irradiance) -> Light {
        let reflected = self.color * irradiance.light;
        match self.shading {
            Shading::Value => self.color,
            Shading::Mesh { highlight } => reflected + Light::splat(highlight * irradiance.sun),
            Shading::Plane { sky, faded } => reflected.lerp(sky, faded),
        }
    }
}

/// The samples of a pixel at which the same triangle is in front.
struct SampleGroup {
    /// Index of the projected triangle, or [`BACKGROUND`].
    triangle: u32,
    /// Mean position of the samples relative to the pixel centre (pixels).
    offset: [f64; 2],
    /// Fraction of the samples of the pixel.
    fraction: f32,
}

/// Groups the samples of a pixel by the triangle in front, whose index is given for each sample.
fn sample_groups(front: &[u32; 8]) -> Vec<SampleGroup> {
    if front.iter().all(|triangle| *triangle == front[0]) {
        return vec![SampleGroup { triangle: front[0], offset: [0.0; 2], fraction: 1.0 }];
    }
    let is_first = |&k: &usize| !front[..k].contains(&front[k]);
    let group = |k: usize| {
        let (mut count, mut sum) = (0.0, [0.0; 2]);
        for j in (k..SAMPLES.len()).filter(|&j| front[j] == front[k]) {
            count += 1.0;
            sum = [0, 1].map(|axis| sum[axis] + SAMPLES[j][axis]);
        }
        let fraction = (count / SAMPLES.len() as f64) as f32;
        SampleGroup { triangle: front[k], offset: sum.map(|x| x / count), fraction }
    };
    (0..SAMPLES.len()).filter(is_first).map(group).collect()
}
