//! Simultaneous traversal of two trees.

use super::rounded_box::{PackedBoxes, round_down_lanes, set_bits};
use super::{Boxes, Node, Tree};
use resile_math::{Aabb, Vec3};
use std::ops::ControlFlow;
use wide::f32x8;

/// A tree with its boxes.
#[derive(Debug, Clone, Copy)]
pub struct Fitted<'a> {
    tree: &'a Tree,
    boxes: &'a Boxes,
    /// Relative deviation of each node: if the values of two nodes add up to less than one, their primitives are
    /// not near each other. Empty if there is no such certificate.
    deviations: &'a [f64],
}

impl<'a> Fitted<'a> {
    /// Combines a tree with its boxes.
    pub fn new(tree: &'a Tree, boxes: &'a Boxes) -> Self {
        Self { tree, boxes, deviations: &[] }
    }

    /// Adds a relative deviation of each node: if the values of two nodes add up to less than one, their primitives
    /// are not near each other.
    pub(crate) fn with_deviations(self, deviations: &'a [f64]) -> Self {
        Self { deviations, ..self }
    }

    /// Returns node `i` and the boxes of its children or primitives.
    #[inline]
    fn node(&self, i: usize) -> (&'a Node, &'a PackedBoxes) {
        (&self.tree.nodes[i], &self.boxes.packs[i])
    }

    /// Returns the index of the primitive in this lane of a leaf.
    #[inline]
    fn primitive(&self, leaf: &Node, lane: usize) -> usize {
        self.tree.order[leaf.first as usize + lane] as usize
    }

    /// Returns the root node and its box.
    fn root(&self) -> NodeBox<'a> {
        NodeBox { node: 0, around: BoxOfPack { pack: &self.boxes.top, lane: 0 } }
    }
}

/// A box among the boxes of a pack.
#[derive(Clone, Copy)]
struct BoxOfPack<'a> {
    pack: &'a PackedBoxes,
    lane: usize,
}

/// A node and the box around it.
#[derive(Clone, Copy)]
struct NodeBox<'a> {
    node: usize,
    around: BoxOfPack<'a>,
}

impl<'a> NodeBox<'a> {
    /// Returns the child in one lane of a node, with its box in the pack of the node.
    #[inline]
    fn child(node: &Node, pack: &'a PackedBoxes, lane: usize) -> Self {
        Self { node: node.child as usize + lane, around: BoxOfPack { pack, lane } }
    }
}

/// Calls `visit(i, j)` for all primitives `i` of `a` and `j` of `b` whose boxes overlap, with the box of `j` swept by
/// `sweep` and inflated by `margin`, until `visit` returns `Break`. Returns `Break` if `visit` did, and `Continue`
/// otherwise.
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
    let descent = Descent::new(a, b, sweep, margin);
    match descent.mask_near_a(a.root().around, b.root().around.pack) & 1 {
        0 => ControlFlow::Continue(()),
        _ => descent.descend(a.root(), b.root(), &mut visit),
    }
}

/// Calls `visit(i, j)` once for every unordered pair of different primitives of `tree` whose boxes overlap, with one of
/// them inflated by `margin`, until `visit` returns `Break`. Returns `Break` if `visit` did, and `Continue` otherwise.
pub fn self_pairs(
    tree: Fitted<'_>,
    margin: f64,
    mut visit: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if tree.tree.nodes.is_empty() {
        return ControlFlow::Continue(());
    }
    Descent::new(tree, tree, Vec3::ZERO, margin).descend_within(0, &mut visit)
}

/// Visits each pair of overlapping `boxes` once, by index, and possibly pairs that are apart by rounding. Coordinates must
/// be finite. O(n log n) for boxes that are spread out.
pub(crate) fn visit_overlapping(boxes: &[Aabb], mut visit: impl FnMut(usize, usize)) {
    let centres: Vec<Vec3> = boxes.iter().map(|b| (b.min + b.max) * 0.5).collect();
    let tree = Tree::new(&centres);
    let fitted = tree.refit(|k| boxes[k]);
    let _completed = self_pairs(Fitted::new(&tree, &fitted), 0.0, |k, l| {
        visit(k, l);
        ControlFlow::Continue(())
    });
}

/// Simultaneous traversal of the trees `a` and `b`.
struct Descent<'a> {
    a: Fitted<'a>,
    b: Fitted<'a>,
    /// Distances by which a box of `b` is enlarged below (negated) and above: sum of sweep, margin and rounding.
    margin_below: [f32; 3],
    margin_above: [f32; 3],
}

/// If a node has more than this multiple of the primitives of the other, only the former is replaced by its children.
const MAX_SIZE_RATIO: u32 = 4;

impl<'a> Descent<'a> {
    /// Prepares the traversal of `a` and `b`, where the boxes of `b` are swept by `sweep` and inflated by `margin`.
    fn new(a: Fitted<'a>, b: Fitted<'a>, sweep: Vec3, margin: f64) -> Self {
        // Bound of the rounding errors in comparisons of boxes.
        let Boxes { root, rounding, .. } = b.boxes;
        let extent = root.min.abs().max(root.max.abs()).max_element() + sweep.abs().max_element();
        let rounding = 2.0 * f64::from(f32::EPSILON) * extent + a.boxes.rounding + rounding;
        let margin = Vec3::splat(margin + rounding);
        let [margin_below, margin_above] = [
            -round_down_lanes(sweep.min(Vec3::ZERO) - margin),
            -round_down_lanes(-sweep.max(Vec3::ZERO) - margin),
        ]
        .map(|reach| [0, 1, 2].map(|axis: usize| reach.as_array()[axis]));
        Self { a, b, margin_below, margin_above }
    }

