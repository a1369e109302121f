//! Hessians as lists of blocks.

use resile_linalg::BlockSink;
use resile_math::Mat3;

/// A symmetric matrix as a sum of 3x3 blocks, in the order in which pairs push them: each
/// unordered pair of nodes stands for itself and its transpose, and may occur more than once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HessianBlocks {
    blocks: Vec<(usize, usize, Mat3)>,
}

impl HessianBlocks {
    /// `(i, j, block)`: `block` at rows of node `i` and columns of node `j`, and if they differ
    /// its transpose at `j`, `i`. What has the same place is to be added.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, Mat3)> + '_ {
        self.blocks.iter().copied()
    }

    /// The product with a vector of three numbers a node.
    pub fn times(&self, v: &[resile_math::Vec3]) -> Vec<resile_math::Vec3> {
        let mut out = vec![resile_math::Vec3::ZERO; v.len()];
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
