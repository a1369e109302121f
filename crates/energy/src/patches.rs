//! Summing what elements give to the nodes and pairs of nodes that they share.
//!
//! Elements are cut, in their order, into patches that number their own nodes and pairs.
//! Patches are independent: threads evaluate and sum them side by side, in arrays that stay
//! within a core's cache. What patches share is then summed in the order of patches, so
//! that the same bits come out for any number of threads, and a pair reaches the matrix
//! once and not from each of its elements.

use rayon::prelude::*;
use resile_linalg::spare::Spare;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use resile_math::{Mat3, Vec3};
use resile_system::Hessian;
use std::array::from_fn;

/// Groups of eight elements in a patch: the blocks of 512 tetrahedra of a grid stay within a
/// core's cache.
const PATCH: usize = 64;

/// Patches of which values wait to be combined.
const ROUND: usize = 256;

/// Values of `f` for the groups of each patch, combined in order, from as many threads as
/// there are in the pool. `f` sees whole patches so that it can sum in lanes.
pub(crate) fn fold<G: Sync>(
    groups: &[G],
    start: f64,
    f: impl Fn(&[G]) -> f64 + Sync,
    combine: impl Fn(f64, f64) -> f64,
) -> f64 {
    if groups.len() <= PATCH {
        return groups.chunks(PATCH).map(f).fold(start, combine);
    }
    let mut total = start;
    for round in groups.chunks(PATCH * ROUND) {
        let mut values = [0.0; ROUND];
        let patches = round.par_chunks(PATCH);
        let count = patches.len();
        values.par_iter_mut().zip(patches).for_each(|(value, patch)| *value = f(patch));
        total = values[..count].iter().copied().fold(total, &combine);
    }
    total
}

/// The patches of a mesh of elements of `N` nodes.
#[derive(Debug, Clone)]
pub(crate) struct Patches<const N: usize> {
    patches: Vec<Patch<N>>,
    nodes: Shared<u32>,
    pairs: Shared<(u32, u32)>,
    /// Sums of each patch.
    gradients: Spare<Vec<Vec3>>,
    blocks: Spare<Vec<Mat3>>,
}

impl<const N: usize> Patches<N> {
    /// The patches of `elements`, which come in groups of eight in this order.
    pub(crate) fn new(elements: &[[u32; N]]) -> Self {
        let parts = || elements.chunks(PATCH * LANES);
        let nodes: Vec<Vec<u32>> =
            parts().map(|part| sorted(part.iter().flatten().copied())).collect();
        let pairs: Vec<Vec<(u32, u32)>> =
            parts().map(|part| sorted(part.iter().flat_map(couples))).collect();
        Self {
            patches: parts()
                .zip(nodes.iter().zip(&pairs))
                .map(|(part, (nodes, pairs))| Patch::new(part, nodes, pairs))
                .collect(),
            nodes: Shared::new(&nodes),
            pairs: Shared::new(&pairs),
            gradients: Spare::default(),
            blocks: Spare::default(),
        }
    }

    /// Adds `scale` times the gradients to `out`. `evaluate` writes those of the eight
    /// elements of a group at their nodes but the first, whose gradient is what makes the
    /// sum zero.
    pub(crate) fn add_gradients<G: Sync, const M: usize>(
        &self,
        groups: &[G],
        scale: f64,
        out: &mut [Vec3],
        evaluate: impl Fn(&G) -> [Vec3x8; M] + Sync,
    ) {
        let mut sums = self.gradients.lend();
        self.sum(groups, &mut sums, |patch, groups, sums| patch.gradients(groups, &evaluate, sums));
        for (&node, sum) in self.nodes.totals(&sums) {
            out[node as usize] += scale * sum;
        }
    }

    /// Pushes the Hessian. `evaluate` writes the blocks of the pairs `(0, 0), (0, 1), ...,
    /// (1, 1), ...` of the eight elements of a group.
    pub(crate) fn add_blocks<G: Sync, const P: usize>(
        &self,
        groups: &[G],
        out: &mut Hessian<'_>,
        evaluate: impl Fn(&G, &mut [Mat3x8; P]) + Sync,
    ) {
        let mut sums = self.blocks.lend();
        self.sum(groups, &mut sums, |patch, groups, sums| patch.blocks(groups, &evaluate, sums));
        for (&(i, j), sum) in self.pairs.totals(&sums) {
            out.add(i as usize, j as usize, sum);
        }
    }

