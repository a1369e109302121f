//! Isotropic hyperelastic materials.
//!
//! A material is a density psi (J/m^3 of rest volume) of the deformation gradient
//! F. Isotropic and indifferent to rotations, it depends on the signed singular
//! values s of F = U diag(s) V^T alone, and then the eigen-structure of its second
//! derivative is known in advance (Smith, de Goes, Kim 2019, *Analytic eigensystems
//! for isotropic distortion energies*; Stomakhin et al. 2012 for the same fact):
//! with `dF = U A V^T`,
//!
//! ```text
//! d2psi = sum_ij h_ij A_ii A_jj + sum_{i<j} flip_ij  (A_ij + A_ji)^2 / 2
//!                               + sum_{i<j} twist_ij (A_ij - A_ji)^2 / 2
//!
//! h_ij     = d2psi / ds_i ds_j
//! flip_ij  = (psi_i - psi_j) / (s_i - s_j)        psi_i = dpsi / ds_i
//! twist_ij = (psi_i + psi_j) / (s_i + s_j)
//! ```
//!
//! A material states these three; the projection to positive semi-definiteness is then a clamp of
//! six numbers and of one 3x3 block, 16 times cheaper than a numeric one.
//!
//! Where nothing is to be projected singular vectors are a detour. With the gradients `g_a`
//! of shape functions each material has its 3x3 blocks
//! `K_ab = d2psi/dF2 : (. g_a^T, . g_b^T)` in closed form, and states them too.

mod corotated;
mod neo_hookean;
mod st_venant_kirchhoff;

use resile_math::lanes::{Lane, Mat3x8, Vec3x8};
use resile_math::symmetric3::Symmetric3x8;
use std::fmt::Debug;

/// A material and its parameters. All linearise to Hooke's law with the same
/// parameters around the rest state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Material {
    /// `psi = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2`, infinite for
    /// J = det F <= 0 (Bonet & Wood, *Nonlinear Continuum Mechanics for Finite
    /// Element Analysis*, eq. 6.27).
    NeoHookean(Lame),
    /// `psi = mu |F - R|^2 + lambda/2 (J - 1)^2`, R the rotation nearest to F; finite
    /// under inversion (Stomakhin et al. 2012, *Energetically consistent invertible
    /// elasticity*, section 3.4).
    Corotated(Lame),
    /// `psi = mu |G|^2 + lambda/2 (tr G)^2`, G = (F^T F - I)/2: a quartic polynomial of
    /// position, with little resistance to strong compression and finite under inversion.
    StVenantKirchhoff(Lame),
}

impl Material {
    /// The mathematics of the material.
    pub(crate) fn density(&self) -> Box<dyn Density> {
        match *self {
            Self::NeoHookean(lame) => Box::new(neo_hookean::NeoHookean::new(lame)),
            Self::Corotated(lame) => Box::new(corotated::Corotated::new(lame)),
            Self::StVenantKirchhoff(lame) => {
                Box::new(st_venant_kirchhoff::StVenantKirchhoff::new(lame))
            }
        }
    }
}

/// Lame's parameters of an isotropic material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lame {
    mu: f64,
    lambda: f64,
}

impl Lame {
    /// From Young's modulus (Pa) and Poisson's ratio:
    /// `mu = E / (2 (1 + nu))`, `lambda = E nu / ((1 + nu)(1 - 2 nu))`.
    ///
    /// # Errors
    /// Unless `E` is positive and finite and `-1 < nu < 0.5`, the range in which
    /// shear and bulk modulus are positive.
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(MaterialError::Young { young });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(MaterialError::Poisson { poisson });
        }
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { mu, lambda })
    }

    /// Shear modulus (Pa).
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// The first parameter (Pa): bulk modulus less two thirds of `mu`.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }
}

