//! A patch: consecutive elements with local indices for their nodes and pairs of nodes.

use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use resile_math::{Mat3, Vec3};
use std::array::from_fn;

/// The local connectivity of consecutive elements of `N` nodes each.
#[derive(Debug, Clone)]
pub(super) struct Patch<const N: usize> {
    /// The local node indices of each element.
    pub(super) corners: Vec<[u16; N]>,
    /// The pairs of nodes of each element, one element after the other.
    oriented_pairs: Vec<OrientedPair>,
    /// Number of nodes.
    nodes: usize,
    /// Number of pairs of nodes.
    pairs: usize,
}

impl<const N: usize> Patch<N> {
    /// The patch of `elements` with the sorted, distinct `nodes` and `pairs`.
    pub(super) fn new(elements: &[[u32; N]], nodes: &[u32], pairs: &[(u32, u32)]) -> Self {
        let corners = |element: &[u32; N]| element.map(|node| local_index(nodes, &node));
        let mut oriented_pairs = Vec::with_capacity(elements.len() * N * (N + 1) / 2);
        oriented_pairs
            .extend(elements.iter().flat_map(|element| self::oriented_pairs(element, pairs)));
        Self {
            corners: elements.iter().map(corners).collect(),
            oriented_pairs,
            nodes: nodes.len(),
            pairs: pairs.len(),
        }
    }

    /// Sums the gradients of elements `first`, `first + 1`, ... at the nodes.
    pub(super) fn gradients(
        &self,
        first: usize,
        gradient: &impl Fn(usize) -> [Vec3; N],
        sums: &mut Vec<Vec3>,
    ) {
        reset(sums, self.nodes, Vec3::ZERO);
        for (k, corners) in self.corners.iter().enumerate() {
            for (corner, gradient) in corners.iter().zip(gradient(first + k)) {
                sums[*corner as usize] += gradient;
            }
        }
    }

    /// As [`gradients`](Self::gradients), for groups of eight elements from the group `first` on. The
    /// gradient at the first node of an element is minus the sum of the others.
    pub(super) fn gradients_x8<const M: usize>(
        &self,
        first: usize,
        mut gradients: impl FnMut(usize) -> [Vec3x8; M],
        sums: &mut Vec<Vec3>,
    ) {
        reset(sums, self.nodes, Vec3::ZERO);
        for (group, corners) in self.corners.chunks(LANES).enumerate() {
            let gradients = gradients(first + group);
            let first_gradient: Vec3x8 =
                from_fn(|i| -gradients.iter().fold(Lane::ZERO, |sum, gradient| sum + gradient[i]));
            for (l, corners) in corners.iter().enumerate() {
                let lane_of = |v: &Vec3x8| Vec3::from_array(from_fn(|i| v[i].as_array()[l]));
                sums[corners[0] as usize] += lane_of(&first_gradient);
                for (corner, gradient) in corners[1..].iter().zip(&gradients) {
                    sums[*corner as usize] += lane_of(gradient);
                }
            }
        }
    }

    /// Sums the Hessian blocks of elements `first`, `first + 1`, ... at the pairs.
    pub(super) fn hessians(
        &self,
        first: usize,
        hessian: &impl Fn(usize) -> [[Mat3; N]; N],
        sums: &mut Vec<Mat3>,
    ) {
        reset(sums, self.pairs, Mat3::ZERO);
        for (k, oriented) in self.oriented_pairs.chunks(N * (N + 1) / 2).enumerate() {
            let blocks = hessian(first + k);
            for ((a, b), pair) in local_pairs::<N>().zip(oriented) {
                sums[pair.index()] += pair.oriented(blocks[a][b]);
            }
        }
    }

    /// As [`hessians`](Self::hessians), for groups of eight elements from the group `first` on.
    pub(super) fn hessians_x8<const P: usize>(
        &self,
        first: usize,
        hessians: &impl Fn(usize, &mut [Mat3x8; P]),
        sums: &mut Vec<Mat3>,
    ) {
        reset(sums, self.pairs, Mat3::ZERO);
        let mut blocks = [Mat3x8::IDENTITY; P];
        for (group, oriented) in self.oriented_pairs.chunks(LANES * P).enumerate() {
            hessians(first + group, &mut blocks);
            for (l, oriented) in oriented.chunks_exact(P).enumerate() {
                for (block, pair) in blocks.iter().zip(oriented) {
                    sums[pair.index()] += pair.oriented(block.lane(l));
                }
            }
        }
    }
}

/// Resizes `sums` to `count` entries and sets all of them to `zero`.
fn reset<T: Clone>(sums: &mut Vec<T>, count: usize, zero: T) {
    sums.clear();
    sums.resize(count, zero);
}

/// The pairs of local node indices of an element: (0, 0), (0, 1), ..., (1, 1), ...
pub(super) fn local_pairs<const N: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|a| (a..N).map(move |b| (a, b)))
}

/// The pairs of an element's nodes, each in ascending order.
pub(super) fn node_pairs<const N: usize>(element: &[u32; N]) -> impl Iterator<Item = (u32, u32)> {
    local_pairs::<N>().map(|(a, b)| {
        let (i, j) = (element[a], element[b]);
        (i.min(j), i.max(j))
    })
}

/// The local index of a pair of nodes in a patch (times two), plus one if the element lists the two nodes in descending
/// order.
#[derive(Debug, Clone, Copy)]
struct OrientedPair(u16);

impl OrientedPair {
    /// Local index of the pair.
    #[inline(always)]
    fn index(self) -> usize {
        usize::from(self.0 >> 1)
    }

    /// The block of the element for the pair in ascending order of its nodes.
    #[inline(always)]
    fn oriented(self, block: Mat3) -> Mat3 {
        if self.0 & 1 == 0 { block } else { block.transpose() }
    }
}

/// The pairs of an element, as indices in `pairs` with their orientation.
fn oriented_pairs<const N: usize>(
    element: &[u32; N],
    pairs: &[(u32, u32)],
) -> impl Iterator<Item = OrientedPair> {
    let order = local_pairs::<N>().map(|(a, b)| element[a] > element[b]);
    node_pairs(element).zip(order).map(|(pair, is_reversed)| {
        OrientedPair(local_index(pairs, &pair) * 2 + u16::from(is_reversed))
    })
}

/// The index of a key that is in the list.
fn local_index<K: Ord>(sorted: &[K], key: &K) -> u16 {
    let index = sorted.binary_search(key).expect("patches number all that they hold");
    u16::try_from(index).expect("a patch of 512 elements has at most 28,160 pairs")
}
