//! Atomic replacement of files.

use super::{OutputError, io};
use resile_files::{Durability, Folder, TemporaryFile};
use std::ffi::OsString;
use std::path::Path;

/// Prefix of temporary files of runs. Opening a run folder removes those of killed runs, but not the
/// temporary files of running exports.
const TEMPORARY_PREFIX: &str = ".run-";

/// Maximum length (bytes) of summaries, lists and `run.json`.
pub(crate) const MAX_NOTE_BYTES: u64 = 64 << 20;
/// The limit for tables and copies of meshes, which may have any length.
pub(crate) const NO_LIMIT: u64 = u64::MAX;

/// The folder with the prefix of temporary files that mark those of runs.
pub(crate) fn with_run_prefix(folder: Folder) -> Folder {
    folder.with_temporary_prefix(TEMPORARY_PREFIX)
}

/// The folder of a file, and the name of the file in it.
fn parent_and_name(path: &Path) -> std::io::Result<(Folder, OsString)> {
    let (folder, name) = Folder::parent_of(path)?;
    Ok((with_run_prefix(folder), name))
}

/// Begins a temporary file, which is renamed to `path` when it is kept.
pub(crate) fn begin(path: &Path) -> Result<TemporaryFile, OutputError> {
    let pending = parent_and_name(path).and_then(|(folder, name)| folder.begin(name));
    pending.map_err(io("create", path))
}

/// Replaces a file atomically: readers find the old contents or the new ones, even after a power
/// failure. A symbolic link is replaced, not followed.
///
/// # Errors
/// If the system refuses.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let write_result = parent_and_name(path)
        .and_then(|(folder, name)| folder.write(name, contents, Durability::Synced));
    write_result.map_err(io("write", path))
}
