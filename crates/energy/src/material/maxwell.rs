//! A branch of a Prony series.

use super::isotropic::{Closed, Curvature, Isotropic};
use super::{Hencky, Lame};
use resile_math::elementary;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use std::array::from_fn;

/// A Maxwell element: a spring of the shear modulus `mu` in series with a dashpot of the relaxation time `tau`.
///
/// The deformation gradient is a product `F = F_e F_v` (Sidoroff 1974; Reese & Govindjee 1998, *A theory of finite
/// viscoelasticity and numerical aspects*), the spring has the energy `mu |e|^2` of the deviator e of the logarithms of
/// the stretches of `F_e`, and the dashpot relaxes it: at constant F, `e' = -e / tau`. In parallel with an elastic law
/// such branches are a Prony series: at constant strain the Kirchhoff stress of each decays as `exp(-t / tau)`, at any
/// strain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Maxwell {
    /// Shear modulus (Pa).
    shear: f64,
    /// Relaxation time (s).
    time: f64,
}

/// Invalid parameters of a [`Maxwell`] element.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum MaxwellError {
    /// The shear modulus is not positive and finite.
    #[error("the shear modulus of a branch is {shear} Pa, but must be positive and finite")]
    Shear {
        /// The given value (Pa).
        shear: f64,
    },
    /// The relaxation time is not positive and finite.
    #[error("the relaxation time of a branch is {time} s, but must be positive and finite")]
    Time {
        /// The given value (s).
        time: f64,
    },
}

impl Maxwell {
    /// Creates a branch with the shear modulus `shear` (Pa) and the relaxation time `time` (s).
    ///
    /// # Errors
    /// If one of them is not positive and finite.
    pub fn new(shear: f64, time: f64) -> Result<Self, MaxwellError> {
        if !(shear > 0.0 && shear.is_finite()) {
            return Err(MaxwellError::Shear { shear });
        }
        if !(time > 0.0 && time.is_finite()) {
            return Err(MaxwellError::Time { time });
        }
        Ok(Self { shear, time })
    }

    /// Returns the shear modulus (Pa).
    pub fn shear(&self) -> f64 {
        self.shear
    }

    /// Returns the relaxation time (s).
    pub fn time(&self) -> f64 {
        self.time
    }
}

/// The [`Maxwell`] elements of eight finite elements. As a material without history it has the instantaneous response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// The spring, without bulk modulus.
    pub(crate) spring: Hencky,
    /// Relaxation time (s).
    pub(crate) time: Lane,
}

impl Branch {
    /// Collects the branches of eight elements.
    pub(super) fn new(branches: &[Maxwell; LANES]) -> Self {
        let lame = branches.map(|branch| Lame::from_moduli(branch.shear, 0.0));
        Self { spring: Hencky::elastic(&lame), time: Lane::new(branches.map(|branch| branch.time)) }
    }
}

impl Isotropic for Branch {
    fn value(&self, f: &Mat3x8) -> Lane {
        Isotropic::value(&self.spring, f)
    }

    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        Isotropic::stress(&self.spring, f)
    }

    fn blocks(&self, f: &Mat3x8, g: &[Vec3x8; 3], out: &mut [Mat3x8; 6]) -> Closed {
        self.spring.blocks(f, g, out)
    }

    fn curvature(&self, s: &Vec3x8) -> Curvature {
        self.spring.curvature(s)
    }

    fn forbids_inversion(&self) -> bool {
        true
    }

    fn modulus(&self) -> Lane {
        Isotropic::modulus(&self.spring)
    }

    fn relaxing(&self) -> Option<Branch> {
        Some(*self)
    }
}

/// Relaxation factors of eight elements over a time `h`, with `x = h / tau`. A strain deviator that grows at a constant
/// rate from `e` by `d` relaxes to
///
/// ```text
///   decay e + mean d = mean (start e + d),   decay = exp(-x),   mean = (1 - exp(-x)) / x
/// ```
///
/// (Taylor, Pister & Goudreau 1970, *Thermomechanical analysis of viscoelastic solids*). The dashpot dissipates
/// the energy density (J/m^3) `2 mu` times
///
/// ```text
///   integral of |e(t)|^2 dt / tau = a |e|^2 + b e . d + c |d|^2
///   [a, b, c] = (1 - decay^2) / 2,   (1 - decay)^2 / x,   (x - 2 (1 - decay) + (1 - decay^2) / 2) / x^2
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Relaxation {
    /// Factor of the initial strain e in `mean (start e + d)`.
    pub(crate) start: Lane,
    /// Mean of `exp(-t / tau)` over the time.
    pub(crate) mean: Lane,
    /// Factors `[a, b, c]` of the dissipation.
    pub(crate) dissipation_factors: [Lane; 3],
}

