//! Films of runs that were made up.

use super::support::{opened, run, warm_cube};
use resile_render::{
    Apng, Coloring, EncodeError, Film, FilmError, FilmFile, FilmOptions, Gif, Image, Mp4, Overlay,
    Palette, SectionEffect, color,
};
use std::ops::ControlFlow;

const SIZE: [usize; 2] = [96, 64];
const TIMES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn options() -> FilmOptions {
    FilmOptions { size: SIZE, ..FilmOptions::default() }
}

#[derive(Debug, Default)]
struct Kept(Vec<Image>);

impl FilmFile for Kept {
    fn add(&mut self, image: &Image) -> Result<(), EncodeError> {
        self.0.push(image.clone());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Ok(())
    }
}

fn pictures(film: &Film<'_>) -> Vec<Image> {
    let mut kept = Kept::default();
    let done =
        film.shoot(&mut kept, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(done, kept.0.len());
    kept.0
}

fn film(run: &resile_record::Playback, options: FilmOptions) -> Film<'_> {
    Film::new(run, options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn film_has_one_picture_per_frame_in_order() {
    let place = run(&TIMES);
    let run = opened(&place);
    let film = film(&run, options());
    assert_eq!((film.pictures(), film.rate()), (5, 4.0));
    let pictures = pictures(&film);
    for (number, picture) in pictures.iter().enumerate() {
        assert_eq!(*picture, film.picture(number).expect("it can be drawn"), "{number}");
    }
    assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]), "something moves in all of them");
}

#[test]
fn film_interpolates_linearly_between_frames() {
    // What moves evenly is the same, however many frames there are.
    let (few, many) = (run(&[0.0, 1.0]), run(&TIMES));
    let (few, many) = (opened(&few), opened(&many));
    let options = FilmOptions { rate: Some(4.0), ..options() };
    let (few, many) = (film(&few, options.clone()), film(&many, options));
    for number in 0..5 {
        let [a, b] = [&few, &many].map(|film| film.picture(number).expect("it can be drawn"));
        let off = a.rgba.iter().zip(&b.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off < Some(30), "picture {number} is off by {off:?}");
        let same = a.rgba.iter().zip(&b.rgba).filter(|(a, b)| a.abs_diff(**b) < 2).count();
        assert!(same * 100 > a.rgba.len() * 98, "picture {number}: {same} bytes are the same");
    }
}

