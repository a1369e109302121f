//! Boxes and trees of boxes.
//!
//! A tree's topology is built once, by median splits of the rest shape, and only its
//! boxes are refitted: bodies deform but do not rearrange, and refitting costs a
//! hundredth of a query. Two trees are descended together, which finds all pairs of
//! overlapping primitives without asking each primitive on its own.

use resile_linalg::Vec3;

/// An axis-aligned box (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box that holds `points`.
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let grow = |b: Self, p: Vec3| Self { min: b.min.min(p), max: b.max.max(p) };
        points.into_iter().fold(Self::EMPTY, grow)
    }

    /// The smallest box that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `margin` (m) on all sides.
    #[must_use]
    pub fn inflate(self, margin: f64) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// What the box covers while it is translated by `by`.
    #[must_use]
    pub fn swept(self, by: Vec3) -> Self {
        Self { min: self.min + by.min(Vec3::ZERO), max: self.max + by.max(Vec3::ZERO) }
    }

    /// Whether the boxes have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The shortest translation (m) along an axis that parts the boxes; not positive
    /// if they are apart.
    pub fn separation(&self, other: &Self) -> f64 {
        (self.max - other.min).min(other.max - self.min).min_element()
    }
}

const LEAF: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The right child; the left one follows its parent. Zero in a leaf.
    right: u32,
    first: u32,
    count: u32,
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
    nodes: Vec<Aabb>,
    /// In the tree's order.
    primitives: Vec<Aabb>,
}

impl Boxes {
    /// The box around everything.
    pub fn root(&self) -> Aabb {
        self.nodes.first().copied().unwrap_or(Aabb::EMPTY)
    }
}

impl Tree {
    /// A tree over primitives with these centres. O(n log n).
    pub fn new(centres: &[Vec3]) -> Self {
        let mut tree = Self { nodes: Vec::new(), order: (0..centres.len() as u32).collect() };
        if !centres.is_empty() {
            tree.build(centres, 0, centres.len());
        }
        tree
    }

    fn build(&mut self, centres: &[Vec3], first: usize, count: usize) {
        let at = self.nodes.len();
        self.nodes.push(Node { right: 0, first: first as u32, count: count as u32 });
        if count <= LEAF {
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
        let primitives: Vec<Aabb> = self.order.iter().map(|&p| of(p as usize)).collect();
        let mut nodes = vec![Aabb::EMPTY; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            nodes[i] = if node.right == 0 {
                primitives[node.range()].iter().copied().fold(Aabb::EMPTY, Aabb::hull)
            } else {
                nodes[i + 1].hull(nodes[node.right as usize])
            };
        }
        Boxes { nodes, primitives }
    }

    /// Calls `visit` for every primitive whose box overlaps `target`.
    pub fn query(&self, boxes: &Boxes, target: &Aabb, mut visit: impl FnMut(usize)) {
        let mut stack = vec![0u32];
        while let Some(i) = stack.pop() {
            let Some(node) = self.nodes.get(i as usize) else { return };
            if !boxes.nodes[i as usize].overlaps(target) {
                continue;
            }
            if node.right == 0 {
                for k in node.range().filter(|&k| boxes.primitives[k].overlaps(target)) {
                    visit(self.order[k] as usize);
                }
            } else {
                stack.extend([node.right, i + 1]);
            }
        }
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
/// of `i` overlaps that of `j` swept by `sweep` and grown by `margin`.
pub fn pairs(
    a: Fitted<'_>,
    b: Fitted<'_>,
    sweep: Vec3,
    margin: f64,
    visit: &mut dyn FnMut(usize, usize),
) {
    if !a.tree.nodes.is_empty() && !b.tree.nodes.is_empty() {
        Descent::new(a, b, sweep, margin).descend(0, 0, visit);
    }
}

/// Calls `visit(i, j)` once for every unordered pair of different primitives whose
/// boxes, one of them grown by `margin`, overlap.
pub fn self_pairs(a: Fitted<'_>, margin: f64, visit: &mut dyn FnMut(usize, usize)) {
    if !a.tree.nodes.is_empty() {
        Descent::new(a, a, Vec3::ZERO, margin).descend_into(0, visit);
    }
}

struct Descent<'a> {
    a: Fitted<'a>,
    b: Fitted<'a>,
    /// How far a box of `b` reaches below and above itself.
    low: Vec3,
    high: Vec3,
}

impl<'a> Descent<'a> {
    fn new(a: Fitted<'a>, b: Fitted<'a>, sweep: Vec3, margin: f64) -> Self {
        let margin = Vec3::splat(margin);
        Self { a, b, low: sweep.min(Vec3::ZERO) - margin, high: sweep.max(Vec3::ZERO) + margin }
    }

    fn near(&self, a: &Aabb, b: &Aabb) -> bool {
        a.min.cmple(b.max + self.high).all() && (b.min + self.low).cmple(a.max).all()
    }

    fn descend(&self, i: usize, j: usize, visit: &mut dyn FnMut(usize, usize)) {
        if !self.near(&self.a.boxes.nodes[i], &self.b.boxes.nodes[j]) {
            return;
        }
        let (node_a, node_b) = (&self.a.tree.nodes[i], &self.b.tree.nodes[j]);
        if node_a.right == 0 && node_b.right == 0 {
            self.leaves(node_a, node_b, visit);
        } else if node_b.right == 0 || (node_a.right != 0 && node_a.count >= node_b.count) {
            self.descend(i + 1, j, visit);
            self.descend(node_a.right as usize, j, visit);
        } else {
            self.descend(i, j + 1, visit);
            self.descend(i, node_b.right as usize, visit);
        }
    }

    fn leaves(&self, a: &Node, b: &Node, visit: &mut dyn FnMut(usize, usize)) {
        for k in a.range() {
            for l in b.range() {
                if self.near(&self.a.boxes.primitives[k], &self.b.boxes.primitives[l]) {
                    visit(self.a.tree.order[k] as usize, self.b.tree.order[l] as usize);
                }
            }
        }
    }

    fn descend_into(&self, i: usize, visit: &mut dyn FnMut(usize, usize)) {
        let node = &self.a.tree.nodes[i];
        if node.right != 0 {
            self.descend_into(i + 1, visit);
            self.descend_into(node.right as usize, visit);
            self.descend(i + 1, node.right as usize, visit);
            return;
        }
        for k in node.range() {
            for l in k + 1..node.range().end {
                if self.near(&self.a.boxes.primitives[k], &self.a.boxes.primitives[l]) {
                    visit(self.a.tree.order[k] as usize, self.a.tree.order[l] as usize);
                }
            }
        }
    }
}
