//! Why there is nothing to check, or a frame cannot be.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// Why a run cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The scene lets everything through.
    #[error("contact is off in this scene: nothing is kept apart, and there is nothing to verify")]
    NoContact,
    /// The folder has no frames.
    #[error(
        "{} holds no frames; run the scene first, with `Vtu` in `output.formats`, \
         or choose its folder with -o",
        folder.display()
    )]
    NoFrames {
        /// The folder in which frames were looked for.
        folder: PathBuf,
    },
    /// The index of frames cannot be understood.
    #[error("{} is not an index that a run wrote", path.display())]
    Index {
        /// Its file.
        path: PathBuf,
    },
    /// Without this file nothing can be checked.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: FrameError,
    },
    /// The frames are of another scene.
    #[error(
        "the frames have {found} bodies and the scene {expected}; it is not the scene of this run"
    )]
    OtherBodies {
        /// Bodies of the scene.
        expected: usize,
        /// Bodies of the frames.
        found: usize,
    },
    /// The obstacles are of another scene.
    #[error(
        "{} has a surface of number {found}, and obstacles of the scene have the numbers {expected:?}; \
         it is not the scene of this run, or another version of the program wrote it",
        path.display()
    )]
    OtherObstacles {
        /// The file of the obstacles.
        path: PathBuf,
        /// Numbers of the obstacles of the scene.
        expected: Range<u32>,
        /// The first other number in the file.
        found: u32,
    },
}

/// What is wrong with a frame.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The system refuses.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is not as a run writes them.
    #[error("it is not a grid as a run writes it: {what}")]
    Format {
        /// What is not.
        what: String,
    },
    /// It is longer than its header says.
    #[error("it has {found} bytes, and its header announces {expected}")]
    Longer {
        /// Bytes up to the end of the last array.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// It ends too early.
    #[error("it is cut off: {found} of {expected} bytes of its array \"{name}\" are there")]
    Cut {
        /// The array.
        name: String,
        /// Bytes it should have.
        expected: u64,
        /// Bytes up to the end of the file.
        found: u64,
    },
    /// A cell has a node that is not there.
    #[error("its cell {cell} names point {point}, and there are {points} points")]
    NoPoint {
        /// The cell.
        cell: usize,
        /// The point.
        point: u32,
        /// Their number.
        points: usize,
    },
    /// A position is infinite or no number.
    #[error("its point {point} is at {position:?}")]
    NotFinite {
        /// The point.
        point: usize,
        /// Where it is (m).
        position: [f32; 3],
    },
    /// It has other points or cells than the first.
    #[error("its points or cells are not those of the first frame; it is of another run")]
    OtherCells,
}
