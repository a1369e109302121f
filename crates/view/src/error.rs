//! Errors of writing a page.

use resile_record::{OutputError, PlaybackError};

/// Errors of writing a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The frames of the run cannot be read.
    #[error(transparent)]
    Run(#[from] PlaybackError),
    /// The history of the run cannot be read.
    #[error(transparent)]
    History(OutputError),
    /// The page could not be written.
    #[error("the page cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// The page was cancelled.
    #[error("the page was cancelled")]
    Cancelled,
}
