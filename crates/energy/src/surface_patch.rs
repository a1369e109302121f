//! Parts of surfaces and their consistent loads.

use crate::load_points::LoadPoints;
use resile_math::cross_matrix;
use resile_system::{Hessian, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// A rule of six points on a triangle, exact for polynomials of degree four (Dunavant 1985, *High degree efficient
/// symmetrical Gaussian quadrature rules for the triangle*): the barycentric coordinate a and the weight of two triples
/// of points. A triple consists of `(a, b, b)`, `(b, a, b)` and `(b, b, a)` with `b = (1 - a) / 2`.
const TRIPLES: [(f64, f64); 2] = [
    (0.108_103_018_168_070, 0.223_381_589_678_011),
    (0.816_847_572_980_459, 0.109_951_743_655_322),
];

/// Largest distance of a midside node from the midpoint of a straight edge, relative to the length of the edge.
const MIDPOINT_TOLERANCE: f64 = 1e-9;

/// A part of the surface of a body, as faces of elements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfacePatch {
    /// Faces of linear elements, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Faces of quadratic elements: the corners a, b, c counter-clockwise seen from outside, then the middles of
    /// ab, bc, ca.
    pub quadratic: Vec<[u32; 6]>,
}

impl SurfacePatch {
    /// Whether the patch has no face.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.quadratic.is_empty()
    }

    /// The triangles, and each quadratic face as the four triangles between its nodes.
    pub fn flat(&self) -> Vec<[u32; 3]> {
        let split = |&[a, b, c, ab, bc, ca]: &[u32; 6]| {
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        let quadratic = self.quadratic.iter().flat_map(split);
        self.triangles.iter().copied().chain(quadratic).collect()
    }

    /// Quadrature points of a rule of degree four on the faces, for nodes at `x` (m) and loads that depend on position.
    pub fn load_points(&self, x: &[Vec3]) -> LoadPoints {
        let mut load_points = LoadPoints::default();
        for nodes in &self.triangles {
            let [a, b, c] = nodes.map(|node| x[node as usize]);
            let area_vector = (b - a).cross(c - a) * 0.5;
            for (coordinates, weight) in barycentric_points() {
                let [p, q, r] = coordinates;
                let position = a * p + b * q + c * r;
                load_points.push(nodes, &coordinates, position, area_vector * weight);
            }
        }
        for nodes in &self.quadratic {
            let positions = nodes.map(|node| x[node as usize]);
            for point in quadrature_points() {
                let position = combine(&point.shapes, &positions);
                load_points.push(nodes, &point.shapes, position, point.area_vector(&positions));
            }
        }
        load_points
    }

    /// Whether the patch has no boundary: each edge has one face on either side.
    pub fn is_closed(&self) -> bool {
        crate::closed_surface::edges(&self.flat()).is_ok()
    }

    /// `integral of N_i n dA` (m^2) over the patch for nodes at `x` (m), in ascending order of nodes, with the
    /// shape functions `N_i` and the unit normal n: the consistent load of a unit pressure from inside. It is
    /// exact: linear faces have a third of their area vector at each corner, and the integrand of quadratic faces
    /// is a polynomial of degree four. For a closed surface it is the gradient of the volume. O(faces).
    pub fn area_vectors(&self, x: &[Vec3]) -> Vec<(usize, Vec3)> {
        self.area_vectors_of(|node| x[node])
    }

    /// [`area_vectors`](Self::area_vectors) for nodes `i` at `position(i)`.
    pub(crate) fn area_vectors_of(&self, position: impl Fn(usize) -> Vec3) -> Vec<(usize, Vec3)> {
        let mut sums: BTreeMap<usize, Vec3> = BTreeMap::new();
        for nodes in &self.triangles {
            let [a, b, c] = nodes.map(|node| position(node as usize));
            let area_share = (b - a).cross(c - a) / 6.0;
            nodes.iter().for_each(|&node| *sums.entry(node as usize).or_default() += area_share);
        }
        for nodes in &self.quadratic {
            let positions = nodes.map(|node| position(node as usize));
            for point in quadrature_points() {
                let area_vector = point.area_vector(&positions);
                for (&node, shape) in nodes.iter().zip(point.shapes) {
                    *sums.entry(node as usize).or_default() += area_vector * shape;
                }
            }
        }
        sums.into_iter().collect()
    }

    /// Adds `scale` times the symmetric part of the derivative of the [area vectors](Self::area_vectors) with respect
    /// to the node positions, at `x` (m), to `out`. In directions in which the area vectors are a gradient, this is
    /// the whole derivative. The pairs of nodes are the same in every call. O(faces).
    pub(crate) fn add_area_derivatives(&self, x: &[Vec3], scale: f64, out: &mut Hessian<'_>) {
        for nodes in &self.triangles {
            let nodes = nodes.map(|node| node as usize);
            let [a, b, c] = nodes.map(|node| x[node]);
            // Derivative of each corner's share of the area vector with respect to corner j: the cross matrix of the
            // edge opposite to j, divided by 6.
            let opposite_edges = [c - b, a - c, b - a];
            for (i, j) in [(0, 1), (1, 2), (0, 2)] {
                let edge_difference = opposite_edges[j] - opposite_edges[i];
                let block = cross_matrix(edge_difference * (scale / 12.0));
                out.add(nodes[i], nodes[j], block);
            }
        }
        for nodes in &self.quadratic {
            let nodes = nodes.map(|node| node as usize);
            let axes = quadratic_area_derivatives(&nodes.map(|node| x[node]));
            for i in 0..6 {
                for j in i + 1..6 {
                    out.add(nodes[i], nodes[j], cross_matrix(axes[i][j] * (0.25 * scale)));
                }
            }
        }
    }

    /// `out += scale * A u`, where A is the antisymmetric part of the derivative whose symmetric part is that of
    /// [`add_area_derivatives`](Self::add_area_derivatives): contributions of the two faces at an edge cancel unless
    /// the edge is at the rim. O(faces).
    pub(crate) fn add_antisymmetric_area_derivatives(
        &self,
        (x, u): (&[Vec3], &[Vec3]),
        scale: f64,
        out: &mut [Vec3],
    ) {
        for nodes in &self.triangles {
            let nodes = nodes.map(|node| node as usize);
            let [a, b, c] = nodes.map(|node| x[node]);
            let opposite_edges = [c - b, a - c, b - a];
            let displacements = nodes.map(|node| u[node]);
            let displacement_sum: Vec3 = displacements.into_iter().sum();
            let edges_by_displacements: Vec3 =
                opposite_edges.iter().zip(displacements).map(|(edge, u)| edge.cross(u)).sum();
            for (node, edge) in nodes.into_iter().zip(opposite_edges) {
                let product = edges_by_displacements + edge.cross(displacement_sum);
                out[node] += product * (scale / 12.0);
            }
        }
        for nodes in &self.quadratic {
            let nodes = nodes.map(|node| node as usize);
            let (positions, displacements) = (nodes.map(|node| x[node]), nodes.map(|node| u[node]));
            for point in quadrature_points() {
                let axes = point.rotation_axes(&positions);
                let interpolated = combine(&point.shapes, &displacements);
                let axes_by_displacements: Vec3 =
                    axes.iter().zip(displacements).map(|(axis, u)| axis.cross(u)).sum();
                for ((node, axis), shape) in nodes.into_iter().zip(axes).zip(point.shapes) {
                    let product = axes_by_displacements * shape + axis.cross(interpolated);
                    out[node] += product * (0.25 * scale * point.weight);
                }
            }
        }
    }

    /// Boundary edges, in the orientation of their face; edges of quadratic faces are split into halves.
    pub(crate) fn rim(&self) -> Vec<[u32; 2]> {
        let flat = self.flat();
        let edges = flat.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let half_edges: BTreeSet<[u32; 2]> = edges.collect();
        half_edges.iter().copied().filter(|&[a, b]| !half_edges.contains(&[b, a])).collect()
    }

    /// The mean (m) of the corners of the [flat](Self::flat) faces, for nodes at `x` (m). A node counts once for each
    /// face.
    pub(crate) fn centre(&self, x: &[Vec3]) -> Vec3 {
        let flat = self.flat();
        let corners = flat.as_flattened();
        corners.iter().map(|&node| x[node as usize]).sum::<Vec3>() / corners.len().max(1) as f64
    }

    /// `integral of N_i dA` (m^2) over the patch for nodes at `x` (m), in ascending order of nodes, with the shape
    /// functions `N_i`: the consistent load of a unit traction. It is exact for faces with straight edges. Of these,
    /// linear faces have a third of their area at each corner; quadratic faces have zero at corners and a third of
    /// their area at each midpoint. Curved faces are integrated by a rule of degree four. O(faces).
    pub fn areas(&self, x: &[Vec3]) -> Vec<(usize, f64)> {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        let mut add_thirds = |corners: [u32; 3], loaded_nodes: [u32; 3]| {
            let [a, b, c] = corners.map(|node| x[node as usize]);
            let third_of_area = (b - a).cross(c - a).length() / 6.0;
            for node in loaded_nodes {
                *sums.entry(node as usize).or_default() += third_of_area;
            }
        };
        self.triangles.iter().for_each(|&corners| add_thirds(corners, corners));
        let (straight, curved): (Vec<_>, Vec<_>) =
            self.quadratic.iter().partition(|nodes| is_straight(x, nodes));
        straight.into_iter().for_each(|&[a, b, c, ab, bc, ca]| add_thirds([a, b, c], [ab, bc, ca]));
        for nodes in curved {
            let positions = nodes.map(|node| x[node as usize]);
            for point in quadrature_points() {
                let [tangent_q, tangent_r] = point.tangents(&positions);
                let area = tangent_q.cross(tangent_r).length() * (0.5 * point.weight);
                for (&node, shape) in nodes.iter().zip(point.shapes) {
                    *sums.entry(node as usize).or_default() += area * shape;
                }
            }
        }
        sums.into_iter().collect()
    }
}

