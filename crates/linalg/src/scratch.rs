//! Buffers that outlive a call.
//!
//! Evaluation is `&self`, shared by threads, and needs room for sums that is as large each
//! time. It borrows a buffer from here, which comes back when it is dropped. What is in a
//! buffer never reaches a result: whoever borrows one writes all that it reads. So which
//! call gets which buffer does not matter, and nobody waits longer than for a swap.

use crossbeam_utils::atomic::AtomicCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Room for two buffers. Who finds none makes a new one.
pub struct ScratchPool<T> {
    kept: [AtomicCell<Vec<T>>; 2],
}

/// A buffer that goes back where it came from.
pub struct Scratch<'a, T> {
    buffer: Vec<T>,
    to: &'a ScratchPool<T>,
}

impl<T> ScratchPool<T> {
    /// A buffer with whatever is in it.
    pub fn take(&self) -> Scratch<'_, T> {
        let mut kept = self.kept.iter().map(AtomicCell::take);
        let buffer = kept.find(|buffer| buffer.capacity() > 0).unwrap_or_default();
        Scratch { buffer, to: self }
    }

    fn keep(&self, mut buffer: Vec<T>) {
        for cell in &self.kept {
            if buffer.capacity() == 0 {
                return;
            }
            buffer = cell.swap(buffer);
        }
    }
}

impl<T> Default for ScratchPool<T> {
    fn default() -> Self {
        Self { kept: [(); 2].map(|()| AtomicCell::new(Vec::new())) }
    }
}

/// Whoever is cloned has buffers of his own.
impl<T> Clone for ScratchPool<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> fmt::Debug for ScratchPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchPool").finish_non_exhaustive()
    }
}

impl<T> Deref for Scratch<'_, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.buffer
    }
}

impl<T> DerefMut for Scratch<'_, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.buffer
    }
}

impl<T> Drop for Scratch<'_, T> {
    fn drop(&mut self) {
        self.to.keep(std::mem::take(&mut self.buffer));
    }
}

impl<T: fmt::Debug> fmt::Debug for Scratch<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_buffers_come_back_and_a_third_is_new() {
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
}
