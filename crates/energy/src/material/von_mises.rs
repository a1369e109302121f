//! Von Mises plasticity.

use super::{Lame, RateDependence};

/// Von Mises plasticity with linear isotropic hardening: in a tensile test yielding begins at the
/// stress `sigma_y`, and the stress is then `sigma_y + H alpha` with the plastic strain alpha. Stresses
/// are Kirchhoff stresses (J times Cauchy stress), strains are logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VonMises {
    yield_stress: f64,
    hardening: f64,
    /// Ratio of the equivalent plastic strain of the whole material to that of these elements, if others act in
    /// parallel.
    share: f64,
    rate: Option<RateDependence>,
}

/// Invalid parameters of plastic flow.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum VonMisesError {
    /// The yield stress is not positive and finite.
    #[error("the yield stress is {yield_stress} Pa, but must be positive and finite")]
    YieldStress {
        /// The given value (Pa).
        yield_stress: f64,
    },
    /// The hardening modulus is negative (softening depends on the mesh) or not finite.
    #[error("the hardening modulus is {hardening} Pa, but must be finite and not negative")]
    Hardening {
        /// The given value (Pa).
        hardening: f64,
    },
    /// The modulus of kinematic hardening is not positive and finite.
    #[error("the modulus of kinematic hardening is {modulus} Pa, but must be positive and finite")]
    KinematicHardening {
        /// The given value (Pa).
        modulus: f64,
    },
    /// The reference rate is not positive and finite.
    #[error(
        "the reference rate of plastic strain is {reference} 1/s, but must be positive and finite"
    )]
    ReferenceRate {
        /// The given value (1/s).
        reference: f64,
    },
    /// The exponent of the rate is out of range.
    #[error("the exponent of the rate of plastic strain is {exponent}, but must be from 1 to 1000")]
    RateExponent {
        /// The given value.
        exponent: f64,
    },
}

impl VonMises {
    /// Flow above the stress `yield_stress` (Pa) with the hardening modulus H (Pa); zero is perfect
    /// plasticity.
    ///
    /// # Errors
    /// Unless `yield_stress` is positive, `hardening` not negative, and both are finite.
    pub fn new(yield_stress: f64, hardening: f64) -> Result<Self, VonMisesError> {
        if !(yield_stress > 0.0 && yield_stress.is_finite()) {
            return Err(VonMisesError::YieldStress { yield_stress });
        }
        if !(hardening >= 0.0 && hardening.is_finite()) {
            return Err(VonMisesError::Hardening { hardening });
        }
        Ok(Self { yield_stress, hardening, share: 1.0, rate: None })
    }

    /// This plasticity, with a stress that depends on the rate of flow.
    #[must_use]
    pub fn with_rate(self, rate: RateDependence) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// The plasticity of the part `ratio` of the shear modulus in parallel with a spring; see
    /// [`KinematicHardening`](super::KinematicHardening).
    pub(super) fn beside_spring(self, ratio: f64) -> Self {
        let Self { yield_stress, hardening, share, rate } = self;
        Self {
            yield_stress: ratio * yield_stress,
            hardening: ratio * ratio * hardening,
            share: ratio * share,
            rate: rate.map(|rate| rate.beside_spring(ratio)),
        }
    }

    /// Ratio of the equivalent plastic strain of the whole material to that of these elements.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// The dependence on the rate of flow, if there is one.
    pub fn rate(&self) -> Option<RateDependence> {
        self.rate
    }

    /// The initial yield stress (Pa).
    pub fn yield_stress(&self) -> f64 {
        self.yield_stress
    }

    /// The hardening modulus H (Pa): yield stress per equivalent plastic strain.
    pub fn hardening(&self) -> f64 {
        self.hardening
    }
}

/// A Hencky material with von Mises plasticity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElastoPlastic {
    /// Elasticity.
    pub lame: Lame,
    /// Flow rule.
    pub flow: VonMises,
}
