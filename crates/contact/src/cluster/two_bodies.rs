//! Sums between the nodes of two bodies that have four each.
//!
//! A pair's Hessian is a sum of few terms `f v v^T` over its four points. In the nodes `v` becomes
//! `y = sum_k w_k v_k` for each body, twelve numbers, and a term `f y y^T`: two or three products of
//! vectors of twelve, in place of ten blocks that go to sixteen pairs of nodes each.

use super::Hanging;
use crate::distance::{BLOCK_PAIRS, Blocks, Terms};
use crate::embedding::Embedding;
use resile_math::{Mat3, Vec3};

/// Numbers of a body.
const SIZE: usize = 12;

/// A block between two bodies, column by column.
type Dense = [[f64; SIZE]; SIZE];

/// Sums of what pairs of two bodies, or of one and an obstacle, add between their nodes.
#[derive(Debug)]
pub(crate) struct TwoBodies {
    /// Of the first, and of the second if there is one.
    nodes: [Option<[u32; 4]>; 2],
    /// Between the first and itself, the second and itself, and rows of the first and columns of
    /// the second.
    own: [Dense; 2],
    between: Dense,
}

impl TwoBodies {
    /// Nothing yet between the bodies of these points; nothing at all if there are more than two, or one
    /// of the points is a node.
    pub(super) fn of(points: &Hanging) -> Option<Self> {
        let mut nodes = [None; 2];
        for point in points.iter().flatten() {
            let of_point = Some(point.nodes).filter(|nodes| nodes[0] != nodes[1]);
            of_point?;
            if !nodes.contains(&of_point) {
                let free = nodes.iter_mut().find(|known| known.is_none())?;
                *free = of_point;
            }
        }
        let none = [[0.0; SIZE]; SIZE];
        nodes[0].map(|_| Self { nodes, own: [none; 2], between: none })
    }

    /// Whether all points that hang on nodes do so on these.
    pub(super) fn holds(&self, points: &Hanging) -> bool {
        points.iter().flatten().all(|point| self.nodes.contains(&Some(point.nodes)))
    }

    /// Which of the two bodies a point is of.
    fn side(&self, point: &Embedding) -> usize {
        usize::from(self.nodes[0] != Some(point.nodes))
    }

    pub(super) fn add_terms(&mut self, points: &Hanging, terms: &Terms) {
        for term in terms.as_slice() {
            let mut y = [[0.0; SIZE]; 2];
            for (point, v) in points.iter().zip(term.vectors) {
                let Some(point) = point else { continue };
                let y = &mut y[self.side(point)];
                for (y, w) in y.chunks_exact_mut(3).zip(point.weights) {
                    (0..3).for_each(|axis| y[axis] += w * v[axis]);
                }
            }
            let scaled = y.map(|y| y.map(|y| term.factor * y));
            add_product(&mut self.own[0], &y[0], &scaled[0]);
            if self.nodes[1].is_some() {
                add_product(&mut self.own[1], &y[1], &scaled[1]);
                add_product(&mut self.between, &y[0], &scaled[1]);
            }
        }
    }

    pub(super) fn add_blocks(&mut self, points: &Hanging, blocks: &Blocks) {
        for (block, (k, l)) in blocks.iter().zip(BLOCK_PAIRS) {
            let (Some(a), Some(b)) = (&points[k], &points[l]) else { continue };
            let transposed = block.transpose();
            match [self.side(a), self.side(b)] {
                [0, 1] => add_block(&mut self.between, a.weights, b.weights, block),
                [1, 0] => add_block(&mut self.between, b.weights, a.weights, &transposed),
                [side, _] => {
                    add_block(&mut self.own[side], a.weights, b.weights, block);
                    if k != l {
                        add_block(&mut self.own[side], b.weights, a.weights, &transposed);
                    }
                }
            }
        }
    }

    pub(super) fn add_weighted(&mut self, points: &Hanging, weights: [f64; 4], block: Mat3) {
        let mut of_nodes = [[0.0; 4]; 2];
        for (point, weight) in points.iter().zip(weights) {
            let Some(point) = point else { continue };
            let sums = &mut of_nodes[self.side(point)];
            sums.iter_mut().zip(point.weights).for_each(|(sum, w)| *sum += weight * w);
        }
        let [first, second] = of_nodes;
        add_block(&mut self.own[0], first, first, &block);
        if self.nodes[1].is_some() {
            add_block(&mut self.own[1], second, second, &block);
            add_block(&mut self.between, first, second, &block);
        }
    }

    /// `visit(node, node, sum)` for each unordered pair of nodes.
    pub(super) fn visit(&self, visit: &mut impl FnMut(u32, u32, Mat3)) {
        for (nodes, own) in self.nodes.iter().zip(&self.own) {
            let nodes = nodes.iter().flatten();
            for (j, &second) in nodes.clone().enumerate() {
                for (i, &first) in nodes.clone().enumerate().take(j + 1) {
                    visit(first, second, block(own, i, j));
                }
            }
        }
        let [first, second] = self.nodes;
        for (j, &b) in second.iter().flatten().enumerate() {
            for (i, &a) in first.iter().flatten().enumerate() {
                visit(a, b, block(&self.between, i, j));
            }
        }
    }
}

/// `out += rows columns^T`.
#[inline]
fn add_product(out: &mut Dense, rows: &[f64; SIZE], columns: &[f64; SIZE]) {
    for (out, column) in out.iter_mut().zip(columns) {
        out.iter_mut().zip(rows).for_each(|(out, row)| *out += row * column);
    }
}

/// Adds `rows[i] columns[j] block` at `(i, j)`.
fn add_block(out: &mut Dense, rows: [f64; 4], columns: [f64; 4], block: &Mat3) {
    for (j, column) in columns.into_iter().enumerate() {
        for (out, part) in out[3 * j..3 * j + 3].iter_mut().zip(block.to_cols_array_2d()) {
            for (out, row) in out.chunks_exact_mut(3).zip(rows) {
                (0..3).for_each(|axis| out[axis] += row * column * part[axis]);
            }
        }
    }
}

/// Block `(i, j)`.
fn block(of: &Dense, i: usize, j: usize) -> Mat3 {
    let column = |c: usize| Vec3::from_slice(&of[3 * j + c][3 * i..3 * i + 3]);
    Mat3::from_cols(column(0), column(1), column(2))
}
