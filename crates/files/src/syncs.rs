//! Syncing of files to disk, with a counter.

use std::cell::Cell;
use std::fs::File;
use std::io;

thread_local! {
    static SYNCS: Cell<usize> = const { Cell::new(0) };
}

/// Number of sync calls by this thread. Each takes milliseconds, so tests count them.
pub fn syncs() -> usize {
    SYNCS.get()
}

pub(crate) fn counted(call: io::Result<()>) -> io::Result<()> {
    SYNCS.set(SYNCS.get() + 1);
    call
}

/// Syncs the contents of an open file to disk.
///
/// # Errors
/// If the system refuses.
pub fn sync_contents(file: &File) -> io::Result<()> {
    counted(file.sync_data())
}
