//! Copies of runs, on disk or in memory.

use super::contents::{CHECKPOINT, FILES, FRAMES, is_frame_file};
use super::{Existing, RunFolder};
use crate::atomic::{NO_LIMIT, with_run_prefix};
use crate::{OutputError, io};
use resile_files::{Durability, Folder, Kind};
use std::path::Path;

/// Copies the files of a run, which may be held [in memory](resile_files::MemoryFolder), to a folder. They are synced to
/// disk, the checkpoint last.
///
/// # Errors
/// As [`RunFolder::open`], or if a file cannot be read or written; then some files may be there already.
pub fn copy_run(run: &Folder, path: &Path, existing: Existing) -> Result<(), OutputError> {
    let target = RunFolder::open(path, existing)?;
    if let Ok(frames) = run.folder(FRAMES) {
        copy(&frames, &target.frames(), is_frame_file)?;
    }
    copy(run, path, |name| FILES.contains(&name) && name != CHECKPOINT)?;
    copy(run, path, |name| name == CHECKPOINT)
}

/// Copies the chosen files of a folder.
fn copy(from: &Folder, to: &Path, chosen: impl Fn(&str) -> bool) -> Result<(), OutputError> {
    let target = Folder::open(to).map(with_run_prefix).map_err(io("open", to))?;
    let names = from.names().map_err(io("read", from.path()))?;
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    let is_file = |name: &String| matches!(from.kind(name), Ok(Some(Kind::File { .. })));
    let names: Vec<String> = names.filter(|name| chosen(name)).filter(is_file).collect();
    for name in &names {
        let contents = from.read(name, NO_LIMIT).map_err(io("read", &from.path().join(name)))?;
        let written = target.write(name, &contents, Durability::Written);
        written.map_err(io("write", &to.join(name)))?;
    }
    target.sync(&names).map_err(io("write", to))
}
