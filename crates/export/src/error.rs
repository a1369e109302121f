//! Errors of exports.

use resile_record::PlaybackError;
use std::io;

/// Largest number of samples of a sequence. A request for more is taken for a mistake.
pub(crate) const MAX_SAMPLES: usize = 1_000_000;

/// Errors of an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// A file could not be written.
    #[error("{name}: {source}")]
    Io {
        /// Name of the file.
        name: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The caller cancelled the export.
    #[error("the export was interrupted")]
    Stopped,
    /// There is no body with this name.
    #[error("there is no body, obstacle or plane \"{name}\"; there are {known}")]
    NoBody {
        /// Requested name.
        name: String,
        /// Existing names.
        known: String,
    },
    /// The time range has no frames.
    #[error("from {from} s to {to} s there is no frame: the frames are from {first} s to {last} s")]
    Times {
        /// Requested start (s).
        from: f64,
        /// Requested end (s).
        to: f64,
        /// Time of the first frame (s).
        first: f64,
        /// Time of the last frame (s).
        last: f64,
    },
    /// An option has a value out of range.
    #[error("{what} cannot be {value}; it must be above 0 and at most {most}")]
    Number {
        /// Name of the option.
        what: &'static str,
        /// Requested value.
        value: f64,
        /// Largest valid value.
        most: f64,
    },
    /// Too many samples.
    #[error(
        "that would be {samples} frames; make the time shorter or the rate lower (at most {MAX_SAMPLES})"
    )]
    Long {
        /// Number of samples.
        samples: usize,
    },
    /// The format does not support an option.
    #[error("{format} cannot have {what}: {reason}")]
    Format {
        /// Name of the format.
        format: &'static str,
        /// Requested option.
        what: String,
        /// Reason, with a remedy.
        reason: String,
    },
}

impl ExportError {
    /// Returns the error with the name of the file, if it is a write error.
    pub(crate) fn with_file_name(self, name: &str) -> Self {
        match self {
            Self::Io { source, .. } => Self::Io { name: name.to_owned(), source },
            other => other,
        }
    }
}

impl From<io::Error> for ExportError {
    /// Returns an error without a file name, which `ExportError::with_file_name` adds.
    fn from(source: io::Error) -> Self {
        Self::Io { name: String::new(), source }
    }
}
