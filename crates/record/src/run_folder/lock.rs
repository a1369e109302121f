//! The locked folder of a run, before anything in it is changed.

use super::contents::{CHECKPOINT, FRAMES, LOCK, is_taken};
use super::{Existing, RunFolder};
use crate::atomic::with_run_prefix;
use crate::{OutputError, io};
use resile_files::{File, Folder, Kind};
use std::fs::TryLockError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder of a run that this process may write. No other process can lock it until it is dropped. Apart from the
/// file of the lock, nothing in it was changed.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    folder: Folder,
    lock: File,
}

impl RunLock {
    /// Locks the folder of a run at a path of the user; creates it if necessary. Links are followed.
    ///
    /// # Errors
    /// If another process writes to the folder, or the system refuses.
    pub fn at(path: impl Into<PathBuf>) -> Result<Self, OutputError> {
        let path = path.into();
        let folder = Folder::create(&path).map_err(io("create", &path))?;
        Self::of(path, folder)
    }

    /// Locks the folder of a run with this name in another folder; creates it if necessary. It must not be a link.
    /// For names that the program
    /// chooses: the other folder may have another owner.
    ///
    /// # Errors
    /// If the name is that of a link, if another process writes to the folder, or if the system refuses.
    pub fn within(parent: &Folder, name: &str) -> Result<Self, OutputError> {
        let path = parent.path().join(name);
        let folder = parent.create_folder(name).map_err(io("create", &path))?;
        Self::of(path, folder)
    }

    /// Locks an open folder; the system releases the lock when the process ends in any way.
    fn of(path: PathBuf, folder: Folder) -> Result<Self, OutputError> {
        let folder = with_run_prefix(folder);
        let lock_path = path.join(LOCK);
        let lock = folder.open_or_create(LOCK).map_err(io("create", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OutputError::Busy { folder: path }),
            // File systems without locks are accepted.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(io("lock", &lock_path)(error)),
        }
        Ok(Self { path, folder, lock })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the folder can be [opened](Self::open); changes nothing.
    ///
    /// # Errors
    /// If there is a run and `existing` refuses it, if the run to resume has no checkpoint, or if files have the names
    /// of run files but are not those of a run.
    pub fn check(&self, existing: Existing) -> Result<(), OutputError> {
        let folder = || self.path.clone();
        match existing {
            Existing::Refuse if is_taken(&self.folder) => {
                Err(OutputError::Exists { folder: folder() })
            }
            Existing::Resume if is_taken(&self.folder) && !self.has_checkpoint() => {
                Err(OutputError::NothingToResume { folder: folder() })
            }
            Existing::Replace => self.check_replaceable(&self.folder),
            Existing::Refuse | Existing::Resume => Ok(()),
        }
    }

    /// Whether the folder has a checkpoint.
    fn has_checkpoint(&self) -> bool {
        let kind = self.folder.kind(CHECKPOINT);
        matches!(kind, Ok(Some(Kind::File { .. } | Kind::Link | Kind::Other)))
    }

    /// Prepares the folder for writing. `Replace` removes only the files that a run writes and
    /// [those derived from it](super::MADE_FROM_RUNS), and only from a folder that holds a run.
    ///
    /// # Errors
    /// As [`check`](Self::check), or if the system refuses.
    pub fn open(self, existing: Existing) -> Result<RunFolder, OutputError> {
        self.check(existing)?;
        if existing == Existing::Replace {
            self.clear(&self.folder)?;
        }
        let frames_path = self.path.join(FRAMES);
        let frames = self.folder.create_folder(FRAMES).map_err(io("create", &frames_path))?;
        self.folder.sweep().map_err(io("read", &self.path))?;
        frames.sweep().map_err(io("read", &frames_path))?;
        Ok(RunFolder { path: self.path, _lock: Some(self.lock) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn link_in_place_of_a_named_run_is_refused_and_its_target_untouched() {
        let [outer, elsewhere] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        std::os::unix::fs::symlink(elsewhere.path(), outer.path().join("run")).expect("a link");
        let parent = Folder::open(outer.path()).expect("it is there");
        let refused = RunLock::within(&parent, "run").expect_err("it is a link").to_string();
        assert!(refused.contains("it is a link"), "{refused}");
        assert_eq!(fs::read_dir(elsewhere.path()).expect("it is there").count(), 0);
        // The path of a user may be a link.
        RunLock::at(outer.path().join("run")).expect("its target is free");
    }

    #[test]
    fn check_refuses_what_open_refuses_and_removes_nothing() {
        let outer = tempfile::tempdir().expect("a folder");
        let history = outer.path().join("history.csv");
        let lock = RunLock::at(outer.path()).expect("it is free");
        let busy = RunLock::at(outer.path()).expect_err("it is locked");
        assert!(matches!(busy, OutputError::Busy { .. }), "{busy}");
        fs::write(&history, "a file of the user").expect("it can be written");
        let refused = lock.check(Existing::Replace).expect_err("it is no run");
        assert!(matches!(refused, OutputError::NotARun { .. }), "{refused}");
        fs::write(&history, "step,time,h,kinetic,potential\n").expect("it can be written");
        lock.check(Existing::Replace).expect("it is a run");
        let refused = lock.check(Existing::Resume).expect_err("it has no checkpoint");
        assert!(matches!(refused, OutputError::NothingToResume { .. }), "{refused}");
        assert!(history.exists());
        lock.open(Existing::Replace).expect("it is a run");
        assert!(!history.exists());
    }
}
