//! Depth map (shadow map) of light from one direction.

use super::surface_points::{Extent, SurfacePoints};
use crate::picture::Mesh;
use glam::{Vec2, Vec3};

/// Bias of shadow queries along the normal and along the light (texels), against self-shadowing.
const OFFSETS: [f32; 2] = [1.3, 0.7];
/// Side of a block of texels with a common maximum depth.
const BLOCK: usize = 16;
/// Empty texels along each side of the map.
const MARGIN: usize = 2;

/// Depths of a grid of parallel light rays.
#[derive(Debug)]
pub(crate) struct DepthMap {
    /// Directions perpendicular to the light, scaled to texels (1/m).
    axes: [Vec3; 2],
    /// Direction towards the light.
    toward: Vec3,
    /// Corner of the grid, along the axes (texels).
    origin: Vec2,
    /// Side of a texel (m).
    texel: f32,
    size: [usize; 2],
    /// For each texel, the coordinate along `toward` of the surface nearest to the light (m).
    nearest: Vec<f32>,
    /// Maximum of each block of texels, row by row.
    blocks: Vec<f32>,
}

/// The ball around the action of a scene, which sets the resolution of shadows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    pub radius: f32,
}

impl DepthMap {
    /// Renders the depth map of light from the direction `toward` with `resolution` texels along its longer
    /// side.
    pub(crate) fn new(meshes: &[Mesh], stage: Stage, toward: Vec3, resolution: usize) -> Self {
        let axes = toward.any_orthonormal_pair();
        let axes = [axes.0, axes.1];
        let flat = |p: Vec3| Vec2::new(p.dot(axes[0]), p.dot(axes[1]));
        let places: Vec<Vec<Vec3>> = meshes
            .iter()
            .map(|mesh| {
                let place = |p: &Vec3| {
                    let p = *p - stage.center;
                    flat(p).extend(p.dot(toward))
                };
                mesh.positions.iter().map(place).collect()
            })
            .collect();
        let inside = |p: &&Vec3| p.truncate().length_squared() <= stage.radius * stage.radius;
        let mut inside = places.iter().flatten().filter(inside);
        let first = inside.next().map_or(Vec2::ZERO, |p| p.truncate());
        let (min, max) = inside
            .fold((first, first), |(min, max), p| (min.min(p.truncate()), max.max(p.truncate())));
        let (origin, texel, size) = grid(min, max, resolution);
        let mut map = Self {
            axes: axes.map(|axis| axis / texel),
            toward,
            origin: origin + flat(stage.center) / texel,
            texel,
            size,
            nearest: vec![f32::NEG_INFINITY; size[0] * size[1]],
            blocks: Vec::new(),
        };
        for (mesh, places) in meshes.iter().zip(&places) {
            for triangle in &mesh.triangles {
                map.rasterise(triangle.points.map(|point| {
                    let p = places[point as usize];
                    (p.truncate() / texel - origin).extend(p.z)
                }));
            }
        }
        let depth = stage.center.dot(toward);
        map.nearest.iter_mut().for_each(|nearest| *nearest += depth);
        map.find_blocks();
        map
    }

    fn find_blocks(&mut self) {
        let [columns, rows] = self.size.map(|texels| texels.div_ceil(BLOCK));
        self.blocks = vec![f32::NEG_INFINITY; columns * rows];
        for (row, texels) in self.nearest.chunks_exact(self.size[0]).enumerate() {
            for (column, texels) in texels.chunks(BLOCK).enumerate() {
                let block = &mut self.blocks[row / BLOCK * columns + column];
                *block = texels.iter().fold(*block, |a, &b| a.max(b));
            }
        }
    }

