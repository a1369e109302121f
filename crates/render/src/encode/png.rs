//! PNG: single images, and lossless films (APNG).

use super::{EncodeError, FilmFile, check_size};
use crate::image::Image;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Writer};
use std::fmt;
use std::io::{self, Write};

/// Writes an image as PNG.
///
/// # Errors
/// If writing fails.
pub fn write_png(image: &Image, writer: impl Write) -> Result<(), EncodeError> {
    let encoder = encoder(writer, [image.width, image.height]);
    let mut file = encoder.write_header().map_err(encode_error)?;
    file.write_image_data(&rgb_bytes(image)).map_err(encode_error)?;
    file.finish().map_err(encode_error)
}

/// A film as a looping animated PNG. It is lossless; files are large.
pub struct Apng<W: Write> {
    file: Writer<W>,
    size: [usize; 2],
}

impl<W: Write> Apng<W> {
    /// Begins a film with a number of images and a rate in images per second.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(
        writer: W,
        size: [usize; 2],
        pictures: usize,
        rate: f64,
    ) -> Result<Self, EncodeError> {
        let mut encoder = encoder(writer, size);
        encoder.set_animated(pictures as u32, 0).map_err(encode_error)?;
        // Delays are fractions of 16-bit integers.
        encoder
            .set_frame_delay((1000.0 / rate).round().clamp(1.0, 6e4) as u16, 1000)
            .map_err(encode_error)?;
        Ok(Self { file: encoder.write_header().map_err(encode_error)?, size })
    }
}

impl<W: Write> FilmFile for Apng<W> {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        check_size(image, self.size)?;
        self.file.write_image_data(&rgb_bytes(image)).map_err(encode_error)
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        self.file.finish().map_err(encode_error)
    }
}

impl<W: Write> fmt::Debug for Apng<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apng").field("size", &self.size).finish_non_exhaustive()
    }
}

/// Encoder of images of this size (pixels), with eight bits per channel and fast compression.
fn encoder<W: Write>(writer: W, [width, height]: [usize; 2]) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(writer, width as u32, height as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder
}

/// Red, green and blue of all pixels, row by row.
fn rgb_bytes(image: &Image) -> Vec<u8> {
    image.rgb().flatten().collect()
}

fn encode_error(error: EncodingError) -> EncodeError {
    match error {
        EncodingError::IoError(error) => EncodeError::Io(error),
        other => EncodeError::Io(io::Error::other(other)),
    }
}
