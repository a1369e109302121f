//! The clamped squared logarithm, `b(s) = (s - 1)^2 (ln s)^2`.
//!
//! Huang et al. 2024 (*GIPC*), as `ClampedLogSqBarrier` of IPC Toolkit, normalised: less stiff
//! than the logarithm near the activation distance, where it is of fourth order, and stiffer near
//! contact.

use resile_math::elementary;

/// `b`, `b'` and `b''` at `0 < s < 1`, with `t = s - 1`.
#[inline]
pub(super) fn derivatives(s: f64) -> [f64; 3] {
    let (log, t) = (elementary::ln(s), s - 1.0);
    let ratio = t / s;
    [
        t * t * log * log,
        2.0 * t * log * (log + ratio),
        2.0 * (log * log + 4.0 * log * ratio + ratio * ratio * (1.0 - log)),
    ]
}
