//! Long factorisations, on a thread of their own.
//!
//! The library underneath factorises in one call that nothing ends early. So where that takes
//! long, another thread makes the call, with everything it needs, and this one waits for the answer
//! or for an interruption, after which no caller waits for that thread: it drops what it
//! has when the call is over, or ends with the program. It computes what this one would have.

use super::{Cholesky, DirectError};
use crate::Block;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Operations from which on a factorisation is long: about a fifth of a second.
pub(super) const LONG: f64 = 1e9;

/// Interval at which the waiting thread polls the interrupt.
const LOOK: Duration = Duration::from_millis(20);

/// Factorises the values of `own`, a matrix of so many block rows.
pub(super) fn factorize<B: Block>(own: &mut Cholesky<B>, rows: usize) -> Result<(), DirectError> {
    let interrupt = own.interrupt.clone();
    if interrupt.is_raised() {
        return Err(DirectError::Interrupted);
    }
    let mut moved = std::mem::take(own);
    own.interrupt = interrupt.clone();
    let (sender, receiver) = channel();
    let work = move || {
        let outcome = moved.factorize_values(rows);
        // No caller waits after an interruption.
        let _ = sender.send((moved, outcome));
    };
    let spawned = std::thread::Builder::new().name("factorisation".into()).spawn(work);
    // A system that has no thread left has no memory left either.
    let thread = spawned.map_err(|_| DirectError::TooLarge { rows })?;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok((moved, outcome)) => {
                *own = moved;
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
