//! What a page holds of a run, read back by other code than that of the page.

mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use resile_math::Vec3;
use resile_record::{Playback, Role};
use serde_json::Value;
use std::io::Read as _;
use support::{FRAMES, Names, Run, row};

/// The blocks of a page, in their order: what stands in the tag, and the content.
fn blocks<'p>(page: &'p str) -> Vec<(&'p str, &'p str)> {
    let pieces = page.split("<script type=\"application/").skip(1);
    let block = |piece: &'p str| {
        let (tag, rest) = piece.split_once('>').expect("a tag ends");
        (tag, rest.split_once("</script>").expect("a block ends").0)
    };
    pieces.map(block).collect()
}

fn header(page: &str) -> Value {
    let (_, json) = blocks(page)[0];
    assert!(!json.contains('<'), "nothing in it can be markup");
    serde_json::from_str(json).expect("it is JSON")
}

fn unpacked(content: &str) -> Vec<u8> {
    let packed = STANDARD.decode(content).expect("it is base64");
    let mut bytes = Vec::new();
    DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("it is deflated");
    bytes
}

fn singles(bytes: &[u8]) -> Vec<f64> {
    let numbers = bytes.as_chunks::<4>().0.iter();
    numbers.map(|&b| f64::from(f32::from_le_bytes(b))).collect()
}

/// What is decoded of the frames: for each frame poses, differences and levels.
struct Decoded {
    poses: Vec<Vec<f64>>,
    differences: Vec<Vec<i16>>,
    /// Of the first field.
    levels: Vec<Vec<i16>>,
    /// Of the first field of arrows.
    arrows: Vec<Vec<i16>>,
    /// Of the points inside of solids.
    inside_differences: Vec<Vec<i16>>,
    /// Of the points inside of solids and the first field.
    inside_levels: Vec<Vec<i16>>,
}

fn decoded(page: &str, header: &Value, vertices: usize) -> Decoded {
    let groups = header["groups"].as_array().expect("a list");
    let frames = blocks(page).into_iter().filter(|(tag, _)| tag.ends_with("class=\"frames\""));
    let moving = header["bodies"].as_array().expect("a list").iter();
    let poses_size = 48 * moving.filter(|body| body["quantum"].is_number()).count();
    let mut all = Decoded {
        poses: vec![],
        differences: vec![],
        levels: vec![],
        arrows: vec![],
        inside_differences: vec![],
        inside_levels: vec![],
    };
    let inside = header["inside"]["points"].as_u64().unwrap_or(0) as usize;
    let (fields, arrows) = (&header["fields"], &header["arrows"]);
    let [fields, arrows] = [fields, arrows].map(|list| list.as_array().expect("a list").len());
    let (mut others, mut inside_others) = (Vec::new(), Vec::new());
    for ((_, content), count) in frames.zip(groups) {
        let count = count.as_u64().expect("a number") as usize;
        let bytes = unpacked(content);
        let (poses, mut rest) = bytes.split_at(count * poses_size);
        all.poses.extend(poses.chunks(poses_size).map(singles));
        others.resize(fields - 1, Vec::new());
        inside_others.resize(fields - 1, Vec::new());
        let mut tracks = vec![(&mut all.differences, 3 * vertices), (&mut all.levels, vertices)];
        tracks.extend(others.iter_mut().map(|rows| (rows, vertices)));
        tracks.extend(
            (0..arrows).map(|_| 3 * vertices).zip([&mut all.arrows]).map(|(n, rows)| (rows, n)),
        );
        tracks
            .extend([(&mut all.inside_differences, 3 * inside), (&mut all.inside_levels, inside)]);
        tracks.extend(inside_others.iter_mut().map(|rows| (rows, inside)));
        for (rows, size) in tracks {
            let (low, behind) = rest.split_at(count * size);
            let (high, behind) = behind.split_at(count * size);
            rest = behind;
            for frame in 0..count {
                let last = rows.last().cloned().unwrap_or_else(|| vec![0; size]);
                let step = |i: usize| {
                    let at = frame * size + i;
                    let coded = u16::from_le_bytes([low[at], high[at]]);
                    ((coded >> 1) ^ 0_u16.wrapping_sub(coded & 1)).cast_signed()
                };
                rows.push((0..size).map(|i| last[i].wrapping_add(step(i))).collect());
            }
        }
        assert!(rest.is_empty(), "a block holds nothing else");
    }
    all
}

