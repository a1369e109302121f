#![doc = include_str!("../README.md")]
//! # Design
//!
//! A flag and a note are plain values that are handed to the work as data; clones of one share what they hold.
//! Nothing here reaches a result: work that was not interrupted has never asked more than whether
//! it should stop, and a note is written and not read. So results stay the same to the bit,
//! watched or not.
//!
//! Work that finds the flag raised stops at the next place where that is cheap, and what it has
//! computed by then is of no use. A caller that accepts results asks once more before: a flag that was raised
//! at any time during the work is still raised then.

mod activity;
mod interrupt;
mod tally;
mod watchdog;

pub use activity::{Activity, Job, Ongoing, Reading};
pub use interrupt::{Cause, Interrupt};
pub use tally::{Count, Tally, Watched};
pub use watchdog::{Limits, Watchdog};
