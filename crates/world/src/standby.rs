//! A second thread that busy-waits for work during a step.
//!
//! A step consists of thousands of short parallel sections for two threads. An idle thread would sleep in between,
//! and waking it up would cost most of the time it saves. One thread therefore polls for work throughout the step.
//! It executes work like any other thread, so results do not depend on it.
//!
//! Nine runs each with and without it, in turn, medians of their ratios (`sim run`, two threads): twisted-bar (60
//! steps) and bouncing-ball-soft (200) 0.94 of the time, rotating-cube-soft (300) 0.99, membrane (20) and dice (40)
//! 1.00; gears, of three affine bodies, 1.07; chain-net-small (60; three runs), of affine links, 1.01. Small systems
//! have little parallel work and therefore run without it.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};

/// Minimum number of nodes for the standby thread: sweeps of the linear solver are parallel from 1,200 nodes on.
const MIN_NODES: usize = 1000;

/// Number of polls between two yields of the processor.
const POLLS_PER_YIELD: u32 = 64;

thread_local! {
    /// Whether this thread runs a step or stands by for one. It must not stand by for another, since it would not
    /// return to its own.
    static IS_MARKED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, a step with this number of nodes, on a thread of the pool, with a standby thread if the step is
/// large enough.
pub(super) fn with_standby<R: Send>(nodes: usize, work: impl FnOnce() -> R + Send) -> R {
    let is_done = AtomicBool::new(false);
    rayon::scope(|scope| {
        let _taken = MarkedThread::take();
        let _finished = Finished(&is_done);
        if nodes >= MIN_NODES && rayon::current_num_threads() > 1 {
            scope.spawn(|_| stand_by(&is_done));
        }
        work()
    })
}

/// Polls for work until the step is done.
fn stand_by(is_done: &AtomicBool) {
    if IS_MARKED.get() {
        return;
    }
    let _taken = MarkedThread::take();
    let mut idle = 0u32;
    while !is_done.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = 0;
        } else {
            idle += 1;
            // After some microseconds without work, yields the processor to other programs.
            if idle.is_multiple_of(POLLS_PER_YIELD) {
                std::thread::yield_now();
            } else {
                spin_loop();
            }
        }
    }
}

/// Marks the thread until it is dropped.
struct MarkedThread {
    before: bool,
}

impl MarkedThread {
    fn take() -> Self {
        Self { before: IS_MARKED.replace(true) }
    }
}

impl Drop for MarkedThread {
    fn drop(&mut self) {
        IS_MARKED.set(self.before);
    }
}

/// Raises the flag when the work is done or has panicked.
struct Finished<'a>(&'a AtomicBool);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Sections of many sizes, as a step has them.
    fn sections(depth: usize) -> u64 {
        let sum: u64 = (0..1000u64).into_par_iter().map(|k| k * k % 7).sum();
        if depth == 0 { sum } else { sum + sections(depth - 1) }
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    #[test]
    fn nested_and_parallel_standby_terminates() {
        let expected = sections(9);
        for threads in 1..5 {
            let all = pool(threads).install(|| {
                with_standby(MIN_NODES, || {
                    let inner = |_| with_standby(MIN_NODES, || sections(9));
                    (0..64).into_par_iter().map(inner).collect::<Vec<_>>()
                })
            });
            assert!(all.iter().all(|&sum| sum == expected));
        }
    }

    #[test]
    fn panic_propagates_and_releases_threads() {
        let pool = pool(2);
        for _ in 0..20 {
            let step = || pool.install(|| with_standby(MIN_NODES, || panic!("on purpose")));
            assert!(catch_unwind(AssertUnwindSafe(step)).is_err());
        }
        let taken = pool.broadcast(|_| IS_MARKED.get());
        assert_eq!(taken, [false, false]);
    }
}
