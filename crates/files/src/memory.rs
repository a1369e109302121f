//! Folders that are held in memory.

use crate::{Folder, Kind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, SeekFrom};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The path of the mounted folder. No file system has such a name, because it contains a NUL byte.
const ROOT: &str = "\0memory";

thread_local! {
    /// The directory of the folder that this thread has mounted.
    static MOUNTED: RefCell<Option<Arc<MemoryDirectory>>> = const { RefCell::new(None) };
}

/// A folder that is held in memory, with files and subfolders. Clones share its contents.
///
/// [`mounted`](Self::mounted) gives it a path, under which this crate finds it. Files in it have neither links, locks
/// nor syncs, and last as long as the folder.
///
/// ```
/// use resile_files::{MemoryFolder, read_text};
/// let memory = MemoryFolder::new();
/// memory.folder().write_new("note", b"held in memory")?;
/// let text = memory.mounted(|| read_text(&MemoryFolder::path().join("note"), 100))?;
/// assert_eq!((text.as_str(), memory.bytes()), ("held in memory", 14));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryFolder {
    root: Arc<MemoryDirectory>,
}

impl MemoryFolder {
    /// An empty folder.
    pub fn new() -> Self {
        Self::default()
    }

    /// The path of the folder during [`mounted`](Self::mounted).
    pub fn path() -> &'static Path {
        Path::new(ROOT)
    }

    /// The folder, to read and write its files.
    pub fn folder(&self) -> Folder {
        Folder::in_memory(Arc::clone(&self.root))
    }

    /// Runs `work`, during which this thread finds the folder at [`path`](Self::path). Other threads do not: `work`
    /// must not open files on them.
    pub fn mounted<R>(&self, work: impl FnOnce() -> R) -> R {
        struct RestoreMount(Option<Arc<MemoryDirectory>>);
        impl Drop for RestoreMount {
            fn drop(&mut self) {
                MOUNTED.replace(self.0.take());
            }
        }
        let _restore = RestoreMount(MOUNTED.replace(Some(Arc::clone(&self.root))));
        work()
    }

    /// Total length of the files (bytes), those in subfolders included.
    pub fn bytes(&self) -> u64 {
        self.root.bytes()
    }
}

/// The directory of a path below [`MemoryFolder::path`]; `None` for all other paths.
pub(crate) fn resolve(path: &Path) -> Option<io::Result<Arc<MemoryDirectory>>> {
    walk(path, MemoryDirectory::open_subfolder)
}

/// Creates the directory of a path below [`MemoryFolder::path`] with its parents; `None` for all other paths.
pub(crate) fn create_all(path: &Path) -> Option<io::Result<()>> {
    let open_or_create = |directory: &MemoryDirectory, name: &OsStr| {
        let _ = directory.create_subfolder(name);
        directory.open_subfolder(name)
    };
    Some(walk(path, open_or_create)?.map(drop))
}

/// Follows a path below [`MemoryFolder::path`] from the mounted folder, by `open` with each directory and the next
/// name; `None` for all other paths.
fn walk(
    path: &Path,
    open: impl Fn(&MemoryDirectory, &OsStr) -> io::Result<Arc<MemoryDirectory>>,
) -> Option<io::Result<Arc<MemoryDirectory>>> {
    let relative_path = path.strip_prefix(ROOT).ok()?;
    let root = MOUNTED.with_borrow(Clone::clone).ok_or(io::ErrorKind::NotFound.into());
    Some(root.and_then(|root| {
        relative_path.components().try_fold(root, |directory, component| match component {
            Component::Normal(name) => open(&directory, name),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        })
    }))
}

/// Contents of a file.
type Contents = Arc<Mutex<Vec<u8>>>;

/// An entry of a directory.
#[derive(Debug)]
enum Entry {
    File(Contents),
    Folder(Arc<MemoryDirectory>),
}

/// A directory in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryDirectory {
    entries: Mutex<BTreeMap<OsString, Entry>>,
}

