//! Linear kinematic hardening.

use super::{ElastoPlastic, Lame, Material, VonMisesError};

/// Von Mises plasticity with kinematic hardening, as two materials of the same elements whose stresses add up.
///
/// With linear kinematic hardening (Prager 1956) the yield surface moves with the plastic strain: flow begins where
/// `|s - X| = sqrt(2/3) (sigma_y + H alpha)`, with the back stress `X = 2/3 C e_p` and the modulus `C`. The same stress
/// results from a spring beside an element that yields (Besseling 1958, *A theory of elastic, plastic and creep
/// deformations of an initially isotropic material*): with `c = 2/3 C`,
///
/// ```text
///   mu_1 = mu c / (2 mu + c),   mu_2 = mu - mu_1,   r = mu_2 / mu
///   spring:  bulk modulus and mu_1
///   slider:  mu_2, yield stress r sigma_y, isotropic hardening r^2 H
/// ```
///
/// because `s - X = s_2 / r` and `e_p = r e_p2` of the slider. The two are identical for any path of small strains; at
/// finite strains this sum defines the law, with `F = F_e F_p` in the slider alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KinematicHardening {
    /// Hencky's material with the bulk modulus.
    pub spring: Material,
    /// The material that yields, without bulk modulus. Its term is an
    /// [overlay](crate::TetElasticity::overlaid) of that of the spring.
    pub slider: Material,
}

impl KinematicHardening {
    /// Hardening of `plastic` by the modulus C (Pa): in a tensile test, stress per plastic strain in addition to that
    /// of isotropic hardening.
    ///
    /// # Errors
    /// Unless the modulus is positive and finite.
    pub fn new(plastic: ElastoPlastic, modulus: f64) -> Result<Self, VonMisesError> {
        if !(modulus > 0.0 && modulus.is_finite()) {
            return Err(VonMisesError::KinematicHardening { modulus });
        }
        let ElastoPlastic { lame, flow } = plastic;
        let (mu, bulk) = (lame.mu(), lame.bulk());
        let back_modulus = 2.0 / 3.0 * modulus;
        let ratio = 2.0 * mu / (2.0 * mu + back_modulus);
        let spring = Lame::from_moduli(mu * back_modulus / (2.0 * mu + back_modulus), bulk);
        let slider = ElastoPlastic {
            lame: Lame::from_moduli(ratio * mu, 0.0),
            flow: flow.beside_spring(ratio),
        };
        Ok(Self { spring: Material::Hencky(spring), slider: Material::ElastoPlastic(slider) })
    }
}