#[test]
fn films_have_equal_bits_for_any_number_of_threads() {
    let place = run(&TIMES);
    let run = opened(&place);
    let overlays = [Overlay::Text, Overlay::Energies].into();
    let coloring = Coloring::Field("speed".to_owned());
    let options = FilmOptions { overlays, coloring, orbit: 90.0, ..options() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started").install(|| pictures(&film(&run, options.clone())))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn cancelled_film_stops() {
    let place = run(&(0..40).map(|n| f64::from(n) * 0.025).collect::<Vec<_>>());
    let run = opened(&place);
    let mut kept = Kept::default();
    let film = film(&run, options());
    let done = film.shoot(&mut kept, &mut |_| ControlFlow::Break(())).expect("it can be drawn");
    assert!(done == kept.0.len() && done < film.pictures(), "{done}");
}

#[test]
fn invalid_options_are_rejected_with_the_valid_choices() {
    let place = run(&TIMES);
    let run = opened(&place);
    let refused = |options: FilmOptions, words: &[&str]| {
        let error = Film::new(&run, options).expect_err("it cannot be made").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let name = |name: &str| Some(name.to_owned());
    refused(
        FilmOptions { follow: name("ball"), ..options() },
        &["\"ball\"", "\"solid\", \"spring\""],
    );
    let coloring = Coloring::Field("stress".to_owned());
    refused(FilmOptions { coloring, ..options() }, &["\"stress\"", "body, speed"]);
    for size in [[0, 64], [64, 8], [100_000, 64]] {
        refused(FilmOptions { size, ..options() }, &["from 16 to 8192 pixels"]);
    }
    refused(FilmOptions { from: Some(2.0), ..options() }, &["from 0 s to 1 s"]);
    refused(FilmOptions { rate: Some(0.0), ..options() }, &["the rate cannot be 0"]);
    refused(FilmOptions { speed: f64::NAN, ..options() }, &["the speed cannot be NaN"]);
    refused(FilmOptions { speed: 1e-9, ..options() }, &["pictures", "speed higher"]);
    refused(FilmOptions { view: Some([0.0; 3]), ..options() }, &["direction"]);
    for section in [([0.0; 3], 1.0), ([1.0, 0.0, 0.0], f64::INFINITY)] {
        refused(FilmOptions { section: Some(section), ..options() }, &["four numbers"]);
    }
}

#[test]
fn section_that_misses_everything_is_known() {
    let place = run(&TIMES);
    let run = opened(&place);
    let effect = |normal: [f64; 3], offset: f64| {
        let section = Some((normal, offset));
        Film::new(&run, FilmOptions { section, ..options() }).expect("a film").section_effect()
    };
    assert_eq!(effect([0.0, 2.0, 0.0], 0.2), Some(SectionEffect::Cuts));
    // The tetrahedron moves from x = 0 to x = 1.2 m.
    assert_eq!(effect([1.0, 0.0, 0.0], 1.0), Some(SectionEffect::Cuts));
    let Some(SectionEffect::CutsNothing { nearest }) = effect([1.0, 0.0, 0.0], 1.5) else {
        panic!("all is kept")
    };
    assert!((nearest - 0.3).abs() < 1e-5, "{nearest}");
    let Some(SectionEffect::RemovesEverything { nearest }) = effect([1.0, 0.0, 0.0], -0.5) else {
        panic!("all is removed")
    };
    assert!((nearest - 0.5).abs() < 1e-5, "{nearest}");
    let film = Film::new(&run, options()).expect("a film");
    assert_eq!(film.section_effect(), None);
}

#[test]
fn energy_overlay_without_a_history_is_rejected() {
    let place = run(&TIMES);
    std::fs::remove_file(place.path().join("history.csv")).expect("it is there");
    let run = opened(&place);
    let overlays = [Overlay::Text].into();
    let error = Film::new(&run, FilmOptions { overlays, ..options() }).expect_err("no history");
    assert!(matches!(error, FilmError::History(_)), "{error}");
    assert!(Film::new(&run, options()).is_ok(), "they were not asked for");
}

/// The mean distance of the bytes of two pictures.
fn off(a: &[u8], b: &[u8]) -> f64 {
    let sum: u64 = a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

#[test]
fn gif_reads_back_with_times_and_pictures() {
    let place = run(&TIMES);
    let run = opened(&place);
    let film = film(&run, FilmOptions { rate: Some(30.0), ..options() });
    let palette = Palette::new(&film.samples().expect("they can be drawn"));
    let mut bytes = Vec::new();
    let mut file = Box::new(Gif::new(&mut bytes, SIZE, film.rate(), palette).expect("it begins"));
    film.shoot(&mut *file, &mut |_| ControlFlow::Continue(())).expect("it can be made");
    file.finish().expect("a vector takes all bytes");
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = decoder.read_info(&bytes[..]).expect("it is a GIF");
    assert_eq!([decoder.width(), decoder.height()].map(usize::from), SIZE);
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let (mut shown, mut hundredths, mut number) = (vec![0; 4 * SIZE[0] * SIZE[1]], 0, 0);
    while let Some(frame) = decoder.read_next_frame().expect("it is whole") {
        hundredths += u32::from(frame.delay);
        for (k, pixel) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
            let width = usize::from(frame.width);
            let [x, y] = [usize::from(frame.left) + k % width, usize::from(frame.top) + k / width];
            if pixel[3] > 0 {
                shown[4 * (y * SIZE[0] + x)..][..4].copy_from_slice(pixel);
            }
        }
        let off = off(&shown, &film.picture(number).expect("it can be drawn").rgba);
        assert!(off < 4.0, "picture {number} is off by {off}");
        number += 1;
    }
    assert_eq!((number, film.pictures()), (31, 31));
    assert_eq!(hundredths, 103, "31 pictures of a thirtieth of a second");
}

#[test]
fn apng_reads_back_bit_for_bit() {
    let place = run(&TIMES);
    let run = opened(&place);
    let film = film(&run, options());
    let mut bytes = Vec::new();
    let file = Apng::new(&mut bytes, SIZE, film.pictures(), film.rate());
    let mut file = Box::new(file.expect("it begins"));
    film.shoot(&mut *file, &mut |_| ControlFlow::Continue(())).expect("it can be made");
    file.finish().expect("a vector takes all bytes");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().expect("a PNG");
    let frames = reader.info().animation_control().expect("it is animated").num_frames;
    assert_eq!(frames, 5);
    let mut buffer = vec![0; reader.output_buffer_size().expect("it has a size")];
    for number in 0..5 {
        reader.next_frame(&mut buffer).expect("it is whole");
        let picture = film.picture(number).expect("it can be drawn");
        assert!(picture.rgb().flatten().eq(buffer.iter().copied()), "picture {number}");
        assert_eq!(reader.info().frame_control().expect("a time").delay_num, 250);
    }
}

/// The boxes of an MP4 file that have this path, the file itself left out.
fn boxes<'a>(file: &'a [u8], path: &[&[u8; 4]]) -> Vec<&'a [u8]> {
    let Some((kind, rest)) = path.split_first() else { return vec![file] };
    let (mut found, mut left) = (Vec::new(), file);
    while let Some((length, _)) = left.split_first_chunk::<4>() {
        let (whole, after) = left.split_at(u32::from_be_bytes(*length) as usize);
        if whole[4..8] == **kind {
            found.extend(boxes(&whole[8..], rest));
        }
        left = after;
    }
    found
}

