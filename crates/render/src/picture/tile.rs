//! Depth test at eight samples of each pixel of a tile.

use super::project::Projected;
use std::ops::RangeInclusive;

/// Side of a tile in pixels.
pub(crate) const TILE: usize = 32;

/// Sample positions of a pixel, relative to its centre (pixels), each in a separate row and column, so that
/// nearly horizontal and vertical edges are smooth.
pub(crate) const SAMPLES: [[f64; 2]; 8] = [
    [0.0625, -0.1875],
    [-0.0625, 0.1875],
    [0.3125, 0.0625],
    [-0.1875, -0.3125],
    [-0.3125, 0.3125],
    [-0.4375, -0.0625],
    [0.1875, 0.4375],
    [0.4375, -0.4375],
];
/// Largest absolute coordinate of a sample.
const MAX_OFFSET: f64 = 0.4375;

/// Marks a sample without a triangle.
pub(crate) const BACKGROUND: u32 = u32::MAX;

/// A tile of an image.
#[derive(Debug)]
pub(crate) struct Tile {
    /// First column and row.
    origin: [usize; 2],
    /// Inverse depth (1/m) of the front triangle at each sample of each pixel; zero without a triangle.
    inverse_depth: Vec<[f32; 8]>,
    /// Index of the front triangle at each sample of each pixel, row by row, or [`BACKGROUND`].
    pub(crate) front: Vec<[u32; 8]>,
}

/// A linear function in the image: `value` at the centre of a pixel, and its slopes to the right and downwards.
#[derive(Debug, Clone, Copy)]
struct Linear {
    value: f64,
    right: f64,
    down: f64,
}

impl Linear {
    /// The function relative to the pixel that is `x` columns to the right and `y` rows down.
    fn translated(self, x: f64, y: f64) -> Self {
        Self { value: self.value + self.right * x + self.down * y, ..self }
    }

    /// Value at the sample position with this index.
    fn at_sample(&self, k: usize) -> f64 {
        let [x, y] = SAMPLES[k];
        self.value + (self.right * x + self.down * y)
    }

    /// Largest difference from `value` within a pixel.
    fn max_variation(&self) -> f64 {
        MAX_OFFSET * (self.right.abs() + self.down.abs())
    }
}

impl Tile {
    /// An empty tile with this first column and row.
    pub(crate) fn new(origin: [usize; 2]) -> Self {
        let pixels = TILE * TILE;
        Self { origin, inverse_depth: vec![[0.0; 8]; pixels], front: vec![[BACKGROUND; 8]; pixels] }
    }

    /// Draws the triangle with this index with the depth test; of two at equal depth the earlier one stays.
    pub(crate) fn add(&mut self, index: u32, triangle: &Projected) {
        let ranges = [self.covered_range(triangle, 0), self.covered_range(triangle, 1)];
        let [Some(columns), Some(rows)] = ranges else { return };
        let (first_column, first_row) = (*columns.start(), *rows.start());
        let center = [
            (self.origin[0] + first_column) as f64 + 0.5,
            (self.origin[1] + first_row) as f64 + 0.5,
        ];
        let Some(functions) = TriangleFunctions::new(triangle, center) else { return };
        let variations = functions.edges.map(|edge| edge.max_variation());
        for row in rows {
            let down = (row - first_row) as f64;
            for column in columns.clone() {
                let right = (column - first_column) as f64;
                let edges = functions.edges.map(|edge| edge.translated(right, down));
                if (0..3).any(|k| edges[k].value < -variations[k]) {
                    continue;
                }
                let is_pixel_covered = (0..3).all(|k| edges[k].value >= variations[k]);
                let inverse_depth = functions.inverse_depth.translated(right, down);
                let pixel = row * TILE + column;
                for k in 0..SAMPLES.len() {
                    let is_sample_covered =
                        is_pixel_covered || edges.iter().all(|edge| edge.at_sample(k) >= 0.0);
                    let inverse_depth = inverse_depth.at_sample(k) as f32;
                    if is_sample_covered && inverse_depth > self.inverse_depth[pixel][k] {
                        self.inverse_depth[pixel][k] = inverse_depth;
                        self.front[pixel][k] = index;
                    }
                }
            }
        }
    }

    /// Columns (axis 0) or rows (axis 1) of the tile that a triangle may cover; `None` if there are none.
    fn covered_range(&self, triangle: &Projected, axis: usize) -> Option<RangeInclusive<usize>> {
        let origin = self.origin[axis] as f64;
        let coordinates = triangle.corners.map(|corner| corner[axis] - origin);
        let min = coordinates.iter().fold(f64::INFINITY, |a, &b| a.min(b)).floor().max(0.0);
        let max = coordinates.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)).floor();
        let max = max.min((TILE - 1) as f64);
        (max >= min).then_some(min as usize..=max as usize)
    }
}

/// Linear functions of a projected triangle, relative to the centre of a pixel.
struct TriangleFunctions {
    /// Edge functions, positive inside. Each is zero on the edge opposite to a corner.
    edges: [Linear; 3],
    /// Inverse depth (1/m).
    inverse_depth: Linear,
}

