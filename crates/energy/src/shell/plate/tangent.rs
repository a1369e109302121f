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
    /// Four times the edge plus the index of its node, and the sum that it multiplies.
    factors: Vec<(u32, u32)>,
}

impl CoupledTangent {
    /// The sparsity for edges with these nodes.
    pub(super) fn new(matrix: &EdgeMatrix, nodes: &[[u32; 4]]) -> Self {
        let (mut starts, mut slots) = (vec![0], Vec::with_capacity(matrix.columns.len()));
        let mut products: Vec<(u32, u32, u32, u32)> = Vec::new();
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
                let later = (0..).zip(&row_nodes).filter(|&(_, &j)| i <= j);
                products.extend(later.map(|(s, &j)| (i, j, 4 * edge as u32 + k, start + s)));
            }
            starts.push(start + row_nodes.len() as u32);
        }
        products.sort_unstable();
        let mut tangent =
            Self { starts, slots, pairs: Vec::new(), products: vec![0], factors: Vec::new() };
        tangent.factors.extend(products.iter().map(|&(_, _, factor, sum)| (factor, sum)));
        for pair_products in products.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            tangent.pairs.push((pair_products[0].0, pair_products[0].1));
            let start = tangent.products.last().copied().unwrap_or(0);
            tangent.products.push(start + pair_products.len() as u32);
        }
        tangent
    }

    /// Adds the blocks of the form with these `gradients` of the angles at the nodes of each edge;
    /// `subtracted_diagonal` is subtracted from the diagonal of the matrix.
    pub(super) fn add(
        &self,
        matrix: &EdgeMatrix,
        subtracted_diagonal: &[f64],
        gradients: &[[Vec3; 4]],
        out: &mut Hessian<'_>,
    ) {
        let mut sums = ROW_BUFFERS.take();
        sums.clear();
        sums.resize(self.starts.last().copied().unwrap_or(0) as usize, Vec3::ZERO);
        self.sum_rows(0..matrix.rows(), (matrix, subtracted_diagonal, gradients), &mut sums);
        let block = |pair: usize| {
            let range = self.products[pair] as usize..self.products[pair + 1] as usize;
            let product = |&(factor, sum): &(u32, u32)| {
                let gradient = gradients[factor as usize / 4][factor as usize % 4];
                outer(gradient, sums[sum as usize])
            };
            let block = self.factors[range].iter().map(product).fold(Mat3::ZERO, |a, b| a + b);
            let (i, j) = self.pairs[pair];
            if i == j { (block + block.transpose()) * 0.5 } else { block }
        };
        out.add_each(&self.pairs, block);
    }

    /// The sums of a range of edges, which fill `out`.
    fn sum_rows(
        &self,
        edges: Range<usize>,
        form: (&EdgeMatrix, &[f64], &[[Vec3; 4]]),
        out: &mut [Vec3],
    ) {
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
        let (matrix, subtracted_diagonal, gradients) = form;
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
