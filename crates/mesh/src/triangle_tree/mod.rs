//! A bounding volume hierarchy of triangles: distances, closest points and winding numbers.

mod triangle;

use crate::TriMesh;
use resile_math::{Aabb, Mat3, Vec3, outer};
use std::f64::consts::PI;
use triangle::{closest_point, solid_angle};

/// Largest number of triangles of a leaf.
const MAX_LEAF_TRIANGLES: usize = 4;

/// Distance, in radii of a node, beyond which its expansion replaces its triangles. Barill et al.
/// recommend 2.
const EXPANSION_FACTOR: f64 = 2.0;

/// A bounding volume hierarchy of fixed triangles.
///
/// ```
/// use resile_math::Vec3;
/// use resile_mesh::TriangleTree;
/// use resile_mesh::generate::Icosphere;
///
/// let ball = Icosphere { radius: 1.0, subdivisions: 3 }.build().unwrap();
/// let tree = TriangleTree::of_mesh(&ball);
/// assert!((tree.distance(Vec3::X * 3.0) - 2.0).abs() < 1e-2);
/// assert!(tree.winding_number(Vec3::X * 0.9, None) > 0.9);
/// assert!(tree.winding_number(Vec3::X * 1.1, None) < 0.1);
/// ```
#[derive(Debug)]
pub struct TriangleTree {
    /// Nodes, the root first; children follow their parents.
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    triangles: Vec<IndexedTriangle>,
}

/// A triangle with its index in the mesh.
#[derive(Debug, Clone, Copy)]
struct IndexedTriangle {
    /// Positions of the corners (m).
    corners: [Vec3; 3],
    index: u32,
}

/// Closest point on a set of triangles.
#[derive(Debug, Clone, Copy)]
pub struct ClosestPoint {
    /// Position in metres.
    pub point: Vec3,
    /// Unit normal of its triangle; zero if the triangle has no area.
    pub normal: Vec3,
}

/// Result of a search for the nearest triangle.
struct Nearest {
    /// Squared distance (m^2).
    squared_distance: f64,
    /// Index in [`TriangleTree::triangles`].
    slot: usize,
    /// Number of triangles visited.
    visited: usize,
}

/// Winding number around a point.
struct Winding {
    number: f64,
    /// Number of triangles evaluated individually.
    visited: usize,
}

/// A node of the tree: bounding box, far-field expansion, and children or triangles.
#[derive(Debug)]
struct Node {
    bounds: Aabb,
    far_field: FarField,
    content: Content,
}

/// Children of an inner node, or the range of triangles of a leaf.
#[derive(Debug)]
enum Content {
    Children([u32; 2]),
    Triangles { start: usize, end: usize },
}

/// Far-field expansion of the winding number of a node's triangles, first three terms (Barill, Dickson,
/// Schmidt, Levin, Jacobson 2018, equations 13 and 14). The error decreases with the fifth power of the distance.
#[derive(Debug)]
struct FarField {
    /// Area-weighted centroid.
    center: Vec3,
    /// Radius of a ball around `center` that contains all triangles.
    radius: f64,
    /// `sum A n`, in m^2.
    dipole: Vec3,
    /// `sum A (x - center) n^T`, in m^3.
    quadrupole: Mat3,
    /// For each component of the normal n the integral of `n (x - center) (x - center)^T / 2`, in m^4.
    octupole: [Mat3; 3],
}

