//! Wall thickness of a solid from inscribed balls that touch its surface twice.

use rayon::prelude::*;
use resile_math::{Aabb, Vec3};
use resile_mesh::{TriMesh, TriangleTree};

/// Number of surface points at which thickness is measured.
const SURFACE_SAMPLES: usize = 2000;

/// Largest number of balls tried per point; most need four to ten.
const MAX_BALLS: usize = 40;

/// Cosine of the angle between the two contact points at the ball's centre, above which (below 120
/// degrees) the ball lies in a corner or at an edge, not between two walls.
const MAX_CONTACT_COSINE: f64 = -0.5;

/// Thickness at points of equal area.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thickness {
    /// Thickness at points between two walls (m), ascending.
    walls: Vec<f64>,
    /// Area per point (m^2).
    area: f64,
}

impl Thickness {
    /// Thickness of a closed surface with outward triangles; `tree` contains them.
    pub(crate) fn new(surface: &TriMesh, tree: &TriangleTree) -> Self {
        let sample_points = surface_samples(surface);
        let mut walls: Vec<f64> = sample_points
            .par_iter()
            .filter_map(|sample| wall_thickness(tree, sample.point, -sample.normal))
            .collect();
        walls.sort_by(f64::total_cmp);
        Self { walls, area: surface.area() / SURFACE_SAMPLES as f64 }
    }

    /// The volume (m^3) of the walls that are thinner than `limit` (m).
    pub(crate) fn volume_below(&self, limit: f64) -> f64 {
        // Each side of a wall contributes half of its volume.
        let thin_walls = self.walls.iter().take_while(|wall| **wall < limit);
        thin_walls.map(|wall| 0.5 * self.area * wall).sum()
    }

    /// Thickness (m) below which walls have a volume of `volume` (m^3); infinite if the walls have less.
    pub(crate) fn with_volume_below(&self, volume: f64) -> f64 {
        let mut sum = 0.0;
        let exceeds_volume = |wall: &&f64| {
            sum += 0.5 * self.area * **wall;
            sum > volume
        };
        self.walls.iter().find(exceeds_volume).copied().unwrap_or(f64::INFINITY)
    }
}

/// A sample point of a surface.
#[derive(Debug, Clone, Copy)]
struct SurfaceSample {
    /// Position (m).
    point: Vec3,
    /// Unit outward normal.
    normal: Vec3,
}

/// Sample points of a surface with its normals. Each of them represents the same area; they are in the order of the
/// triangles.
fn surface_samples(surface: &TriMesh) -> Vec<SurfaceSample> {
    let doubled_area_vector = |t: usize| {
        let [a, b, c] = surface.corners(t);
        (b - a).cross(c - a)
    };
    let doubled_total: f64 =
        (0..surface.triangles.len()).map(|t| doubled_area_vector(t).length()).sum();
    let step = doubled_total / SURFACE_SAMPLES as f64;
    let (mut samples, mut doubled_sum) = (Vec::with_capacity(SURFACE_SAMPLES), 0.0);
    for t in 0..surface.triangles.len() {
        let area_vector = doubled_area_vector(t);
        let [a, b, c] = surface.corners(t);
        doubled_sum += area_vector.length();
        while doubled_sum > (samples.len() as f64 + 0.5) * step && samples.len() < SURFACE_SAMPLES {
            let [u, v] = barycentric_sample(samples.len());
            let point = a + u * (b - a) + v * (c - a);
            samples.push(SurfaceSample { point, normal: area_vector.normalize_or_zero() });
        }
    }
    samples
}

/// Barycentric coordinates of the sample `k`, such that samples are spread evenly (Roberts 2018, the R2 sequence).
fn barycentric_sample(k: usize) -> [f64; 2] {
    let [u, v] = [0.754_877_666_246_693, 0.569_840_290_998_053]
        .map(|step| (0.5 + step * (k + 1) as f64).fract());
    if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] }
}

/// Fraction of the radius by which the surface may extend into a ball that counts as empty.
const BALL_TOLERANCE: f64 = 1e-6;
/// Differences of lengths below this fraction are rounding.
const RELATIVE_ROUNDING: f64 = 1e-9;

/// Wall thickness (m) at `p` (m) in the direction `inward` (unit length): the distance between the two points at which
/// the largest ball inside touches the surface, one of which is `p` (Ma, Bae & Choi 2012, *3D medial axis point
/// approximation using nearest neighbors and the normal field*). `None` if the ball does not lie between two walls.
fn wall_thickness(tree: &TriangleTree, p: Vec3, inward: Vec3) -> Option<f64> {
    let Aabb { min, max } = tree.bounds();
    let mut radius = 0.5 * (max - min).length();
    let min_distance = RELATIVE_ROUNDING * radius;
    let mut contact = None;
    for _ in 0..MAX_BALLS {
        let center = p + radius * inward;
        let q = tree.closest(center).point;
        let chord = q - p;
        let is_empty_ball = q.distance(center) >= radius * (1.0 - BALL_TOLERANCE);
        if is_empty_ball || chord.length() <= min_distance {
            break;
        }
        contact = Some(q);
        let touching_radius = chord.length_squared() / (2.0 * chord.dot(inward));
        // The comparison is false for NaN, too.
        let is_smaller = touching_radius < radius * (1.0 - RELATIVE_ROUNDING);
        if !is_smaller {
            break;
        }
        radius = touching_radius;
    }
    let q = contact?;
    let center = p + radius * inward;
    let cosine = (p - center).normalize_or_zero().dot((q - center).normalize_or_zero());
    (cosine <= MAX_CONTACT_COSINE).then(|| p.distance(q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_mesh::generate::{BoxGrid, Icosphere};

    fn thickness(surface: &TriMesh) -> Thickness {
        Thickness::new(surface, &TriangleTree::of_mesh(surface))
    }

    #[test]
    fn plate_thickness_is_the_distance_between_its_faces() {
        let size = Vec3::new(1.0, 0.8, 0.05);
        let plate = BoxGrid { cells: [1; 3], size }.build().unwrap().boundary();
        let found = thickness(&plate);
        assert_eq!(found.volume_below(0.0499), 0.0);
        let volume = found.volume_below(0.0501);
        // Closer to an edge than half the thickness, a ball touches the side first.
        assert!((volume / (0.95 * 0.75 * 0.05) - 1.0).abs() < 0.01, "{volume}");
        assert!((found.with_volume_below(0.01) - 0.05).abs() < 1e-6);
    }

    #[test]
    fn hollow_ball_thickness_is_its_wall_thickness() {
        let ball = |radius| Icosphere { radius, subdivisions: 3 }.build().unwrap();
        let (mut hollow, inner) = (ball(1.0), ball(0.9));
        let first = hollow.positions.len() as u32;
        hollow.positions.extend(&inner.positions);
        hollow
            .triangles
            .extend(inner.triangles.iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
        let found = thickness(&hollow);
        assert!(found.volume_below(0.09) < 0.02 * hollow.enclosed_volume());
        assert!(found.volume_below(0.11) > 0.9 * hollow.enclosed_volume());
    }

    #[test]
    fn cube_thickness_ignores_its_edges() {
        let cube = BoxGrid { cells: [1; 3], size: Vec3::ONE }.build().unwrap().boundary();
        assert!(thickness(&cube).with_volume_below(0.001) > 0.9);
    }
}
