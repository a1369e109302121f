//! Ordering and symbolic factorisation of a pattern.

use super::DirectError;
use super::ordering::{FactorisationCost, Ordering};
use faer::perm::PermRef;
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
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
    /// Lower triangle by columns.
    pub(super) lower: SymbolicSparseColMat<u32>,
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
        Ok(Self { lower, cholesky })
    }
}

/// Scalar rows of `node`.
fn scalar_rows(node: u32, width: u32) -> std::ops::Range<u32> {
    width * node..width * (node + 1)
}

/// Scalar sparsity pattern of the lower triangle, by columns.
fn lower_triangle(pattern: &BlockPattern, width: u32) -> SymbolicSparseColMat<u32> {
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
