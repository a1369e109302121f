//! Projection of local Hessians to positive semi-definite matrices.

/// Treatment of negative eigenvalues of a local Hessian (one element or one contact pair).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Psd {
    /// The exact second derivative, possibly indefinite.
    Exact,
    /// Clamp its negative eigenvalues to zero, so that the sum is positive semi-definite (Teran et
    /// al. 2005, *Robust quasistatic finite elements and flesh simulation*).
    Clamp,
}