    /// Whether the deviations certify that node `i` of `a` is not near node `j` of `b`.
    #[inline]
    fn are_apart(&self, i: usize, j: usize) -> bool {
        let deviations = self.a.deviations.get(i).zip(self.b.deviations.get(j));
        deviations.is_some_and(|(i, j)| i + j < 1.0)
    }

    /// Returns the bit mask of the boxes of `b` that overlap the box of `a`, with sweep and margin.
    #[inline]
    fn mask_near_a(&self, a: BoxOfPack<'_>, b: &PackedBoxes) -> u32 {
        near_boxes(a, b, &self.margin_above, &self.margin_below)
    }

    /// Returns the bit mask of the boxes of `a` that overlap the box of `b`, with sweep and margin.
    #[inline]
    fn mask_near_b(&self, a: &PackedBoxes, b: BoxOfPack<'_>) -> u32 {
        near_boxes(b, a, &self.margin_below, &self.margin_above)
    }

    /// Visits the pairs of overlapping primitives of two nodes whose boxes overlap.
    fn descend<V>(&self, a: NodeBox<'_>, b: NodeBox<'_>, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        if self.are_apart(a.node, b.node) {
            return ControlFlow::Continue(());
        }
        let ((node_a, pack_a), (node_b, pack_b)) = (self.a.node(a.node), self.b.node(b.node));
        // Masks exclude empty lanes, which seem near if boxes overflow single precision.
        let (lanes_a, lanes_b) = (node_a.lane_mask(), node_b.lane_mask());
        let (is_leaf_a, is_leaf_b) = (node_a.is_leaf(), node_b.is_leaf());
        if !is_leaf_a && (is_leaf_b || node_a.count > MAX_SIZE_RATIO * node_b.count) {
            for k in set_bits(self.mask_near_b(pack_a, b.around) & lanes_a) {
                self.descend(NodeBox::child(node_a, pack_a, k), b, visit)?;
            }
            return ControlFlow::Continue(());
        }
        if !is_leaf_b && (is_leaf_a || node_b.count > MAX_SIZE_RATIO * node_a.count) {
            for l in set_bits(self.mask_near_a(a.around, pack_b) & lanes_b) {
                self.descend(a, NodeBox::child(node_b, pack_b, l), visit)?;
            }
            return ControlFlow::Continue(());
        }
        for k in set_bits(self.mask_near_b(pack_a, b.around) & lanes_a) {
            let box_a = BoxOfPack { pack: pack_a, lane: k };
            for l in set_bits(self.mask_near_a(box_a, pack_b) & lanes_b) {
                if is_leaf_a {
                    visit(self.a.primitive(node_a, k), self.b.primitive(node_b, l))?;
                } else {
                    let child_a = NodeBox::child(node_a, pack_a, k);
                    let child_b = NodeBox::child(node_b, pack_b, l);
                    self.descend(child_a, child_b, visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the pairs of overlapping primitives within node `i`, each pair once.
    fn descend_within<V>(&self, i: usize, visit: &mut V) -> ControlFlow<()>
    where
        V: FnMut(usize, usize) -> ControlFlow<()>,
    {
        if self.are_apart(i, i) {
            return ControlFlow::Continue(());
        }
        let (node, pack) = self.a.node(i);
        for k in 0..node.lane_mask().count_ones() as usize {
            if !node.is_leaf() {
                self.descend_within(node.child as usize + k, visit)?;
            }
            // Lanes after lane `k`.
            let later_lanes = node.lane_mask() & (u32::MAX << (k + 1));
            for l in set_bits(self.mask_near_a(BoxOfPack { pack, lane: k }, pack) & later_lanes) {
                if node.is_leaf() {
                    visit(self.a.primitive(node, k), self.a.primitive(node, l))?;
                } else {
                    let [a, b] = [k, l].map(|lane| NodeBox::child(node, pack, lane));
                    self.descend(a, b, visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the bit mask of the `boxes` that overlap the box `query`, enlarged by the margins `above` and `below`.
#[inline]
fn near_boxes(
    query: BoxOfPack<'_>,
    boxes: &PackedBoxes,
    above: &[f32; 3],
    below: &[f32; 3],
) -> u32 {
    let splat =
        |bounds: &[f32x8; 3], axis: usize| f32x8::splat(bounds[axis].as_array()[query.lane]);
    let axis = |k: usize| {
        let low = splat(&query.pack.min, k) + boxes.neg_max[k];
        let high = splat(&query.pack.neg_max, k) + boxes.min[k];
        low.simd_le(f32x8::splat(above[k])) & high.simd_le(f32x8::splat(below[k]))
    };
    (axis(0) & axis(1) & axis(2)).to_bitmask()
}