#[test]
fn page_positions_and_speeds_are_within_quantisation_error() {
    let run = Run::new(&Names::default());
    let (page, written) = run.page();
    let header = header(&page);
    let playback = Playback::open(run.folder.path()).expect("it was written");
    let vertices = playback.frame(0).expect("it can be read").positions.len();
    let shape = unpacked(blocks(&page)[1].1);
    let reference = singles(&shape[..12 * vertices]);
    let decoded = decoded(&page, &header, vertices);
    assert_eq!((written.frames, decoded.differences.len()), (FRAMES, FRAMES));
    let field = &header["fields"][0];
    assert_eq!((field["name"].as_str(), field["unit"].as_str()), (Some("speed"), Some("m/s")));
    let most = field["most"].as_f64().expect("a number");
    let (mut worst, mut worst_level) = (0.0_f64, 0.0_f64);
    for number in 0..FRAMES {
        let frame = playback.frame(number).expect("it can be read");
        let velocity = frame.field("velocity").expect("frames have it").values.as_chunks::<3>().0;
        for (b, body) in playback.bodies().iter().enumerate() {
            let quantum = header["bodies"][b]["quantum"].as_f64().expect("a number");
            assert!(quantum <= 2.0 * written.error, "the largest is told");
            let pose = &decoded.poses[number][12 * b..][..12];
            for v in body.vertices.clone() {
                for k in 0..3 {
                    let row = &pose[4 * k..];
                    let moved: f64 = (0..3).map(|c| row[c] * reference[3 * v + c]).sum();
                    let difference = f64::from(decoded.differences[number][3 * v + k]);
                    let position = moved + row[3] + quantum * difference;
                    let off = (position - f64::from(frame.positions[v][k])).abs();
                    worst = worst.max(off / quantum);
                }
                let speed = velocity[v].map(f64::from).iter().map(|x| x * x).sum::<f64>().sqrt();
                let level = f64::from(decoded.levels[number][v]);
                worst_level = worst_level.max((speed / most * 1023.0 - level).abs());
            }
        }
    }
    assert!(worst <= 0.5 + 1e-9, "{worst} quanta");
    assert!(worst > 0.49, "something is rounded: {worst}");
    assert!(worst_level <= 0.5 + 1e-9, "{worst_level} levels");
    // A ten thousandth of the size of a body is less than a pixel of it.
    assert!(written.error < 1e-4 * 0.2, "{}", written.error);
}