    /// Rasterises a triangle, given in texels along the axes and in metres towards the light.
    fn rasterise(&mut self, [a, b, c]: [Vec3; 3]) {
        let double_area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if double_area == 0.0 {
            return;
        }
        let range = |k: usize| {
            let min = a[k].min(b[k]).min(c[k]) - 0.5;
            let max = a[k].max(b[k]).max(c[k]) - 0.5;
            // Texel centres are offset by half a texel. The margin stays empty even where a surface extends
            // beyond the map, because `add_light` reads it for all points outside the map.
            let (first, end) = (MARGIN, self.size[k] - MARGIN);
            let [min, end_of_triangle] = [min.ceil(), max.floor() + 1.0];
            (first.max(min.max(0.0) as usize), end.min(end_of_triangle.max(0.0) as usize))
        };
        let (columns, rows) = (range(0), range(1));
        let scale = 1.0 / double_area;
        for row in rows.0..rows.1 {
            let y = row as f32 + 0.5;
            for column in columns.0..columns.1 {
                let x = column as f32 + 0.5;
                let weight =
                    |p: Vec3, q: Vec3| ((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x)) * scale;
                let (u, v, w) = (weight(b, c), weight(c, a), weight(a, b));
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    let nearest = &mut self.nearest[row * self.size[0] + column];
                    *nearest = nearest.max(u * a.z + v * b.z + w * c.z);
                }
            }
        }
    }

    /// Whether the light reaches all points of `extent` unobstructed.
    pub(super) fn is_free(&self, extent: &Extent) -> bool {
        let (center, half) = (extent.center, extent.half + OFFSETS[0] * self.texel);
        let range = |k: usize| {
            let middle = center.dot(self.axes[k]) - self.origin[k];
            let reach = half.dot(self.axes[k].abs()) + 1.0;
            let (min, max) = (middle - reach, middle + reach);
            // Nothing outside of the map casts shadows.
            if max < 0.0 || min > self.size[k] as f32 {
                return 0..0;
            }
            let last = (self.size[k] - 1) / BLOCK;
            min.max(0.0) as usize / BLOCK..(max as usize / BLOCK).min(last) + 1
        };
        let [columns, rows] = [range(0), range(1)];
        let lowest = center.dot(self.toward) - half.dot(self.toward.abs());
        let width = self.size[0].div_ceil(BLOCK);
        rows.into_iter().all(|row| {
            let blocks = &self.blocks[row * width..][columns.clone()];
            blocks.iter().all(|&nearest| nearest <= lowest)
        })
    }

    /// Adds to the sum of each point `strength` times the cosine of incidence times the visible fraction of the
    /// light, by bilinear interpolation of the four nearest rays.
    pub(super) fn add_light(
        &self,
        surface_points: &SurfacePoints,
        strength: f32,
        sums: &mut [f32],
    ) {
        let last = self.size.map(|texels| (texels - 2) as f32 + 0.5);
        let width = self.size[0];
        for ((&point, &normal), sum) in
            surface_points.points.iter().zip(&surface_points.normals).zip(sums)
        {
            let slant = normal.dot(self.toward);
            if slant <= 0.0 {
                continue;
            }
            let point = point + (OFFSETS[0] * self.texel) * normal;
            let height = point.dot(self.toward) + OFFSETS[1] * self.texel;
            // Points outside the map read its margin, which is unobstructed.
            let x = (point.dot(self.axes[0]) - self.origin.x - 0.5).clamp(0.0, last[0]);
            let y = (point.dot(self.axes[1]) - self.origin.y - 0.5).clamp(0.0, last[1]);
            let (column, row) = (x as i32 as usize, y as i32 as usize);
            let (right, down) = (x - column as f32, y - row as f32);
            let at = row * width + column;
            let rays = &self.nearest[at..at + width + 2];
            let free = |ray: f32| if height >= ray { 1.0 } else { 0.0 };
            let above = free(rays[0]) * (1.0 - right) + free(rays[1]) * right;
            let below = free(rays[width]) * (1.0 - right) + free(rays[width + 1]) * right;
            *sum += strength * slant * (above * (1.0 - down) + below * down);
        }
    }
}

