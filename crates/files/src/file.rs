//! An open regular file, on disk or in memory.

use crate::Refusal;
use crate::memory::MemoryFile;
use crate::syncs::count_sync;
use std::fs::TryLockError;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// An open regular file of a [`Folder`](crate::Folder), on disk or [in memory](crate::MemoryFolder).
#[derive(Debug)]
pub struct File {
    place: Place,
}

/// The open file, by the place of its contents.
#[derive(Debug)]
enum Place {
    Disk(std::fs::File),
    Memory(MemoryFile),
}

impl File {
    /// Its length (bytes).
    ///
    /// # Errors
    /// If the system refuses.
    pub fn length(&self) -> io::Result<u64> {
        match &self.place {
            Place::Disk(file) => Ok(file.metadata()?.len()),
            Place::Memory(file) => Ok(file.length()),
        }
    }

    /// Shortens the file, or extends it by zeros.
    ///
    /// # Errors
    /// If it is not open for writing, or the system refuses.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        match &self.place {
            Place::Disk(file) => file.set_len(length),
            Place::Memory(file) => file.set_len(length),
        }
    }

    /// Locks the file until it is closed, as [`std::fs::File::try_lock`]. In memory there are no locks, and every call
    /// succeeds.
    ///
    /// # Errors
    /// If another handle has the lock, or the system refuses.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        match &self.place {
            Place::Disk(file) => file.try_lock(),
            Place::Memory(_) => Ok(()),
        }
    }

    /// Another handle of the file, with the same position.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn try_clone(&self) -> io::Result<Self> {
        match &self.place {
            Place::Disk(file) => file.try_clone().map(Self::from),
            Place::Memory(file) => Ok(file.clone().into()),
        }
    }

    /// The file on disk; `None` in memory.
    fn on_disk(&self) -> Option<&std::fs::File> {
        match &self.place {
            Place::Disk(file) => Some(file),
            Place::Memory(_) => None,
        }
    }

    /// The file, if it is a regular one.
    pub(crate) fn require_regular(self) -> io::Result<Self> {
        match self.on_disk() {
            Some(file) => check_regular(file).map(|()| self),
            None => Ok(self),
        }
    }

    /// Locks the file and waits for the lock, as [`std::fs::File::lock`].
    pub(crate) fn lock(&self) -> io::Result<()> {
        self.on_disk().map_or(Ok(()), std::fs::File::lock)
    }

    /// Makes and counts a call that syncs a file to disk; for a file in memory it does nothing.
    pub(crate) fn sync(&self, call: fn(&std::fs::File) -> io::Result<()>) -> io::Result<()> {
        self.on_disk().map_or(Ok(()), |file| count_sync(|| call(file)))
    }
}

/// An error unless an open file is a regular one.
pub(crate) fn check_regular(file: &std::fs::File) -> io::Result<()> {
    match file.metadata()?.is_file() {
        true => Ok(()),
        false => Err(Refusal::NotRegular.into()),
    }
}

impl From<std::fs::File> for File {
    fn from(file: std::fs::File) -> Self {
        Self { place: Place::Disk(file) }
    }
}

impl From<MemoryFile> for File {
    fn from(file: MemoryFile) -> Self {
        Self { place: Place::Memory(file) }
    }
}

impl Read for &File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.place {
            Place::Disk(file) => (&mut &*file).read(buffer),
            Place::Memory(file) => file.read(buffer),
        }
    }
}

impl Write for &File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.place {
            Place::Disk(file) => (&mut &*file).write(bytes),
            Place::Memory(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &self.place {
            Place::Disk(file) => (&mut &*file).flush(),
            Place::Memory(_) => Ok(()),
        }
    }
}

impl Seek for &File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &self.place {
            Place::Disk(file) => (&mut &*file).seek(to),
            Place::Memory(file) => file.seek(to),
        }
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&mut &*self).read(buffer)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&mut &*self).flush()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&mut &*self).seek(to)
    }
}