/// The cube of 3 x 3 x 3 cells has 64 nodes, of which 8 are inside.
#[test]
fn points_inside_of_solids_are_within_quantisation_error() {
    let run = Run::new(&Names::default());
    let (page, _) = run.page();
    let header = header(&page);
    let counts = [&header["inside"]["points"], &header["inside"]["tetrahedra"]];
    assert_eq!(counts.map(|count| count.as_u64()), [Some(8), Some(162)]);
    let playback = Playback::open(run.folder.path()).expect("it was written");
    let vertices = playback.points().len();
    let obstacles = playback.still().iter().filter(|still| still.body.role != Role::Plane);
    let still: usize = obstacles.map(|still| still.positions.len()).sum();
    let decoded = decoded(&page, &header, vertices);
    let block = blocks(&page).into_iter().find(|(tag, _)| tag.ends_with("id=\"inside\""));
    let bytes = unpacked(block.expect("the page has it").1);
    let words: Vec<u32> =
        bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    assert_eq!(words[..8], [0; 8], "all are of the cube");
    let reference = singles(&bytes[32..][..96]);
    // The corners of a tetrahedron are points of the file, whose numbers those of the page stand for.
    let tets = words[32..].as_chunks::<4>().0;
    let mut points = [0; 8];
    for (tet, of_file) in tets.iter().zip(playback.tetrahedra(0)) {
        for (corner, point) in tet.iter().zip(of_file) {
            match (*corner as usize).checked_sub(vertices + still) {
                Some(inner) => points[inner] = *point,
                None => assert_eq!(playback.points()[*corner as usize], *point),
            }
        }
    }
    let most = header["fields"][0]["most"].as_f64().expect("a number");
    let quantum = header["bodies"][0]["quantum"].as_f64().expect("a number");
    let (mut worst, mut worst_level) = (0.0_f64, 0.0_f64);
    for number in 0..FRAMES {
        let frame = playback.frame_at_points(number, &points).expect("it can be read");
        let velocity = frame.field("velocity").expect("frames have it").values.as_chunks::<3>().0;
        for v in 0..8 {
            for k in 0..3 {
                let row = &decoded.poses[number][4 * k..];
                let moved: f64 = (0..3).map(|c| row[c] * reference[3 * v + c]).sum();
                let difference = f64::from(decoded.inside_differences[number][3 * v + k]);
                let position = moved + row[3] + quantum * difference;
                worst = worst.max((position - f64::from(frame.positions[v][k])).abs() / quantum);
            }
            let speed = velocity[v].map(f64::from).iter().map(|x| x * x).sum::<f64>().sqrt();
            let level = f64::from(decoded.inside_levels[number][v]);
            worst_level = worst_level.max((speed / most * 1023.0 - level).abs());
        }
    }
    assert!(worst <= 0.5 + 1e-6, "{worst} quanta");
    assert!(worst_level <= 0.5 + 1e-9, "{worst_level} levels");
}

#[test]
fn arrows_have_the_force_direction_and_square_root_length() {
    let run = Run::with_forces();
    let page = run.page().0;
    let header = header(&page);
    let playback = Playback::open(run.folder.path()).expect("it was written");
    let vertices = playback.frame(0).expect("it can be read").positions.len();
    let decoded = decoded(&page, &header, vertices);
    let field = &header["arrows"][0];
    assert_eq!(field["name"], "contact_force");
    let number = |name: &str| field[name].as_f64().expect("a number");
    let (most, longest) = (number("most"), number("longest"));
    assert_eq!(
        (header["fields"][1]["name"].as_str(), decoded.arrows.len()),
        (Some("contact_force"), FRAMES)
    );
    let mut greatest = 0.0_f64;
    for (number, row) in decoded.arrows.iter().enumerate() {
        let frame = playback.frame(number).expect("it can be read");
        let forces =
            frame.field("contact_force").expect("frames have it").values.as_chunks::<3>().0;
        for (vertex, arrow) in row.as_chunks::<3>().0.iter().enumerate() {
            let force = Vec3::from(forces[vertex].map(f64::from));
            greatest = greatest.max(force.length());
            let arrow = Vec3::from(arrow.map(f64::from)) / longest;
            let back = arrow * arrow.length() * most;
            // A rounding of one of `longest` steps, of which the square is taken.
            let allowed = most * 2.0 * (arrow.length() + 1.0 / longest) * 3f64.sqrt() / longest;
            assert!((back - force).length() <= allowed, "{vertex} in {number}: {back} for {force}");
        }
    }
    assert!((most / greatest - 1.0).abs() < 1e-6, "{most} {greatest}");
    assert_eq!(Run::new(&Names::default()).page().0.matches("\"arrows\":[]").count(), 1);
}

#[test]
fn page_holds_the_history_in_single_precision() {
    let run = Run::new(&Names::default());
    let (page, _) = run.page();
    let history = &header(&page)["history"];
    let rows = history["rows"].as_u64().expect("a number") as usize;
    assert_eq!(rows, 2 * FRAMES - 2);
    let numbers = singles(&unpacked(blocks(&page)[2].1));
    let names = history["columns"].as_array().expect("a list");
    let column = |name: &str| {
        let index = names.iter().position(|known| known == name);
        &numbers[index.unwrap_or_else(|| panic!("no {name}")) * rows..][..rows]
    };
    for (i, step) in (1..=rows as u64).enumerate() {
        let row = row(step);
        let exact = |x: f64| f64::from(x as f32);
        assert_eq!((column("kinetic")[i], column("contact")[i]), (exact(row.kinetic), exact(1e-7)));
        for (name, value) in [("alpha", row.alpha), ("min_distance", row.min_distance)] {
            let read = column(name)[i];
            assert_eq!(Some(read).filter(|x| !x.is_nan()), value.map(exact), "{name}");
        }
    }
}

