//! The Hessian blocks of eight triangles.
//!
//! As for tetrahedra, the second derivative is sparse in the frame of the singular vectors, and
//! the block of nodes a and b is `U C_ab U^T` with two products per entry of `C_ab`. The blocks of
//! node 0 follow from translation invariance.

use super::density::{MembraneCurvature, MembraneDensity};
use super::rest::TriangleGroup;
use crate::DIVISION_GUARD;
use resile_math::Vec3;
use resile_math::lanes::{Lane, Mat3x8, Vec3x8, cross, dot, scale, scale_add};
use resile_system::Psd;
use std::array::from_fn;

/// The 3x3 block (J/m^2), by columns, of each pair of local nodes:
/// `(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)`.
pub(super) type Blocks = [Mat3x8; 6];

/// Writes the blocks of `group` at positions `x`.
pub(super) fn evaluate(
    density: &MembraneDensity,
    group: &TriangleGroup,
    x: &[Vec3],
    psd: Psd,
    out: &mut Blocks,
) {
    let svd = Svd::new(&group.deformation_gradient(x));
    let mut curvature = density.curvature(svd.s);
    match psd {
        Psd::Exact => {}
        Psd::Clamp => curvature.clamp(),
    }
    let [r, q, w] = group.inverse;
    let gradients = [svd.to_singular_frame([r, q]), svd.to_singular_frame([Lane::ZERO, w])];
    let frame = PlanarPrincipalFrame::new(&svd.u, &gradients, &curvature, group.area);
    let k11 = frame.block(0, 0);
    let k12 = frame.block(0, 1);
    let k22 = frame.block(1, 1);
    let k01 = minus_sum(&k11, &k12.transpose());
    let k02 = minus_sum(&k12, &k22);
    *out = [symmetric(minus_sum(&k01, &k02)), k01, k02, symmetric(k11), k12, symmetric(k22)];
}

/// `-(a + b)`.
#[inline(always)]
fn minus_sum(a: &Mat3x8, b: &Mat3x8) -> Mat3x8 {
    Mat3x8 { cols: from_fn(|j| from_fn(|i| -(a.cols[j][i] + b.cols[j][i]))) }
}

/// Copies one triangle of a matrix that is symmetric up to rounding.
#[inline(always)]
fn symmetric(a: Mat3x8) -> Mat3x8 {
    Mat3x8 { cols: from_fn(|j| from_fn(|i| a.cols[i.max(j)][i.min(j)])) }
}

/// `F = U diag(s) V^T`, s not negative; the third column of U is the normal.
struct Svd {
    u: Mat3x8,
    s: [Lane; 2],
    /// The columns of V.
    v: [[Lane; 2]; 2],
}

impl Svd {
    /// The decomposition of the matrix with columns a and b. One Jacobi rotation of the columns makes them orthogonal
    /// without loss of accuracy in the smaller one. For rank below two, U is completed.
    #[inline(always)]
    fn new([a, b]: &[Vec3x8; 2]) -> Self {
        let (d, twice) = (dot(b, b) - dot(a, a), dot(a, b) * Lane::splat(2.0));
        let root = d.mul_add(d, twice * twice).sqrt();
        let t = twice.flip_signs(d) / (d.abs() + root).fast_max(Lane::splat(DIVISION_GUARD));
        let c = Lane::ONE / t.mul_add(t, Lane::ONE).sqrt();
        let s = c * t;
        let first = scale_add(-s, b, &scale(c, a));
        let second = scale_add(s, a, &scale(c, b));
        // The longer column defines the first direction of U.
        let swapped = dot(&second, &second).simd_gt(dot(&first, &first));
        let long: Vec3x8 = from_fn(|i| swapped.select(second[i], first[i]));
        let short: Vec3x8 = from_fn(|i| swapped.select(first[i], second[i]));
        let u0 = unit(&long, || [Lane::ONE, Lane::ZERO, Lane::ZERO]);
        let normal = unit(&cross(&u0, &short), || unit(&orthogonal_to(&u0), || u0));
        let u1 = cross(&normal, &u0);
        let (v0, v1) = ([c, -s], [s, c]);
        Self {
            s: [dot(&u0, &long), dot(&u1, &short)],
            u: Mat3x8 { cols: [u0, u1, normal] },
            v: [
                from_fn(|i| swapped.select(v1[i], v0[i])),
                from_fn(|i| swapped.select(v0[i], v1[i])),
            ],
        }
    }

