//! Ordering and symbolic factorisation of a pattern.

use super::DirectError;
use super::ordering::{FactorisationCost, Ordering};
use faer::perm::PermRef;
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SymbolicSupernodalCholesky,
};
use faer::{Side, sparse::linalg::SupernodalThreshold};
use resile_sparse::BlockPattern;
use std::sync::Arc;

/// Ordering and, on first use, symbolic factorisation of one pattern. They are separate because the ordering alone
/// predicts the cost, by which the caller decides whether to factorise the matrix.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) pattern: Arc<BlockPattern>,
    ordering: Ordering,
    /// Number of unknowns per node.
    width: usize,
    symbolic: Option<Symbolic>,
}

/// Shape of the matrix and of its factor, in scalars.
#[derive(Debug)]
pub(super) struct Symbolic {
    /// Lower triangle by columns, in the order of elimination.
    pub(super) lower: SymbolicSparseColMat<u32>,
    /// For each entry of `lower`, its place among the values of the lower triangle in the order of the nodes.
    pub(super) places: Vec<u32>,
    pub(super) cholesky: SymbolicCholesky<u32>,
}

impl Plan {
    /// Orders a pattern with `width` unknowns per node.
    pub(super) fn new(pattern: Arc<BlockPattern>, width: usize) -> Result<Self, DirectError> {
        let ordering = Ordering::new(&pattern, width)?;
        Ok(Self { pattern, ordering, width, symbolic: None })
    }

    /// Predicted cost of the factorisation.
    pub(super) fn cost(&self) -> FactorisationCost {
        self.ordering.cost
    }

    /// The symbolic factorisation, computed on first use.
    pub(super) fn symbolic(&mut self) -> Result<&Symbolic, DirectError> {
        match self.symbolic {
            Some(ref symbolic) => Ok(symbolic),
            None => {
                let symbolic = Symbolic::new(&self.pattern, &self.ordering, self.width)?;
                Ok(self.symbolic.insert(symbolic))
            }
        }
    }

    /// Structure of the factor, and the node eliminated at each position.
    pub(super) fn factor(&mut self) -> Result<(&Symbolic, &[u32]), DirectError> {
        self.symbolic()?;
        let symbolic = self.symbolic.as_ref().expect("it was just made");
        Ok((symbolic, &self.ordering.order))
    }
}

impl Symbolic {
    /// Symbolic factorisation of a pattern with `width` unknowns per node.
    fn new(pattern: &BlockPattern, ordering: &Ordering, width: usize) -> Result<Self, DirectError> {
        let too_large = DirectError::TooLarge { rows: pattern.rows() };
        if width * width * pattern.len() > u32::MAX as usize {
            return Err(too_large);
        }
        let lower = lower_triangle(pattern, width as u32);
        let unknowns = |nodes: &[u32]| {
            nodes.iter().flat_map(|&i| scalar_rows(i, width as u32)).collect::<Vec<_>>()
        };
        let (forward, inverse) = (unknowns(&ordering.order), unknowns(&ordering.position));
        let n = forward.len();
        let cholesky = factorize_symbolic_cholesky(
            lower.as_ref(),
            Side::Lower,
            SymmetricOrdering::Custom(PermRef::new_checked(&forward, &inverse, n)),
            CholeskySymbolicParams {
                // The three unknowns of a node always form a supernode. By default the library factorises small
                // systems column by column, 2.6 times slower.
                supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
                ..Default::default()
            },
        )
        .map_err(|_| too_large)?;
        let (lower, places) =
            in_order_of_elimination(&lower, PermRef::new_checked(&forward, &inverse, n));
        Ok(Self { lower, places, cholesky })
    }

    /// Structure of the factor.
    ///
    /// # Panics
    /// If the matrix is empty: every other factor is one of supernodes.
    pub(super) fn supernodes(&self) -> &SymbolicSupernodalCholesky<u32> {
        match self.cholesky.raw() {
            SymbolicCholeskyRaw::Supernodal(supernodes) => supernodes,
            SymbolicCholeskyRaw::Simplicial(_) => unreachable!("plans ask for supernodes"),
        }
    }
}

/// Lower triangle of a permuted matrix, and the place of each of its entries in `lower`. Computed once per pattern: faer
/// would otherwise permute every matrix.
fn in_order_of_elimination(
    lower: &SymbolicSparseColMat<u32>,
    order: PermRef<'_, u32>,
) -> (SymbolicSparseColMat<u32>, Vec<u32>) {
    let (n, inverse) = (lower.ncols(), order.arrays().1);
    let entries = || {
        let column = |j: usize| lower.col_range(j).map(move |place| (j, place));
        (0..n).flat_map(column).map(|(j, place)| {
            let [a, b] = [inverse[j], inverse[lower.row_idx()[place] as usize]];
            (a.min(b) as usize, a.max(b), place as u32)
        })
    };
    let mut starts = vec![0u32; n + 1];
    entries().for_each(|(column, ..)| starts[column + 1] += 1);
    (0..n).for_each(|column| starts[column + 1] += starts[column]);
    let mut next = starts.clone();
    let (mut rows, mut places) = (vec![0; lower.row_idx().len()], vec![0; lower.row_idx().len()]);
    for (column, row, place) in entries() {
        let slot = next[column] as usize;
        (rows[slot], places[slot]) = (row, place);
        next[column] += 1;
    }
    (SymbolicSparseColMat::new_unsorted_checked(n, n, starts, None, rows), places)
}

/// Scalar rows of `node`.
fn scalar_rows(node: u32, width: u32) -> std::ops::Range<u32> {
    width * node..width * (node + 1)
}

/// Scalar sparsity pattern of the lower triangle, by columns.
pub(super) fn lower_triangle(pattern: &BlockPattern, width: u32) -> SymbolicSparseColMat<u32> {
    let n = width as usize * pattern.rows();
    let mut starts = vec![0u32];
    let mut rows = Vec::with_capacity((width * width) as usize * pattern.len());
    for i in 0..pattern.rows() {
        for k in 0..width {
            let off_diagonal = &pattern.columns()[pattern.row(i)][1..];
            rows.extend(scalar_rows(i as u32, width).skip(k as usize));
            rows.extend(off_diagonal.iter().flat_map(|&j| scalar_rows(j, width)));
            starts.push(rows.len() as u32);
        }
    }
    SymbolicSparseColMat::new_checked(n, n, starts, None, rows)
}
