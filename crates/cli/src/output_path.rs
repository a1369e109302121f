//! The file or folder that `-o` names. It has a temporary name until it is complete.

use crate::Failure;
use anyhow::Context as _;
use resile_files::{Durability, Folder, Kind, TemporaryFile, TemporaryFolder};
use resile_record::belongs_to_a_run;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The path of a file or folder to be written, with its parent folder opened.
#[derive(Debug)]
pub(crate) struct OutputPath {
    parent: Folder,
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
    /// Renames the output to its final name.
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

/// Refuses a path with an extension other than these, of which the first is advised; `what` is what is written.
pub(crate) fn refuse_other_extension(
    path: &Path,
    extensions: &[&str],
    what: &str,
) -> Result<(), Failure> {
    let is_known = |extension: &str| extensions.iter().any(|e| extension.eq_ignore_ascii_case(e));
    match path.extension().map(|extension| extension.to_string_lossy()) {
        Some(extension) if !is_known(&extension) => {
            let (advised, name) = (extensions[0], path.with_extension(extensions[0]));
            Err(Failure::Input(format!(
                "error: {} does not have the extension of {what}, .{advised}\n   = help: -o {}",
                path.display(),
                name.display()
            )))
        }
        _ => Ok(()),
    }
}

impl OutputPath {
    /// Opens the parent folder of a path; missing folders are created.
    pub(crate) fn new(path: &Path) -> Result<Self, Failure> {
        Self::with_parent(path, Folder::create)
    }

    /// Opens the parent folder of a path, which must exist.
    pub(crate) fn in_existing_folder(path: &Path) -> Result<Self, Failure> {
        Self::with_parent(path, Folder::open)
    }

    /// Opens the parent folder of a path with `open`, and removes abandoned temporary files in it. Refuses files of a
    /// run.
    fn with_parent(
        path: &Path,
        open: impl Fn(&Path) -> io::Result<Folder>,
    ) -> Result<Self, Failure> {
        refuse_files_of_runs(path)?;
        let Some(name) = path.file_name() else {
            let message = format!("error: {} names no file", path.display());
            return Err(Failure::Input(message));
        };
        let parent = open(path.parent().unwrap_or(Path::new("")));
        let parent = parent.with_context(|| format!("{} cannot be written", path.display()))?;
        let _ = parent.remove_abandoned();
        Ok(Self { parent, name: name.to_owned(), path: path.to_owned() })
    }

    /// The kind of the entry that exists at this path, if any.
    pub(crate) fn kind(&self) -> Result<Option<Kind>, Failure> {
        Ok(self.parent.kind(&self.name).with_context(|| self.write_context())?)
    }

    /// The parent folder, and the name in it.
    pub(crate) fn parts(&self) -> (&Folder, &OsString) {
        (&self.parent, &self.name)
    }

    /// Begins a temporary file, which replaces an existing file when it is kept.
    pub(crate) fn begin(&self) -> Result<TemporaryFile, Failure> {
        Ok(self.parent.begin(&self.name).with_context(|| self.write_context())?)
    }

    /// Begins a temporary file. Refuses to replace an existing file without `force`, and anything else than a file.
    pub(crate) fn file(&self, force: bool) -> Result<TemporaryFile, Failure> {
        match self.kind()? {
            Some(Kind::File { .. }) if !force => Err(self.exists_error()),
            None | Some(Kind::File { .. }) => self.begin(),
            Some(_) => {
                Err(self.input_error("exists and is not a file; choose another name with -o"))
            }
        }
    }

    /// Writes a whole file under the conditions of [`file`](Self::file).
    pub(crate) fn write(&self, contents: &[u8], force: bool) -> Result<(), Failure> {
        let mut file = self.file(force)?;
        let write_result = file.write_all(contents);
        let write_result = write_result.and_then(|()| file.keep(Durability::Written).map(drop));
        Ok(write_result.with_context(|| self.write_context())?)
    }

    /// Begins a temporary folder. It may replace an empty folder and, with `force`, a folder of files of this command,
    /// that is, files whose names satisfy `is_of_command`; `description` describes these files in the message of a
    /// refusal.
    pub(crate) fn folder(
        &self,
        force: bool,
        description: &str,
        is_of_command: impl Fn(&str) -> bool,
    ) -> Result<TemporaryFolder, Failure> {
        match self.kind()? {
            None => {}
            Some(Kind::Folder) => {
                let contents = self.parent.folder(&self.name).and_then(|folder| {
                    let is_file =
                        |name: &OsString| matches!(folder.kind(name), Ok(Some(Kind::File { .. })));
                    let names = folder.names()?;
                    let all_of_command = names
                        .iter()
                        .all(|name| is_file(name) && is_of_command(&name.to_string_lossy()));
                    Ok((names.is_empty(), all_of_command))
                });
                match contents.with_context(|| self.write_context())? {
                    (_, false) => {
                        return Err(self.input_error(&format!(
                            "contains files other than {description}; choose another folder with -o"
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
        Ok(self.parent.begin_folder(&self.name).with_context(|| self.write_context())?)
    }

    /// The failure for an existing file or folder that may be replaced only with `--force`.
    fn exists_error(&self) -> Failure {
        self.input_error("already exists; --force replaces it, -o chooses another name")
    }

    /// The failure of an unusable path; `problem` follows the path in the message.
    pub(crate) fn input_error(&self, problem: &str) -> Failure {
        Failure::Input(format!("error: {} {problem}", self.path.display()))
    }

    /// The message of an error while writing.
    pub(crate) fn write_context(&self) -> String {
        format!("{} cannot be written", self.path.display())
    }
}
