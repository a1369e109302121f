//! Sums of blocks between the nodes of two bodies with four nodes each.
//!
//! The Hessian of a pair is a sum of few terms `f v v^T` over its four points. In the nodes of each body, `v`
//! becomes the 12-vector `y = sum_k w_k v_k` and a term becomes `f y y^T`. This takes two or three outer products
//! of 12-vectors instead of ten blocks that each contribute to sixteen pairs of nodes.

use super::PointEmbeddings;
use crate::geometry::distance::{BLOCK_PAIRS, Blocks, Terms};
use crate::geometry::embedding::Embedding;
use resile_math::{AFFINE_NODES, Mat3, Vec3};
use wide::f64x4;

/// Degrees of freedom of a body.
const BODY_DOFS: usize = 3 * AFFINE_NODES;

/// One value per degree of freedom, four per register.
type Column = [f64x4; BODY_DOFS / 4];

/// A block between two bodies, by columns.
type Dense = [Column; BODY_DOFS];

/// Sums of the blocks between the nodes of two bodies, or of one body against an obstacle.
#[derive(Debug)]
pub(crate) struct TwoBodies {
    /// Nodes of the first body, and of the second if there is one.
    nodes: [Option<[u32; 4]>; 2],
    /// Blocks between the nodes of the same body.
    diagonal: [Dense; 2],
    /// Blocks with rows of the first body and columns of the second.
    off_diagonal: Dense,
}

impl TwoBodies {
    /// An empty sum for the bodies of these points; `None` if there are more than two bodies, or if a point is a
    /// node.
    pub(super) fn new(points: &PointEmbeddings) -> Option<Self> {
        let mut nodes = [None; 2];
        for point in points.iter().flatten() {
            let point_nodes = Some(point.nodes).filter(|nodes| nodes[0] != nodes[1]);
            point_nodes?;
            if !nodes.contains(&point_nodes) {
                let slot = nodes.iter_mut().find(|known| known.is_none())?;
                *slot = point_nodes;
            }
        }
        let zero = [[f64x4::ZERO; BODY_DOFS / 4]; BODY_DOFS];
        nodes[0].map(|_| Self { nodes, diagonal: [zero; 2], off_diagonal: zero })
    }

    /// Whether all embedded points have these nodes.
    pub(super) fn holds(&self, points: &PointEmbeddings) -> bool {
        points.iter().flatten().all(|point| self.nodes.contains(&Some(point.nodes)))
    }

    /// Index (0 or 1) of the body of a point.
    fn side(&self, point: &Embedding) -> usize {
        usize::from(self.nodes[0] != Some(point.nodes))
    }

    /// Adds the Hessian of a pair, given as a sum of terms.
    pub(super) fn add_terms(&mut self, points: &PointEmbeddings, terms: &Terms) {
        let terms = terms.as_slice();
        let mut products = [[Product::default(); Terms::MAX_TERMS]; 2];
        for (k, term) in terms.iter().enumerate() {
            let mut y = [[0.0; BODY_DOFS]; 2];
            for (point, v) in points.iter().zip(term.vectors) {
                let Some(point) = point else { continue };
                let y = &mut y[self.side(point)];
                for (y, w) in y.chunks_exact_mut(3).zip(point.weights) {
                    (0..3).for_each(|axis| y[axis] += w * v[axis]);
                }
            }
            products[0][k] = Product::new(term.factor, y[0]);
            products[1][k] = Product::new(term.factor, y[1]);
        }
        let [first, second] = products.each_ref().map(|all| &all[..terms.len()]);
        add_products(&mut self.diagonal[0], first, first);
        if self.nodes[1].is_some() {
            add_products(&mut self.diagonal[1], second, second);
            add_products(&mut self.off_diagonal, first, second);
        }
    }

    /// Adds the Hessian of a pair, given by blocks.
    pub(super) fn add_blocks(&mut self, points: &PointEmbeddings, blocks: &Blocks) {
        for (block, (k, l)) in blocks.iter().zip(BLOCK_PAIRS) {
            let (Some(a), Some(b)) = (&points[k], &points[l]) else { continue };
            let transposed = block.transpose();
            match [self.side(a), self.side(b)] {
                [0, 1] => add_block(&mut self.off_diagonal, a.weights, b.weights, block),
                [1, 0] => add_block(&mut self.off_diagonal, b.weights, a.weights, &transposed),
                [side, _] => {
                    add_block(&mut self.diagonal[side], a.weights, b.weights, block);
                    if k != l {
                        add_block(&mut self.diagonal[side], b.weights, a.weights, &transposed);
                    }
                }
            }
        }
    }

