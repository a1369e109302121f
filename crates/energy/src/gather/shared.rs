//! What several patches have numbers for.

use std::ops::Add;

/// Nodes or pairs of nodes, ascending, and where the patches have their sums.
#[derive(Debug, Clone)]
pub(super) struct Shared<K> {
    pub(super) keys: Vec<K>,
    /// Where each key's places begin, and their end.
    start: Vec<u32>,
    /// Patch and number there.
    places: Vec<(u32, u32)>,
}

impl<K: Ord + Copy> Shared<K> {
    /// Of the keys of each patch, in the order of its numbers.
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
        shared
    }

    /// Each key with the sum over its patches, in their order.
    pub(super) fn totals<'a, T: Copy + Add<Output = T>>(
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
