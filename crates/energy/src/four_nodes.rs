//! Elements of four nodes whose energy is a function of three difference vectors.
//!
//! The mathematics of such an element is done by its three vectors; how these depend
//! on the nodes is a constant 4x3 matrix. Translation invariance is then built in.

use resile_math::small::project_psd;
use resile_system::{Hessian, Mat3, Psd, Vec3};

/// `vector_k = sum_i of[i][k] node_i`.
pub(crate) struct Differences {
    pub(crate) of: [[f64; 3]; 4],
}

impl Differences {
    pub(crate) fn vectors(&self, x: [Vec3; 4]) -> [Vec3; 3] {
        std::array::from_fn(|k| (0..4).map(|i| x[i] * self.of[i][k]).sum())
    }

    /// The gradient by the nodes from that by the vectors.
    pub(crate) fn gradient(&self, by_vectors: [Vec3; 3]) -> [Vec3; 4] {
        std::array::from_fn(|i| (0..3).map(|k| by_vectors[k] * self.of[i][k]).sum())
    }

    /// Pushes the Hessian by the nodes from that by the vectors (all nine blocks).
    pub(crate) fn push(
        &self,
        nodes: [usize; 4],
        by_vectors: &[[Mat3; 3]; 3],
        psd: Psd,
        out: &mut Hessian<'_>,
    ) {
        let mut dense = [[0.0; 12]; 12];
        for (i, j) in pairs() {
            let block = self.block(by_vectors, i, j);
            for r in 0..3 {
                for c in 0..3 {
                    dense[3 * i + r][3 * j + c] = block.col(c)[r];
                    dense[3 * j + c][3 * i + r] = block.col(c)[r];
                }
            }
        }
        if psd == Psd::Clamp {
            project_psd(&mut dense);
        }
        for (i, j) in pairs() {
            let column = |c| Vec3::from_array(std::array::from_fn(|r| dense[3 * i + r][3 * j + c]));
            out.add(nodes[i], nodes[j], Mat3::from_cols(column(0), column(1), column(2)));
        }
    }

    fn block(&self, by_vectors: &[[Mat3; 3]; 3], i: usize, j: usize) -> Mat3 {
        let mut block = Mat3::ZERO;
        for k in 0..3 {
            for l in 0..3 {
                block += by_vectors[k][l] * (self.of[i][k] * self.of[j][l]);
            }
        }
        block
    }
}

/// Each unordered pair of four nodes once, a node with itself included.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|i| (i..4).map(move |j| (i, j)))
}
