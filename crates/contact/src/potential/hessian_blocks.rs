//! Hessians as lists of blocks.

use resile_math::{Mat3, Vec3};
use resile_sparse::BlockSink;

/// A symmetric matrix as a sum of 3x3 blocks, in the order in which they were added. An off-diagonal block also
/// represents its transpose. The same pair of nodes may occur several times.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HessianBlocks {
    blocks: Vec<(usize, usize, Mat3)>,
}

impl HessianBlocks {
    /// `(i, j, block)`: `block` at rows of node `i` and columns of node `j`, and if they differ its transpose at
    /// `j`, `i`. Blocks at the same position add up.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, Mat3)> + '_ {
        self.blocks.iter().copied()
    }

    /// Matrix-vector product with three components per node.
    pub fn times(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; v.len()];
        for (i, j, block) in self.iter() {
            out[i] += block * v[j];
            if i != j {
                out[j] += block.transpose() * v[i];
            }
        }
        out
    }
}

impl BlockSink for HessianBlocks {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        self.blocks.push((i, j, block));
    }
}
