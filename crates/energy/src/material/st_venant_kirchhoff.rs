//! The St. Venant-Kirchhoff material.

use super::isotropic::{Closed, Curvature, Isotropic, by_pair};
use super::{Lame, Lamex8, entries, write_pairs};
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, dot};
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;

/// `psi = mu |G|^2 + lambda/2 (tr G)^2`, `G = (F^T F - I)/2`.
#[derive(Debug)]
pub(super) struct StVenantKirchhoff {
    mu: Lane,
    lambda: Lane,
}

impl StVenantKirchhoff {
    pub(super) fn new(lame: &[Lame; LANES]) -> Self {
        let Lamex8 { mu, lambda } = Lamex8::new(lame);
        Self { mu, lambda }
    }

    /// The second Piola-Kirchhoff stress `S = 2 mu G + lambda tr G I`.
    #[inline(always)]
    fn second_stress(&self, f: &Mat3x8) -> Mat3x8 {
        let g = green_strain(f);
        let two_mu = self.mu + self.mu;
        let trace = self.lambda * (g.diagonal[0] + g.diagonal[1] + g.diagonal[2]);
        let d = g.diagonal.map(|g| two_mu.mul_add(g, trace));
        let [yz, xz, xy] = g.off.map(|g| two_mu * g);
        Mat3x8 { cols: [[d[0], xy, xz], [xy, d[1], yz], [xz, yz, d[2]]] }
    }
}

/// Green's strain of F, with `(1, 2)`, `(0, 2)`, `(0, 1)` off the diagonal.
#[inline(always)]
fn green_strain(f: &Mat3x8) -> Symmetric3x8 {
    let c = &f.cols;
    Symmetric3x8 {
        diagonal: from_fn(|i| (dot(&c[i], &c[i]) - Lane::ONE) * Lane::HALF),
        off: by_pair(|_, i, j| dot(&c[i], &c[j]) * Lane::HALF),
    }
}

impl Isotropic for StVenantKirchhoff {
    fn value(&self, f: &Mat3x8) -> Lane {
        let g = green_strain(f);
        let trace = g.diagonal[0] + g.diagonal[1] + g.diagonal[2];
        let off = dot(&g.off, &g.off);
        let square = dot(&g.diagonal, &g.diagonal) + (off + off);
        self.mu.mul_add(square, self.lambda * Lane::HALF * trace * trace)
    }

    // P = F S
    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        f.mul(&self.second_stress(f))
    }

    // With p_a = F g_a:
    // K_ab = (g_a . S g_b) I + mu (g_a . g_b) F F^T + lambda p_a p_b^T + mu p_b p_a^T
    fn blocks(&self, f: &Mat3x8, g: &[Vec3x8; 3], out: &mut [Mat3x8; 6]) -> Closed {
        let stress = self.second_stress(f);
        let left = f.mul_transpose(f);
        let p: [Vec3x8; 3] = from_fn(|a| f.mul_vec(&g[a]));
        write_pairs(out, |a, b| {
            let identity_term = dot(&g[a], &stress.mul_vec(&g[b]));
            let scaled_product = self.mu * dot(&g[a], &g[b]);
            entries(|i, k| {
                // The entries of one triangle are used, so that rounding cannot make diagonal blocks asymmetric.
                let strain = scaled_product * left.cols[i.max(k)][i.min(k)];
                let swapped_dyad = self.mu.mul_add(p[b][i] * p[a][k], strain);
                let dyads = self.lambda.mul_add(p[a][i] * p[b][k], swapped_dyad);
                if i == k { dyads + identity_term } else { dyads }
            })
        });
        Closed::Yes
    }

    // psi_i = s_i (mu (s_i^2 - 1) + lambda tr G)
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let squares = s.map(|s| s * s);
        let trace = (squares[0] + squares[1] + squares[2] - Lane::splat(3.0)) * Lane::HALF;
        let constant = self.lambda.mul_sub(trace, self.mu);
        let quadratic = self.mu.mul_add(Lane::splat(3.0), self.lambda);
        let products = by_pair(|_, i, j| s[i] * s[j]);
        let sums = by_pair(|_, i, j| squares[i] + squares[j]);
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: squares.map(|q| quadratic.mul_add(q, constant)),
                off: products.map(|p| self.lambda * p),
            },
            flip: by_pair(|k, _, _| self.mu.mul_add(sums[k] + products[k], constant)),
            twist: by_pair(|k, _, _| self.mu.mul_add(sums[k] - products[k], constant)),
        }
    }

    fn forbids_inversion(&self) -> bool {
        false
    }

    fn modulus(&self) -> Lane {
        Lane::splat(2.0).mul_add(self.mu, self.lambda)
    }
}
