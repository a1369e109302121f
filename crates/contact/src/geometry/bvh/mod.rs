//! Bounding boxes and bounding volume hierarchies.
//!
//! The topology of a tree is built once, by median splits of the rest shape. Only its boxes are refitted: bodies
//! deform but are not rearranged, and a refit costs a hundredth of a query. Simultaneous traversal of two trees
//! finds all pairs of overlapping primitives without a separate query per primitive.
//!
//! The boxes of a tree are in single precision, rounded outwards. They take half the memory, and eight of them,
//! stored by coordinate, are compared with one at once. A node therefore has at most eight children, a leaf at most
//! eight primitives, and their boxes are contiguous. Trees are a third as deep as binary ones, and a traversal
//! consists of comparisons rather than jumps. Rounding enlarges a box by 1e-7 of its coordinates, far below any
//! `d_hat`.
//!
//! Primitives that move by an affine map are fitted eight at a time (`affine.rs`).

mod affine;
mod descent;
mod rounded_box;

pub(crate) use affine::{AffinePath, AffineTree};
pub(crate) use descent::visit_overlapping;
pub use descent::{Fitted, pairs, self_pairs};
use resile_math::{Aabb, Vec3};
use rounded_box::{LEAF_SIZE, PackedBoxes};
pub(crate) use rounded_box::{RoundedBox, set_bits};
use std::ops::Range;

/// A node of a tree: a range of primitives, and of children.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Range of its primitives in the order of the tree.
    first: u32,
    count: u32,
    /// Range of its children, which are consecutive and come after it; empty for a leaf.
    child: u32,
    children: u32,
}

/// The topology of a tree of boxes over numbered primitives.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

/// The boxes of a [`Tree`] for one configuration.
#[derive(Debug, Clone)]
pub struct Boxes {
    /// Boxes of the children or primitives of each node.
    packs: Vec<PackedBoxes>,
    /// Box of the root node.
    top: PackedBoxes,
    root: Aabb,
    /// Largest distance of a point from its box due to rounding (m).
    rounding: f64,
}

impl Boxes {
    /// Box around all primitives.
    pub fn root(&self) -> Aabb {
        self.root
    }
}

impl Tree {
    /// A tree over primitives with these centres. O(n log n).
    pub fn new(centres: &[Vec3]) -> Self {
        let order = (0..centres.len() as u32).collect();
        let mut tree = Self { nodes: Vec::new(), order };
        if !centres.is_empty() {
            tree.nodes.push(Node::new(0..centres.len()));
            tree.divide(centres, 0);
        }
        tree
    }

    /// Recursively divides a node that has more primitives than a leaf.
    fn divide(&mut self, centres: &[Vec3], node_index: usize) {
        if self.nodes[node_index].count as usize <= LEAF_SIZE {
            return;
        }
        let mut parts = vec![self.nodes[node_index].range()];
        // At most three rounds of bisection.
        while 2 * parts.len() <= LEAF_SIZE {
            let halves = |part: Range<usize>| match part.len() <= LEAF_SIZE {
                true => vec![part],
                false => self.halve(centres, part).to_vec(),
            };
            let divided: Vec<Range<usize>> = parts.iter().cloned().flat_map(halves).collect();
            if divided.len() == parts.len() {
                break;
            }
            parts = divided;
        }
        let child = self.nodes.len();
        (self.nodes[node_index].child, self.nodes[node_index].children) =
            (child as u32, parts.len() as u32);
        self.nodes.extend(parts.into_iter().map(Node::new));
        (child..self.nodes.len()).for_each(|k| self.divide(centres, k));
    }

    /// Splits primitives at the median along the longest axis.
    fn halve(&mut self, centres: &[Vec3], part: Range<usize>) -> [Range<usize>; 2] {
        let range = &mut self.order[part.clone()];
        let extent = Aabb::of_points(range.iter().map(|&p| centres[p as usize]));
        let axis = (extent.max - extent.min).max_position();
        let half = range.len() / 2;
        range.select_nth_unstable_by(half, |&a, &b| {
            let key = |p: u32| centres[p as usize][axis];
            key(a).total_cmp(&key(b)).then(a.cmp(&b))
        });
        [part.start..part.start + half, part.start + half..part.end]
    }