/// Vectors (m) by pairs of nodes `i < j` of a quadratic face with nodes at these positions (m): a quarter of the cross
/// matrix of each is the block `(i, j)` of the symmetric part of the derivative of the area vectors.
fn quadratic_area_derivatives(positions: &[Vec3; 6]) -> [[Vec3; 6]; 6] {
    let mut sums = [[Vec3::ZERO; 6]; 6];
    for point in quadrature_points() {
        let QuadraturePoint { shapes, weight, .. } = point;
        let axes = point.rotation_axes(positions);
        for i in 0..6 {
            for j in i + 1..6 {
                sums[i][j] += (axes[j] * shapes[i] - axes[i] * shapes[j]) * weight;
            }
        }
    }
    sums
}

/// Whether the midside nodes of a quadratic face are at the midpoints of its edges, up to rounding, for nodes at `x`
/// (m).
fn is_straight(x: &[Vec3], &[a, b, c, ab, bc, ca]: &[u32; 6]) -> bool {
    [[a, b, ab], [b, c, bc], [c, a, ca]].into_iter().all(|edge| {
        let [a, b, middle] = edge.map(|node| x[node as usize]);
        let rounding = 4.0 * f64::EPSILON * a.abs().max(b.abs()).max_element();
        middle.distance(0.5 * (a + b)) <= MIDPOINT_TOLERANCE * a.distance(b) + rounding
    })
}

