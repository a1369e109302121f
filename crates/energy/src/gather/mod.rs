//! Sums over elements: what they give to the nodes and pairs of nodes that they share.

mod patch;
mod section;
mod shared;
#[cfg(test)]
mod tests;

use patch::{Patch, locals};
use rayon::prelude::*;
use resile_linalg::scratch::ScratchPool;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use resile_math::{Mat3, Vec3};
use resile_system::Hessian;
use section::{PATCH, Section};
use std::ops::Range;

/// Patches of which values wait to be combined.
const ROUND: usize = 256;

/// Threads that may sum at a time without making room anew.
const THREADS: usize = 16;

/// Room for the sums of the patches of a section. All bodies have one and the same, and take from it what a thread
/// of theirs needs while it sums.
static GRADIENTS: ScratchPool<Vec<Vec3>, THREADS> = ScratchPool::new();
static BLOCKS: ScratchPool<Vec<Mat3>, THREADS> = ScratchPool::new();

/// Elements that are summed over no nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GatherError {
    /// A node does not exist.
    #[error("element {element} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The element, counted from zero.
        element: usize,
        /// The node it names.
        node: u32,
        /// Number of nodes there are.
        nodes: usize,
    },
    /// Two nodes of an element are one.
    #[error("element {element} has node {node} twice")]
    Repeated {
        /// The element, counted from zero.
        element: usize,
        /// The node it names twice.
        node: u32,
    },
}

/// Sums over elements of `N` nodes each, up to ten: of values, of gradients at the nodes and
/// of Hessian blocks at the pairs of nodes.
///
/// An energy of elements says what one element gives, by its number; the
/// gather adds it up. It knows which nodes an element has and nothing else: positions and
/// parameters stay with the energy. Where elements are evaluated eight at a time, one in each
/// SIMD lane (see [`resile_math::lanes`]), the methods that end in `_x8` take what the eight
/// of a group give. Gradients and Hessians in lanes behind the last element are not looked at.
///
/// # Order and threads
/// Elements are cut, in their order, into patches of 512, which number their own nodes and
/// pairs. The threads of the rayon pool that a call is made in evaluate and sum patches side
/// by side, in arrays that stay within a core's cache. What patches share is then summed, by
/// threads that have some of the nodes or pairs each, in the order of patches, so that the
/// bits are the same for any number of threads. 128 patches are a section, which is done before
/// the next: a pair reaches the matrix once from each section, and not from each of its
/// elements. A call costs its elements and allocates nothing after the first ones: room for
/// sums is that of the process, and stays.
///
/// # Example
/// Strings of the energy `k/2 |x_1 - x_0|^2` between nodes. `examples/own_energy.rs` has an
/// energy of triangles, with a projected Hessian and its derivatives checked.
///
/// ```
/// use resile_energy::Gather;
/// use resile_math::{Mat3, Vec3};
/// use resile_system::{Energy, Hessian, Psd};
///
/// struct Strings { ends: Vec<[u32; 2]>, stiffness: f64, gather: Gather<2> }
///
/// impl Strings {
///     fn edge(&self, x: &[Vec3], string: usize) -> Vec3 {
///         let [a, b] = self.ends[string];
///         x[b as usize] - x[a as usize]
///     }
/// }
///
/// impl Energy for Strings {
///     fn name(&self) -> &str {
///         "strings"
///     }
///     fn value(&self, x: &[Vec3]) -> f64 {
///         self.gather.sum(|string| 0.5 * self.stiffness * self.edge(x, string).length_squared())
///     }
///     fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
///         self.gather.add_gradients(out, |string| {
///             let pull = scale * self.stiffness * self.edge(x, string);
///             [-pull, pull]
///         });
///     }
///     fn add_hessian(&self, _x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
///         let k = Mat3::IDENTITY * self.stiffness; // convex: nothing to project
///         self.gather.add_hessians(out, |_| [[k, -k], [-k, k]]);
///     }
/// }
///
/// let ends = vec![[0, 1], [1, 2]];
/// let gather = Gather::new(3, &ends)?;
/// let strings = Strings { ends, stiffness: 10.0, gather };
/// let x = [Vec3::ZERO, Vec3::X, 3.0 * Vec3::X];
/// let mut gradient = [Vec3::ZERO; 3];
/// strings.add_gradient(&x, 1.0, &mut gradient);
/// assert_eq!(strings.value(&x), 25.0);
/// assert_eq!(gradient, [-10.0 * Vec3::X, -10.0 * Vec3::X, 20.0 * Vec3::X]);
/// # Ok::<(), resile_energy::GatherError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gather<const N: usize> {
    elements: usize,
    sections: Vec<Section<N>>,
}

