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
    /// The largest sampled distance (m): a lower bound of the one-sided Hausdorff distance.
    pub largest: f64,
    /// Position of the sample with the largest distance (m).
    pub location: Vec3,
    /// Root mean square of the distances (m) over all samples, equally weighted.
    pub root_mean_square: f64,
    /// Number of samples.
    pub samples: usize,
}

impl Deviation {
    /// Measures the one-sided deviation of `from` from `to`: the distances from samples of `from` to the nearest points
    /// of `to`. Parts of `to` far from `from` do not count. The samples lie on a regular grid on each triangle, corners
    /// included, with approximately the same number of samples per area everywhere.
    ///
    /// # Errors
    /// If either mesh is not a valid surface. Triangles without area are allowed.
    pub fn one_sided(from: &TriMesh, to: &TriMesh) -> Result<Self, SurfaceError> {
        from.check_numbers()?;
        to.check_numbers()?;
        let tree = TriangleTree::of_mesh(to);
        let points = sample_points(from);
        let partial_sums: Vec<DistanceSum> = points
            .par_chunks(POINTS_PER_TASK)
            .map(|points| {
                let mut sum = DistanceSum::none(points[0]);
                for &point in points {
                    let distance = tree.distance(point);
                    sum.add(&DistanceSum {
                        largest: distance,
                        location: point,
                        sum_of_squares: distance * distance,
                    });
                }
                sum
            })
            .collect();
        let mut total = DistanceSum::none(points[0]);
        partial_sums.iter().for_each(|partial_sum| total.add(partial_sum));
        let samples = points.len();
        let root_mean_square = (total.sum_of_squares / samples as f64).sqrt();
        Ok(Self { largest: total.largest, location: total.location, root_mean_square, samples })
    }

    /// Measures the two-sided deviation of two surfaces: the larger of the two one-sided maxima with its location,
    /// which is a lower bound of the Hausdorff distance, and the root mean square over the samples of both surfaces.
    ///
    /// # Errors
    /// As [`one_sided`](Self::one_sided).
    pub fn two_sided(a: &TriMesh, b: &TriMesh) -> Result<Self, SurfaceError> {
        let (forward, backward) = (Self::one_sided(a, b)?, Self::one_sided(b, a)?);
        let samples = forward.samples + backward.samples;
        let sum_of_squares = |d: Self| d.root_mean_square.powi(2) * d.samples as f64;
        let larger = if backward.largest > forward.largest { backward } else { forward };
        Ok(Self {
            largest: larger.largest,
            location: larger.location,
            root_mean_square: ((sum_of_squares(forward) + sum_of_squares(backward))
                / samples as f64)
                .sqrt(),
            samples,
        })
    }
}

/// Maximum and sum of squares of the distances of some samples.
#[derive(Debug, Clone, Copy)]
struct DistanceSum {
    /// Largest distance (m).
    largest: f64,
    /// Position (m) of the sample with the largest distance.
    location: Vec3,
    /// Sum of the squared distances (m^2).
    sum_of_squares: f64,
}

impl DistanceSum {
    /// The sum over no samples, with a location (m) that is replaced by the first sample with a positive distance.
    fn none(location: Vec3) -> Self {
        Self { largest: 0.0, location, sum_of_squares: 0.0 }
    }

    /// Adds other samples. Of equal largest distances, the earlier one counts.
    fn add(&mut self, other: &Self) {
        self.sum_of_squares += other.sum_of_squares;
        if other.largest > self.largest {
            (self.largest, self.location) = (other.largest, other.location);
        }
    }
}

/// Returns sample points (m) on a regular grid over each triangle. The number of points of a triangle is approximately
/// proportional to its area. Points on shared edges occur once for each triangle.
fn sample_points(mesh: &TriMesh) -> Vec<Vec3> {
    let area = mesh.area();
    let mut points = Vec::new();
    for &triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        let area_fraction =
            if area > 0.0 { triangle_area(&mesh.positions, triangle) / area } else { 0.0 };
        // A grid of n intervals has about n^2 / 2 points.
        let intervals = (2.0 * SAMPLES * area_fraction).sqrt().ceil().max(1.0) as u32;
        for i in 0..=intervals {
            for j in 0..=intervals - i {
                let [s, t] = [i, j].map(|index| f64::from(index) / f64::from(intervals));
                points.push(a * (1.0 - s - t) + b * s + c * t);
            }
        }
    }
    points
}
