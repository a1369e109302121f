//! Isotropic materials, by singular values.
//!
//! An isotropic, objective psi depends only on the signed singular values s of
//! `F = U diag(s) V^T`, so the eigensystem of its second derivative is known analytically
//! (Smith, de Goes, Kim 2019, *Analytic eigensystems for isotropic distortion energies*;
//! Stomakhin et al. 2012): with `dF = U A V^T`,
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
//! A material provides these three; the projection to positive semi-definiteness clamps six
//! numbers and one 3x3 block, which is 16 times cheaper than a numerical projection.
//!
//! # Blocks
//! In the frame of the singular vectors the second derivative has 21 non-zero entries.
//! `K_ab = U C_ab U^T`, with two or three products per entry of `C_ab`, is therefore cheaper than
//! the nine 12x12 rank-one updates of Kim & Eberle 2022. Without projection the singular vectors
//! are not needed, and a material also provides its exact blocks in closed form; if it has none
//! (for extremely distorted elements), the exact blocks are computed from the singular vectors.

use super::{Branch, Hencky, PAIRS, StrainEnergyDensity};
use resile_math::lanes::{Lane, Mat3x8, Vec3x8, dot, scale};
use resile_math::svd::SignedSvd;
use resile_math::symmetric3::Symmetric3x8;
use resile_system::Psd;
use std::array::from_fn;
use std::fmt::Debug;

/// The strain energy density of an isotropic material, for eight elements at a time. Implementors
/// implement [`StrainEnergyDensity`] automatically.
pub trait Isotropic: Debug + Send + Sync {
    /// psi(F) in J/m^3, `+inf` where F is inadmissible.
    fn value(&self, f: &Mat3x8) -> Lane;

    /// dpsi/dF, the first Piola-Kirchhoff stress (Pa).
    fn stress(&self, f: &Mat3x8) -> Mat3x8;

    /// [Value](Self::value) and [stress](Self::stress), bitwise equal to the separate calls.
    fn value_and_stress(&self, f: &Mat3x8) -> (Lane, Mat3x8) {
        (self.value(f), self.stress(f))
    }

    /// Writes the exact blocks `K_ab` (Pa/m^2) of [`StrainEnergyDensity::hessian`] for the gradients
    /// `g`, if they have a closed form without singular vectors.
    fn blocks(&self, f: &Mat3x8, g: &[Vec3x8; 3], out: &mut [Mat3x8; 6]) -> Closed;

    /// The second derivative at F = diag(s), `s[0] >= s[1] >= |s[2]|`.
    fn curvature(&self, s: &Vec3x8) -> Curvature;

    /// Whether psi is infinite for det F <= 0.
    fn forbids_inversion(&self) -> bool;

    /// [`StrainEnergyDensity::modulus`] (Pa).
    fn modulus(&self) -> Lane;

    /// [`StrainEnergyDensity::yielding`].
    fn yielding(&self) -> Option<Hencky> {
        None
    }

    /// [`StrainEnergyDensity::relaxing`].
    fn relaxing(&self) -> Option<Branch> {
        None
    }
}

/// Whether a closed form exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The blocks are written.
    Yes,
    /// The blocks must be computed from [`Isotropic::curvature`].
    No,
}

/// d2psi/dF2 (Pa) in the frame of the singular vectors; see the module documentation.
/// Entry `k` of a triple that belongs to pairs of axes is that of the pair
/// without axis `k`.
#[derive(Debug, Clone, Copy)]
pub struct Curvature {
    /// h: second derivatives along the singular values.
    pub stretch: Symmetric3x8,
    /// Eigenvalues of the symmetric shears.
    pub flip: Vec3x8,
    /// Eigenvalues of the rotations.
    pub twist: Vec3x8,
}

impl Curvature {
    /// Clamps negative eigenvalues to zero; bitwise unchanged if there are none.
    #[inline]
    fn clamp(&mut self) {
        self.stretch.project_psd();
        self.flip = self.flip.map(|x| x.fast_max(Lane::ZERO));
        self.twist = self.twist.map(|x| x.fast_max(Lane::ZERO));
    }
}

impl<T: Isotropic> StrainEnergyDensity for T {
    fn value(&self, f: &Mat3x8) -> Lane {
        Isotropic::value(self, f)
    }

    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        Isotropic::stress(self, f)
    }

    fn value_and_stress(&self, f: &Mat3x8) -> (Lane, Mat3x8) {
        Isotropic::value_and_stress(self, f)
    }

    fn hessian(&self, f: &Mat3x8, g: &[Vec3x8; 3], weight: Lane, psd: Psd, out: &mut [Mat3x8; 6]) {
        let closed = match psd {
            Psd::Exact => self.blocks(f, g, out),
            Psd::Clamp => Closed::No,
        };
        match closed {
            Closed::Yes => out.iter_mut().for_each(|block| *block = block.scale(weight)),
            Closed::No => write_principal_blocks(self, f, g, weight, psd, out),
        }
    }

    fn forbids_inversion(&self) -> bool {
        Isotropic::forbids_inversion(self)
    }

    fn modulus(&self) -> Lane {
        Isotropic::modulus(self)
    }

    fn yielding(&self) -> Option<Hencky> {
        Isotropic::yielding(self)
    }

    fn relaxing(&self) -> Option<Branch> {
        Isotropic::relaxing(self)
    }
}