#[test]
fn mp4_sample_table_addresses_every_picture() {
    let place = run(&TIMES);
    let run = opened(&place);
    let film = film(&run, FilmOptions { rate: Some(30.0), ..options() });
    let mut bytes = Vec::new();
    let mut file = Box::new(Mp4::new(&mut bytes, SIZE, film.rate()).expect("it begins"));
    film.shoot(&mut *file, &mut |_| ControlFlow::Continue(())).expect("it can be made");
    file.finish().expect("a vector takes all bytes");
    let table = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
    let numbers = |name: &'static [u8; 4]| -> Vec<u32> {
        let path = [&table[..], &[name]].concat();
        let words = boxes(&bytes, &path)[0].as_chunks().0.iter();
        words.map(|&word| u32::from_be_bytes(word)).collect()
    };
    let lengths = &numbers(b"stsz")[3..];
    assert_eq!((lengths.len(), numbers(b"stts")), (31, vec![0, 1, 31, 1000]));
    assert_eq!(boxes(&bytes, &[b"moov", b"mvhd"])[0][12..16], 30_000_u32.to_be_bytes());
    let mut at = numbers(b"stco")[2] as usize;
    for (number, &length) in lengths.iter().enumerate() {
        let picture = &bytes[at..at + length as usize];
        let unit = u32::from_be_bytes(picture[..4].try_into().expect("a length")) as usize;
        assert!(unit + 4 <= picture.len(), "picture {number}");
        let kind = picture[4] & 31;
        let is_key = numbers(b"stss")[2..].contains(&(number as u32 + 1));
        assert_eq!(kind == 5, is_key, "picture {number} is of kind {kind}");
        at += length as usize;
    }
    assert_eq!(at, bytes.len(), "there is nothing after the last picture");
    assert_eq!(boxes(&bytes, &[b"mdat"])[0].len(), lengths.iter().sum::<u32>() as usize);
}

