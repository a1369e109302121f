//! Boxes and trees of boxes.
//!
//! A tree's topology is built once, by median splits of the rest shape, and only its
//! boxes are refitted: bodies deform but do not rearrange, and refitting costs a
//! hundredth of a query. Two trees are descended together, which finds all pairs of
//! overlapping primitives without asking each primitive on its own.
//!
//! Inside a tree boxes are single precision, rounded outwards: half the memory, and
//! a comparison of two boxes is four lanes wide; a primitive is compared with all eight of
//! a leaf at once, by coordinate (finding the pairs of two spheres of 10,092 triangles took
//! a third less for it). What rounding adds to a box, 1e-7 of its coordinates, is far below
//! any `d_hat`.
//!
//! What an affine map moves is fitted eight primitives at a time, by the map (`affine.rs`).

mod affine;
mod descent;
mod lanes;

pub(crate) use affine::{AffinePath, AffineTree};
pub use descent::{Fitted, pairs, self_pairs};
pub(crate) use lanes::Lanes;
use lanes::{LEAF, Pack};
use resile_math::{Aabb, Vec3};

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The right child; the left one follows its parent. Zero in a leaf.
    right: u32,
    first: u32,
    count: u32,
    /// Which leaf it is, if it is one.
    leaf: u32,
}

/// The topology of a tree of boxes over numbered primitives.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    leaves: u32,
}

/// The boxes of a [`Tree`] for one configuration.
#[derive(Debug, Clone)]
pub struct Boxes {
    nodes: Vec<Lanes>,
    /// The boxes of primitives, leaf by leaf.
    packs: Vec<Pack>,
    root: Aabb,
    /// How far a point may be out of its box by rounding (m).
    rounding: f64,
}

impl Boxes {
    /// The box around everything.
    pub fn root(&self) -> Aabb {
        self.root
    }
}

impl Tree {
    /// A tree over primitives with these centres. O(n log n).
    pub fn new(centres: &[Vec3]) -> Self {
        let order = (0..centres.len() as u32).collect();
        let mut tree = Self { nodes: Vec::new(), order, leaves: 0 };
        if !centres.is_empty() {
            tree.build(centres, 0, centres.len());
        }
        tree
    }

    fn build(&mut self, centres: &[Vec3], first: usize, count: usize) {
        let at = self.nodes.len();
        self.nodes.push(Node {
            right: 0,
            first: first as u32,
            count: count as u32,
            leaf: self.leaves,
        });
        if count <= LEAF {
            self.leaves += 1;
            return;
        }
        let range = &mut self.order[first..first + count];
        let size = Aabb::of_points(range.iter().map(|&p| centres[p as usize]));
        let axis = (size.max - size.min).max_position();
        let half = count / 2;
        range.select_nth_unstable_by(half, |&a, &b| {
            let key = |p: u32| centres[p as usize][axis];
            key(a).total_cmp(&key(b)).then(a.cmp(&b))
        });
        self.build(centres, first, half);
        self.nodes[at].right = self.nodes.len() as u32;
        self.build(centres, first + half, count - half);
    }

    /// The boxes where primitive `i` has the box `of(i)`.
    pub fn refit(&self, of: impl Fn(usize) -> Aabb) -> Boxes {
        let all = self.order.iter().map(|&p| of(p as usize));
        let root = all.fold(Aabb::EMPTY, Aabb::joined);
        self.refit_lanes(root, |i| Lanes::around(of(i)))
    }

    /// The same for boxes that are rounded already, with `root` around everything.
    pub(crate) fn refit_lanes(&self, root: Aabb, of: impl Fn(usize) -> Lanes) -> Boxes {
        let of_leaf = |leaf: &Node| {
            let mut own = [Lanes::EMPTY; LEAF];
            for (own, &p) in own.iter_mut().zip(&self.order[leaf.range()]) {
                *own = of(p as usize);
            }
            Pack::of(&own)
        };
        let leaves = self.nodes.iter().filter(|node| node.is_leaf());
        self.over(leaves.map(of_leaf).collect(), root)
    }

    /// The boxes over those of leaves, with `root` around everything.
    fn over(&self, packs: Vec<Pack>, root: Aabb) -> Boxes {
        let mut nodes = vec![Lanes::EMPTY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            nodes[i] = match node.is_leaf() {
                true => packs[node.leaf as usize].hull(),
                false => nodes[i + 1].hull(nodes[node.right as usize]),
            };
        }
        Boxes { nodes, packs, root, rounding: 0.0 }
    }
}

impl Tree {
    /// For each node the largest of the numbers `of(i)` of its primitives.
    pub(crate) fn largest(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut nodes = vec![f64::NEG_INFINITY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let own = self.order[node.range()].iter().map(|&p| of(p as usize));
            nodes[i] = match node.is_leaf() {
                true => own.fold(f64::NEG_INFINITY, f64::max),
                false => nodes[i + 1].max(nodes[node.right as usize]),
            };
        }
        nodes
    }
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.right == 0
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// A bit for each primitive of a leaf.
    fn lanes(&self) -> u32 {
        (1 << self.count) - 1
    }
}
