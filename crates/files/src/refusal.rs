//! Errors that this crate raises in addition to those of the operating system.

use std::io::{Error, ErrorKind};

/// Why this crate refuses to open a file. It is the inner error of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A link in a folder that may belong to another user.
    #[error("it is a link, and links inside of a folder are not followed")]
    Link,
    /// A pipe, a device, a socket or a folder.
    #[error("it is no regular file")]
    NotRegular,
    /// Longer than the limit.
    #[error("it is longer than the {most} bytes that it may have")]
    TooLong {
        /// Limit (bytes).
        most: u64,
    },
    /// A path to a folder that is the path of a file or leads through one.
    #[error("a file is at this path or on the way to it, and a folder is needed")]
    FileOnPath,
    /// A name with separators, or none.
    #[error("its name is not that of a file in the folder")]
    Name,
}

impl Refusal {
    /// The refusal inside an error, if any.
    pub fn of(error: &Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(ErrorKind::InvalidInput, refusal)
    }
}
