//! Nodes and pairs that several patches share.

use resile_math::Vec3;
use std::ops::{Add, Range};

/// Nodes per parallel task.
const NODES_PER_TASK: usize = 1024;

/// Nodes or pairs of nodes (keys), sorted, with the positions of their sums in the patches.
#[derive(Debug, Clone)]
pub(super) struct Shared<K> {
    pub(super) keys: Vec<K>,
    /// For each key the index of its first entry in `places`, and the number of entries at the end.
    start: Vec<u32>,
    /// Patch and local index of each occurrence.
    places: Vec<(u32, u32)>,
}

impl<K: Ord + Copy> Shared<K> {
    /// Shared keys from the keys of each patch, in the order of its local numbers.
    pub(super) fn new(patches: &[Vec<K>]) -> Self {
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
        shared.keys.shrink_to_fit();
        shared.start.shrink_to_fit();
        shared.places.shrink_to_fit();
        shared
    }

    /// The sum of a key over its patches, in their order.
    #[inline(always)]
    pub(super) fn total<T: Copy + Add<Output = T>>(&self, key: usize, sums: &[Vec<T>]) -> T {
        let at = |(patch, number): (u32, u32)| sums[patch as usize][number as usize];
        let places = &self.places[self.start[key] as usize..self.start[key + 1] as usize];
        let first = at(places[0]);
        places[1..].iter().fold(first, |sum, place| sum + at(*place))
    }
}

impl Shared<u32> {
    /// Adds `scale` times the sum of each node over its patches to `out`.
    pub(super) fn add_totals(&self, sums: &[Vec<Vec3>], scale: f64, out: &mut [Vec3]) {
        self.add_totals_of(0..self.keys.len(), sums, scale, (out, 0));
    }

    /// As [`add_totals`](Self::add_totals) for a range of nodes; `out` begins at node `start`.
    fn add_totals_of(
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
            || self.add_totals_of(keys.start..middle, sums, scale, (left, start)),
            || self.add_totals_of(middle..keys.end, sums, scale, (right, cut)),
        );
    }
}
