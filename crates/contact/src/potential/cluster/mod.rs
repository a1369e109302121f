//! Local assembly of the Hessians of many pairs with the same few nodes.
//!
//! Two affine bodies in contact have hundreds of pairs but only eight nodes. Assembled pair by pair, each of the 36
//! blocks between these nodes would be looked up in the matrix hundreds of times. Pairs between the nodes of at
//! most [two such bodies](TwoBodies), or of at most [`MAX_NODES`] nodes otherwise, are therefore summed in a dense
//! buffer and assembled once. Pairs are processed in order, grouped by collider pair. A new sum begins when the
//! bodies change or the nodes become too many, so sums depend on the pairs alone.

mod few_nodes;
mod two_bodies;

use crate::geometry::distance::{BLOCK_PAIRS, Blocks};
use crate::geometry::embedding::{Embedding, PointMap};
use crate::potential::stencil::PairHessian;
use few_nodes::FewNodes;
use resile_math::{AFFINE_NODES, Mat3};
use resile_system::Hessian;
use two_bodies::TwoBodies;

/// Largest number of nodes of one pair: four points of affine bodies.
const MAX_NODES: usize = 4 * AFFINE_NODES;

/// Embeddings of the points of a pair; `None` for points of an obstacle.
type PointEmbeddings = [Option<Embedding>; 4];

/// Sums of consecutive pairs.
#[derive(Debug)]
pub(crate) struct Clusters<'a> {
    points: &'a PointMap,
    /// Surfaces of the last pair.
    surfaces: [usize; 2],
    finished: Vec<Cluster>,
}

/// A sum that is assembled at once.
#[derive(Debug)]
pub(crate) enum Cluster {
    TwoBodies(Box<TwoBodies>),
    FewNodes(FewNodes),
}

impl<'a> Clusters<'a> {
    /// No sums, for the embeddings of these points.
    pub(crate) fn new(points: &'a PointMap) -> Self {
        Self { points, surfaces: [0; 2], finished: Vec::new() }
    }

    /// Adds the Hessian of a pair with these points; `None` for points of obstacles.
    pub(crate) fn add(&mut self, points: [Option<usize>; 4], hessian: &PairHessian) {
        let embeddings = self.embeddings(points);
        match (self.two_bodies(&embeddings), hessian) {
            (Some(bodies), PairHessian::Terms(terms)) => bodies.add_terms(&embeddings, terms),
            (Some(bodies), PairHessian::Blocks(blocks)) => bodies.add_blocks(&embeddings, blocks),
            (None, PairHessian::Terms(terms)) => self.add_blocks(&embeddings, &terms.blocks()),
            (None, PairHessian::Blocks(blocks)) => self.add_blocks(&embeddings, blocks),
        }
    }

    /// Adds `weights[k] weights[l] block` between all pairs of points, with a symmetric `block`.
    pub(crate) fn add_weighted(
        &mut self,
        points: [Option<usize>; 4],
        weights: [f64; 4],
        block: Mat3,
    ) {
        let embeddings = self.embeddings(points);
        match self.two_bodies(&embeddings) {
            Some(bodies) => bodies.add_weighted(&embeddings, weights, block),
            None => {
                let blocks = BLOCK_PAIRS.map(|(k, l)| block * (weights[k] * weights[l]));
                self.add_blocks(&embeddings, &blocks);
            }
        }
    }

    /// Embeddings of the points of a pair.
    fn embeddings(&mut self, [a, b, c, d]: [Option<usize>; 4]) -> PointEmbeddings {
        let Self { points, surfaces, .. } = self;
        let mut embedding =
            |point: Option<usize>| Some(points.embedding_of_point_cached(point?, surfaces));
        // Unrolled: a map over the array makes one call per point.
        [embedding(a), embedding(b), embedding(c), embedding(d)]
    }

    /// The sum of the bodies of these points, if they belong to at most two bodies of four nodes.
    fn two_bodies(&mut self, embeddings: &PointEmbeddings) -> Option<&mut TwoBodies> {
        let is_same_sum = matches!(self.finished.last(), Some(Cluster::TwoBodies(last)) if last.holds(embeddings));
        if !is_same_sum {
            self.finished.push(Cluster::TwoBodies(Box::new(TwoBodies::new(embeddings)?)));
        }
        match self.finished.last_mut() {
            Some(Cluster::TwoBodies(last)) => Some(last),
            _ => None,
        }
    }