/// A quadrature point on a quadratic face with the barycentric coordinates p, q and r, where `p = 1 - q - r`.
struct QuadraturePoint {
    /// Shape functions of the six nodes.
    shapes: [f64; 6],
    /// Derivatives of the shape functions with respect to q.
    by_q: [f64; 6],
    /// Derivatives of the shape functions with respect to r.
    by_r: [f64; 6],
    /// Weight; those of a face add up to one.
    weight: f64,
}

impl QuadraturePoint {
    /// Derivatives (m) of the position with respect to q and r, for these positions of the nodes (m).
    fn tangents(&self, positions: &[Vec3; 6]) -> [Vec3; 2] {
        [combine(&self.by_q, positions), combine(&self.by_r, positions)]
    }

    /// Vectors (m) by nodes: the derivative of the vector product of the [tangents](Self::tangents) with respect to a
    /// node is the cross matrix of its vector.
    fn rotation_axes(&self, positions: &[Vec3; 6]) -> [Vec3; 6] {
        let [tangent_q, tangent_r] = self.tangents(positions);
        std::array::from_fn(|j| tangent_q * self.by_r[j] - tangent_r * self.by_q[j])
    }

    /// Area (m^2) that the point represents times the unit normal, for these positions of the nodes (m).
    fn area_vector(&self, positions: &[Vec3; 6]) -> Vec3 {
        let [tangent_q, tangent_r] = self.tangents(positions);
        tangent_q.cross(tangent_r) * (0.5 * self.weight)
    }
}

/// The sum of `positions` times `coefficients`.
fn combine(coefficients: &[f64; 6], positions: &[Vec3; 6]) -> Vec3 {
    coefficients.iter().zip(positions).map(|(coefficient, x)| *x * *coefficient).sum()
}

/// The quadrature points of a quadratic face.
fn quadrature_points() -> impl Iterator<Item = QuadraturePoint> {
    barycentric_points().map(|([p, q, r], weight)| {
        let shapes = [
            p * (2.0 * p - 1.0),
            q * (2.0 * q - 1.0),
            r * (2.0 * r - 1.0),
            4.0 * p * q,
            4.0 * q * r,
            4.0 * r * p,
        ];
        // Derivative of the shape function of each corner with respect to its own coordinate.
        let [dp, dq, dr] = [p, q, r].map(|coordinate| 4.0 * coordinate - 1.0);
        let by_q = [-dp, dq, 0.0, 4.0 * (p - q), 4.0 * r, -4.0 * r];
        let by_r = [-dp, 0.0, dr, -4.0 * q, 4.0 * q, 4.0 * (p - r)];
        QuadraturePoint { shapes, by_q, by_r, weight }
    })
}

