//! Hessian blocks of a quadratic form of edge angles, by pairs of nodes.

use super::stiffness::EdgeMatrix;
use rayon::join;
use resile_math::{Mat3, Vec3, outer};
use resile_sparse::scratch::ScratchPool;
use resile_system::Hessian;
use std::ops::Range;

/// Edges per parallel task.
const EDGES_PER_TASK: usize = 256;

static ROW_BUFFERS: ScratchPool<Vec3> = ScratchPool::new();

/// The sparsity of the blocks of `sum_ef dtheta_e K_ef dtheta_f` in two stages: for each edge e
/// `y_ej = sum_f K_ef dtheta_f/dx_j` at all nodes j of its row, then the blocks `sum_e dtheta_e/dx_i y_ej^T`.
#[derive(Debug, Clone)]
pub(super) struct CoupledTangent {
    /// Index of the first sum of each edge, followed by the number of sums.
    starts: Vec<u32>,
    /// For each entry of the matrix the indices, among the sums of its row, of the four nodes of its column.
    slots: Vec<[u16; 4]>,
    /// Pairs of nodes, sorted.
    pairs: Vec<(u32, u32)>,
    /// Index of the first product of each pair in `factors`, followed by the number of products.
    products: Vec<u32>,
    /// Factors of the products, pair by pair.
    factors: Vec<ProductFactors>,
}

/// The factors of a product of a gradient and a sum.
#[derive(Debug, Clone, Copy)]
struct ProductFactors {
    /// Four times the edge plus the index of its node: the gradient of the angle of the edge at the node.
    gradient: u32,
    /// Index of the sum.
    sum: u32,
}

/// A product that is part of the block of a pair of nodes. Products are ordered by their pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BlockProduct {
    pair: (u32, u32),
    /// As in [`ProductFactors`].
    gradient: u32,
    sum: u32,
}

/// A quadratic form of edge angles at a state.
#[derive(Clone, Copy)]
pub(super) struct AngleForm<'a> {
    pub(super) matrix: &'a EdgeMatrix,
    /// Diagonal (J) to be subtracted from the matrix.
    pub(super) subtracted_diagonal: &'a [f64],
    /// Gradients (1/m) of the angle of each edge at its nodes.
    pub(super) gradients: &'a [[Vec3; 4]],
}

impl CoupledTangent {
    /// The sparsity for the pairs of edges of `matrix`, where each edge has these nodes.
    pub(super) fn new(matrix: &EdgeMatrix, nodes: &[[u32; 4]]) -> Self {
        let (mut starts, mut slots) = (vec![0], Vec::with_capacity(matrix.columns.len()));
        let mut products: Vec<BlockProduct> = Vec::new();
        let mut row_nodes: Vec<u32> = Vec::new();
        for (edge, edge_nodes) in nodes.iter().enumerate() {
            row_nodes.clear();
            row_nodes.extend(matrix.row(edge).flat_map(|(other, _)| nodes[other as usize]));
            row_nodes.sort_unstable();
            row_nodes.dedup();
            let slot =
                |node: u32| row_nodes.binary_search(&node).expect("a node of the row") as u16;
            slots.extend(matrix.row(edge).map(|(other, _)| nodes[other as usize].map(slot)));
            let start = starts[edge];
            for (k, &i) in (0..).zip(edge_nodes) {
                let gradient = 4 * edge as u32 + k;
                let later = (start..).zip(&row_nodes).filter(|&(_, &j)| i <= j);
                products.extend(later.map(|(sum, &j)| BlockProduct {
                    pair: (i, j),
                    gradient,
                    sum,
                }));
            }
            starts.push(start + row_nodes.len() as u32);
        }
        products.sort_unstable();
        let mut tangent =
            Self { starts, slots, pairs: Vec::new(), products: vec![0], factors: Vec::new() };
        let factors = products
            .iter()
            .map(|&BlockProduct { gradient, sum, .. }| ProductFactors { gradient, sum });
        tangent.factors.extend(factors);
        for pair_products in products.chunk_by(|a, b| a.pair == b.pair) {
            tangent.pairs.push(pair_products[0].pair);
            let start = tangent.products.last().copied().unwrap_or(0);
            tangent.products.push(start + pair_products.len() as u32);
        }
        tangent
    }

    /// Adds the blocks (J/m^2) of a form of these edges to `out`.
    pub(super) fn add(&self, form: AngleForm<'_>, out: &mut Hessian<'_>) {
        let mut sums = ROW_BUFFERS.take();
        sums.clear();
        sums.resize(self.starts.last().copied().unwrap_or(0) as usize, Vec3::ZERO);
        self.sum_rows(0..form.matrix.rows(), form, &mut sums);
        let block = |pair: usize| {
            let range = self.products[pair] as usize..self.products[pair + 1] as usize;
            let product = |factors: &ProductFactors| {
                let gradient = form.gradients.as_flattened()[factors.gradient as usize];
                outer(gradient, sums[factors.sum as usize])
            };
            let block = self.factors[range].iter().map(product).fold(Mat3::ZERO, |a, b| a + b);
            let (i, j) = self.pairs[pair];
            if i == j { (block + block.transpose()) * 0.5 } else { block }
        };
        out.add_each(&self.pairs, block);
    }

    /// Adds the sums of a range of edges, in parallel halves of more than [`EDGES_PER_TASK`], to `out`, which begins with
    /// those of the first of these edges.
    fn sum_rows(&self, edges: Range<usize>, form: AngleForm<'_>, out: &mut [Vec3]) {
        let offset = |edge: usize| (self.starts[edge] - self.starts[edges.start]) as usize;
        if edges.len() > EDGES_PER_TASK {
            let middle = edges.start + edges.len() / 2;
            let (left, right) = out.split_at_mut(offset(middle));
            join(
                || self.sum_rows(edges.start..middle, form, left),
                || self.sum_rows(middle..edges.end, form, right),
            );
            return;
        }
        let AngleForm { matrix, subtracted_diagonal, gradients } = form;
        for edge in edges.clone() {
            let sums = &mut out[offset(edge)..offset(edge + 1)];
            let slots = &self.slots[matrix.starts[edge] as usize..];
            for ((other, value), slots) in matrix.row(edge).zip(slots) {
                let other = other as usize;
                let value = if other == edge { value - subtracted_diagonal[edge] } else { value };
                for (gradient, &slot) in gradients[other].iter().zip(slots) {
                    sums[usize::from(slot)] += value * *gradient;
                }
            }
        }
    }
}