/// Writes the blocks, computed in the frame of the singular vectors.
fn write_principal_blocks(
    material: &impl Isotropic,
    f: &Mat3x8,
    g: &[Vec3x8; 3],
    weight: Lane,
    psd: Psd,
    out: &mut [Mat3x8; 6],
) {
    let svd = SignedSvd::new(f);
    let mut curvature = material.curvature(&svd.s);
    match psd {
        Psd::Exact => {}
        Psd::Clamp => curvature.clamp(),
    }
    let frame = PrincipalFrame::new(&svd, curvature, g, weight);
    for (out, (a, b)) in out.iter_mut().zip(PAIRS) {
        *out = if a == b { frame.diagonal_block(a) } else { frame.block(a, b) };
    }
}

/// The second derivative and the gradients in the frame of the singular vectors.
struct PrincipalFrame {
    /// Left singular vectors.
    u: Mat3x8,
    /// Gradients of the shape functions in the right singular frame.
    g: [Vec3x8; 3],
    /// `same_index[i][i]` is `h_ii`, else the factor of `A_ij A_ij`, times the weight.
    same_index: [Vec3x8; 3],
    /// `h_ij`, times the weight.
    stretch: [Vec3x8; 3],
    /// The factor of `A_ij A_ji`, times the weight.
    swapped_index: [Vec3x8; 3],
}

impl PrincipalFrame {
    #[inline(always)]
    fn new(svd: &SignedSvd, curvature: Curvature, gradients: &[Vec3x8; 3], weight: Lane) -> Self {
        let half = weight * Lane::HALF;
        let diagonal = scale(weight, &curvature.stretch.diagonal);
        let off_diagonal = scale(weight, &curvature.stretch.off);
        let (flip, twist) = (&curvature.flip, &curvature.twist);
        let sum: Vec3x8 = from_fn(|k| half * (flip[k] + twist[k]));
        let difference: Vec3x8 = from_fn(|k| half * (flip[k] - twist[k]));
        let table = |diagonal: &Vec3x8, pairs: &Vec3x8| -> [Vec3x8; 3] {
            from_fn(|i| from_fn(|j| if i == j { diagonal[i] } else { pairs[3 - i - j] }))
        };
        Self {
            u: svd.u,
            g: from_fn(|a| svd.v.transpose_mul_vec(&gradients[a])),
            same_index: table(&diagonal, &sum),
            stretch: table(&diagonal, &off_diagonal),
            swapped_index: table(&diagonal, &difference),
        }
    }

    /// `C_ab[i][i] = h_ii g_a[i] g_b[i] + sum_{j != i} same_index_ij g_a[j] g_b[j]`.
    #[inline(always)]
    fn diagonal_entries(&self, a: usize, b: usize) -> Vec3x8 {
        let products: Vec3x8 = from_fn(|j| self.g[a][j] * self.g[b][j]);
        from_fn(|i| dot(&self.same_index[i], &products))
    }

    /// `C_ab[i][k] = h_ik g_a[i] g_b[k] + swapped_index_ik g_a[k] g_b[i]`, i != k.
    #[inline(always)]
    fn off_diagonal_entry(&self, a: usize, b: usize, i: usize, k: usize) -> Lane {
        let (ga, gb) = (&self.g[a], &self.g[b]);
        self.stretch[i][k].mul_add(ga[i] * gb[k], self.swapped_index[i][k] * (ga[k] * gb[i]))
    }

    /// `U C_ab U^T`.
    #[inline(always)]
    fn block(&self, a: usize, b: usize) -> Mat3x8 {
        let diagonal = self.diagonal_entries(a, b);
        let c = Mat3x8 {
            cols: from_fn(|k| {
                from_fn(|i| if i == k { diagonal[i] } else { self.off_diagonal_entry(a, b, i, k) })
            }),
        };
        self.u.mul(&c).mul_transpose(&self.u)
    }

    /// `U C_aa U^T`, exactly symmetric.
    #[inline(always)]
    fn diagonal_block(&self, a: usize) -> Mat3x8 {
        let diagonal = self.diagonal_entries(a, a);
        let off_diagonal =
            [(1, 2), (0, 2), (0, 1)].map(|(i, k)| self.off_diagonal_entry(a, a, i, k));
        let c = Mat3x8 {
            cols: from_fn(|k| {
                from_fn(|i| if i == k { diagonal[i] } else { off_diagonal[3 - i - k] })
            }),
        };
        let left = self.u.mul(&c).transpose();
        let right = self.u.transpose();
        let upper = |i: usize, j: usize| dot(&left.cols[i], &right.cols[j]);
        let [xx, xy, xz] = from_fn(|j| upper(0, j));
        let [yy, yz, zz] = [upper(1, 1), upper(1, 2), upper(2, 2)];
        Mat3x8 { cols: [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] }
    }
}

/// `f(k, i, j)` for each axis k and the two others.
#[inline(always)]
pub(super) fn by_pair(f: impl Fn(usize, usize, usize) -> Lane) -> Vec3x8 {
    [f(0, 1, 2), f(1, 0, 2), f(2, 0, 1)]
}
