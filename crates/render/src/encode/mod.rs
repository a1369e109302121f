//! From pictures to files.

mod gif;
mod mp4;
mod palette;
mod png;
mod video;

pub use self::gif::Gif;
pub use self::png::{Apng, write_png};
pub use palette::Palette;
pub use video::Mp4;

use crate::image::Image;
use std::io;

/// A file of a film, which takes one picture after the other.
pub trait FilmFile {
    /// Adds a picture.
    ///
    /// # Errors
    /// If it has another size than the film, or the bytes are not taken.
    fn add(&mut self, image: &Image) -> Result<(), EncodeError>;

    /// Ends the file.
    ///
    /// # Errors
    /// If the bytes are not taken.
    fn finish(self: Box<Self>) -> Result<(), EncodeError>;
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The bytes were not taken.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A picture does not fit into the film.
    #[error("a picture of {found:?} pixels is not of the film's {expected:?}")]
    OtherSize {
        /// Width and height of the film.
        expected: [usize; 2],
        /// Those of the picture.
        found: [usize; 2],
    },
    /// The format cannot hold such a film.
    #[error("{what}")]
    Unsuited {
        /// What it cannot hold, and what to do.
        what: String,
    },
}

/// Refuses a picture that is not of the film's size.
fn check_size(image: &Image, expected: [usize; 2]) -> Result<(), EncodeError> {
    let found = [image.width, image.height];
    match found == expected {
        true => Ok(()),
        false => Err(EncodeError::OtherSize { expected, found }),
    }
}
