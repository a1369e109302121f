//! A section: patches that are summed together.

use super::patch::{Patch, node_pairs};
use super::shared::Shared;
use rayon::prelude::*;
use resile_math::{Mat3, Vec3};
use resile_system::Hessian;

/// Elements in a patch: the Hessian blocks of 512 tetrahedra of a grid fit into the cache of a
/// core.
pub(super) const ELEMENTS_PER_PATCH: usize = 512;

/// Patches in a section. It bounds the memory of the partial sums: 13 MB of Hessian blocks for tetrahedra of a grid,
/// independent of the size of the body. Smaller sections take longer (`benches/README.md`).
pub(super) const PATCHES_PER_SECTION: usize = 128;

/// Consecutive patches with their shared nodes and pairs.
#[derive(Debug, Clone)]
pub(super) struct Section<const N: usize> {
    /// Index of its first patch in the body.
    first_patch: usize,
    pub(super) patches: Vec<Patch<N>>,
    pub(super) nodes: Shared<u32>,
    pairs: Shared<(u32, u32)>,
}

impl<const N: usize> Section<N> {
    /// Divides `elements` into sections, in their order.
    pub(super) fn cut(elements: &[[u32; N]]) -> Vec<Self> {
        let section_elements =
            elements.chunks(PATCHES_PER_SECTION * ELEMENTS_PER_PATCH).enumerate();
        section_elements
            .map(|(index, elements)| Self::new(index * PATCHES_PER_SECTION, elements))
            .collect()
    }

    /// The section of `elements`, whose first patch has the index `first_patch` in the body.
    fn new(first_patch: usize, elements: &[[u32; N]]) -> Self {
        let chunks = || elements.chunks(ELEMENTS_PER_PATCH);
        let nodes: Vec<Vec<u32>> =
            chunks().map(|chunk| sorted(chunk.iter().flatten().copied())).collect();
        let pairs: Vec<Vec<(u32, u32)>> =
            chunks().map(|chunk| sorted(chunk.iter().flat_map(node_pairs))).collect();
        let patches = chunks().zip(nodes.iter().zip(&pairs));
        Self {
            first_patch,
            patches: patches
                .map(|(chunk, (nodes, pairs))| Patch::new(chunk, nodes, pairs))
                .collect(),
            nodes: Shared::new(&nodes),
            pairs: Shared::new(&pairs),
        }
    }

    /// Adds `scale` times the sums at the nodes to `out`. `sum_patch` computes the sums of a patch by its index; its
    /// return values are collected and returned.
    pub(super) fn add_gradients<V: Copy + Default + Send>(
        &self,
        sums: &mut Vec<Vec<Vec3>>,
        sum_patch: impl Fn(usize, &Patch<N>, &mut Vec<Vec3>) -> V + Sync,
        scale: f64,
        out: &mut [Vec3],
    ) -> impl Iterator<Item = V> {
        let values = self.sum(sums, sum_patch);
        self.nodes.add_totals(sums, scale, out);
        values.into_iter().take(self.patches.len())
    }

    /// Adds the sums at the pairs, each pair once. `sum_patch` computes the sums of a patch by its index.
    pub(super) fn add_hessians(
        &self,
        sums: &mut Vec<Vec<Mat3>>,
        sum_patch: impl Fn(usize, &Patch<N>, &mut Vec<Mat3>) + Sync,
        out: &mut Hessian<'_>,
    ) {
        self.sum(sums, sum_patch);
        let sums = &sums[..];
        out.add_each(&self.pairs.keys, |k| self.pairs.total(k, sums));
    }

    /// Fills the sums of each patch in parallel and returns the value of each.
    fn sum<T: Send, V: Copy + Default + Send>(
        &self,
        sums: &mut Vec<Vec<T>>,
        sum_patch: impl Fn(usize, &Patch<N>, &mut Vec<T>) -> V + Sync,
    ) -> [V; PATCHES_PER_SECTION] {
        let mut values = [V::default(); PATCHES_PER_SECTION];
        if sums.len() < self.patches.len() {
            sums.resize_with(self.patches.len(), Vec::new);
        }
        if let ([patch], [sums, ..]) = (&self.patches[..], &mut sums[..]) {
            values[0] = sum_patch(self.first_patch, patch, sums);
            return values;
        }
        let patches = self.patches.par_iter().zip(sums).zip(&mut values).enumerate();
        patches.for_each(|(k, ((patch, sums), value))| {
            *value = sum_patch(self.first_patch + k, patch, sums);
        });
        values
    }
}

/// The distinct keys, sorted.
fn sorted<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<K> {
    let mut keys: Vec<K> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
