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

/// Draws a scene with this number of columns and rows, on all threads. The image does not depend on the number
/// of threads. Costs a pass over the triangles for each of some sixty light directions, and a few hundred
/// operations per pixel.
pub fn draw(scene: &Scene, camera: &Camera, size: [usize; 2]) -> Image {
    let Some(section) = scene.section else { return draw_whole(scene, camera, size) };
    let meshes = scene.meshes.par_iter().map(|mesh| section.clipped(mesh)).collect();
    draw_whole(&Scene { meshes, planes: scene.planes.clone(), ..*scene }, camera, size)
}

/// Draws a scene with meshes that are already clipped.
fn draw_whole(scene: &Scene, camera: &Camera, size: [usize; 2]) -> Image {
    let lighting = Lighting::new(&scene.meshes, scene.lamps, scene.stage);
    let near = NEAR_PLANE * f64::from(scene.stage.radius);
    let triangles = project(&scene.meshes, camera, size, near);
    let columns = size[0].div_ceil(TILE);
    let tiles = sort_into_tiles(&triangles, size);
    let backdrop = Backdrop::new(scene, camera, size);
    let visible = VisibleScene { scene, camera, size, lighting, triangles, backdrop };
    let number = 0..tiles.len();
    let pixels = number.into_par_iter().map(|t| {
        let origin = [t % columns * TILE, t / columns * TILE];
        visible.tile(origin, &tiles[t])
    });
    join_tiles(&pixels.collect::<Vec<_>>(), size)
}

/// For each tile, row by row, the triangles that may cover it.
fn sort_into_tiles(triangles: &[Projected], [width, height]: [usize; 2]) -> Vec<Vec<u32>> {
    let [columns, rows] = [width.div_ceil(TILE), height.div_ceil(TILE)];
    let mut tiles = vec![Vec::new(); columns * rows];
    for (number, triangle) in (0..).zip(triangles) {
        let range = |k: usize, count: usize| {
            let tile = |x: f64| (x / TILE as f64).clamp(0.0, count as f64) as usize;
            let places = triangle.places.map(|place| place[k]);
            let min = places.iter().fold(f64::INFINITY, |a, &b| a.min(b));
            let max = places.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            tile(min)..(tile(max) + 1).min(count)
        };
        for row in range(1, rows) {
            for column in range(0, columns) {
                tiles[row * columns + column].push(number);
            }
        }
    }
    tiles
}

/// Assembles the tiles to one image.
fn join_tiles(tiles: &[Vec<[u8; 3]>], size @ [width, height]: [usize; 2]) -> Image {
    let columns = width.div_ceil(TILE);
    let mut image = Image::filled(size[0], size[1], [0; 3]);
    for (t, pixels) in tiles.iter().enumerate() {
        let [left, top] = [t % columns * TILE, t / columns * TILE];
        for (row, pixels) in pixels.chunks_exact(TILE).enumerate().take(height - top) {
            let start = 4 * ((top + row) * width + left);
            let rgba = image.rgba[start..].as_chunks_mut::<4>().0;
            for (pixel, [r, g, b]) in rgba.iter_mut().zip(pixels).take(TILE.min(width - left)) {
                *pixel = [*r, *g, *b, 255];
            }
        }
    }
    image
}
