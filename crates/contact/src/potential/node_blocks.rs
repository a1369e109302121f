//! Local assembly: sums of Hessian blocks over the pairs of a chunk.
//!
//! Consecutive pairs of primitives share most of their nodes. Each thread therefore sums the blocks of its chunk by
//! pairs of nodes. Few blocks remain for the serial assembly of the matrix, which has to look up their positions in the
//! sparsity pattern.

use crate::geometry::distance::BLOCK_PAIRS;
use resile_math::Mat3;
use resile_system::Hessian;

/// Entries of the hash table for a pair of primitives: three times the number of its blocks. Clearing a larger table
/// would take longer than the sums of a few pairs.
const ENTRIES_OF_PAIR: usize = 32;

/// Maximum number of pairs of primitives in one sum, such that 16 bits can number its blocks.
pub(crate) const MAX_PAIRS: usize = 1024;

/// Marks a free table entry.
const FREE_ENTRY: u16 = u16::MAX;

/// Multiplier of Fibonacci hashing (Knuth 1973, section 6.4), which distributes neighbouring keys over the table.
const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The block at `(i, j)`, `i <= j`, and its transpose at `(j, i)`.
pub(crate) type NodeBlock = (u32, u32, Mat3);

/// Sums of blocks under construction.
#[derive(Debug)]
pub(crate) struct NodeBlocks {
    blocks: Vec<NodeBlock>,
    /// Open-addressing hash table of block indices with linear probing; its size is a power of two.
    table: Box<[u16]>,
}

impl NodeBlocks {
    /// Empty sums with capacity for `count` pairs of primitives, at most [`MAX_PAIRS`].
    pub(crate) fn of_pairs(count: usize) -> Self {
        debug_assert!(count <= MAX_PAIRS);
        let size = (ENTRIES_OF_PAIR * count.max(1)).next_power_of_two();
        Self { blocks: Vec::with_capacity(4 * count), table: vec![FREE_ENTRY; size].into() }
    }

    /// Adds `block` at nodes `(i, j)`, and its transpose at `(j, i)` if they differ.
    #[inline]
    pub(crate) fn add(&mut self, i: usize, j: usize, block: Mat3) {
        let (i, j, block) = match i <= j {
            true => (i as u32, j as u32, block),
            false => (j as u32, i as u32, block.transpose()),
        };
        let key = u64::from(i) << 32 | u64::from(j);
        let mask = self.table.len() - 1;
        let shift = 64 - self.table.len().trailing_zeros();
        let mut slot = (key.wrapping_mul(HASH_MULTIPLIER) >> shift) as usize;
        loop {
            match self.table[slot & mask] {
                FREE_ENTRY => {
                    self.table[slot & mask] = self.blocks.len() as u16;
                    return self.blocks.push((i, j, block));
                }
                index => {
                    let (known_i, known_j, sum) = &mut self.blocks[usize::from(index)];
                    if (*known_i, *known_j) == (i, j) {
                        return *sum += block;
                    }
                }
            }
            slot += 1;
        }
    }

    /// Adds `weights[k] weights[l] block` between all pairs of points with nonzero weights, with a symmetric `block`.
    /// Points are nodes; `None` for points of obstacles.
    pub(crate) fn add_weighted(
        &mut self,
        points: [Option<usize>; 4],
        weights: [f64; 4],
        block: Mat3,
    ) {
        for (k, l) in BLOCK_PAIRS {
            let weight = weights[k] * weights[l];
            if let (Some(i), Some(j)) = (points[k], points[l])
                && weight != 0.0
            {
                self.add(i, j, block * weight);
            }
        }
    }

    /// The sums, in the order of the first occurrence of their pairs of nodes.
    pub(crate) fn into_blocks(self) -> Vec<NodeBlock> {
        self.blocks
    }
}

/// Adds the sums of several chunks to a Hessian.
pub(crate) fn push(chunks: &[Vec<NodeBlock>], out: &mut Hessian<'_>) {
    for (i, j, block) in chunks.iter().flatten() {
        out.add(*i as usize, *j as usize, *block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HessianBlocks;
    use proptest::prelude::*;
    use resile_math::Vec3;
    use resile_sparse::BlockSink;

    #[test]
    fn largest_sum_has_room_for_all_blocks() {
        let mut sums = NodeBlocks::of_pairs(MAX_PAIRS);
        for node in 0..10 * MAX_PAIRS {
            sums.add(node, node + 1, Mat3::IDENTITY);
        }
        let blocks = sums.into_blocks();
        assert_eq!(blocks.len(), 10 * MAX_PAIRS);
        assert!(blocks.iter().all(|(_, _, block)| *block == Mat3::IDENTITY));
    }

    proptest! {
        /// Pairs of near and distant nodes in either order, up to the number of a chunk.
        #[test]
        fn block_sums_equal_sequential_addition(
            nodes in prop::collection::vec((0_usize..30, 0_usize..30, prop::bool::ANY), 1..1280),
            entries in prop::array::uniform9(-1.0..1.0),
        ) {
            // A pair of primitives has at most ten blocks.
            let count = nodes.len().div_ceil(10);
            let (mut sums, mut plain) = (NodeBlocks::of_pairs(count), HessianBlocks::default());
            let full = Mat3::from_cols_array(&entries);
            for (k, &(i, j, far)) in nodes.iter().enumerate() {
                let block = full * (k as f64).cos();
                let block = if i == j { block + block.transpose() } else { block };
                let [i, j] = [i, j].map(|node| if far { node * 1_000_003 % 64 } else { node });
                sums.add(i, j, block);
                plain.add(i, j, block);
            }
            let sums = sums.into_blocks();
            let different = |k: usize| sums[..k].iter().all(|(i, j, _)| (*i, *j) != (sums[k].0, sums[k].1));
            prop_assert!((0..sums.len()).all(|k| sums[k].0 <= sums[k].1 && different(k)));
            let mut summed = HessianBlocks::default();
            push(&[sums], &mut Hessian::new(&mut summed, 0, 1.0));
            let v: Vec<Vec3> = (0..64).map(|i| Vec3::new(1.0, f64::from(i).sin(), 0.1 * f64::from(i))).collect();
            for (got, want) in summed.times(&v).iter().zip(plain.times(&v)) {
                prop_assert!((*got - want).length() < 1e-9, "{got} for {want}");
            }
        }
    }
}
