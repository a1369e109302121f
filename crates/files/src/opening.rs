//! Files by their paths.

use crate::file::check_regular;
use crate::folder::{into_text, read_whole};
use crate::unfinished::Durability;
use crate::{Folder, system};
use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file that a scene or a command line names; follows links.
///
/// # Errors
/// If it is not there or no regular file, or the system refuses.
pub fn open_linked(path: &Path) -> io::Result<File> {
    let file = system::open_nonblocking(path)?;
    check_regular(&file)?;
    Ok(file)
}

/// Opens a file of any kind that the command line names, including pipes.
///
/// # Errors
/// If the system refuses.
pub fn open_given(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads a regular file of at most `max_bytes` bytes; the file itself must not be a link.
///
/// # Errors
/// If it does not exist, is a link, is not a regular file or is longer, or on an I/O error.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let (folder, name) = Folder::parent_of(path)?;
    folder.read(name, max_bytes)
}

/// Reads a regular text file of at most `max_bytes` bytes; the file itself must not be a link.
///
/// # Errors
/// As [`read`], or if it is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    into_text(read(path, max_bytes)?)
}

/// Atomically replaces a file that the command line names by the output of `write`: a full disk leaves the
/// old file unchanged. A pipe or a device is written to directly, also through a link.
///
/// # Errors
/// If `write` fails, or the system refuses.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        // Does not create or truncate, because the pipe may have been removed or replaced by a file.
        let mut stream = File::options().write(true).open(path)?;
        if !stream.metadata()?.is_file() {
            return write(&mut stream);
        }
    }
    let (folder, name) = Folder::parent_of(path)?;
    let mut file = folder.begin(name)?;
    write(&mut file)?;
    file.keep(Durability::Synced).map(drop)
}

/// A virtual file of the system, such as `/proc/meminfo`, if it exists.
pub fn read_virtual_file(path: &Path) -> Option<String> {
    const MAX_BYTES: u64 = 1 << 24;
    read_whole(File::open(path).ok()?.into(), MAX_BYTES).and_then(into_text).ok()
}
