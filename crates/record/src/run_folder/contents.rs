//! Recognition of the files of a run.

use crate::frames::{
    EXTENSIONS, FRAME, FRAME_DIGITS, INDEX, INDEX_EXTENSIONS, OBSTACLES, ORIGINAL, PLANES,
};
use crate::originals::ORIGINALS;
use crate::{checkpoint, history};
use resile_files::{Folder, Kind};
use resile_math::units::Units;
use std::io::Read as _;
use std::path::Path;

/// The empty lock file beside the files of a run.
pub(super) const LOCK: &str = "lock";
pub(super) const FRAMES: &str = "frames";
pub(super) const CHECKPOINT: &str = "checkpoint";
const HISTORY: &str = "history.csv";
const ORIGIN: &str = "run.json";

/// Files that a run overwrites.
pub(super) const FILES: [&str; 16] = [
    HISTORY,
    "bodies.csv",
    "poses.csv",
    "contacts.csv",
    "momentum.csv",
    "probes.csv",
    "modes.csv",
    "buckling.csv",
    "path.csv",
    ORIGIN,
    "scene.ron",
    "summary.json",
    "energy.svg",
    "profile.csv",
    "profile.svg",
    CHECKPOINT,
];

/// Whether a path is a file or folder written by a run. Files derived from runs must not replace these.
pub fn belongs_to_a_run(path: &Path) -> bool {
    let Ok((around, name)) = Folder::parent_of(path) else { return false };
    // Some file systems are case-insensitive.
    let name = name.to_string_lossy().to_lowercase();
    if FILES.contains(&&*name) || name == LOCK || name == FRAMES {
        return is_run_folder(&around);
    }
    let absolute = around.path().canonicalize().unwrap_or_default();
    let is_frames = absolute.file_name().is_some_and(|last| last == FRAMES);
    is_frames
        && is_frame_file(&name)
        && absolute
            .parent()
            .is_some_and(|run| Folder::open(run).is_ok_and(|run| is_run_folder(&run)))
}

/// Whether the folder holds a run in any state.
fn is_run_folder(folder: &Folder) -> bool {
    holds_a_run(folder) || is_there(folder, ORIGIN)
}

fn is_there(folder: &Folder, name: &str) -> bool {
    // A dangling symbolic link counts as existing.
    !matches!(folder.kind(name), Ok(None))
}

/// Whether the folder has files that a run would overwrite.
pub(super) fn is_taken(folder: &Folder) -> bool {
    FILES.iter().any(|name| is_there(folder, name)) || has_frames(folder)
}

fn has_frames(folder: &Folder) -> bool {
    let frames = folder.folder(FRAMES).and_then(|frames| frames.names());
    frames.is_ok_and(|names| names.iter().any(|name| is_frame_file(&name.to_string_lossy())))
}

/// Whether the folder holds a run of this program, by the first bytes of its checkpoint or history.
pub(super) fn holds_a_run(folder: &Folder) -> bool {
    let begins = |name: &str, with: &[u8]| {
        let mut head = vec![0; with.len()];
        let read = folder.open_file(name).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && head == with
    };
    begins(CHECKPOINT, checkpoint::MAGIC)
        || Units::ALL.iter().any(|&units| begins(HISTORY, history::first_labels(units).as_bytes()))
        || is_truncated_start(folder)
}

/// Whether a run was truncated in its first line: its history is the only file.
fn is_truncated_start(folder: &Folder) -> bool {
    let length = match folder.kind(HISTORY) {
        Ok(Some(Kind::File { length })) => length,
        _ => return false,
    };
    let others = || FILES.iter().any(|name| *name != HISTORY && is_there(folder, name));
    let begun = |units: Units| {
        let header = history::first_labels(units);
        let is_part = length < header.len() as u64;
        let read = || folder.read(HISTORY, header.len() as u64);
        is_part && read().is_ok_and(|text| header.as_bytes().starts_with(&text))
    };
    !others() && !has_frames(folder) && Units::ALL.into_iter().any(begun)
}

/// Whether a name is that of a frame file in any format.
pub(super) fn is_frame_file(name: &str) -> bool {
    let Some((stem, ending)) = name.split_once('.') else { return false };
    let number = |n: &str| n.len() >= FRAME_DIGITS && n.bytes().all(|b| b.is_ascii_digit());
    match stem {
        INDEX => INDEX_EXTENSIONS.contains(&ending),
        OBSTACLES | PLANES => EXTENSIONS.contains(&ending),
        ORIGINALS => ending == "json",
        copy if copy.starts_with(ORIGINAL) => {
            copy.strip_prefix(ORIGINAL).is_some_and(number) && ending == "obj"
        }
        frame => frame.strip_prefix(FRAME).is_some_and(number) && EXTENSIONS.contains(&ending),
    }
}
