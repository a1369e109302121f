//! Assembly: sums of element values, gradients and Hessian blocks over shared nodes and pairs of nodes.

mod patch;
mod section;
mod shared;
#[cfg(test)]
mod tests;

use patch::{Patch, local_pairs};
use rayon::prelude::*;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8};
use resile_math::{Mat3, Vec3};
use resile_sparse::scratch::ScratchPool;
use resile_system::Hessian;
use section::{ELEMENTS_PER_PATCH, Section};
use std::ops::Range;

/// Number of patches whose values are computed in parallel before they are combined in order.
const PATCHES_PER_ROUND: usize = 256;

/// Number of buffers in each pool; further threads allocate their own.
const POOLED_BUFFERS: usize = 16;

/// Buffers for the sums of the patches of a section, shared by all bodies.
static GRADIENT_BUFFERS: ScratchPool<Vec<Vec3>, POOLED_BUFFERS> = ScratchPool::new();
static BLOCK_BUFFERS: ScratchPool<Vec<Mat3>, POOLED_BUFFERS> = ScratchPool::new();

/// An element has invalid nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GatherError {
    /// A node does not exist.
    #[error("element {element} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The element, counted from zero.
        element: usize,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// An element has a node twice.
    #[error("element {element} has node {node} twice")]
    Repeated {
        /// The element, counted from zero.
        element: usize,
        /// Index of the repeated node.
        node: u32,
    },
}

/// Sums over elements of `N` nodes each, up to ten: of values, of gradients at the nodes and
/// of Hessian blocks at the pairs of nodes.
///
/// An element energy provides a closure that evaluates the element of a given index; the gather sums
/// the results. It stores the connectivity only: positions and parameters belong to the energy.
/// Methods ending in `_x8` evaluate groups of eight elements, one in each SIMD lane
/// (see [`resile_math::lanes`]). Gradients and Hessians in lanes after the last element are ignored.
///
/// # Order and threads
/// Elements are divided, in their order, into patches of 512 with local indices of nodes and
/// pairs. The threads of the current rayon pool evaluate and sum patches in parallel, in arrays
/// that fit into the cache of a core. Shared nodes and pairs are then summed in the order of
/// patches, in parallel over nodes or pairs, so the results are bitwise equal for any number of
/// threads. 128 patches form a section; sections are processed one after the other, and a pair is
/// added to the matrix once per section instead of once per element. A call is O(elements) and
/// allocates nothing after the first calls, because the buffers are reused by the whole process.
///
/// # Example
/// Springs of rest length zero with the energy `k/2 |x_1 - x_0|^2`. `examples/own_energy.rs` has an
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
///     fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
///         self.gather.sum(|string| 0.5 * self.stiffness * self.edge(x, string).length_squared())
///     }
///     fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
///         self.gather.add_gradients(out, |string| {
///             let pull = scale * self.stiffness * self.edge(x, string);
///             [-pull, pull]
///         });
///     }
///     fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
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
/// strings.add_gradient(0.0, &x, 1.0, &mut gradient);
/// assert_eq!(strings.value(0.0, &x), 25.0);
/// assert_eq!(gradient, [-10.0 * Vec3::X, -10.0 * Vec3::X, 20.0 * Vec3::X]);
/// # Ok::<(), resile_energy::GatherError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gather<const N: usize> {
    elements: usize,
    sections: Vec<Section<N>>,
}