/// The factors of [`Relaxation`] for one element.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Factors {
    start: f64,
    mean: f64,
    dissipation_factors: [f64; 3],
}

impl Branch {
    /// Computes the relaxation factors over a time of `elapsed` seconds, from zero to infinity.
    pub(crate) fn relaxation(&self, elapsed: f64) -> Relaxation {
        let times = self.time.to_array();
        let first_factors = Factors::for_ratio(elapsed / times[0]);
        let factors = |time: f64| match time == times[0] {
            true => first_factors,
            false => Factors::for_ratio(elapsed / time),
        };
        let factors_by_lane = times.map(factors);
        Relaxation {
            start: Lane::new(factors_by_lane.map(|factors| factors.start)),
            mean: Lane::new(factors_by_lane.map(|factors| factors.mean)),
            dissipation_factors: from_fn(|k| {
                Lane::new(factors_by_lane.map(|factors| factors.dissipation_factors[k]))
            }),
        }
    }
}

impl Factors {
    /// Computes the factors for `x = h / tau`, from zero to infinity.
    fn for_ratio(x: f64) -> Self {
        if x == f64::INFINITY {
            return Self { start: 0.0, mean: 0.0, dissipation_factors: [0.5, 0.0, 0.0] };
        }
        if x <= 0.0 {
            return Self { start: 1.0, mean: 1.0, dissipation_factors: [0.0; 3] };
        }
        let decayed = -elementary::expm1(-x);
        let (decay, mean) = (1.0 - decayed, decayed / x);
        let (a, b) = (0.5 * decayed * (1.0 + decay), decayed * mean);
        let dissipation_factors = [a, b, growth_dissipation_factor(x, decayed)];
        Self { start: decay / mean, mean, dissipation_factors }
    }
}

/// Returns the factor of `|d|^2` in the integral of `|e(t)|^2 dt / tau` over the time h for a strain that grows from
/// zero by d: the factor c of [`Relaxation`], with `x = h / tau` and `decayed = 1 - exp(-x)`. For small x the terms of
/// the closed form cancel, so it is replaced by its Taylor series.
fn growth_dissipation_factor(x: f64, decayed: f64) -> f64 {
    const SERIES_LIMIT: f64 = 0.05;
    if x > SERIES_LIMIT {
        return (x - 2.0 * decayed + 0.5 * decayed * (2.0 - decayed)) / (x * x);
    }
    let terms = [1.0 / 3.0, -1.0 / 4.0, 7.0 / 60.0, -1.0 / 24.0, 31.0 / 2520.0, -1.0 / 320.0];
    x * terms.iter().rev().fold(0.0, |sum, term| x.mul_add(sum, *term))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the dissipation with Simpson's rule over 2000 intervals.
    #[test]
    fn relaxation_integrates_the_dashpot_at_a_constant_rate() {
        for x in [1e-9, 1e-3, 0.049, 0.051, 0.7, 5.0, 60.0] {
            let factors = Factors::for_ratio(x);
            for [e, d] in [[1.0, 0.0], [0.3, -0.8], [0.0, 1.0]] {
                let strain = |s: f64| (e - d / x) * (-x * s).exp() + d / x;
                assert!(
                    (factors.mean * (factors.start * e + d) - strain(1.0)).abs()
                        < 1e-12f64.max(4e-16 / x)
                );
                let n = 2000;
                let weight = |k: usize| match k {
                    0 => 1.0,
                    k if k == n => 1.0,
                    k => 2.0 + 2.0 * (k % 2) as f64,
                };
                let dissipation: f64 = (0..=n)
                    .map(|k| weight(k) * strain(k as f64 / n as f64).powi(2) / (3 * n) as f64)
                    .sum::<f64>()
                    * x;
                let [a, b, c] = factors.dissipation_factors;
                let found = a * e * e + b * e * d + c * d * d;
                assert!(
                    (found - dissipation).abs() < 1e-6 * dissipation.abs().max(1e-3 * x),
                    "{x}: {found} for {dissipation}"
                );
            }
        }
    }

    #[test]
    fn relaxation_has_the_limits_of_no_time_and_of_all_time() {
        let none = Factors { start: 1.0, mean: 1.0, dissipation_factors: [0.0; 3] };
        assert_eq!(Factors::for_ratio(0.0), none);
        let all = Factors { start: 0.0, mean: 0.0, dissipation_factors: [0.5, 0.0, 0.0] };
        assert_eq!(Factors::for_ratio(f64::INFINITY), all);
    }
}
