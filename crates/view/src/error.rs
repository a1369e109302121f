//! Why a page could not be made.

use resile_record::{OutputError, PlaybackError};

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The frames of the run cannot be read.
    #[error(transparent)]
    Run(#[from] PlaybackError),
    /// The history of the run cannot be read.
    #[error(transparent)]
    History(OutputError),
    /// The system did not take the page.
    #[error("the page cannot be written: {0}")]
    Io(#[from] std::io::Error),
}
