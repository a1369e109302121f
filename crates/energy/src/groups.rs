//! Running over groups of elements: threads and order, once for all quantities of
//! tetrahedra, triangles and hinges alike.
//!
//! Results may not depend on the number of threads, so what threads compute is
//! always the same pieces, and what is summed is summed in the order of elements
//! by one thread. Scattering itself stays on that thread: it is a tenth to a third
//! of the work, and colouring elements or giving each thread its own matrix costs
//! more than it saves. It runs while the others evaluate what comes next.

use rayon::prelude::*;

/// Groups that are one piece of work: 512 elements. Bodies of one chunk stay on
/// the calling thread.
const CHUNK: usize = 64;

/// Groups whose results are held while they wait for their scatter; with the
/// 5.8 kB of Hessian blocks that a group of tetrahedra or hinges has, two of these
/// waves stay within a core's cache.
const WAVE: usize = 64;

/// Groups that are evaluated as one task within a wave.
const TASK: usize = 8;

/// Values of `f` for each chunk, in order. `f` sees whole chunks so that it can
/// sum in lanes.
pub(crate) fn map_chunks<G: Sync, T: Send>(groups: &[G], f: impl Fn(&[G]) -> T + Sync) -> Vec<T> {
    if serial(groups) {
        groups.chunks(CHUNK).map(f).collect()
    } else {
        groups.par_chunks(CHUNK).map(&f).collect()
    }
}

/// Gives `evaluate`'s result for each group to `scatter`, in order, on this
/// thread. `evaluate` overwrites all of its slot.
pub(crate) fn stream<G: Sync, T: Copy + Send>(
    groups: &[G],
    blank: T,
    evaluate: impl Fn(&G, &mut T) + Sync,
    mut scatter: impl FnMut(&G, &T),
) {
    if serial(groups) {
        let mut slot = blank;
        for group in groups {
            evaluate(group, &mut slot);
            scatter(group, &slot);
        }
        return;
    }
    let fill = |wave: &[G], slots: &mut [T]| {
        wave.par_chunks(TASK).zip(slots.par_chunks_mut(TASK)).for_each(|(groups, slots)| {
            groups.iter().zip(slots).for_each(|(group, slot)| evaluate(group, slot));
        });
    };
    let mut ready = vec![blank; WAVE.min(groups.len())];
    let mut coming = vec![blank; WAVE.min(groups.len())];
    let mut waves = groups.chunks(WAVE).peekable();
    if let Some(first) = waves.peek() {
        fill(first, &mut ready);
    }
    while let Some(wave) = waves.next() {
        rayon::in_place_scope(|scope| {
            if let Some(next) = waves.peek() {
                scope.spawn(|_| fill(next, &mut coming));
            }
            wave.iter().zip(&ready).for_each(|(group, slot)| scatter(group, slot));
        });
        std::mem::swap(&mut ready, &mut coming);
    }
}

/// Whether threads would not help.
fn serial<G>(groups: &[G]) -> bool {
    groups.len() <= CHUNK || rayon::current_num_threads() == 1
}
