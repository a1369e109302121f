//! A surface at rest, unfolded locally into a plane.

use crate::shell::bending::hinges::InnerEdge;
use crate::triangles::{Side, sides};
use resile_math::Vec3;
use std::array::from_fn;

/// A point of a plane (m).
pub(super) type Point = [f64; 2];

/// A linear form of a symmetric 2x2 matrix: the coefficients of its entries xx, yy and xy.
pub(super) type Form = [f64; 3];

/// An edge with a linear form.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeForm {
    pub(super) edge: u32,
    pub(super) form: Form,
}

/// An edge with a weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeWeight {
    pub(super) edge: u32,
    pub(super) weight: f64,
}

/// The triangles of a shell and their adjacency.
pub(super) struct RestSurface<'a> {
    pub(super) rest: &'a [Vec3],
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) edges: &'a [InnerEdge],
    /// The inner edges of each triangle, from its first corner on; `None` at the boundary.
    pub(super) sides: Vec<[Option<u32>; 3]>,
}

/// An unfolded triangle.
#[derive(Debug, Clone)]
pub(super) struct UnfoldedTriangle {
    pub(super) triangle: u32,
    pub(super) corners: [Point; 3],
    /// 1 if its normal is on the same side of the surface as that of the first unfolded triangle, otherwise -1.
    pub(super) orientation: f64,
}

impl<'a> RestSurface<'a> {
    /// The surface of `triangles` with its inner `edges`.
    pub(super) fn new(rest: &'a [Vec3], triangles: &'a [[u32; 3]], edges: &'a [InnerEdge]) -> Self {
        let mut edges_of_triangles = vec![[None; 3]; triangles.len()];
        for (index, edge) in (0..).zip(edges) {
            for triangle in edge.triangles {
                let corners = triangles[triangle as usize];
                let is_edge = |Side { from, to, .. }: &Side| {
                    edge.nodes[..2].contains(from) && edge.nodes[..2].contains(to)
                };
                let side = sides(corners).iter().position(is_edge);
                edges_of_triangles[triangle as usize][side.expect("an edge of the triangle")] =
                    Some(index);
            }
        }
        Self { rest, triangles, edges, sides: edges_of_triangles }
    }

    /// 1 if the normal of a triangle of the edge is on the same side of the surface as that of the first triangle of the
    /// edge, otherwise -1.
    pub(super) fn orientation(&self, edge: u32, triangle: u32) -> f64 {
        let InnerEdge { nodes: [start, end, ..], triangles: [first, _] } =
            self.edges[edge as usize];
        let is_same_direction = |Side { from, to, .. }: Side| [from, to] == [start, end];
        let is_same = sides(self.triangles[triangle as usize]).into_iter().any(is_same_direction);
        if triangle == first || !is_same { 1.0 } else { -1.0 }
    }

    /// A triangle in the plane, with its first corner at the origin and its second on the first axis.
    pub(super) fn unfold(&self, triangle: u32) -> UnfoldedTriangle {
        let [a, b, c] = self.corners(triangle);
        let (foot_fraction, height) = foot_and_height(a, b, c);
        let length = a.distance(b);
        UnfoldedTriangle {
            triangle,
            corners: [[0.0, 0.0], [length, 0.0], [foot_fraction * length, height]],
            orientation: 1.0,
        }
    }

