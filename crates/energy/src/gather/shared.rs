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
    occurrences: Vec<Occurrence>,
}

/// The location of a key in a patch. Occurrences are ordered by their patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    patch: u32,
    /// Local index in the patch.
    index: u32,
}

/// Vectors of consecutive nodes.
struct NodeRange<'a> {
    first_node: usize,
    vectors: &'a mut [Vec3],
}

impl<K: Ord + Copy> Shared<K> {
    /// The shared keys of patches, given the keys of each patch in the order of its local indices.
    pub(super) fn new(patches: &[Vec<K>]) -> Self {
        let keys_of_patch = |(patch, keys): (u32, &Vec<K>)| -> Vec<(K, Occurrence)> {
            (0..).zip(keys).map(|(index, key)| (*key, Occurrence { patch, index })).collect()
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
        let partial_sum = |Occurrence { patch, index }| sums[patch as usize][index as usize];
        let occurrences = &self.occurrences[self.start[key] as usize..self.start[key + 1] as usize];
        let first = partial_sum(occurrences[0]);
        occurrences[1..].iter().fold(first, |sum, occurrence| sum + partial_sum(*occurrence))
    }
}

impl Shared<u32> {
    /// Adds `scale` times the sum of each node over its patches to `out`.
    pub(super) fn add_totals(&self, sums: &[Vec<Vec3>], scale: f64, out: &mut [Vec3]) {
        let out = NodeRange { first_node: 0, vectors: out };
        self.add_totals_in_range(0..self.keys.len(), sums, scale, out);
    }

    /// As [`add_totals`](Self::add_totals) for a range of keys, whose nodes are in `out`.
    fn add_totals_in_range(
        &self,
        keys: Range<usize>,
        sums: &[Vec<Vec3>],
        scale: f64,
        NodeRange { first_node, vectors }: NodeRange<'_>,
    ) {
        if keys.len() <= NODES_PER_TASK {
            for key in keys {
                vectors[self.keys[key] as usize - first_node] += scale * self.total(key, sums);
            }
            return;
        }
        let middle_key = keys.start + keys.len() / 2;
        let middle_node = self.keys[middle_key] as usize;
        let (left, right) = vectors.split_at_mut(middle_node - first_node);
        let left = NodeRange { first_node, vectors: left };
        let right = NodeRange { first_node: middle_node, vectors: right };
        rayon::join(
            || self.add_totals_in_range(keys.start..middle_key, sums, scale, left),
            || self.add_totals_in_range(middle_key..keys.end, sums, scale, right),
        );
    }
}
