//! Elements that remain after repeated ones are merged.

/// The elements that remain after merging, with their new indices.
pub(super) struct KeptElements {
    /// For each element the new index of its representative.
    numbers: Vec<u32>,
    kept: Vec<bool>,
}

impl KeptElements {
    /// `standing` gives for each element the index of its first occurrence.
    pub(super) fn new(standing: &[u32]) -> Self {
        let kept: Vec<bool> =
            (0..).zip(standing).map(|(element, &first)| element == first).collect();
        let mut next = 0..;
        let mut numbers: Vec<u32> = Vec::with_capacity(kept.len());
        for &first in standing {
            let known = numbers.get(first as usize).copied();
            numbers.push(known.or_else(|| next.next()).unwrap_or_default());
        }
        Self { numbers, kept }
    }

    pub(super) fn keeps(&self, element: usize) -> bool {
        self.kept.get(element).copied().unwrap_or(false)
    }

    pub(super) fn number(&self, element: u32) -> u32 {
        self.numbers.get(element as usize).copied().unwrap_or(element)
    }
}