    /// The neighbour across a `side` (0 to 2, from corner to corner), unfolded into the plane of `unfolded`; `None` at the
    /// boundary.
    pub(super) fn unfold_neighbour(
        &self,
        unfolded: &UnfoldedTriangle,
        side: usize,
    ) -> Option<UnfoldedTriangle> {
        let edge = self.sides[unfolded.triangle as usize][side]?;
        let [first, second] = self.edges[edge as usize].triangles;
        let triangle = if first == unfolded.triangle { second } else { first };
        let nodes_of_unfolded = self.triangles[unfolded.triangle as usize];
        let (from, to) = (nodes_of_unfolded[side], nodes_of_unfolded[(side + 1) % 3]);
        let nodes = self.triangles[triangle as usize];
        let tip_node = nodes.into_iter().find(|node| *node != from && *node != to)?;
        let rest_position = |node: u32| self.rest[node as usize];
        let (foot_fraction, height) =
            foot_and_height(rest_position(from), rest_position(to), rest_position(tip_node));
        let [p, q, unfolded_tip] = from_fn(|k| unfolded.corners[(side + k) % 3]);
        let frame = EdgeFrame::new(p, q, unfolded_tip);
        let foot: Point = from_fn(|i| p[i] + foot_fraction * (q[i] - p[i]));
        // The neighbour is on the side of the edge opposite to the given triangle.
        let tip: Point = from_fn(|i| foot[i] - height * frame.normal[i]);
        let plane_position = |node: u32| match node {
            _ if node == from => p,
            _ if node == to => q,
            _ => tip,
        };
        let orientation = unfolded.orientation
            * self.orientation(edge, unfolded.triangle)
            * self.orientation(edge, triangle);
        Some(UnfoldedTriangle { triangle, corners: nodes.map(plane_position), orientation })
    }

    /// The rest positions (m) of the corners of a triangle.
    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|node| self.rest[node as usize])
    }
}

/// The foot of the height of a triangle as a fraction of its edge from a to b, and the height (m).
fn foot_and_height(a: Vec3, b: Vec3, tip: Vec3) -> (f64, f64) {
    let edge = b - a;
    let inverse_square = edge.length_squared().recip();
    ((tip - a).dot(edge) * inverse_square, edge.cross(tip - a).length() * inverse_square.sqrt())
}

/// An unfolded edge.
pub(super) struct EdgeFrame {
    /// Midpoint of the edge (m).
    middle: Point,
    /// Unit vector along the edge.
    tangent: Point,
    /// Its unit normal towards a given point.
    pub(super) normal: Point,
    /// Length of the edge (m).
    pub(super) length: f64,
}

impl EdgeFrame {
    /// The edge from `p` to `q` with its normal towards `to`.
    pub(super) fn new(p: Point, q: Point, to: Point) -> Self {
        let (x, y) = (q[0] - p[0], q[1] - p[1]);
        let length = (x * x + y * y).sqrt();
        let tangent = [x / length, y / length];
        let perpendicular = [-tangent[1], tangent[0]];
        let side = if (to[0] - p[0]) * perpendicular[0] + (to[1] - p[1]) * perpendicular[1] < 0.0 {
            -1.0
        } else {
            1.0
        };
        let normal = perpendicular.map(|c| side * c);
        Self { middle: from_fn(|i| 0.5 * (p[i] + q[i])), tangent, normal, length }
    }

    /// The error of the normal slope of the linear interpolant of a quadratic function with the second derivatives k in
    /// the triangle on this edge with this tip, at the midpoint of the edge. With the tip at s along the edge
    /// (from the midpoint) and at the height h (negative behind the edge), and half the length c of the edge:
    /// `h k_nn / 2 + s k_tn - (c^2 - s^2) k_tt / (2 h)`.
    pub(super) fn slope_error(&self, tip: Point) -> Form {
        let from_middle: Point = from_fn(|i| tip[i] - self.middle[i]);
        let (s, h) = (dot(from_middle, self.tangent), dot(from_middle, self.normal));
        let c = 0.5 * self.length;
        let (nn, tn, tt) = (
            product(self.normal, self.normal),
            product(self.tangent, self.normal),
            product(self.tangent, self.tangent),
        );
        from_fn(|i| 0.5 * h * nn[i] + s * tn[i] - 0.5 * (c * c - s * s) / h * tt[i])
    }
}

/// The scalar product of two plane vectors.
fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// `a . k b` as a linear form of k.
fn product(a: Point, b: Point) -> Form {
    [a[0] * b[0], a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}
