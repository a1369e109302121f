//! The St. Venant-Kirchhoff material.

use super::{Curvature, Density, Lame, by_pair};
use resile_linalg::lanes::{Lane, Mat3x8, Vec3x8, dot};
use resile_linalg::symmetric3::Symmetric3x8;

/// `psi = mu |G|^2 + lambda/2 (tr G)^2`, `G = (F^T F - I)/2`.
#[derive(Debug)]
pub(super) struct StVenantKirchhoff {
    mu: Lane,
    lambda: Lane,
}

impl StVenantKirchhoff {
    pub(super) fn new(lame: Lame) -> Self {
        Self { mu: Lane::splat(lame.mu()), lambda: Lane::splat(lame.lambda()) }
    }
}

/// Green's strain of F, with `(1, 2)`, `(0, 2)`, `(0, 1)` off the diagonal.
#[inline(always)]
fn green_strain(f: &Mat3x8) -> Symmetric3x8 {
    let c = &f.cols;
    Symmetric3x8 {
        diagonal: std::array::from_fn(|i| (dot(&c[i], &c[i]) - Lane::ONE) * Lane::HALF),
        off: by_pair(|_, i, j| dot(&c[i], &c[j]) * Lane::HALF),
    }
}

impl Density for StVenantKirchhoff {
    fn value(&self, f: &Mat3x8) -> Lane {
        let g = green_strain(f);
        let trace = g.diagonal[0] + g.diagonal[1] + g.diagonal[2];
        let off = dot(&g.off, &g.off);
        let square = dot(&g.diagonal, &g.diagonal) + (off + off);
        self.mu.mul_add(square, self.lambda * Lane::HALF * trace * trace)
    }

    // P = F S, S = 2 mu G + lambda tr G I
    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let g = green_strain(f);
        let twice = self.mu + self.mu;
        let trace = self.lambda * (g.diagonal[0] + g.diagonal[1] + g.diagonal[2]);
        let d = g.diagonal.map(|g| twice.mul_add(g, trace));
        let [yz, xz, xy] = g.off.map(|g| twice * g);
        f.mul(&Mat3x8 { cols: [[d[0], xy, xz], [xy, d[1], yz], [xz, yz, d[2]]] })
    }

    // psi_i = s_i (mu (s_i^2 - 1) + lambda tr G)
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let squares = s.map(|s| s * s);
        let trace = (squares[0] + squares[1] + squares[2] - Lane::splat(3.0)) * Lane::HALF;
        let level = self.lambda.mul_sub(trace, self.mu);
        let steep = self.mu.mul_add(Lane::splat(3.0), self.lambda);
        let products = by_pair(|_, i, j| s[i] * s[j]);
        let sums = by_pair(|_, i, j| squares[i] + squares[j]);
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: squares.map(|q| steep.mul_add(q, level)),
                off: products.map(|p| self.lambda * p),
            },
            flip: by_pair(|k, _, _| self.mu.mul_add(sums[k] + products[k], level)),
            twist: by_pair(|k, _, _| self.mu.mul_add(sums[k] - products[k], level)),
        }
    }

    fn forbids_inversion(&self) -> bool {
        false
    }
}