impl FarField {
    /// Expansion of `triangles`, at least one, about their area-weighted centroid, or about a corner if they have no area.
    fn new(triangles: &[IndexedTriangle]) -> Self {
        let centroid = |[a, b, c]: [Vec3; 3]| (a + b + c) / 3.0;
        let area_vector = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(c - a);
        let (mut total_area, mut first_moment) = (0.0, Vec3::ZERO);
        for &IndexedTriangle { corners, .. } in triangles {
            let area = area_vector(corners).length();
            total_area += area;
            first_moment += area * centroid(corners);
        }
        let [first_corner, ..] = triangles[0].corners;
        let center = if total_area > 0.0 { first_moment / total_area } else { first_corner };
        let (mut dipole, mut quadrupole, mut radius) = (Vec3::ZERO, Mat3::ZERO, 0.0_f64);
        let mut octupole = [Mat3::ZERO; 3];
        for &IndexedTriangle { corners, .. } in triangles {
            let area_vector = area_vector(corners);
            dipole += area_vector;
            quadrupole += outer(centroid(corners) - center, area_vector);
            let [a, b, c] = corners.map(|x| x - center);
            let midpoints = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
            // Half the mean of `(x - center) (x - center)^T` over the triangle (m^2). The mean of a quadratic function
            // is a third of its sum over the midpoints of the edges, and half of a third is 1/6.
            let half_second_moment =
                midpoints.iter().map(|&m| outer(m, m)).sum::<Mat3>() * (1.0 / 6.0);
            for (component, a_k) in octupole.iter_mut().zip(area_vector.to_array()) {
                *component += half_second_moment * a_k;
            }
            corners.iter().for_each(|x| radius = radius.max(x.distance(center)));
        }
        Self { center, radius, dipole, quadrupole, octupole }
    }

    /// Whether the expansion is accurate at `p`.
    fn is_far_from(&self, p: Vec3) -> bool {
        self.center.distance_squared(p) > (EXPANSION_FACTOR * self.radius).powi(2)
    }

    /// Approximate winding number around `p`.
    fn winding_number(&self, p: Vec3) -> f64 {
        let r = self.center - p;
        let squared = r.length_squared();
        let cubed = squared * squared.sqrt();
        let dipole_term = self.dipole.dot(r) / cubed;
        let trace = |m: Mat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let quadrupole_term =
            trace(self.quadrupole) / cubed - 3.0 * r.dot(self.quadrupole * r) / (cubed * squared);
        // Sums of the terms that are linear and cubic in r.
        let (mut linear, mut cubic) = (0.0, 0.0);
        for (k, (component, r_k)) in self.octupole.iter().zip(r.to_array()).enumerate() {
            let product = *component * r;
            linear += 2.0 * product[k] + trace(*component) * r_k;
            cubic += r_k * r.dot(product);
        }
        let octupole_term = (15.0 * cubic / squared - 3.0 * linear) / (cubed * squared);
        (dipole_term + quadrupole_term + octupole_term) / (4.0 * PI)
    }
}

impl TriangleTree {
    /// Builds a tree of the triangles of a surface, with their indices; costs `O(n log^2 n)`.
    ///
    /// # Panics
    /// If there are no triangles, or one refers to a vertex that does not exist ([`TriMesh::check_numbers`]).
    pub fn of_mesh(mesh: &TriMesh) -> Self {
        Self::new((0..mesh.triangles.len()).map(|t| mesh.corners(t)))
    }

    /// Builds a tree of triangles given by their corners in metres; costs `O(n log^2 n)`.
    ///
    /// # Panics
    /// If there are no triangles.
    pub fn new(triangles: impl Iterator<Item = [Vec3; 3]>) -> Self {
        let indexed = triangles.zip(0..).map(|(corners, index)| IndexedTriangle { corners, index });
        let mut tree = Self { nodes: Vec::new(), triangles: indexed.collect() };
        tree.split(0, tree.triangles.len());
        tree
    }

    /// Adds a node for a range of triangles, and splits a large range at the median along the longest side of its box;
    /// returns the index of the node.
    fn split(&mut self, start: usize, end: usize) -> u32 {
        let triangles = &mut self.triangles[start..end];
        let corners: Vec<Vec3> = triangles.iter().flat_map(|triangle| triangle.corners).collect();
        let bounds = Aabb::around(&corners).unwrap_or(Aabb { min: Vec3::ZERO, max: Vec3::ZERO });
        let far_field = FarField::new(triangles);
        let node_index = self.nodes.len();
        self.nodes.push(Node { bounds, far_field, content: Content::Triangles { start, end } });
        if end - start > MAX_LEAF_TRIANGLES {
            let axis = bounds.size().max_position();
            // Three times the coordinate of the centroid.
            let coordinate = |&IndexedTriangle { corners: [a, b, c], .. }: &IndexedTriangle| {
                a[axis] + b[axis] + c[axis]
            };
            let half = (end - start) / 2;
            triangles.select_nth_unstable_by(half, |first, second| {
                let order = coordinate(first).total_cmp(&coordinate(second));
                order.then(first.index.cmp(&second.index))
            });
            let first = self.split(start, start + half);
            let second = self.split(start + half, end);
            self.nodes[node_index].content = Content::Children([first, second]);
        }
        node_index as u32
    }

