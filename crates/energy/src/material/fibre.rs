//! A material reinforced by one family of fibres.

use super::neo_hookean::NeoHookean;
use super::{Lame, PAIRS, StrainEnergyDensity, entries};
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, dot, scale};
use resile_math::parameters::Allowed;
use resile_system::Psd;
use std::array::from_fn;

/// The parameters of a transversely isotropic material: a neo-Hookean matrix with one family
/// of tension-only fibres.
///
/// ```text
/// psi = psi_NeoHookean(F) + g(I4),     I4 = |F a|^2,
/// g   = k1/(2 k2) (exp(k2 (I4 - 1)^2) - 1)  for I4 > 1,  0 otherwise
/// ```
///
/// with the direction `a` of the fibres at rest, `|a| = 1`: the fibre energy of Holzapfel,
/// Gasser & Ogden 2000, *A new constitutive framework for arterial wall mechanics*, for one
/// family. They use I4 of the isochoric part of F, which excludes volumetric stretch. Here I4 is
/// that of the full F, as Helfenstein, Jabareen, Mazza & Govindjee 2010, *On non-physical response
/// in models for fiber-reinforced hyperelastic materials*, require for compressible materials.
///
/// g is C1: at I4 = 1 its slope is zero and its second derivative jumps from 0 to k1. Stress is
/// therefore continuous, and the stiffness along the fibres jumps by 4 k1: near rest Young's
/// modulus along the fibres is `E + 4 k1` in tension and `E` in compression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fibre {
    matrix: Lame,
    stiffness: f64,
    exponent: f64,
    direction: Vec3,
}

/// Invalid parameters of fibres.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FibreError {
    /// The stiffness is negative or not finite.
    #[error("the fibres have the stiffness {stiffness} Pa, but must have a finite one >= 0")]
    Stiffness {
        /// The given value (Pa).
        stiffness: f64,
    },
    /// The exponent is negative or not finite.
    #[error("the fibres stiffen with the exponent {exponent}, but must with a finite one >= 0")]
    Exponent {
        /// The given value.
        exponent: f64,
    },
    /// The direction is zero or not finite.
    #[error("the fibres have the direction {direction}, which has no finite, positive length")]
    Direction {
        /// The given value.
        direction: Vec3,
    },
}

impl Fibre {
    /// Range of the stiffness (Pa).
    pub const STIFFNESS: Allowed = Allowed::NotNegative;
    /// Range of the exponent.
    pub const EXPONENT: Allowed = Allowed::NotNegative;

    /// Fibres of `stiffness` k1 (Pa) and `exponent` k2 along `direction` (of any length, in
    /// the frame of the rest positions) in a `matrix`. For k2 = 0 the fibre energy is the
    /// limit `k1/2 (I4 - 1)^2`; k1 = 0 is the matrix alone.
    ///
    /// # Errors
    /// A stiffness or exponent that is negative or not finite, a direction that is zero or not finite.
    pub fn new(
        matrix: Lame,
        stiffness: f64,
        exponent: f64,
        direction: Vec3,
    ) -> Result<Self, FibreError> {
        if !Self::STIFFNESS.holds(stiffness) {
            return Err(FibreError::Stiffness { stiffness });
        }
        if !Self::EXPONENT.holds(exponent) {
            return Err(FibreError::Exponent { exponent });
        }
        let unit = direction.try_normalize().ok_or(FibreError::Direction { direction })?;
        Ok(Self { matrix, stiffness, exponent, direction: unit })
    }

    /// The unit vector along the fibres at rest.
    pub fn direction(&self) -> Vec3 {
        self.direction
    }
}

/// The density of eight elements.
#[derive(Debug)]
pub(super) struct FibreReinforced {
    matrix: NeoHookean,
    k1: Lane,
    k2: Lane,
    a: Vec3x8,
}

/// State of the fibres: `f = F a`, `e = max(I4 - 1, 0)`, `x = k2 e^2`.
struct FibreState {
    f: Vec3x8,
    e: Lane,
    x: Lane,
}

