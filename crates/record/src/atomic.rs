//! Files that are there whole or not at all.

use super::{OutputError, io};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Replaces a file in one step: whoever reads it, even after a loss of power, finds
/// the old contents or the new ones.
///
/// # Errors
/// If the system refuses.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
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