impl<const N: usize> Gather<N> {
    /// Sums over `elements`, given by their node indices, of a body of `nodes` nodes.
    /// O(elements log elements).
    ///
    /// # Errors
    /// The first element with a node that does not exist, or with a repeated node.
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
        Ok(Self::unchecked(elements))
    }

    /// As [`new`](Self::new), without the check of the nodes.
    pub(crate) fn unchecked(elements: &[[u32; N]]) -> Self {
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
        let sum_patch = |elements: Range<usize>| elements.map(&value).sum();
        fold(self.elements, ELEMENTS_PER_PATCH, 0.0, sum_patch, |a, b| a + b)
    }

    /// The sum over all groups of eight elements. `add` adds the values of a group to the running
    /// sums of the lanes, so that it can use fused multiply-adds; lanes after the last element must
    /// add zero.
    pub fn sum_x8(&self, add: impl Fn(usize, Lane) -> Lane + Sync) -> f64 {
        let fold_groups = |groups: Range<usize>| {
            let sum = groups.fold(Lane::ZERO, |sum, group| add(group, sum));
            sum.as_array().iter().sum()
        };
        self.fold_x8(0.0, fold_groups, |a, b| a + b)
    }

    /// The smallest lane of `value` over all groups of eight elements, infinite if there are none.
    /// Lanes after the last element are included; NaN is ignored.
    pub fn min_x8(&self, value: impl Fn(usize) -> Lane + Sync) -> f64 {
        let fold_groups = |groups: Range<usize>| {
            let lower = |a: Lane, b: Lane| b.simd_lt(a).select(b, a);
            let smallest = groups.map(&value).fold(Lane::splat(f64::INFINITY), lower);
            smallest.as_array().iter().copied().fold(f64::INFINITY, f64::min)
        };
        self.fold_x8(f64::INFINITY, fold_groups, f64::min)
    }

    /// Folds `combine` from `start` over the results of `value` for the groups of each patch, in order.
    pub(crate) fn fold_x8(
        &self,
        start: f64,
        value: impl Fn(Range<usize>) -> f64 + Sync,
        combine: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        fold(self.groups(), ELEMENTS_PER_PATCH / LANES, start, value, combine)
    }

    /// Adds the `gradient` of each element to `out` at the nodes of the element.
    ///
    /// Up to 512 elements are added sequentially, more by patches.
    ///
    /// # Panics
    /// If `out` has no entry for a node of an element.
    pub fn add_gradients(&self, out: &mut [Vec3], gradient: impl Fn(usize) -> [Vec3; N] + Sync) {
        if let Some((nodes, corners)) = self.only_patch() {
            for (element, corners) in corners.iter().enumerate() {
                for (&corner, gradient) in corners.iter().zip(gradient(element)) {
                    out[nodes[corner as usize] as usize] += gradient;
                }
            }
            return;
        }
        let mut sums = GRADIENT_BUFFERS.take();
        for section in &self.sections {
            let sum_patch = |patch_index: usize, patch: &Patch<N>, sums: &mut Vec<Vec3>| {
                patch.gradients(patch_index * ELEMENTS_PER_PATCH, &gradient, sums);
            };
            section.add_gradients(&mut sums, sum_patch, 1.0, out).for_each(drop);
        }
    }

    /// Adds `scale` times the gradients of the elements to `out`. `gradients` returns those of
    /// a group at the `M = N - 1` nodes after the first; the gradient at the first node is minus their
    /// sum, by translation invariance.
    ///
    /// # Panics
    /// If `out` has no entry for a node of an element.
    pub fn add_gradients_x8<const M: usize>(
        &self,
        scale: f64,
        out: &mut [Vec3],
        gradients: impl Fn(usize) -> [Vec3x8; M] + Sync,
    ) {
        const { assert!(M + 1 == N, "a gradient for each node but the first") };
        let mut sums = GRADIENT_BUFFERS.take();
        for section in &self.sections {
            let sum_patch = |patch_index: usize, patch: &Patch<N>, sums: &mut Vec<Vec3>| {
                patch.gradients_x8(patch_index * (ELEMENTS_PER_PATCH / LANES), &gradients, sums);
            };
            section.add_gradients(&mut sums, sum_patch, scale, out).for_each(drop);
        }
    }

    /// [`sum_x8`](Self::sum_x8) and [`add_gradients_x8`](Self::add_gradients_x8) in one pass, bitwise equal to the
    /// separate calls: `evaluate_group` adds the values of a group to the running sums of the lanes and returns the
    /// gradients.
    ///
    /// # Panics
    /// If `out` has no entry for a node of an element.
    pub fn sum_and_add_gradients_x8<const M: usize>(
        &self,
        scale: f64,
        out: &mut [Vec3],
        evaluate_group: impl Fn(usize, Lane) -> (Lane, [Vec3x8; M]) + Sync,
    ) -> f64 {
        const { assert!(M + 1 == N, "a gradient for each node but the first") };
        let (mut sums, mut total) = (GRADIENT_BUFFERS.take(), 0.0);
        for section in &self.sections {
            let sum_patch = |patch_index: usize, patch: &Patch<N>, sums: &mut Vec<Vec3>| {
                let mut lanes = Lane::ZERO;
                let gradients = |group| {
                    let (sum, gradients) = evaluate_group(group, lanes);
                    lanes = sum;
                    gradients
                };
                patch.gradients_x8(patch_index * (ELEMENTS_PER_PATCH / LANES), gradients, sums);
                lanes.as_array().iter().sum::<f64>()
            };
            let values = section.add_gradients(&mut sums, sum_patch, scale, out);
            total = values.fold(total, |sum, value| sum + value);
        }
        total
    }

    /// Adds the Hessians of the elements. `hessian` returns the 3x3 blocks `[a][b]` of an
    /// element's nodes a and b; blocks with `a > b` are ignored.
    ///
    /// Up to 512 elements are added sequentially; with more, each pair of nodes is added once per
    /// 65,536 elements.
    pub fn add_hessians(
        &self,
        out: &mut Hessian<'_>,
        hessian: impl Fn(usize) -> [[Mat3; N]; N] + Sync,
    ) {
        if let Some((nodes, corners)) = self.only_patch() {
            for (element, corners) in corners.iter().enumerate() {
                let nodes = corners.map(|corner| nodes[corner as usize] as usize);
                let blocks = hessian(element);
                local_pairs::<N>().for_each(|(a, b)| out.add(nodes[a], nodes[b], blocks[a][b]));
            }
            return;
        }
        let mut sums = BLOCK_BUFFERS.take();
        for section in &self.sections {
            let sum_patch = |patch_index: usize, patch: &Patch<N>, sums: &mut Vec<Mat3>| {
                patch.hessians(patch_index * ELEMENTS_PER_PATCH, &hessian, sums);
            };
            section.add_hessians(&mut sums, sum_patch, out);
        }
    }

    /// Adds the Hessians of the elements. `hessians` writes the `P = N (N + 1) / 2` blocks
    /// of the pairs of nodes `(0, 0), (0, 1), ..., (1, 1), ...` of a group's eight elements.
    pub fn add_hessians_x8<const P: usize>(
        &self,
        out: &mut Hessian<'_>,
        hessians: impl Fn(usize, &mut [Mat3x8; P]) + Sync,
    ) {
        const { assert!(2 * P == N * (N + 1), "a block for each pair of nodes") };
        let mut sums = BLOCK_BUFFERS.take();
        for section in &self.sections {
            let sum_patch = |patch_index: usize, patch: &Patch<N>, sums: &mut Vec<Mat3>| {
                patch.hessians_x8(patch_index * (ELEMENTS_PER_PATCH / LANES), &hessians, sums);
            };
            section.add_hessians(&mut sums, sum_patch, out);
        }
    }

    /// The nodes and the local connectivity of the elements, if there is only one patch.
    fn only_patch(&self) -> Option<(&[u32], &[[u16; N]])> {
        let [section] = &self.sections[..] else { return None };
        let [patch] = &section.patches[..] else { return None };
        Some((&section.nodes.keys, &patch.corners))
    }
}

/// Folds `combine` from `start`, in order, over the results of `f` for chunks of `chunk_len` of the range `0..count`.
fn fold(
    count: usize,
    chunk_len: usize,
    start: f64,
    f: impl Fn(Range<usize>) -> f64 + Sync,
    combine: impl Fn(f64, f64) -> f64,
) -> f64 {
    let chunk_range = |index: usize| index * chunk_len..count.min((index + 1) * chunk_len);
    let chunk_count = count.div_ceil(chunk_len);
    if chunk_count <= 1 {
        return (0..chunk_count).map(chunk_range).map(f).fold(start, combine);
    }
    let mut total = start;
    for first in (0..chunk_count).step_by(PATCHES_PER_ROUND) {
        let mut values = [0.0; PATCHES_PER_ROUND];
        let round = &mut values[..PATCHES_PER_ROUND.min(chunk_count - first)];
        round.par_iter_mut().enumerate().for_each(|(k, value)| *value = f(chunk_range(first + k)));
        total = round.iter().copied().fold(total, &combine);
    }
    total
}
