//! What becomes of negative curvature.

/// What to do with directions of negative curvature in a local Hessian, one of those that a
/// Hessian is the sum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Psd {
    /// Nothing: the second derivative as it is, possibly indefinite.
    Exact,
    /// Clamp its negative eigenvalues to zero, so that the sum is positive semi-definite (Teran et
    /// al. 2005, *Robust quasistatic finite elements and flesh simulation*).
    Clamp,
}
