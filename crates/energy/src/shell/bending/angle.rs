//! The angle of eight hinges, and the curvature of a function of it.
//!
//! Let t be the edge and T its direction. For either triangle (a and b) let h be its height over the edge, m the
//! unit vector from the edge to its tip, `n = T x m` the direction in which the tip rotates, and rho the position
//! of the foot of the height along t. The angle depends on two displacements:
//! `v = d(tip) - (1 - rho) d(start) - rho d(end)`, that of the tip relative to the foot of the height, and
//! `tau = dt / |t|`, the tilt of the edge. In axes that are transported with the edge without rotation about it,
//! the angle phi of a triangle obeys
//!
//! ```text
//!   dphi  = n.v / h
//!   d2phi = -2 (n.v)(m.v) / h^2 - 2 (n.tau)(T.v) / h - (m.tau)(n.tau)
//! ```
//!
//! and the hinge's angle is `theta = phi_b - phi_a - pi`. Let M halve the opening from
//! `m_a` to `m_b`, `N = T x M`, and delta be half the opening, `2 delta = theta + pi`. Of a
//! function W with `g = W'` and `k = W''` the second variation `k dtheta^2 + g d2theta`
//! decomposes, in the variables
//!
//! ```text
//!   p = (n_b.v_b/h_b - n_a.v_a/h_a)/sqrt 2    q = (n_b.v_b/h_b + n_a.v_a/h_a)/sqrt 2
//!   r = (m_a.v_a/h_a + m_b.v_b/h_b)/sqrt 2    s = (m_a.v_a/h_a - m_b.v_b/h_b)/sqrt 2
//!   P = (T.v_a/h_a + T.v_b/h_b)/sqrt 2        D = (T.v_a/h_a - T.v_b/h_b)/sqrt 2
//!   M.tau                                     N.tau
//! ```
//!
//! into four 2x2 blocks, each with one eigenvalue of either sign (except the first if g = 0):
//!
//! ```text
//!   (p, r)      [ 2k  -g ]           (M.tau, P)   g sin delta [  2 cos delta  sqrt 2 ]
//!               [ -g   0 ]                                    [  sqrt 2       0      ]
//!   (q, s)      [  0   g ]           (N.tau, D)   g cos delta [ -2 sin delta  sqrt 2 ]
//!               [  g   0 ]                                    [  sqrt 2       0      ]
//! ```
//!
//! The Hessian is thus a sum of eight squares, and its projection the sum of four of them.
//! Clamping in these coordinates, which differ from nodal ones by a congruence (as with distances,
//! see `resile-contact`), gives a positive semi-definite upper bound of the exact Hessian that
//! equals it where it is semi-definite. Its norm is at most 6 % above that of the clamp in nodal
//! coordinates, the minimum, at all angles and moments of `tests/shell_derivatives.rs`. The
//! Gauss-Newton projection, which drops `g d2theta`, is not an upper bound. Wu & Kim 2023, *An eigenanalysis of
//! angle-based deformation energies*, diagonalise d2theta in nodal coordinates instead.

use crate::DIVISION_GUARD;
use resile_math::lanes::{Lane, Mat3x8, Vec3x8, cross, dot, scale, scale_add};
use resile_system::Psd;
use std::array::from_fn;

/// The pairs of local nodes whose blocks are formed, in the order of [`Blocks`].
const PAIRS: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];

/// The 3x3 block (J/m^2) of each pair of local nodes and each hinge, by columns.
pub(in crate::shell) type Blocks = [Mat3x8; 10];

/// Zero blocks, to which others are added.
const ZERO_BLOCKS: Blocks = [Mat3x8 { cols: [[Lane::ZERO; 3]; 3] }; 10];

/// The reciprocal; zero for zero, NaN for NaN.
#[inline(always)]
fn inverse(x: Lane) -> Lane {
    x.simd_le(Lane::splat(DIVISION_GUARD)).select(Lane::ZERO, Lane::ONE / x)
}

/// One triangle of the hinge; see the module documentation.
struct HingeTriangle {
    m: Vec3x8,
    n: Vec3x8,
    /// `v / h` as weights of the start and end of the edge and of the tip (1/m).
    weights: [Lane; 3],
}

