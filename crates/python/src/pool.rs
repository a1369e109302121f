//! Thread pools that are safe after `fork`.
//!
//! The global pool of rayon is never used: in a child process created by `fork` its threads do not exist, and waiting
//! for them would never end. Pools are stored in a Python dictionary by process, Python thread and number of threads;
//! only code that holds the interpreter accesses it. A child inherits the entries of its parent, which it neither
//! uses nor drops, and creates its own.

use crate::errors::Failure;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Stack size of a thread (bytes), equal to that of `sim`.
const STACK_SIZE: usize = 8 << 20;
/// Largest number of threads of a pool, more than any machine has processors.
const MAX_THREADS: usize = 1024;

/// Pools by process identifier, Python thread identifier and number of threads.
static POOLS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// A pool that is never dropped.
#[pyclass(frozen)]
struct Pool(&'static ThreadPool);

/// Creates a pool with this number of threads.
pub(crate) fn new(threads: usize) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_SIZE)
        .thread_name(|k| format!("resile-{k}"));
    builder.build().map_err(|error| {
        Failure::argument("threads", threads, format!("the threads could not be started: {error}"))
    })
}

/// The pool of this process and Python thread with this number of threads, created at the first call.
pub(crate) fn get(py: Python<'_>, threads: usize) -> PyResult<&'static ThreadPool> {
    let pools = POOLS.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    let python_thread = py.import("threading")?.call_method0("get_ident")?.extract::<u64>()?;
    let key = (std::process::id(), python_thread, threads);
    if let Some(cached) = pools.get_item(key)? {
        return Ok(cached.cast::<Pool>()?.get().0);
    }
    let pool = Bound::new(py, Pool(Box::leak(Box::new(new(threads)?))))?;
    pools.set_item(key, &pool)?;
    Ok(pool.get().0)
}

/// The requested number of threads, from 1 to [`MAX_THREADS`]; by default that of `resile.default_threads`.
pub(crate) fn threads(py: Python<'_>, requested: Option<usize>) -> PyResult<usize> {
    match requested {
        Some(threads @ 1..=MAX_THREADS) => Ok(threads),
        Some(threads) => {
            let message = format!("the number of threads must be from 1 to {MAX_THREADS}");
            Err(Failure::argument("threads", threads, message).into())
        }
        None => py.import("resile._threads")?.call_method0("default_threads")?.extract(),
    }
}
