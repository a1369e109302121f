//! Closest points and the features they lie on.

use resile_math::Vec3;

/// Kind of a collision stencil. A pair is always given by four points; pairs with fewer points repeat the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// Point 0 is a vertex, points 1, 2, 3 a triangle.
    VertexFace,
    /// Points 0, 1 are one edge, points 2, 3 another.
    EdgeEdge,
    /// Point 0 is a vertex, points 1, 2 an edge.
    VertexEdge,
    /// Points 0 and 1 are vertices.
    VertexVertex,
}

impl PairKind {
    /// Number of distinct points.
    pub fn points(self) -> usize {
        match self {
            Self::VertexFace | Self::EdgeEdge => 4,
            Self::VertexEdge => 3,
            Self::VertexVertex => 2,
        }
    }
}

/// Features that contain the closest points. An edge is given by its two points, numbered within the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Two points.
    Points,
    /// A point, and the interior of an edge.
    PointLine([u8; 2]),
    /// The interior of a triangle, or the interiors of two edges. The given edges span the plane to which the
    /// distance is normal.
    Plane([u8; 2], [u8; 2]),
}

/// The closest points of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Features that contain the closest points.
    pub feature: Feature,
    /// Weights in `difference = sum_k weights[k] x_k`: barycentric coordinates, positive on the side to which the
    /// difference points. The vertices of the features have nonzero weights.
    pub weights: [f64; 4],
    /// Vector (m) from the closest point of the second primitive to that of the first, hence towards the vertex.
    /// For edge-edge pairs it points from the first edge to the second.
    pub difference: Vec3,
}

/// Interior of the triangle of a vertex-face pair.
const FACE: Feature = Feature::Plane([1, 2], [1, 3]);
/// Interiors of both edges of an edge-edge pair.
const LINES: Feature = Feature::Plane([0, 1], [2, 3]);

/// Squared sine below which two edges are nearly parallel: the normal from their cross product would lose more than
/// four digits.
const NEARLY_PARALLEL_SINE2: f64 = 1e-8;
/// Squared sine below which a cross product is dominated by rounding, whose relative size is an epsilon divided by the
/// sine: more than 2e-4 of it. Two edges then count as parallel, and a triangle with such a corner counts as a segment.
const DEGENERATE_SINE2: f64 = 1e-24;

impl Closest {
    /// The closest points of a pair, `x` in the order of [`PairKind`]. About 20 ns.
    pub fn new(kind: PairKind, x: &[Vec3; 4]) -> Self {
        match kind {
            PairKind::VertexFace => Self::vertex_face(x),
            PairKind::EdgeEdge => Self::edge_edge(x),
            PairKind::VertexEdge => Self::vertex_segment(x, 1, 2),
            PairKind::VertexVertex => Self::vertex_vertex(1, x[0] - x[1]),
        }
    }

    /// The squared distance (m^2).
    pub fn distance2(&self) -> f64 {
        self.difference.length_squared()
    }

    /// The distance (m).
    pub fn distance(&self) -> f64 {
        self.difference.length()
    }

    /// The unit vector along the difference, for points at `x` (m). It is orthogonal to the edges of the feature up to
    /// one rounding; the difference itself is so only up to a rounding of the coordinates divided by the distance.
    pub(crate) fn normal(&self, x: &[Vec3; 4]) -> Vec3 {
        let edge = |[a, b]: [u8; 2]| x[usize::from(b)] - x[usize::from(a)];
        let rejection = |v: Vec3, axis: Vec3| v - axis * (v.dot(axis) / axis.length_squared());
        let orthogonal = match self.feature {
            Feature::Points => self.difference,
            Feature::PointLine(line) => rejection(self.difference, edge(line)),
            Feature::Plane(first, second) => {
                let (first, second) = (edge(first), edge(second));
                rejection(rejection(self.difference, first), rejection(second, first))
            }
        };
        orthogonal / orthogonal.length()
    }

