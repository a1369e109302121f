//! Hencky's material (linear in logarithmic strains), elastic or with von Mises plasticity.
//!
//! # Elasticity
//! With the logarithms `eps_i = ln s_i` of the principal stretches, their sum `tr eps = ln J` and the
//! deviator `e_i = eps_i - tr eps / 3`,
//!
//! ```text
//!   psi = bulk/2 (ln J)^2 + mu |e|^2
//! ```
//!
//! so that the Kirchhoff stress has the principal values `tau_i = bulk ln J + 2 mu e_i`: Hooke's law
//! at any strain (Hencky 1928; Simo & Hughes 1998, *Computational Inelasticity*, 9.1.2).
//!
//! # Flow
//! `F = F_e F_p`, and `psi` depends on `F_e = F F_p^-1`. The yield condition is `2 mu |e| <= R`,
//! `R = sqrt(2/3) (sigma_y + H alpha)`. The return mapping slips along `n = e / |e|` (Simo 1992,
//! *Algorithms for static and dynamic multiplicative plasticity*, box 4): with the trial strain e for
//! constant `F_p`,
//!
//! ```text
//!   slip = (2 mu |e| - R)+ / (2 mu + 2/3 H),   e -> e - slip n,   alpha -> alpha + sqrt(2/3) slip
//! ```
//!
//! The slip minimises `psi + work of flow`, and the minimum is a potential of the trial strain
//! (Ortiz & Stainier 1999, *The variational formulation of viscoplastic constitutive updates*,
//! section 3.1):
//!
//! ```text
//!   psi = bulk/2 (ln J)^2 + mu (|e| - slip)^2 + slip R + slip^2 H / 3
//! ```
//!
//! which grows linearly where the elastic energy grows quadratically (without hardening). Its
//! derivative is the stress after the return mapping, so the solver minimises an ordinary energy. With [Perzyna's
//! law](super::RateDependence) the slip and its work depend on the time since the last flow as well.

use super::isotropic::{Closed, Curvature, Isotropic, by_pair};
use super::rate::{Overstress, Slip};
use super::{Lame, VonMises};
use crate::DIVISION_GUARD;
use resile_math::elementary;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, dot};
use resile_math::svd::SignedSvd;
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;

/// The yield radius (Pa) of elements that do not yield; finite, because infinity times zero is NaN.
const NO_YIELD_RADIUS: f64 = f64::MAX;
/// `(s_i - s_j) / (s_i + s_j)` below which the logarithm is evaluated as a series.
const SERIES_LIMIT: f64 = 0.1;

/// The potential of the module documentation for eight elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hencky {
    mu: Lane,
    bulk: Lane,
    /// R (Pa).
    radius: Lane,
    /// `dR / d slip = 2/3 H` (Pa).
    slope: Lane,
    /// `sqrt(2/3) sigma_y` (Pa), if the elements can yield.
    initial_radius: Option<Lane>,
    /// Ratio of the equivalent plastic strain of the whole material to that of these elements.
    share: Lane,
    /// Dependence on the rate of flow.
    rate: Option<Overstress>,
}

/// The plastic flow of eight elements at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// Multiplies `F_e` and `F_p^-1` from the right.
    pub(crate) factor: Mat3x8,
    /// Plastic slip; zero in lanes without flow.
    pub(crate) slip: Lane,
    /// The dissipated energy that is part of the potential (J/m^3).
    pub(crate) work: Lane,
}

/// Logarithmic strains of eight elements.
struct Strain {
    /// `ln J`.
    volume: Lane,
    /// `e`.
    deviator: Vec3x8,
    /// `|e|`.
    size: Lane,
    /// Plastic slip and its derived quantities.
    slip: Slip,
}

impl Hencky {
    /// Elements that do not yield.
    pub(super) fn elastic(lame: &[Lame; LANES]) -> Self {
        let bulk = |lame: Lame| lame.lambda() + 2.0 / 3.0 * lame.mu();
        Self {
            mu: Lane::new(lame.map(|lame| lame.mu())),
            bulk: Lane::new(lame.map(bulk)),
            radius: Lane::splat(NO_YIELD_RADIUS),
            slope: Lane::ZERO,
            initial_radius: None,
            share: Lane::ONE,
            rate: None,
        }
    }

