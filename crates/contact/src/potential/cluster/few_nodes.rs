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

/// Positions in the list of nodes, with weights.
type Places = [(usize, f64); 4];

impl FewNodes {
    /// Adds the nodes of these points if the total does not exceed [`MAX_NODES`].
    pub(super) fn admit(&mut self, points: &PointEmbeddings) -> bool {
        let before = self.nodes.len();
        for (node, _) in points.iter().flatten().flat_map(Embedding::terms) {
            if !self.nodes.contains(&(node as u32)) {
                self.nodes.push(node as u32);
            }
        }
        if self.nodes.len() > MAX_NODES {
            self.nodes.truncate(before);
            return false;
        }
        self.blocks.resize(self.nodes.len() * (self.nodes.len() + 1) / 2, Mat3::ZERO);
        true
    }

    /// Adds blocks between points whose nodes were admitted.
    pub(super) fn add_blocks(&mut self, points: &PointEmbeddings, blocks: &Blocks) {
        let places = points.each_ref().map(|point| point.as_ref().map(|point| self.places(point)));
        for (block, (k, l)) in blocks.iter().zip(BLOCK_PAIRS) {
            if let (Some(a), Some(b)) = (&places[k], &places[l]) {
                if k == l { self.add_square(a, block) } else { self.add_product(a, b, block) }
            }
        }
    }

    fn places(&self, point: &Embedding) -> Places {
        let mut places = [(0, 0.0); 4];
        for (place, (node, weight)) in places.iter_mut().zip(point.terms()) {
            let known = self.nodes.iter().position(|&known| known as usize == node);
            *place = (known.expect("nodes of the pair were admitted"), weight);
        }
        places
    }

    /// Adds a block between a point and itself.
    fn add_square(&mut self, a: &Places, block: &Mat3) {
        for (k, (i, wi)) in a.iter().enumerate().filter(|(_, place)| place.1 != 0.0) {
            self.add_to(*i, *i, *block * (wi * wi));
            for (j, wj) in &a[k + 1..] {
                self.add_pair(*i, *j, block, wi * wj);
            }
        }
    }

    /// A block between two points, which also represents its transpose.
    fn add_product(&mut self, a: &Places, b: &Places, block: &Mat3) {
        for (i, wi) in a {
            for (j, wj) in b {
                self.add_pair(*i, *j, block, wi * wj);
            }
        }
    }

    /// Adds `weight * block` at `(i, j)` and its transpose at `(j, i)`.
    fn add_pair(&mut self, i: usize, j: usize, block: &Mat3, weight: f64) {
        if weight == 0.0 {
            return;
        }
        match i.cmp(&j) {
            std::cmp::Ordering::Less => self.add_to(i, j, *block * weight),
            std::cmp::Ordering::Greater => self.add_to(j, i, block.transpose() * weight),
            std::cmp::Ordering::Equal => {
                self.add_to(i, i, (*block + block.transpose()) * weight);
            }
        }
    }

    fn add_to(&mut self, i: usize, j: usize, block: Mat3) {
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
