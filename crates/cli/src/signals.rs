//! Ctrl-C and other termination signals.

use crate::stream::note;
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context;
use resile_watch::{Cause, Interrupt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code after a second Ctrl-C, as usual in shells.
const INTERRUPTED_EXIT_CODE: i32 = 130;

/// The signal handlers of this program.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Raised by the first signal.
    pub(crate) interrupt: Interrupt,
    keeps: Arc<AtomicBool>,
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
    /// Installs the handlers. The first signal raises the interrupt. Until [`keep`](Self::keep) is called, it also
    /// terminates the program after `grace`. A second signal terminates the program at once.
    pub(crate) fn listen(grace: Duration) -> Result<Self, Failure> {
        let signals = Self { interrupt: Interrupt::new(), keeps: Arc::default() };
        let (interrupt, keeps) = (signals.interrupt.clone(), signals.keeps.clone());
        let handler = move || {
            if interrupt.is_raised() {
                std::process::exit(INTERRUPTED_EXIT_CODE);
            }
            interrupt.raise(Cause::Asked);
            if !keeps.load(Ordering::SeqCst) {
                std::thread::sleep(grace);
                if !keeps.load(Ordering::SeqCst) {
                    stopped();
                    std::process::exit(i32::from(NOT_COMPLETE));
                }
            }
        };
        ctrlc::set_handler(handler).context("the handler of Ctrl-C cannot be installed")?;
        Ok(signals)
    }

    /// Also raises the interrupt when standard input ends, that is, with the parent process.
    pub(crate) fn follow_input(&self) {
        let (interrupt, keeps) = (self.interrupt.clone(), self.keeps.clone());
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            // A signal may have raised it already.
            if !interrupt.is_raised() {
                interrupt.raise(Cause::Asked);
                if !keeps.load(Ordering::SeqCst) {
                    std::process::exit(i32::from(NOT_COMPLETE));
                }
            }
        });
    }

    /// From now on there are files to complete, so the program is not terminated by the first signal.
    pub(crate) fn keep(&self) {
        self.keeps.store(true, Ordering::SeqCst);
    }
}

/// Reports an interruption without output.
pub(crate) fn stopped() {
    note("interrupted; nothing was written");
}
