//! Overlapping parts of a surface, found by sampling.

use crate::tri_mesh::triangle_area;
use crate::{TriMesh, TriangleTree};
use rayon::prelude::*;
use resile_math::Vec3;

/// Approximate number of samples of a surface.
const SAMPLES: usize = 8192;

/// Distance from the surface of the two points at which winding numbers beside it are evaluated, relative to the diagonal
/// of its bounding box. Single precision resolves it.
const RELATIVE_OFFSET: f64 = 1e-6;

/// Overlap of the parts of a closed surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceOverlap {
    /// Number of sampled triangles that lie at least partly inside another part, or in a face of it.
    pub triangles: usize,
    /// Volume (m^3) of the union of the parts, estimated from the samples.
    pub union_volume: f64,
}

/// A sample of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleSample {
    /// Index of the triangle.
    pub triangle: u32,
    /// Position (m) inside the triangle.
    pub position: Vec3,
    /// Number of samples of the triangle, which stand for equal areas.
    pub count: usize,
}

impl SurfaceOverlap {
    /// Finds triangles inside other parts of a closed surface whose triangles face outward, and triangles of two parts in
    /// the same place; `None` if there are none among the samples, which are about 1/64 of the size of the surface
    /// apart. Costs a tree and about 20,000 winding numbers.
    pub fn find(surface: &TriMesh) -> Option<Self> {
        let tree = TriangleTree::of_mesh(surface);
        let step = surface.triangles.len().div_ceil(SAMPLES).max(1);
        let samples: Vec<TriangleSample> = surface
            .interior_samples()
            .into_iter()
            .filter(|sample| (sample.triangle as usize).is_multiple_of(step))
            .collect();
        let shares: Vec<f64> = samples
            .par_iter()
            .with_min_len(64)
            .map(|sample| sample.inner_share(surface, &tree))
            .collect();
        let inner: Vec<(TriangleSample, f64)> =
            samples.into_iter().zip(shares).filter(|(_, share)| *share > 0.0).collect();
        let origin = inner.first()?.0.position;
        // The divergence theorem gives the volume of all parts. Without its inner triangles the surface bounds their union.
        let flux = |(sample, share): &(TriangleSample, f64)| {
            let [a, b, c] = surface.corners(sample.triangle as usize);
            let doubled_area = (b - a).cross(c - a) * (share * step as f64 / sample.count as f64);
            doubled_area.dot(sample.position - origin) / 6.0
        };
        let inner_flux: f64 = inner.iter().map(flux).sum();
        let union_volume = volume_about(surface, origin) - inner_flux;
        let mut triangles: Vec<u32> = inner.iter().map(|(sample, _)| sample.triangle).collect();
        triangles.dedup();
        Some(Self { triangles: triangles.len(), union_volume })
    }
}

impl TriangleSample {
    /// Whether the sample lies inside another part of a surface, whose triangles are in `tree`.
    pub fn is_inside_another(&self, surface: &TriMesh, tree: &TriangleTree) -> bool {
        let Some([outside, inside]) = self.points_beside(surface, tree) else { return false };
        tree.winding_number(outside, None) > 0.5 && tree.winding_number(inside, None) > 1.5
    }

    /// Share of the sample that does not bound the union of all parts: 1 inside another part, 1/2 where two parts have a
    /// face in common, and 0 on the outside and where parts touch from both sides.
    fn inner_share(&self, surface: &TriMesh, tree: &TriangleTree) -> f64 {
        let Some(points) = self.points_beside(surface, tree) else { return 0.0 };
        let [outside, inside] = points.map(|point| tree.winding_number(point, None).round());
        match (outside, inside) {
            (_, ..=1.0) => 0.0,
            (..=0.0, sheets) => 1.0 - 1.0 / sheets,
            _ => 1.0,
        }
    }

    /// Points (m) on the outer and on the inner side of the sample; `None` if its triangle has no area.
    fn points_beside(&self, surface: &TriMesh, tree: &TriangleTree) -> Option<[Vec3; 2]> {
        let [a, b, c] = surface.corners(self.triangle as usize);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let offset = normal * (RELATIVE_OFFSET * tree.bounds().size().length());
        (offset != Vec3::ZERO).then(|| [self.position + offset, self.position - offset])
    }
}

/// Volume (m^3) that a closed surface encloses, as the sum of tetrahedra with the apex `origin`.
fn volume_about(surface: &TriMesh, origin: Vec3) -> f64 {
    let volume = |triangle: usize| {
        let [a, b, c] = surface.corners(triangle).map(|p| p - origin);
        a.dot(b.cross(c)) / 6.0
    };
    (0..surface.triangles.len()).map(volume).sum()
}

impl TriMesh {
    /// Samples inside all triangles, in their order: the centroids of equal parts of each triangle, at least one, and
    /// more of large triangles.
    pub fn interior_samples(&self) -> Vec<TriangleSample> {
        let area = self.area();
        let mut samples = Vec::new();
        for (triangle, &corners) in (0..).zip(&self.triangles) {
            let share =
                if area > 0.0 { triangle_area(&self.positions, corners) / area } else { 0.0 };
            // n intervals along each edge divide a triangle into n^2 equal ones.
            let intervals = (SAMPLES as f64 * share).sqrt().round().max(1.0) as u32;
            let [a, b, c] = corners.map(|vertex| self.positions[vertex as usize]);
            let position = |s: f64, t: f64| {
                let [s, t] = [s, t].map(|offset| offset / f64::from(intervals));
                a + (b - a) * s + (c - a) * t
            };
            let count = (intervals * intervals) as usize;
            for i in 0..intervals {
                for j in 0..intervals - i {
                    let [s, t] = [i, j].map(f64::from);
                    let upright = position(s + 1.0 / 3.0, t + 1.0 / 3.0);
                    samples.push(TriangleSample { triangle, position: upright, count });
                    if i + j + 1 < intervals {
                        let inverted = position(s + 2.0 / 3.0, t + 2.0 / 3.0);
                        samples.push(TriangleSample { triangle, position: inverted, count });
                    }
                }
            }
        }
        samples
    }
}
