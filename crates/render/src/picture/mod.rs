//! Rasteriser: triangles are binned into tiles, a depth test (z-buffer) runs at eight samples of each pixel,
//! and each visible surface is shaded once per pixel.

mod cut_face;
mod ground;
mod mesh;
mod project;
mod section;
mod seen;
mod tile;

pub use cut_face::CutFace;
pub use mesh::{Mesh, Paint, Triangle};
pub use section::Section;

use crate::camera::Camera;
use crate::image::Image;
use crate::light::{Lamps, Lighting, Stage};
use glam::Vec3;
use ground::Backdrop;
use project::{Projected, project};
use rayon::prelude::*;
use seen::VisibleScene;
use tile::TILE;

/// Distance of the near plane, relative to the radius of the stage.
const NEAR_PLANE: f64 = 1e-3;

/// Everything that is drawn.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Triangle meshes.
    pub meshes: Vec<Mesh>,
    /// Planes, seen from their free sides; they cast no shadows.
    pub planes: Vec<Plane>,
    /// Light sources.
    pub lamps: Lamps,
    /// Bounding ball of the action.
    pub stage: Stage,
    /// Whether edges of triangles are drawn.
    pub edges: bool,
    /// A plane that cuts away a part of all meshes.
    pub section: Option<Section>,
}

/// An infinite plane; it fades with the distance from the stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// A point on the plane (m).
    pub point: Vec3,
    /// Unit normal towards the bodies.
    pub normal: Vec3,
}

/// Draws an image of a scene with this number of columns and rows, on all threads. The image does not depend on the
/// number of threads. Costs a pass over the triangles for each of some sixty light directions, and a few hundred
/// operations per pixel.
pub fn draw(scene: &Scene, camera: &Camera, size: [usize; 2]) -> Image {
    let Some(section) = scene.section else { return draw_clipped(scene, camera, size) };
    let meshes = scene.meshes.par_iter().map(|mesh| section.clipped(mesh)).collect();
    draw_clipped(&Scene { meshes, planes: scene.planes.clone(), ..*scene }, camera, size)
}

/// Draws a scene with meshes that are already clipped.
fn draw_clipped(scene: &Scene, camera: &Camera, size: [usize; 2]) -> Image {
    let lighting = Lighting::new(&scene.meshes, scene.lamps, scene.stage);
    let near = NEAR_PLANE * f64::from(scene.stage.radius);
    let triangles = project(&scene.meshes, camera, size, near);
    let columns = size[0].div_ceil(TILE);
    let tiles = sort_into_tiles(&triangles, size);
    let backdrop = Backdrop::new(scene, camera, size);
    let visible = VisibleScene { scene, camera, size, lighting, triangles, backdrop };
    let pixels = (0..tiles.len()).into_par_iter().map(|t| {
        let origin = [t % columns * TILE, t / columns * TILE];
        visible.draw_tile(origin, &tiles[t])
    });
    join_tiles(&pixels.collect::<Vec<_>>(), size)
}

/// For each tile, row by row, the indices of the triangles that may cover it, in ascending order.
fn sort_into_tiles(triangles: &[Projected], [width, height]: [usize; 2]) -> Vec<Vec<u32>> {
    let [columns, rows] = [width.div_ceil(TILE), height.div_ceil(TILE)];
    let mut tiles = vec![Vec::new(); columns * rows];
    for (index, triangle) in (0..).zip(triangles) {
        let tile_range = |axis: usize, count: usize| {
            let tile = |x: f64| (x / TILE as f64).clamp(0.0, count as f64) as usize;
            let coordinates = triangle.corners.map(|corner| corner[axis]);
            let min = coordinates.iter().fold(f64::INFINITY, |a, &b| a.min(b));
            let max = coordinates.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            tile(min)..(tile(max) + 1).min(count)
        };
        for row in tile_range(1, rows) {
            for column in tile_range(0, columns) {
                tiles[row * columns + column].push(index);
            }
        }
    }
    tiles
}

/// Assembles the pixels of tiles, which are in row-major order, to an image of this size.
fn join_tiles(tiles: &[Vec<[u8; 3]>], [width, height]: [usize; 2]) -> Image {
    let columns = width.div_ceil(TILE);
    let mut image = Image::filled(width, height, [0; 3]);
    for (t, tile) in tiles.iter().enumerate() {
        let [left, top] = [t % columns * TILE, t / columns * TILE];
        for (row, tile_row) in tile.chunks_exact(TILE).enumerate().take(height - top) {
            let start = 4 * ((top + row) * width + left);
            let (pixels, _) = image.rgba[start..].as_chunks_mut::<4>();
            for (pixel, [r, g, b]) in pixels.iter_mut().zip(tile_row).take(TILE.min(width - left)) {
                *pixel = [*r, *g, *b, 255];
            }
        }
    }
    image
}