#[test]
fn mp4_has_the_decoder_configuration_of_its_profile() {
    let mut bytes = Vec::new();
    let mut file = Box::new(Mp4::new(&mut bytes, SIZE, 25.0).expect("it begins"));
    file.add(&Image::filled(SIZE[0], SIZE[1], [9, 99, 200])).expect("it is of the film's size");
    file.finish().expect("a vector takes all bytes");
    let described = boxes(&bytes, &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"])[0];
    // After the numbers of the table and the fields of `avc1` come the boxes in it.
    let decoder = boxes(&described[8 + 86..], &[b"avcC"])[0];
    let mut left = &decoder[5..];
    for kind in [7, 8] {
        assert_eq!(left[0] & 31, 1, "one set of kind {kind}");
        let length = usize::from(u16::from_be_bytes([left[1], left[2]]));
        assert_eq!(left[3] & 31, kind);
        left = &left[3 + length..];
    }
    // ISO/IEC 14496-15, 5.3.3.1.2: 4:2:0, eight bits twice, no extension of the sequence.
    let is_high = [100, 110, 122, 144].contains(&decoder[1]);
    assert_eq!(left, if is_high { &[0xfd, 0xf8, 0xf8, 0][..] } else { &[] });
}

#[test]
fn encoders_reject_pictures_beyond_their_limits() {
    let palette = || Palette::new(&[Image::filled(8, 8, [9; 3])]);
    let fast = Gif::new(Vec::new(), SIZE, 60.0, palette()).expect_err("too fast").to_string();
    assert!(fast.contains("at most 50"), "{fast}");
    let odd = Mp4::new(Vec::new(), [65, 64], 25.0).expect_err("odd").to_string();
    assert!(odd.contains("even sides"), "{odd}");
    let mut gif = Gif::new(Vec::new(), SIZE, 25.0, palette()).expect("it begins");
    let other = gif.add(&Image::filled(8, 8, [0; 3]));
    assert!(matches!(other, Err(EncodeError::OtherSize { .. })), "{other:?}");
}

#[test]
fn value_range_requires_a_field_and_ascending_ends() {
    let place = run(&TIMES);
    let run = opened(&place);
    let of = |coloring: Coloring, range: [f32; 2]| {
        Film::new(&run, FilmOptions { coloring, range: Some(range), ..options() })
    };
    let speed = || Coloring::Field("speed".to_owned());
    assert!(of(speed(), [0.0, 2.5]).is_ok());
    assert!(matches!(of(Coloring::Body, [0.0, 2.5]), Err(FilmError::RangeOfNothing)));
    for range in [[1.0, 1.0], [2.0, 1.0], [0.0, f32::NAN], [0.0, f32::INFINITY]] {
        assert!(matches!(of(speed(), range), Err(FilmError::Range { .. })), "{range:?}");
    }
}

/// The field is known only at points inside the cube, so its surface has one colour. On the cut through the centre the
/// value falls from one at the centre to zero at the border.
#[test]
fn cut_face_of_a_solid_shows_the_field_inside_it() {
    let place = warm_cube();
    let run = opened(&place);
    let picture = |offset: f64| {
        let film = Film::new(
            &run,
            FilmOptions {
                coloring: Coloring::Field("heat".to_owned()),
                range: Some([0.0, 1.0]),
                section: Some(([0.0, 0.0, 1.0], offset)),
                view: Some([0.0, 0.0, 1.0]),
                size: [384, 256],
                ..options()
            },
        );
        film.expect("a film").picture(0).expect("a picture")
    };
    let image = picture(0.5);
    let Image { width, height, .. } = image;
    let bytes = |value: f32| color::of_value(value).to_array().map(color::encoded);
    let near = |seen: [u8; 3], value: f32| {
        let expected = bytes(value);
        (0..3).all(|k| seen[k].abs_diff(expected[k]) <= 12)
    };
    let row: Vec<[u8; 3]> = (0..width).map(|x| image.pixel(x, height / 2)).collect();
    let hot: Vec<usize> = (0..width).filter(|&x| near(row[x], 1.0)).collect();
    let cold: Vec<usize> = (0..width).filter(|&x| near(row[x], 0.0)).collect();
    assert!(!hot.is_empty(), "the centre shows the value of the inner point");
    let middle = (hot[0] + hot[hot.len() - 1]) / 2;
    assert!(cold.iter().any(|&x| x < middle) && cold.iter().any(|&x| x > middle), "{cold:?}");
    // The value is linear in between.
    let border = cold.iter().copied().rfind(|&x| x > middle).expect("a border");
    let halfway = (middle + border) / 2;
    assert!(near(row[halfway], 0.5), "{:?}", row[halfway]);
    // Beyond the centre the plane meets values of less than one half only.
    let other = picture(0.2);
    let hottest = (0..width).any(|x| near(other.pixel(x, height / 2), 1.0));
    assert!(!hottest);
}
