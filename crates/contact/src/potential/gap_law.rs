//! The energy of a pair of primitives as a function of its gap.

use crate::potential::barrier::{Barrier, Derivatives};

/// Dimensionless function `b` of the gap, zero beyond a range. The energy of a pair is `p range area b`, with a pressure
/// `p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GapLaw {
    /// Repulsion, infinite without a gap.
    Barrier(Barrier),
    /// Attraction that decreases from its largest value at a gap to zero at the range, and to zero in contact
    /// ([`AdhesionPotential`](crate::AdhesionPotential)).
    Adhesion {
        /// The gap of the largest force, relative to the range, between 0 and 1.
        peak: f64,
    },
}

impl From<Barrier> for GapLaw {
    fn from(barrier: Barrier) -> Self {
        Self::Barrier(barrier)
    }
}

impl GapLaw {
    /// The law at the gap `d` (m), for a `range` (m).
    #[inline]
    pub fn at(self, d: f64, range: f64) -> Derivatives {
        match self {
            Self::Barrier(barrier) => barrier.at(d, range),
            Self::Adhesion { peak } => adhesion(d / range, peak, range),
        }
    }

    /// Whether the projected Hessian needs the signs of its terms: an attraction is concave beyond its peak, and its force
    /// points towards the other primitive.
    pub(crate) fn is_attraction(self) -> bool {
        matches!(self, Self::Adhesion { .. })
    }
}

/// The attraction at the gap `s`, relative to the `range` (m), with its largest force at `peak`:
///
/// ```text
///   b(s) = s^2 / (2 peak) - 1/2            for s < peak,
///   b(s) = -(1 - s)^2 / (2 (1 - peak))     for peak <= s < 1.
/// ```
///
/// Its derivative rises from 0 in contact to 1 at the peak and falls to 0 at the range, linearly in both parts.
fn adhesion(s: f64, peak: f64, range: f64) -> Derivatives {
    let [value, first, second] = if s >= 1.0 {
        [0.0; 3]
    } else if s >= peak {
        let slope = -1.0 / (1.0 - peak);
        [0.5 * slope * (1.0 - s) * (1.0 - s), -slope * (1.0 - s), slope]
    } else {
        [0.5 * (s * s / peak - 1.0), s / peak, 1.0 / peak]
    };
    Derivatives { value, first: first / range, second: second / (range * range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: f64 = 2e-3;

    fn at(s: f64, peak: f64) -> Derivatives {
        GapLaw::Adhesion { peak }.at(s * RANGE, RANGE)
    }

    #[test]
    fn derivatives_of_adhesion_equal_those_of_its_value() {
        let step = 1e-6;
        for peak in [0.1, 0.5, 0.9] {
            for s in [0.05, 0.3, 0.7, 0.95] {
                let law = at(s, peak);
                let [before, after] = [-step, step].map(|step| at(s + step, peak));
                let slope =
                    |f: fn(&Derivatives) -> f64| (f(&after) - f(&before)) / (2.0 * step * RANGE);
                assert!((slope(|law| law.value) - law.first).abs() < 1e-6 / RANGE, "{s} {peak}");
                let second = law.second;
                assert!(
                    (slope(|law| law.first) - second).abs() < 1e-6 * second.abs(),
                    "{s} {peak}"
                );
            }
        }
    }

    #[test]
    fn energy_and_force_of_adhesion_are_continuous() {
        let gap = 1e-9;
        for peak in [0.1, 0.5, 0.9] {
            for s in [peak, 1.0] {
                let [before, after] = [-gap, gap].map(|gap| at(s + gap, peak));
                assert!((before.value - after.value).abs() < 1e-8);
                assert!((before.first - after.first).abs() < 1e-7 / RANGE);
            }
        }
    }

    /// The area below the force, a triangle with the height 1 over the range.
    #[test]
    fn work_of_separation_is_half_the_largest_force_times_the_range() {
        for peak in [0.1, 0.5, 0.9] {
            assert_eq!((at(0.0, peak).value, at(1.0, peak).value), (-0.5, 0.0));
            assert!((at(peak, peak).first * RANGE - 1.0).abs() < 1e-12);
            assert!((0..100).all(|k| at(f64::from(k) * 0.01, peak).first * RANGE <= 1.0 + 1e-12));
        }
    }
}
