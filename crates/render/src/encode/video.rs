//! MP4 films, coded as H.264.

use super::mp4::{CodedPicture, Track};
use super::{EncodeError, FilmFile, check_size};
use crate::image::Image;
use rusty_h264_common::YuvFrame;
use rusty_h264_encoder::{Encoder, EncoderConfig, Preset};
use std::fmt;
use std::io::Write;

/// Quantisation parameter (0 to 51; 0 is the best quality). Losses are visible only in still images.
const QUANTISATION_PARAMETER: u8 = 22;
/// Interval of key frames (s).
const KEY_FRAME_INTERVAL: f64 = 2.0;
/// NAL unit type of slices of key frames (ITU-T H.264, table 7-1).
const KEY_SLICE: u8 = 5;
/// NAL unit type of sequence parameter sets.
const SEQUENCE_PARAMETERS: u8 = 7;
/// NAL unit type of picture parameter sets.
const PICTURE_PARAMETERS: u8 = 8;

/// A film as MP4, which every program plays. It is held in memory until it is finished.
pub struct Mp4<W: Write> {
    writer: W,
    encoder: Encoder,
    track: Track,
}

impl<W: Write> Mp4<W> {
    /// Begins a film with a rate in images per second.
    ///
    /// # Errors
    /// If a side is odd, because chroma has half the resolution.
    pub fn new(writer: W, size: [usize; 2], rate: f64) -> Result<Self, EncodeError> {
        let [width, height] = size;
        if width % 2 + height % 2 > 0 {
            let what = format!("an MP4 film has even sides, not {width}x{height}");
            return Err(EncodeError::Unsuited { what });
        }
        let mut config = EncoderConfig::new(width, height);
        config.preset = Preset::Fast;
        config.qp = QUANTISATION_PARAMETER;
        config.bitrate = 0;
        // The encoder returns each image at once, so at most one is held.
        config.mbtree = false;
        config.scenecut = 0;
        config.framerate = rate as f32;
        config.gop_size = (KEY_FRAME_INTERVAL * rate).ceil().max(1.0) as u32;
        let encoder = Encoder::new(config).map_err(encode_error)?;
        let parameters = [Vec::new(), Vec::new()];
        let track = Track { size, rate, parameters, pictures: Vec::new() };
        Ok(Self { writer, encoder, track })
    }

    /// Stores the NAL units of a stream in the track: the latest parameter sets, and the slices of each image.
    fn store_units(&mut self, stream: &[u8]) {
        let pictures = &mut self.track.pictures;
        for unit in nal_units(stream) {
            match unit[0] & 31 {
                SEQUENCE_PARAMETERS => self.track.parameters[0] = unit.to_vec(),
                PICTURE_PARAMETERS => self.track.parameters[1] = unit.to_vec(),
                unit_type => {
                    // A slice that begins with the first macroblock begins an image.
                    if unit.get(1).is_some_and(|&byte| byte & 0x80 > 0) {
                        let is_key = unit_type == KEY_SLICE;
                        pictures.push(CodedPicture { bytes: Vec::new(), is_key });
                    }
                    let Some(picture) = pictures.last_mut() else { continue };
                    picture.bytes.extend((unit.len() as u32).to_be_bytes());
                    picture.bytes.extend_from_slice(unit);
                }
            }
        }
    }
}

impl<W: Write> FilmFile for Mp4<W> {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        check_size(image, self.track.size)?;
        let stream = self.encoder.try_encode(&yuv_frame(image)).map_err(encode_error)?;
        self.store_units(&stream);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        // Flush images that the encoder holds back, if any.
        let stream = self.encoder.try_flush().map_err(encode_error)?;
        self.store_units(&stream);
        if self.track.parameters.iter().any(Vec::is_empty) {
            return Err(EncodeError::Unsuited {
                what: "a film has at least one picture".to_owned(),
            });
        }
        Ok(self.track.write(self.writer)?)
    }
}

impl<W: Write> fmt::Debug for Mp4<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mp4").field("size", &self.track.size).finish_non_exhaustive()
    }
}

fn encode_error(error: rusty_h264_encoder::EncodeError) -> EncodeError {
    EncodeError::Unsuited { what: format!("H.264: {error:?}") }
}

/// NAL units of a stream, without start codes (ITU-T H.264, annex B).
fn nal_units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    const START_CODE: [u8; 3] = [0, 0, 1];
    let start_codes = stream.windows(3).enumerate().filter(|(_, bytes)| *bytes == START_CODE);
    let starts: Vec<usize> = start_codes.map(|(position, _)| position + 3).collect();
    let next_start_codes = starts.iter().skip(1).map(|start| start - 3);
    let ends: Vec<usize> = next_start_codes.chain([stream.len()]).collect();
    starts.into_iter().zip(ends).filter_map(|(start, end)| {
        // Zeros before the next start code are not part of the unit.
        let unit = &stream[start..end];
        let length = unit.iter().rposition(|&byte| byte != 0)? + 1;
        Some(&unit[..length])
    })
}

/// Luma of each pixel, and chroma of each square of four pixels (ITU-R BT.709, limited range).
fn yuv_frame(image: &Image) -> YuvFrame {
    let (width, height) = (image.width, image.height);
    let mut frame = YuvFrame {
        width,
        height,
        y: Vec::with_capacity(width * height),
        u: Vec::with_capacity(width * height / 4),
        v: Vec::with_capacity(width * height / 4),
    };
    frame.y.extend(image.rgb().map(|pixel| (16.5 + 219.0 / 255.0 * luma(pixel)) as u8));
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let square = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
            let pixels = square.map(|[x, y]| image.pixel(x, y));
            let chroma = |channel: usize, scale: f32| {
                let difference = |pixel: [u8; 3]| f32::from(pixel[channel]) - luma(pixel);
                let mean = pixels.iter().map(|&pixel| difference(pixel)).sum::<f32>() / 4.0;
                (128.5 + 224.0 / 255.0 * mean / scale) as u8
            };
            let [red, blue] = [0, 2];
            frame.u.push(chroma(blue, 1.8556));
            frame.v.push(chroma(red, 1.5748));
        }
    }
    frame
}

/// Luma (0 to 255) of a pixel (ITU-R BT.709, full range).
fn luma([r, g, b]: [u8; 3]) -> f32 {
    0.2126 * f32::from(r) + 0.7152 * f32::from(g) + 0.0722 * f32::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nal_units_are_found_for_both_start_codes() {
        let stream = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3, 0, 0, 0, 1, 0x65, 9];
        let found: Vec<&[u8]> = nal_units(&stream).collect();
        assert_eq!(found, [&[0x67, 1, 2][..], &[0x68, 3], &[0x65, 9]]);
    }

    #[test]
    fn grey_has_neutral_chroma_and_white_has_luma_235() {
        let of = |grey: u8| {
            let frame = yuv_frame(&Image::filled(4, 2, [grey; 3]));
            (frame.y[0], frame.u[0], frame.v[1])
        };
        assert_eq!((of(0), of(255), of(128)), ((16, 128, 128), (235, 128, 128), (126, 128, 128)));
        let red = yuv_frame(&Image::filled(2, 2, [255, 0, 0]));
        assert_eq!((red.y[0], red.u[0], red.v[0]), (63, 102, 240));
    }
}
