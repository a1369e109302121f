//! Ctrl-C and other termination signals.

use crate::stream::note;
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context;
use resile_watch::{Cause, Interrupt};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code after a second Ctrl-C: 128 plus the number of SIGINT, as in shells.
const INTERRUPTED_EXIT_CODE: i32 = 130;

/// The signal handlers of this program.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Raised by the first signal.
    pub(crate) interrupt: Interrupt,
    /// Whether the first signal leaves the program running.
    is_deferred: Arc<AtomicBool>,
}

/// Turns the signal for an exceeded file size limit into a write error, so that it is reported and temporary
/// files are removed.
pub(crate) fn ignore_file_size_signal() {
    #[cfg(unix)]
    {
        let flag = Arc::new(AtomicBool::new(false));
        // Without a handler the system terminates the program as usual.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag);
    }
}

impl Signals {
    /// Installs the handlers. The first signal raises the interrupt. Until
    /// [`defer_termination`](Self::defer_termination) is called, it also terminates the program after `grace`. A second
    /// signal terminates the program at once.
    pub(crate) fn listen(grace: Duration) -> Result<Self, Failure> {
        let signals = Self { interrupt: Interrupt::new(), is_deferred: Arc::default() };
        let (interrupt, is_deferred) = (signals.interrupt.clone(), signals.is_deferred.clone());
        let handler = move || {
            if interrupt.is_raised() {
                std::process::exit(INTERRUPTED_EXIT_CODE);
            }
            interrupt.raise(Cause::Asked);
            if !is_deferred.load(Ordering::SeqCst) {
                std::thread::sleep(grace);
                if !is_deferred.load(Ordering::SeqCst) {
                    note_nothing_written();
                    std::process::exit(i32::from(NOT_COMPLETE));
                }
            }
        };
        ctrlc::set_handler(handler).context("the handler of Ctrl-C cannot be installed")?;
        Ok(signals)
    }

    /// Also raises the interrupt when standard input ends, which happens when the parent process ends.
    pub(crate) fn raise_at_end_of_input(&self) {
        let (interrupt, is_deferred) = (self.interrupt.clone(), self.is_deferred.clone());
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            // A signal may have raised the interrupt already.
            if !interrupt.is_raised() {
                interrupt.raise(Cause::Asked);
                if !is_deferred.load(Ordering::SeqCst) {
                    std::process::exit(i32::from(NOT_COMPLETE));
                }
            }
        });
    }

    /// From now on the first signal does not terminate the program: the command must complete its files and end by
    /// itself.
    pub(crate) fn defer_termination(&self) {
        self.is_deferred.store(true, Ordering::SeqCst);
    }

    /// Breaks a computation that polls it, once the interrupt is raised.
    pub(crate) fn poll(&self) -> ControlFlow<()> {
        if self.interrupt.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Reports an interruption before which nothing was written.
pub(crate) fn note_nothing_written() {
    note("interrupted; nothing was written");
}
