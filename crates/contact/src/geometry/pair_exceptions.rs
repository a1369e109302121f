//! Exceptions of a table of pairs: values of pairs of colliders or groups.

use std::collections::BTreeMap;

/// One side of the pairs of an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// One collider.
    Collider(usize),
    /// All colliders of a group.
    Group(usize),
}

impl From<usize> for Side {
    fn from(group: usize) -> Self {
        Self::Group(group)
    }
}

/// Values of pairs of sides, each with the sequence number of its assignment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exceptions<T> {
    by_sides: BTreeMap<[Side; 2], (u64, T)>,
    count: u64,
}

impl<T> Default for Exceptions<T> {
    fn default() -> Self {
        Self { by_sides: BTreeMap::new(), count: 0 }
    }
}

impl<T: Copy> Exceptions<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.by_sides.is_empty()
    }

    /// Sets the value of a pair of sides and returns the previous one.
    pub(super) fn set(&mut self, sides: [Side; 2], value: T) -> Option<T> {
        self.count += 1;
        self.by_sides.insert(sorted_sides(sides), (self.count, value)).map(|(_, before)| before)
    }

    /// Value that was set last for two colliders, given by the sides that contain each of them.
    pub(super) fn last_value(&self, a: [Side; 2], b: [Side; 2]) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let pairs = a.into_iter().flat_map(|a| b.map(|b| sorted_sides([a, b])));
        let values = pairs.filter_map(|sides| self.by_sides.get(&sides));
        values.max_by_key(|(count, _)| *count).map(|(_, value)| *value)
    }
}

/// The sides of an unordered pair, ascending.
fn sorted_sides([a, b]: [Side; 2]) -> [Side; 2] {
    if a <= b { [a, b] } else { [b, a] }
}
