//! Reader of `frames.pvd`, the index of frames and their times. Frames in PLY have no index: their files have the times.

use crate::grid::attribute;
use crate::{VerifyError, ply};
use resile_files::Folder;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

const INDEX: &str = "frames.pvd";
/// Upper bound of the index's length; a million frames take some 90 MB.
const MAX_INDEX_BYTES: u64 = 1 << 30;

/// A frame listed in the index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    /// Simulated time (s).
    pub(crate) time: f64,
    /// Name of the file.
    pub(crate) file: String,
}

/// Frames in order.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) frames: Vec<Frame>,
    /// Number of frame files that the index does not list, as left by a killed run.
    pub(crate) unnamed: usize,
}

impl Index {
    /// Name of the file of fixed obstacles, in the format of the frames.
    pub(crate) fn obstacles_file(&self) -> &'static str {
        match self.frames.iter().any(|frame| frame.file.ends_with(ply::EXTENSION)) {
            true => "obstacles.ply",
            false => "obstacles.vtu",
        }
    }
}

/// Reads the index in a folder of frames or, without one, lists the frames in PLY.
pub(crate) fn read(folder: &Folder) -> Result<Index, VerifyError> {
    let path = folder.path().join(INDEX);
    let no_frames = || VerifyError::NoFrames { folder: folder.path().to_owned() };
    let text = match folder.read_text(INDEX, MAX_INDEX_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let frames = ply_frames(folder)?;
            return if frames.is_empty() {
                Err(no_frames())
            } else {
                Ok(Index { frames, unnamed: 0 })
            };
        }
        result => result,
    };
    let text = text.map_err(|error| match error.kind() {
        ErrorKind::InvalidData => VerifyError::Index { path: path.clone() },
        _ => VerifyError::File { path: path.clone(), error: error.into() },
    })?;
    let elements = text.split('<').filter(|element| element.starts_with("DataSet"));
    let frames = elements.filter(|element| attribute(element, "part") == Some("0"));
    let frames: Option<Vec<Frame>> = frames.map(frame).collect();
    let frames = frames.ok_or_else(|| VerifyError::Index { path: path.clone() })?;
    if frames.is_empty() {
        let is_complete = text.contains("</Collection>");
        return Err(if is_complete { no_frames() } else { VerifyError::Index { path } });
    }
    let named: BTreeSet<&str> = frames.iter().map(|frame| frame.file.as_str()).collect();
    let unnamed =
        files(folder, ".vtu").iter().filter(|file| !named.contains(file.as_str())).count();
    Ok(Index { frames, unnamed })
}

/// The frame of an XML element; `None` if it is malformed.
fn frame(element: &str) -> Option<Frame> {
    let time = attribute(element, "timestep")?.parse().ok()?;
    let file = attribute(element, "file")?;
    // Frames lie beside their index; reject paths to other folders.
    let is_file_name = PathBuf::from(file).file_name().is_some_and(|name| name == file);
    is_file_name.then(|| Frame { time, file: file.to_owned() })
}

/// The frames in PLY, in the order of their numbers.
fn ply_frames(folder: &Folder) -> Result<Vec<Frame>, VerifyError> {
    let mut files = files(folder, ply::EXTENSION);
    // Numbers have at least six digits, and more where there are more frames.
    files.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let frame = |file: String| match ply::time(folder, &file) {
        Ok(time) => Ok(Frame { time, file }),
        Err(error) => Err(VerifyError::File { path: folder.path().join(file), error }),
    };
    files.into_iter().map(frame).collect()
}

/// Names of all files that look like frames with this extension.
fn files(folder: &Folder, extension: &str) -> Vec<String> {
    let names = folder.names().unwrap_or_default().into_iter();
    let names = names.filter_map(|name| name.into_string().ok());
    names.filter(|name| name.starts_with("frame_") && name.ends_with(extension)).collect()
}
