//! Encoders of images and films.

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

/// A film file that receives one image after the other.
pub trait FilmFile {
    /// Appends an image.
    ///
    /// # Errors
    /// If its size differs from the film's, or writing fails.
    fn add(&mut self, image: &Image) -> Result<(), EncodeError>;

    /// Finishes the file.
    ///
    /// # Errors
    /// If writing fails.
    fn finish(self: Box<Self>) -> Result<(), EncodeError>;
}

/// Errors of encoding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An image has another size than the film.
    #[error("a picture of {found:?} pixels is not of the film's {expected:?}")]
    OtherSize {
        /// Width and height of the film.
        expected: [usize; 2],
        /// Width and height of the image.
        found: [usize; 2],
    },
    /// The format cannot represent the film.
    #[error("{what}")]
    Unsuited {
        /// The unsupported property, with a remedy.
        what: String,
    },
}

/// Rejects an image whose size is not the film's.
fn check_size(image: &Image, expected: [usize; 2]) -> Result<(), EncodeError> {
    let size = [image.width, image.height];
    match size == expected {
        true => Ok(()),
        false => Err(EncodeError::OtherSize { expected, found: size }),
    }
}
