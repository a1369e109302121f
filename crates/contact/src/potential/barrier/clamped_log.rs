//! The clamped logarithm of Li et al. 2020 (IPC), `b(s) = -(s - 1)^2 ln s`.
//!
//! The paper applies it to squared distances. Here it is a dimensionless function of the distance itself, the
//! normalised form of IPC Toolkit.

use resile_math::elementary;

/// `b`, `b'` and `b''` at `0 < s < 1`, with `t = s - 1`.
#[inline]
pub(super) fn derivatives(s: f64) -> [f64; 3] {
    let (log, t) = (elementary::ln(s), s - 1.0);
    let ratio = t / s;
    [-t * t * log, -2.0 * t * log - t * ratio, -2.0 * log - 4.0 * ratio + ratio * ratio]
}
