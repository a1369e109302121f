//! The machine of a measurement.

use crate::processor::model_name;
use serde::Serialize;

/// The machine and the build; unavailable data are `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Machine {
    /// Name of the processor (Linux).
    pub(crate) processor: Option<String>,
    /// Threads that can run at once.
    pub(crate) cores: Option<usize>,
    /// Load average of the last minute (Linux); a load near or above one disturbs measurements.
    pub(crate) load: Option<f64>,
    /// Whether debug assertions are enabled, which cost time.
    pub(crate) debug_assertions: bool,
}

impl Machine {
    /// The present machine.
    pub(crate) fn here() -> Self {
        Self {
            processor: model_name(),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            load: load(),
            debug_assertions: cfg!(debug_assertions),
        }
    }
}

/// The load average of the last minute, the first number in `/proc/loadavg`.
fn load() -> Option<f64> {
    let text = resile_files::read_virtual_file("/proc/loadavg".as_ref())?;
    text.split_whitespace().next()?.parse().ok()
}
