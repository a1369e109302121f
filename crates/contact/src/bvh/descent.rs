//! Descents of two trees together.

use super::lanes::{Lanes, Pack, lanes};
use super::{Boxes, Node, Tree};
use resile_math::Vec3;
use std::ops::ControlFlow;
use wide::{f32x4, f32x8};

/// A tree with its boxes.
#[derive(Debug, Clone, Copy)]
pub struct Fitted<'a> {
    tree: &'a Tree,
    boxes: &'a Boxes,
    /// A number for each node: where those of two nodes add up to less than one, no primitive of the one
    /// is near one of the other. Empty if nothing is known.
    strays: &'a [f64],
}

impl<'a> Fitted<'a> {
    /// A tree with boxes of its own.
    pub fn new(tree: &'a Tree, boxes: &'a Boxes) -> Self {
        Self { tree, boxes, strays: &[] }
    }

    /// The same with a number for each node: where those of two nodes add up to less than one, no
    /// primitive of the one is near one of the other.
    pub(crate) fn with_strays(self, strays: &'a [f64]) -> Self {
        Self { strays, ..self }
    }

    fn node(&self, i: usize) -> (&'a Node, &'a Lanes) {
        (&self.tree.nodes[i], &self.boxes.nodes[i])
    }

    fn pack(&self, leaf: &Node) -> &'a Pack {
        &self.boxes.packs[leaf.leaf as usize]
    }
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
        let Boxes { root, rounding, .. } = b.boxes;
        let extent = root.min.abs().max(root.max.abs()).max_element() + sweep.abs().max_element();
        let rounding = 2.0 * f64::from(f32::EPSILON) * extent + a.boxes.rounding + rounding;
        let margin = Vec3::splat(margin + rounding);
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

    /// Whether it is known that nothing of node `i` of `a` is near anything of node `j` of `b`.
    #[inline]
    fn are_apart(&self, i: usize, j: usize) -> bool {
        let strays = self.a.strays.get(i).zip(self.b.strays.get(j));
        strays.is_some_and(|(i, j)| i + j < 1.0)
    }

    /// Which boxes of `b` are near that of `a`, a bit each.
    #[inline]
    fn near_which(&self, a: &Lanes, b: &Pack) -> u32 {
        self.near_boxes(a, b, &self.above, &self.below)
    }

    /// Which boxes of `a` are near that of `b`, a bit each.
    #[inline]
    fn which_near(&self, a: &Pack, b: &Lanes) -> u32 {
        self.near_boxes(b, a, &self.below, &self.above)
    }

    /// Which boxes of `many` are near `one`, which reaches so far beyond itself.
    #[inline]
    fn near_boxes(&self, one: &Lanes, many: &Pack, above: &f32x4, below: &f32x4) -> u32 {
        let (min, neg_max) = (one.min.to_array(), one.neg_max.to_array());
        let (above, below) = (above.to_array(), below.to_array());
        let axis = |k: usize| {
            let low = (f32x8::splat(min[k]) + many.neg_max[k]).simd_le(f32x8::splat(above[k]));
            let high = (f32x8::splat(neg_max[k]) + many.min[k]).simd_le(f32x8::splat(below[k]));
            low & high
        };
        (axis(0) & axis(1) & axis(2)).to_bitmask()
    }

    fn descend<V>(&self, i: usize, j: usize, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        let ((node_a, around_a), (node_b, around_b)) = (self.a.node(i), self.b.node(j));
        if !self.near(around_a, around_b) || self.are_apart(i, j) {
            return ControlFlow::Continue(());
        }
        if node_a.is_leaf() && node_b.is_leaf() {
            self.leaves([node_a, node_b], around_b, visit)
        } else if node_b.is_leaf() || (!node_a.is_leaf() && node_a.count >= node_b.count) {
            self.descend(i + 1, j, visit)?;
            self.descend(node_a.right as usize, j, visit)
        } else {
            self.descend(i, j + 1, visit)?;
            self.descend(i, node_b.right as usize, visit)
        }
    }

    fn leaves<V>(&self, [a, b]: [&Node; 2], around_b: &Lanes, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        let own = self.a.pack(a);
        // Where boxes overflow single precision, what is missing in a pack seems near too.
        let mut near_b = self.which_near(own, around_b) & a.lanes();
        if near_b == 0 {
            return ControlFlow::Continue(());
        }
        let others = self.b.pack(b);
        while near_b != 0 {
            let k = near_b.trailing_zeros() as usize;
            let mut which = self.near_which(&own.lane(k), others) & b.lanes();
            while which != 0 {
                let l = which.trailing_zeros() as usize;
                let order = [&self.a.tree.order, &self.b.tree.order];
                visit(
                    order[0][a.first as usize + k] as usize,
                    order[1][b.first as usize + l] as usize,
                )?;
                which &= which - 1;
            }
            near_b &= near_b - 1;
        }
        ControlFlow::Continue(())
    }

    fn descend_into<V>(&self, i: usize, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        if self.are_apart(i, i) {
            return ControlFlow::Continue(());
        }
        let node = &self.a.tree.nodes[i];
        if !node.is_leaf() {
            let right = node.right as usize;
            self.descend_into(i + 1, visit)?;
            self.descend_into(right, visit)?;
            return self.descend(i + 1, right, visit);
        }
        let own = self.a.pack(node);
        let number = |k: usize| self.a.tree.order[node.first as usize + k] as usize;
        for k in 0..node.count as usize {
            // Those after it.
            let mut which =
                self.near_which(&own.lane(k), own) & node.lanes() & (u32::MAX << (k + 1));
            while which != 0 {
                visit(number(k), number(which.trailing_zeros() as usize))?;
                which &= which - 1;
            }
        }
        ControlFlow::Continue(())
    }
}
