//! Hyperelastic materials.
//!
//! A material is a strain energy density psi (J/m^3 of rest volume) of the deformation
//! gradient F. Elements evaluate it through [`StrainEnergyDensity`], for eight elements at a
//! time; its implementors hold the parameters of eight elements in lanes. Isotropic materials
//! implement [`Isotropic`] instead, with the second derivative by singular values, from which the
//! blocks and their projection follow. [`Materials`] assigns materials to elements.

mod corotated;
mod elements;
mod fibre;
mod hencky;
mod isotropic;
mod kinematic;
mod lame;
mod linear;
mod maxwell;
mod model;
mod neo_hookean;
mod ogden;
mod rate;
mod st_venant_kirchhoff;
mod stretches;
mod von_mises;
mod yeoh;

pub use elements::Materials;
pub use fibre::{Fibre, FibreError};
pub use hencky::Hencky;
pub use isotropic::{Closed, Curvature, Isotropic};
pub use kinematic::KinematicHardening;
pub use lame::Lame;
pub use maxwell::{Maxwell, MaxwellError};
pub use model::{Model, ModelError};
pub use ogden::Ogden;
pub use rate::RateDependence;
pub use von_mises::{ElastoPlastic, VonMises, VonMisesError};
pub use yeoh::Yeoh;

pub(crate) use hencky::Flow;
pub use maxwell::Branch;
pub(crate) use maxwell::Relaxation;

use lame::Lamex8;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use resile_system::Psd;
use std::array::from_fn;
use std::fmt::Debug;

/// The strain energy density of a material, for eight elements at a time, each with its own
/// deformation gradient and its own parameters.
pub trait StrainEnergyDensity: Debug + Send + Sync {
    /// psi(F) in J/m^3, `+inf` where F is inadmissible.
    fn value(&self, f: &Mat3x8) -> Lane;

    /// dpsi/dF, the first Piola-Kirchhoff stress (Pa).
    fn stress(&self, f: &Mat3x8) -> Mat3x8;

    /// [Value](Self::value) and [stress](Self::stress), bitwise equal to the separate calls.
    fn value_and_stress(&self, f: &Mat3x8) -> (Lane, Mat3x8) {
        (self.value(f), self.stress(f))
    }

    /// Writes `weight` times the 3x3 blocks `K_ab = d2psi/dF2 : (. g_a^T, . g_b^T)`, by columns, of the pairs
    /// `(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)` of the gradients `g_a` (1/m) of three shape functions:
    /// `K_ab[i][k] = sum_jl d2psi/(dF_ij dF_kl) g_a[j] g_b[l]`. Blocks with a = b are exactly symmetric.
    ///
    /// With [`Psd::Clamp`] d2psi/dF2 is replaced by a positive semi-definite upper bound.
    fn hessian(&self, f: &Mat3x8, g: &[Vec3x8; 3], weight: Lane, psd: Psd, out: &mut [Mat3x8; 6]);

    /// The Cauchy stress (Pa), `P F^T / det F`; that of linear elasticity, whose strains are infinitesimal, is `P`.
    fn cauchy_stress(&self, f: &Mat3x8) -> Mat3x8 {
        self.stress(f).mul_transpose(f).scale(Lane::ONE / f.determinant())
    }

    /// Whether psi is infinite for det F <= 0.
    fn forbids_inversion(&self) -> bool;

    /// The modulus E (Pa) of the quadratic proxy `E/2 |F - p|^2` (p a projection of F) of local/global
    /// methods, whose second derivative is constant and isotropic. By default the largest of the three
    /// axial moduli `d2psi/dF_kk^2` (one per axis k) at rest. For an isotropic material all three are
    /// `lambda + 2 mu`.
    fn modulus(&self) -> Lane {
        let unit_vector = |k: usize| from_fn(|i| if i == k { Lane::ONE } else { Lane::ZERO });
        let axes = from_fn(unit_vector);
        let mut blocks = [Mat3x8 { cols: [[Lane::ZERO; 3]; 3] }; 6];
        // With the unit vectors as gradients, the block of the pair (k, k) has the modulus of axis k at [k][k].
        self.hessian(&Mat3x8 { cols: axes }, &axes, Lane::ONE, Psd::Clamp, &mut blocks);
        let [xx, _, _, yy, _, zz] = blocks;
        xx.cols[0][0].fast_max(yy.cols[1][1]).fast_max(zz.cols[2][2])
    }

    /// This density with its flow rule, if the elements can yield: terms with history variables use it in place of this
    /// density.
    fn yielding(&self) -> Option<Hencky> {
        None
    }

    /// The branch of a Prony series, if this density is one.
    fn relaxing(&self) -> Option<Branch> {
        None
    }
}

/// A material and its parameters. Materials with [`Lame`] parameters linearise to Hooke's law with
/// these parameters at rest.
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
    /// `psi = mu |e|^2 + lambda/2 (tr e)^2`, `e = (F + F^T)/2 - I`: linear elasticity, for small strains and small
    /// rotations; it is not rotation invariant.
    Linear(Lame),
    /// `psi = (lambda/2 + mu/3) (ln J)^2 + mu |dev ln U|^2`, infinite for J <= 0: linear in the
    /// logarithms of stretches; see [`Hencky`].
    Hencky(Lame),
    /// `psi = sum_p mu_p/alpha_p (sum_i s_i^alpha_p - 3) + bulk/2 (ln J)^2` of the isochoric stretches s (Ogden
    /// 1972), infinite for J <= 0; Mooney and Rivlin's law with two exponents.
    Ogden(Ogden),
    /// `psi = sum_k c_k (I - 3)^k + bulk/2 (ln J)^2`, k to 3, of the first invariant of isochoric stretches (Yeoh
    /// 1993), infinite for J <= 0.
    Yeoh(Yeoh),
    /// A Hencky material with von Mises plasticity; see [`Hencky`].
    ElastoPlastic(ElastoPlastic),
    /// A branch of a Prony series; see [`Maxwell`].
    Maxwell(Maxwell),
    /// A neo-Hookean matrix reinforced by tension-only fibres of one direction; see [`Fibre`].
    Fibre(Fibre),
}