    fn sum<G: Sync, T: Send>(
        &self,
        groups: &[G],
        sums: &mut Vec<Vec<T>>,
        of_patch: impl Fn(&Patch<N>, &[G], &mut Vec<T>) + Sync,
    ) {
        sums.resize_with(self.patches.len(), Vec::new);
        if let ([patch], [sums]) = (&self.patches[..], &mut sums[..]) {
            return of_patch(patch, groups, sums);
        }
        let parts = self.patches.par_iter().zip(groups.par_chunks(PATCH)).zip(sums);
        parts.for_each(|((patch, groups), sums)| of_patch(patch, groups, sums));
    }
}

/// Some of the elements, with numbers of their own for nodes and pairs.
#[derive(Debug, Clone)]
struct Patch<const N: usize> {
    /// The nodes of each element.
    corners: Vec<[u16; N]>,
    /// The pairs of each element, one element after the other.
    couples: Vec<Directed>,
    nodes: usize,
    pairs: usize,
}

impl<const N: usize> Patch<N> {
    fn new(elements: &[[u32; N]], nodes: &[u32], pairs: &[(u32, u32)]) -> Self {
        let corners = |element: &[u32; N]| element.map(|node| place(nodes, &node));
        Self {
            corners: elements.iter().map(corners).collect(),
            couples: elements.iter().flat_map(|element| directed(element, pairs)).collect(),
            nodes: nodes.len(),
            pairs: pairs.len(),
        }
    }

    fn gradients<G, const M: usize>(
        &self,
        groups: &[G],
        evaluate: &impl Fn(&G) -> [Vec3x8; M],
        sums: &mut Vec<Vec3>,
    ) {
        sums.clear();
        sums.resize(self.nodes, Vec3::ZERO);
        for (group, corners) in groups.iter().zip(self.corners.chunks(LANES)) {
            let gradients = evaluate(group);
            let first: Vec3x8 =
                from_fn(|i| -gradients.iter().fold(Lane::ZERO, |sum, gradient| sum + gradient[i]));
            for (l, corners) in corners.iter().enumerate() {
                let at = |v: &Vec3x8| Vec3::from_array(from_fn(|i| v[i].as_array()[l]));
                sums[corners[0] as usize] += at(&first);
                for (corner, gradient) in corners[1..].iter().zip(&gradients) {
                    sums[*corner as usize] += at(gradient);
                }
            }
        }
    }

    fn blocks<G, const P: usize>(
        &self,
        groups: &[G],
        evaluate: &impl Fn(&G, &mut [Mat3x8; P]),
        sums: &mut Vec<Mat3>,
    ) {
        sums.clear();
        sums.resize(self.pairs, Mat3::ZERO);
        let mut blocks = [Mat3x8::IDENTITY; P];
        for (group, couples) in groups.iter().zip(self.couples.chunks(LANES * P)) {
            evaluate(group, &mut blocks);
            for (l, couples) in couples.chunks_exact(P).enumerate() {
                for (block, couple) in blocks.iter().zip(couples) {
                    sums[couple.pair()] += couple.turned(block.lane(l));
                }
            }
        }
    }
}

/// A pair of a patch, and whether an element has it the other way round.
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

/// The pairs of an element's nodes, each in ascending order.
fn couples<const N: usize>(element: &[u32; N]) -> impl Iterator<Item = (u32, u32)> {
    let pair = |a: u32, b: u32| (a.min(b), a.max(b));
    (0..N).flat_map(move |a| (a..N).map(move |b| pair(element[a], element[b])))
}

fn directed<const N: usize>(
    element: &[u32; N],
    pairs: &[(u32, u32)],
) -> impl Iterator<Item = Directed> {
    let order = (0..N).flat_map(move |a| (a..N).map(move |b| element[a] > element[b]));
    couples(element)
        .zip(order)
        .map(|(pair, turned)| Directed(place(pairs, &pair) * 2 + u16::from(turned)))
}

