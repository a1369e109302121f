//! Area weights at sharp edges of a triangle mesh.
//!
//! # Rims
//! At the rim of a face on a plane, a third of the area of each triangle of the side belongs to a vertex of the face,
//! but these triangles carry no pressure. At vertices of sharp edges the area of a corner of a triangle is therefore
//! multiplied by a weight that depends on the tilt of the triangle,
//!
//! ```text
//!   w = 1 - (1 - f) S((|grad h|^2 - 0.64) / 0.36)
//! ```
//!
//! with the heights `h` of its points over the plane, their gradient in the triangle at rest, the quintic smoothstep
//! `S`, and `f = MIN_WEIGHT`. In a rigid motion `|grad h|` is the sine of the angle between triangle and plane: `w` is
//! one up to 53 degrees and `f` at 90 degrees. It is twice differentiable, and stationary at both ends, so it exerts no
//! torque on a body whose face lies on the plane. Since `f` is positive, the barrier remains infinite at contact.

use crate::geometry::facets;
use resile_math::Vec3;

/// Weight of a triangle perpendicular to the plane.
const MIN_WEIGHT: f64 = 0.1;

/// Squared sine of the tilt at which weights begin to decrease.
const MIN_TILT2: f64 = 0.64;

/// Squared sine of the tilt at which weights are least.
const MAX_TILT2: f64 = 1.0;

/// Factor from squared sines to the argument of the smoothstep.
const INVERSE_TILT2_RANGE: f64 = 1.0 / (MAX_TILT2 - MIN_TILT2);

/// Largest cosine of the angle between the normals of two triangles at a sharp edge: 45 degrees.
const MAX_SHARP_COSINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Corner of a triangle at a vertex of a sharp edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RimCorner {
    /// Points of the triangle, the vertex first.
    pub(crate) points: [u32; 3],
    /// A third of the area of the triangle (m^2).
    pub(crate) area: f64,
    /// Gradients of the heights of the points in the triangle, multiplied with each other (1/m^2).
    gradients: [[f64; 3]; 3],
}

/// Corners at all vertices of sharp edges.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rims {
    /// Grouped by vertex.
    corners: Vec<RimCorner>,
    /// Index of the first corner of each point, and the number of corners at the end. Empty if no edge is sharp.
    first: Vec<u32>,
}

/// Weight of a corner, with its derivatives with respect to the heights of the points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RimWeight {
    /// The weight, between [`MIN_WEIGHT`] and one.
    pub(crate) value: f64,
    /// First derivatives with respect to the heights (1/m).
    pub(crate) first: [f64; 3],
    /// Second derivatives with respect to the heights (1/m^2).
    pub(crate) second: [[f64; 3]; 3],
}

impl Rims {
    /// Corners of a mesh with points at `rest` (m). O(n log n).
    pub(crate) fn new(rest: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut is_sharp = vec![false; rest.len()];
        for edge in facets::sharp_edges(rest, triangles, MAX_SHARP_COSINE) {
            edge.iter().for_each(|&point| is_sharp[point as usize] = true);
        }
        let rim_corners = |[a, b, c]: &[u32; 3]| {
            let corners = [[*a, *b, *c], [*b, *c, *a], [*c, *a, *b]];
            corners.into_iter().filter(|points| is_sharp[points[0] as usize])
        };
        let mut corners: Vec<RimCorner> = triangles
            .iter()
            .flat_map(rim_corners)
            .map(|points| RimCorner::new(rest, points))
            .collect();
        if corners.is_empty() {
            return Self::default();
        }
        // A stable sort: corners of a vertex are in the order of triangles.
        corners.sort_by_key(|corner| corner.points[0]);
        let first_corner_of = |point: u32| corners.partition_point(|c| c.points[0] < point) as u32;
        let first = (0..=rest.len() as u32).map(first_corner_of).collect();
        Self { corners, first }
    }

    /// The index of the first corner at a point of the mesh, and that of the next point.
    pub(crate) fn corner_range(&self, point: u32) -> [u32; 2] {
        match self.first.get(point as usize..point as usize + 2) {
            Some(&[first, next]) => [first, next],
            _ => [0; 2],
        }
    }

    /// The corners from index `first` to before `next`.
    pub(crate) fn corners_in(&self, [first, next]: [u32; 2]) -> &[RimCorner] {
        &self.corners[first as usize..next as usize]
    }
}

/// Tilt of a triangle against the plane.
struct Tilt {
    /// Argument of the smoothstep: `|grad h|^2` relative to its range from [`MIN_TILT2`] to [`MAX_TILT2`].
    relative: f64,
    /// Half of the derivatives of `|grad h|^2` with respect to the heights (1/m).
    slopes: [f64; 3],
}

impl RimCorner {
    /// Corner of the triangle `points` at its first point.
    fn new(rest: &[Vec3], points: [u32; 3]) -> Self {
        let [a, b, c] = points.map(|i| rest[i as usize]);
        let normal = (b - a).cross(c - a);
        let double_area = normal.length();
        // The gradient of a height that is one at a point is perpendicular to the opposite side.
        let gradient =
            [c - b, a - c, b - a].map(|side| normal.cross(side) / (double_area * double_area));
        let gradients = gradient.map(|g| gradient.map(|h| g.dot(h)));
        Self { points, area: double_area / 6.0, gradients }
    }

    /// Weight for the heights (m) of its points.
    pub(crate) fn weight(&self, heights: [f64; 3]) -> f64 {
        let [step, ..] = smoothstep(self.tilt(heights).relative);
        1.0 - (1.0 - MIN_WEIGHT) * step
    }

    /// Weight with its derivatives; `None` where it is stationary.
    pub(crate) fn changing_weight(&self, heights: [f64; 3]) -> Option<RimWeight> {
        let Tilt { relative, slopes } = self.tilt(heights);
        let [value, first, second] = smoothstep(relative).map(|s| s * (MIN_WEIGHT - 1.0));
        let (first, second) =
            (first * INVERSE_TILT2_RANGE, second * INVERSE_TILT2_RANGE * INVERSE_TILT2_RANGE);
        let second_derivative = |i: usize, j: usize| {
            4.0 * second * slopes[i] * slopes[j] + 2.0 * first * self.gradients[i][j]
        };
        (first != 0.0 || second != 0.0).then(|| RimWeight {
            value: 1.0 + value,
            first: slopes.map(|slope| 2.0 * first * slope),
            second: std::array::from_fn(|i| std::array::from_fn(|j| second_derivative(i, j))),
        })
    }

    /// Tilt of the triangle with its points at these heights (m) over the plane.
    fn tilt(&self, heights: [f64; 3]) -> Tilt {
        // Differences: heights may be large.
        let [_, b, c] = heights.map(|h| h - heights[0]);
        let slopes =
            self.gradients.map(|[_, gradient_b, gradient_c]| gradient_b * b + gradient_c * c);
        let tilt2 = slopes[1] * b + slopes[2] * c;
        Tilt { relative: (tilt2 - MIN_TILT2) * INVERSE_TILT2_RANGE, slopes }
    }
}

/// The quintic smoothstep `6 s^5 - 15 s^4 + 10 s^3` between zero and one, with its derivatives.
fn smoothstep(s: f64) -> [f64; 3] {
    match s {
        _ if s <= 0.0 => [0.0; 3],
        _ if s >= 1.0 => [1.0, 0.0, 0.0],
        _ => {
            let t = 1.0 - s;
            let value = s * s * s * (10.0 + s * (6.0 * s - 15.0));
            [value, 30.0 * s * s * t * t, 60.0 * s * t * (t - s)]
        }
    }
}