impl<const N: usize> Gather<N> {
    /// Sums over `elements`, by the numbers of their nodes, of a body of `nodes` nodes.
    /// O(elements log elements).
    ///
    /// # Errors
    /// The first element with a node that does not exist, or with a node twice.
    pub fn new(nodes: usize, elements: &[[u32; N]]) -> Result<Self, GatherError> {
        for (element, corners) in elements.iter().enumerate() {
            if let Some(&node) = corners.iter().find(|&&node| node as usize >= nodes) {
                return Err(GatherError::NoSuchNode { element, node, nodes });
            }
            let repeated = (1..N).find(|&k| corners[..k].contains(&corners[k]));
            if let Some(k) = repeated {
                return Err(GatherError::Repeated { element, node: corners[k] });
            }
        }
        Ok(Self::of(elements))
    }

    /// As [`new`](Self::new), of elements whose nodes are known to exist and to differ.
    pub(crate) fn of(elements: &[[u32; N]]) -> Self {
        const { assert!(N > 0 && N <= 10, "a patch counts its pairs in fifteen bits") };
        Self { elements: elements.len(), sections: Section::cut(elements) }
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Number of groups of eight elements, the last of which may have fewer.
    pub fn groups(&self) -> usize {
        self.elements.div_ceil(LANES)
    }

    /// The sum of `value` over all elements.
    pub fn sum(&self, value: impl Fn(usize) -> f64 + Sync) -> f64 {
        let of_patch = |elements: Range<usize>| elements.map(&value).sum();
        fold(self.elements, PATCH, 0.0, of_patch, |a, b| a + b)
    }

    /// The sum over all groups of eight elements. `add` adds the values of a group's
    /// elements to the sums of the lanes so far, so that it can fuse a product with that;
    /// lanes behind the last element must add zero.
    pub fn sum_x8(&self, add: impl Fn(usize, Lane) -> Lane + Sync) -> f64 {
        let of_run = |groups: Range<usize>| {
            let sum = groups.fold(Lane::ZERO, |sum, group| add(group, sum));
            sum.as_array().iter().sum()
        };
        self.fold_x8(0.0, of_run, |a, b| a + b)
    }

    /// The smallest lane of `value` over all groups of eight elements, infinite if there
    /// are none. Lanes behind the last element count; those of no number do not.
    pub fn min_x8(&self, value: impl Fn(usize) -> Lane + Sync) -> f64 {
        let of_run = |groups: Range<usize>| {
            let lower = |a: Lane, b: Lane| b.simd_lt(a).select(b, a);
            let least = groups.map(&value).fold(Lane::splat(f64::INFINITY), lower);
            least.as_array().iter().copied().fold(f64::INFINITY, f64::min)
        };
        self.fold_x8(f64::INFINITY, of_run, f64::min)
    }

    /// `combine` over what `value` says of runs of consecutive groups, in their order, from
    /// `start`. A run is the groups of a patch.
    pub(crate) fn fold_x8(
        &self,
        start: f64,
        value: impl Fn(Range<usize>) -> f64 + Sync,
        combine: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        fold(self.groups(), PATCH / LANES, start, value, combine)
    }

    /// Adds what `gradient` says of each element to `out` at the element's nodes.
    ///
    /// Up to 512 elements are added one after the other, beyond that by patches.
    ///
    /// # Panics
    /// If `out` has fewer than the nodes the elements have.
    pub fn add_gradients(&self, out: &mut [Vec3], gradient: impl Fn(usize) -> [Vec3; N] + Sync) {
        if let Some((nodes, corners)) = self.only_patch() {
            for (element, corners) in corners.iter().enumerate() {
                for (&corner, gradient) in corners.iter().zip(gradient(element)) {
                    out[nodes[corner as usize] as usize] += gradient;
                }
            }
            return;
        }
        let mut sums = GRADIENTS.take();
        for section in &self.sections {
            let of_patch = |number: usize, patch: &Patch<N>, sums: &mut Vec<Vec3>| {
                patch.gradients(number * PATCH, &gradient, sums);
            };
            section.add_gradients(&mut sums, of_patch, 1.0, out).for_each(drop);
        }
    }

    /// Adds `scale` times the gradients of the elements to `out`. `gradients` says those of
    /// a group's eight elements at their `M = N - 1` nodes after the first; that at the
    /// first node is what makes their sum zero, as translations cost nothing.
    ///
    /// # Panics
    /// If `out` has fewer than the nodes the elements have.
    pub fn add_gradients_x8<const M: usize>(
        &self,
        scale: f64,
        out: &mut [Vec3],
        gradients: impl Fn(usize) -> [Vec3x8; M] + Sync,
    ) {
        const { assert!(M + 1 == N, "a gradient for each node but the first") };
        let mut sums = GRADIENTS.take();
        for section in &self.sections {
            let of_patch = |number: usize, patch: &Patch<N>, sums: &mut Vec<Vec3>| {
                patch.gradients_x8(number * (PATCH / LANES), &gradients, sums);
            };
            section.add_gradients(&mut sums, of_patch, scale, out).for_each(drop);
        }
    }

    /// [`sum_x8`](Self::sum_x8) and [`add_gradients_x8`](Self::add_gradients_x8) in one pass, to the bit as by
    /// themselves: `of_group` adds the values of a group's elements to the sums of the lanes so far, and says their
    /// gradients.
    ///
    /// # Panics
    /// If `out` has fewer than the nodes the elements have.
    pub fn sum_and_add_gradients_x8<const M: usize>(
        &self,
        scale: f64,
        out: &mut [Vec3],
        of_group: impl Fn(usize, Lane) -> (Lane, [Vec3x8; M]) + Sync,
    ) -> f64 {
        const { assert!(M + 1 == N, "a gradient for each node but the first") };
        let (mut sums, mut total) = (GRADIENTS.take(), 0.0);
        for section in &self.sections {
            let of_patch = |number: usize, patch: &Patch<N>, sums: &mut Vec<Vec3>| {
                let mut lanes = Lane::ZERO;
                let gradients = |group| {
                    let (sum, gradients) = of_group(group, lanes);
                    lanes = sum;
                    gradients
                };
                patch.gradients_x8(number * (PATCH / LANES), gradients, sums);
                lanes.as_array().iter().sum::<f64>()
            };
            let values = section.add_gradients(&mut sums, of_patch, scale, out);
            total = values.fold(total, |sum, value| sum + value);
        }
        total
    }

    /// Pushes the Hessians of the elements. `hessian` says the 3x3 blocks `[a][b]` of an
    /// element's nodes a and b; those with `a > b` are not looked at.
    ///
    /// Up to 512 elements are pushed one after the other, beyond that each pair of nodes
    /// once for 65,536 elements.
    pub fn add_hessians(
        &self,
        out: &mut Hessian<'_>,
        hessian: impl Fn(usize) -> [[Mat3; N]; N] + Sync,
    ) {
        if let Some((nodes, corners)) = self.only_patch() {
            for (element, corners) in corners.iter().enumerate() {
                let nodes = corners.map(|corner| nodes[corner as usize] as usize);
                let blocks = hessian(element);
                locals::<N>().for_each(|(a, b)| out.add(nodes[a], nodes[b], blocks[a][b]));
            }
            return;
        }
        let mut sums = BLOCKS.take();
        for section in &self.sections {
            let of_patch = |number: usize, patch: &Patch<N>, sums: &mut Vec<Mat3>| {
                patch.hessians(number * PATCH, &hessian, sums);
            };
            section.add_hessians(&mut sums, of_patch, out);
        }
    }

    /// Pushes the Hessians of the elements. `hessians` writes the `P = N (N + 1) / 2` blocks
    /// of the pairs of nodes `(0, 0), (0, 1), ..., (1, 1), ...` of a group's eight elements.
    pub fn add_hessians_x8<const P: usize>(
        &self,
        out: &mut Hessian<'_>,
        hessians: impl Fn(usize, &mut [Mat3x8; P]) + Sync,
    ) {
        const { assert!(2 * P == N * (N + 1), "a block for each pair of nodes") };
        let mut sums = BLOCKS.take();
        for section in &self.sections {
            let of_patch = |number: usize, patch: &Patch<N>, sums: &mut Vec<Mat3>| {
                patch.hessians_x8(number * (PATCH / LANES), &hessians, sums);
            };
            section.add_hessians(&mut sums, of_patch, out);
        }
    }

    /// The nodes, and those of each element by their numbers among them, if one patch has them all.
    fn only_patch(&self) -> Option<(&[u32], &[[u16; N]])> {
        let [section] = &self.sections[..] else { return None };
        let [patch] = &section.patches[..] else { return None };
        Some((&section.nodes.keys, &patch.corners))
    }
}

/// Combines, in order, what `f` says of the runs of `chunk` numbers below `count`.
fn fold(
    count: usize,
    chunk: usize,
    start: f64,
    f: impl Fn(Range<usize>) -> f64 + Sync,
    combine: impl Fn(f64, f64) -> f64,
) -> f64 {
    let part = |number: usize| number * chunk..count.min((number + 1) * chunk);
    let parts = count.div_ceil(chunk);
    if parts <= 1 {
        return (0..parts).map(part).map(f).fold(start, combine);
    }
    let mut total = start;
    for first in (0..parts).step_by(ROUND) {
        let mut values = [0.0; ROUND];
        let round = &mut values[..ROUND.min(parts - first)];
        round.par_iter_mut().enumerate().for_each(|(k, value)| *value = f(part(first + k)));
        total = round.iter().copied().fold(total, &combine);
    }
    total
}
