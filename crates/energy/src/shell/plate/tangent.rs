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
    /// The start of the sums of each edge, and the end.
    starts: Vec<u32>,
    /// For each entry of the matrix the indices, among the sums of its row, of the four nodes of its column.
    slots: Vec<[u16; 4]>,
    /// Pairs of nodes, sorted.
    pairs: Vec<(u32, u32)>,
    /// The start of the products of each pair, and the end.
    products: Vec<u32>,
    /// Four times the edge plus the index of its node, and the sum that it multiplies.
    factors: Vec<(u32, u32)>,
}

impl CoupledTangent {
    /// The sparsity for edges with these nodes.
    pub(super) fn new(matrix: &EdgeMatrix, nodes: &[[u32; 4]]) -> Self {
        let (mut starts, mut slots) = (vec![0], Vec::with_capacity(matrix.columns.len()));
        let mut products: Vec<(u32, u32, u32, u32)> = Vec::new();
        let mut of_row: Vec<u32> = Vec::new();
        for (edge, own) in nodes.iter().enumerate() {
            of_row.clear();
            of_row.extend(matrix.row(edge).flat_map(|(other, _)| nodes[other as usize]));
            of_row.sort_unstable();
            of_row.dedup();
            let slot = |node: u32| of_row.binary_search(&node).expect("a node of the row") as u16;
            slots.extend(matrix.row(edge).map(|(other, _)| nodes[other as usize].map(slot)));
            let start = starts[edge];
            for (k, &i) in (0..).zip(own) {
                let later = (0..).zip(&of_row).filter(|&(_, &j)| i <= j);
                products.extend(later.map(|(s, &j)| (i, j, 4 * edge as u32 + k, start + s)));
            }
            starts.push(start + of_row.len() as u32);
        }
        products.sort_unstable();
        let mut tangent =
            Self { starts, slots, pairs: Vec::new(), products: vec![0], factors: Vec::new() };
        tangent.factors.extend(products.iter().map(|&(_, _, factor, sum)| (factor, sum)));
        for same in products.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            tangent.pairs.push((same[0].0, same[0].1));
            let start = tangent.products.last().copied().unwrap_or(0);
            tangent.products.push(start + same.len() as u32);
        }
        tangent
    }

    /// Adds the blocks of the form with these `gradients` of the angles at the nodes of each edge; `less` is subtracted
    /// from the diagonal of the matrix.
    pub(super) fn add(
        &self,
        matrix: &EdgeMatrix,
        less: &[f64],
        gradients: &[[Vec3; 4]],
        out: &mut Hessian<'_>,
    ) {
        let mut sums = ROW_BUFFERS.take();
        sums.clear();
        sums.resize(self.starts.last().copied().unwrap_or(0) as usize, Vec3::ZERO);
        self.sum_rows(0..matrix.rows(), (matrix, less, gradients), &mut sums);
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
        let place = |edge: usize| (self.starts[edge] - self.starts[edges.start]) as usize;
        if edges.len() > EDGES_PER_TASK {
            let middle = edges.start + edges.len() / 2;
            let (left, right) = out.split_at_mut(place(middle));
            join(
                || self.sum_rows(edges.start..middle, form, left),
                || self.sum_rows(middle..edges.end, form, right),
            );
            return;
        }
        let (matrix, less, gradients) = form;
        for edge in edges.clone() {
            let sums = &mut out[place(edge)..place(edge + 1)];
            let slots = &self.slots[matrix.starts[edge] as usize..];
            for ((other, value), slots) in matrix.row(edge).zip(slots) {
                let other = other as usize;
                let value = if other == edge { value - less[edge] } else { value };
                for (gradient, &slot) in gradients[other].iter().zip(slots) {
                    sums[usize::from(slot)] += value * *gradient;
                }
            }
        }
    }
}
