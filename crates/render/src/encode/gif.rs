//! GIF: animations of 256 colours that every program plays.

use super::{EncodeError, FilmFile, Palette, check_size};
use crate::image::Image;
use ::gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::fmt;
use std::io::{self, Write};

/// Shortest delay between two images that programs honour (hundredths of a second).
const MIN_DELAY: f64 = 2.0;
/// Largest side that the format can represent.
const MAX_SIDE: usize = 65_535;

/// A film as a looping animated GIF. Only the part of each image that differs from the previous one is written.
pub struct Gif<W: Write> {
    file: Encoder<W>,
    palette: Palette,
    size: [usize; 2],
    /// Delay between images in hundredths of a second.
    delay: f64,
    /// Number of images written.
    images_written: u64,
    /// Palette indices of the pixels that the previous image left on the screen.
    displayed: Vec<u8>,
}

impl<W: Write> Gif<W> {
    /// Begins a film with a rate in images per second, at most 50.
    ///
    /// # Errors
    /// If the rate or the size is too large, or writing fails.
    pub fn new(
        writer: W,
        size: [usize; 2],
        rate: f64,
        palette: Palette,
    ) -> Result<Self, EncodeError> {
        let delay = 100.0 / rate;
        if delay < MIN_DELAY - 1e-9 {
            let what = format!("a GIF has at most 50 pictures a second, not {rate}");
            return Err(EncodeError::Unsuited { what });
        }
        if size.iter().any(|&side| side > MAX_SIDE) {
            let what = format!("a GIF has sides of at most {MAX_SIDE} pixels");
            return Err(EncodeError::Unsuited { what });
        }
        let [width, height] = size.map(|side| side as u16);
        let mut file =
            Encoder::new(writer, width, height, &palette.bytes()).map_err(encode_error)?;
        file.set_repeat(Repeat::Infinite).map_err(encode_error)?;
        Ok(Self { file, palette, size, delay, images_written: 0, displayed: Vec::new() })
    }

    /// Integer delay of the next image in hundredths of a second; the accumulated rounding error never exceeds one
    /// half.
    fn next_delay(&mut self) -> u16 {
        let start_time = |image_index: u64| (image_index as f64 * self.delay).round();
        let delay = start_time(self.images_written + 1) - start_time(self.images_written);
        self.images_written += 1;
        delay.min(f64::from(u16::MAX)) as u16
    }
}

impl<W: Write> FilmFile for Gif<W> {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        check_size(image, self.size)?;
        let indices = self.palette.indices(image);
        let image_width = self.size[0];
        let PixelRectangle { left, top, width, height } =
            changed_rectangle(&self.displayed, &indices, image_width);
        let mut buffer = Vec::with_capacity(width * height);
        for row in top..top + height {
            for pixel in row * image_width + left..row * image_width + left + width {
                let is_unchanged = self.displayed.get(pixel) == Some(&indices[pixel]);
                buffer.push(if is_unchanged { Palette::TRANSPARENT } else { indices[pixel] });
            }
        }
        let frame = Frame {
            delay: self.next_delay(),
            dispose: DisposalMethod::Keep,
            transparent: Some(Palette::TRANSPARENT),
            left: left as u16,
            top: top as u16,
            width: width as u16,
            height: height as u16,
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.displayed = indices;
        self.file.write_frame(&frame).map_err(encode_error)
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        self.file.into_inner().map_err(encode_error)?.flush()?;
        Ok(())
    }
}

impl<W: Write> fmt::Debug for Gif<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gif").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A rectangle of pixels of an image.
struct PixelRectangle {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

/// Bounding rectangle of the pixels whose palette indices differ from the displayed ones, in an image of this width;
/// the first pixel if none differs.
fn changed_rectangle(displayed: &[u8], indices: &[u8], image_width: usize) -> PixelRectangle {
    let is_changed = |pixel: &usize| displayed.get(*pixel) != Some(&indices[*pixel]);
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    for pixel in (0..indices.len()).filter(is_changed) {
        let (column, row) = (pixel % image_width, pixel / image_width);
        (left, top) = (left.min(column), top.min(row));
        (right, bottom) = (right.max(column), bottom.max(row));
    }
    match left {
        usize::MAX => PixelRectangle { left: 0, top: 0, width: 1, height: 1 },
        _ => PixelRectangle { left, top, width: right - left + 1, height: bottom - top + 1 },
    }
}

fn encode_error(error: EncodingError) -> EncodeError {
    match error {
        EncodingError::Io(error) => EncodeError::Io(error),
        other => EncodeError::Io(io::Error::other(other)),
    }
}