impl TriangleFunctions {
    /// Functions relative to the image position `center` (pixels); `None` if the projected triangle has no area.
    fn new(triangle: &Projected, center: [f64; 2]) -> Option<Self> {
        let [a, b, c] = triangle.corners;
        let double_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if double_area == 0.0 {
            return None;
        }
        let sign = double_area.signum();
        let edge = |p: [f64; 2], q: [f64; 2]| {
            let (right, down) = (-(q[1] - p[1]) * sign, (q[0] - p[0]) * sign);
            Linear { value: right * (center[0] - p[0]) + down * (center[1] - p[1]), right, down }
        };
        let edges = [edge(b, c), edge(c, a), edge(a, b)];
        let scale = 1.0 / double_area.abs();
        let interpolate = |coefficient: fn(&Linear) -> f64| {
            let weighted = (0..3).map(|k| coefficient(&edges[k]) * triangle.inverse_depths[k]);
            weighted.sum::<f64>() * scale
        };
        let inverse_depth = Linear {
            value: interpolate(|edge| edge.value),
            right: interpolate(|edge| edge.right),
            down: interpolate(|edge| edge.down),
        };
        Some(Self { edges, inverse_depth })
    }
}

/// Perspective-correct barycentric weights at an image position (pixels), extrapolated outside of the triangle. A
/// triangle without area has the weights of its first corner.
pub(crate) fn barycentric_weights(triangle: &Projected, position: [f64; 2]) -> [f64; 3] {
    let Some(TriangleFunctions { edges, .. }) = TriangleFunctions::new(triangle, position) else {
        return [1.0, 0.0, 0.0];
    };
    // Weights that are linear in the image are multiplied by the inverse depths of the corners, and normalised.
    let unnormalised = [0, 1, 2].map(|k| edges[k].value * triangle.inverse_depths[k]);
    unnormalised.map(|weight| weight / (unnormalised[0] + unnormalised[1] + unnormalised[2]))
}

/// Distance (pixels) of an image position from the nearest edge of a projected triangle; zero if that has no area.
pub(crate) fn distance_from_edges(triangle: &Projected, position: [f64; 2]) -> f64 {
    let Some(TriangleFunctions { edges, .. }) = TriangleFunctions::new(triangle, position) else {
        return 0.0;
    };
    let distance = |edge: &Linear| edge.value.abs() / edge.right.hypot(edge.down);
    edges.iter().map(distance).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::project::TriangleIndex;

    fn triangle(corners: [[f64; 2]; 3], depths: [f64; 3]) -> Projected {
        Projected {
            source: TriangleIndex { mesh: 0, triangle: 0 },
            corners,
            inverse_depths: depths.map(|d| 1.0 / d),
            source_weights: None,
        }
    }

    fn owned(tile: &Tile, number: u32) -> usize {
        tile.front.as_flattened().iter().filter(|&&front| front == number).count()
    }

    #[test]
    fn two_triangles_cover_a_square_without_gap_or_overlap() {
        let corner = [[3.25, 2.5], [20.25, 2.5], [20.25, 12.75], [3.25, 12.75]];
        let mut tile = Tile::new([0, 0]);
        tile.add(0, &triangle([corner[0], corner[1], corner[2]], [2.0; 3]));
        // The opposite orientation must make no difference.
        tile.add(1, &triangle([corner[0], corner[3], corner[2]], [2.0; 3]));
        let samples = owned(&tile, 0) + owned(&tile, 1);
        let area = 17.0 * 10.25;
        assert!((samples as f64 / 8.0 - area).abs() < 0.02 * area, "{samples} samples of {area}");
        // Interior pixels are fully covered.
        for row in 3..12 {
            for column in 4..20 {
                assert!(tile.front[row * TILE + column].iter().all(|&front| front < 2));
            }
        }
    }

    #[test]
    fn depth_test_is_independent_of_drawing_order() {
        let all = [[-9.0, -9.0], [99.0, -9.0], [-9.0, 99.0]];
        // One triangle spans depths of 1 m to 3 m; the other is at 2 m.
        let slanted = triangle(all, [1.0, 3.0, 1.0]);
        let level = triangle(all, [2.0; 3]);
        let [mut a, mut b] = [0, 1].map(|_| Tile::new([0, 0]));
        a.add(0, &slanted);
        a.add(1, &level);
        b.add(1, &level);
        b.add(0, &slanted);
        assert_eq!(a.front, b.front);
        assert!(owned(&a, 0) > 0 && owned(&a, 0) + owned(&a, 1) == 8 * TILE * TILE);
        // Inverse depth is linear: 1 to 1/3 over 108 pixels is 1/2 after 81 of them, at column 72.
        let mut c = Tile::new([64, 0]);
        c.add(0, &slanted);
        c.add(1, &level);
        let row = &c.front[..TILE];
        assert!(row[..8].as_flattened().iter().all(|&front| front == 0));
        // The triangles end at column 90 of this row.
        assert!(row[8..25].as_flattened().iter().all(|&front| front == 1));
    }

    #[test]
    fn edge_distance_is_that_of_the_nearest_edge() {
        let t = triangle([[0.0, 0.0], [40.0, 0.0], [0.0, 30.0]], [1.0, 4.0, 1.0]);
        for (place, expected) in [([8.0, 2.0], 2.0), ([1.5, 9.0], 1.5), ([20.0, 14.0], 0.8)] {
            let found = distance_from_edges(&t, place);
            assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
        }
    }

    #[test]
    fn barycentric_weights_are_perspective_correct() {
        let t = triangle([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], [1.0, 4.0, 1.0]);
        let [a, b, c] = barycentric_weights(&t, [5.0, 0.0]);
        // The middle of the projected edge corresponds to a fifth of its length, nearer to the near end.
        assert!((a - 0.8).abs() < 1e-12 && (b - 0.2).abs() < 1e-12 && c.abs() < 1e-12);
    }
}
