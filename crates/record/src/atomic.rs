//! Files that are there whole or not at all.

use super::{OutputError, io};
use resile_files::{Durability, Folder, Unfinished};
use std::ffi::OsString;
use std::path::Path;

/// How names of temporary files of runs begin: those that a killed run left are removed when the folder is
/// opened again, those of exports that go on are not.
const MARK: &str = ".run-";

/// No summary, no list and no `run.json` is nearly as long.
pub(crate) const LONGEST_NOTE: u64 = 64 << 20;
/// Tables and copies of meshes are as long as runs and artists make them.
pub(crate) const ANY_LENGTH: u64 = u64::MAX;

/// The folder, with temporary files that are told to be a run's.
pub(crate) fn of_a_run(folder: Folder) -> Folder {
    folder.marking(MARK)
}

/// The folder around a file, and the file's name.
fn around(path: &Path) -> std::io::Result<(Folder, OsString)> {
    let (folder, name) = Folder::around(path)?;
    Ok((of_a_run(folder), name))
}

/// Begins a file that takes its name when it is kept.
pub(crate) fn begin(path: &Path) -> Result<Unfinished, OutputError> {
    let begun = around(path).and_then(|(folder, name)| folder.begin(name));
    begun.map_err(io("create", path))
}

/// Replaces a file in one step: a reader, even after a loss of power, finds
/// the old contents or the new ones. A link is replaced, not followed.
///
/// # Errors
/// If the system refuses.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let written =
        around(path).and_then(|(folder, name)| folder.write(name, contents, Durability::Synced));
    written.map_err(io("write", path))
}
