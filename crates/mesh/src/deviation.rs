//! Deviation between two surfaces: Hausdorff and root-mean-square distance by sampling.

use crate::TriangleTree;
use crate::tri_mesh::triangle_area;
use crate::{SurfaceError, TriMesh};
use rayon::prelude::*;
use resile_math::Vec3;

/// Approximate number of samples per surface.
const SAMPLES: f64 = 40_000.0;

/// Number of samples per parallel task. Partial sums in this fixed grouping do not depend on the number of threads.
const POINTS_PER_TASK: usize = 256;

/// Distances from points of one surface to the nearest of another, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// The largest sampled distance: a lower bound of the one-sided Hausdorff distance.
    pub largest: f64,
    /// Position of the sample with the largest distance (m).
    pub place: Vec3,
    /// Root mean square over all samples, equally weighted.
    pub root_mean_square: f64,
    /// Number of samples.
    pub samples: usize,
}

impl Deviation {
    /// One-sided deviation of `from` from `to`: parts of `to` far from `from` do not count. The samples lie on
    /// a regular grid on each triangle, corners included, at about the same density everywhere.
    ///
    /// # Errors
    /// If either mesh is not a valid surface. Triangles without area are allowed.
    pub fn one_sided(from: &TriMesh, to: &TriMesh) -> Result<Self, SurfaceError> {
        from.check_numbers()?;
        to.check_numbers()?;
        let tree = TriangleTree::of_mesh(to);
        let points = sample_points(from);
        let partial_results: Vec<(f64, Vec3, f64)> = points
            .par_chunks(POINTS_PER_TASK)
            .map(|points| {
                let distances = points.iter().map(|&p| (p, tree.distance(p)));
                distances.fold((0.0, points[0], 0.0), |(max, place, squares), (p, d)| {
                    let (max, place) = if d > max { (d, p) } else { (max, place) };
                    (max, place, squares + d * d)
                })
            })
            .collect();
        let (mut largest, mut place, mut squares) = (0.0, points[0], 0.0);
        for (max, sample, sum) in partial_results {
            squares += sum;
            if max > largest {
                (largest, place) = (max, sample);
            }
        }
        let samples = points.len();
        Ok(Self { largest, place, root_mean_square: (squares / samples as f64).sqrt(), samples })
    }

    /// Two-sided deviation: the larger of both maxima, a lower bound of the Hausdorff distance, and the root
    /// mean square over the samples of both surfaces.
    ///
    /// # Errors
    /// As [`one_sided`](Self::one_sided).
    pub fn two_sided(a: &TriMesh, b: &TriMesh) -> Result<Self, SurfaceError> {
        let (forward, backward) = (Self::one_sided(a, b)?, Self::one_sided(b, a)?);
        let samples = forward.samples + backward.samples;
        let squares = |d: Self| d.root_mean_square.powi(2) * d.samples as f64;
        let larger = if backward.largest > forward.largest { backward } else { forward };
        Ok(Self {
            largest: larger.largest,
            place: larger.place,
            root_mean_square: ((squares(forward) + squares(backward)) / samples as f64).sqrt(),
            samples,
        })
    }
}

/// Sample grids over all triangles, refined by area; shared edges are sampled from both sides.
fn sample_points(mesh: &TriMesh) -> Vec<Vec3> {
    let area = mesh.area();
    let mut points = Vec::new();
    for &triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        let area_fraction =
            if area > 0.0 { triangle_area(&mesh.positions, triangle) / area } else { 0.0 };
        // A grid of n intervals has about n^2 / 2 points.
        let n = (2.0 * SAMPLES * area_fraction).sqrt().ceil().max(1.0) as u32;
        for i in 0..=n {
            for j in 0..=n - i {
                let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                points.push(a * (1.0 - s - t) + b * s + c * t);
            }
        }
    }
    points
}
