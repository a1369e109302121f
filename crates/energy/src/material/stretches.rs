//! Rubber elasticity in principal stretches: an isochoric law and a volumetric one.
//!
//! With the logarithms `eps_i = ln s_i` of the principal stretches, `ln J` their sum and
//! `e_i = eps_i - ln J / 3` the logarithms of the isochoric stretches `s_i J^(-1/3)`,
//!
//! ```text
//!   psi = W(e) + bulk/2 (ln J)^2
//!   tau_i = bulk ln J + a_i - mean(a),   a_i = dW/de_i            (Kirchhoff stresses)
//!   dtau_i/deps_j = bulk + (Dev B Dev)_ij,   B_ij = d2W/de_i de_j,   Dev_ij = [i = j] - 1/3
//! ```
//!
//! (Holzapfel 2000, *Nonlinear Solid Mechanics*, section 6.4). The energy is infinite at zero volume.

use super::isotropic::{Closed, Curvature, Isotropic, by_pair};
use resile_math::elementary;
use resile_math::lanes::{Lane, Mat3x8, Vec3x8};
use resile_math::svd::SignedSvd;
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;
use std::fmt::Debug;

/// Half the difference of two logarithms below which the quotient of hyperbolic sines is evaluated as a series.
const SERIES_LIMIT: f64 = 0.05;

/// The energy W of isochoric stretches, for eight elements at a time.
pub(super) trait Isochoric: Debug + Send + Sync {
    /// The energy W (Pa), zero at rest.
    fn value(&self, e: &Vec3x8) -> Lane;

    /// The first derivatives `a_i = dW/de_i` (Pa).
    fn gradient(&self, e: &Vec3x8) -> Vec3x8;

    /// The second derivatives `B_ij = d2W/de_i de_j` (Pa).
    fn hessian(&self, e: &Vec3x8) -> Symmetric3x8;

    /// `(a_i - a_j) / (2 sinh((e_i - e_j) / 2))` (Pa) for i, j.
    fn quotient(&self, e: &Vec3x8, i: usize, j: usize) -> Lane;

    /// The shear modulus (Pa) at rest.
    fn shear(&self) -> Lane;
}

/// A material with an isochoric law W and a bulk modulus.
#[derive(Debug)]
pub(super) struct Rubber<W> {
    pub(super) law: W,
    pub(super) bulk: Lane,
}

/// Volumetric and isochoric logarithmic strains of eight elements.
struct IsochoricStrain {
    /// `ln J`.
    volume: Lane,
    /// Logarithms e of the isochoric stretches.
    isochoric: Vec3x8,
}

impl IsochoricStrain {
    /// The strains of the principal stretches `s`.
    #[inline(always)]
    fn new(s: &Vec3x8) -> Self {
        let logarithm = s.map(|s| s.ln());
        let volume = logarithm[0] + logarithm[1] + logarithm[2];
        let third = volume * Lane::splat(1.0 / 3.0);
        Self { volume, isochoric: logarithm.map(|l| l - third) }
    }
}

impl<W: Isochoric> Rubber<W> {
    /// psi (J/m^3), infinite if the smallest stretch is not positive.
    #[inline(always)]
    fn value_at(&self, s: &Vec3x8, strain: &IsochoricStrain) -> Lane {
        let square = strain.volume * strain.volume;
        let value = (self.bulk * Lane::HALF).mul_add(square, self.law.value(&strain.isochoric));
        s[2].simd_gt(Lane::ZERO).select(value, Lane::splat(f64::INFINITY))
    }

    /// The principal Kirchhoff stresses (Pa).
    #[inline(always)]
    fn kirchhoff(&self, strain: &IsochoricStrain) -> Vec3x8 {
        let gradient = self.law.gradient(&strain.isochoric);
        let mean = (gradient[0] + gradient[1] + gradient[2]) * Lane::splat(1.0 / 3.0);
        let pressure = self.bulk.mul_sub(strain.volume, mean);
        gradient.map(|a| a + pressure)
    }

    /// `P = U diag(tau_i / s_i) V^T` (Pa).
    #[inline(always)]
    fn stress_at(&self, svd: &SignedSvd, strain: &IsochoricStrain) -> Mat3x8 {
        let tau = self.kirchhoff(strain);
        let scaled: [Vec3x8; 3] = from_fn(|k| {
            let principal = tau[k] / svd.s[k];
            svd.u.cols[k].map(|u| u * principal)
        });
        Mat3x8 { cols: scaled }.mul_transpose(&svd.v)
    }
}

