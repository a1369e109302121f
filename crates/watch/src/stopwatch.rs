//! Elapsed time, on platforms with a clock.

use std::time::Duration;
#[cfg(feature = "host")]
use std::time::Instant;

/// Measures the time since its start. Without the feature `host` it reads no clock and measures zero. Measured times
/// appear in reports only, never in results.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    #[cfg(feature = "host")]
    start: Instant,
}

impl Stopwatch {
    /// A running stopwatch.
    #[must_use]
    pub fn start() -> Self {
        Self {
            #[cfg(feature = "host")]
            start: Instant::now(),
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        #[cfg(feature = "host")]
        return self.start.elapsed();
        #[cfg(not(feature = "host"))]
        Duration::ZERO
    }
}
