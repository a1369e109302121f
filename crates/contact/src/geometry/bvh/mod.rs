//! Boxes and trees of boxes.
//!
//! A tree's topology is built once, by median splits of the rest shape, and only its
//! boxes are refitted: bodies deform but do not rearrange, and refitting costs a
//! hundredth of a query. Two trees are descended together, which finds all pairs of
//! overlapping primitives without asking each primitive on its own.
//!
//! Inside a tree boxes are single precision, rounded outwards: half the memory, and eight of them,
//! by coordinate, are compared with one at once. So a node has eight children at most, as a leaf has eight primitives,
//! and their boxes lie together: trees are three times less deep than with two children, and what is left
//! of a descent is comparisons, not jumps. What rounding adds to a box, 1e-7 of its
//! coordinates, is far below any `d_hat`.
//!
//! What an affine map moves is fitted eight primitives at a time, by the map (`affine.rs`).

mod affine;
mod descent;
mod lanes;

pub(crate) use affine::{AffinePath, AffineTree};
pub use descent::{Fitted, pairs, self_pairs};
use lanes::{LEAF, Pack};
pub(crate) use lanes::{Lanes, set_bits};
use resile_math::{Aabb, Vec3};
use std::ops::Range;

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Its primitives in the order of the tree.
    first: u32,
    count: u32,
    /// Its children, which follow each other and come after it; none of a leaf.
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
    /// For each node the boxes of its children, or of its primitives.
    packs: Vec<Pack>,
    /// The box of the first node.
    top: Pack,
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
        let mut tree = Self { nodes: Vec::new(), order };
        if !centres.is_empty() {
            tree.nodes.push(Node::of(0..centres.len()));
            tree.divide(centres, 0);
        }
        tree
    }

    /// Gives a node children, and these theirs, if it has more primitives than a leaf.
    fn divide(&mut self, centres: &[Vec3], at: usize) {
        if self.nodes[at].count as usize <= LEAF {
            return;
        }
        let mut parts = vec![self.nodes[at].range()];
        // Twice as many three times.
        while 2 * parts.len() <= LEAF {
            let halves = |part: Range<usize>| match part.len() <= LEAF {
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
        (self.nodes[at].child, self.nodes[at].children) = (child as u32, parts.len() as u32);
        self.nodes.extend(parts.into_iter().map(Node::of));
        (child..self.nodes.len()).for_each(|k| self.divide(centres, k));
    }

    /// Parts some primitives at the median of the longest axis.
    fn halve(&mut self, centres: &[Vec3], part: Range<usize>) -> [Range<usize>; 2] {
        let range = &mut self.order[part.clone()];
        let size = Aabb::of_points(range.iter().map(|&p| centres[p as usize]));
        let axis = (size.max - size.min).max_position();
        let half = range.len() / 2;
        range.select_nth_unstable_by(half, |&a, &b| {
            let key = |p: u32| centres[p as usize][axis];
            key(a).total_cmp(&key(b)).then(a.cmp(&b))
        });
        [part.start..part.start + half, part.start + half..part.end]
    }

    /// The boxes where primitive `i` has the box `of(i)`.
    pub fn refit(&self, of: impl Fn(usize) -> Aabb) -> Boxes {
        let all = self.order.iter().map(|&p| of(p as usize));
        let root = all.fold(Aabb::EMPTY, Aabb::joined);
        self.refit_lanes(root, |i| Lanes::around(of(i)))
    }

    /// The same for boxes that are rounded already, with `root` around everything.
    pub(crate) fn refit_lanes(&self, root: Aabb, of: impl Fn(usize) -> Lanes) -> Boxes {
        let of_leaf = |_: usize, leaf: &Node| {
            let mut own = [Lanes::EMPTY; LEAF];
            for (own, &p) in own.iter_mut().zip(&self.order[leaf.range()]) {
                *own = of(p as usize);
            }
            Pack::of(&own)
        };
        self.over(of_leaf, root)
    }

    fn leaves(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_leaf())
    }

    /// The boxes over those of leaves, of which `of_leaf` says the n-th in the order of nodes, with `root` around
    /// everything.
    #[inline]
    fn over(&self, of_leaf: impl Fn(usize, &Node) -> Pack, root: Aabb) -> Boxes {
        let mut packs = Vec::with_capacity(self.nodes.len());
        let mut leaves = 0;
        for node in &self.nodes {
            if node.is_leaf() {
                packs.push(of_leaf(leaves, node));
                leaves += 1;
            } else {
                packs.push(Pack::EMPTY);
            }
        }
        for (i, node) in self.nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
            let mut own = [Lanes::EMPTY; LEAF];
            own.iter_mut().zip(&packs[node.below()]).for_each(|(own, pack)| *own = pack.hull());
            packs[i] = Pack::of(&own);
        }
        let mut top = [Lanes::EMPTY; LEAF];
        top[0] = packs.first().map_or(Lanes::EMPTY, Pack::hull);
        Boxes { packs, top: Pack::of(&top), root, rounding: 0.0 }
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
                false => nodes[node.below()].iter().copied().fold(f64::NEG_INFINITY, f64::max),
            };
        }
        nodes
    }
}

impl Node {
    fn of(range: Range<usize>) -> Self {
        Self { first: range.start as u32, count: range.len() as u32, child: 0, children: 0 }
    }

    fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// Its primitives in the order of the tree.
    fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// Its children.
    fn below(&self) -> Range<usize> {
        self.child as usize..(self.child + self.children) as usize
    }

    /// A bit for each child, or for each primitive of a leaf.
    fn lanes(&self) -> u32 {
        (1 << if self.is_leaf() { self.count } else { self.children }) - 1
    }
}