    /// Elements that yield.
    pub(super) fn yielding(lame: &[Lame; LANES], flow: &[VonMises; LANES]) -> Self {
        let root = (2.0f64 / 3.0).sqrt();
        let initial_radius = Lane::new(flow.map(|flow| root * flow.yield_stress()));
        let slope = Lane::new(flow.map(|flow| 2.0 / 3.0 * flow.hardening()));
        let share = Lane::new(flow.map(|flow| flow.share()));
        let rate = Overstress::new(&flow.map(|flow| flow.rate()));
        Self {
            radius: initial_radius,
            slope,
            initial_radius: Some(initial_radius),
            share,
            rate,
            ..Self::elastic(lame)
        }
    }

    /// These elements, hardened by the equivalent plastic strain `alpha`.
    #[must_use]
    pub(crate) fn after(self, alpha: Lane) -> Self {
        let Some(initial_radius) = self.initial_radius else { return self };
        // sqrt(2/3) H = slope / sqrt(2/3)
        let slope = self.slope * Lane::splat(1.5f64.sqrt());
        Self { radius: slope.mul_add(alpha, initial_radius), ..self }
    }

    /// These elements `elapsed` seconds after the last flow, if they depend on its rate.
    pub(crate) fn over(&self, elapsed: f64) -> Option<Self> {
        Some(Self { rate: Some(self.rate?.after(elapsed)), ..*self })
    }

    /// Dissipation (J/m^3) of flow at a constant rate, less the work of flow that the potential contains.
    pub(crate) fn overstress(&self, f: &Mat3x8) -> Lane {
        self.strain(&SignedSvd::new(f).s).slip.overstress
    }

    /// Ratio of the equivalent plastic strain of the whole material to that of these elements.
    pub(crate) fn share(&self) -> Lane {
        self.share
    }

    /// The shear modulus (Pa).
    pub(crate) fn shear(&self) -> Lane {
        self.mu
    }

    /// Elements that do not yield, with the shear modulus multiplied by `factor`, which may be zero.
    pub(crate) fn with_shear_scaled(self, factor: Lane) -> Self {
        // Without slip, the slope affects only a quotient of zeros.
        Self { mu: factor * self.mu, slope: Lane::ONE, ..self }
    }

    /// The flow for the trial elastic deformation `f`; `None` if no element yields.
    pub(crate) fn flow(&self, f: &Mat3x8) -> Option<Flow> {
        self.initial_radius?;
        let svd = SignedSvd::new(f);
        let Strain { deviator, size, slip: Slip { slip, work, .. }, .. } = self.strain(&svd.s);
        if !slip.simd_gt(Lane::ZERO).any() {
            return None;
        }
        let return_ratio = -slip / size.fast_max(Lane::splat(DIVISION_GUARD));
        let stretch =
            deviator.map(|e| Lane::new((return_ratio * e).to_array().map(elementary::exp)));
        let scaled = Mat3x8 { cols: from_fn(|k| svd.v.cols[k].map(|v| v * stretch[k])) };
        Some(Flow { factor: scaled.mul_transpose(&svd.v), slip, work })
    }

    /// Logarithmic strains, slip and stress for the principal stretches `s` of the trial state.
    #[inline(always)]
    fn strain(&self, s: &Vec3x8) -> Strain {
        let logarithm = s.map(|s| s.ln());
        let volume = logarithm[0] + logarithm[1] + logarithm[2];
        let third = volume * Lane::splat(1.0 / 3.0);
        let deviator = logarithm.map(|l| l - third);
        let size = dot(&deviator, &deviator).sqrt();
        let two_mu = self.mu + self.mu;
        let slip = match &self.rate {
            Some(rate) => rate.slip(two_mu * size, two_mu, self.radius, self.slope),
            None => {
                let overstress = two_mu.mul_sub(size, self.radius).fast_max(Lane::ZERO);
                let (slip, half) = (overstress / (two_mu + self.slope), self.slope * Lane::HALF);
                let work = slip * half.mul_add(slip, self.radius);
                Slip { slip, hardening: self.slope, work, overstress: Lane::ZERO }
            }
        };
        Strain { volume, deviator, size, slip }
    }

    /// `|s| / |e|` (Pa) of the stress deviator s: `2 mu` without slip.
    #[inline(always)]
    fn secant(&self, strain: &Strain) -> Lane {
        let two_mu = self.mu + self.mu;
        let slip = strain.slip.slip;
        let size = strain.size.fast_max(Lane::splat(DIVISION_GUARD));
        slip.simd_gt(Lane::ZERO).select(two_mu * (strain.size - slip) / size, two_mu)
    }

