//! Lame's parameters.

use super::MaterialError;
use resile_math::lanes::{LANES, Lane};
use resile_math::parameters::Allowed;

/// Lame's parameters of an isotropic material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lame {
    mu: f64,
    lambda: f64,
}

impl Lame {
    /// Range of Young's modulus (Pa).
    pub const YOUNG: Allowed = Allowed::Positive;
    /// Range of Poisson's ratio, in which shear and bulk modulus are positive.
    pub const POISSON: Allowed = Allowed::Inside(-1.0, 0.5);

    /// Lame's parameters for Young's modulus (Pa) and Poisson's ratio: `mu = E / (2 (1 + nu))`,
    /// `lambda = E nu / ((1 + nu)(1 - 2 nu))`.
    ///
    /// # Errors
    /// Unless `E` is positive and finite and `-1 < nu < 0.5`, the range in which
    /// shear and bulk modulus are positive.
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        if !Self::YOUNG.holds(young) {
            return Err(MaterialError::Young { young });
        }
        if !Self::POISSON.holds(poisson) {
            return Err(MaterialError::Poisson { poisson });
        }
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { mu, lambda })
    }

    /// Lame's parameters for shear and bulk modulus (Pa); the bulk modulus may be zero.
    pub(super) fn from_moduli(shear: f64, bulk: f64) -> Self {
        Self { mu: shear, lambda: bulk - 2.0 / 3.0 * shear }
    }

    /// Shear modulus (Pa).
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// The first parameter (Pa): bulk modulus minus two thirds of `mu`.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Bulk modulus (Pa).
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }
}

/// Shear modulus and first parameter (Pa) of eight elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lamex8 {
    pub(super) mu: Lane,
    pub(super) lambda: Lane,
}

impl Lamex8 {
    pub(super) fn new(lame: &[Lame; LANES]) -> Self {
        Self { mu: Lane::new(lame.map(|l| l.mu)), lambda: Lane::new(lame.map(|l| l.lambda)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lame_parameters_invert_to_young_and_poisson() {
        for (young, poisson) in [(1e6, 0.3), (5.0, -0.4), (2e11, 0.0), (1e4, 0.49)] {
            let lame = Lame::from_young_poisson(young, poisson).expect("parameters in range");
            let (mu, lambda) = (lame.mu(), lame.lambda());
            let e = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
            let nu = lambda / (2.0 * (lambda + mu));
            assert!((e - young).abs() < 1e-12 * young && (nu - poisson).abs() < 1e-12);
        }
    }

    #[test]
    fn invalid_parameters_are_refused_with_their_value() {
        for young in [0.0, -1.0, f64::INFINITY] {
            let error = Lame::from_young_poisson(young, 0.3);
            assert_eq!(error, Err(MaterialError::Young { young }));
        }
        for poisson in [0.5, -1.0, 7.0, f64::INFINITY] {
            let error = Lame::from_young_poisson(1e5, poisson);
            assert_eq!(error, Err(MaterialError::Poisson { poisson }));
        }
        assert!(Lame::from_young_poisson(f64::NAN, 0.3).is_err());
        assert!(Lame::from_young_poisson(1.0, f64::NAN).is_err());
    }
}
