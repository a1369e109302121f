//! A temporary file under construction.

use crate::{File, Folder};
use std::ffi::OsString;
use std::io::{self, Seek, SeekFrom, Write};

/// Default prefix of temporary file names.
pub(crate) const TEMPORARY: &str = ".sim-";
/// Extension of temporary files.
pub const TEMPORARY_EXTENSION: &str = ".tmp";

/// Durability of a file when it gets its final name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Written to the system; a power failure may lose it.
    Written,
    /// Synced to disk under its name.
    Synced,
}

/// A file under a random name. [`keep`](Self::keep) gives it its final name; otherwise it is removed.
#[derive(Debug)]
pub struct TemporaryFile {
    folder: Folder,
    /// `Some` until it is kept.
    file: Option<File>,
    /// The temporary and the final name.
    names: [OsString; 2],
}

impl TemporaryFile {
    /// A file in `folder` with its temporary and its final name.
    pub(crate) fn new(folder: Folder, file: File, names: [OsString; 2]) -> Self {
        Self { folder, file: Some(file), names }
    }

    /// The file.
    ///
    /// # Panics
    /// Never: the file exists until it is kept.
    pub fn file(&self) -> &File {
        self.file.as_ref().expect("it is there until it is kept")
    }

    /// Gives the file its final name, replacing an existing file, and returns it for further writing.
    ///
    /// # Errors
    /// If the system refuses; then the file is removed.
    pub fn keep(mut self, durability: Durability) -> io::Result<File> {
        let must_sync = durability == Durability::Synced;
        if must_sync {
            self.file().sync(std::fs::File::sync_all)?;
        }
        let [temporary, name] = &self.names;
        self.folder.directory.rename(temporary, name)?;
        if must_sync {
            // Without this a power failure may lose the new name. Not every system can sync
            // directories, and the contents are safe already.
            let _ = self.folder.directory.sync();
        }
        Ok(self.file.take().expect("it is there until it is kept"))
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let [temporary, _] = &self.names;
            let _ = self.folder.remove(temporary);
        }
    }
}