impl FibreReinforced {
    pub(super) fn new(fibres: &[Fibre; LANES]) -> Self {
        Self {
            matrix: NeoHookean::new(&fibres.map(|fibre| fibre.matrix)),
            k1: Lane::new(fibres.map(|fibre| fibre.stiffness)),
            // For k1 = 0 the exponential must not overflow.
            k2: Lane::new(fibres.map(|f| if f.stiffness > 0.0 { f.exponent } else { 0.0 })),
            a: from_fn(|i| Lane::new(fibres.map(|fibre| fibre.direction[i]))),
        }
    }

    #[inline(always)]
    fn fibre_state(&self, f: &Mat3x8) -> FibreState {
        let f = f.mul_vec(&self.a);
        let e = (dot(&f, &f) - Lane::ONE).fast_max(Lane::ZERO);
        FibreState { f, e, x: self.k2 * e * e }
    }
}

/// `(exp(x) - 1)/x` for x >= 0, one at zero, to a few roundings.
#[inline(always)]
fn mean_exp(x: Lane) -> Lane {
    const SERIES_LIMIT: f64 = 0.125;
    // The remainder of Taylor's series is below SERIES_LIMIT^10/11! = 2.3e-17.
    let series = (2..=10)
        .rev()
        .fold(Lane::ONE, |sum, n| (x * Lane::splat(1.0 / f64::from(n))).mul_add(sum, Lane::ONE));
    x.simd_lt(Lane::splat(SERIES_LIMIT)).select(series, (x.exp() - Lane::ONE) / x)
}

impl StrainEnergyDensity for FibreReinforced {
    // g = k1/2 e^2 (exp(x) - 1)/x
    fn value(&self, f: &Mat3x8) -> Lane {
        let FibreState { e, x, .. } = self.fibre_state(f);
        (self.k1 * Lane::HALF * e * e).mul_add(mean_exp(x), self.matrix.value(f))
    }

    // dg/dF = 2 g' (F a) a^T,  g' = k1 e exp(x)
    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let matrix = self.matrix.stress(f);
        let FibreState { f, e, x } = self.fibre_state(f);
        let traction = scale(Lane::splat(2.0) * self.k1 * e * x.exp(), &f);
        entries(|i, j| traction[i].mul_add(self.a[j], matrix.cols[j][i]))
    }

    // The contribution of the fibres is (2 g' I + 4 g'' f f^T) (g_a . a) (g_b . a), f = F a,
    // g'' = k1 (1 + 2 x) exp(x). With dF = v w^T it has the eigenvalues 2 g' + 4 g'' I4 for
    // w = a, v = f; 2 g' for w = a and the two v across f; and zero for the six with w across
    // a (Kim, de Goes & Iben 2019, *Anisotropic elasticity for inversion-safety and element
    // rehabilitation*). None is negative in fibres that bear tension only: the matrix alone
    // is projected.
    fn hessian(&self, f: &Mat3x8, g: &[Vec3x8; 3], weight: Lane, psd: Psd, out: &mut [Mat3x8; 6]) {
        self.matrix.hessian(f, g, weight, psd, out);
        let FibreState { f, e, x } = self.fibre_state(f);
        let two = Lane::splat(2.0);
        let exp = weight * self.k1 * x.exp();
        let transverse = two * e * exp;
        let in_tension = e.simd_gt(Lane::ZERO);
        let axial =
            in_tension.select(Lane::splat(4.0) * two.mul_add(x, Lane::ONE) * exp, Lane::ZERO);
        let projections: [Lane; 3] = from_fn(|a| dot(&g[a], &self.a));
        let stiffness: Mat3x8 = entries(|i, k| {
            let entry = axial * (f[i] * f[k]);
            if i == k { entry + transverse } else { entry }
        });
        for (out, (a, b)) in out.iter_mut().zip(PAIRS) {
            *out = stiffness.scale_add(projections[a] * projections[b], out);
        }
    }

    fn forbids_inversion(&self) -> bool {
        self.matrix.forbids_inversion()
    }

    /// The modulus of the matrix plus that of fibres at the onset of tension, `4 k1`.
    fn modulus(&self) -> Lane {
        Lane::splat(4.0).mul_add(self.k1, StrainEnergyDensity::modulus(&self.matrix))
    }
}
