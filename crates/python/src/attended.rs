//! Work with the interpreter released, while the calling thread handles Ctrl-C.

use pyo3::prelude::*;
use rayon::ThreadPool;
use resile_watch::{Cause, Interrupt};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Interval at which the calling thread checks signals and progress.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Result of a computation, and an exception raised meanwhile in the calling thread.
pub(crate) struct TaskOutcome<T> {
    pub(crate) result: T,
    pub(crate) exception: Option<PyErr>,
}

/// Runs `work` on the pool with the interpreter released. Meanwhile the calling thread handles signals and calls
/// `glance`; an exception of either raises `interrupt`, upon which the work must end.
pub(crate) fn run_observed<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send,
    glance: impl Fn(Python<'_>) -> PyResult<()> + Sync,
) -> PyResult<TaskOutcome<T>> {
    let outcome = py.detach(|| {
        let (finished, over) = channel();
        let mut exception = None;
        let result = pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // The receiver lives until the scope ends.
                let _ = finished.send(work());
            });
            loop {
                match over.recv_timeout(POLL_INTERVAL) {
                    Ok(result) => return Some(result),
                    // The work panicked; the scope propagates the panic.
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if exception.is_none() => {
                        let signal =
                            Python::attach(|py| py.check_signals().and_then(|()| glance(py)));
                        if let Err(signal) = signal {
                            interrupt.raise(Cause::Asked);
                            exception = Some(signal);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        });
        result.map(|result| TaskOutcome { result, exception })
    });
    outcome
        .ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result"))
}
