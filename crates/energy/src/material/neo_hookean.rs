//! The logarithmic neo-Hookean material.

use super::isotropic::{Closed, Curvature, Isotropic, by_pair};
use super::{Lame, Lamex8, entries, write_pairs};
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, dot};
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;

/// `psi = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2`.
#[derive(Debug)]
pub(super) struct NeoHookean {
    mu: Lane,
    lambda: Lane,
}

impl NeoHookean {
    pub(super) fn new(lame: &[Lame; LANES]) -> Self {
        let Lamex8 { mu, lambda } = Lamex8::new(lame);
        Self { mu, lambda }
    }

    /// psi, given `J` and `ln J`.
    #[inline(always)]
    fn value_at(&self, f: &Mat3x8, j: Lane, ln_j: Lane) -> Lane {
        let shear = (f.contract(f) - Lane::splat(3.0)).mul_add(Lane::HALF, -ln_j);
        let value = self.mu.mul_add(shear, self.lambda * Lane::HALF * ln_j * ln_j);
        j.simd_gt(Lane::ZERO).select(value, Lane::splat(f64::INFINITY))
    }

    /// `P = mu (F - F^-T) + lambda ln J F^-T`, given `J` and `ln J`.
    #[inline(always)]
    fn stress_at(&self, f: &Mat3x8, j: Lane, ln_j: Lane) -> Mat3x8 {
        let coefficient = self.lambda.mul_sub(ln_j, self.mu) / j;
        f.cofactor().scale_add(coefficient, &f.scale(self.mu))
    }
}

impl Isotropic for NeoHookean {
    fn value(&self, f: &Mat3x8) -> Lane {
        let j = f.determinant();
        self.value_at(f, j, j.ln())
    }

    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let j = f.determinant();
        self.stress_at(f, j, j.ln())
    }

    fn value_and_stress(&self, f: &Mat3x8) -> (Lane, Mat3x8) {
        let j = f.determinant();
        let ln_j = j.ln();
        (self.value_at(f, j, ln_j), self.stress_at(f, j, ln_j))
    }

    // With w_a = F^-T g_a:
    // K_ab = mu g_a . g_b I + lambda w_a w_b^T + (mu - lambda ln J) w_b w_a^T
    fn blocks(&self, f: &Mat3x8, g: &[Vec3x8; 3], out: &mut [Mat3x8; 6]) -> Closed {
        let j = f.determinant();
        let inverse_transpose = f.cofactor().scale(Lane::ONE / j);
        let w: [Vec3x8; 3] = from_fn(|a| inverse_transpose.mul_vec(&g[a]));
        let coefficient = self.lambda.mul_neg_add(j.ln(), self.mu);
        write_pairs(out, |a, b| {
            let identity_term = self.mu * dot(&g[a], &g[b]);
            entries(|i, k| {
                let swapped_dyad = coefficient * (w[b][i] * w[a][k]);
                let dyads = self.lambda.mul_add(w[a][i] * w[b][k], swapped_dyad);
                if i == k { dyads + identity_term } else { dyads }
            })
        });
        Closed::Yes
    }

    // psi_i = mu s_i + (lambda ln J - mu) / s_i
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let ln_j = (s[0] * s[1] * s[2]).ln();
        let inverse = s.map(|s| Lane::ONE / s);
        let coefficient = self.lambda.mul_neg_add(ln_j, self.mu);
        let products = by_pair(|_, i, j| inverse[i] * inverse[j]);
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: inverse.map(|r| (coefficient + self.lambda).mul_add(r * r, self.mu)),
                off: products.map(|p| self.lambda * p),
            },
            flip: products.map(|p| coefficient.mul_add(p, self.mu)),
            twist: products.map(|p| coefficient.mul_neg_add(p, self.mu)),
        }
    }

    fn forbids_inversion(&self) -> bool {
        true
    }

    fn modulus(&self) -> Lane {
        Lane::splat(2.0).mul_add(self.mu, self.lambda)
    }
}
