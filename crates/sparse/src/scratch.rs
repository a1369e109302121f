//! A pool of reusable buffers.
//!
//! Evaluation is `&self`, shared by threads, and needs buffers of the same size each time. It borrows a buffer from
//! the pool, which returns on drop. The contents of a buffer never affect a result: a borrower writes all values
//! that it reads, or finds the same bits that it would write. Calls may therefore get any buffer, at the cost of an
//! atomic swap.

use crossbeam_utils::atomic::AtomicCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Resizes `buffer` to `length`, padded with `value`. Growth reserves an additional sixteenth instead of doubling:
/// contact enlarges matrices only slightly, which should not double their memory.
pub fn resize_closely<T: Clone>(buffer: &mut Vec<T>, length: usize, value: T) {
    reserve_closely(buffer, length);
    buffer.resize(length, value);
}

/// Reserves memory for `length` values in all and a sixteenth in addition.
pub fn reserve_closely<T>(buffer: &mut Vec<T>, length: usize) {
    if buffer.capacity() < length {
        buffer.reserve_exact(length + length / 16 - buffer.len());
    }
}

/// A pool that keeps up to `CAPACITY` buffers. If none is free, `take` allocates a new one.
pub struct ScratchPool<T, const CAPACITY: usize = 2> {
    slots: [AtomicCell<Vec<T>>; CAPACITY],
}

/// A borrowed buffer; it returns to its pool on drop.
pub struct Scratch<'a, T, const CAPACITY: usize = 2> {
    buffer: Vec<T>,
    pool: &'a ScratchPool<T, CAPACITY>,
}

impl<T, const CAPACITY: usize> ScratchPool<T, CAPACITY> {
    /// An empty pool.
    pub const fn new() -> Self {
        Self { slots: [const { AtomicCell::new(Vec::new()) }; CAPACITY] }
    }

    /// Takes a buffer with unspecified contents.
    pub fn take(&self) -> Scratch<'_, T, CAPACITY> {
        let mut buffers = self.in_cache_order().map(AtomicCell::take);
        let buffer = buffers.find(|buffer| buffer.capacity() > 0).unwrap_or_default();
        Scratch { buffer, pool: self }
    }

    /// All cells, first the one that the calling pool thread used last, whose buffer is in its cache.
    fn in_cache_order(&self) -> impl Iterator<Item = &AtomicCell<Vec<T>>> {
        let slot = rayon::current_thread_index().unwrap_or(0) % CAPACITY;
        self.slots[slot..].iter().chain(&self.slots[..slot])
    }

    /// Returns a buffer to the pool; if the pool is full, one buffer is freed.
    fn put_back(&self, mut buffer: Vec<T>) {
        for cell in self.in_cache_order() {
            if buffer.capacity() == 0 {
                return;
            }
            buffer = cell.swap(buffer);
        }
    }
}

impl<T, const CAPACITY: usize> Default for ScratchPool<T, CAPACITY> {
    fn default() -> Self {
        Self::new()
    }
}

/// A clone starts with an empty pool.
impl<T, const CAPACITY: usize> Clone for ScratchPool<T, CAPACITY> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T, const CAPACITY: usize> fmt::Debug for ScratchPool<T, CAPACITY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchPool").finish_non_exhaustive()
    }
}

impl<T, const CAPACITY: usize> Deref for Scratch<'_, T, CAPACITY> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.buffer
    }
}

impl<T, const CAPACITY: usize> DerefMut for Scratch<'_, T, CAPACITY> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.buffer
    }
}

impl<T, const CAPACITY: usize> Drop for Scratch<'_, T, CAPACITY> {
    fn drop(&mut self) {
        self.pool.put_back(std::mem::take(&mut self.buffer));
    }
}

impl<T: fmt::Debug, const CAPACITY: usize> fmt::Debug for Scratch<'_, T, CAPACITY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pool_returns_two_buffers_and_allocates_a_third() {
        let scratch = ScratchPool::<u8>::default();
        let (mut a, mut b, mut c) = (scratch.take(), scratch.take(), scratch.take());
        for buffer in [&mut a, &mut b, &mut c] {
            buffer.reserve_exact(10);
        }
        let lent = [&a, &b].map(|buffer| buffer.as_ptr());
        drop(a);
        drop(b);
        drop(c);
        let (a, b, c) = (scratch.take(), scratch.take(), scratch.take());
        assert_eq!(c.capacity(), 0);
        assert!([&a, &b].iter().all(|buffer| buffer.capacity() == 10));
        assert!([&a, &b].iter().filter(|buffer| lent.contains(&buffer.as_ptr())).count() >= 1);
    }

    #[test]
    fn each_pool_thread_gets_its_own_buffer_back() {
        let scratch = ScratchPool::<u8, 3>::new();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let all = std::sync::Barrier::new(3);
        let lent = || {
            threads.broadcast(|_| {
                let mut own = scratch.take();
                own.reserve(10);
                // No buffer is returned before each thread has one.
                all.wait();
                own.as_ptr() as usize
            })
        };
        let first = lent();
        assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
        assert_eq!(lent(), first);
    }
}