/// The density that `$new` constructs from the parameters of eight materials of the law `$law`; `None` if one has
/// another law.
macro_rules! density {
    ($materials:expr, $law:ident, $new:expr) => {
        density_of_parameters($materials, $new, |material| match material {
            Material::$law(parameters) => Some(parameters),
            _ => None,
        })
    };
}

impl Material {
    /// The strain energy density of eight elements; `None` if their laws differ.
    fn density(materials: &[Self; LANES]) -> Option<Box<dyn StrainEnergyDensity>> {
        match materials[0] {
            Self::NeoHookean(_) => density!(materials, NeoHookean, neo_hookean::NeoHookean::new),
            Self::Corotated(_) => density!(materials, Corotated, corotated::Corotated::new),
            Self::StVenantKirchhoff(_) => {
                density!(materials, StVenantKirchhoff, st_venant_kirchhoff::StVenantKirchhoff::new)
            }
            Self::Linear(_) => density!(materials, Linear, linear::Linear::new),
            Self::Hencky(_) => density!(materials, Hencky, Hencky::elastic),
            Self::Ogden(_) => density!(materials, Ogden, ogden_density),
            Self::Yeoh(_) => density!(materials, Yeoh, yeoh_density),
            Self::ElastoPlastic(_) => density!(materials, ElastoPlastic, elasto_plastic_density),
            Self::Maxwell(_) => density!(materials, Maxwell, Branch::new),
            Self::Fibre(_) => density!(materials, Fibre, fibre::FibreReinforced::new),
        }
    }
}

/// Ogden's law of eight elements.
fn ogden_density(parameters: &[Ogden; LANES]) -> stretches::Rubber<ogden::OgdenLaw> {
    let bulk = Lane::new(parameters.map(|parameters| parameters.bulk));
    stretches::Rubber { law: ogden::OgdenLaw::new(parameters), bulk }
}

/// Yeoh's law of eight elements.
fn yeoh_density(parameters: &[Yeoh; LANES]) -> stretches::Rubber<yeoh::YeohLaw> {
    let bulk = Lane::new(parameters.map(|parameters| parameters.bulk));
    stretches::Rubber { law: yeoh::YeohLaw::new(parameters), bulk }
}

/// The elasto-plastic law of eight elements.
fn elasto_plastic_density(parameters: &[ElastoPlastic; LANES]) -> Hencky {
    let lame = parameters.map(|parameters| parameters.lame);
    Hencky::yielding(&lame, &parameters.map(|parameters| parameters.flow))
}

/// The density that `new` constructs from the parameters of eight elements; `None` if `parameters` returns none for one
/// of them.
fn density_of_parameters<P: Copy, D: StrainEnergyDensity + 'static>(
    materials: &[Material; LANES],
    new: impl Fn(&[P; LANES]) -> D,
    parameters: impl Fn(&Material) -> Option<&P>,
) -> Option<Box<dyn StrainEnergyDensity>> {
    let first = parameters(&materials[0])?;
    let have_same_law = materials.iter().all(|material| parameters(material).is_some());
    let by_lane = from_fn(|l| *parameters(&materials[l]).unwrap_or(first));
    have_same_law.then(|| Box::new(new(&by_lane)) as Box<dyn StrainEnergyDensity>)
}

/// Invalid materials.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// Young's modulus is not a positive number.
    #[error("Young's modulus is {young} Pa, but must be positive and finite")]
    Young {
        /// The given value (Pa).
        young: f64,
    },
    /// Poisson's ratio is out of range.
    #[error("Poisson's ratio is {poisson}, but must lie between -1 and 0.5, both excluded")]
    Poisson {
        /// The given value.
        poisson: f64,
    },
    /// Elements that are evaluated together have different laws.
    #[error(
        "element {element} has another law than element {first}; make a term of the elements \
         of each law"
    )]
    MixedLaws {
        /// The first element of a group of eight.
        first: usize,
        /// The first element of the group that has another law.
        element: usize,
    },
}

/// The pairs of shape function gradients that have a block each.
const PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// Writes `block(a, b)` for each of the [pairs](PAIRS) of gradients a and b to `out`.
#[inline(always)]
fn write_pairs(out: &mut [Mat3x8; 6], block: impl Fn(usize, usize) -> Mat3x8) {
    for (block_of_pair, (a, b)) in out.iter_mut().zip(PAIRS) {
        *block_of_pair = block(a, b);
    }
}

/// The matrix of the entries `f(row, column)` in each lane.
#[inline(always)]
fn entries(f: impl Fn(usize, usize) -> Lane) -> Mat3x8 {
    // Unrolled by hand, because nested `from_fn` is not inlined and copies its result.
    let column = |j| [f(0, j), f(1, j), f(2, j)];
    Mat3x8 { cols: [column(0), column(1), column(2)] }
}
