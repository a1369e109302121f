//! Fill-reducing elimination order of the nodes, and the cost of the factorisation.
//!
//! Ordering and counting use the graph of nodes, which is nine times smaller than the graph of unknowns. The result
//! is the same: the three unknowns of a node have the same neighbours, so a minimum-degree ordering eliminates them
//! together.

use super::DirectError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::simplicial;
use resile_sparse::BlockPattern;

/// An approximate minimum degree order of the nodes (Amestoy, Davis and Duff, "An approximate minimum degree
/// ordering algorithm", 1996) and the cost of the factorisation.
#[derive(Debug)]
pub(super) struct Ordering {
    /// `order[k]` is the node eliminated k-th; `position` is the inverse permutation.
    pub(super) order: Vec<u32>,
    pub(super) position: Vec<u32>,
    pub(super) cost: FactorisationCost,
}

/// Predicted cost of a factorisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactorisationCost {
    /// Floating-point operations.
    pub flops: f64,
    /// Structurally nonzero blocks of the factor, including the diagonal.
    pub blocks: f64,
}

impl Ordering {
    /// Orders the nodes of `pattern`, each with `width` unknowns.
    pub(super) fn new(pattern: &BlockPattern, width: usize) -> Result<Self, DirectError> {
        let too_large = |_| DirectError::TooLarge { rows: pattern.rows() };
        let n = pattern.rows();
        let mut starts: Vec<u32> = (0..n).map(|i| pattern.row(i).start as u32).collect();
        starts.push(pattern.len() as u32);
        let graph = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, pattern.columns());
        let (mut order, mut position) = (vec![0u32; n], vec![0u32; n]);
        let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(n, pattern.len()))
            .map_err(|_| DirectError::TooLarge { rows: n })?;
        let stack = MemStack::new(&mut memory);
        amd::order(&mut order, &mut position, graph, amd::Control::default(), stack)
            .map_err(too_large)?;
        let counts = column_counts(pattern, &position);
        let blocks = counts.iter().map(|&count| f64::from(count)).sum();
        let cost = FactorisationCost { flops: flops(&counts, width), blocks };
        Ok(Self { order, position, cost })
    }
}

/// Number of blocks in each column of the block factor, including the diagonal.
fn column_counts(pattern: &BlockPattern, position: &[u32]) -> Vec<u32> {
    let n = pattern.rows();
    let permuted = |(i, j): (u32, u32)| {
        let (a, b) = (position[i as usize], position[j as usize]);
        (a.min(b), a.max(b))
    };
    let mut starts = vec![0u32; n + 1];
    for (_, column) in pattern.pairs().map(permuted) {
        starts[column as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut rows = vec![0u32; pattern.len()];
    for (row, column) in pattern.pairs().map(permuted) {
        let slot = &mut next[column as usize];
        rows[*slot as usize] = row;
        *slot += 1;
    }
    let upper = SymbolicSparseColMatRef::new_unsorted_checked(n, n, &starts, None, &rows);
    let (mut tree, mut counts) = (vec![0i32; n], vec![0u32; n]);
    let mut memory =
        MemBuffer::new(simplicial::prefactorize_symbolic_cholesky_scratch::<u32>(n, rows.len()));
    simplicial::prefactorize_symbolic_cholesky(
        &mut tree,
        &mut counts,
        upper,
        MemStack::new(&mut memory),
    );
    counts
}

/// Operations of a Cholesky factorisation: the sum over the scalar columns of
/// the square of their length (Golub and Van Loan, section 4.2).
fn flops(block_counts: &[u32], width: usize) -> f64 {
    let block_column_flops = |&blocks: &u32| {
        let length = (width * blocks as usize) as f64;
        (0..width).map(|k| (length - k as f64).powi(2)).sum::<f64>()
    };
    block_counts.iter().map(block_column_flops).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_has_no_fill_and_dense_matrix_costs_a_third_of_n_cubed() {
        let chain = BlockPattern::new(50, (0..49u32).map(|i| (i, i + 1)));
        // Each block column except the last holds the diagonal and one block below it.
        let expected = 49.0 * (36.0 + 25.0 + 16.0) + (9.0 + 4.0 + 1.0);
        let cost = Ordering::new(&chain, 3).unwrap().cost;
        assert_eq!(cost, FactorisationCost { flops: expected, blocks: 49.0 * 2.0 + 1.0 });

        let full = BlockPattern::new(20, (0..20u32).flat_map(|i| (0..i).map(move |j| (i, j))));
        let expected: f64 = (1..=60).map(|k| f64::from(k * k)).sum();
        let cost = Ordering::new(&full, 3).unwrap().cost;
        assert_eq!(cost, FactorisationCost { flops: expected, blocks: 210.0 });
    }

    #[test]
    fn order_is_a_permutation_with_inverse_place() {
        let pattern = BlockPattern::new(30, (0..29u32).map(|i| (i, (i * 7 + 3) % 30)));
        let ordering = Ordering::new(&pattern, 3).unwrap();
        for (at, &node) in ordering.order.iter().enumerate() {
            assert_eq!(ordering.position[node as usize] as usize, at);
        }
    }
}
