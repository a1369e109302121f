//! Yeoh's law of rubber.

use super::stretches::{Isochoric, exp, sinh_quotient};
use resile_math::lanes::{LANES, Lane, Vec3x8};
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;

/// Constants of Yeoh's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Yeoh {
    /// The coefficients `c10`, `c20`, `c30` (Pa) of the first three powers of `I1 - 3`.
    pub coefficients: [f64; 3],
    /// Bulk modulus (Pa).
    pub bulk: f64,
}

/// `W = c10 (I - 3) + c20 (I - 3)^2 + c30 (I - 3)^3`, `I = sum_i exp(2 e_i)` (Yeoh 1993).
#[derive(Debug)]
pub(super) struct YeohLaw {
    coefficients: [Lane; 3],
}

impl YeohLaw {
    pub(super) fn new(parameters: &[Yeoh; LANES]) -> Self {
        Self { coefficients: from_fn(|k| Lane::new(from_fn(|l| parameters[l].coefficients[k]))) }
    }

    /// `I - 3`, and the squares of the stretches.
    #[inline(always)]
    fn excess_and_squares(e: &Vec3x8) -> (Lane, Vec3x8) {
        let squares = e.map(|e| exp(e + e));
        (squares[0] + squares[1] + squares[2] - Lane::splat(3.0), squares)
    }

    /// dW/dI.
    #[inline(always)]
    fn slope(&self, excess: Lane) -> Lane {
        let [a, b, c] = self.coefficients;
        let inner = (Lane::splat(3.0) * c).mul_add(excess, b + b);
        inner.mul_add(excess, a)
    }
}

impl Isochoric for YeohLaw {
    fn value(&self, e: &Vec3x8) -> Lane {
        let (excess, _) = Self::excess_and_squares(e);
        let [a, b, c] = self.coefficients;
        c.mul_add(excess, b).mul_add(excess, a) * excess
    }

    fn gradient(&self, e: &Vec3x8) -> Vec3x8 {
        let (excess, squares) = Self::excess_and_squares(e);
        let slope = self.slope(excess);
        squares.map(|square| (slope + slope) * square)
    }

    fn hessian(&self, e: &Vec3x8) -> Symmetric3x8 {
        let (excess, q) = Self::excess_and_squares(e);
        let slope = self.slope(excess) * Lane::splat(4.0);
        let [_, b, c] = self.coefficients;
        // d2W/dI2
        let curvature = (Lane::splat(6.0) * c).mul_add(excess, b + b) * Lane::splat(4.0);
        Symmetric3x8 {
            diagonal: q.map(|q| curvature.mul_add(q * q, slope * q)),
            off: [curvature * q[1] * q[2], curvature * q[0] * q[2], curvature * q[0] * q[1]],
        }
    }

    fn quotient(&self, e: &Vec3x8, i: usize, j: usize) -> Lane {
        let (excess, _) = Self::excess_and_squares(e);
        let [mean, half] = [e[i] + e[j], e[i] - e[j]].map(|sum| sum * Lane::HALF);
        let slope = self.slope(excess);
        (slope + slope) * exp(mean + mean) * sinh_quotient(Lane::splat(2.0), half)
    }

    fn shear(&self) -> Lane {
        self.coefficients[0] + self.coefficients[0]
    }
}
