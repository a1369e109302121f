//! The output of an export, with a temporary name until it is complete; removed on failure.

use crate::Failure;
use crate::output_path::{OutputPath, PendingOutput};
use anyhow::Context as _;
use resile_export::{Destination, Format, Layout};
use resile_files::Kind;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file or folder of an export in progress.
#[derive(Debug)]
pub(super) struct ExportTarget {
    path: PathBuf,
    output: PendingOutput,
}

impl ExportTarget {
    /// Prepares the output; never replaces anything except exports.
    pub(super) fn prepare(
        output: Option<&Path>,
        run: &Path,
        format: Format,
        force: bool,
    ) -> Result<Self, Failure> {
        let (layout, word) = (format.layout(), format.word());
        let default_path = match layout {
            Layout::Single => run.join(format!("export.{word}")),
            Layout::Folder => run.join(format!("export-{word}")),
        };
        let path = output.map_or(default_path, Path::to_path_buf);
        let output_path = OutputPath::new(&path)?;
        let is_export_file = |name: &str| {
            let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| [word, "obj", "mtl"].contains(&ending))
        };
        let output_in_progress = match layout {
            Layout::Single => PendingOutput::File(output_path.file(force)?),
            Layout::Folder => PendingOutput::Folder(output_path.folder(
                force,
                "an export in this format",
                is_export_file,
            )?),
        };
        Ok(Self { path, output: output_in_progress })
    }

    /// Bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        match &self.output {
            PendingOutput::File(file) => file.file().length().unwrap_or(0),
            PendingOutput::Folder(pending) => {
                let length = |name| match pending.folder().kind(name) {
                    Ok(Some(Kind::File { length })) => length,
                    _ => 0,
                };
                pending.folder().names().unwrap_or_default().into_iter().map(length).sum()
            }
        }
    }

    /// Renames the output to its final name and returns it.
    pub(super) fn keep(self) -> Result<PathBuf, Failure> {
        let result = self.output.keep();
        result.with_context(|| format!("{} cannot be written", self.path.display()))?;
        Ok(self.path)
    }
}

impl Destination for ExportTarget {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(match &mut self.output {
            PendingOutput::File(file) => Box::new(file),
            PendingOutput::Folder(pending) => Box::new(pending.folder().create_new(name)?),
        })
    }
}
