//! Barriers: dimensionless functions `b(s)` of the gap `s = d/d_hat` in units of the activation
//! distance.
//!
//! All barriers are positive, decreasing and convex below the activation distance and zero beyond, with a
//! continuous second derivative. Each barrier consists of one file of this folder with its formula and one variant
//! of [`Barrier`].
//!
//! # Units
//! The energy of a pair is `kappa * d_hat * area * b(d/d_hat)` with `kappa` in pascal. A flat contact at the gap
//! `d` has the pressure `-kappa * b'(s)`, independent of the mesh. The parameter therefore has the same meaning in
//! every scene, at every resolution and for every barrier.
//!
//! # Positive gaps
//! Collision detection keeps gaps positive under every barrier. Each step of a minimisation is bounded by the [time
//! of impact](crate::time_of_impact). A state without a gap has the energy `+inf`, so the line search rejects it.
//! The logarithmic barriers are infinite at contact and balance any pressure at some gap. The cubic barrier is
//! finite, with a maximum pressure of `2 kappa`. Under a larger pressure the minimum has no gap: steps become
//! shorter and shorter, primitives do not cross, and the minimisation does not converge. Scenes with this barrier
//! need a `kappa` above the pressures to be carried.

mod clamped_log;
mod clamped_log_squared;
mod cubic;

/// Barrier function of the gap.
///
/// ```
/// use resile_contact::Barrier;
/// let (gap, d_hat) = (0.4e-3, 1e-3);
/// for barrier in Barrier::ALL {
///     let b = barrier.at(gap, d_hat);
///     assert!(b.value > 0.0 && b.first < 0.0 && b.second > 0.0);
///     assert_eq!(barrier.at(d_hat, d_hat).value, 0.0);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename = "BarrierFunction")
)]
pub enum Barrier {
    /// `-(s - 1)^2 ln s` (Li et al. 2020, on the distance itself).
    #[default]
    ClampedLog,
    /// `(s - 1)^2 (ln s)^2` (Huang et al. 2024; `ClampedLogSqBarrier` of IPC Toolkit, normalised).
    ClampedLogSquared,
    /// `2/3 (1 - s)^3` (Ando 2024), with a pressure of at most `2 kappa`.
    Cubic,
}

/// Value and first two derivatives of a barrier with respect to the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Derivatives {
    /// b (dimensionless), at least 0.
    pub value: f64,
    /// db/dd (1/m), at most 0.
    pub first: f64,
    /// d2b/dd2 (1/m^2), at least 0.
    pub second: f64,
}

impl Barrier {
    /// All barriers.
    pub const ALL: [Self; 3] = [Self::ClampedLog, Self::ClampedLogSquared, Self::Cubic];

    /// The barrier at the gap `d` (m) for the activation distance `d_hat` (m). For gaps at or below zero its value
    /// is `+inf`, even if its limit is finite, since such states are inadmissible.
    #[inline]
    pub fn at(self, d: f64, d_hat: f64) -> Derivatives {
        let s = d / d_hat;
        if s >= 1.0 {
            return Derivatives { value: 0.0, first: 0.0, second: 0.0 };
        }
        if s <= 0.0 {
            let (value, first) = (f64::INFINITY, f64::NEG_INFINITY);
            return Derivatives { value, first, second: f64::INFINITY };
        }
        let [value, first, second] = match self {
            Self::ClampedLog => clamped_log::derivatives(s),
            Self::ClampedLogSquared => clamped_log_squared::derivatives(s),
            Self::Cubic => cubic::derivatives(s),
        };
        Derivatives { value, first: first / d_hat, second: second / (d_hat * d_hat) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_equal_those_of_the_value() {
        for barrier in Barrier::ALL {
            for s in [1e-3, 0.05, 0.3, 0.7, 0.97] {
                let (d_hat, d): (f64, f64) = (0.01, 0.01 * s);
                let eps = 1e-4 * d.min(d_hat - d);
                let at = |k: f64| barrier.at(d + k * eps, d_hat);
                let slope = |f: &dyn Fn(Derivatives) -> f64| {
                    (8.0 * (f(at(1.0)) - f(at(-1.0))) - (f(at(2.0)) - f(at(-2.0)))) / (12.0 * eps)
                };
                let b = barrier.at(d, d_hat);
                assert!(b.value > 0.0 && b.first < 0.0 && b.second > 0.0);
                assert!((slope(&|b| b.value) / b.first - 1.0).abs() < 1e-8, "{barrier:?} at {s}");
                assert!((slope(&|b| b.first) / b.second - 1.0).abs() < 1e-8, "{barrier:?} at {s}");
            }
        }
    }

    #[test]
    fn barrier_is_c2_at_d_hat_and_infinite_at_zero_gap() {
        for barrier in Barrier::ALL {
            for gap in [1e-3, 1e-6, 1e-9] {
                let b = barrier.at(1.0 - gap, 1.0);
                assert!(b.value > 0.0 && b.value <= 1.01 * gap.powi(3));
                assert!(b.first < 0.0 && b.first >= -3.01 * gap * gap);
                assert!(b.second > 0.0 && b.second <= 6.1 * gap);
            }
            assert_eq!(barrier.at(1.0, 1.0).value, 0.0);
            assert_eq!(barrier.at(0.0, 1.0).value, f64::INFINITY);
            assert_eq!(barrier.at(-0.5, 1.0).value, f64::INFINITY);
        }
    }

    #[test]
    fn logarithmic_pressure_is_unbounded_and_cubic_at_most_twice_kappa() {
        for (barrier, unbounded) in [
            (Barrier::ClampedLog, true),
            (Barrier::ClampedLogSquared, true),
            (Barrier::Cubic, false),
        ] {
            let pressure = |s: f64| -barrier.at(s, 1.0).first;
            assert!(pressure(1e-6) > pressure(1e-3));
            assert_eq!(pressure(1e-12) > 1e9, unbounded);
            assert!(unbounded || (pressure(1e-12) - 2.0).abs() < 1e-9);
        }
    }
}
