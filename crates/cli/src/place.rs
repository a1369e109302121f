//! The output of `-o`: written under a temporary name until it is complete.

use crate::Failure;
use anyhow::Context as _;
use resile_files::{Durability, Folder, Kind, TemporaryFile, TemporaryFolder};
use resile_record::belongs_to_a_run;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The path of a file or folder to be written.
#[derive(Debug)]
pub(crate) struct Place {
    around: Folder,
    name: OsString,
    path: PathBuf,
}

/// A file or folder under a temporary name until it is kept.
#[derive(Debug)]
pub(crate) enum PendingOutput {
    File(TemporaryFile),
    Folder(TemporaryFolder),
}

impl PendingOutput {
    /// Renames it to its final name.
    pub(crate) fn keep(self) -> io::Result<()> {
        match self {
            Self::File(file) => file.keep(Durability::Written).map(drop),
            Self::Folder(folder) => folder.keep(),
        }
    }
}

/// Refuses files of a run, even with `--force`.
pub(crate) fn refuse_files_of_runs(path: &Path) -> Result<(), Failure> {
    match belongs_to_a_run(path) {
        true => Err(Failure::Input(format!(
            "error: {} is a file of a run, which needs it; choose another name with -o",
            path.display()
        ))),
        false => Ok(()),
    }
}

impl Place {
    /// The place of a path; missing parent folders are created.
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        Self::opened(path, Folder::create)
    }

    /// The place of a path in an existing folder.
    pub(crate) fn in_folder(path: &Path) -> Result<Self, Failure> {
        Self::opened(path, Folder::open)
    }

    /// The place of a path whose parent folder `open` opens. Removes abandoned temporary files there.
    fn opened(path: &Path, open: impl Fn(&Path) -> io::Result<Folder>) -> Result<Self, Failure> {
        refuse_files_of_runs(path)?;
        let Some(name) = path.file_name() else {
            let message = format!("error: {} names no file", path.display());
            return Err(Failure::Input(message));
        };
        let around = open(path.parent().unwrap_or(Path::new("")));
        let around = around.with_context(|| format!("{} cannot be written", path.display()))?;
        let _ = around.remove_abandoned();
        Ok(Self { around, name: name.to_owned(), path: path.to_owned() })
    }

    /// The kind of the existing entry, if any.
    pub(crate) fn kind(&self) -> Result<Option<Kind>, Failure> {
        Ok(self.around.kind(&self.name).with_context(|| self.write_context())?)
    }

    /// The folder around it, and its name there.
    pub(crate) fn parts(&self) -> (&Folder, &OsString) {
        (&self.around, &self.name)
    }

    /// Begins a new file.
    pub(crate) fn begin(&self) -> Result<TemporaryFile, Failure> {
        Ok(self.around.begin(&self.name).with_context(|| self.write_context())?)
    }

    /// Begins a file; with `force` it replaces an existing one.
    pub(crate) fn file(&self, force: bool) -> Result<TemporaryFile, Failure> {
        match self.kind()? {
            Some(Kind::File { .. }) if !force => Err(self.exists_error()),
            None | Some(Kind::File { .. }) => self.begin(),
            Some(_) => {
                Err(self.input_error("exists and is not a file; choose another name with -o"))
            }
        }
    }

    /// Begins a folder. It replaces an empty folder, or with `force` one that contains only `is_of_command`.
    pub(crate) fn folder(
        &self,
        force: bool,
        what: &str,
        is_of_command: impl Fn(&str) -> bool,
    ) -> Result<TemporaryFolder, Failure> {
        match self.kind()? {
            None => {}
            Some(Kind::Folder) => {
                let names = self.around.folder(&self.name).and_then(|folder| {
                    let is_file =
                        |name: &OsString| matches!(folder.kind(name), Ok(Some(Kind::File { .. })));
                    let names = folder.names()?;
                    let all_ours = names
                        .iter()
                        .all(|name| is_file(name) && is_of_command(&name.to_string_lossy()));
                    Ok((names.is_empty(), all_ours))
                });
                match names.with_context(|| self.write_context())? {
                    (_, false) => {
                        return Err(self.input_error(&format!(
                            "contains files other than {what}; choose another folder with -o"
                        )));
                    }
                    (false, true) if !force => return Err(self.exists_error()),
                    _ => {}
                }
            }
            Some(_) => {
                return Err(
                    self.input_error("exists and is not a folder; choose another name with -o")
                );
            }
        }
        Ok(self.around.begin_folder(&self.name).with_context(|| self.write_context())?)
    }

    fn exists_error(&self) -> Failure {
        self.input_error("already exists; --force replaces it, -o chooses another name")
    }

    pub(crate) fn input_error(&self, what: &str) -> Failure {
        Failure::Input(format!("error: {} {what}", self.path.display()))
    }

    pub(crate) fn write_context(&self) -> String {
        format!("{} cannot be written", self.path.display())
    }
}