    /// Adds the blocks of a pair to the last sum if its nodes fit in, otherwise to a new one.
    fn add_blocks(&mut self, embeddings: &PointEmbeddings, blocks: &Blocks) {
        if let Some(Cluster::FewNodes(last)) = self.finished.last_mut()
            && last.admit(embeddings)
        {
            return last.add_blocks(embeddings, blocks);
        }
        let mut new = FewNodes::default();
        new.admit(embeddings);
        new.add_blocks(embeddings, blocks);
        self.finished.push(Cluster::FewNodes(new));
    }

    /// The finished sums.
    pub(crate) fn into_clusters(self) -> Vec<Cluster> {
        self.finished
    }
}

impl Cluster {
    /// Adds the nonzero sums to a Hessian.
    pub(crate) fn push(&self, out: &mut Hessian<'_>) {
        let mut push = |i: u32, j: u32, block: Mat3| {
            if block != Mat3::ZERO {
                out.add(i as usize, j as usize, block);
            }
        };
        match self {
            Self::TwoBodies(bodies) => bodies.visit(&mut push),
            Self::FewNodes(nodes) => nodes.visit(&mut push),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::Terms;
    use proptest::prelude::*;
    use resile_math::{Vec3, outer};
    use std::array;

    type Dense = [[f64; 24]; 24];

    /// The symmetric matrix whose blocks `visit` lists.
    fn dense(visit: impl Fn(&mut dyn FnMut(u32, u32, Mat3))) -> Dense {
        let mut out = [[0.0; 24]; 24];
        visit(&mut |i, j, block| {
            let (i, j) = (3 * i as usize, 3 * j as usize);
            for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                out[i + r][j + c] += block.col(c)[r];
                if i != j {
                    out[j + c][i + r] += block.col(c)[r];
                }
            }
        });
        out
    }

    fn numbers<const N: usize>() -> impl Strategy<Value = [f64; N]> {
        prop::array::uniform(-1.0..1.0)
    }

    proptest! {
        /// Holds for any assignment of the points of a pair to the bodies, and for any order of the bodies.
        #[test]
        fn two_body_cluster_equals_the_sum_over_nodes(
            of_bodies in prop::array::uniform8(prop::option::weighted(0.9, prop::bool::ANY)),
            weights in numbers::<32>(), vectors in numbers::<24>(), shares in numbers::<4>(),
        ) {
            // Two pairs: the first one determines the order of the bodies for the second.
            let embeddings = |pair: usize| -> PointEmbeddings {
                array::from_fn(|k| {
                    let at = 4 * pair + k;
                    of_bodies[at].map(|second| Embedding {
                        nodes: if second { [4, 5, 6, 7] } else { [0, 1, 2, 3] },
                        weights: array::from_fn(|node| weights[4 * at + node]),
                    })
                })
            };
            let vector = |k: usize| Vec3::from_slice(&vectors[3 * k..3 * k + 3]);
            let term = |of: usize| (shares[of], array::from_fn(|k| vector(4 * of + k)));
            let terms = Terms::new(&[term(0), term(1)]);
            let block = outer(vector(0), vector(0)) * shares[0];
            let weighted = BLOCK_PAIRS.map(|(k, l)| block * (shares[k] * shares[l]));
            let Some(mut bodies) = TwoBodies::new(&embeddings(0)) else { return Ok(()) };
            let mut nodes = FewNodes::default();
            for pair in [0, 1].map(embeddings) {
                if !bodies.holds(&pair) {
                    continue;
                }
                prop_assert!(nodes.admit(&pair));
                bodies.add_terms(&pair, &terms);
                nodes.add_blocks(&pair, &terms.blocks());
                bodies.add_blocks(&pair, &terms.blocks());
                nodes.add_blocks(&pair, &terms.blocks());
                bodies.add_weighted(&pair, shares, block);
                nodes.add_blocks(&pair, &weighted);
            }
            let (got, want) = (dense(|mut visit| bodies.visit(&mut visit)), dense(|mut visit| nodes.visit(&mut visit)));
            for (got, want) in got.iter().flatten().zip(want.iter().flatten()) {
                prop_assert!((got - want).abs() < 1e-12, "{} for {}", got, want);
            }
        }
    }
}
