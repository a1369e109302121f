//! Elements of four nodes whose energy is a function of three difference vectors.
//!
//! Derivatives are computed with respect to the three vectors, which depend on the nodes through a
//! constant 4x3 matrix. Translation invariance is therefore built in.

use resile_math::small::project_psd;
use resile_system::{Mat3, Psd, Vec3};
use std::array::from_fn;

/// `vector_k = sum_i coefficients[i][k] node_i`.
pub(crate) struct Differences {
    pub(crate) coefficients: [[f64; 3]; 4],
}

impl Differences {
    /// The three difference vectors (m) for nodes at `x`.
    pub(crate) fn vectors(&self, x: [Vec3; 4]) -> [Vec3; 3] {
        from_fn(|k| (0..4).map(|i| x[i] * self.coefficients[i][k]).sum())
    }

    /// The gradient with respect to the nodes, from the gradient with respect to the vectors.
    pub(crate) fn gradient(&self, vector_gradient: [Vec3; 3]) -> [Vec3; 4] {
        from_fn(|i| (0..3).map(|k| vector_gradient[k] * self.coefficients[i][k]).sum())
    }

    /// The Hessian blocks with respect to the nodes, from the nine blocks with respect to the vectors.
    pub(crate) fn hessian(&self, vector_blocks: &[[Mat3; 3]; 3], psd: Psd) -> [[Mat3; 4]; 4] {
        let mut dense = [[0.0; 12]; 12];
        for i in 0..4 {
            for j in i..4 {
                let block = self.block(vector_blocks, i, j);
                for r in 0..3 {
                    for c in 0..3 {
                        dense[3 * i + r][3 * j + c] = block.col(c)[r];
                        dense[3 * j + c][3 * i + r] = block.col(c)[r];
                    }
                }
            }
        }
        if psd == Psd::Clamp {
            project_psd(&mut dense);
        }
        let column = |i: usize, j: usize| Vec3::from_array(from_fn(|r| dense[3 * i + r][j]));
        from_fn(|i| {
            from_fn(|j| {
                Mat3::from_cols(column(i, 3 * j), column(i, 3 * j + 1), column(i, 3 * j + 2))
            })
        })
    }

    /// The block of nodes `i` and `j`, from the blocks with respect to the vectors.
    fn block(&self, vector_blocks: &[[Mat3; 3]; 3], i: usize, j: usize) -> Mat3 {
        let mut block = Mat3::ZERO;
        for k in 0..3 {
            for l in 0..3 {
                block += vector_blocks[k][l] * (self.coefficients[i][k] * self.coefficients[j][l]);
            }
        }
        block
    }
}
