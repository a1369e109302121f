//! Files that are there whole or not at all.

use super::{OutputError, io};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the name of a file that is not whole yet ends with.
pub(crate) const UNFINISHED: &str = ".tmp";

/// Where a file is written before it takes the place of the old one.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Replaces a file in one step: whoever reads it, even after a loss of power, finds
/// the old contents or the new ones.
///
/// # Errors
/// If the system refuses.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let temporary = unfinished(path);
    let mut file = File::create(&temporary).map_err(io("create", &temporary))?;
    file.write_all(contents).map_err(io("write", &temporary))?;
    file.sync_all().map_err(io("write", &temporary))?;
    fs::rename(&temporary, path).map_err(io("write", path))?;
    // Without this the new name may be lost with the power. Not every system lets
    // folders be opened, and the file itself is safe already.
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}
