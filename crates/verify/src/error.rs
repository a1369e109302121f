//! Errors of a check and of reading a frame.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// Errors that prevent the check of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Contact is off in the scene.
    #[error("contact is off in this scene: nothing is kept apart, and there is nothing to verify")]
    NoContact,
    /// The folder has no frames.
    #[error(
        "{} holds no frames; run the scene first, with `Vtu` or `Ply` in `output.formats`, \
         or choose its folder with -o",
        folder.display()
    )]
    NoFrames {
        /// Folder in which frames were expected.
        folder: PathBuf,
    },
    /// The index of frames is malformed.
    #[error("{} is not an index that a run wrote; run the scene again with --force", path.display())]
    Index {
        /// Path of the index.
        path: PathBuf,
    },
    /// A file without which nothing can be checked is unusable.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the file.
        error: FrameError,
    },
    /// The frames belong to another scene.
    #[error(
        "the frames have {found} bodies and the scene {expected}; it is not the scene of this run"
    )]
    OtherBodies {
        /// Number of bodies of the scene.
        expected: usize,
        /// Number of bodies in the frames.
        found: usize,
    },
    /// The obstacles belong to another scene.
    #[error(
        "{} has a surface of number {found}, and obstacles of the scene have the numbers {expected:?}; \
         it is not the scene of this run, or another version of the program wrote it",
        path.display()
    )]
    OtherObstacles {
        /// File of the obstacles.
        path: PathBuf,
        /// Numbers of the obstacles of the scene.
        expected: Range<u32>,
        /// The first other number in the file.
        found: u32,
    },
}

/// Errors of a frame.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// An error of the operating system.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The format is not that of a run's files.
    #[error("it is not a grid as a run writes it: {what}")]
    Format {
        /// The faulty part.
        what: String,
    },
    /// The file is longer than its header states.
    #[error("it has {found} bytes, and its header announces {expected}")]
    Longer {
        /// Bytes up to the end of the last array.
        expected: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// The file is truncated.
    #[error("it is cut off: {found} of {expected} bytes of its array \"{name}\" are there")]
    Cut {
        /// Name of the array.
        name: String,
        /// Expected length in bytes.
        expected: u64,
        /// Bytes up to the end of the file.
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
    /// A position is NaN or infinite.
    #[error("its point {point} is at {position:?}")]
    NotFinite {
        /// Index of the point.
        point: usize,
        /// Position of the point (m).
        position: [f32; 3],
    },
    /// Its points or cells differ from those of the first frame.
    #[error("its points or cells are not those of the first frame; it is of another run")]
    OtherCells,
}