    /// Closest points of vertex `x[0]` and triangle `x[1], x[2], x[3]` (m). The feature of the triangle is a vertex, an
    /// edge or the face (Voronoi regions as in Ericson, *Real-Time Collision Detection*, 5.1.5). A triangle without area
    /// is treated as its edges.
    pub fn vertex_face(x: &[Vec3; 4]) -> Self {
        let [p, a, b, c] = *x;
        let (ab, ac, ap) = (b - a, c - a, p - a);
        // Projections of the offsets from the three corners onto the sides `ab` and `ac`.
        let (ab_ap, ac_ap) = (ab.dot(ap), ac.dot(ap));
        if ab_ap <= 0.0 && ac_ap <= 0.0 {
            return Self::vertex_vertex(1, ap);
        }
        let bp = p - b;
        let (ab_bp, ac_bp) = (ab.dot(bp), ac.dot(bp));
        if ab_bp >= 0.0 && ac_bp <= ab_bp {
            return Self::vertex_vertex(2, bp);
        }
        let cp = p - c;
        let (ab_cp, ac_cp) = (ab.dot(cp), ac.dot(cp));
        if ac_cp >= 0.0 && ab_cp <= ac_cp {
            return Self::vertex_vertex(3, cp);
        }
        let normal = ab.cross(ac);
        let normal2 = normal.length_squared();
        if normal2 <= DEGENERATE_SINE2 * ab.length_squared() * ac.length_squared() {
            return Self::vertex_triangle_edges(x);
        }
        // Barycentric coordinates from cross products: products of dot products lose twice as many digits on thin
        // triangles.
        let weight_c = normal.dot(ab.cross(ap)) / normal2;
        if weight_c <= 0.0 && ab_ap >= 0.0 && ab_bp <= 0.0 {
            return Self::vertex_segment(x, 1, 2);
        }
        let weight_b = normal.dot(ap.cross(ac)) / normal2;
        if weight_b <= 0.0 && ac_ap >= 0.0 && ac_cp <= 0.0 {
            return Self::vertex_segment(x, 1, 3);
        }
        if weight_b + weight_c >= 1.0 && ac_bp >= ab_bp && ab_cp >= ac_cp {
            return Self::vertex_segment(x, 2, 3);
        }
        if weight_b < 0.0 || weight_c < 0.0 || weight_b + weight_c > 1.0 {
            // By rounding, a point near the boundary of two regions is in neither of them.
            return Self::vertex_triangle_edges(x);
        }
        Self {
            feature: FACE,
            weights: [1.0, weight_b + weight_c - 1.0, -weight_b, -weight_c],
            difference: normal * (normal.dot(nearest_offset([ap, bp, cp])) / normal2),
        }
    }

