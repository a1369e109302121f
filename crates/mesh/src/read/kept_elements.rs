//! Elements that remain after repeated ones are merged.

/// The elements that remain after merging, with their new indices.
pub(super) struct KeptElements {
    /// For each element, the new index of its representative.
    new_indices: Vec<u32>,
    kept: Vec<bool>,
}

impl KeptElements {
    /// `first_occurrences` has for each element the index of the first element that is equal to it.
    pub(super) fn new(first_occurrences: &[u32]) -> Self {
        let kept: Vec<bool> =
            (0..).zip(first_occurrences).map(|(element, &first)| element == first).collect();
        let mut next = 0..;
        let mut new_indices: Vec<u32> = Vec::with_capacity(kept.len());
        for &first in first_occurrences {
            let known = new_indices.get(first as usize).copied();
            new_indices.push(known.or_else(|| next.next()).unwrap_or_default());
        }
        Self { new_indices, kept }
    }

    /// Whether an element remains.
    pub(super) fn keeps(&self, element: usize) -> bool {
        self.kept.get(element).copied().unwrap_or(false)
    }

    /// New index of an element's representative.
    pub(super) fn new_index(&self, element: u32) -> u32 {
        self.new_indices.get(element as usize).copied().unwrap_or(element)
    }
}
