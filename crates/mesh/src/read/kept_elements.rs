//! Elements that remain after repeated ones are merged.

/// The elements that remain after merging, with their new indices.
pub(super) struct KeptElements {
    /// For each element, the new index of the first element that is equal to it.
    new_indices: Vec<u32>,
    /// Whether each element remains.
    kept: Vec<bool>,
}

impl KeptElements {
    /// Keeps the first of equal elements. `first_occurrences` has its index for each element.
    pub(super) fn new(first_occurrences: &[u32]) -> Self {
        let kept: Vec<bool> =
            (0..).zip(first_occurrences).map(|(element, &first)| element == first).collect();
        let mut unused_indices = 0..;
        let mut new_indices: Vec<u32> = Vec::with_capacity(kept.len());
        for &first in first_occurrences {
            let index_of_first = new_indices.get(first as usize).copied();
            new_indices.push(index_of_first.or_else(|| unused_indices.next()).unwrap_or_default());
        }
        Self { new_indices, kept }
    }

    /// Whether an element remains.
    pub(super) fn keeps(&self, element: usize) -> bool {
        self.kept.get(element).copied().unwrap_or(false)
    }

    /// New index of the first element that is equal to an element.
    pub(super) fn new_index(&self, element: u32) -> u32 {
        self.new_indices.get(element as usize).copied().unwrap_or(element)
    }
}
