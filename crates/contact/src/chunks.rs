//! Parallel work in chunks of fixed size, so that results do not depend on the number of threads.

use rayon::prelude::*;

const ITEMS_PER_CHUNK: usize = 128;

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