/// The numbers of a page are in SI in any case; its header says how to show them.
#[test]
fn page_names_the_units_of_a_scene_in_others_than_si() {
    let run = Run::new(&Names::default());
    let (si, _) = run.page();
    assert!(header(&si).get("units").is_none());
    let path = run.folder().join("history.csv");
    let text = std::fs::read_to_string(&path).expect("it was written");
    let labelled = text.replacen("kinetic,potential", "kinetic [mJ],potential [mJ]", 1);
    std::fs::write(&path, labelled).expect("the folder can be written");
    let units = &header(&run.page().0)["units"];
    for (unit, symbol, factor) in [("m", "mm", 1e3), ("m/s", "mm/s", 1e3), ("J", "mJ", 1e3)] {
        assert_eq!(
            (&units[unit]["symbol"], &units[unit]["factor"]),
            (&symbol.into(), &factor.into())
        );
    }
    assert!(units.get("N").is_none(), "newtons are the same");
}

#[test]
fn page_generation_is_deterministic() {
    let [a, b] = [0, 1].map(|_| Run::new(&Names::default()).page().0);
    assert_eq!(a, b);
}

#[test]
fn names_are_embedded_as_data() {
    let hostile = "</script><script>alert(1)</script><!-- \u{202e} \" \u{0} & \n";
    let mut names = Names { scene: hostile.to_owned(), ..Names::default() };
    names.bodies[0] = hostile.to_owned();
    names.bodies[4] = hostile.repeat(100);
    let (page, _) = Run::new(&names).page();
    let (plain, _) = Run::new(&Names::default()).page();
    let tags = |page: &str| page.matches('<').count();
    assert_eq!(tags(&page), tags(&plain), "there is no tag more");
    let header = header(&page);
    assert_eq!(header["title"], hostile);
    // Frames separate names by zeros, so a zero cannot come back.
    let name = header["bodies"][0]["name"].as_str().expect("text");
    assert!(name.contains("</script><script>alert(1)"), "{name:?}");
    assert!(header["planes"][0]["name"].as_str().expect("text").len() > 2000);
}

/// The relative luminance of a colour `#rrggbb` (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let channel = |k: usize| {
        let byte = u8::from_str_radix(&colour[2 * k + 1..2 * k + 3], 16).expect("two digits");
        let c = f64::from(byte) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
}

/// Text on all that it may stand on, in both themes, and what the play button shows: 4.5:1 (WCAG 2.2, criterion 1.4.3).
/// Nothing makes text fainter.
#[test]
fn text_contrasts_with_its_background() {
    let style = include_str!("../page/style.css");
    let mut themes = style.split("@media (prefers-color-scheme: dark)");
    let [light, dark] = [themes.next().expect("light"), themes.next().expect("dark")];
    let colour = |theme: &str, name: &str| {
        let start = theme.find(&format!("--{name}: #")).expect(name) + name.len() + 4;
        theme[start..start + 7].to_owned()
    };
    for theme in [light, dark] {
        let ratio = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|name| luminance(&colour(theme, name)));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        for text in ["text", "soft", "faint", "accent"] {
            for behind in ["paper", "picture", "hover", "plane"] {
                let ratio = ratio(text, behind);
                assert!(ratio >= 4.5, "{text} on {behind}: {ratio:.2}");
            }
        }
        assert!(ratio("paper", "accent") >= 4.5, "the play button");
    }
    let fainter = style.lines().filter(|line| line.contains("opacity"));
    let of_text = fainter.filter(|line| {
        !line.contains("::before")
            && !line.contains(".cursor")
            && !line.trim_start().starts_with("left")
    });
    let of_text: Vec<&str> =
        of_text.filter(|line| !line.contains("background: var(--accent); opacity")).collect();
    assert!(of_text.is_empty(), "{of_text:?}");
}