    /// The principal Kirchhoff stresses (Pa).
    #[inline(always)]
    fn kirchhoff(&self, strain: &Strain, secant: Lane) -> Vec3x8 {
        let pressure = self.bulk * strain.volume;
        strain.deviator.map(|e| secant.mul_add(e, pressure))
    }
}

impl Isotropic for Hencky {
    fn value(&self, f: &Mat3x8) -> Lane {
        let svd = SignedSvd::new(f);
        let strain = self.strain(&svd.s);
        let elastic = strain.size - strain.slip.slip;
        let shape = self.mu.mul_add(elastic * elastic, strain.slip.work);
        let value = (self.bulk * Lane::HALF).mul_add(strain.volume * strain.volume, shape);
        svd.s[2].simd_gt(Lane::ZERO).select(value, Lane::splat(f64::INFINITY))
    }

    /// `P = U diag(tau_i / s_i) V^T` (Pa).
    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let svd = SignedSvd::new(f);
        let strain = self.strain(&svd.s);
        let tau = self.kirchhoff(&strain, self.secant(&strain));
        let scaled: [Vec3x8; 3] = from_fn(|k| {
            let principal = tau[k] / svd.s[k];
            svd.u.cols[k].map(|u| u * principal)
        });
        Mat3x8 { cols: scaled }.mul_transpose(&svd.v)
    }

    fn blocks(&self, _f: &Mat3x8, _g: &[Vec3x8; 3], _out: &mut [Mat3x8; 6]) -> Closed {
        Closed::No
    }

    /// The second derivative of psi at the principal stretches `s`: `psi_i = tau_i / s_i` and
    /// `psi_ij = tau_ij / (s_i s_j) - [i = j] tau_i / s_i^2`, where the derivatives of tau with respect to the logarithms
    /// of the stretches are `tau_ij = bulk + secant ([i = j] - 1/3) + (tangent - secant) n_i n_j` with `n = e / |e|`.
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let strain = self.strain(s);
        let secant = self.secant(&strain);
        let tau = self.kirchhoff(&strain, secant);
        let two_mu = self.mu + self.mu;
        let Slip { slip, hardening, .. } = strain.slip;
        let has_slip = slip.simd_gt(Lane::ZERO);
        let tangent = two_mu * hardening / (two_mu + hardening);
        let correction = has_slip.select(tangent - secant, Lane::ZERO);
        let size = strain.size.fast_max(Lane::splat(DIVISION_GUARD));
        let n = strain.deviator.map(|e| e / size);
        let inverse = s.map(|s| Lane::ONE / s);
        // tau_ij for different i and j without the last term.
        let uniform = secant.mul_neg_add(Lane::splat(1.0 / 3.0), self.bulk);
        let diagonal = |i: usize| correction.mul_add(n[i] * n[i], uniform + secant) - tau[i];
        let off_diagonal = |i: usize, j: usize| correction.mul_add(n[i] * n[j], uniform);
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: from_fn(|i| diagonal(i) * (inverse[i] * inverse[i])),
                off: by_pair(|_, i, j| off_diagonal(i, j) * (inverse[i] * inverse[j])),
            },
            flip: by_pair(|_, i, j| {
                let mean = (tau[i] + tau[j]) * Lane::HALF;
                secant.mul_sub(slope_of_logarithm(s[i], s[j]), mean) * (inverse[i] * inverse[j])
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
        self.mu.mul_add(Lane::splat(4.0 / 3.0), self.bulk)
    }

    fn yielding(&self) -> Option<Hencky> {
        self.initial_radius.map(|_| *self)
    }
}

/// `(ln a - ln b) / (a - b)` times the mean of a and b: `artanh(x) / x` of `x = (a - b) / (a + b)`.
#[inline(always)]
fn slope_of_logarithm(a: Lane, b: Lane) -> Lane {
    let x = (a - b) / (a + b);
    let square = x * x;
    // 1 + x^2/3 + x^4/5 + ... + x^16/17
    let mut series = Lane::splat(1.0 / 17.0);
    for odd in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series.mul_add(square, Lane::splat(1.0 / odd));
    }
    let exceeds_series = x.abs().simd_gt(Lane::splat(SERIES_LIMIT));
    if !exceeds_series.any() {
        return series;
    }
    let divisor = exceeds_series.select(x, Lane::ONE);
    exceeds_series.select((a.ln() - b.ln()) * Lane::HALF / divisor, series)
}
