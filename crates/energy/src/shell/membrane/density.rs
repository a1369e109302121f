//! Energy per unit of rest area, for eight deformation gradients at a time.
//!
//! As for solids (see [`crate::material`]), an isotropic energy is a function of the
//! singular values s of `F = U diag(s) V^T`, and with `dF = U A V^T`
//!
//! ```text
//! d2psi = sum_ij h_ij A_ii A_jj + flip (A_12 + A_21)^2 / 2 + twist (A_12 - A_21)^2 / 2
//!         + sum_i lift_i A_3i^2
//!
//! h_ij  = d2psi / ds_i ds_j                     psi_i = dpsi / ds_i
//! flip  = (psi_1 - psi_2) / (s_1 - s_2)
//! twist = (psi_1 + psi_2) / (s_1 + s_2)
//! lift_i = psi_i / s_i
//! ```
//!
//! The last two modes rotate the triangle out of its plane. Their curvature is tension over
//! stretch, which is negative under compression, where the membrane buckles.

use super::thickness::Thickness;
use crate::DIVISION_GUARD;
use crate::shell::MembraneLaw;
use resile_math::lanes::{Lane, Vec3x8, cross, dot};

/// `C = F^T F` and its determinant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Metric {
    /// Entries (1, 1), (1, 2), (2, 2).
    pub(super) c: [Lane; 3],
    /// `J^2 = det C`, from the normal: the difference of products would lose the
    /// digits of a thin triangle.
    pub(super) j2: Lane,
}

impl Metric {
    /// The metric of the columns of F.
    #[inline(always)]
    pub(super) fn new([a, b]: &[Vec3x8; 2]) -> Self {
        let normal = cross(a, b);
        Self { c: [dot(a, a), dot(a, b), dot(b, b)], j2: dot(&normal, &normal) }
    }
}

/// A law with its parameters in all lanes.
#[derive(Debug, Clone, Copy)]
pub(super) enum MembraneDensity {
    StVenantKirchhoff { mu: Lane, lambda: Lane },
    NeoHookean { mu: Lane, poisson: Lane },
}

impl MembraneDensity {
    pub(super) fn new(law: MembraneLaw) -> Self {
        match law {
            MembraneLaw::StVenantKirchhoff(p) => {
                Self::StVenantKirchhoff { mu: Lane::splat(p.mu()), lambda: Lane::splat(p.lambda()) }
            }
            MembraneLaw::NeoHookean(p) => {
                Self::NeoHookean { mu: Lane::splat(p.mu()), poisson: Lane::splat(p.poisson()) }
            }
        }
    }

    /// Whether psi is infinite for degenerate triangles.
    pub(super) fn forbids_collapse(&self) -> bool {
        matches!(self, Self::NeoHookean { .. })
    }

    /// psi (J/m^2), `+inf` where F is inadmissible.
    #[inline(always)]
    pub(super) fn value(&self, metric: &Metric) -> Lane {
        let [c11, _, c22] = metric.c;
        match *self {
            Self::StVenantKirchhoff { mu, lambda } => {
                let [g11, g12, g22] = green_strain(metric);
                let square = g11.mul_add(g11, g22.mul_add(g22, (g12 + g12) * g12));
                let trace = g11 + g22;
                mu.mul_add(square, lambda * Lane::HALF * trace * trace)
            }
            Self::NeoHookean { mu, poisson } => {
                let thickness = Thickness::new(metric.j2, poisson);
                let value = mu * Lane::HALF * thickness.energy(c11 + c22);
                metric.j2.simd_gt(Lane::ZERO).select(value, Lane::splat(f64::INFINITY))
            }
        }
    }

    /// Second Piola-Kirchhoff stress `S = 2 dpsi/dC` (N/m), entries (1, 1), (1, 2), (2, 2).
    #[inline(always)]
    pub(super) fn stress(&self, metric: &Metric) -> [Lane; 3] {
        let [c11, c12, c22] = metric.c;
        match *self {
            Self::StVenantKirchhoff { mu, lambda } => {
                let [g11, g12, g22] = green_strain(metric);
                let (two_mu, trace) = (mu + mu, lambda * (g11 + g22));
                [two_mu.mul_add(g11, trace), two_mu * g12, two_mu.mul_add(g22, trace)]
            }
            // S = mu (I - c C^-1)
            Self::NeoHookean { mu, poisson } => {
                let coefficient = mu * Thickness::new(metric.j2, poisson).square / metric.j2;
                [
                    coefficient.mul_neg_add(c22, mu),
                    coefficient * c12,
                    coefficient.mul_neg_add(c11, mu),
                ]
            }
        }
    }

    /// The thickness stretch. That of the St. Venant-Kirchhoff law is not positive at large
    /// strains; here it is `J^(-nu / (1 - nu))`, where `nu / (1 - nu) = lambda / (2 mu)` in plane
    /// stress.
    #[inline(always)]
    pub(super) fn thickness_stretch(&self, metric: &Metric) -> Lane {
        match *self {
            Self::StVenantKirchhoff { mu, lambda } => {
                let ln_j = metric.j2.ln() * Lane::HALF;
                (-(lambda / (mu + mu)) * ln_j).exp()
            }
            Self::NeoHookean { poisson, .. } => Thickness::new(metric.j2, poisson).square.sqrt(),
        }
    }