    /// Bounding box of all triangles.
    pub fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// Distance from `p` to the nearest triangle, in metres; costs `O(log n)`.
    pub fn distance(&self, p: Vec3) -> f64 {
        self.search(p).squared_distance.sqrt()
    }

    /// Distance from `p` to the nearest triangle, in metres, and the index of the triangle.
    pub fn nearest(&self, p: Vec3) -> (f64, u32) {
        let Nearest { squared_distance, slot, .. } = self.search(p);
        (squared_distance.sqrt(), self.triangles[slot].index)
    }

    /// The point on all triangles that is closest to `p`.
    pub fn closest(&self, p: Vec3) -> ClosestPoint {
        let [a, b, c] = self.triangles[self.search(p).slot].corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        ClosestPoint { point: closest_point(p, [a, b, c]), normal }
    }

    /// Number of triangles that a distance query and a winding number at `p` visit: some dozens for an even
    /// mesh, nearly all for long triangles that share a vertex.
    pub fn visited_count(&self, p: Vec3) -> usize {
        self.search(p).visited + self.winding(p, None).visited
    }

    /// Branch-and-bound search for the nearest triangle; the nearer child comes first.
    fn search(&self, p: Vec3) -> Nearest {
        let mut nearest = Nearest { squared_distance: f64::INFINITY, slot: 0, visited: 0 };
        // Nodes to visit, each with a lower bound (m^2) of the squared distance of its triangles.
        let mut pending = vec![(0, self.squared_distance_to_box(0, p))];
        while let Some((node, lower_bound)) = pending.pop() {
            if lower_bound >= nearest.squared_distance {
                continue;
            }
            match self.nodes[node as usize].content {
                Content::Triangles { start, end } => {
                    nearest.visited += end - start;
                    for slot in start..end {
                        let corners = self.triangles[slot].corners;
                        let squared_distance = closest_point(p, corners).distance_squared(p);
                        if squared_distance < nearest.squared_distance {
                            nearest = Nearest { squared_distance, slot, ..nearest };
                        }
                    }
                }
                Content::Children(children) => {
                    let [first, second] = children;
                    let [first_bound, second_bound] =
                        children.map(|child| self.squared_distance_to_box(child, p));
                    // Push the nearer child last, so that it is visited first.
                    pending.extend(match first_bound <= second_bound {
                        true => [(second, second_bound), (first, first_bound)],
                        false => [(first, first_bound), (second, second_bound)],
                    });
                }
            }
        }
        nearest
    }

    /// Squared distance (m^2) from `p` to the bounding box of a node.
    fn squared_distance_to_box(&self, node: u32, p: Vec3) -> f64 {
        let Aabb { min, max } = self.nodes[node as usize].bounds;
        p.distance_squared(p.clamp(min, max))
    }

    /// Generalised winding number (Jacobson, Kavan, Sorkine-Hornung 2013) around `p`, without the triangle
    /// `skipped`. The error is below 0.005, because far triangles are approximated together (Barill et al.
    /// 2018).
    pub fn winding_number(&self, p: Vec3, skipped: Option<u32>) -> f64 {
        self.winding(p, skipped).number
    }

    /// Winding number around `p` without the triangle `skipped`.
    fn winding(&self, p: Vec3, skipped: Option<u32>) -> Winding {
        let (mut sum, mut visited) = (0.0, 0);
        let mut pending = vec![0];
        while let Some(node_index) = pending.pop() {
            let node: &Node = &self.nodes[node_index as usize];
            if node.far_field.is_far_from(p) {
                sum += node.far_field.winding_number(p);
                continue;
            }
            match node.content {
                Content::Children(children) => pending.extend(children),
                Content::Triangles { start, end } => {
                    visited += end - start;
                    for &IndexedTriangle { corners, index } in &self.triangles[start..end] {
                        if skipped != Some(index) {
                            sum += solid_angle(p, corners) / (4.0 * PI);
                        }
                    }
                }
            }
        }
        Winding { number: sum, visited }
    }
}