impl MemoryDirectory {
    /// The locked entries by name.
    fn entries(&self) -> MutexGuard<'_, BTreeMap<OsString, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The subfolder of this name.
    pub(crate) fn open_subfolder(&self, name: &OsStr) -> io::Result<Arc<Self>> {
        match self.entries().get(name) {
            Some(Entry::Folder(folder)) => Ok(Arc::clone(folder)),
            Some(Entry::File(_)) => Err(io::ErrorKind::NotADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Adds an entry; an error if the name is taken.
    fn add(&self, name: &OsStr, entry: Entry) -> io::Result<()> {
        let mut entries = self.entries();
        if entries.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        entries.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Creates a subfolder; an error if the name is taken.
    pub(crate) fn create_subfolder(&self, name: &OsStr) -> io::Result<()> {
        self.add(name, Entry::Folder(Arc::default()))
    }

    /// Creates a file for reading and writing; an error if the name is taken.
    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<MemoryFile> {
        let contents = Contents::default();
        self.add(name, Entry::File(Arc::clone(&contents)))?;
        Ok(MemoryFile::new(contents, Access::Full))
    }

    /// The contents of the file of this name.
    fn contents(&self, name: &OsStr) -> io::Result<Contents> {
        match self.entries().get(name) {
            Some(Entry::File(contents)) => Ok(Arc::clone(contents)),
            Some(Entry::Folder(_)) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Opens a file for reading.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<MemoryFile> {
        Ok(MemoryFile::new(self.contents(name)?, Access::Read))
    }

    /// Opens an existing file for appending.
    pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<MemoryFile> {
        Ok(MemoryFile::new(self.contents(name)?, Access::Append))
    }

    /// The kind of the entry of this name.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        match self.entries().get(name) {
            Some(Entry::File(contents)) => Ok(Kind::File { length: length(contents) }),
            Some(Entry::Folder(_)) => Ok(Kind::Folder),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Renames an entry and replaces a file of the new name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let mut entries = self.entries();
        if from != to && matches!(entries.get(to), Some(Entry::Folder(_))) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let entry = entries.remove(from).ok_or(io::ErrorKind::NotFound)?;
        entries.insert(to.to_owned(), entry);
        Ok(())
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let mut entries = self.entries();
        match entries.get(name) {
            Some(Entry::File(_)) => drop(entries.remove(name)),
            Some(Entry::Folder(_)) => return Err(io::ErrorKind::IsADirectory.into()),
            None => return Err(io::ErrorKind::NotFound.into()),
        }
        Ok(())
    }

    /// Removes an empty subfolder.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        let folder = self.open_subfolder(name)?;
        if !folder.entries().is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        self.entries().remove(name);
        Ok(())
    }

    /// Names of all entries.
    pub(crate) fn names(&self) -> Vec<OsString> {
        self.entries().keys().cloned().collect()
    }

    /// Total length of the files (bytes), those in subfolders included.
    fn bytes(&self) -> u64 {
        let bytes_of = |entry: &Entry| match entry {
            Entry::File(contents) => length(contents),
            Entry::Folder(folder) => folder.bytes(),
        };
        self.entries().values().map(bytes_of).sum()
    }
}

/// The locked contents of a file.
fn locked(contents: &Contents) -> MutexGuard<'_, Vec<u8>> {
    contents.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Length of the contents (bytes).
fn length(contents: &Contents) -> u64 {
    locked(contents).len() as u64
}

/// What a file is open for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Append,
    Full,
}

/// An open file in memory. Clones share its position.
#[derive(Debug, Clone)]
pub(crate) struct MemoryFile {
    contents: Contents,
    /// Index of the next byte to read or write.
    position: Arc<AtomicU64>,
    access: Access,
}

impl MemoryFile {
    /// A file that is open at its start.
    fn new(contents: Contents, access: Access) -> Self {
        Self { contents, position: Arc::default(), access }
    }

    /// Length of the file (bytes).
    pub(crate) fn length(&self) -> u64 {
        length(&self.contents)
    }

    /// Shortens the file, or extends it by zeros, to a length (bytes).
    pub(crate) fn set_len(&self, length: u64) -> io::Result<()> {
        self.require_access(Access::Read)?;
        resize(&mut locked(&self.contents), length)
    }

    /// An error if the file is open for nothing but `insufficient`.
    fn require_access(&self, insufficient: Access) -> io::Result<()> {
        match self.access == insufficient {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(()),
        }
    }

    /// Index of the next byte to read or write.
    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// Reads bytes from the position on, which it advances; returns their number.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.require_access(Access::Append)?;
        let contents = locked(&self.contents);
        let start = usize::try_from(self.position()).unwrap_or(usize::MAX).min(contents.len());
        let count = buffer.len().min(contents.len() - start);
        buffer[..count].copy_from_slice(&contents[start..start + count]);
        self.position.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    /// Writes bytes at the position, or at the end of a file that is open for appending, and advances the position.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.require_access(Access::Read)?;
        let mut contents = locked(&self.contents);
        if self.access == Access::Append {
            self.position.store(contents.len() as u64, Ordering::Relaxed);
        }
        let end = self.position() + bytes.len() as u64;
        if end > contents.len() as u64 {
            resize(&mut contents, end)?;
        }
        contents[end as usize - bytes.len()..end as usize].copy_from_slice(bytes);
        self.position.store(end, Ordering::Relaxed);
        Ok(bytes.len())
    }

    /// Sets the position, and returns it.
    pub(crate) fn seek(&self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length().checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position().checked_add_signed(offset),
        };
        let position = position.ok_or(io::ErrorKind::InvalidInput)?;
        self.position.store(position, Ordering::Relaxed);
        Ok(position)
    }
}

/// Shortens a file, or extends it by zeros, to a length (bytes).
fn resize(contents: &mut Vec<u8>, length: u64) -> io::Result<()> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    contents.try_reserve(length.saturating_sub(contents.len())).map_err(io::Error::from)?;
    contents.resize(length, 0);
    Ok(())
}