    /// The second derivative of psi (N/m) in the frame of the singular vectors, at the singular values `s`.
    #[inline(always)]
    pub(super) fn curvature(&self, s: [Lane; 2]) -> MembraneCurvature {
        match *self {
            Self::StVenantKirchhoff { mu, lambda } => st_venant_kirchhoff_curvature(mu, lambda, s),
            Self::NeoHookean { mu, poisson } => neo_hookean_curvature(mu, poisson, s),
        }
    }
}

/// [`MembraneDensity::curvature`] of the St. Venant-Kirchhoff law, with `psi_i = s_i (mu (s_i^2 - 1) + lambda tr G)`.
#[inline(always)]
fn st_venant_kirchhoff_curvature(mu: Lane, lambda: Lane, s: [Lane; 2]) -> MembraneCurvature {
    let product = s[0] * s[1];
    let squares = s.map(|s| s * s);
    let sum = squares[0] + squares[1];
    let trace = (sum - Lane::splat(2.0)) * Lane::HALF;
    let constant_part = lambda.mul_sub(trace, mu);
    let slope = mu.mul_add(Lane::splat(3.0), lambda);
    MembraneCurvature {
        stretch: squares.map(|square| slope.mul_add(square, constant_part)),
        coupling: lambda * product,
        flip: mu.mul_add(sum + product, constant_part),
        twist: mu.mul_add(sum - product, constant_part),
        lift: squares.map(|square| mu.mul_add(square, constant_part)),
    }
}

/// [`MembraneDensity::curvature`] of the neo-Hookean law, with `psi_i = mu (s_i - c / s_i)`.
#[inline(always)]
fn neo_hookean_curvature(mu: Lane, poisson: Lane, s: [Lane; 2]) -> MembraneCurvature {
    let product = s[0] * s[1];
    let squares = s.map(|s| s * s);
    let thickness = Thickness::new(product * product, poisson);
    // mu c, and the negative derivative of mu c with respect to ln J.
    let mu_c = mu * thickness.square;
    let decrease = mu * thickness.decrease(poisson);
    let inverse_product = Lane::ONE / product;
    let inverse_squares = squares.map(|square| Lane::ONE / square);
    MembraneCurvature {
        stretch: inverse_squares.map(|inverse| (mu_c + decrease).mul_add(inverse, mu)),
        coupling: decrease * inverse_product,
        flip: mu_c.mul_add(inverse_product, mu),
        twist: mu_c.mul_neg_add(inverse_product, mu),
        lift: inverse_squares.map(|inverse| mu_c.mul_neg_add(inverse, mu)),
    }
}

/// Green's strain `(C - I)/2`, entries (1, 1), (1, 2), (2, 2).
#[inline(always)]
fn green_strain(metric: &Metric) -> [Lane; 3] {
    let [c11, c12, c22] = metric.c;
    [(c11 - Lane::ONE) * Lane::HALF, c12 * Lane::HALF, (c22 - Lane::ONE) * Lane::HALF]
}

/// d2psi/dF2 in the frame of the singular vectors; see the module documentation.
#[derive(Debug, Clone, Copy)]
pub(super) struct MembraneCurvature {
    /// `h_11` and `h_22`.
    pub(super) stretch: [Lane; 2],
    /// `h_12`.
    pub(super) coupling: Lane,
    /// Eigenvalue of the symmetric shear.
    pub(super) flip: Lane,
    /// Eigenvalue of the rotation in the plane.
    pub(super) twist: Lane,
    /// Eigenvalues of the rotations out of the plane.
    pub(super) lift: [Lane; 2],
}

impl MembraneCurvature {
    /// Clamps the six eigenvalues at zero; bitwise unchanged if none is negative.
    #[inline(always)]
    pub(super) fn clamp(&mut self) {
        let not_negative = |x: Lane| x.fast_max(Lane::ZERO);
        self.flip = not_negative(self.flip);
        self.twist = not_negative(self.twist);
        self.lift = self.lift.map(not_negative);
        self.clamp_stretch();
    }

    /// Projects the 2x2 block M of `stretch` and `coupling`. For eigenvalues `lower < 0 < upper` the result is
    /// `(M - lower I) upper / (upper - lower)`.
    #[inline(always)]
    fn clamp_stretch(&mut self) {
        let [a, b] = self.stretch;
        let d = self.coupling;
        let half_difference = (a - b) * Lane::HALF;
        let radius = half_difference.mul_add(half_difference, d * d).sqrt();
        let mean = (a + b) * Lane::HALF;
        let (lower, upper) = (mean - radius, mean + radius);
        let ratio =
            upper.fast_max(Lane::ZERO) / (radius + radius).fast_max(Lane::splat(DIVISION_GUARD));
        let is_definite = lower.simd_ge(Lane::ZERO);
        self.stretch = [
            is_definite.select(a, (a - lower) * ratio),
            is_definite.select(b, (b - lower) * ratio),
        ];
        self.coupling = is_definite.select(d, d * ratio);
    }
}
