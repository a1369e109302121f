//! Parallel work in chunks of fixed size, so that results do not depend on the number of threads.

use rayon::prelude::*;

/// Number of items that one thread processes at a time.
const ITEMS_PER_CHUNK: usize = 128;

/// Slices of at most [`ITEMS_PER_CHUNK`] consecutive items.
pub(crate) fn chunks<T>(items: &[T]) -> impl Iterator<Item = &[T]> {
    items.chunks(ITEMS_PER_CHUNK)
}

/// Results of `f` for all chunks of `items`, in order.
pub(crate) fn map_chunks<T: Sync, R: Send>(
    items: &[T],
    f: impl Fn(&[T]) -> R + Sync + Send,
) -> Vec<R> {
    if items.len() <= ITEMS_PER_CHUNK {
        items.chunks(ITEMS_PER_CHUNK).map(f).collect()
    } else {
        items.par_chunks(ITEMS_PER_CHUNK).map(f).collect()
    }
}
