//! Bounding boxes of primitives that move by an affine map.
//!
//! A point embedded in at most four nodes is `x = q_0 + E w`, where `w` are its weights on nodes 1 to 3 and the
//! columns of `E` are the edges `q_k - q_0`. The weights are constant, so they are stored by leaf, eight primitives
//! side by side, and the map is applied to all eight at once. On a straight path a point stays in the box around
//! both its ends. Fitting point by point and primitive by primitive, as for other meshes, takes more than twice as
//! long for a net of chains.

use super::rounded_box::{LEAF_SIZE, PackedBoxes};
use super::{Boxes, Node, Tree};
use crate::Embedding;
use resile_math::{Aabb, Vec3};
use wide::f32x8;

/// Bound of the number of single-precision roundings of a point: three products of rounded factors and three sums,
/// with a margin.
const MAX_ROUNDINGS: f64 = 8.0;

/// Bound of coordinates (m) beyond which single precision may overflow.
const MAX_COORDINATE: f64 = 1e30;

/// The primitives of a [`Tree`] by the weights of their points.
#[derive(Debug, Clone)]
pub(crate) struct AffineTree {
    /// Weights on nodes 1 to 3, by leaf and corner.
    leaves: Vec<[f32x8; 3]>,
    /// Number of points of a primitive.
    corners: usize,
    /// Largest absolute value of each weight.
    max_weights: Vec3,
}

impl AffineTree {
    /// Weights for a tree of primitives with these `corners` and this `embedding`.
    pub(crate) fn new<const N: usize>(
        tree: &Tree,
        corners: impl Fn(usize) -> [u32; N],
        embedding: &[Embedding],
    ) -> Self {
        let points = |k: usize| corners(k).map(|point| weights(&embedding[point as usize]));
        let weights_of_leaf = |leaf: &Node| {
            let mut corner_weights = [[[0.0_f32; LEAF_SIZE]; 3]; N];
            // Unused lanes repeat the last primitive.
            let primitives = &tree.order[leaf.range()];
            for lane in 0..LEAF_SIZE {
                let primitive = primitives[lane.min(primitives.len() - 1)] as usize;
                for (out, point) in corner_weights.iter_mut().zip(points(primitive)) {
                    (0..3).for_each(|k| out[k][lane] = point[k] as f32);
                }
            }
            corner_weights.map(|corner| corner.map(f32x8::new))
        };
        let point_weights = tree.order.iter().flat_map(|&p| points(p as usize));
        Self {
            leaves: tree.leaves().flat_map(weights_of_leaf).collect(),
            corners: N,
            max_weights: point_weights.fold(Vec3::ZERO, |max_weights, w| max_weights.max(w.abs())),
        }
    }

    /// Boxes of the tree on a path. O(n).
    pub(crate) fn boxes(&self, tree: &Tree, path: &AffinePath) -> Boxes {
        let pack_of_leaf =
            |n: usize, _: &Node| path.pack(&self.leaves[n * self.corners..(n + 1) * self.corners]);
        let max_coordinate = |map: &Map| map.origin_size + map.edge_sizes.dot(self.max_weights);
        let [start, end] = path.ends.each_ref().map(max_coordinate);
        let rounding = MAX_ROUNDINGS * f64::from(f32::EPSILON) * start.max(end);
        Boxes { rounding, ..tree.boxes_from_leaves(pack_of_leaf, path.root) }
    }
}

/// Weights of a point on nodes 1 to 3.
fn weights(point: &Embedding) -> Vec3 {
    let mut weights = [0.0; 4];
    point.terms().for_each(|(node, weight)| weights[node] += weight);
    Vec3::new(weights[1], weights[2], weights[3])
}

/// Affine maps of a surface at both ends of a straight path.
#[derive(Debug)]
pub(crate) struct AffinePath {
    ends: [Map; 2],
    /// Bounding box of the surface (m).
    root: Aabb,
}

impl AffinePath {
    /// Path of a surface within `root` whose nodes, at most four, move from `from` to
    /// `to - mean_displacement` (m). `None` if
    /// single precision could overflow.
    pub(crate) fn new(
        root: Aabb,
        [from, to]: [&[Vec3]; 2],
        mean_displacement: Vec3,
    ) -> Option<Self> {
        let ends = [Map::new(from, Vec3::ZERO), Map::new(to, mean_displacement)];
        let is_in_range =
            |map: &Map| map.origin_size + map.edge_sizes.element_sum() < MAX_COORDINATE;
        ends.iter().all(is_in_range).then_some(Self { ends, root })
    }

    /// Boxes of eight primitives, given corner by corner.
    #[inline]
    fn pack(&self, corners: &[[f32x8; 3]]) -> PackedBoxes {
        let empty = [f32x8::splat(f32::INFINITY); 3];
        let mut pack = PackedBoxes { min: empty, neg_max: empty };
        for map in &self.ends {
            for corner in corners {
                for axis in 0..3 {
                    let mut coordinate = f32x8::splat(map.origin[axis]);
                    for (edge, weight) in map.edges.iter().zip(corner) {
                        coordinate = weight.mul_add(f32x8::splat(edge[axis]), coordinate);
                    }
                    pack.min[axis] = pack.min[axis].fast_min(coordinate);
                    pack.neg_max[axis] = pack.neg_max[axis].fast_min(-coordinate);
                }
            }
        }
        pack
    }
}

