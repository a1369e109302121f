//! Nodes and pairs that several patches share.

use resile_math::Vec3;
use std::ops::{Add, Range};

/// Nodes per parallel task.
const NODES_PER_TASK: usize = 1024;

/// Nodes or pairs of nodes (keys), sorted, with the locations of their sums in the patches.
#[derive(Debug, Clone)]
pub(super) struct Shared<K> {
    pub(super) keys: Vec<K>,
    /// Index of the first entry of each key in `occurrences`, followed by the total number of entries.
    start: Vec<u32>,
    /// Patch and local index of each occurrence.
    occurrences: Vec<(u32, u32)>,
}

impl<K: Ord + Copy> Shared<K> {
    /// The shared keys of patches, given the keys of each patch in the order of its local indices.
    pub(super) fn new(patches: &[Vec<K>]) -> Self {
        let keys_of_patch = |(patch, keys): (u32, &Vec<K>)| -> Vec<(K, (u32, u32))> {
            (0..).zip(keys).map(|(index, key)| (*key, (patch, index))).collect()
        };
        let mut entries: Vec<_> = (0..).zip(patches).flat_map(keys_of_patch).collect();
        entries.sort_unstable();
        let mut shared = Self { keys: Vec::new(), start: Vec::new(), occurrences: Vec::new() };
        for (key, occurrence) in entries {
            if shared.keys.last() != Some(&key) {
                shared.keys.push(key);
                shared.start.push(shared.occurrences.len() as u32);
            }
            shared.occurrences.push(occurrence);
        }
        shared.start.push(shared.occurrences.len() as u32);
        shared.keys.shrink_to_fit();
        shared.start.shrink_to_fit();
        shared.occurrences.shrink_to_fit();
        shared
    }

    /// The sum of a key over its patches, in their order.
    #[inline(always)]
    pub(super) fn total<T: Copy + Add<Output = T>>(&self, key: usize, sums: &[Vec<T>]) -> T {
        let partial_sum = |(patch, index): (u32, u32)| sums[patch as usize][index as usize];
        let occurrences = &self.occurrences[self.start[key] as usize..self.start[key + 1] as usize];
        let first = partial_sum(occurrences[0]);
        occurrences[1..].iter().fold(first, |sum, occurrence| sum + partial_sum(*occurrence))
    }
}

impl Shared<u32> {
    /// Adds `scale` times the sum of each node over its patches to `out`.
    pub(super) fn add_totals(&self, sums: &[Vec<Vec3>], scale: f64, out: &mut [Vec3]) {
        self.add_totals_in_range(0..self.keys.len(), sums, scale, (out, 0));
    }

    /// As [`add_totals`](Self::add_totals) for a range of nodes; `out` begins at node `start`.
    fn add_totals_in_range(
        &self,
        keys: Range<usize>,
        sums: &[Vec<Vec3>],
        scale: f64,
        (out, start): (&mut [Vec3], usize),
    ) {
        if keys.len() <= NODES_PER_TASK {
            for key in keys {
                out[self.keys[key] as usize - start] += scale * self.total(key, sums);
            }
            return;
        }
        let middle = keys.start + keys.len() / 2;
        let cut = self.keys[middle] as usize;
        let (left, right) = out.split_at_mut(cut - start);
        rayon::join(
            || self.add_totals_in_range(keys.start..middle, sums, scale, (left, start)),
            || self.add_totals_in_range(middle..keys.end, sums, scale, (right, cut)),
        );
    }
}
