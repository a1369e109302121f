//! A second thread that busy-waits for work during a step.
//!
//! A step consists of thousands of short parallel sections for two threads. An idle thread would sleep in between,
//! and waking it up would cost most of the time it saves. One thread therefore polls for work throughout the step.
//! It executes work like any other thread, so results do not depend on it.
//!
//! Ratios of the time of a run with this thread to the time without it (`sim run`, two threads, medians of nine
//! alternating pairs of runs): 0.94 for twisted-bar (60 steps) and bouncing-ball-soft (200), 0.99 for
//! rotating-cube-soft (300), 1.00 for membrane (20) and dice (40), 1.07 for gears (three affine bodies), 1.01 for
//! chain-net-small (60, affine links, three pairs). Small systems have little parallel work and therefore run without
//! it.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};

/// Minimum number of nodes for the standby thread: sweeps of the linear solver are parallel from 1,200 nodes on.
const MIN_NODES: usize = 1000;

/// Number of polls between two yields of the processor.
const POLLS_PER_YIELD: u32 = 64;

thread_local! {
    /// Whether this thread runs a step or stands by for one. A marked thread must not stand by for another step,
    /// because it could not return to its own before that step is done.
    static IS_MARKED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, a step with this number of nodes, on a thread of the pool, with a standby thread if the step is
/// large enough.
pub(super) fn with_standby<R: Send>(nodes: usize, work: impl FnOnce() -> R + Send) -> R {
    let is_done = AtomicBool::new(false);
    rayon::scope(|scope| {
        let _mark = MarkedThread::mark();
        let _raises_flag = RaiseOnDrop(&is_done);
        if nodes >= MIN_NODES && rayon::current_num_threads() > 1 {
            scope.spawn(|_| stand_by(&is_done));
        }
        work()
    })
}

/// Executes work of other threads until `is_done` is raised, and busy-waits while there is none. Returns at once on a
/// marked thread.
fn stand_by(is_done: &AtomicBool) {
    if IS_MARKED.get() {
        return;
    }
    let _mark = MarkedThread::mark();
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

/// Marks a thread; the previous mark is restored on drop.
struct MarkedThread {
    was_marked: bool,
}

impl MarkedThread {
    /// Marks the current thread.
    fn mark() -> Self {
        Self { was_marked: IS_MARKED.replace(true) }
    }
}

impl Drop for MarkedThread {
    fn drop(&mut self) {
        IS_MARKED.set(self.was_marked);
    }
}

/// Raises a flag on drop, so also when the work has panicked.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
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
