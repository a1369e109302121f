//! Reader of `frames.pvd`: frames with times, and fixed files shown with each.

use super::PlaybackError;
use super::arrays::attribute;
use super::frames_folder;
use crate::frames::MAX_INDEX_BYTES;
use crate::{RunFolder, runs_within};
use resile_files::Folder;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
/// The files that an index lists.
pub(super) struct Index {
    /// Times (s) and file names of frames.
    pub(super) frames: Vec<(f64, String)>,
    /// File names of fixed surfaces.
    pub(super) still: Vec<String>,
}

/// Reads the index of a run.
///
/// # Errors
/// If there is no folder, no index, or no frame in it, or the index cannot be read.
pub(super) fn read(folder: &RunFolder) -> Result<Index, PlaybackError> {
    let run = folder.path().to_owned();
    if !run.is_dir() && Folder::open(&run).is_err() {
        return Err(PlaybackError::NoFolder { folder: run });
    }
    let path = folder.frames().join("frames.pvd");
    let frames = frames_folder(folder)?;
    let text = match frames.read_text("frames.pvd", MAX_INDEX_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(match matches!(frames.kind("frame_000000.ply"), Ok(Some(_))) {
                true => PlaybackError::OnlyPly { folder: run },
                false => without_frames(run),
            });
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            return Err(PlaybackError::Index { path });
        }
        result => result
            .map_err(|error| PlaybackError::File { path: path.clone(), damage: error.into() })?,
    };
    let index = parse(&text).ok_or(PlaybackError::Index { path })?;
    match index.frames.is_empty() {
        true => Err(without_frames(run)),
        false => Ok(index),
    }
}

/// The error for a folder without frames: it may be a folder of several runs.
pub(super) fn without_frames(folder: PathBuf) -> PlaybackError {
    let runs = runs_within(&folder);
    match runs.is_empty() {
        true => PlaybackError::NoFrames { folder },
        false => PlaybackError::SeveralRuns { folder, runs },
    }
}

/// Parses an index; `None` if it is not that of a run.
fn parse(text: &str) -> Option<Index> {
    let mut index = Index::default();
    for element in text.split('<').filter(|element| element.starts_with("DataSet")) {
        let file = attribute(element, "file")?;
        // Files lie beside their index; reject paths to other folders.
        if Path::new(file).file_name().is_none_or(|name| name != file) {
            return None;
        }
        let time: f64 = attribute(element, "timestep")?.parse().ok()?;
        if attribute(element, "part")? == "0" {
            index.frames.push((time, file.to_owned()));
        } else if !index.still.iter().any(|listed| listed == file) {
            index.still.push(file.to_owned());
        }
    }
    let ascending = index.frames.is_sorted_by(|a, b| a.0 < b.0);
    (ascending && text.contains("</Collection>")).then_some(index)
}
