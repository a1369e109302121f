#![doc = include_str!("../README.md")]
//! # Design
//!
//! Interrupt flags and progress notes are plain values that callers pass to the work; clones share their
//! state. Work only polls the flag and only writes its progress, so results have the same bits with and
//! without observation.
//!
//! Work that finds the flag raised stops at the next cheap place, and its partial result is invalid. A
//! caller polls the flag once more before it accepts a result: a flag that was raised during the work
//! is still raised then.

mod activity;
mod interrupt;
mod stopwatch;
mod tally;
#[cfg(feature = "host")]
mod watchdog;

pub use activity::{Activity, Job, RunningJob, SolveProgress};
pub use interrupt::{Cause, Interrupt};
pub use stopwatch::Stopwatch;
pub use tally::{PartProgress, Tally, TaskContext};
#[cfg(feature = "host")]
pub use watchdog::{Limits, Patrol, Watchdog};
