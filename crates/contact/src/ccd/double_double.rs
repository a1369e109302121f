//! Double-double arithmetic: unevaluated sums of two doubles.
//!
//! With `u = 2^-53`, the relative error is at most `3 u^2` for a sum and `5 u^2` for a product, apart from
//! underflow (Joldes, Muller & Popescu 2017, *Tight and rigorous error bounds for basic building blocks of
//! double-word arithmetic*, algorithms 6 and 12).

use crate::geometry::error_free::{two_product, two_sum};
use resile_math::Vec3;
use std::ops::{Add, Mul, Neg, Sub};

/// Sum of two doubles; the second is at most half a unit in the last place of the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct DoubleDouble {
    pub(super) high: f64,
    low: f64,
}

impl DoubleDouble {
    /// Exact difference.
    pub(super) fn difference(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, -b);
        Self { high, low }
    }

    /// Square root of a positive number: one step of Newton's method from the double-precision root. The relative
    /// error is less than `16 u^2`.
    pub(super) fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        let (high, low) = two_product(root, root);
        let correction = (self - Self { high, low }).high / (2.0 * root);
        Self::fast_two_sum(root, correction)
    }

    /// Product with a power of two: exact unless it underflows or overflows.
    pub(super) fn times_power_of_two(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }

    /// Sum of two doubles, the first being the larger one (Dekker's fast sum).
    fn fast_two_sum(large: f64, small: f64) -> Self {
        let high = large + small;
        Self { high, low: small - (high - large) }
    }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        let (low, low_error) = two_sum(self.low, other.low);
        let sum = Self::fast_two_sum(high, error + low);
        Self::fast_two_sum(sum.high, low_error + sum.low)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (high, error) = two_product(self.high, other.high);
        let low = self.high.mul_add(other.low, self.low * other.low);
        let low = self.low.mul_add(other.high, low);
        Self::fast_two_sum(high, error + low)
    }
}

/// Vector of three double-doubles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vector(pub(super) [DoubleDouble; 3]);

/// Lower bound of the largest component of a [normalised](Vector::normalised) vector; the upper bound is its reciprocal.
/// The low parts of the components, up to `2^-53` of them, are then normal numbers, and scaling them is exact.
const MIN_LENGTH: f64 = 1e-290;

impl Vector {
    /// Exact difference.
    pub(super) fn difference(a: Vec3, b: Vec3) -> Self {
        Self([(a.x, b.x), (a.y, b.y), (a.z, b.z)].map(|(a, b)| DoubleDouble::difference(a, b)))
    }

    pub(super) fn dot(self, other: Self) -> DoubleDouble {
        let [x, y, z] = std::array::from_fn(|k| self.0[k] * other.0[k]);
        x + y + z
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        let component = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
        Self([component(1, 2), component(2, 0), component(0, 1)])
    }

    /// Vector rejection: the component normal to a direction, times the squared length of the direction.
    pub(super) fn scaled_rejection(self, direction: Self) -> Self {
        self * direction.dot(direction) - direction * direction.dot(self)
    }

    /// Scales by the power of two that brings the largest component between 1/2 and 1. `None` for vectors without
    /// length or so short or long that products would underflow or overflow.
    pub(super) fn normalised(self) -> Option<Self> {
        let largest = self.0.iter().map(|c| c.high.abs()).fold(0.0, f64::max);
        if !(MIN_LENGTH..1.0 / MIN_LENGTH).contains(&largest) {
            return None;
        }
        let exponent = largest.to_bits() >> 52;
        let factor = f64::from_bits((2045 - exponent) << 52);
        Some(Self(self.0.map(|c| c.times_power_of_two(factor))))
    }
}

impl Neg for Vector {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(|c| -c))
    }
}

impl Add for Vector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Vector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul<DoubleDouble> for Vector {
    type Output = Self;

    fn mul(self, factor: DoubleDouble) -> Self {
        Self(self.0.map(|c| c * factor))
    }
}