/// Parameters that no elastic material has.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// Young's modulus is not a positive number.
    #[error("Young's modulus is {young} Pa, but must be positive and finite")]
    Young {
        /// What was given (Pa).
        young: f64,
    },
    /// Poisson's ratio is out of range.
    #[error("Poisson's ratio is {poisson}, but must lie between -1 and 0.5, both excluded")]
    Poisson {
        /// What was given.
        poisson: f64,
    },
}

/// The density of a material, for eight deformation gradients at a time.
pub(crate) trait Density: Debug + Send + Sync {
    /// psi(F) in J/m^3, `+inf` where F is inadmissible.
    fn value(&self, f: &Mat3x8) -> Lane;

    /// dpsi/dF, the first Piola-Kirchhoff stress (Pa).
    fn stress(&self, f: &Mat3x8) -> Mat3x8;

    /// Writes the blocks `K_ab` (Pa/m^2) of [`COUPLES`], if they are to be had without
    /// singular vectors.
    fn blocks(&self, f: &Mat3x8, g: &[Vec3x8; 3], out: &mut [Mat3x8]) -> Closed;

    /// The second derivative at F = diag(s), `s[0] >= s[1] >= |s[2]|`.
    fn curvature(&self, s: &Vec3x8) -> Curvature;

    /// Whether psi is infinite for det F <= 0.
    fn forbids_inversion(&self) -> bool;
}

/// Whether there was a closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    Yes,
    No,
}

/// d2psi/dF2 (Pa) in the frame of the singular vectors; see the module's head.
/// Entry `k` of a triple that belongs to pairs of axes is that of the pair
/// without axis `k`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curvature {
    /// h: second derivatives along the singular values.
    pub(crate) stretch: Symmetric3x8,
    /// Of the symmetric shears.
    pub(crate) flip: Vec3x8,
    /// Of the rotations.
    pub(crate) twist: Vec3x8,
}

impl Curvature {
    /// Clamps negative eigenvalues to zero; changes nothing, to the bit, where
    /// there are none.
    #[inline]
    pub(crate) fn clamp(&mut self) {
        self.stretch.project_psd();
        self.flip = self.flip.map(|x| x.fast_max(Lane::ZERO));
        self.twist = self.twist.map(|x| x.fast_max(Lane::ZERO));
    }
}

/// The pairs of shape function gradients that have a block each.
const COUPLES: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// Writes the block of each pair.
#[inline(always)]
fn write_couples(out: &mut [Mat3x8], block: impl Fn(usize, usize) -> Mat3x8) -> Closed {
    for (out, (a, b)) in out.iter_mut().zip(COUPLES) {
        *out = block(a, b);
    }
    Closed::Yes
}

/// The matrix of the entries `f(row, column)` in each lane.
#[inline(always)]
fn entries(f: impl Fn(usize, usize) -> Lane) -> Mat3x8 {
    // Written out: a profile of the twisted bar showed `from_fn` within `from_fn` called and
    // its answer copied.
    let column = |column| [f(0, column), f(1, column), f(2, column)];
    Mat3x8 { cols: [column(0), column(1), column(2)] }
}

/// `f(k, i, j)` for each axis k and the two others.
#[inline(always)]
fn by_pair(f: impl Fn(usize, usize, usize) -> Lane) -> Vec3x8 {
    [f(0, 1, 2), f(1, 0, 2), f(2, 0, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn young_and_poisson_come_back_from_lame() {
        for (young, poisson) in [(1e6, 0.3), (5.0, -0.4), (2e11, 0.0), (1e4, 0.49)] {
            let lame = Lame::from_young_poisson(young, poisson).expect("parameters in range");
            let (mu, lambda) = (lame.mu(), lame.lambda());
            let e = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
            let nu = lambda / (2.0 * (lambda + mu));
            assert!((e - young).abs() < 1e-12 * young && (nu - poisson).abs() < 1e-12);
        }
    }

    #[test]
    fn parameters_of_no_material_are_refused_with_their_value() {
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