    /// Adds `weights[k] weights[l] block` between all points of a pair.
    pub(super) fn add_weighted(
        &mut self,
        points: &PointEmbeddings,
        weights: [f64; 4],
        block: Mat3,
    ) {
        let mut node_weights = [[0.0; 4]; 2];
        for (point, weight) in points.iter().zip(weights) {
            let Some(point) = point else { continue };
            let sums = &mut node_weights[self.side(point)];
            sums.iter_mut().zip(point.weights).for_each(|(sum, w)| *sum += weight * w);
        }
        let [first, second] = node_weights;
        add_block(&mut self.diagonal[0], first, first, &block);
        if self.nodes[1].is_some() {
            add_block(&mut self.diagonal[1], second, second, &block);
            add_block(&mut self.off_diagonal, first, second, &block);
        }
    }

    /// Calls `visit(node, node, sum)` for each unordered pair of nodes.
    pub(super) fn visit(&self, visit: &mut impl FnMut(u32, u32, Mat3)) {
        for (nodes, diagonal) in self.nodes.iter().zip(&self.diagonal) {
            let nodes = nodes.iter().flatten();
            for (j, &second) in nodes.clone().enumerate() {
                for (i, &first) in nodes.clone().enumerate().take(j + 1) {
                    visit(first, second, block(diagonal, i, j));
                }
            }
        }
        let [first, second] = self.nodes;
        for (j, &b) in second.iter().flatten().enumerate() {
            for (i, &a) in first.iter().flatten().enumerate() {
                visit(a, b, block(&self.off_diagonal, i, j));
            }
        }
    }
}

/// A term in the degrees of freedom of a body.
#[derive(Clone, Copy, Default)]
struct Product {
    y: Column,
    /// `y` times the factor of the term.
    scaled: [f64; BODY_DOFS],
}

impl Product {
    /// The term `factor y y^T`.
    fn new(factor: f64, y: [f64; BODY_DOFS]) -> Self {
        let lanes = |k: usize| f64x4::new([y[k], y[k + 1], y[k + 2], y[k + 3]]);
        Self { y: [lanes(0), lanes(4), lanes(8)], scaled: y.map(|y| factor * y) }
    }
}

/// Adds `y scaled^T` of all terms; each entry of `out` is read and written once.
#[inline]
fn add_products(out: &mut Dense, rows: &[Product], columns: &[Product]) {
    for (c, out) in out.iter_mut().enumerate() {
        let [mut low, mut middle, mut high] = *out;
        for (row, column) in rows.iter().zip(columns) {
            let scaled = f64x4::splat(column.scaled[c]);
            low = row.y[0].mul_add(scaled, low);
            middle = row.y[1].mul_add(scaled, middle);
            high = row.y[2].mul_add(scaled, high);
        }
        *out = [low, middle, high];
    }
}

/// Adds `rows[i] columns[j] block` at `(i, j)`.
fn add_block(out: &mut Dense, rows: [f64; 4], columns: [f64; 4], block: &Mat3) {
    for (j, column) in columns.into_iter().enumerate() {
        for (out, part) in out[3 * j..3 * j + 3].iter_mut().zip(block.to_cols_array_2d()) {
            let scaled = |i: usize| rows[i / 3] * column * part[i % 3];
            let four =
                |i: usize| f64x4::new([scaled(i), scaled(i + 1), scaled(i + 2), scaled(i + 3)]);
            (0..3).for_each(|k| out[k] += four(4 * k));
        }
    }
}

/// The 3x3 block `(i, j)` of a matrix.
fn block(matrix: &Dense, i: usize, j: usize) -> Mat3 {
    let entry = |row: usize, column: usize| matrix[column][row / 4].as_array()[row % 4];
    let column = |c: usize| Vec3::from_array([0, 1, 2].map(|r| entry(3 * i + r, 3 * j + c)));
    Mat3::from_cols(column(0), column(1), column(2))
}