/// An affine map: position of node 0 and edges from it to the others (m).
#[derive(Debug)]
struct Map {
    origin: [f32; 3],
    edges: [[f32; 3]; 3],
    /// Largest absolute component of the origin and of each edge.
    origin_size: f64,
    edge_sizes: Vec3,
}

impl Map {
    /// Map of the positions of at most four `nodes`, minus `offset` (m).
    fn new(nodes: &[Vec3], offset: Vec3) -> Self {
        let first = nodes.first().copied().unwrap_or(Vec3::ZERO);
        let edges = [1, 2, 3].map(|k: usize| nodes.get(k).map_or(Vec3::ZERO, |&q| q - first));
        let single = |v: Vec3| v.to_array().map(|x| x as f32);
        let origin = first - offset;
        Self {
            origin: single(origin),
            edges: edges.map(single),
            origin_size: origin.abs().max_element(),
            edge_sizes: Vec3::from_array(edges.map(|edge| edge.abs().max_element())),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::CollisionMesh;
    use crate::Embedding;
    use crate::geometry::bvh::{self, AffinePath};
    use crate::geometry::collision_mesh::Sort;
    use proptest::prelude::*;
    use resile_math::{Aabb, Mat3, Vec3};
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;

    /// Corners of a regular tetrahedron.
    const NODES: [Vec3; 4] = [
        Vec3::new(1.0, 1.0, 1.0),
        Vec3::new(1.0, -1.0, -1.0),
        Vec3::new(-1.0, 1.0, -1.0),
        Vec3::new(-1.0, -1.0, 1.0),
    ];

    /// A tube about the z axis: points, and triangles.
    fn tube(rings: u32, around: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let point = |k: u32| {
            let angle = f64::from(k % around) / f64::from(around) * std::f64::consts::TAU;
            let (sin, cos) = angle.sin_cos();
            Vec3::new(0.7 * cos, 0.4 * sin, 0.2 * f64::from(k / around))
        };
        let quad = |k: u32| {
            let (ring, turn) = (k / around * around, (k + 1) % around);
            let (a, b) = (k, ring + turn);
            [[a, b, a + around], [b, b + around, a + around]]
        };
        let triangles = (0..(rings - 1) * around).flat_map(quad).collect();
        ((0..rings * around).map(point).collect(), triangles)
    }

    fn hanging(points: &[Vec3], triangles: &[[u32; 3]]) -> CollisionMesh {
        let [a, b, c, d] = NODES;
        let to_weights = Mat3::from_cols(b - a, c - a, d - a).inverse();
        let hang = |x: &Vec3| {
            let w = to_weights * (*x - a);
            Embedding { nodes: [0, 1, 2, 3], weights: [1.0 - w.x - w.y - w.z, w.x, w.y, w.z] }
        };
        let embedding = points.iter().map(hang).collect();
        CollisionMesh::embedded(points, triangles, embedding, 4).expect("it is a tube")
    }

    /// Listed pairs of primitives of one sort, by boxes of the map and by those of points.
    fn listed(
        mesh: &CollisionMesh,
        sort: Sort,
        ends: [[&[Vec3]; 2]; 2],
        margin: f64,
    ) -> [Vec<[usize; 2]>; 2] {
        let by_map = ends.map(|path| {
            let points = path.map(|nodes| mesh.points(nodes));
            let root = Aabb::of_points(points.iter().flat_map(|x| x.iter().copied()));
            let path = AffinePath::new(root, path, Vec3::ZERO).expect("it is finite");
            mesh.affine_boxes(&path).expect("four nodes")
        });
        let by_points = ends.map(|path| {
            let [from, to] = path.map(|nodes| mesh.points(nodes));
            mesh.boxes(|i| from[i as usize], |i| to[i as usize])
        });
        [by_map, by_points].map(|boxes| {
            let [a, b] = boxes.each_ref().map(|boxes| mesh.fitted(sort, boxes));
            let mut out = Vec::new();
            let _all = bvh::pairs(a, b, Vec3::ZERO, margin, |i, j| {
                out.push([i, j]);
                ControlFlow::Continue(())
            });
            out
        })
    }

    fn vector(most: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-most..most).prop_map(Vec3::from_array)
    }

    proptest! {
        /// Lists the same pairs as the boxes of points, in the same order, and no pairs farther apart by more than
        /// rounding.
        #[test]
        fn affine_tree_finds_the_pairs_of_the_point_tree(
            moved in prop::array::uniform4(prop::array::uniform4(vector(0.3))),
            apart in vector(1.0),
            margin in 0.0..0.1,
        ) {
            let (points, triangles) = tube(12, 17);
            let mesh = hanging(&points, &triangles);
            let place = |k: usize| -> Vec<Vec3> {
                let far = if k < 2 { Vec3::ZERO } else { apart };
                NODES.iter().zip(&moved[k]).map(|(q, by)| *q + *by + far).collect()
            };
            let at = [0, 1, 2, 3].map(place);
            let ends = [[&at[0][..], &at[1][..]], [&at[2][..], &at[3][..]]];
            for sort in [Sort::Vertices, Sort::Edges, Sort::Triangles] {
                let [by_map, by_points] = listed(&mesh, sort, ends, margin);
                let [_, more] = listed(&mesh, sort, ends, margin + 1e-4);
                let [known, near]: [BTreeSet<_>; 2] = [&by_points, &more].map(|all| all.iter().collect());
                prop_assert!(by_map.iter().all(|pair| near.contains(pair)));
                let common: Vec<_> = by_map.into_iter().filter(|pair| known.contains(pair)).collect();
                prop_assert_eq!(common, by_points);
            }
        }
    }
}
