//! Where an export goes. It has another name until it is whole, and is removed if it does not
//! become so.

use crate::Failure;
use anyhow::Context as _;
use resile_export::{Destination, Format, Layout};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file or a folder that is being written.
#[derive(Debug)]
pub(super) struct ExportTarget {
    layout: Layout,
    format: Format,
    path: PathBuf,
    /// What it is called until it is whole.
    unfinished: PathBuf,
}

impl ExportTarget {
    /// Makes place for an export, which must not cost anything that is no export.
    pub(super) fn prepare(
        output: Option<&Path>,
        run: &Path,
        format: Format,
        force: bool,
    ) -> Result<Self, Failure> {
        let (layout, word) = (format.layout(), format.word());
        let usual = match layout {
            Layout::Single => run.join(format!("export.{word}")),
            Layout::Folder => run.join(format!("export-{word}")),
        };
        let path = output.map_or(usual, Path::to_path_buf);
        let target = Self { unfinished: with_ending(&path, ".tmp"), layout, format, path };
        target.check(&target.path, force)?;
        let cannot = || format!("{} cannot be written", target.path.display());
        if let Some(parent) = target.path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent).with_context(cannot)?;
        }
        if layout == Layout::Folder {
            // One that was left behind by a program that was killed.
            target.check(&target.unfinished, true)?;
            remove(&target.unfinished);
            fs::create_dir(&target.unfinished).with_context(cannot)?;
        }
        Ok(target)
    }

    /// Whether what is at a path may be replaced.
    fn check(&self, path: &Path, force: bool) -> Result<(), Failure> {
        let told = |what: &str| Err(Failure::Input(format!("error: {} {what}", path.display())));
        let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
        match self.layout {
            Layout::Single if !found.is_file() => {
                told("is there and is no file; choose another name with -o")
            }
            Layout::Folder if !found.is_dir() => {
                told("is there and is no folder; choose another name with -o")
            }
            Layout::Folder if !self.holds_an_export(path) => told(
                "holds other files than an export in this format; choose another folder with -o",
            ),
            Layout::Folder if is_empty(path) => Ok(()),
            _ if !force => told("is there already; --force replaces it, -o chooses another name"),
            _ => Ok(()),
        }
    }

    /// Whether there is nothing in a folder but what this format writes.
    fn holds_an_export(&self, folder: &Path) -> bool {
        let ours = |entry: io::Result<fs::DirEntry>| {
            let Ok(entry) = entry else { return false };
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            let known = [self.format.word(), "obj", "mtl"];
            entry.file_type().is_ok_and(|kind| kind.is_file())
                && ending.is_some_and(|ending| known.contains(&ending))
        };
        fs::read_dir(folder).is_ok_and(|mut entries| entries.all(ours))
    }

    /// Bytes of all that is written so far.
    pub(super) fn bytes(&self) -> u64 {
        let length = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
        match (self.layout, fs::read_dir(&self.unfinished)) {
            (Layout::Folder, Ok(entries)) => {
                entries.flatten().map(|entry| length(&entry.path())).sum()
            }
            _ => length(&self.unfinished),
        }
    }

    /// Gives it its name, which it returns.
    pub(super) fn keep(self) -> Result<PathBuf, Failure> {
        let cannot = || format!("{} cannot be written", self.path.display());
        let old = with_ending(&self.path, ".old");
        let is_folder = self.layout == Layout::Folder && self.path.is_dir();
        if is_folder {
            fs::rename(&self.path, &old).with_context(cannot)?;
        }
        fs::rename(&self.unfinished, &self.path).with_context(cannot)?;
        if is_folder {
            remove(&old);
        }
        Ok(self.path.clone())
    }
}

impl Destination for ExportTarget {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(match self.layout {
            Layout::Single => File::create(&self.unfinished)?,
            Layout::Folder => File::create(self.unfinished.join(name))?,
        }))
    }
}

impl Drop for ExportTarget {
    fn drop(&mut self) {
        match self.layout {
            Layout::Single => drop(fs::remove_file(&self.unfinished)),
            Layout::Folder => remove(&self.unfinished),
        }
    }
}

/// Removes a folder of files.
fn remove(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.for_each(|entry| drop(fs::remove_file(entry.path())));
    let _ = fs::remove_dir(folder);
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}
