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

use resile_math::{Aabb, Vec3};
use std::ops::ControlFlow;
use wide::{f32x4, f32x8};

/// Primitives of a leaf at most: as many as are compared at once.
const LEAF: usize = 8;

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

/// A box in single precision: the smallest coordinates, and the largest with the other
/// sign, so that both only ever become smaller. The last lane is always zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes {
    min: f32x4,
    neg_max: f32x4,
}

impl Lanes {
    pub(crate) const EMPTY: Self =
        Self { min: f32x4::new([f32::INFINITY; 4]), neg_max: f32x4::new([f32::INFINITY; 4]) };

    /// The smallest such box that holds `b`.
    pub(crate) fn around(b: Aabb) -> Self {
        Self { min: lanes(b.min), neg_max: lanes(-b.max) }
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Self { min: self.min.fast_min(other.min), neg_max: self.neg_max.fast_min(other.neg_max) }
    }
}

/// Rounded down.
fn lanes(v: Vec3) -> f32x4 {
    f32x4::new([below(v.x), below(v.y), below(v.z), 0.0])
}

fn below(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x { rounded.next_down() } else { rounded }
}

/// The boxes of a leaf's primitives by coordinate, as in [`Lanes`]; what is missing to eight
/// is empty.
#[derive(Debug, Clone, Copy)]
struct Pack {
    min: [f32x8; 3],
    neg_max: [f32x8; 3],
}

impl Pack {
    fn of(primitives: &[Lanes]) -> Self {
        let [mut min, mut neg_max] = [[[f32::INFINITY; LEAF]; 3]; 2];
        for (lane, primitive) in primitives.iter().enumerate() {
            let (low, high) = (primitive.min.to_array(), primitive.neg_max.to_array());
            for axis in 0..3 {
                min[axis][lane] = low[axis];
                neg_max[axis][lane] = high[axis];
            }
        }
        Self { min: min.map(f32x8::new), neg_max: neg_max.map(f32x8::new) }
    }
}

/// The boxes of a [`Tree`] for one configuration.
#[derive(Debug, Clone)]
pub struct Boxes {
    nodes: Vec<Lanes>,
    /// In the tree's order.
    primitives: Vec<Lanes>,
    /// The same, leaf by leaf.
    packs: Vec<Pack>,
    root: Aabb,
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
        let primitives: Vec<Lanes> = self.order.iter().map(|&p| of(p as usize)).collect();
        let leaves = self.nodes.iter().filter(|node| node.right == 0);
        let packs = leaves.map(|leaf| Pack::of(&primitives[leaf.range()])).collect();
        let mut nodes = vec![Lanes::EMPTY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            nodes[i] = if node.right == 0 {
                primitives[node.range()].iter().copied().fold(Lanes::EMPTY, Lanes::hull)
            } else {
                nodes[i + 1].hull(nodes[node.right as usize])
            };
        }
        Boxes { nodes, primitives, packs, root }
    }
}

impl Node {
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A tree with its boxes.
#[derive(Debug, Clone, Copy)]
pub struct Fitted<'a> {
    /// The topology.
    pub tree: &'a Tree,
    /// The boxes.
    pub boxes: &'a Boxes,
}

/// Calls `visit(i, j)` for every primitive `i` of `a` and `j` of `b` of which the box
/// of `i` overlaps that of `j` swept by `sweep` and grown by `margin`, until it breaks.
pub fn pairs(
    a: Fitted<'_>,
    b: Fitted<'_>,
    sweep: Vec3,
    margin: f64,
    mut visit: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if a.tree.nodes.is_empty() || b.tree.nodes.is_empty() {
        return ControlFlow::Continue(());
    }
    Descent::new(a, b, sweep, margin).descend(0, 0, &mut visit)
}

/// Calls `visit(i, j)` once for every unordered pair of different primitives whose
/// boxes, one of them grown by `margin`, overlap, until it breaks.
pub fn self_pairs(
    a: Fitted<'_>,
    margin: f64,
    mut visit: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if a.tree.nodes.is_empty() {
        return ControlFlow::Continue(());
    }
    Descent::new(a, a, Vec3::ZERO, margin).descend_into(0, &mut visit)
}

