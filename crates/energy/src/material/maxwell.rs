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
    shear: f64,
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
    /// A branch of this shear modulus (Pa) and relaxation time (s).
    ///
    /// # Errors
    /// Unless both are positive and finite.
    pub fn new(shear: f64, time: f64) -> Result<Self, MaxwellError> {
        if !(shear > 0.0 && shear.is_finite()) {
            return Err(MaxwellError::Shear { shear });
        }
        if !(time > 0.0 && time.is_finite()) {
            return Err(MaxwellError::Time { time });
        }
        Ok(Self { shear, time })
    }

    /// The shear modulus (Pa).
    pub fn shear(&self) -> f64 {
        self.shear
    }

    /// The relaxation time (s).
    pub fn time(&self) -> f64 {
        self.time
    }
}

/// [`Maxwell`] elements of eight elements, without history: the instantaneous response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// The spring, without bulk modulus.
    pub(crate) spring: Hencky,
    /// Relaxation time (s).
    pub(crate) time: Lane,
}

impl Branch {
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

/// Factors of eight elements after a time `h`, with `x = h / tau`. A strain that grows at a constant rate from `e` by
/// `d` relaxes to
///
/// ```text
///   decay e + mean d = mean (start e + d),   decay = exp(-x),   mean = (1 - exp(-x)) / x
/// ```
///
/// (Taylor, Pister & Goudreau 1970, *Thermomechanical analysis of viscoelastic solids*). On the way the dashpot
/// dissipates, in units of `2 mu`,
///
/// ```text
///   integral of |e(t)|^2 dt / tau = squares[0] |e|^2 + squares[1] e . d + squares[2] |d|^2
///   squares = (1 - decay^2) / 2,   (1 - decay)^2 / x,   (x - 2 (1 - decay) + (1 - decay^2) / 2) / x^2
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Relaxation {
    pub(crate) start: Lane,
    pub(crate) mean: Lane,
    pub(crate) squares: [Lane; 3],
}

/// The relaxation factors of one element.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Factors {
    start: f64,
    mean: f64,
    squares: [f64; 3],
}

impl Branch {
    /// The factors after `elapsed` seconds, from zero to infinity.
    pub(crate) fn relaxation(&self, elapsed: f64) -> Relaxation {
        let times = self.time.to_array();
        let first = Factors::for_ratio(elapsed / times[0]);
        let factors = |time: f64| match time == times[0] {
            true => first,
            false => Factors::for_ratio(elapsed / time),
        };
        let by_lane = times.map(factors);
        Relaxation {
            start: Lane::new(by_lane.map(|factors| factors.start)),
            mean: Lane::new(by_lane.map(|factors| factors.mean)),
            squares: from_fn(|k| Lane::new(by_lane.map(|factors| factors.squares[k]))),
        }
    }
}

impl Factors {
    /// The factors for `x = h / tau`.
    fn for_ratio(x: f64) -> Self {
        if x == f64::INFINITY {
            return Self { start: 0.0, mean: 0.0, squares: [0.5, 0.0, 0.0] };
        }
        if x <= 0.0 {
            return Self { start: 1.0, mean: 1.0, squares: [0.0; 3] };
        }
        let decayed = -elementary::expm1(-x);
        let (decay, mean) = (1.0 - decayed, decayed / x);
        let squares = [0.5 * decayed * (1.0 + decay), decayed * mean, last_square(x, decayed)];
        Self { start: decay / mean, mean, squares }
    }
}

/// `squares[2]` of [`Relaxation`] for `x = h / tau` and `decayed = 1 - exp(-x)`; by a series where the terms cancel.
fn last_square(x: f64, decayed: f64) -> f64 {
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

    /// By Simpson's rule over 2000 intervals.
    #[test]
    fn relaxation_integrates_the_dashpot_at_a_constant_rate() {
        for x in [1e-9, 1e-3, 0.049, 0.051, 0.7, 5.0, 60.0] {
            let own = Factors::for_ratio(x);
            for [e, d] in [[1.0, 0.0], [0.3, -0.8], [0.0, 1.0]] {
                let at = |s: f64| (e - d / x) * (-x * s).exp() + d / x;
                assert!((own.mean * (own.start * e + d) - at(1.0)).abs() < 1e-12f64.max(4e-16 / x));
                let n = 2000;
                let weight = |k: usize| match k {
                    0 => 1.0,
                    k if k == n => 1.0,
                    k => 2.0 + 2.0 * (k % 2) as f64,
                };
                let heat: f64 = (0..=n)
                    .map(|k| weight(k) * at(k as f64 / n as f64).powi(2) / (3 * n) as f64)
                    .sum::<f64>()
                    * x;
                let [a, b, c] = own.squares;
                let found = a * e * e + b * e * d + c * d * d;
                assert!(
                    (found - heat).abs() < 1e-6 * heat.abs().max(1e-3 * x),
                    "{x}: {found} for {heat}"
                );
            }
        }
    }

    #[test]
    fn relaxation_has_the_limits_of_no_time_and_of_all_time() {
        let none = Factors { start: 1.0, mean: 1.0, squares: [0.0; 3] };
        assert_eq!(Factors::for_ratio(0.0), none);
        let all = Factors { start: 0.0, mean: 0.0, squares: [0.5, 0.0, 0.0] };
        assert_eq!(Factors::for_ratio(f64::INFINITY), all);
    }
}
