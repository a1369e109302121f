//! A patch: a run of elements with local numbers for its nodes and pairs.

use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use resile_math::{Mat3, Vec3};
use std::array::from_fn;

/// The incidences of a run of consecutive elements of `N` nodes.
#[derive(Debug, Clone)]
pub(super) struct Patch<const N: usize> {
    /// The nodes of each element.
    pub(super) corners: Vec<[u16; N]>,
    /// The pairs of each element, one element after the other.
    couples: Vec<Directed>,
    nodes: usize,
    pairs: usize,
}

impl<const N: usize> Patch<N> {
    /// The patch of `elements` with the sorted, distinct `nodes` and `pairs`.
    pub(super) fn new(elements: &[[u32; N]], nodes: &[u32], pairs: &[(u32, u32)]) -> Self {
        let corners = |element: &[u32; N]| element.map(|node| place(nodes, &node));
        let mut couples = Vec::with_capacity(elements.len() * N * (N + 1) / 2);
        couples.extend(elements.iter().flat_map(|element| directed(element, pairs)));
        Self {
            corners: elements.iter().map(corners).collect(),
            couples,
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
        zero(sums, self.nodes, Vec3::ZERO);
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
        zero(sums, self.nodes, Vec3::ZERO);
        for (group, corners) in self.corners.chunks(LANES).enumerate() {
            let gradients = gradients(first + group);
            let origin: Vec3x8 =
                from_fn(|i| -gradients.iter().fold(Lane::ZERO, |sum, gradient| sum + gradient[i]));
            for (l, corners) in corners.iter().enumerate() {
                let at = |v: &Vec3x8| Vec3::from_array(from_fn(|i| v[i].as_array()[l]));
                sums[corners[0] as usize] += at(&origin);
                for (corner, gradient) in corners[1..].iter().zip(&gradients) {
                    sums[*corner as usize] += at(gradient);
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
        zero(sums, self.pairs, Mat3::ZERO);
        for (k, couples) in self.couples.chunks(N * (N + 1) / 2).enumerate() {
            let blocks = hessian(first + k);
            for ((a, b), couple) in locals::<N>().zip(couples) {
                sums[couple.pair()] += couple.turned(blocks[a][b]);
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
        zero(sums, self.pairs, Mat3::ZERO);
        let mut blocks = [Mat3x8::IDENTITY; P];
        for (group, couples) in self.couples.chunks(LANES * P).enumerate() {
            hessians(first + group, &mut blocks);
            for (l, couples) in couples.chunks_exact(P).enumerate() {
                for (block, couple) in blocks.iter().zip(couples) {
                    sums[couple.pair()] += couple.turned(block.lane(l));
                }
            }
        }
    }
}

fn zero<T: Clone>(sums: &mut Vec<T>, count: usize, zero: T) {
    sums.clear();
    sums.resize(count, zero);
}

/// The pairs of an element's nodes by their places in it: (0, 0), (0, 1), ..., (1, 1), ...
pub(super) fn locals<const N: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|a| (a..N).map(move |b| (a, b)))
}

/// The pairs of an element's nodes, each in ascending order.
pub(super) fn couples<const N: usize>(element: &[u32; N]) -> impl Iterator<Item = (u32, u32)> {
    locals::<N>().map(|(a, b)| {
        let (i, j) = (element[a], element[b]);
        (i.min(j), i.max(j))
    })
}

/// A pair of a patch, and whether the element lists its nodes in the opposite order.
#[derive(Debug, Clone, Copy)]
struct Directed(u16);

impl Directed {
    #[inline(always)]
    fn pair(self) -> usize {
        usize::from(self.0 >> 1)
    }

    #[inline(always)]
    fn turned(self, block: Mat3) -> Mat3 {
        if self.0 & 1 == 0 { block } else { block.transpose() }
    }
}

/// The pairs of an element, as indices in `pairs` with their orientation.
fn directed<const N: usize>(
    element: &[u32; N],
    pairs: &[(u32, u32)],
) -> impl Iterator<Item = Directed> {
    let order = locals::<N>().map(|(a, b)| element[a] > element[b]);
    couples(element)
        .zip(order)
        .map(|(pair, turned)| Directed(place(pairs, &pair) * 2 + u16::from(turned)))
}

/// The index of a key that is in the list.
fn place<K: Ord>(sorted: &[K], key: &K) -> u16 {
    let place = sorted.binary_search(key).expect("patches number all that they hold");
    u16::try_from(place).expect("a patch of 512 elements has at most 28,160 pairs")
}