struct Descent<'a> {
    a: Fitted<'a>,
    b: Fitted<'a>,
    /// How far a box of `b` reaches below (with the other sign) and above itself.
    below: f32x4,
    above: f32x4,
}

impl<'a> Descent<'a> {
    fn new(a: Fitted<'a>, b: Fitted<'a>, sweep: Vec3, margin: f64) -> Self {
        // What rounding in `near` may take away.
        let extent = b.boxes.root.min.abs().max(b.boxes.root.max.abs()).max_element()
            + sweep.abs().max_element();
        let margin = Vec3::splat(margin + 2.0 * f64::from(f32::EPSILON) * extent);
        let below = -lanes(sweep.min(Vec3::ZERO) - margin);
        let above = -lanes(-sweep.max(Vec3::ZERO) - margin);
        Self { a, b, below, above }
    }

    #[inline]
    fn near(&self, a: &Lanes, b: &Lanes) -> bool {
        let low = (a.min + b.neg_max).simd_le(self.above);
        let high = (b.min + a.neg_max).simd_le(self.below);
        (low & high).all()
    }

    /// Which boxes of `b` are near that of `a`, a bit each.
    #[inline]
    fn near_which(&self, a: &Lanes, b: &Pack) -> u32 {
        let (min, neg_max) = (a.min.to_array(), a.neg_max.to_array());
        let (below, above) = (self.below.to_array(), self.above.to_array());
        let axis = |k: usize| {
            let low = (f32x8::splat(min[k]) + b.neg_max[k]).simd_le(f32x8::splat(above[k]));
            let high = (f32x8::splat(neg_max[k]) + b.min[k]).simd_le(f32x8::splat(below[k]));
            low & high
        };
        (axis(0) & axis(1) & axis(2)).to_bitmask()
    }

    fn descend<V>(&self, i: usize, j: usize, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        if !self.near(&self.a.boxes.nodes[i], &self.b.boxes.nodes[j]) {
            return ControlFlow::Continue(());
        }
        let (node_a, node_b) = (&self.a.tree.nodes[i], &self.b.tree.nodes[j]);
        if node_a.right == 0 && node_b.right == 0 {
            self.leaves(i, j, visit)
        } else if node_b.right == 0 || (node_a.right != 0 && node_a.count >= node_b.count) {
            self.descend(i + 1, j, visit)?;
            self.descend(node_a.right as usize, j, visit)
        } else {
            self.descend(i, j + 1, visit)?;
            self.descend(i, node_b.right as usize, visit)
        }
    }

    fn leaves<V>(&self, i: usize, j: usize, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        let (around_b, node_b) = (&self.b.boxes.nodes[j], &self.b.tree.nodes[j]);
        let pack = &self.b.boxes.packs[node_b.leaf as usize];
        for k in self.a.tree.nodes[i].range() {
            let own = &self.a.boxes.primitives[k];
            if !self.near(own, around_b) {
                continue;
            }
            // Where boxes overflow single precision, what is missing in a pack seems near too.
            let mut which = self.near_which(own, pack) & ((1 << node_b.count) - 1);
            while which != 0 {
                let l = node_b.first as usize + which.trailing_zeros() as usize;
                visit(self.a.tree.order[k] as usize, self.b.tree.order[l] as usize)?;
                which &= which - 1;
            }
        }
        ControlFlow::Continue(())
    }

    fn descend_into<V>(&self, i: usize, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        let node = &self.a.tree.nodes[i];
        if node.right != 0 {
            self.descend_into(i + 1, visit)?;
            self.descend_into(node.right as usize, visit)?;
            return self.descend(i + 1, node.right as usize, visit);
        }
        for k in node.range() {
            for l in k + 1..node.range().end {
                if self.near(&self.a.boxes.primitives[k], &self.a.boxes.primitives[l]) {
                    visit(self.a.tree.order[k] as usize, self.a.tree.order[l] as usize)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
