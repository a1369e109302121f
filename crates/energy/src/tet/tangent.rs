//! The Hessian blocks of eight elements.

use crate::material::StrainEnergyDensity;
use resile_math::lanes::{Lane, Mat3x8, dot};
use resile_system::Psd;
use std::array::from_fn;

/// The pairs of local nodes whose blocks are formed, in the order of [`Blocks`].
pub(super) const PAIRS: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];

/// The 3x3 block (J/m^2) of each pair of local nodes and each element, by columns.
pub(super) type Blocks = [Mat3x8; 10];

/// Writes the blocks of eight elements with deformation gradient `f`, inverse rest
/// edges `inverse` and rest volumes `volume`.
pub(super) fn evaluate(
    energy_density: &dyn StrainEnergyDensity,
    f: &Mat3x8,
    inverse: &Mat3x8,
    volume: Lane,
    psd: Psd,
    out: &mut Blocks,
) {
    let gradients = inverse.transpose().cols;
    let inner_blocks = out.last_chunk_mut().expect("six of the ten are of nodes 1, 2, 3");
    energy_density.hessian(f, &gradients, volume, psd, inner_blocks);
    fill_first_node_blocks(out);
}

/// `weight g_a . g_b` for the [pairs](PAIRS) of nodes a and b of eight elements, with the gradients g (1/m) of the
/// shape functions.
pub(super) fn laplacian(inverse: &Mat3x8, weight: Lane) -> [Lane; 10] {
    let [g1, g2, g3] = inverse.transpose().cols;
    let g0 = from_fn(|i| -(g1[i] + g2[i] + g3[i]));
    let gradients = [g0, g1, g2, g3];
    PAIRS.map(|(a, b)| weight * dot(&gradients[a], &gradients[b]))
}

/// Computes the blocks of node 0: the sum of each block row is zero by translation invariance.
fn fill_first_node_blocks(out: &mut Blocks) {
    let [_, _, _, _, k11, k12, k13, k22, k23, k33] = *out;
    let sum = |a: &Mat3x8, b: &Mat3x8, c: &Mat3x8| Mat3x8 {
        cols: from_fn(|j| from_fn(|i| -(a.cols[j][i] + b.cols[j][i] + c.cols[j][i]))),
    };
    out[1] = sum(&k11, &k12.transpose(), &k13.transpose());
    out[2] = sum(&k12, &k22, &k23.transpose());
    out[3] = sum(&k13, &k23, &k33);
    let first = sum(&out[1], &out[2], &out[3]);
    // Copies one triangle, since the block is symmetric up to rounding.
    out[0] = Mat3x8 { cols: from_fn(|j| from_fn(|i| first.cols[i.max(j)][i.min(j)])) };
}
