//! Recognition of the files of a run.

use crate::frames::{
    EXTENSIONS, FRAME, FRAME_DIGITS, INDEX, INDEX_EXTENSIONS, OBSTACLES, ORIGINAL, PLANES,
};
use crate::originals::ORIGINALS;
use crate::{checkpoint, history};
use resile_files::{Folder, Kind};
use resile_math::units::Units;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The empty lock file beside the files of a run.
pub(super) const LOCK: &str = "lock";
/// The folder of frames.
pub(super) const FRAMES: &str = "frames";
pub(super) const CHECKPOINT: &str = "checkpoint";
const HISTORY: &str = "history.csv";
const ORIGIN: &str = "run.json";

/// Files that a run writes.
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

/// Whether a path is that of a file or folder of a run in an existing run folder. Other commands must not replace it.
pub fn belongs_to_a_run(path: &Path) -> bool {
    let Ok((folder, name)) = Folder::parent_of(path) else { return false };
    // Some file systems are case-insensitive.
    let name = name.to_string_lossy().to_lowercase();
    if FILES.contains(&&*name) || name == LOCK || name == FRAMES {
        return is_run_folder(&folder);
    }
    let absolute = folder.path().canonicalize().unwrap_or_default();
    let is_frames = absolute.file_name().is_some_and(|last| last == FRAMES);
    is_frames
        && is_frame_file(&name)
        && absolute
            .parent()
            .is_some_and(|run| Folder::open(run).is_ok_and(|run| is_run_folder(&run)))
}

/// Folders of runs in a folder of several runs, such as that of a comparison, or in its folder `runs`, as in a sweep;
/// in alphabetical order.
pub fn runs_within(folder: &Path) -> Vec<PathBuf> {
    let folders = [folder.to_owned(), folder.join("runs")];
    let entries =
        folders.into_iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    let is_run = |path: &PathBuf| {
        path.join(ORIGIN).is_file() || path.join(FRAMES).join("frames.pvd").is_file()
    };
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_run).collect();
    runs.sort();
    runs
}

/// Whether the folder holds a run in any state.
fn is_run_folder(folder: &Folder) -> bool {
    holds_a_run(folder) || exists(folder, ORIGIN)
}

/// Whether a folder has an entry of this name.
fn exists(folder: &Folder, name: &str) -> bool {
    // A dangling symbolic link counts as existing.
    !matches!(folder.kind(name), Ok(None))
}

/// Whether the folder has files that a run would overwrite.
pub(super) fn is_taken(folder: &Folder) -> bool {
    FILES.iter().any(|name| exists(folder, name)) || has_frames(folder)
}

/// Whether a folder has frame files in its folder of frames.
fn has_frames(folder: &Folder) -> bool {
    let frames = folder.folder(FRAMES).and_then(|frames| frames.names());
    frames.is_ok_and(|names| names.iter().any(|name| is_frame_file(&name.to_string_lossy())))
}

/// Whether the folder holds a run of this program, by the first bytes of its checkpoint or history.
pub(super) fn holds_a_run(folder: &Folder) -> bool {
    let begins_with = |name: &str, prefix: &[u8]| {
        let mut first_bytes = vec![0; prefix.len()];
        let read_result =
            folder.open_file(name).and_then(|mut file| file.read_exact(&mut first_bytes));
        read_result.is_ok() && first_bytes == prefix
    };
    begins_with(CHECKPOINT, checkpoint::MAGIC)
        || Units::ALL
            .iter()
            .any(|&units| begins_with(HISTORY, history::first_labels(units).as_bytes()))
        || is_truncated_start(folder)
}

/// Whether a run was killed while it wrote the first line of its history, which is then the only file.
fn is_truncated_start(folder: &Folder) -> bool {
    let length = match folder.kind(HISTORY) {
        Ok(Some(Kind::File { length })) => length,
        _ => return false,
    };
    let has_other_files = || FILES.iter().any(|name| *name != HISTORY && exists(folder, name));
    let is_partial_header = |units: Units| {
        let header = history::first_labels(units);
        let is_shorter = length < header.len() as u64;
        let read = || folder.read(HISTORY, header.len() as u64);
        is_shorter && read().is_ok_and(|text| header.as_bytes().starts_with(&text))
    };
    !has_other_files() && !has_frames(folder) && Units::ALL.into_iter().any(is_partial_header)
}

/// Whether a name is that of a file in the folder of frames: a frame in any format, an index, fixed surfaces, or an
/// original mesh or their list.
pub(super) fn is_frame_file(name: &str) -> bool {
    let Some((stem, ending)) = name.split_once('.') else { return false };
    let is_number =
        |text: &str| text.len() >= FRAME_DIGITS && text.bytes().all(|b| b.is_ascii_digit());
    match stem {
        INDEX => INDEX_EXTENSIONS.contains(&ending),
        OBSTACLES | PLANES => EXTENSIONS.contains(&ending),
        ORIGINALS => ending == "json",
        _ if stem.starts_with(ORIGINAL) => {
            stem.strip_prefix(ORIGINAL).is_some_and(is_number) && ending == "obj"
        }
        _ => stem.strip_prefix(FRAME).is_some_and(is_number) && EXTENSIONS.contains(&ending),
    }
}
