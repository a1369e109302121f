//! Directory handles of Unix.

use crate::Kind;
use rustix::fs::{self, AtFlags, FileType, FlockOperation, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Open flags: no controlling terminal, not inherited, no blocking on pipes.
const SAFE_OPEN_FLAGS: OFlags = OFlags::CLOEXEC.union(OFlags::NOCTTY).union(OFlags::NONBLOCK);
/// Open flags of directories.
const FOLDER_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);
/// Mode of new files, before the process's umask.
const FILE_MODE: Mode = Mode::from_bits_retain(0o666);
/// Mode of new folders, before the process's umask.
const FOLDER_MODE: Mode = Mode::from_bits_retain(0o777);

/// An open directory.
#[derive(Debug)]
pub(crate) struct DirectoryHandle(OwnedFd);
pub(crate) use DirectoryHandle as Directory;

impl DirectoryHandle {
    /// Whether file systems can be synced as a whole.
    pub(crate) const SYNCS_FILE_SYSTEM: bool =
        cfg!(any(target_os = "linux", target_os = "android"));

    /// Opens a directory by its path; follows links.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(fs::open(path, FOLDER_FLAGS, Mode::empty())?))
    }

    /// Opens a subfolder; an error if the name belongs to a link.
    pub(crate) fn open_subfolder(&self, name: &OsStr) -> io::Result<Self> {
        let flags = FOLDER_FLAGS.union(OFlags::NOFOLLOW);
        Ok(Self(fs::openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Creates a subfolder; an error if the name is taken.
    pub(crate) fn create_subfolder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, FOLDER_MODE)?)
    }

    /// Locks the directory until it is closed; false if another handle has the lock.
    pub(crate) fn try_lock(&self) -> bool {
        fs::flock(&self.0, FlockOperation::NonBlockingLockExclusive).is_ok()
    }

    /// Opens a file for reading; does not follow links.
    pub(crate) fn open_to_read(&self, name: &OsStr) -> io::Result<File> {
        self.open_file(name, OFlags::RDONLY)
    }

    /// Opens an existing file for appending; does not follow links.
    pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<File> {
        self.open_file(name, OFlags::WRONLY | OFlags::APPEND)
    }

    /// Creates a file for reading and writing; an error if the name is taken.
    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<File> {
        self.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
    }

    /// Opens a file of the directory with the given and the safe flags; does not follow links.
    fn open_file(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        let flags = flags | SAFE_OPEN_FLAGS | OFlags::NOFOLLOW;
        Ok(fs::openat(&self.0, name, flags, FILE_MODE)?.into())
    }

    /// The kind of the entry `name`; links are not followed.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        let metadata = fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(match FileType::from_raw_mode(metadata.st_mode) {
            FileType::RegularFile => {
                Kind::File { length: u64::try_from(metadata.st_size).unwrap_or(0) }
            }
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        })
    }

    /// Renames an entry and replaces a file of the new name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file or a link.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty subfolder.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Names of all entries in any order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// Syncs the entries of the directory to disk, where the system can.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.0)?)
    }

    /// Syncs the file system of the directory, if the system has such a call.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        Ok(fs::syncfs(&self.0)?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Opens a file to read it; follows links, and does not wait for the writer of a pipe.
pub(crate) fn open_nonblocking(path: &Path) -> io::Result<File> {
    Ok(fs::open(path, OFlags::RDONLY | SAFE_OPEN_FLAGS, Mode::empty())?.into())
}
