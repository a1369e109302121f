//! Syncing of files to disk, with a counter and a switch.

use std::cell::Cell;
use std::fs::File;
use std::io;

thread_local! {
    static SYNCS: Cell<usize> = const { Cell::new(0) };
    static SYNC_DISABLED: Cell<bool> = const { Cell::new(false) };
}

/// Number of sync calls by this thread. Each takes milliseconds, so tests count them.
pub fn syncs() -> usize {
    SYNCS.get()
}

/// Runs `work` and skips every sync that this thread makes meanwhile.
///
/// For folders that are removed after use, such as temporary ones: a power failure may lose their files. Atomic
/// replacement by renaming is not affected. Other threads sync as usual, so `work` must not share a thread pool with work
/// whose files are to last.
pub fn without_syncs<R>(work: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            SYNC_DISABLED.set(self.0);
        }
    }
    let _restore = Restore(SYNC_DISABLED.replace(true));
    work()
}

/// Makes and counts a sync call, unless syncs are skipped.
pub(crate) fn counted(sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    if SYNC_DISABLED.get() {
        return Ok(());
    }
    SYNCS.set(SYNCS.get() + 1);
    sync()
}

/// Syncs the contents of an open file to disk.
///
/// # Errors
/// If the system refuses.
pub fn sync_contents(file: &File) -> io::Result<()> {
    counted(|| file.sync_data())
}
