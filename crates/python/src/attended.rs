//! Work with the interpreter released, while the calling thread handles Ctrl-C.

use pyo3::prelude::*;
use rayon::ThreadPool;
use resile_watch::{Cause, Interrupt};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Interval at which the calling thread checks signals and progress.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Outcome of work that ran while the calling thread handled signals.
pub(crate) struct TaskOutcome<T> {
    /// Result of the work.
    pub(crate) result: T,
    /// Exception that was raised meanwhile in the calling thread.
    pub(crate) exception: Option<PyErr>,
}

/// Runs `work` on the pool with the interpreter released. Meanwhile the calling thread handles signals and calls
/// `report_progress` at intervals. An exception of either raises `interrupt`, upon which the work must end; it is
/// returned with the result.
pub(crate) fn run_observed<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send,
    report_progress: impl Fn(Python<'_>) -> PyResult<()> + Sync,
) -> PyResult<TaskOutcome<T>> {
    let outcome = py.detach(|| {
        let (sender, receiver) = channel();
        let mut exception = None;
        let result = pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // Sending cannot fail: the receiver lives until the scope ends.
                let _ = sender.send(work());
            });
            loop {
                match receiver.recv_timeout(POLL_INTERVAL) {
                    Ok(result) => return Some(result),
                    // The work panicked; the scope propagates the panic.
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if exception.is_none() => {
                        let handled = Python::attach(|py| {
                            py.check_signals().and_then(|()| report_progress(py))
                        });
                        if let Err(raised) = handled {
                            interrupt.raise(Cause::Asked);
                            exception = Some(raised);
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
