//! Depth map (shadow map) of light from one direction.

use super::surface_points::{Extent, SurfacePoints};
use crate::picture::Mesh;
use glam::{Vec2, Vec3};

/// Displacement of shadow queries along the normal (texels), so that a surface does not shadow itself.
const NORMAL_OFFSET: f32 = 1.3;
/// Displacement of shadow queries towards the light (texels), for the same purpose.
const LIGHT_OFFSET: f32 = 0.7;
/// Side of a block of texels with a common maximum depth.
const BLOCK: usize = 16;
/// Empty texels along each side of the map.
const MARGIN: usize = 2;

/// Depths of a grid of parallel light rays.
#[derive(Debug)]
pub(crate) struct DepthMap {
    /// Directions of columns and rows, perpendicular to the light and to each other (texels per metre).
    axes: [Vec3; 2],
    /// Direction towards the light.
    toward: Vec3,
    /// Coordinates of the corner of the grid along the axes (texels).
    origin: Vec2,
    /// Side of a texel (m).
    texel_size: f32,
    /// Numbers of columns and rows.
    texel_counts: [usize; 2],
    /// For each texel, row by row, the height of the surface nearest to the light: its coordinate along `toward` (m).
    heights: Vec<f32>,
    /// Maximum of `heights` in each block of texels, row by row.
    block_heights: Vec<f32>,
}

/// Sphere around the part of a scene whose shadows are resolved. It bounds the depth maps, and so sets their
/// resolution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    pub radius: f32,
}

impl DepthMap {
    /// Renders the depth map of light from the unit direction `toward`, with approximately `resolution` texels at
    /// most along its longer side. The map covers the points of meshes in the cylinder around the stage along `toward`.
    pub(crate) fn new(meshes: &[Mesh], stage: Stage, toward: Vec3, resolution: usize) -> Self {
        let (u, v) = toward.any_orthonormal_pair();
        let plane_coordinates = |p: Vec3| Vec2::new(p.dot(u), p.dot(v));
        // Coordinates along u, v and the light, relative to the centre of the stage (m).
        let light_coordinates = |mesh: &Mesh| -> Vec<Vec3> {
            let offsets = mesh.positions.iter().map(|p| *p - stage.center);
            offsets.map(|p| plane_coordinates(p).extend(p.dot(toward))).collect()
        };
        let mesh_points: Vec<Vec<Vec3>> = meshes.iter().map(light_coordinates).collect();
        let is_on_stage = |p: &Vec2| p.length_squared() <= stage.radius * stage.radius;
        let mut points_on_stage =
            mesh_points.iter().flatten().map(|p| p.truncate()).filter(is_on_stage);
        let first = points_on_stage.next().unwrap_or(Vec2::ZERO);
        let (min, max) =
            points_on_stage.fold((first, first), |(min, max), p| (min.min(p), max.max(p)));
        let TexelGrid { origin, texel_size, texel_counts } =
            TexelGrid::enclosing(min, max, resolution);
        let mut map = Self {
            axes: [u, v].map(|axis| axis / texel_size),
            toward,
            origin: origin + plane_coordinates(stage.center) / texel_size,
            texel_size,
            texel_counts,
            heights: vec![f32::NEG_INFINITY; texel_counts[0] * texel_counts[1]],
            block_heights: Vec::new(),
        };
        for (mesh, points) in meshes.iter().zip(&mesh_points) {
            for triangle in &mesh.triangles {
                map.rasterise(triangle.points.map(|point| {
                    let p = points[point as usize];
                    (p.truncate() / texel_size - origin).extend(p.z)
                }));
            }
        }
        let center_height = stage.center.dot(toward);
        map.heights.iter_mut().for_each(|height| *height += center_height);
        map.compute_block_heights();
        map
    }

    /// Computes the maximum height of each block of texels.
    fn compute_block_heights(&mut self) {
        let [columns, rows] = self.texel_counts.map(|texels| texels.div_ceil(BLOCK));
        self.block_heights = vec![f32::NEG_INFINITY; columns * rows];
        for (row, row_heights) in self.heights.chunks_exact(self.texel_counts[0]).enumerate() {
            for (column, heights) in row_heights.chunks(BLOCK).enumerate() {
                let max_height = &mut self.block_heights[row / BLOCK * columns + column];
                *max_height = heights.iter().fold(*max_height, |a, &b| a.max(b));
            }
        }
    }