impl HingeTriangle {
    /// The triangle of the edge `t`, of this length and unit vector, and the vector to its tip. The weights of
    /// degenerate triangles are zero.
    #[inline(always)]
    fn new(t: &Vec3x8, length: Lane, tangent: &Vec3x8, tip: &Vec3x8) -> Self {
        let normal = cross(t, tip);
        let twice_area = dot(&normal, &normal).sqrt();
        let inverse = inverse(twice_area);
        let n = scale(inverse, &normal);
        let inverse_height = length * inverse;
        let foot_weight = dot(tangent, tip) * inverse;
        Self {
            m: cross(&n, tangent),
            n,
            weights: [foot_weight - inverse_height, -foot_weight, inverse_height],
        }
    }
}

/// The frame of eight hinges.
pub(in crate::shell) struct Angle {
    /// The unit vector T along the edge.
    tangent: Vec3x8,
    /// `1 / |t|`.
    inverse_length: Lane,
    /// The first and the second triangle.
    a: HingeTriangle,
    b: HingeTriangle,
    /// Cosine and sine of theta.
    cos: Lane,
    sin: Lane,
}

impl Angle {
    /// The frame for the edge t and the vectors from its start to the two tips (m).
    #[inline(always)]
    pub(in crate::shell) fn new([t, a, b]: &[Vec3x8; 3]) -> Self {
        let length = dot(t, t).sqrt();
        let inverse_length = inverse(length);
        let tangent = scale(inverse_length, t);
        let (a, b) = (
            HingeTriangle::new(t, length, &tangent, a),
            HingeTriangle::new(t, length, &tangent, b),
        );
        // The normals are n_a and -n_b. The difference avoids -0, since the angle of (-0, 0) is pi.
        let (cos, sin) = (Lane::ZERO - dot(&a.n, &b.n), dot(&b.n, &a.m));
        Self { tangent, inverse_length, a, b, cos, sin }
    }

    /// theta in (-pi, pi]: zero if flat, positive for a ridge seen from the side of the normal of
    /// the first triangle, zero for degenerate triangles.
    #[inline(always)]
    pub(in crate::shell) fn value(&self) -> Lane {
        self.sin.atan2(self.cos)
    }

    /// `first` times the gradient of theta, at the end of the edge and the tips.
    #[inline(always)]
    pub(in crate::shell) fn gradient(&self, first: Lane) -> [Vec3x8; 3] {
        let (vector_a, vector_b) = (scale(-first, &self.a.n), scale(first, &self.b.n));
        let (a, b) = (&self.a.weights, &self.b.weights);
        let end = scale_add(a[1], &vector_a, &scale(b[1], &vector_b));
        [end, scale(a[2], &vector_a), scale(b[2], &vector_b)]
    }

    /// The Hessian of a function of theta with the derivatives `first` and `second`,
    /// the latter not negative.
    #[inline(always)]
    pub(in crate::shell) fn hessian(&self, first: Lane, second: Lane, psd: Psd, out: &mut Blocks) {
        *out = ZERO_BLOCKS;
        self.add_turning(first, second, psd, out);
        self.add_shearing(first, psd, out);
        self.add_tilting(first, psd, out);
        for (block, (k, l)) in out.iter_mut().zip(PAIRS) {
            if k == l {
                let full = *block;
                *block = Mat3x8 { cols: from_fn(|j| from_fn(|i| full.cols[i.max(j)][i.min(j)])) };
            }
        }
    }

    /// The block of p and r, whose eigenvalues multiply to `-g^2`.
    #[inline(always)]
    fn add_turning(&self, g: Lane, k: Lane, psd: Psd, out: &mut Blocks) {
        let (a, b) = (&self.a, &self.b);
        let upper = k + k.mul_add(k, g * g).sqrt();
        let norm = upper.mul_add(upper, g * g).fast_max(Lane::splat(DIVISION_GUARD));
        let vector_a = scale_add(-upper, &a.n, &scale(-g, &a.m));
        let vector_b = scale_add(upper, &b.n, &scale(-g, &b.m));
        self.add_square(upper * Lane::HALF / norm, &vector_a, &vector_b, None, out);
        if psd == Psd::Exact {
            let lower = -g * g / upper.fast_max(Lane::splat(DIVISION_GUARD));
            let vector_a = scale_add(-g, &a.n, &scale(upper, &a.m));
            let vector_b = scale_add(g, &b.n, &scale(upper, &b.m));
            self.add_square(lower * Lane::HALF / norm, &vector_a, &vector_b, None, out);
        }
    }

