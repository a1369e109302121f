//! Errors of playback.

use std::io;
use std::path::PathBuf;

/// A run cannot be played back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// There is no such folder.
    #[error(
        "there is no folder {}; name one that `sim run` wrote, such as out/first, or run the scene \
         first",
        folder.display()
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder has no frames.
    #[error(
        "{} holds no frames; run the scene first, with `Vtu` in `output.formats`",
        folder.display()
    )]
    NoFrames {
        /// The folder of the run.
        folder: PathBuf,
    },
    /// The frames are in another format.
    #[error(
        "{} holds frames in PLY only; run the scene again with `Vtu` in `output.formats`",
        folder.display()
    )]
    OnlyPly {
        /// The folder of the run.
        folder: PathBuf,
    },
    /// The index of frames cannot be understood.
    #[error(
        "{} is not an index that a run wrote; run the scene again with --force",
        path.display()
    )]
    Index {
        /// Its file.
        path: PathBuf,
    },
    /// A file of a frame or of fixed surfaces cannot be used.
    #[error("{}: {damage}; run the scene again with --force", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The damage.
        damage: Damage,
    },
}

/// Damage of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The system refuses.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It does not have the format of runs.
    #[error("it is not a grid as a run writes it: {what}")]
    Format {
        /// The faulty part.
        what: String,
    },
    /// It is truncated.
    #[error("it is cut off: {found} of {expected} bytes of its array \"{name}\" are there")]
    Cut {
        /// The array.
        name: String,
        /// Bytes it should have.
        expected: u64,
        /// Bytes up to the end of the file.
        found: u64,
    },
    /// It is longer than its header states.
    #[error("it has {found} bytes, and its header announces {expected}")]
    Longer {
        /// Bytes up to the end of the last array.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// A cell has a point that does not exist.
    #[error("its cell {cell} names point {point}, and there are {points} points")]
    NoPoint {
        /// The cell.
        cell: usize,
        /// The point.
        point: u32,
        /// Their number.
        points: usize,
    },
    /// A position is not finite.
    #[error("its point {point} is at {position:?}")]
    NotFinite {
        /// The point.
        point: usize,
        /// Its position (m).
        position: [f32; 3],
    },
    /// It has other points or cells than the first frame.
    #[error("its points or cells are not those of the first frame; it is of another run")]
    OtherCells,
}

impl Damage {
    pub(super) fn format(what: impl Into<String>) -> Self {
        Self::Format { what: what.into() }
    }
}
