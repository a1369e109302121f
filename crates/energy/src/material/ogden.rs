//! Ogden's law of rubber, and Mooney and Rivlin's.

use super::stretches::{Isochoric, exp, sinh_quotient};
use resile_math::lanes::{LANES, Lane, Vec3x8};
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;

/// Constants of Ogden's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ogden {
    /// `(mu, alpha)` of each term (Pa, -); terms with `mu = 0` are unused.
    pub terms: [(f64, f64); 3],
    /// Bulk modulus (Pa).
    pub bulk: f64,
}

impl Ogden {
    /// The Mooney-Rivlin law `c10 (I1 - 3) + c01 (I2 - 3)` (Pa) of the isochoric invariants, which is Ogden's law
    /// with the exponents 2 and -2.
    pub fn mooney_rivlin(c10: f64, c01: f64, bulk: f64) -> Self {
        Self { terms: [(2.0 * c10, 2.0), (-2.0 * c01, -2.0), (0.0, 1.0)], bulk }
    }

    /// The shear modulus (Pa) at rest: half the sum of `mu alpha`.
    pub fn shear(&self) -> f64 {
        self.terms.iter().map(|(mu, alpha)| 0.5 * mu * alpha).sum()
    }
}

/// `W = sum_p mu_p / alpha_p (sum_i exp(alpha_p e_i) - 3)` (Ogden 1972).
#[derive(Debug)]
pub(super) struct OgdenLaw {
    terms: [(Lane, Lane); 3],
}

impl OgdenLaw {
    pub(super) fn new(parameters: &[Ogden; LANES]) -> Self {
        let lane = |entry: &dyn Fn(&Ogden) -> f64| Lane::new(from_fn(|l| entry(&parameters[l])));
        Self { terms: from_fn(|p| (lane(&|o| o.terms[p].0), lane(&|o| o.terms[p].1))) }
    }

    /// `sum_p term(mu_p, alpha_p)`.
    #[inline(always)]
    fn sum(&self, term: impl Fn(Lane, Lane) -> Lane) -> Lane {
        self.terms.iter().fold(Lane::ZERO, |sum, &(mu, alpha)| sum + term(mu, alpha))
    }
}

impl Isochoric for OgdenLaw {
    fn value(&self, e: &Vec3x8) -> Lane {
        self.sum(|mu, alpha| {
            let power = e.map(|e| exp(alpha * e));
            mu / alpha * (power[0] + power[1] + power[2] - Lane::splat(3.0))
        })
    }

    fn gradient(&self, e: &Vec3x8) -> Vec3x8 {
        e.map(|e| self.sum(|mu, alpha| mu * exp(alpha * e)))
    }

    fn hessian(&self, e: &Vec3x8) -> Symmetric3x8 {
        let diagonal = e.map(|e| self.sum(|mu, alpha| mu * alpha * exp(alpha * e)));
        Symmetric3x8 { diagonal, off: [Lane::ZERO; 3] }
    }

    // exp(alpha e_i) - exp(alpha e_j) = exp(alpha (e_i + e_j) / 2) 2 sinh(alpha (e_i - e_j) / 2)
    fn quotient(&self, e: &Vec3x8, i: usize, j: usize) -> Lane {
        let [mean, half] = [e[i] + e[j], e[i] - e[j]].map(|sum| sum * Lane::HALF);
        self.sum(|mu, alpha| mu * exp(alpha * mean) * sinh_quotient(alpha, half))
    }

    fn shear(&self) -> Lane {
        self.sum(|mu, alpha| mu * alpha * Lane::HALF)
    }
}
