//! Directories by path, for systems without directory handles in the standard library.

use crate::{Kind, Refusal};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use DirectoryPath as Directory;

/// An absolute path of a directory.
#[derive(Debug)]
pub(crate) struct DirectoryPath(PathBuf);

impl DirectoryPath {
    /// Whether file systems can be synced as a whole.
    pub(crate) const SYNCS_FILE_SYSTEM: bool = false;

    /// Opens a directory by its path; follows links.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Self(path.canonicalize()?)),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Opens a subfolder; an error if the name belongs to a link.
    pub(crate) fn open_subfolder(&self, name: &OsStr) -> io::Result<Self> {
        match self.kind(name)? {
            Kind::Folder => Ok(Self(self.0.join(name))),
            Kind::Link => Err(Refusal::Link.into()),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Creates a subfolder; an error if the name is taken.
    pub(crate) fn create_subfolder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    /// Directories cannot be locked here, so none is removed as abandoned.
    #[allow(clippy::unused_self)]
    pub(crate) fn try_lock(&self) -> bool {
        false
    }

    pub(crate) fn open_to_read(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.regular_file_path(name)?)
    }

    pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<File> {
        File::options().append(true).open(self.regular_file_path(name)?)
    }

    /// Creates a file for reading and writing; an error if the name is taken.
    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(self.0.join(name))
    }

    /// Path of a regular file of this name; an error for links and other entries.
    fn regular_file_path(&self, name: &OsStr) -> io::Result<PathBuf> {
        match self.kind(name)? {
            Kind::File { .. } => Ok(self.0.join(name)),
            Kind::Link => Err(Refusal::Link.into()),
            _ => Err(Refusal::NotRegular.into()),
        }
    }

    /// The kind of the entry `name`; links are not followed.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        let metadata = fs::symlink_metadata(self.0.join(name))?;
        let kind = metadata.file_type();
        Ok(match () {
            () if kind.is_symlink() => Kind::Link,
            () if kind.is_dir() => Kind::Folder,
            () if kind.is_file() => Kind::File { length: metadata.len() },
            () => Kind::Other,
        })
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Names of all entries in any order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Syncs the entries of the directory to disk, where the system can.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Opens a file to read it; follows links, and does not wait for the writer of a pipe.
pub(crate) fn open_nonblocking(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(Refusal::NotRegular.into()),
    }
}