    /// `V^T g`: a gradient in the right singular frame.
    #[inline(always)]
    fn to_singular_frame(&self, g: [Lane; 2]) -> [Lane; 2] {
        self.v.map(|v| v[0].mul_add(g[0], v[1] * g[1]))
    }
}

/// The unit vector along `v`, `otherwise` in lanes of zero length.
#[inline(always)]
fn unit(v: &Vec3x8, otherwise: impl FnOnce() -> Vec3x8) -> Vec3x8 {
    let square = dot(v, v);
    let inverse = Lane::ONE / square.sqrt();
    let unit = scale(inverse, v);
    let nonzero = square.simd_gt(Lane::splat(DIVISION_GUARD));
    if nonzero.all() {
        return unit;
    }
    let other = otherwise();
    from_fn(|i| nonzero.select(unit[i], other[i]))
}

/// A vector orthogonal to the unit vector `u`.
#[inline(always)]
fn orthogonal_to(u: &Vec3x8) -> Vec3x8 {
    // The cross product with the x axis, or with the y axis where u is nearly parallel to x.
    let uses_x = u[0].abs().simd_lt(Lane::splat(0.8));
    let axis = [uses_x.select(Lane::ONE, Lane::ZERO), uses_x.select(Lane::ZERO, Lane::ONE)];
    cross(u, &[axis[0], axis[1], Lane::ZERO])
}

/// The second derivative and the gradients in the frame of the singular vectors. All coefficients are multiplied by the
/// area.
struct PlanarPrincipalFrame<'a> {
    u: &'a Mat3x8,
    /// Shape function gradients of nodes 1 and 2 in the right singular frame.
    g: &'a [[Lane; 2]; 2],
    /// `h_11` and `h_22`.
    stretch: [Lane; 2],
    /// The coefficient of `A_12 A_12` and `A_21 A_21`.
    same_index: Lane,
    /// `h_12`.
    coupling: Lane,
    /// The coefficient of `A_12 A_21`.
    swapped_index: Lane,
    /// The coefficients of `A_31^2` and `A_32^2`.
    lift: [Lane; 2],
}

impl<'a> PlanarPrincipalFrame<'a> {
    #[inline(always)]
    fn new(
        u: &'a Mat3x8,
        g: &'a [[Lane; 2]; 2],
        curvature: &MembraneCurvature,
        area: Lane,
    ) -> Self {
        let half = area * Lane::HALF;
        Self {
            u,
            g,
            stretch: curvature.stretch.map(|h| area * h),
            same_index: half * (curvature.flip + curvature.twist),
            coupling: area * curvature.coupling,
            swapped_index: half * (curvature.flip - curvature.twist),
            lift: curvature.lift.map(|l| area * l),
        }
    }

    /// `U C_ab U^T`, with the entries of C
    /// `C_ii = h_ii g_a[i] g_b[i] + same_index g_a[j] g_b[j]`,
    /// `C_ij = h_ij g_a[i] g_b[j] + swapped_index g_a[j] g_b[i]` and
    /// `C_33 = lift_1 g_a[1] g_b[1] + lift_2 g_a[2] g_b[2]`.
    #[inline(always)]
    fn block(&self, a: usize, b: usize) -> Mat3x8 {
        let (ga, gb) = (self.g[a], self.g[b]);
        let (p, q) = (ga[0] * gb[0], ga[1] * gb[1]);
        let (r, s) = (ga[0] * gb[1], ga[1] * gb[0]);
        let c00 = self.stretch[0].mul_add(p, self.same_index * q);
        let c11 = self.stretch[1].mul_add(q, self.same_index * p);
        let c01 = self.coupling.mul_add(r, self.swapped_index * s);
        let c10 = self.coupling.mul_add(s, self.swapped_index * r);
        let c22 = self.lift[0].mul_add(p, self.lift[1] * q);
        let [u0, u1, n] = &self.u.cols;
        let left = Mat3x8 {
            cols: [
                scale_add(c00, u0, &scale(c10, u1)),
                scale_add(c01, u0, &scale(c11, u1)),
                scale(c22, n),
            ],
        };
        left.mul_transpose(self.u)
    }
}
