//! MP4 files of one H.264 track (ISO/IEC 14496-12 and -15), with the index before the images, so that playback
//! can start while the file is loading.

use std::io::{self, Write};

/// The encoded track of a film.
#[derive(Debug)]
pub(super) struct Track {
    /// Width and height of images (pixels).
    pub(super) size: [usize; 2],
    /// Images per second.
    pub(super) rate: f64,
    /// Sequence and picture parameter sets, without start codes.
    pub(super) parameters: [Vec<u8>; 2],
    /// Coded images in order.
    pub(super) pictures: Vec<CodedPicture>,
}

/// A coded image.
#[derive(Debug)]
pub(super) struct CodedPicture {
    /// NAL units, each preceded by its length.
    pub(super) bytes: Vec<u8>,
    /// Whether it is a key frame, decodable on its own.
    pub(super) is_key: bool,
}

/// Profiles with 8x8 transforms (ITU-T H.264, annex A.2).
const HIGH_PROFILES: [u8; 4] = [100, 110, 122, 144];
/// Time units between images.
const TICKS_PER_PICTURE: u32 = 1000;
/// Bytes of the length and type of a box.
const BOX_HEADER_LENGTH: usize = 8;

impl Track {
    /// Writes the file: its type, the index, and the data of all images.
    pub(super) fn write(&self, mut writer: impl Write) -> io::Result<()> {
        let file_type = box_of(b"ftyp", &[b"isom", &[0, 0, 2, 0], b"isomiso2avc1mp41"]);
        let data_length: usize = self.pictures.iter().map(|picture| picture.bytes.len()).sum();
        // The length of the index does not depend on the position of the images.
        let index_length = self.index(0).len();
        let data_offset = file_type.len() + index_length + BOX_HEADER_LENGTH;
        let too_long = || io::Error::other("an MP4 file cannot be longer than 4 GiB");
        u32::try_from(data_offset + data_length).map_err(|_| too_long())?;
        writer.write_all(&file_type)?;
        writer.write_all(&self.index(data_offset as u32))?;
        writer.write_all(&((data_length + BOX_HEADER_LENGTH) as u32).to_be_bytes())?;
        writer.write_all(b"mdat")?;
        self.pictures.iter().try_for_each(|picture| writer.write_all(&picture.bytes))?;
        writer.flush()
    }

    /// The movie box (`moov`), which describes the track. `data_offset` is the position of the first image in the file
    /// (bytes).
    fn index(&self, data_offset: u32) -> Vec<u8> {
        let ticks_per_second = (self.rate * f64::from(TICKS_PER_PICTURE)).round() as u32;
        let duration = TICKS_PER_PICTURE * self.pictures.len() as u32;
        // Sides and the elements of the matrix are fixed-point numbers.
        let [width, height] = self.size.map(|side| (side as u32) << 16);
        let identity_matrix = words(&[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]);
        let movie_fields =
            words(&[0, 0, 0, ticks_per_second, duration, 0x1_0000, 0x0100_0000, 0, 0]);
        let next_track = [vec![0; 24], words(&[2])].concat();
        let movie_header = box_of(b"mvhd", &[&movie_fields, &identity_matrix, &next_track]);
        let track_fields = words(&[7, 0, 0, 1, 0, duration, 0, 0, 0, 0]);
        let track_header =
            box_of(b"tkhd", &[&track_fields, &identity_matrix, &words(&[width, height])]);
        let media_fields = words(&[0, 0, 0, ticks_per_second, duration, 0x55c4_0000]);
        let media_header = box_of(b"mdhd", &[&media_fields]);
        let handler = box_of(b"hdlr", &[&[0; 8], b"vide", &[0; 12], b"film\0"]);
        let video_header = box_of(b"vmhd", &[&words(&[1, 0, 0])]);
        // The images are in this file.
        let data_location = box_of(b"url ", &[&words(&[1])]);
        let data_references = box_of(b"dref", &[&words(&[0, 1]), &data_location]);
        let data_information = box_of(b"dinf", &[&data_references]);
        let sample_table = self.sample_table(data_offset);
        let media_information = box_of(b"minf", &[&video_header, &data_information, &sample_table]);
        let media = box_of(b"mdia", &[&media_header, &handler, &media_information]);
        box_of(b"moov", &[&movie_header, &box_of(b"trak", &[&track_header, &media])])
    }

    /// The sample table box (`stbl`): times, lengths and positions of all images.
    fn sample_table(&self, data_offset: u32) -> Vec<u8> {
        let count = self.pictures.len() as u32;
        let numbered_pictures = (1..).zip(&self.pictures);
        let key_numbers: Vec<u32> =
            numbered_pictures.filter(|(_, p)| p.is_key).map(|(number, _)| number).collect();
        let key_frames = [vec![0, key_numbers.len() as u32], key_numbers].concat();
        let lengths = self.pictures.iter().map(|p| p.bytes.len() as u32);
        let sample_sizes: Vec<u32> = [0, 0, count].into_iter().chain(lengths).collect();
        box_of(
            b"stbl",
            &[
                &box_of(b"stsd", &[&words(&[0, 1]), &self.sample_entry()]),
                &box_of(b"stts", &[&words(&[0, 1, count, TICKS_PER_PICTURE])]),
                &box_of(b"stss", &[&words(&key_frames)]),
                // All images are in one chunk.
                &box_of(b"stsc", &[&words(&[0, 1, 1, count, 1])]),
                &box_of(b"stsz", &[&words(&sample_sizes)]),
                &box_of(b"stco", &[&words(&[0, 1, data_offset])]),
            ],
        )
    }

    /// The sample entry box (`avc1`): size, colour space and decoder configuration, which a decoder requires before the
    /// first image.
    fn sample_entry(&self) -> Vec<u8> {
        let [sequence, picture] = &self.parameters;
        let length = |set: &[u8]| (set.len() as u16).to_be_bytes();
        let profile = &sequence[1..4];
        // The configuration declares length fields of four bytes and one parameter set of each kind.
        let decoder = box_of(
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
                profile_extension(sequence[1]),
            ],
        );
        // ITU-R BT.709, limited range.
        let colors = box_of(b"colr", &[b"nclx", &[0, 1, 0, 1, 0, 1, 0]]);
        let [width, height] = self.size.map(|side| (side as u16).to_be_bytes());
        let resolution = words(&[0x48_0000, 0x48_0000, 0]);
        box_of(
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

/// Additional fields of the decoder configuration for the High profiles (ISO/IEC 14496-15, 5.3.3.1.2): chroma at half
/// resolution, eight bits of luma and chroma, and no further parameter sets. Empty for other profiles.
fn profile_extension(profile: u8) -> &'static [u8] {
    if HIGH_PROFILES.contains(&profile) { &[0xfc | 1, 0xf8, 0xf8, 0] } else { &[] }
}

/// An MP4 box: its length, its type, and the concatenated contents.
fn box_of(box_type: &[u8; 4], contents: &[&[u8]]) -> Vec<u8> {
    let length = BOX_HEADER_LENGTH + contents.iter().map(|content| content.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend((length as u32).to_be_bytes());
    bytes.extend(box_type);
    contents.iter().for_each(|content| bytes.extend_from_slice(content));
    bytes
}

/// Bytes of 32-bit integers in big-endian order, as MP4 stores them.
fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}