impl<W: Isochoric> Isotropic for Rubber<W> {
    fn value(&self, f: &Mat3x8) -> Lane {
        let svd = SignedSvd::new(f);
        self.value_at(&svd.s, &IsochoricStrain::new(&svd.s))
    }

    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let svd = SignedSvd::new(f);
        self.stress_at(&svd, &IsochoricStrain::new(&svd.s))
    }

    fn value_and_stress(&self, f: &Mat3x8) -> (Lane, Mat3x8) {
        let svd = SignedSvd::new(f);
        let strain = IsochoricStrain::new(&svd.s);
        (self.value_at(&svd.s, &strain), self.stress_at(&svd, &strain))
    }

    fn blocks(&self, _f: &Mat3x8, _g: &[Vec3x8; 3], _out: &mut [Mat3x8; 6]) -> Closed {
        Closed::No
    }

    /// The second derivative of psi at the principal stretches `s`: with
    /// `psi_i = tau_i / s_i` and `s_i - s_j = sqrt(s_i s_j) 2 sinh((e_i - e_j) / 2)`,
    ///
    /// ```text
    ///   psi_ij = (dtau_i/deps_j - [i = j] tau_i) / (s_i s_j)
    ///   (psi_i - psi_j) / (s_i - s_j) = (mean(s) (tau_i - tau_j) / (s_i - s_j) - mean(tau)) / (s_i s_j)
    /// ```
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let strain = IsochoricStrain::new(s);
        let e = &strain.isochoric;
        let tau = self.kirchhoff(&strain);
        let b = self.law.hessian(e);
        let third = Lane::splat(1.0 / 3.0);
        // Row sums of B; entry k of `off` is that of the two axes other than k.
        let row_sums: Vec3x8 = [
            b.diagonal[0] + b.off[1] + b.off[2],
            b.diagonal[1] + b.off[0] + b.off[2],
            b.diagonal[2] + b.off[0] + b.off[1],
        ];
        // The part of Dev B Dev that is the same for all i and j, and the bulk modulus.
        let uniform = (row_sums[0] + row_sums[1] + row_sums[2]) * third * third + self.bulk;
        let inverse = s.map(|s| Lane::ONE / s);
        let diagonal =
            |i: usize| b.diagonal[i] - (row_sums[i] + row_sums[i]) * third + uniform - tau[i];
        let off_diagonal =
            |k: usize, i: usize, j: usize| b.off[k] - (row_sums[i] + row_sums[j]) * third + uniform;
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: from_fn(|i| diagonal(i) * (inverse[i] * inverse[i])),
                off: by_pair(|k, i, j| off_diagonal(k, i, j) * (inverse[i] * inverse[j])),
            },
            flip: by_pair(|_, i, j| {
                let [mean_stretch, mean_stress] =
                    [s[i] + s[j], tau[i] + tau[j]].map(|sum| sum * Lane::HALF);
                let slope = self.law.quotient(e, i, j) * (inverse[i] * inverse[j]).sqrt();
                mean_stretch.mul_sub(slope, mean_stress) * (inverse[i] * inverse[j])
            }),
            twist: by_pair(|_, i, j| {
                tau[i].mul_add(inverse[i], tau[j] * inverse[j]) / (s[i] + s[j])
            }),
        }
    }

    fn forbids_inversion(&self) -> bool {
        true
    }

    fn modulus(&self) -> Lane {
        self.law.shear().mul_add(Lane::splat(4.0 / 3.0), self.bulk)
    }
}

/// `exp(x)`.
#[inline(always)]
pub(super) fn exp(x: Lane) -> Lane {
    Lane::new(x.to_array().map(elementary::exp))
}

/// `sinh(alpha x) / sinh(x)`.
pub(super) fn sinh_quotient(alpha: Lane, x: Lane) -> Lane {
    let quotient = |alpha: f64, x: f64| {
        let a = alpha * alpha;
        let q = x * x;
        if q < SERIES_LIMIT * SERIES_LIMIT && a * q < 1.0 {
            // alpha (1 + (a - 1) q/6 + (3 a^2 - 10 a + 7) q^2/360 + ...), from both series.
            let series = |y: f64| {
                1.0 + y / 6.0
                    * (1.0
                        + y / 20.0
                            * (1.0
                                + y / 42.0
                                    * (1.0 + y / 72.0 * (1.0 + y / 110.0 * (1.0 + y / 156.0)))))
            };
            return alpha * series(a * q) / series(q);
        }
        let sinh = |x: f64| 0.5 * (elementary::exp(x) - elementary::exp(-x));
        sinh(alpha * x) / sinh(x)
    };
    let (alpha, x) = (alpha.to_array(), x.to_array());
    Lane::new(from_fn(|l| quotient(alpha[l], x[l])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_closed_form_of_the_sinh_quotient_agree() {
        for alpha in [2.0, -2.0, 1.3, 5.0, -7.4, 18.0] {
            for x in [1e-9, 1e-3, 0.0499, 0.0501, 0.2, -0.3] {
                let found = sinh_quotient(Lane::splat(alpha), Lane::splat(x)).to_array()[0];
                let exact = (alpha * x).sinh() / x.sinh();
                assert!((found / exact - 1.0).abs() < 1e-12, "{alpha}, {x}: {found}, not {exact}");
            }
            let at_zero = sinh_quotient(Lane::splat(alpha), Lane::ZERO).to_array()[0];
            assert_eq!(at_zero, alpha);
        }
    }
}
