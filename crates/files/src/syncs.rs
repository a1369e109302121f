//! Putting files on the disk, and how often that was asked for.

use std::cell::Cell;
use std::fs::File;
use std::io;

thread_local! {
    static SYNCS: Cell<usize> = const { Cell::new(0) };
}

/// How often this thread has asked the system to put something on the disk, and waited for it. Each of these calls takes
/// milliseconds, so that tests count them.
pub fn syncs() -> usize {
    SYNCS.get()
}

pub(crate) fn counted(call: io::Result<()>) -> io::Result<()> {
    SYNCS.set(SYNCS.get() + 1);
    call
}

/// Puts the contents of an open file on the disk.
///
/// # Errors
/// If the system refuses.
pub fn sync_contents(file: &File) -> io::Result<()> {
    counted(file.sync_data())
}