    /// Closest points of edge `x[0] x[1]` and edge `x[2] x[3]` (m): two end points, an end point and a point of an edge,
    /// or points of both lines. For nearly parallel edges (sine below 1e-4) the cases are compared by distance, since
    /// the closest points of their lines are inaccurate.
    pub fn edge_edge(x: &[Vec3; 4]) -> Self {
        let (u, v, w) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
        let (uu, vv) = (u.length_squared(), v.length_squared());
        let normal = u.cross(v);
        let normal2 = normal.length_squared();
        if normal2 <= NEARLY_PARALLEL_SINE2 * uu * vv {
            return Self::nearly_parallel_edges(x);
        }
        // Fractions along the first and the second edge of the closest points of their lines.
        let s = normal.dot(w.cross(v)) / normal2;
        let t = normal.dot(w.cross(u)) / normal2;
        if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
            let offsets = [w, x[3] - x[0], x[2] - x[1], x[3] - x[1]];
            return Self {
                feature: LINES,
                weights: [s - 1.0, -s, 1.0 - t, t],
                difference: normal * (normal.dot(nearest_offset(offsets)) / normal2),
            };
        }
        // Clamp to one edge, then to the other (Ericson, 5.1.9).
        let uv = u.dot(v);
        let t = (s.clamp(0.0, 1.0) * uv - v.dot(w)) / vv;
        let is_s_clamped = s <= 0.0 || s >= 1.0;
        if is_s_clamped && t > 0.0 && t < 1.0 {
            return Self::end_of_first_edge(x, u8::from(s > 0.5));
        }
        Self::end_of_second_edge(x, u8::from(t > 0.5))
    }

    /// Vertex 0 and point `k`; `difference` is the vector from the latter to the former (m).
    fn vertex_vertex(k: usize, difference: Vec3) -> Self {
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        weights[k] = -1.0;
        Self { feature: Feature::Points, weights, difference }
    }

    /// Closest points of vertex `x[0]` and the segment `x[i] x[j]`.
    fn vertex_segment(x: &[Vec3; 4], i: usize, j: usize) -> Self {
        let (fraction, difference) = point_segment(x[0], x[i], x[j]);
        let mut weights = [1.0, 0.0, 0.0, 0.0];
        weights[i] = fraction - 1.0;
        weights[j] = -fraction;
        Self { feature: line_feature(fraction, i, j), weights, difference }
    }

    /// Closest points of vertex `x[0]` and the nearest edge of the triangle.
    fn vertex_triangle_edges(x: &[Vec3; 4]) -> Self {
        let edges = [(1, 2), (1, 3), (2, 3)];
        nearest(edges.map(|(i, j)| Self::vertex_segment(x, i, j)))
    }

    /// Closest points of `x[end]`, an end of the first edge, and the second edge.
    fn end_of_first_edge(x: &[Vec3; 4], end: u8) -> Self {
        let (fraction, difference) = point_segment(x[usize::from(end)], x[2], x[3]);
        let mut weights = [0.0, 0.0, 1.0 - fraction, fraction];
        weights[usize::from(end)] = -1.0;
        Self { feature: line_feature(fraction, 2, 3), weights, difference: -difference }
    }

    /// Closest points of `x[2 + end]`, an end of the second edge, and the first edge.
    fn end_of_second_edge(x: &[Vec3; 4], end: u8) -> Self {
        let (fraction, difference) = point_segment(x[2 + usize::from(end)], x[0], x[1]);
        let mut weights = [fraction - 1.0, -fraction, 0.0, 0.0];
        weights[2 + usize::from(end)] = 1.0;
        Self { feature: line_feature(fraction, 0, 1), weights, difference }
    }

    /// The nearest pair of an end of one edge and a point of the other, or of inner points of both edges, whose position
    /// is inaccurate.
    fn nearly_parallel_edges(x: &[Vec3; 4]) -> Self {
        let ends = nearest([
            Self::end_of_first_edge(x, 0),
            Self::end_of_first_edge(x, 1),
            Self::end_of_second_edge(x, 0),
            Self::end_of_second_edge(x, 1),
        ]);
        let (u, v, w) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
        let (uu, vv) = (u.length_squared(), v.length_squared());
        let normal = u.cross(v);
        let normal2 = normal.length_squared();
        if normal2 <= DEGENERATE_SINE2 * uu * vv {
            return ends;
        }
        let s = normal.dot(w.cross(v)) / normal2;
        let t = (s * u.dot(v) - v.dot(w)) / vv;
        if !(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            return ends;
        }
        let lines = Self {
            feature: LINES,
            weights: [s - 1.0, -s, 1.0 - t, t],
            difference: w + v * t - u * s,
        };
        nearest([ends, lines])
    }
}

/// Fraction along `a b` of the point closest to `p`, and the offset from this point to `p`. A segment without
/// length is treated as its first point.
fn point_segment(p: Vec3, a: Vec3, b: Vec3) -> (f64, Vec3) {
    let (edge, from_a, from_b) = (b - a, p - a, p - b);
    let length2 = edge.length_squared();
    let from_start = from_a.dot(edge);
    if from_start <= 0.0 || length2 == 0.0 {
        return (0.0, from_a);
    }
    let from_end = -from_b.dot(edge);
    if from_end <= 0.0 {
        return (1.0, from_b);
    }
    // Computed from the nearer end, which minimises the offset along the edge and hence its rounding error in a
    // small distance.
    if from_start <= from_end {
        let s = from_start / length2;
        (s, from_a - edge * s)
    } else {
        let s = from_end / length2;
        (1.0 - s, from_b + edge * s)
    }
}

/// Feature of a point and a segment, from the fraction along the segment `i j` of its closest point.
fn line_feature(fraction: f64, i: usize, j: usize) -> Feature {
    if fraction > 0.0 && fraction < 1.0 {
        Feature::PointLine([i as u8, j as u8])
    } else {
        Feature::Points
    }
}

/// The closest points with the smallest distance, the first ones of equal ones.
fn nearest<const N: usize>(candidates: [Closest; N]) -> Closest {
    let better = |a: Closest, b: Closest| if b.distance2() < a.distance2() { b } else { a };
    candidates.into_iter().reduce(better).expect("at least one candidate")
}

/// The shortest of several offsets with the same normal component: the rounding error of a product with the normal
/// is proportional to the length of the offset.
fn nearest_offset<const N: usize>(candidates: [Vec3; N]) -> Vec3 {
    let shorter = |a: Vec3, b: Vec3| if b.length_squared() < a.length_squared() { b } else { a };
    candidates.into_iter().reduce(shorter).expect("at least one offset")
}