/// All different values, ascending.
fn sorted<K: Ord>(all: impl Iterator<Item = K>) -> Vec<K> {
    let mut all: Vec<K> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The place of a value that is there.
fn place<K: Ord>(sorted: &[K], key: &K) -> u16 {
    let place = sorted.binary_search(key).expect("patches number all that they hold");
    u16::try_from(place).expect("a patch of 512 elements has at most 28,160 pairs")
}

/// What several patches have numbers for.
#[derive(Debug, Clone)]
struct Shared<K> {
    keys: Vec<K>,
    /// Where each key's places begin, and their end.
    start: Vec<u32>,
    /// Patch and number there.
    places: Vec<(u32, u32)>,
}

impl<K: Ord + Copy> Shared<K> {
    fn new(patches: &[Vec<K>]) -> Self {
        let places_of = |(patch, keys): (u32, &Vec<K>)| -> Vec<(K, (u32, u32))> {
            (0..).zip(keys).map(|(number, key)| (*key, (patch, number))).collect()
        };
        let mut all: Vec<_> = (0..).zip(patches).flat_map(places_of).collect();
        all.sort_unstable();
        let mut shared = Self { keys: Vec::new(), start: Vec::new(), places: Vec::new() };
        for (key, place) in all {
            if shared.keys.last() != Some(&key) {
                shared.keys.push(key);
                shared.start.push(shared.places.len() as u32);
            }
            shared.places.push(place);
        }
        shared.start.push(shared.places.len() as u32);
        shared
    }

    /// Each key with the sum over its patches, in their order.
    fn totals<'a, T: Copy + std::ops::Add<Output = T>>(
        &'a self,
        sums: &'a [Vec<T>],
    ) -> impl Iterator<Item = (&'a K, T)> {
        let at = |(patch, number): (u32, u32)| sums[patch as usize][number as usize];
        self.keys.iter().zip(self.start.windows(2)).map(move |(key, range)| {
            let places = &self.places[range[0] as usize..range[1] as usize];
            let first = at(places[0]);
            (key, places[1..].iter().fold(first, |sum, place| sum + at(*place)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_linalg::Assembly;

    /// Elements that share nodes within patches and across them, in any order of numbers.
    fn elements() -> Vec<[u32; 4]> {
        (0..3 * 512 - 5).map(|e: u32| from_fn(|k| (e * 7 + k as u32 * 31) % 997)).collect()
    }

    /// What element `e` gives to the pair `k` of its nodes: no two alike.
    fn block(e: usize, k: usize) -> Mat3 {
        let number = |n: usize| ((100 * e + 10 * k + n) as f64 * 0.37).sin();
        let block = Mat3::from_cols_array(&from_fn(number));
        // Pairs of a node with itself are symmetric.
        if [0, 4, 7, 9].contains(&k) { block + block.transpose() } else { block }
    }

    #[test]
    fn sums_are_those_of_all_elements_one_after_the_other() {
        let elements = elements();
        let patches = Patches::new(&elements);
        assert_eq!(patches.patches.len(), 3, "several patches, the last one not full");
        let groups: Vec<usize> = (0..elements.len().div_ceil(LANES)).collect();

        let (mut ours, mut want) = (Assembly::new(997), Assembly::new(997));
        patches.add_blocks(
            &groups,
            &mut Hessian::new(&mut ours, 0, 2.0),
            |group, out: &mut [Mat3x8; 10]| {
                *out = from_fn(|k| Mat3x8::from_lanes(&from_fn(|l| block(group * LANES + l, k))));
            },
        );
        let mut hessian = Hessian::new(&mut want, 0, 2.0);
        for (e, nodes) in elements.iter().enumerate() {
            let pairs = (0..4).flat_map(|a| (a..4).map(move |b| (nodes[a], nodes[b])));
            for (k, (i, j)) in pairs.enumerate() {
                hessian.add(i as usize, j as usize, block(e, k));
            }
        }
        let (ours, want) = (ours.finish(), want.finish());
        assert_eq!(ours.pattern, want.pattern);
        let close = |(a, b): (&Mat3, &Mat3)| a.abs_diff_eq(*b, 1e-13);
        assert!(ours.blocks.iter().zip(&want.blocks).all(close));

        let force = |e: usize, k: usize| block(e, k).x_axis;
        let mut sums = vec![Vec3::ONE; 997];
        let lanes = |group: usize, k: usize| -> Vec3x8 {
            from_fn(|i| Lane::new(from_fn(|l| force(group * LANES + l, k)[i])))
        };
        patches.add_gradients(&groups, 0.5, &mut sums, |group| [1, 2, 3].map(|k| lanes(*group, k)));
        let mut straight = vec![Vec3::ONE; 997];
        for (e, nodes) in elements.iter().enumerate() {
            for k in 1..4 {
                straight[nodes[k] as usize] += 0.5 * force(e, k);
                straight[nodes[0] as usize] -= 0.5 * force(e, k);
            }
        }
        assert!(sums.iter().zip(&straight).all(|(a, b)| a.abs_diff_eq(*b, 1e-13)));
    }
}
