//! A material that yields.

use super::Lame;

/// Von Mises' flow with linear isotropic hardening: in a tensile test it begins at the stress
/// `sigma_y`, and from there on stress rises as `sigma_y + H alpha` with the plastic strain alpha.
/// Stresses are Kirchhoff's (force by area, times J), strains logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VonMises {
    yield_stress: f64,
    hardening: f64,
}

/// Parameters of no flow.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum VonMisesError {
    /// The yield stress is no stress.
    #[error("the yield stress is {yield_stress} Pa, but must be positive and finite")]
    YieldStress {
        /// What was given (Pa).
        yield_stress: f64,
    },
    /// What softens has no equilibrium that a mesh could find.
    #[error("the hardening modulus is {hardening} Pa, but must be finite and not negative")]
    Hardening {
        /// What was given (Pa).
        hardening: f64,
    },
}

impl VonMises {
    /// Flow from the stress `yield_stress` (Pa) on, with the hardening modulus H (Pa): zero is
    /// perfect plasticity.
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
        Ok(Self { yield_stress, hardening })
    }

    /// The stress at which flow begins (Pa).
    pub fn yield_stress(&self) -> f64 {
        self.yield_stress
    }

    /// By how much that rises with the equivalent plastic strain (Pa).
    pub fn hardening(&self) -> f64 {
        self.hardening
    }
}

/// A Hencky material that yields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElastoPlastic {
    /// Its elasticity.
    pub lame: Lame,
    /// How it yields.
    pub flow: VonMises,
}
