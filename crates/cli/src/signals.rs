//! Ctrl-C, and the other signals that ask a program to end.

use crate::stream::note;
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context;
use resile_watch::{Cause, Interrupt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The exit code of a program that a second Ctrl-C ends, as shells have it.
const ENDED_AT_ONCE: i32 = 130;

/// The signals of this program, listened to.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Raised by the first signal.
    pub(crate) interrupt: Interrupt,
    keeps: Arc<AtomicBool>,
}

/// A file that may not grow any more is an error of writing, as a full disk is, and not the end of the
/// program: otherwise nothing is told, and temporary files stay.
pub(crate) fn survive_limits_of_files() {
    #[cfg(unix)]
    {
        let seen = Arc::new(AtomicBool::new(false));
        // Where the signal cannot be listened to, the system ends the program as ever.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
    }
}

impl Signals {
    /// Listens from now on. The first signal raises the interrupt, and until there is something
    /// to [keep](Self::keep) it ends the program when work has had the time `grace` to stop by
    /// itself. A second one ends the program at once.
    pub(crate) fn listen(grace: Duration) -> Result<Self, Failure> {
        let signals = Self { interrupt: Interrupt::new(), keeps: Arc::default() };
        let (interrupt, keeps) = (signals.interrupt.clone(), signals.keeps.clone());
        let handler = move || {
            if interrupt.is_raised() {
                std::process::exit(ENDED_AT_ONCE);
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

    /// Stops when standard input ends, too: with the process that started this one, however that ends.
    pub(crate) fn follow_input(&self) {
        let (interrupt, keeps) = (self.interrupt.clone(), self.keeps.clone());
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            // A signal may have said so already.
            if !interrupt.is_raised() {
                interrupt.raise(Cause::Asked);
                if !keeps.load(Ordering::SeqCst) {
                    std::process::exit(i32::from(NOT_COMPLETE));
                }
            }
        });
    }

    /// From now on there is something to keep: work ends in order, with files that are whole.
    pub(crate) fn keep(&self) {
        self.keeps.store(true, Ordering::SeqCst);
    }
}

/// Says that a program that keeps nothing was interrupted.
pub(crate) fn stopped() {
    note("interrupted; nothing was written");
}