/// Origin (texels), texel size (m) and size (texels) of a grid around a rectangle. Texel sizes are powers of
/// 2^(1/4), and origins are integers, so that the grid rarely changes between frames.
fn grid(min: Vec2, max: Vec2, resolution: usize) -> (Vec2, f32, [usize; 2]) {
    let longest = (max - min).max_element().max(1e-6);
    let texel = (longest / (resolution - 2 * MARGIN) as f32).log2();
    let texel = (0.25 * (4.0 * texel).ceil()).exp2();
    let origin = (min / texel).floor() - MARGIN as f32;
    let size = (max / texel - origin).ceil();
    (origin, texel, [size.x as usize + MARGIN, size.y as usize + MARGIN])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Paint;

    fn square(height: f32) -> Mesh {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let positions = corners.map(|[x, z]| Vec3::new(x, height, z)).to_vec();
        Mesh::flat(positions, &[[0, 1, 2], [0, 2, 3]], Paint::default())
    }

    /// Fraction of the light that reaches a horizontal surface at a point.
    fn lit(map: &DepthMap, point: Vec3) -> f32 {
        let mut surface_points = SurfacePoints::default();
        surface_points.add(point, Vec3::Y);
        let mut sum = [0.0];
        map.add_light(&surface_points, 1.0 / map.toward.y, &mut sum);
        // `is_free` must be conservative.
        let extent = surface_points.extent().expect("it has a point");
        assert!(!map.is_free(&extent) || sum[0] > 0.9999, "{point}");
        if sum[0] > 0.9999 { 1.0 } else { sum[0] }
    }

    #[test]
    fn shadow_covers_exactly_the_points_behind_the_square() {
        let stage = Stage { center: Vec3::new(0.0, 1.0, 0.0), radius: 5.0 };
        let toward = Vec3::new(0.6, 0.8, 0.0);
        let map = DepthMap::new(&[square(1.0)], stage, toward, 256);
        let lit = |x: f32, y: f32| lit(&map, Vec3::new(x, y, 0.2));
        assert_eq!((lit(0.0, 1.0), lit(0.9, 1.0), lit(0.0, 2.0)), (1.0, 1.0, 1.0));
        // One metre below, the shadow is displaced by three quarters of a metre.
        assert_eq!((lit(-0.75, 0.0), lit(-1.7, 0.0), lit(0.2, 0.0)), (0.0, 0.0, 0.0));
        assert_eq!((lit(0.3, 0.0), lit(-1.8, 0.0), lit(50.0, 0.0)), (1.0, 1.0, 1.0));
    }

    #[test]
    fn light_on_a_point_is_independent_of_the_other_points() {
        // The ground extends far beyond the stage, and so beyond the map.
        let mut ground = square(0.0);
        ground.positions.iter_mut().for_each(|p| *p *= 40.0);
        let stage = Stage { center: Vec3::ZERO, radius: 2.0 };
        for toward in [Vec3::new(0.6, 0.8, 0.0), Vec3::new(0.2, 0.5, -0.7).normalize()] {
            let map = DepthMap::new(&[ground.clone(), square(1.0)], stage, toward, 256);
            for n in 0..41 * 41u16 {
                let [x, z] = [n % 41, n / 41].map(|k| f32::from(k) - 20.0);
                // Also asserts that a box of points reported as free is lit.
                let alone = lit(&map, Vec3::new(x, 0.0, z));
                let away = x.abs().max(z.abs()) > 5.0;
                assert!(!away || alone == 1.0, "light from {toward} at {x}, {z}: {alone}");
            }
        }
    }

    #[test]
    fn surface_does_not_shadow_itself() {
        let stage = Stage { center: Vec3::ZERO, radius: 5.0 };
        for height in [0.05, 0.2, 0.5, 1.0f32] {
            let toward = Vec3::new(1.0, height, 0.4).normalize();
            let map = DepthMap::new(&[square(0.0)], stage, toward, 128);
            let lit = |n: u16| {
                let [x, z] = [n % 37, n / 37].map(|k| f32::from(k) / 18.5 - 0.999);
                lit(&map, Vec3::new(x, 0.0, z))
            };
            assert!((0..37 * 36).all(|n| lit(n) == 1.0), "light from {toward}");
        }
    }
}
