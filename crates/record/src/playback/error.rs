//! Errors of playback.

use std::io;
use std::path::PathBuf;

/// A run cannot be played back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// The folder does not exist.
    #[error(
        "there is no folder {}; name one that `sim run` wrote, such as out/first, or run the scene \
         first",
        folder.display()
    )]
    NoFolder {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// The folder has no frames.
    #[error(
        "{} holds no frames; run the scene first, with `Vtu` in `output.formats`",
        folder.display()
    )]
    NoFrames {
        /// Folder of the run.
        folder: PathBuf,
    },
    /// The folder has several runs, such as those of a comparison or a sweep.
    #[error("{} holds {} runs; name one of them, such as {}", folder.display(), runs.len(), runs[0].display())]
    SeveralRuns {
        /// The folder.
        folder: PathBuf,
        /// Folders of its runs in alphabetical order; not empty.
        runs: Vec<PathBuf>,
    },
    /// The frames are in another format.
    #[error(
        "{} holds frames in PLY only; run the scene again with `Vtu` in `output.formats`",
        folder.display()
    )]
    OnlyPly {
        /// Folder of the run.
        folder: PathBuf,
    },
    /// The index of frames is malformed.
    #[error(
        "{} is not an index that a run wrote; run the scene again with --force",
        path.display()
    )]
    Index {
        /// Path of the index.
        path: PathBuf,
    },
    /// A file of a frame or of fixed surfaces is unusable.
    #[error("{}: {damage}; run the scene again with --force", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Kind of damage.
        damage: Damage,
    },
}

/// Damage of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// An error of the operating system.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The format is not that of a run's files.
    #[error("it is not a grid as a run writes it: {what}")]
    Format {
        /// The faulty part.
        what: String,
    },
    /// It is truncated.
    #[error("it is cut off: {found} of {expected} bytes of its array \"{name}\" are there")]
    Cut {
        /// Name of the array.
        name: String,
        /// Expected length in bytes.
        expected: u64,
        /// Bytes up to the end of the file.
        found: u64,
    },
    /// The file is longer than its header states.
    #[error("it has {found} bytes, and its header announces {expected}")]
    Longer {
        /// Bytes up to the end of the last array.
        expected: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// A cell refers to a point that does not exist.
    #[error("its cell {cell} names point {point}, and there are {points} points")]
    NoPoint {
        /// Index of the cell.
        cell: usize,
        /// Index of the missing point.
        point: u32,
        /// Number of points.
        points: usize,
    },
    /// A position is not finite.
    #[error("its point {point} is at {position:?}")]
    NotFinite {
        /// Index of the point.
        point: usize,
        /// Position of the point (m).
        position: [f32; 3],
    },
    /// The points or cells of the frame differ from those of the first frame.
    #[error("its points or cells are not those of the first frame; it is of another run")]
    OtherCells,
}

impl Damage {
    /// A file that is not as a run writes it.
    pub(super) fn format(what: impl Into<String>) -> Self {
        Self::Format { what: what.into() }
    }
}
