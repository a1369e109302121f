//! Sums of blocks between few nodes, for any embedding.

use super::{MAX_NODES, PointEmbeddings};
use crate::geometry::distance::{BLOCK_PAIRS, Blocks};
use crate::geometry::embedding::Embedding;
use resile_math::Mat3;

/// Sums of blocks between few nodes.
#[derive(Debug, Default)]
pub(crate) struct FewNodes {
    nodes: Vec<u32>,
    /// Block `(i, j)`, `i <= j`, at `j (j + 1) / 2 + i`.
    blocks: Vec<Mat3>,
}

/// Indices in the list of nodes, with weights.
type WeightedNodes = [(usize, f64); 4];

impl FewNodes {
    /// Adds the nodes of these points if the total does not exceed [`MAX_NODES`]. Returns whether it has added them.
    pub(super) fn admit(&mut self, points: &PointEmbeddings) -> bool {
        let old_count = self.nodes.len();
        for (node, _) in points.iter().flatten().flat_map(Embedding::terms) {
            if !self.nodes.contains(&(node as u32)) {
                self.nodes.push(node as u32);
            }
        }
        if self.nodes.len() > MAX_NODES {
            self.nodes.truncate(old_count);
            return false;
        }
        self.blocks.resize(self.nodes.len() * (self.nodes.len() + 1) / 2, Mat3::ZERO);
        true
    }

    /// Adds blocks between points whose nodes were admitted.
    pub(super) fn add_blocks(&mut self, points: &PointEmbeddings, blocks: &Blocks) {
        let weighted_nodes =
            points.each_ref().map(|point| point.as_ref().map(|point| self.weighted_nodes(point)));
        for (block, (k, l)) in blocks.iter().zip(BLOCK_PAIRS) {
            if let (Some(a), Some(b)) = (&weighted_nodes[k], &weighted_nodes[l]) {
                if k == l {
                    self.add_point_block(a, block);
                } else {
                    self.add_mixed_block(a, b, block);
                }
            }
        }
    }

    /// Indices of the nodes of a point in the list, with its weights.
    fn weighted_nodes(&self, point: &Embedding) -> WeightedNodes {
        let mut weighted_nodes = [(0, 0.0); 4];
        for (entry, (node, weight)) in weighted_nodes.iter_mut().zip(point.terms()) {
            let index = self.nodes.iter().position(|&known| known as usize == node);
            *entry = (index.expect("nodes of the pair were admitted"), weight);
        }
        weighted_nodes
    }

    /// Adds a block between a point and itself.
    fn add_point_block(&mut self, a: &WeightedNodes, block: &Mat3) {
        for (k, (i, wi)) in a.iter().enumerate().filter(|(_, entry)| entry.1 != 0.0) {
            self.add_at(*i, *i, *block * (wi * wi));
            for (j, wj) in &a[k + 1..] {
                self.add_symmetric(*i, *j, block, wi * wj);
            }
        }
    }

    /// Adds a block between two points, which also represents its transpose.
    fn add_mixed_block(&mut self, a: &WeightedNodes, b: &WeightedNodes, block: &Mat3) {
        for (i, wi) in a {
            for (j, wj) in b {
                self.add_symmetric(*i, *j, block, wi * wj);
            }
        }
    }

    /// Adds `weight * block` at `(i, j)` and its transpose at `(j, i)`.
    fn add_symmetric(&mut self, i: usize, j: usize, block: &Mat3, weight: f64) {
        if weight == 0.0 {
            return;
        }
        match i.cmp(&j) {
            std::cmp::Ordering::Less => self.add_at(i, j, *block * weight),
            std::cmp::Ordering::Greater => self.add_at(j, i, block.transpose() * weight),
            std::cmp::Ordering::Equal => {
                self.add_at(i, i, (*block + block.transpose()) * weight);
            }
        }
    }

    /// Adds `block` at `(i, j)`, `i <= j`.
    fn add_at(&mut self, i: usize, j: usize, block: Mat3) {
        self.blocks[j * (j + 1) / 2 + i] += block;
    }

    /// Calls `visit(node, node, sum)` for each unordered pair of nodes.
    pub(super) fn visit(&self, visit: &mut impl FnMut(u32, u32, Mat3)) {
        for (j, &second) in self.nodes.iter().enumerate() {
            for (i, &first) in self.nodes[..=j].iter().enumerate() {
                visit(first, second, self.blocks[j * (j + 1) / 2 + i]);
            }
        }
    }
}