    /// Raises the heights of the texels whose centres a triangle covers to those of the triangle. The coordinates of
    /// its corners are in texels along the axes from the corner of the grid, and in metres along the light.
    fn rasterise(&mut self, [a, b, c]: [Vec3; 3]) {
        let double_area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if double_area == 0.0 {
            return;
        }
        let texel_range = |k: usize| {
            // Texel centres are offset by half a texel.
            let first = (a[k].min(b[k]).min(c[k]) - 0.5).ceil();
            let end = (a[k].max(b[k]).max(c[k]) - 0.5).floor() + 1.0;
            // The margin stays empty even where a surface extends beyond the map, because `add_light` reads it for
            // all points outside the map.
            let (first_inner, end_inner) = (MARGIN, self.texel_counts[k] - MARGIN);
            first_inner.max(first.max(0.0) as usize)..end_inner.min(end.max(0.0) as usize)
        };
        let (columns, rows) = (texel_range(0), texel_range(1));
        let scale = 1.0 / double_area;
        for row in rows {
            let y = row as f32 + 0.5;
            for column in columns.clone() {
                let x = column as f32 + 0.5;
                let weight =
                    |p: Vec3, q: Vec3| ((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x)) * scale;
                // Barycentric weights of the corners a, b and c.
                let (u, v, w) = (weight(b, c), weight(c, a), weight(a, b));
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    let height = &mut self.heights[row * self.texel_counts[0] + column];
                    *height = height.max(u * a.z + v * b.z + w * c.z);
                }
            }
        }
    }

    /// Whether the light certainly reaches all points of `extent`: no block of texels that their shadow queries may
    /// read is nearer to the light than the lowest point.
    pub(super) fn is_free(&self, extent: &Extent) -> bool {
        let (center, half_size) =
            (extent.center, extent.half_size + NORMAL_OFFSET * self.texel_size);
        let block_range = |k: usize| {
            let middle = center.dot(self.axes[k]) - self.origin[k];
            let reach = half_size.dot(self.axes[k].abs()) + 1.0;
            let (min, max) = (middle - reach, middle + reach);
            // Nothing outside of the map casts shadows.
            if max < 0.0 || min > self.texel_counts[k] as f32 {
                return 0..0;
            }
            let last_block = (self.texel_counts[k] - 1) / BLOCK;
            min.max(0.0) as usize / BLOCK..(max as usize / BLOCK).min(last_block) + 1
        };
        let [columns, rows] = [block_range(0), block_range(1)];
        let min_height = center.dot(self.toward) - half_size.dot(self.toward.abs());
        let blocks_per_row = self.texel_counts[0].div_ceil(BLOCK);
        rows.into_iter().all(|row| {
            let heights = &self.block_heights[row * blocks_per_row..][columns.clone()];
            heights.iter().all(|&height| height <= min_height)
        })
    }

    /// Adds to the sum of each point `strength` times the cosine of incidence times the visible fraction of the
    /// light. The fraction is interpolated bilinearly between the centres of the four nearest texels, at each of which
    /// it is 0 or 1.
    pub(super) fn add_light(
        &self,
        surface_points: &SurfacePoints,
        strength: f32,
        sums: &mut [f32],
    ) {
        let [max_x, max_y] = self.texel_counts.map(|texels| (texels - 2) as f32 + 0.5);
        let width = self.texel_counts[0];
        for ((&point, &normal), sum) in
            surface_points.points.iter().zip(&surface_points.normals).zip(sums)
        {
            let cosine = normal.dot(self.toward);
            if cosine <= 0.0 {
                continue;
            }
            let query = point + (NORMAL_OFFSET * self.texel_size) * normal;
            let query_height = query.dot(self.toward) + LIGHT_OFFSET * self.texel_size;
            // Points outside the map read its margin, which is unobstructed.
            let x = (query.dot(self.axes[0]) - self.origin.x - 0.5).clamp(0.0, max_x);
            let y = (query.dot(self.axes[1]) - self.origin.y - 0.5).clamp(0.0, max_y);
            let (column, row) = (x as i32 as usize, y as i32 as usize);
            let (fraction_right, fraction_down) = (x - column as f32, y - row as f32);
            let upper_left = row * width + column;
            let heights = &self.heights[upper_left..upper_left + width + 2];
            let visible = |height: f32| if query_height >= height { 1.0 } else { 0.0 };
            let upper =
                visible(heights[0]) * (1.0 - fraction_right) + visible(heights[1]) * fraction_right;
            let lower = visible(heights[width]) * (1.0 - fraction_right)
                + visible(heights[width + 1]) * fraction_right;
            let visible_fraction = upper * (1.0 - fraction_down) + lower * fraction_down;
            *sum += strength * cosine * visible_fraction;
        }
    }
}

/// Position and resolution of the grid of a depth map.
struct TexelGrid {
    /// Corner with the smallest coordinates (texels).
    origin: Vec2,
    /// Side of a texel (m).
    texel_size: f32,
    /// Numbers of columns and rows.
    texel_counts: [usize; 2],
}

impl TexelGrid {
    /// Returns the grid that encloses the rectangle from `min` to `max` (m). Along its longer side it has approximately
    /// `resolution` texels at most, margins included. The texel size is a power of 2^(1/4), and the coordinates of the
    /// origin are integer multiples of the texel size, so that the grid rarely changes between frames.
    fn enclosing(min: Vec2, max: Vec2, resolution: usize) -> Self {
        let longer_side = (max - min).max_element().max(1e-6);
        let exponent = (longer_side / (resolution - 2 * MARGIN) as f32).log2();
        let texel_size = (0.25 * (4.0 * exponent).ceil()).exp2();
        let origin = (min / texel_size).floor() - MARGIN as f32;
        let texel_counts = (max / texel_size - origin).ceil();
        Self {
            origin,
            texel_size,
            texel_counts: [texel_counts.x as usize + MARGIN, texel_counts.y as usize + MARGIN],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Paint;

    /// Returns a horizontal square with a side of two metres at this height (m).
    fn square(height: f32) -> Mesh {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let positions = corners.map(|[x, z]| Vec3::new(x, height, z)).to_vec();
        Mesh::flat(positions, &[[0, 1, 2], [0, 2, 3]], Paint::default())
    }

    /// Returns the fraction of the light that reaches a horizontal surface at a point.
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
