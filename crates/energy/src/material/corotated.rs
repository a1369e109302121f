//! The fixed corotated material.

use super::isotropic::{Closed, Curvature, Isotropic, by_pair};
use super::{Lame, Lamex8, entries, write_pairs};
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, cross, dot, scale};
use resile_math::polar::{nearest_rotation, well_shaped_rotation};
use resile_math::symmetric3::Symmetric3x8;
use std::array::from_fn;

/// Lower bound of the sum of two singular values in the curvature. At `s[1] = -s[2]` the nearest
/// rotation is not unique and psi has a kink of infinite negative curvature; the bound keeps the
/// curvature finite, at about -1e12 mu.
const MIN_STRETCH_SUM: f64 = 4e-12;

/// `psi = mu |F - R|^2 + lambda/2 (J - 1)^2`.
#[derive(Debug)]
pub(super) struct Corotated {
    mu: Lane,
    lambda: Lane,
}

impl Corotated {
    pub(super) fn new(lame: &[Lame; LANES]) -> Self {
        let Lamex8 { mu, lambda } = Lamex8::new(lame);
        Self { mu, lambda }
    }

    /// psi(F), given `difference_to_rotation = F - R`.
    #[inline(always)]
    fn value_at_difference(&self, f: &Mat3x8, difference_to_rotation: &Mat3x8) -> Lane {
        let volume_change = f.determinant() - Lane::ONE;
        self.mu.mul_add(
            difference_to_rotation.contract(difference_to_rotation),
            self.lambda * Lane::HALF * volume_change * volume_change,
        )
    }

    /// `P = 2 mu (F - R) + lambda (J - 1) cof F`, given `difference_to_rotation = F - R`.
    #[inline(always)]
    fn stress_at_difference(&self, f: &Mat3x8, difference_to_rotation: &Mat3x8) -> Mat3x8 {
        let pressure = self.lambda * (f.determinant() - Lane::ONE);
        f.cofactor().scale_add(pressure, &difference_to_rotation.scale(self.mu + self.mu))
    }
}

/// `F - R`.
#[inline(always)]
fn difference_to_rotation(f: &Mat3x8) -> Mat3x8 {
    nearest_rotation(f).scale_add(-Lane::ONE, f)
}

/// `(tr V I - V)^-1` of a symmetric positive definite V, which may be asymmetric by rounding.
#[inline(always)]
fn rotation_derivative(v: &Mat3x8) -> Mat3x8 {
    let trace = v.cols[0][0] + v.cols[1][1] + v.cols[2][2];
    let a = entries(|i, k| {
        let entry = v.cols[i.max(k)][i.min(k)];
        if i == k { trace - entry } else { -entry }
    });
    a.cofactor().scale(Lane::ONE / a.determinant())
}

/// `A [v]_x`.
#[inline(always)]
fn mul_cross_matrix(a: &Mat3x8, v: &Vec3x8) -> Mat3x8 {
    let [x, y, z] = &a.cols;
    let column = |p: &Vec3x8, s: Lane, q: &Vec3x8, t: Lane| -> Vec3x8 {
        from_fn(|i| s.mul_sub(p[i], t * q[i]))
    };
    Mat3x8 { cols: [column(y, v[2], z, v[1]), column(z, v[0], x, v[2]), column(x, v[1], y, v[0])] }
}

impl Isotropic for Corotated {
    fn value(&self, f: &Mat3x8) -> Lane {
        self.value_at_difference(f, &difference_to_rotation(f))
    }

    fn stress(&self, f: &Mat3x8) -> Mat3x8 {
        self.stress_at_difference(f, &difference_to_rotation(f))
    }

    fn value_and_stress(&self, f: &Mat3x8) -> (Lane, Mat3x8) {
        let difference_to_rotation = difference_to_rotation(f);
        (
            self.value_at_difference(f, &difference_to_rotation),
            self.stress_at_difference(f, &difference_to_rotation),
        )
    }

    // With c_a = cof F g_a, h_a = R g_a, and B = (tr V I - V)^-1 of the left stretch V = F R^T,
    // which gives the rotation of R (McAdams et al. 2011, *Efficient elasticity for character
    // skinning with contact and collisions*, section 4.2):
    // K_ab = 2 mu (g_a . g_b I - [h_a]_x^T B [h_b]_x) + lambda c_a c_b^T
    //        - lambda (J - 1) [F (g_a x g_b)]_x
    fn blocks(&self, f: &Mat3x8, g: &[Vec3x8; 3], out: &mut [Mat3x8; 6]) -> Closed {
        let Some(rotation) = well_shaped_rotation(f) else { return Closed::No };
        let two_mu = self.mu + self.mu;
        let rotation_derivative = rotation_derivative(&f.mul_transpose(&rotation)).scale(two_mu);
        let h: [Vec3x8; 3] = from_fn(|a| rotation.mul_vec(&g[a]));
        let rotated = |a: usize| mul_cross_matrix(&rotation_derivative, &h[a]);
        let rotated = [rotated(0), rotated(1), rotated(2)];
        let cofactor = f.cofactor();
        let c: [Vec3x8; 3] = from_fn(|a| cofactor.mul_vec(&g[a]));
        let pressure = self.lambda * (f.determinant() - Lane::ONE);
        write_pairs(out, |a, b| {
            let identity_term = two_mu * dot(&g[a], &g[b]);
            // -[h_a]_x^T C = [h_a]_x C
            let rotation_term: [Vec3x8; 3] = from_fn(|k| cross(&h[a], &rotated[b].cols[k]));
            let [x, y, z] = scale(pressure, &f.mul_vec(&cross(&g[a], &g[b])));
            let skew = [[Lane::ZERO, z, -y], [-z, Lane::ZERO, x], [y, -x, Lane::ZERO]];
            entries(|i, k| {
                // Diagonal blocks use one triangle, so that they are symmetric.
                let (row, column) = if a == b { (i.min(k), i.max(k)) } else { (i, k) };
                let entry = self.lambda.mul_add(c[a][i] * c[b][k], rotation_term[column][row]);
                if i == k { entry + identity_term } else { entry - skew[k][i] }
            })
        });
        Closed::Yes
    }

    // psi_k = 2 mu (s_k - 1) + lambda (J - 1) s_i s_j
    fn curvature(&self, s: &Vec3x8) -> Curvature {
        let two_mu = self.mu + self.mu;
        let pressure = self.lambda * (s[0] * s[1] * s[2] - Lane::ONE);
        let areas = by_pair(|_, i, j| s[i] * s[j]);
        let volumetric = s.map(|s| pressure * s);
        let min_sum = Lane::splat(MIN_STRETCH_SUM);
        Curvature {
            stretch: Symmetric3x8 {
                diagonal: areas.map(|a| self.lambda.mul_add(a * a, two_mu)),
                off: by_pair(|k, i, j| self.lambda.mul_add(areas[i] * areas[j], volumetric[k])),
            },
            flip: volumetric.map(|p| two_mu - p),
            twist: by_pair(|k, i, j| {
                let sum = (s[i] + s[j]).fast_max(min_sum);
                two_mu + volumetric[k] - (two_mu + two_mu) / sum
            }),
        }
    }

    fn forbids_inversion(&self) -> bool {
        false
    }

    fn modulus(&self) -> Lane {
        Lane::splat(2.0).mul_add(self.mu, self.lambda)
    }
}
