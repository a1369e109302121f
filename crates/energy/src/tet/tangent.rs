//! The Hessian blocks of eight elements.
//!
//! With shape function gradients `g_a`, the block of nodes a and b is
//! `V d2psi/dF2 : (g_a, g_b)`. In the frame of the singular vectors the second
//! derivative has 21 entries that are not zero, so that `K_ab = U C_ab U^T` with a
//! `C_ab` of two or three products an entry is cheaper than nine 12x12 updates of
//! rank one (Kim & Eberle 2022 form those). Projected Hessians come about so, and the exact
//! ones of elements so distorted that the material has no closed form for them. Node 0
//! follows from the others because translations do
//! nothing.

use crate::material::{Closed, Curvature, Density};
use resile_math::lanes::{Lane, Mat3x8, Vec3x8, dot, scale};
use resile_math::svd::SignedSvd;
use resile_system::Psd;
use std::array::from_fn;

/// The pairs of local nodes whose blocks are formed, in the order of [`Blocks`].
pub(super) const PAIRS: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];

/// For each pair the 3x3 block (J/m^2) of each element, by columns.
pub(super) type Blocks = [Mat3x8; 10];

/// Writes the blocks of eight elements with deformation gradient `f`, inverse rest
/// edges `inverse` and rest volumes `volume`.
pub(super) fn evaluate(
    density: &dyn Density,
    f: &Mat3x8,
    inverse: &Mat3x8,
    volume: Lane,
    psd: Psd,
    out: &mut Blocks,
) {
    let rows = inverse.transpose().cols;
    let closed = match psd {
        Psd::Exact => density.blocks(f, &rows, &mut out[4..]),
        Psd::Clamp => Closed::No,
    };
    match closed {
        Closed::Yes => out[4..].iter_mut().for_each(|block| *block = block.scale(volume)),
        Closed::No => in_the_frame(density, f, &rows, volume, psd, out),
    }
    close(out);
}

/// The blocks of nodes 1, 2, 3, by way of singular vectors.
fn in_the_frame(
    density: &dyn Density,
    f: &Mat3x8,
    rows: &[Vec3x8; 3],
    volume: Lane,
    psd: Psd,
    out: &mut Blocks,
) {
    let svd = SignedSvd::new(f);
    let mut curvature = density.curvature(&svd.s);
    match psd {
        Psd::Exact => {}
        Psd::Clamp => curvature.clamp(),
    }
    let frame = Frame::new(&svd, curvature, rows, volume);
    for (slot, (a, b)) in PAIRS.iter().enumerate().skip(4) {
        out[slot] = if a == b { frame.diagonal_block(*a - 1) } else { frame.block(*a - 1, *b - 1) };
    }
}

/// Blocks of node 0, from the sum of each block row being zero.
fn close(out: &mut Blocks) {
    let [_, _, _, _, k11, k12, k13, k22, k23, k33] = *out;
    let sum = |a: &Mat3x8, b: &Mat3x8, c: &Mat3x8| Mat3x8 {
        cols: from_fn(|j| from_fn(|i| -(a.cols[j][i] + b.cols[j][i] + c.cols[j][i]))),
    };
    out[1] = sum(&k11, &k12.transpose(), &k13.transpose());
    out[2] = sum(&k12, &k22, &k23.transpose());
    out[3] = sum(&k13, &k23, &k33);
    let first = sum(&out[1], &out[2], &out[3]);
    // Symmetric but for rounding: one triangle stands for both.
    out[0] = Mat3x8 { cols: from_fn(|j| from_fn(|i| first.cols[i.max(j)][i.min(j)])) };
}

/// All that blocks are formed from.
struct Frame {
    u: Mat3x8,
    /// Shape function gradients of nodes 1, 2, 3 in the right singular frame.
    g: [Vec3x8; 3],
    /// `straight[i][i]` is `h_ii`, else the factor of `A_ij A_ij`, times the volume.
    straight: [Vec3x8; 3],
    /// `h_ij`, times the volume.
    stretch: [Vec3x8; 3],
    /// The factor of `A_ij A_ji`, times the volume.
    crossed: [Vec3x8; 3],
}

impl Frame {
    #[inline(always)]
    fn new(svd: &SignedSvd, curvature: Curvature, rows: &[Vec3x8; 3], volume: Lane) -> Self {
        let half = volume * Lane::HALF;
        let diagonal = scale(volume, &curvature.stretch.diagonal);
        let off = scale(volume, &curvature.stretch.off);
        let (flip, twist) = (&curvature.flip, &curvature.twist);
        let sum: Vec3x8 = from_fn(|k| half * (flip[k] + twist[k]));
        let difference: Vec3x8 = from_fn(|k| half * (flip[k] - twist[k]));
        let table = |on: &Vec3x8, off: &Vec3x8| -> [Vec3x8; 3] {
            from_fn(|i| from_fn(|j| if i == j { on[i] } else { off[3 - i - j] }))
        };
        Self {
            u: svd.u,
            g: from_fn(|a| svd.v.transpose_mul_vec(&rows[a])),
            straight: table(&diagonal, &sum),
            stretch: table(&diagonal, &off),
            crossed: table(&diagonal, &difference),
        }
    }

    /// `C_ab[i][i] = h_ii g_a[i] g_b[i] + sum_{j != i} straight_ij g_a[j] g_b[j]`.
    #[inline(always)]
    fn on_diagonal(&self, a: usize, b: usize) -> Vec3x8 {
        let products: Vec3x8 = from_fn(|j| self.g[a][j] * self.g[b][j]);
        from_fn(|i| dot(&self.straight[i], &products))
    }

    /// `C_ab[i][k] = h_ik g_a[i] g_b[k] + crossed_ik g_a[k] g_b[i]`, i != k.
    #[inline(always)]
    fn off_diagonal(&self, a: usize, b: usize, i: usize, k: usize) -> Lane {
        let (ga, gb) = (&self.g[a], &self.g[b]);
        self.stretch[i][k].mul_add(ga[i] * gb[k], self.crossed[i][k] * (ga[k] * gb[i]))
    }

    /// `U C_ab U^T`.
    #[inline(always)]
    fn block(&self, a: usize, b: usize) -> Mat3x8 {
        let on = self.on_diagonal(a, b);
        let c = Mat3x8 {
            cols: from_fn(|k| {
                from_fn(|i| if i == k { on[i] } else { self.off_diagonal(a, b, i, k) })
            }),
        };
        self.u.mul(&c).mul_transpose(&self.u)
    }

    /// `U C_aa U^T`, symmetric to the bit.
    #[inline(always)]
    fn diagonal_block(&self, a: usize) -> Mat3x8 {
        let on = self.on_diagonal(a, a);
        let off = [(1, 2), (0, 2), (0, 1)].map(|(i, k)| self.off_diagonal(a, a, i, k));
        let c =
            Mat3x8 { cols: from_fn(|k| from_fn(|i| if i == k { on[i] } else { off[3 - i - k] })) };
        let left = self.u.mul(&c).transpose();
        let right = self.u.transpose();
        let upper = |i: usize, j: usize| dot(&left.cols[i], &right.cols[j]);
        let [xx, xy, xz] = from_fn(|j| upper(0, j));
        let [yy, yz, zz] = [upper(1, 1), upper(1, 2), upper(2, 2)];
        Mat3x8 { cols: [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] }
    }
}