    /// The block of q and s, with eigenvalues g and -g.
    #[inline(always)]
    fn add_shearing(&self, g: Lane, psd: Psd, out: &mut Blocks) {
        let (a, b) = (&self.a, &self.b);
        let mut square = |sign: Lane, value: Lane| {
            let (vector_a, vector_b) = (scale_add(sign, &a.m, &a.n), scale_add(-sign, &b.m, &b.n));
            self.add_square(value * Lane::splat(0.25), &vector_a, &vector_b, None, out);
        };
        let sign = Lane::ONE.flip_signs(g);
        square(sign, g.abs());
        if psd == Psd::Exact {
            square(-sign, -g.abs());
        }
    }

    /// The blocks of `M.tau` and P and of `N.tau` and D: with f the factor in front and c
    /// half the diagonal entry, eigenvalues `f mu`, `mu = c +- sqrt(c^2 + 2)`, and eigenvectors
    /// `(mu, sqrt 2)`.
    #[inline(always)]
    fn add_tilting(&self, g: Lane, psd: Psd, out: &mut Blocks) {
        let (bisector, sin, cos) = self.bisector();
        let normal_to_bisector = cross(&self.tangent, &bisector);
        let negative_tangent = scale(-Lane::ONE, &self.tangent);
        for (factor, c, tilt, vector_b) in [
            (g * sin, cos, &bisector, &self.tangent),
            (g * cos, -sin, &normal_to_bisector, &negative_tangent),
        ] {
            let mut square = |root: Lane| {
                let mu = c + root;
                let value = factor * mu / mu.mul_add(mu, Lane::splat(2.0));
                let tilt = scale(mu * self.inverse_length, tilt);
                self.add_square(value, &self.tangent, vector_b, Some(&tilt), out);
            };
            let root = c.mul_add(c, Lane::splat(2.0)).sqrt().flip_signs(factor);
            square(root);
            if psd == Psd::Exact {
                square(-root);
            }
        }
    }

    /// M with the sine and cosine of delta, from the longer of `n_a - n_b = 2 sin delta M` and
    /// `m_a + m_b = 2 cos delta M`, which is free of cancellation.
    #[inline(always)]
    fn bisector(&self) -> (Vec3x8, Lane, Lane) {
        let (a, b) = (&self.a, &self.b);
        let sum = |a: &Vec3x8, b: &Vec3x8| -> Vec3x8 { from_fn(|i| a[i] + b[i]) };
        let from_normals = scale_add(-Lane::ONE, &b.n, &a.n);
        let from_heights = sum(&a.m, &b.m).map(|x| -x.flip_signs(self.sin));
        let is_open = self.cos.simd_ge(Lane::ZERO);
        let longer: Vec3x8 = from_fn(|i| is_open.select(from_normals[i], from_heights[i]));
        let length = dot(&longer, &longer).sqrt().fast_max(Lane::splat(DIVISION_GUARD));
        let bisector = scale(Lane::ONE / length, &longer);
        let sin = dot(&from_normals, &bisector) * Lane::HALF;
        (bisector, sin, dot(&a.m, &bisector))
    }

    /// Adds `value y y^T` (`value` in J) to the blocks, where y are the coefficients of the linear form
    /// `vector_a . v_a/h_a + vector_b . v_b/h_b + tilt . dt` of the displacements of the four nodes. `tilt` (1/m) is zero
    /// if it is `None`.
    #[inline(always)]
    fn add_square(
        &self,
        value: Lane,
        vector_a: &Vec3x8,
        vector_b: &Vec3x8,
        tilt: Option<&Vec3x8>,
        out: &mut Blocks,
    ) {
        let (a, b) = (&self.a.weights, &self.b.weights);
        let mut y = [
            scale_add(a[0], vector_a, &scale(b[0], vector_b)),
            scale_add(a[1], vector_a, &scale(b[1], vector_b)),
            scale(a[2], vector_a),
            scale(b[2], vector_b),
        ];
        if let Some(tilt) = tilt {
            y[0] = scale_add(-Lane::ONE, tilt, &y[0]);
            y[1] = scale_add(Lane::ONE, tilt, &y[1]);
        }
        for (block, (k, l)) in out.iter_mut().zip(PAIRS) {
            let scaled = scale(value, &y[k]);
            for j in 0..3 {
                block.cols[j] = scale_add(y[l][j], &scaled, &block.cols[j]);
            }
        }
    }
}
