//! Linear elasticity.

use super::{Lame, Lamex8, StrainEnergyDensity, entries, write_pairs};
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, dot};
use resile_system::Psd;

/// `psi = mu |e|^2 + lambda/2 (tr e)^2`, `e = (F + F^T)/2 - I`.
#[derive(Debug)]
pub(super) struct Linear {
    mu: Lane,
    lambda: Lane,
}

impl Linear {
    pub(super) fn new(lame: &[Lame; LANES]) -> Self {
        let Lamex8 { mu, lambda } = Lamex8::new(lame);
        Self { mu, lambda }
    }
}

/// `(F + F^T)/2 - I`.
#[inline(always)]
fn strain(f: &Mat3x8) -> Mat3x8 {
    entries(|i, k| {
        let mean = (f.cols[k][i] + f.cols[i][k]) * Lane::HALF;
        if i == k { mean - Lane::ONE } else { mean }
    })
}

/// The trace of a matrix.
#[inline(always)]
fn trace(e: &Mat3x8) -> Lane {
    e.cols[0][0] + e.cols[1][1] + e.cols[2][2]
}

impl StrainEnergyDensity for Linear {
    fn value(&self, f: &Mat3x8) -> Lane {
        let e = strain(f);
        let trace = trace(&e);
        self.mu.mul_add(e.contract(&e), self.lambda * Lane::HALF * trace * trace)
    }

    // P = 2 mu e + lambda tr e I
    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        let e = strain(f);
        let volumetric = self.lambda * trace(&e);
        let two_mu = self.mu + self.mu;
        entries(|i, k| {
            let shear = two_mu * e.cols[k][i];
            if i == k { shear + volumetric } else { shear }
        })
    }

    fn cauchy_stress(&self, f: &Mat3x8) -> Mat3x8 {
        self.stress(f)
    }

    // K_ab = mu (g_a . g_b) I + mu g_b g_a^T + lambda g_a g_b^T, constant and positive semi-definite.
    fn hessian(&self, _: &Mat3x8, g: &[Vec3x8; 3], weight: Lane, _: Psd, out: &mut [Mat3x8; 6]) {
        write_pairs(out, |a, b| {
            let identity_term = self.mu * dot(&g[a], &g[b]);
            entries(|i, k| {
                let dyads = self.lambda.mul_add(g[a][i] * g[b][k], self.mu * (g[b][i] * g[a][k]));
                weight * if i == k { dyads + identity_term } else { dyads }
            })
        });
    }

    fn forbids_inversion(&self) -> bool {
        false
    }

    fn modulus(&self) -> Lane {
        Lane::splat(2.0).mul_add(self.mu, self.lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::{Mat3, Vec3};
    use std::array::from_fn;

    const YOUNG: f64 = 210.0;
    const POISSON: f64 = 0.3;

    fn law() -> Linear {
        let lame = Lame::from_young_poisson(YOUNG, POISSON).expect("steel");
        Linear::new(&[lame; LANES])
    }

    fn of(f: Mat3) -> Mat3x8 {
        Mat3x8::from_lanes(&[f; LANES])
    }

    #[test]
    fn tension_bar_has_youngs_modulus_and_poissons_ratio() {
        let strain = 0.02;
        let f = Mat3::from_diagonal(Vec3::new(
            1.0 + strain,
            1.0 - POISSON * strain,
            1.0 - POISSON * strain,
        ));
        let stress = law().stress(&of(f)).lane(0);
        let expected = Mat3::from_diagonal(Vec3::X * (YOUNG * strain));
        let off = (stress - expected).to_cols_array();
        assert!(off.iter().all(|entry| entry.abs() < 1e-13 * YOUNG), "{stress}");
    }

    /// The energy is quadratic, so central differences are exact to rounding.
    #[test]
    fn stress_and_stiffness_are_derivatives() {
        let number = |k: usize| (12.9898 * (k as f64 + 1.0)).sin() * 0.7;
        let f = Mat3::from_cols_array(&from_fn(number));
        let unit = |k: usize| Mat3::from_cols_array(&from_fn(|i| if i == k { 1.0 } else { 0.0 }));
        let value = |f: Mat3| law().value(&of(f)).to_array()[0];
        let stress = |f: Mat3| law().stress(&of(f)).lane(0).to_cols_array();
        let [a, b] = [Vec3::new(0.3, -1.1, 0.4), Vec3::new(0.8, 0.2, -0.5)];
        let g = [a, b, Vec3::ZERO].map(|g| g.to_array().map(Lane::splat));
        let zero = Mat3x8 { cols: [[Lane::ZERO; 3]; 3] };
        let mut blocks = [zero; 6];
        law().hessian(&of(f), &g, Lane::ONE, Psd::Exact, &mut blocks);
        for k in 0..9 {
            let measured = 0.5 * (value(f + unit(k)) - value(f - unit(k)));
            assert!(
                (measured - stress(f)[k]).abs() < 1e-11 * YOUNG,
                "{measured}, not {}",
                stress(f)[k]
            );
        }
        // The force on node a if node b moves along each axis.
        let by_column = |block: &Mat3x8, from: Vec3, to: Vec3| {
            let block = block.lane(0);
            for axis in 0..3 {
                let moved = resile_math::outer(
                    Vec3::from_array(from_fn(|i| if i == axis { 1.0 } else { 0.0 })),
                    to,
                );
                let change =
                    Mat3::from_cols_array(&stress(f + moved)) - Mat3::from_cols_array(&stress(f));
                let off = change * from - block.col(axis);
                assert!(off.length() < 1e-11 * YOUNG, "{off}");
            }
        };
        by_column(&blocks[0], a, a);
        by_column(&blocks[1], a, b);
        by_column(&blocks[3], b, b);
    }
}
