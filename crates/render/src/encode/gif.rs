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
    pictures: u64,
    /// Palette indices of the displayed image.
    shown: Vec<u8>,
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
        Ok(Self { file, palette, size, delay, pictures: 0, shown: Vec::new() })
    }

    /// Delay of the next image in hundredths of a second; the accumulated error never exceeds one half.
    fn next_delay(&mut self) -> u16 {
        let until = |pictures: u64| (pictures as f64 * self.delay).round();
        let delay = until(self.pictures + 1) - until(self.pictures);
        self.pictures += 1;
        delay.min(f64::from(u16::MAX)) as u16
    }
}

impl<W: Write> FilmFile for Gif<W> {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        check_size(image, self.size)?;
        let numbers = self.palette.numbers(image);
        let [left, top, width, height] = changed(&self.shown, &numbers, self.size[0]);
        let mut buffer = Vec::with_capacity(width * height);
        for row in top..top + height {
            for at in row * self.size[0] + left..row * self.size[0] + left + width {
                let same = self.shown.get(at) == Some(&numbers[at]);
                buffer.push(if same { Palette::TRANSPARENT } else { numbers[at] });
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
        self.shown = numbers;
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

/// Left, top, width and height of the part of an image that differs from the displayed one; one pixel if none
/// differs.
fn changed(shown: &[u8], numbers: &[u8], width: usize) -> [usize; 4] {
    let differs = |at: &usize| shown.get(*at) != Some(&numbers[*at]);
    let (mut min, mut max) = ([usize::MAX; 2], [0; 2]);
    for at in (0..numbers.len()).filter(differs) {
        let place = [at % width, at / width];
        min = [0, 1].map(|k| min[k].min(place[k]));
        max = [0, 1].map(|k| max[k].max(place[k]));
    }
    match min[0] {
        usize::MAX => [0, 0, 1, 1],
        left => [left, min[1], max[0] - left + 1, max[1] - min[1] + 1],
    }
}

fn encode_error(error: EncodingError) -> EncodeError {
    match error {
        EncodingError::Io(error) => EncodeError::Io(error),
        other => EncodeError::Io(io::Error::other(other)),
    }
}
