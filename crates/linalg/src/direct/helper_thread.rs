//! Interruptible long factorisations on a helper thread.
//!
//! faer factorises in one call that cannot be interrupted. A long factorisation therefore runs on a helper thread
//! that owns its data, while the caller waits for the result or for an interrupt. After an interrupt the helper's
//! result is dropped when its call returns, or the helper ends with the program. The result is bitwise equal to
//! that of the calling thread.

use super::{Cholesky, DirectError};
use resile_sparse::Block;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Floating-point operations above which a factorisation is long: about a fifth of a second.
pub(super) const MIN_HELPER_THREAD_FLOPS: f64 = 1e9;

/// Interval at which the waiting thread polls the interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Factorises the values of `factor`, a matrix of `rows` block rows.
pub(super) fn factorize<B: Block>(
    factor: &mut Cholesky<B>,
    rows: usize,
) -> Result<(), DirectError> {
    let interrupt = factor.interrupt.clone();
    if interrupt.is_raised() {
        return Err(DirectError::Interrupted);
    }
    let mut owned_factor = std::mem::take(factor);
    factor.interrupt = interrupt.clone();
    let (sender, receiver) = channel();
    let work = move || {
        let outcome = owned_factor.factorize_values(rows);
        // The receiver is gone after an interrupt.
        let _ = sender.send((owned_factor, outcome));
    };
    let spawned = std::thread::Builder::new().name("factorisation".into()).spawn(work);
    // A failure to create a thread indicates lack of memory.
    let thread = spawned.map_err(|_| DirectError::TooLarge { rows })?;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok((owned_factor, outcome)) => {
                *factor = owned_factor;
                return outcome;
            }
            Err(RecvTimeoutError::Timeout) if interrupt.is_raised() => {
                return Err(DirectError::Interrupted);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => unreachable!("a thread that ends has sent its answer"),
            },
        }
    }
}