/// The barycentric coordinates of the quadrature points of a triangle, with their weights.
fn barycentric_points() -> impl Iterator<Item = ([f64; 3], f64)> {
    TRIPLES.into_iter().flat_map(|(a, weight)| {
        let b = 0.5 * (1.0 - a);
        [[a, b, b], [b, a, b], [b, b, a]].into_iter().map(move |point| (point, weight))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed surface of a ten-node tetrahedron with midpoints moved off the edges.
    fn bulged() -> (Vec<Vec3>, SurfacePatch) {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 1.2, Vec3::new(0.2, 0.1, 0.9)];
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let off = |k: usize| Vec3::new((1.7 * k as f64).sin(), (2.3 * k as f64).cos(), 0.3) * 0.1;
        let middle = |(k, [a, b]): (usize, [usize; 2])| 0.5 * (corners[a] + corners[b]) + off(k);
        let middles = edges.into_iter().enumerate().map(middle);
        let x = corners.into_iter().chain(middles).collect();
        let number = |a: usize, b: usize| {
            let edge = [a.min(b), a.max(b)];
            4 + edges.iter().position(|own| *own == edge).expect("an edge") as u32
        };
        let face = |[a, b, c]: [usize; 3]| {
            [a as u32, b as u32, c as u32, number(a, b), number(b, c), number(c, a)]
        };
        let quadratic = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(face).to_vec();
        (x, SurfacePatch { triangles: Vec::new(), quadratic })
    }

    /// `integral of x . n dA / 3` by the area vectors.
    fn volume(patch: &SurfacePatch, x: &[Vec3]) -> f64 {
        patch.area_vectors(x).iter().map(|&(node, area)| area.dot(x[node])).sum::<f64>() / 3.0
    }

    fn linear() -> (Vec<Vec3>, SurfacePatch) {
        let (x, patch) = bulged();
        let triangles = patch.flat();
        (x, SurfacePatch { triangles, quadratic: Vec::new() })
    }

    #[test]
    fn area_vectors_of_a_closed_surface_are_the_gradient_of_its_volume() {
        for (x, patch) in [linear(), bulged()] {
            let areas = patch.area_vectors(&x);
            let sum: Vec3 = areas.iter().map(|(_, area)| *area).sum();
            assert!(sum.length() < 1e-14, "{sum}");
            let step = 1e-5;
            for &(node, area) in &areas {
                for axis in 0..3 {
                    let at = |by: f64| {
                        let mut moved = x.clone();
                        moved[node][axis] += by;
                        volume(&patch, &moved)
                    };
                    let measured = (at(step) - at(-step)) / (2.0 * step);
                    assert!(
                        (measured - area[axis]).abs() < 1e-9,
                        "node {node}: {measured}, not {}",
                        area[axis]
                    );
                }
            }
        }
    }

    #[test]
    fn the_resultant_on_a_flat_patch_is_pressure_times_area_whatever_the_elements() {
        let x = [
            Vec3::ZERO,
            Vec3::X * 2.0,
            Vec3::Y * 3.0,
            Vec3::X,
            Vec3::new(1.0, 1.5, 0.0),
            Vec3::Y * 1.5,
        ];
        let quadratic = SurfacePatch { quadratic: vec![[0, 1, 2, 3, 4, 5]], ..Default::default() };
        let triangles = vec![[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
        let linear = SurfacePatch { triangles, ..Default::default() };
        for patch in [quadratic, linear] {
            let vectors: Vec3 = patch.area_vectors(&x).iter().map(|(_, area)| *area).sum();
            assert!((vectors - Vec3::Z * 3.0).length() < 1e-14, "{vectors}");
            let area: f64 = patch.areas(&x).iter().map(|(_, area)| area).sum();
            assert!((area - 3.0).abs() < 1e-14, "{area}");
            // For a plane patch both are equal at each node.
            let areas: BTreeMap<usize, f64> = patch.areas(&x).into_iter().collect();
            for (node, vector) in patch.area_vectors(&x) {
                let area = areas.get(&node).copied().unwrap_or(0.0);
                assert!(
                    (vector - Vec3::Z * area).length() < 1e-14,
                    "node {node}: {vector}, not {area}"
                );
            }
        }
    }
}
