//! The linearisation of an objective at an iterate.

use resile_math::Vec3;

/// The linearisation of an objective at an iterate of a minimisation, which determines the matrix of
/// [`Objective::hessian`](crate::Objective::hessian).
///
/// A primal-dual method has additional unknowns, dual variables, that are linearised along the iterates. Its matrix
/// tends to the second derivative as iterates converge.
#[derive(Debug, Clone, PartialEq)]
pub struct Linearisation {
    /// Whether the matrix is the second derivative, within the accuracy that convergence requires.
    pub is_exact: bool,
    /// Dual variables of each term; empty for terms without.
    pub duals: Vec<Vec<Vec3>>,
}

impl Linearisation {
    /// The linearisation by the second derivative.
    pub const EXACT: Self = Self { is_exact: true, duals: Vec::new() };
}

impl Default for Linearisation {
    fn default() -> Self {
        Self::EXACT
    }
}
