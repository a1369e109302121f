//! Patches that are summed at a time.

use super::patch::{Patch, couples};
use super::shared::Shared;
use rayon::prelude::*;
use resile_math::{Mat3, Vec3};
use resile_system::Hessian;

/// Elements in a patch: the Hessian blocks of 512 tetrahedra of a grid stay within a core's
/// cache.
pub(super) const PATCH: usize = 512;

/// Patches in a section. Their sums wait for each other: of tetrahedra of a grid these are 13 MB of Hessian blocks,
/// whatever the size of the body. Smaller sections take longer (`benches/README.md`).
pub(super) const SECTION: usize = 128;

/// A run of consecutive patches, and what they share.
#[derive(Debug, Clone)]
pub(super) struct Section<const N: usize> {
    /// The number of its first patch in the body.
    first: usize,
    pub(super) patches: Vec<Patch<N>>,
    pub(super) nodes: Shared<u32>,
    pairs: Shared<(u32, u32)>,
}

impl<const N: usize> Section<N> {
    /// Those of `elements`, in their order.
    pub(super) fn cut(elements: &[[u32; N]]) -> Vec<Self> {
        let runs = elements.chunks(SECTION * PATCH).enumerate();
        runs.map(|(number, elements)| Self::new(number * SECTION, elements)).collect()
    }

    fn new(first: usize, elements: &[[u32; N]]) -> Self {
        let parts = || elements.chunks(PATCH);
        let nodes: Vec<Vec<u32>> =
            parts().map(|part| sorted(part.iter().flatten().copied())).collect();
        let pairs: Vec<Vec<(u32, u32)>> =
            parts().map(|part| sorted(part.iter().flat_map(couples))).collect();
        let numbered = parts().zip(nodes.iter().zip(&pairs));
        Self {
            first,
            patches: numbered
                .map(|(part, (nodes, pairs))| Patch::new(part, nodes, pairs))
                .collect(),
            nodes: Shared::new(&nodes),
            pairs: Shared::new(&pairs),
        }
    }

    /// Adds `scale` times the sums at the nodes, which `of_patch` makes for a patch by its number, to `out`; what it
    /// returns for each patch.
    pub(super) fn add_gradients<V: Copy + Default + Send>(
        &self,
        sums: &mut Vec<Vec<Vec3>>,
        of_patch: impl Fn(usize, &Patch<N>, &mut Vec<Vec3>) -> V + Sync,
        scale: f64,
        out: &mut [Vec3],
    ) -> impl Iterator<Item = V> {
        let values = self.sum(sums, of_patch);
        self.nodes.add_totals(sums, scale, out);
        values.into_iter().take(self.patches.len())
    }

    /// Pushes the sums at the pairs, which `of_patch` makes for a patch by its number, each pair once.
    pub(super) fn add_hessians(
        &self,
        sums: &mut Vec<Vec<Mat3>>,
        of_patch: impl Fn(usize, &Patch<N>, &mut Vec<Mat3>) + Sync,
        out: &mut Hessian<'_>,
    ) {
        self.sum(sums, of_patch);
        let sums = &sums[..];
        out.add_each(&self.pairs.keys, |k| self.pairs.total(k, sums));
    }

    /// Fills the sums of each patch, with its number, from as many threads as there are; what is returned for each.
    fn sum<T: Send, V: Copy + Default + Send>(
        &self,
        sums: &mut Vec<Vec<T>>,
        of_patch: impl Fn(usize, &Patch<N>, &mut Vec<T>) -> V + Sync,
    ) -> [V; SECTION] {
        let mut values = [V::default(); SECTION];
        if sums.len() < self.patches.len() {
            sums.resize_with(self.patches.len(), Vec::new);
        }
        if let ([patch], [sums, ..]) = (&self.patches[..], &mut sums[..]) {
            values[0] = of_patch(self.first, patch, sums);
            return values;
        }
        let parts = self.patches.par_iter().zip(sums).zip(&mut values).enumerate();
        parts.for_each(|(k, ((patch, sums), value))| {
            *value = of_patch(self.first + k, patch, sums);
        });
        values
    }
}

/// All different values, ascending.
fn sorted<K: Ord>(all: impl Iterator<Item = K>) -> Vec<K> {
    let mut all: Vec<K> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}
