//! MP4 files of one H.264 track (ISO/IEC 14496-12 and -15), with the index before the images, so that playback
//! can start while the file is loading.

use std::io::{self, Write};

/// The encoded track of a film.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) size: [usize; 2],
    /// Images per second.
    pub(super) rate: f64,
    /// Sequence and picture parameter sets, without start codes.
    pub(super) parameters: [Vec<u8>; 2],
    /// Coded images in order.
    pub(super) pictures: Vec<Coded>,
}

#[derive(Debug)]
pub(super) struct Coded {
    /// NAL units, each preceded by its length.
    pub(super) bytes: Vec<u8>,
    /// Whether it is a key frame, decodable on its own.
    pub(super) is_key: bool,
}

/// Profiles with 8x8 transforms (ITU-T H.264, annex A.2).
const HIGH_PROFILES: [u8; 4] = [100, 110, 122, 144];
/// Time units between images.
const TICKS: u32 = 1000;

impl Track {
    pub(super) fn write(&self, mut writer: impl Write) -> io::Result<()> {
        let kind = container(b"ftyp", &[b"isom", &[0, 0, 2, 0], b"isomiso2avc1mp41"]);
        let data: usize = self.pictures.iter().map(|picture| picture.bytes.len()).sum();
        // The length of the index does not depend on the position of the images.
        let index = self.index(0).len();
        let first = kind.len() + index + 8;
        let too_long = || io::Error::other("an MP4 file cannot be longer than 4 GiB");
        u32::try_from(first + data).map_err(|_| too_long())?;
        writer.write_all(&kind)?;
        writer.write_all(&self.index(first as u32))?;
        writer.write_all(&(data as u32 + 8).to_be_bytes())?;
        writer.write_all(b"mdat")?;
        self.pictures.iter().try_for_each(|picture| writer.write_all(&picture.bytes))?;
        writer.flush()
    }

    /// The index, which states the positions and display of the images; the first one is at offset `first`.
    fn index(&self, first: u32) -> Vec<u8> {
        let scale = (self.rate * f64::from(TICKS)).round() as u32;
        let duration = TICKS * self.pictures.len() as u32;
        let [width, height] = self.size.map(|side| (side as u32) << 16);
        let matrix = numbers(&[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]);
        let header = numbers(&[0, 0, 0, scale, duration, 0x1_0000, 0x0100_0000, 0, 0]);
        let track = numbers(&[7, 0, 0, 1, 0, duration, 0, 0, 0, 0]);
        let media = numbers(&[0, 0, 0, scale, duration, 0x55c4_0000]);
        let handler = container(b"hdlr", &[&[0; 8], b"vide", &[0; 12], b"film\0"]);
        let place = container(b"url ", &[&numbers(&[1])]);
        let places = container(b"dinf", &[&container(b"dref", &[&numbers(&[0, 1]), &place])]);
        let look = container(b"vmhd", &[&numbers(&[1, 0, 0])]);
        let information = container(b"minf", &[&look, &places, &self.table(first)]);
        let media = container(b"mdia", &[&container(b"mdhd", &[&media]), &handler, &information]);
        let track = container(b"tkhd", &[&track, &matrix, &numbers(&[width, height])]);
        let next = [vec![0; 24], numbers(&[2])].concat();
        let header = container(b"mvhd", &[&header, &matrix, &next]);
        container(b"moov", &[&header, &container(b"trak", &[&track, &media])])
    }

    /// Times, lengths and offsets of all images.
    fn table(&self, first: u32) -> Vec<u8> {
        let count = self.pictures.len() as u32;
        let keys: Vec<u32> =
            (1..).zip(&self.pictures).filter(|(_, p)| p.is_key).map(|(number, _)| number).collect();
        let lengths: Vec<u32> = self.pictures.iter().map(|p| p.bytes.len() as u32).collect();
        let keys = [vec![0, keys.len() as u32], keys].concat();
        let lengths = [vec![0, 0, count], lengths].concat();
        container(
            b"stbl",
            &[
                &container(b"stsd", &[&numbers(&[0, 1]), &self.description()]),
                &container(b"stts", &[&numbers(&[0, 1, count, TICKS])]),
                &container(b"stss", &[&numbers(&keys)]),
                // All images are in one chunk.
                &container(b"stsc", &[&numbers(&[0, 1, 1, count, 1])]),
                &container(b"stsz", &[&numbers(&lengths)]),
                &container(b"stco", &[&numbers(&[0, 1, first])]),
            ],
        )
    }

    /// Decoder configuration, required before the first image.
    fn description(&self) -> Vec<u8> {
        let [sequence, picture] = &self.parameters;
        let length = |set: &[u8]| (set.len() as u16).to_be_bytes();
        let profile = &sequence[1..4];
        // Length fields of four bytes; one parameter set of each kind.
        let decoder = container(
            b"avcC",
            &[
                &[1],
                profile,
                &[0xff, 0xe1],
                &length(sequence),
                sequence,
                &[1],
                &length(picture),
                picture,
                extension(sequence[1]),
            ],
        );
        // ITU-R BT.709, limited range.
        let colors = container(b"colr", &[b"nclx", &[0, 1, 0, 1, 0, 1, 0]]);
        let [width, height] = self.size.map(|side| (side as u16).to_be_bytes());
        let resolution = numbers(&[0x48_0000, 0x48_0000, 0]);
        container(
            b"avc1",
            &[
                &[0, 0, 0, 0, 0, 0, 0, 1],
                &[0; 16],
                &width,
                &height,
                &resolution,
                &[0, 1],
                &[0; 32],
                &[0, 24, 0xff, 0xff],
                &decoder,
                &colors,
            ],
        )
    }
}

/// Fields that the High profiles repeat (ISO/IEC 14496-15, 5.3.3.1.2): chroma at half resolution, eight bits of
/// luma and chroma, and no further parameter sets.
fn extension(profile: u8) -> &'static [u8] {
    if HIGH_PROFILES.contains(&profile) { &[0xfc | 1, 0xf8, 0xf8, 0] } else { &[] }
}

/// An MP4 box: length, type, and contents.
fn container(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend((length as u32).to_be_bytes());
    out.extend(kind);
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}
