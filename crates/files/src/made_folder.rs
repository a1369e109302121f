//! A temporary folder under construction.

use crate::Folder;
use std::ffi::{OsStr, OsString};
use std::io;

/// A folder under a random name. [`keep`](Self::keep) gives it its final name; otherwise it is removed with its
/// files.
#[derive(Debug)]
pub struct TemporaryFolder {
    /// The folder that contains it.
    parent: Folder,
    folder: Folder,
    /// The temporary and the final name.
    names: [OsString; 2],
    is_kept: bool,
}

impl TemporaryFolder {
    /// A folder in `parent` with its temporary and its final name.
    pub(crate) fn new(parent: &Folder, folder: Folder, names: [OsString; 2]) -> Self {
        Self { parent: parent.clone(), folder, names, is_kept: false }
    }

    /// The folder, for creating files.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Gives the folder its final name. An existing folder of that name is removed with its files.
    ///
    /// # Errors
    /// If the system refuses; then the old folder stays.
    pub fn keep(mut self) -> io::Result<()> {
        let [temporary, name] = &self.names;
        let directory = &self.parent.directory;
        if self.parent.kind(name)?.is_none() {
            directory.rename(temporary, name)?;
            self.is_kept = true;
            return Ok(());
        }
        let old = self.parent.folder(name)?;
        let _ = old.directory.try_lock();
        // A rename cannot replace a folder that is not empty, so the old one is renamed first.
        let ((), replaced_name) = self
            .parent
            .with_random_name(|replaced_name| directory.create_subfolder(replaced_name))?;
        directory.rename(name, &replaced_name)?;
        if let Err(error) = directory.rename(temporary, name) {
            let _ = directory.rename(&replaced_name, name);
            return Err(error);
        }
        self.is_kept = true;
        discard(&self.parent, &replaced_name);
        Ok(())
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            let [temporary, _] = &self.names;
            discard(&self.parent, temporary);
        }
    }
}

/// Removes a folder and the files in it as far as possible; errors are ignored.
pub(crate) fn discard(parent: &Folder, name: &OsStr) {
    if let Ok(folder) = parent.folder(name) {
        let names = folder.names().unwrap_or_default();
        names.iter().for_each(|name| drop(folder.remove(name)));
    }
    let _ = parent.directory.remove_folder(name);
}
