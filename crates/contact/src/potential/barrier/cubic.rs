//! The cubic barrier, `b(s) = 2/3 (1 - s)^3`.
//!
//! Ando 2024, *A Cubic Barrier with Elasticity-Inclusive Dynamic Stiffness* (ACM TOG 43(6)):
//! `-2 kappa / (3 d_hat) (d - d_hat)^3`, made dimensionless. Only the function is used: the stiffness of the paper
//! depends on elasticity and the gap, while `kappa` is a constant parameter here. The barrier is finite at contact
//! (2/3, with the slope -2); the [parent module](super) describes the consequences.

/// `b`, `b'` and `b''` at `0 < s < 1`.
#[inline]
pub(super) fn derivatives(s: f64) -> [f64; 3] {
    let remainder = 1.0 - s;
    [2.0 / 3.0 * remainder * remainder * remainder, -2.0 * remainder * remainder, 4.0 * remainder]
}
