//! How far one surface is from another.

use crate::TriangleTree;
use crate::tri_mesh::triangle_area;
use crate::{SurfaceError, TriMesh};
use rayon::prelude::*;
use resile_math::Vec3;

/// About how many points of a surface are looked at.
const SAMPLES: f64 = 40_000.0;

/// How many points a thread takes at once, and in which portions sums are formed.
const CHUNK: usize = 256;

/// Distances from points of one surface to the nearest of another, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// The largest that was found: a lower bound of the one-sided Hausdorff distance.
    pub largest: f64,
    /// The point of either surface where it was found.
    pub place: Vec3,
    /// The root of the mean square, every sample counting alike.
    pub root_mean_square: f64,
    /// How many points were looked at.
    pub samples: usize,
}

impl Deviation {
    /// From `from` to `to`, one-sided: what `to` has beside `from` does not count. The
    /// samples lie on a grid of each triangle, about so many on an area, and hold
    /// all of its corners.
    ///
    /// # Errors
    /// If one of the two is no surface. Triangles without area are allowed.
    pub fn between(from: &TriMesh, to: &TriMesh) -> Result<Self, SurfaceError> {
        from.check_numbers()?;
        to.check_numbers()?;
        let tree = TriangleTree::of(to);
        let points = samples(from);
        let portions: Vec<(f64, Vec3, f64)> = points
            .par_chunks(CHUNK)
            .map(|points| {
                let distances = points.iter().map(|&p| (p, tree.distance(p)));
                distances.fold((0.0, points[0], 0.0), |(most, place, squares), (p, d)| {
                    let (most, place) = if d > most { (d, p) } else { (most, place) };
                    (most, place, squares + d * d)
                })
            })
            .collect();
        let (mut largest, mut place, mut squares) = (0.0, points[0], 0.0);
        for (most, at, sum) in portions {
            squares += sum;
            if most > largest {
                (largest, place) = (most, at);
            }
        }
        let samples = points.len();
        Ok(Self { largest, place, root_mean_square: (squares / samples as f64).sqrt(), samples })
    }

    /// The worse of the two ways between `a` and `b`: a lower bound of the Hausdorff
    /// distance, and the root of the mean square over all samples.
    ///
    /// # Errors
    /// As [`between`](Self::between).
    pub fn both_ways(a: &TriMesh, b: &TriMesh) -> Result<Self, SurfaceError> {
        let (there, back) = (Self::between(a, b)?, Self::between(b, a)?);
        let samples = there.samples + back.samples;
        let squares = |d: Self| d.root_mean_square.powi(2) * d.samples as f64;
        let worse = if back.largest > there.largest { back } else { there };
        Ok(Self {
            largest: worse.largest,
            place: worse.place,
            root_mean_square: ((squares(there) + squares(back)) / samples as f64).sqrt(),
            samples,
        })
    }
}

/// Grids over all triangles, each as fine as its area asks for; edges that triangles
/// share are sampled from both.
fn samples(mesh: &TriMesh) -> Vec<Vec3> {
    let area = mesh.area();
    let mut points = Vec::new();
    for &triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        let share = if area > 0.0 { triangle_area(&mesh.positions, triangle) / area } else { 0.0 };
        // A grid of n intervals has about n^2 / 2 points.
        let n = (2.0 * SAMPLES * share).sqrt().ceil().max(1.0) as u32;
        for i in 0..=n {
            for j in 0..=n - i {
                let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                points.push(a * (1.0 - s - t) + b * s + c * t);
            }
        }
    }
    points
}
