//! A directory handle and the files in it.

use crate::directory::Directory;
use crate::made_folder::discard;
use crate::memory::MemoryDirectory;
use crate::syncs::sync_contents;
use crate::unfinished::{Durability, TEMPORARY, TEMPORARY_EXTENSION, TemporaryFile};
use crate::{File, MemoryFolder, Refusal, TemporaryFolder};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A directory that is opened once. Names in it are single components; links in it are not followed.
#[derive(Debug, Clone)]
pub struct Folder {
    pub(crate) directory: Arc<Directory>,
    path: PathBuf,
    /// Prefix of temporary file names.
    temporary_prefix: &'static str,
}

/// Kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// Its bytes.
        length: u64,
    },
    /// A folder.
    Folder,
    /// A symbolic link, whether its target exists or not.
    Link,
    /// A pipe, a device or a socket.
    Other,
}

impl Folder {
    /// Opens a directory. Links on the way to it are followed.
    ///
    /// # Errors
    /// If it is not there, is no directory, or the system refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        let directory_path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let directory = Arc::new(Directory::open(directory_path)?);
        Ok(Self { directory, path: path.to_owned(), temporary_prefix: TEMPORARY })
    }

    /// The folder of a directory in memory.
    pub(crate) fn in_memory(directory: Arc<MemoryDirectory>) -> Self {
        let directory = Arc::new(Directory::Memory(directory));
        Self { directory, path: MemoryFolder::path().to_owned(), temporary_prefix: TEMPORARY }
    }

    /// Opens a directory that may belong to another user. Links on the way to it are followed, but the directory itself
    /// must not be a link.
    ///
    /// # Errors
    /// If it does not exist, is a link or not a directory, or on an I/O error.
    pub fn open_unlinked(path: &Path) -> io::Result<Self> {
        let (parent, name) = Self::parent_of(path)?;
        parent.folder(name)
    }

    /// Creates a directory and its missing parents, and opens it. Links on the way to it are followed.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        if !path.as_os_str().is_empty() {
            Directory::create_all(path)?;
        }
        Self::open(path)
    }

    /// The directory that holds a file, and the file's name in it. Links on the way to the directory are
    /// followed.
    ///
    /// # Errors
    /// If the path names no file, or the directory cannot be opened.
    pub fn parent_of(file: &Path) -> io::Result<(Self, OsString)> {
        let name = file.file_name().ok_or(Refusal::Name)?.to_owned();
        let parent = file.parent().unwrap_or(Path::new(""));
        Ok((Self::open(parent)?, name))
    }

    /// The same folder with `temporary_prefix` as the prefix of temporary file names.
    #[must_use]
    pub fn with_temporary_prefix(self, temporary_prefix: &'static str) -> Self {
        Self { temporary_prefix, ..self }
    }

    /// Opens the subfolder of this name.
    ///
    /// # Errors
    /// If it is not there, is a link or no folder, or the system refuses.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = single_component(name.as_ref())?;
        let directory =
            self.directory.open_subfolder(name).map_err(|e| self.clarify_error(name, e))?;
        Ok(Self {
            directory: Arc::new(directory),
            path: self.path.join(name),
            temporary_prefix: self.temporary_prefix,
        })
    }

    /// Opens or creates the subfolder of this name.
    ///
    /// # Errors
    /// If the name belongs to a link or something other than a folder, or on an I/O error.
    pub fn create_folder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = single_component(name.as_ref())?;
        match self.directory.create_subfolder(name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.folder(name),
        }
    }

    /// Syncs files and their directory entries to disk. On Linux many files take one call.
    ///
    /// # Errors
    /// If one is not there, or the system refuses.
    pub fn sync(&self, names: &[String]) -> io::Result<()> {
        const MAX_SINGLE_SYNCS: usize = 2;
        if names.len() > MAX_SINGLE_SYNCS && self.directory.sync_file_system().is_ok() {
            return Ok(());
        }
        for name in names {
            sync_contents(&self.open_to_append(name)?)?;
        }
        // Not every system can sync directories.
        let _ = self.directory.sync();
        Ok(())
    }

    /// Syncs everything on the file system of this folder to disk, on Linux. Other systems have no such call; there
    /// it does nothing, and [`with_deferred_syncs`](crate::with_deferred_syncs) skips no sync.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync_file_system(&self) -> io::Result<()> {
        if !Directory::SYNCS_FILE_SYSTEM {
            return Ok(());
        }
        self.directory.sync_file_system()
    }

    /// The path by which it was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of the entry of this name; `None` if the name is free.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn kind(&self, name: impl AsRef<OsStr>) -> io::Result<Option<Kind>> {
        match self.directory.kind(single_component(name.as_ref())?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            kind => kind.map(Some),
        }
    }

    /// Opens a regular file to read it.
    ///
    /// # Errors
    /// If it is not there, is a link or no regular file, or the system refuses.
    pub fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let name = single_component(name.as_ref())?;
        let file = self.directory.open_to_read(name).map_err(|e| self.clarify_error(name, e))?;
        file.require_regular()
    }

    /// Opens an existing regular file for appending.
    ///
    /// # Errors
    /// If it is not there, is a link or no regular file, or the system refuses.
    pub fn open_to_append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let name = single_component(name.as_ref())?;
        let file = self.directory.open_to_append(name).map_err(|e| self.clarify_error(name, e))?;
        file.require_regular()
    }

    /// Opens a regular file for appending; creates it if it does not exist.
    ///
    /// # Errors
    /// If the name belongs to a link or something other than a regular file, or on an I/O error.
    pub fn open_or_create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let name = single_component(name.as_ref())?;
        match self.directory.create_new(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.open_to_append(name),
            created => created,
        }
    }

    /// Reads a regular file of at most `max_bytes` bytes.
    ///
    /// # Errors
    /// As [`open_file`](Self::open_file), or if it is longer.
    pub fn read(&self, name: impl AsRef<OsStr>, max_bytes: u64) -> io::Result<Vec<u8>> {
        read_whole(self.open_file(name)?, max_bytes)
    }

    /// Reads a regular text file of at most `max_bytes` bytes.
    ///
    /// # Errors
    /// As [`read`](Self::read), or if it is not UTF-8.
    pub fn read_text(&self, name: impl AsRef<OsStr>, max_bytes: u64) -> io::Result<String> {
        into_text(self.read(name, max_bytes)?)
    }

    /// Creates a new file under its own name.
    ///
    /// # Errors
    /// If the name is taken, even by a dangling link, or the system refuses.
    pub fn create_new(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.directory.create_new(single_component(name.as_ref())?)
    }

    /// Writes a new file.
    ///
    /// # Errors
    /// As [`create_new`](Self::create_new); an incomplete file is removed.
    pub fn write_new(&self, name: impl AsRef<OsStr>, contents: &[u8]) -> io::Result<()> {
        let result = self.create_new(name.as_ref())?.write_all(contents);
        result.inspect_err(|_| drop(self.remove(name)))
    }

    /// Creates a temporary file; [`keep`](TemporaryFile::keep) gives it its final name.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn begin(&self, name: impl AsRef<OsStr>) -> io::Result<TemporaryFile> {
        let name = single_component(name.as_ref())?.to_owned();
        let (file, temporary) = self.with_random_name(|name| self.create_locked_file(name))?;
        Ok(TemporaryFile::new(self.clone(), file, [temporary, name]))
    }

    /// Creates a temporary folder; [`keep`](TemporaryFolder::keep) gives it its final name.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn begin_folder(&self, name: impl AsRef<OsStr>) -> io::Result<TemporaryFolder> {
        let name = single_component(name.as_ref())?.to_owned();
        let (folder, temporary) = self.with_random_name(|name| self.create_locked_folder(name))?;
        Ok(TemporaryFolder::new(self, folder, [temporary, name]))
    }

    /// Creates or replaces a file atomically: it holds the old contents or the new ones.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(
        &self,
        name: impl AsRef<OsStr>,
        contents: &[u8],
        durability: Durability,
    ) -> io::Result<()> {
        let mut file = self.begin(name)?;
        file.write_all(contents)?;
        file.keep(durability).map(drop)
    }

    /// Removes a file or a link; a missing one is not an error.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        match self.directory.remove_file(single_component(name.as_ref())?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The names of all entries, sorted.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = self.directory.names()?;
        names.sort_unstable();
        Ok(names)
    }

    /// Removes all temporary files with this folder's [prefix](Self::with_temporary_prefix). Only for a folder that no
    /// other process writes to.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sweep(&self) -> io::Result<()> {
        for name in self.temporary_names()? {
            if let Some(Kind::File { .. }) = self.kind(&name)? {
                self.remove(name)?;
            }
        }
        Ok(())
    }

    /// Removes temporary files and folders of killed processes. A process locks its own (`flock`) until it
    /// ends, so those in use stay.
    ///
    /// # Errors
    /// If the names cannot be read. A file that cannot be opened or removed stays.
    pub fn remove_abandoned(&self) -> io::Result<()> {
        for name in self.temporary_names()? {
            match self.kind(&name) {
                Ok(Some(Kind::File { .. })) => {
                    if let Ok(file) = self.open_file(&name)
                        && file.try_lock().is_ok()
                    {
                        let _ = self.remove(&name);
                    }
                }
                Ok(Some(Kind::Folder)) => {
                    if let Ok(folder) = self.folder(&name)
                        && folder.directory.try_lock()
                    {
                        discard(self, &name);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Names of all temporary files and folders with the prefix of this folder.
    fn temporary_names(&self) -> io::Result<Vec<OsString>> {
        let mut names = self.names()?;
        names.retain(|name| {
            let name = name.to_string_lossy();
            name.starts_with(self.temporary_prefix) && name.ends_with(TEMPORARY_EXTENSION)
        });
        Ok(names)
    }

    /// Creates and locks a file of this name. An error `AlreadyExists` if it was removed before it was locked.
    fn create_locked_file(&self, name: &OsStr) -> io::Result<File> {
        let file = self.directory.create_new(name)?;
        // Without locks, only `remove_abandoned` does not work. It may also remove the file before it is locked.
        match file.lock().is_err() || self.kind(name)?.is_some() {
            true => Ok(file),
            false => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Creates and locks a subfolder of this name.
    fn create_locked_folder(&self, name: &OsStr) -> io::Result<Self> {
        self.directory.create_subfolder(name)?;
        let folder = self.folder(name)?;
        let _ = folder.directory.try_lock();
        Ok(folder)
    }

    /// Calls `make` with random temporary names until one is free; returns the result and the name.
    pub(crate) fn with_random_name<T>(
        &self,
        make: impl Fn(&OsStr) -> io::Result<T>,
    ) -> io::Result<(T, OsString)> {
        const MAX_ATTEMPTS: usize = 100;
        let mut attempts = 0;
        loop {
            let random: String = (0..12).map(|_| fastrand::alphanumeric()).collect();
            let name =
                OsString::from(format!("{}{random}{TEMPORARY_EXTENSION}", self.temporary_prefix));
            attempts += 1;
            match make(&name) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempts < MAX_ATTEMPTS => {}
                created => return Ok((created?, name)),
            }
        }
    }

    /// Replaces the system's obscure error for a link or a special file by a [`Refusal`].
    fn clarify_error(&self, name: &OsStr, error: io::Error) -> io::Error {
        match self.directory.kind(name) {
            Ok(Kind::Link) => Refusal::Link.into(),
            Ok(Kind::Other) => Refusal::NotRegular.into(),
            _ => error,
        }
    }
}

/// Accepts a name that is a single path component other than `.` and `..`.
fn single_component(name: &OsStr) -> Result<&OsStr, Refusal> {
    let mut components = Path::new(name).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(component)), None) if component == name => Ok(name),
        _ => Err(Refusal::Name),
    }
}

/// Reads a regular file of at most `max_bytes` bytes, even while it grows.
pub(crate) fn read_whole(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let length = file.length()?;
    if length > max_bytes {
        return Err(Refusal::TooLong { most: max_bytes }.into());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        true => Err(Refusal::TooLong { most: max_bytes }.into()),
        false => Ok(bytes),
    }
}

/// Converts bytes to text; an error if they are not UTF-8.
pub(crate) fn into_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