    /// Boxes of the tree for primitives `i` with the boxes `box_of(i)`.
    pub fn refit(&self, box_of: impl Fn(usize) -> Aabb) -> Boxes {
        let boxes = self.order.iter().map(|&p| box_of(p as usize));
        let root = boxes.fold(Aabb::EMPTY, Aabb::joined);
        self.refit_rounded(root, |i| RoundedBox::around(box_of(i)))
    }

    /// Boxes of the tree for primitives whose boxes are already rounded, with `root` around all of them.
    pub(crate) fn refit_rounded(
        &self,
        root: Aabb,
        rounded_box_of: impl Fn(usize) -> RoundedBox,
    ) -> Boxes {
        let pack_of_leaf = |_: usize, leaf: &Node| {
            let mut leaf_boxes = [RoundedBox::EMPTY; LEAF_SIZE];
            for (leaf_box, &p) in leaf_boxes.iter_mut().zip(&self.order[leaf.range()]) {
                *leaf_box = rounded_box_of(p as usize);
            }
            PackedBoxes::new(&leaf_boxes)
        };
        self.boxes_from_leaves(pack_of_leaf, root)
    }

    /// All leaves in the order of nodes.
    fn leaves(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_leaf())
    }

    /// Boxes of all nodes from those of the leaves: `pack_of_leaf` returns the boxes of the n-th leaf in the order of
    /// nodes. `root` is the box around all primitives.
    #[inline]
    fn boxes_from_leaves(
        &self,
        pack_of_leaf: impl Fn(usize, &Node) -> PackedBoxes,
        root: Aabb,
    ) -> Boxes {
        let mut packs = Vec::with_capacity(self.nodes.len());
        let mut leaves = 0;
        for node in &self.nodes {
            if node.is_leaf() {
                packs.push(pack_of_leaf(leaves, node));
                leaves += 1;
            } else {
                packs.push(PackedBoxes::EMPTY);
            }
        }
        for (i, node) in self.nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
            let mut child_hulls = [RoundedBox::EMPTY; LEAF_SIZE];
            child_hulls
                .iter_mut()
                .zip(&packs[node.child_range()])
                .for_each(|(hull, pack)| *hull = pack.hull());
            packs[i] = PackedBoxes::new(&child_hulls);
        }
        let mut top = [RoundedBox::EMPTY; LEAF_SIZE];
        top[0] = packs.first().map_or(RoundedBox::EMPTY, PackedBoxes::hull);
        Boxes { packs, top: PackedBoxes::new(&top), root, rounding: 0.0 }
    }
}

impl Tree {
    /// Largest value `value_of(i)` over the primitives of each node.
    pub(crate) fn subtree_maxima(&self, value_of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut nodes = vec![f64::NEG_INFINITY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let values = self.order[node.range()].iter().map(|&p| value_of(p as usize));
            nodes[i] = match node.is_leaf() {
                true => values.fold(f64::NEG_INFINITY, f64::max),
                false => {
                    nodes[node.child_range()].iter().copied().fold(f64::NEG_INFINITY, f64::max)
                }
            };
        }
        nodes
    }
}

impl Node {
    /// Leaf with a range of primitives in the order of the tree.
    fn new(range: Range<usize>) -> Self {
        Self { first: range.start as u32, count: range.len() as u32, child: 0, children: 0 }
    }

    fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// Range of its primitives in the order of the tree.
    fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// Range of its children.
    fn child_range(&self) -> Range<usize> {
        self.child as usize..(self.child + self.children) as usize
    }

    /// Bit mask of the children, or of the primitives of a leaf.
    fn lane_mask(&self) -> u32 {
        (1 << if self.is_leaf() { self.count } else { self.children }) - 1
    }
}
