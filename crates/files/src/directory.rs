//! An open directory, on disk or in memory.

use crate::memory::MemoryDirectory;
use crate::syncs::count_sync;
use crate::{File, Kind, Refusal, memory, system};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The refusal if `error` occurred because a file is at a path of a directory or on the way to it; otherwise `error`.
fn refused_file(path: &Path, error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotADirectory => Refusal::FileOnPath.into(),
        io::ErrorKind::AlreadyExists if !path.is_dir() => Refusal::FileOnPath.into(),
        _ => error,
    }
}

/// An open directory.
#[derive(Debug)]
pub(crate) enum Directory {
    Disk(system::Directory),
    Memory(Arc<MemoryDirectory>),
}

impl Directory {
    /// Whether file systems can be synced as a whole.
    pub(crate) const SYNCS_FILE_SYSTEM: bool = system::Directory::SYNCS_FILE_SYSTEM;

    /// Opens a directory by its path; follows links.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match memory::resolve(path) {
            Some(directory) => directory.map(Self::Memory),
            None => system::Directory::open(path).map(Self::Disk),
        }
        .map_err(|error| refused_file(path, error))
    }

    /// Creates a directory and its missing parents; follows links.
    pub(crate) fn create_all(path: &Path) -> io::Result<()> {
        match memory::create_all(path) {
            Some(created) => created,
            None => std::fs::create_dir_all(path),
        }
        .map_err(|error| refused_file(path, error))
    }

    /// Opens a subfolder; an error if the name belongs to a link.
    pub(crate) fn open_subfolder(&self, name: &OsStr) -> io::Result<Self> {
        match self {
            Self::Disk(directory) => directory.open_subfolder(name).map(Self::Disk),
            Self::Memory(directory) => directory.open_subfolder(name).map(Self::Memory),
        }
    }

    /// Creates a subfolder; an error if the name is taken.
    pub(crate) fn create_subfolder(&self, name: &OsStr) -> io::Result<()> {
        match self {
            Self::Disk(directory) => directory.create_subfolder(name),
            Self::Memory(directory) => directory.create_subfolder(name),
        }
    }

    /// Locks the directory until it is closed; false if another handle has the lock.
    pub(crate) fn try_lock(&self) -> bool {
        match self {
            Self::Disk(directory) => directory.try_lock(),
            Self::Memory(_) => false,
        }
    }

    /// Opens a file for reading; an error if the name belongs to a link.
    pub(crate) fn open_to_read(&self, name: &OsStr) -> io::Result<File> {
        match self {
            Self::Disk(directory) => directory.open_to_read(name).map(File::from),
            Self::Memory(directory) => directory.open_file(name).map(File::from),
        }
    }

    /// Opens an existing file for appending; an error if the name belongs to a link.
    pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<File> {
        match self {
            Self::Disk(directory) => directory.open_to_append(name).map(File::from),
            Self::Memory(directory) => directory.open_to_append(name).map(File::from),
        }
    }

    /// Creates a file for reading and writing; an error if the name is taken.
    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<File> {
        match self {
            Self::Disk(directory) => directory.create_new(name).map(File::from),
            Self::Memory(directory) => directory.create_new(name).map(File::from),
        }
    }

    /// The kind of the entry `name`; links are not followed.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        match self {
            Self::Disk(directory) => directory.kind(name),
            Self::Memory(directory) => directory.kind(name),
        }
    }

    /// Renames an entry and replaces a file of the new name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match self {
            Self::Disk(directory) => directory.rename(from, to),
            Self::Memory(directory) => directory.rename(from, to),
        }
    }

    /// Removes a file or a link.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        match self {
            Self::Disk(directory) => directory.remove_file(name),
            Self::Memory(directory) => directory.remove_file(name),
        }
    }

    /// Removes an empty subfolder.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        match self {
            Self::Disk(directory) => directory.remove_folder(name),
            Self::Memory(directory) => directory.remove_folder(name),
        }
    }

    /// Names of all entries in any order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        match self {
            Self::Disk(directory) => directory.names(),
            Self::Memory(directory) => Ok(directory.names()),
        }
    }

    /// Syncs the entries of the directory to disk, where the system can.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self {
            Self::Disk(directory) => count_sync(|| directory.sync()),
            Self::Memory(_) => Ok(()),
        }
    }

    /// Syncs the file system of the directory, if the system has such a call.
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        match self {
            Self::Disk(directory) => count_sync(|| directory.sync_file_system()),
            Self::Memory(_) => Ok(()),
        }
    }
}
