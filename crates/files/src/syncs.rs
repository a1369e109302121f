//! Syncing of files to disk, with a counter and a switch.

use crate::directory::Directory;
use crate::{File, Folder};
use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

thread_local! {
    /// Number of sync calls.
    static SYNCS: Cell<usize> = const { Cell::new(0) };
    static MODE: RefCell<Mode> = const { RefCell::new(Mode::Sync) };
}

/// Treatment of sync calls by a thread.
#[derive(Debug, Clone)]
enum Mode {
    Sync,
    /// Skips syncs until this time, and then syncs the file system of the directory.
    Defer(Instant, Arc<Directory>),
}

/// Number of sync calls by this thread. Each takes milliseconds, so tests count them.
pub fn syncs() -> usize {
    SYNCS.get()
}

/// Runs `work` and skips the syncs that this thread makes within `delay`. The first later one syncs the file system of
/// `folder`, and all others are made as usual. Where file systems cannot be synced as a whole, no sync is skipped.
///
/// For many short runs: the caller syncs their files together by [`Folder::sync_file_system`]. Until then a power
/// failure may lose what was written. Other threads sync as usual, so `work` must not share a thread pool with other
/// work.
pub fn with_deferred_syncs<R>(folder: &Folder, delay: Duration, work: impl FnOnce() -> R) -> R {
    let end = Instant::now().checked_add(delay).filter(|_| Directory::SYNCS_FILE_SYSTEM);
    match end {
        Some(end) => in_mode(Mode::Defer(end, Arc::clone(&folder.directory)), work),
        None => work(),
    }
}

/// Runs `work` in a mode of syncing, and restores the previous mode of the thread, even after a panic.
fn in_mode<R>(mode: Mode, work: impl FnOnce() -> R) -> R {
    struct Restore(Mode);
    impl Drop for Restore {
        fn drop(&mut self) {
            MODE.replace(std::mem::replace(&mut self.0, Mode::Sync));
        }
    }
    let _restore = Restore(MODE.replace(mode));
    work()
}

/// Makes and counts a sync call, or skips it, according to the mode of the thread.
pub(crate) fn count_sync(sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let mode = MODE.with_borrow(Clone::clone);
    match mode {
        Mode::Sync => {
            SYNCS.set(SYNCS.get() + 1);
            sync()
        }
        Mode::Defer(end, _) if Instant::now() < end => Ok(()),
        Mode::Defer(_, directory) => {
            MODE.set(Mode::Sync);
            directory.sync_file_system()
        }
    }
}

/// Syncs the contents of an open file to disk.
///
/// # Errors
/// If the system refuses.
pub fn sync_contents(file: &File) -> io::Result<()> {
    file.sync(std::fs::File::sync_data)
}
