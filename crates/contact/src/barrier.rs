//! The barrier on the distance.
//!
//! `b(d) = -(d/d_hat - 1)^2 ln(d/d_hat)` for `d < d_hat`, else 0 (Li et al. 2020, on
//! the distance itself as in You, Zheng and Li's A-search paper, made dimensionless). It is
//! twice continuously differentiable at `d_hat` and infinite at 0.
//!
//! # Units
//! A pair's energy is `kappa * d_hat * area * b(d)`: kappa in pascal, so a flat
//! contact at distance `d` has the pressure `-kappa * d_hat * b'(d)`, whatever the
//! mesh. One number then means the same in every scene and at every resolution.

/// Value and first two derivatives of the barrier by distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Barrier {
    /// b (dimensionless), at least 0.
    pub value: f64,
    /// db/dd (1/m), at most 0.
    pub first: f64,
    /// d2b/dd2 (1/m^2), at least 0.
    pub second: f64,
}

/// The barrier at distance `d` (m) for the activation distance `d_hat` (m). At or
/// below zero distance its value is `+inf`.
pub fn barrier(d: f64, d_hat: f64) -> Barrier {
    let s = d / d_hat;
    if s >= 1.0 {
        return Barrier { value: 0.0, first: 0.0, second: 0.0 };
    }
    if s <= 0.0 {
        return Barrier { value: f64::INFINITY, first: f64::NEG_INFINITY, second: f64::INFINITY };
    }
    let (log, below) = (s.ln(), s - 1.0);
    let ratio = below / s;
    Barrier {
        value: -below * below * log,
        first: (-2.0 * below * log - below * ratio) / d_hat,
        second: (-2.0 * log - 4.0 * ratio + ratio * ratio) / (d_hat * d_hat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_value() {
        for s in [1e-3, 0.05, 0.3, 0.7, 0.97] {
            let (d_hat, d): (f64, f64) = (0.01, 0.01 * s);
            let eps = 1e-4 * d.min(d_hat - d);
            let at = |k: f64| barrier(d + k * eps, d_hat);
            let slope = |f: &dyn Fn(Barrier) -> f64| {
                (8.0 * (f(at(1.0)) - f(at(-1.0))) - (f(at(2.0)) - f(at(-2.0)))) / (12.0 * eps)
            };
            let b = barrier(d, d_hat);
            assert!(b.value > 0.0 && b.first < 0.0 && b.second > 0.0);
            assert!((slope(&|b| b.value) / b.first - 1.0).abs() < 1e-8, "at {s}");
            assert!((slope(&|b| b.first) / b.second - 1.0).abs() < 1e-8, "at {s}");
        }
    }

    #[test]
    fn value_and_two_derivatives_vanish_at_d_hat_and_the_value_is_infinite_at_zero() {
        for gap in [1e-3, 1e-6, 1e-9] {
            let b = barrier(1.0 - gap, 1.0);
            assert!(b.value > 0.0 && b.value <= 1.01 * gap.powi(3));
            assert!(b.first < 0.0 && b.first >= -3.01 * gap * gap);
            assert!(b.second > 0.0 && b.second <= 6.1 * gap);
        }
        assert_eq!(barrier(1.0, 1.0).value, 0.0);
        assert_eq!(barrier(0.0, 1.0).value, f64::INFINITY);
    }
}
