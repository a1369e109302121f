//! Errors of exports.

use resile_record::PlaybackError;
use std::io;

/// Largest number of samples of a sequence; more are a mistake.
pub(crate) const MAX_SAMPLES: usize = 1_000_000;

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// A file could not be written.
    #[error("{name}: {source}")]
    Io {
        /// Its name.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The caller stopped it.
    #[error("the export was interrupted")]
    Stopped,
    /// There is no body of this name.
    #[error("there is no body, obstacle or plane \"{name}\"; there are {known}")]
    NoBody {
        /// Asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// The time range has no frames.
    #[error("from {from} s to {to} s there is no frame: the frames are from {first} s to {last} s")]
    Times {
        /// Asked for (s).
        from: f64,
        /// Asked for (s).
        to: f64,
        /// Time of the first frame (s).
        first: f64,
        /// Time of the last frame (s).
        last: f64,
    },
    /// A number out of range.
    #[error("{what} cannot be {value}; it must be above 0 and at most {most}")]
    Number {
        /// Of what.
        what: &'static str,
        /// Asked for.
        value: f64,
        /// The largest there is.
        most: f64,
    },
    /// Too many samples.
    #[error(
        "that would be {samples} frames; make the time shorter or the rate lower (at most {MAX_SAMPLES})"
    )]
    Long {
        /// How many.
        samples: usize,
    },
    /// The format does not support an option.
    #[error("{format} cannot have {what}: {reason}")]
    Format {
        /// Its name.
        format: &'static str,
        /// What was asked for.
        what: String,
        /// Why not, and what to do.
        reason: String,
    },
}

impl ExportError {
    /// Adds the file name to a write error.
    pub(crate) fn in_file(self, name: &str) -> Self {
        match self {
            Self::Io { source, .. } => Self::Io { name: name.to_owned(), source },
            other => other,
        }
    }
}

impl From<io::Error> for ExportError {
    /// An error without a file name yet.
    fn from(source: io::Error) -> Self {
        Self::Io { name: String::new(), source }
    }
}
