//! A file that is not whole yet.

use crate::Folder;
use crate::syncs::counted;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// How names of temporary files begin.
pub(crate) const TEMPORARY: &str = ".sim-";
/// How they end.
pub const TEMPORARY_ENDING: &str = ".tmp";

/// What is certain when a file has its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The system has it; a loss of power may take it.
    Written,
    /// It is on the disk under its name.
    Synced,
}

/// A file under a random name. It takes its own when it is kept, and is removed if it is not.
#[derive(Debug)]
pub struct Unfinished {
    folder: Folder,
    /// There until it is kept.
    file: Option<File>,
    /// The one that it has and the one that it gets.
    names: [OsString; 2],
}

impl Unfinished {
    pub(crate) fn new(folder: Folder, file: File, names: [OsString; 2]) -> Self {
        Self { folder, file: Some(file), names }
    }

    /// The file.
    ///
    /// # Panics
    /// Never: it is there until it is kept.
    pub fn file(&self) -> &File {
        self.file.as_ref().expect("it is there until it is kept")
    }

    /// Gives it its name, in place of what has it, and returns it, to be written on.
    ///
    /// # Errors
    /// If the system refuses; then the file is removed.
    pub fn keep(mut self, durability: Durability) -> io::Result<File> {
        let synced = durability == Durability::Synced;
        if synced {
            counted(self.file().sync_all())?;
        }
        let [temporary, name] = &self.names;
        self.folder.directory.rename(temporary, name)?;
        if synced {
            // Without this the new name may be lost with the power. Not every system lets folders be
            // synced, and the file itself is safe already.
            let _ = counted(self.folder.directory.sync());
        }
        Ok(self.file.take().expect("it is there until it is kept"))
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for Unfinished {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = self.folder.remove(&self.names[0]);
        }
    }
}
