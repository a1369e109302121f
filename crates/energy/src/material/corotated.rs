//! The fixed corotated material.

use super::{Curvature, Density, Lame, by_pair};
use resile_linalg::lanes::{Lane, Mat3x8, Vec3x8};
use resile_linalg::svd::{SignedSvd, signed_singular_values};
use resile_linalg::symmetric3::Symmetric3x8;

/// Where two singular values cancel (`s[1] = -s[2]`) the nearest rotation is not
/// unique and psi has a kink of infinite negative curvature. Keeping their sum
/// this far from zero keeps the curvature finite there, at about -1e12 mu.
const LEAST_SUM: f64 = 4e-12;

/// `psi = mu |F - R|^2 + lambda/2 (J - 1)^2`.
#[derive(Debug)]
pub(super) struct Corotated {
    mu: Lane,
    lambda: Lane,
}

impl Corotated {
    pub(super) fn new(lame: Lame) -> Self {
        Self { mu: Lane::splat(lame.mu()), lambda: Lane::splat(lame.lambda()) }
    }
}

impl Density for Corotated {
    // |F - R|^2 = sum (s_i - 1)^2, without the cancellation of |F|^2 - 2 tr S + 3.
    fn value(&self, f: &Mat3x8) -> Lane {
        let e = signed_singular_values(f).map(|s| s - Lane::ONE);
        let shape = e[0].mul_add(e[0], e[1].mul_add(e[1], e[2] * e[2]));
        let growth = f.determinant() - Lane::ONE;
        self.mu.mul_add(shape, self.lambda * Lane::HALF * growth * growth)
    }

    // P = 2 mu (F - R) + lambda (J - 1) cof F
    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let away = SignedSvd::new(f).rotation().scale_add(-Lane::ONE, f);
        let pressure = self.lambda * (f.determinant() - Lane::ONE);
        f.cofactor().scale_add(pressure, &away.scale(self.mu + self.mu))
    }

    // psi_k = 2 mu (s_k - 1) + lambda (J - 1) s_i s_j
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let twice = self.mu + self.mu;
        let pressure = self.lambda * (s[0] * s[1] * s[2] - Lane::ONE);
        let areas = by_pair(|_, i, j| s[i] * s[j]);
        let pull = s.map(|s| pressure * s);
        let least = Lane::splat(LEAST_SUM);
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: areas.map(|a| self.lambda.mul_add(a * a, twice)),
                off: by_pair(|k, i, j| self.lambda.mul_add(areas[i] * areas[j], pull[k])),
            },
            flip: pull.map(|p| twice - p),
            twist: by_pair(|k, i, j| {
                let sum = (s[i] + s[j]).fast_max(least);
                twice + pull[k] - (twice + twice) / sum
            }),
        }
    }

    fn forbids_inversion(&self) -> bool {
        false
    }
}
