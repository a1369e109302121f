//! PDF of charts: a file whose table is right, with all that the SVG has.

use resile_plot::{Chart, Curve, Legend, Panel, RGBColor, Stroke, TIME_AXIS, Unit, pdf_of};

fn chart() -> Chart {
    let stroke = Stroke { color: RGBColor(213, 94, 0), width: 2, dash: None };
    let points = (0..50).map(|k| (0.1 * f64::from(k), f64::from(k * k))).collect();
    let curve = Curve { name: "a (b) <c>".to_owned(), stroke, points };
    let panels = vec![Panel::new("energy", Unit::Prefixed("J"), vec![curve])];
    Chart {
        // The last character has no glyph.
        title: "dice \\ \u{b5} \u{3b1} \u{2212}\u{439}\u{159} \u{87ba}".to_owned(),
        notes: vec![],
        legend: Legend::Beside,
        abscissa: TIME_AXIS,
        panels,
    }
}

/// The number that follows `label` in a text.
fn number_after(text: &str, label: &str) -> usize {
    let after = text.split(label).nth(1).unwrap();
    after.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// Bytes as text, one character each.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// The table at the end says where each object begins, and streams are as long as they say.
#[test]
fn pdf_objects_stand_at_their_table_offsets() {
    let file = latin(&pdf_of(&chart().svg().unwrap()).unwrap().bytes);
    assert!(file.starts_with("%PDF-1.4\n") && file.ends_with("%%EOF\n"));
    let bytes: Vec<char> = file.chars().collect();
    let from = |start: usize| bytes[start..].iter().collect::<String>();
    let table = from(file.lines().rev().nth(1).unwrap().parse().unwrap());
    assert!(table.starts_with("xref\n0 10\n"));
    for number in 1..=9 {
        let line = table.lines().nth(2 + number).unwrap();
        assert_eq!(line.len(), 19, "twenty bytes with its end");
        let object = from(line[..10].parse().unwrap());
        assert!(object.starts_with(&format!("{number} 0 obj\n")), "{number}");
        if let Some((dictionary, stream)) = object.split_once("\nstream\n")
            && !dictionary.contains("endobj")
        {
            let length = number_after(dictionary, "/Length ");
            let end: String = stream.chars().skip(length).take(10).collect();
            assert_eq!(end, "\nendstream", "{number}");
        }
    }
}

/// The texts of a file, by its map from glyphs to characters.
fn texts(file: &str) -> Vec<String> {
    let map: std::collections::BTreeMap<&str, char> = file
        .lines()
        .filter_map(|line| line.strip_prefix('<')?.strip_suffix('>')?.split_once("> <"))
        .filter(|(glyph, c)| glyph.len() == 4 && c.len() == 4)
        .map(|(glyph, c)| (glyph, char::from_u32(u32::from_str_radix(c, 16).unwrap()).unwrap()))
        .collect();
    let strings = file.lines().filter_map(|line| line.strip_suffix("> Tj ET")?.rsplit('<').next());
    strings
        .map(|glyphs| (0..glyphs.len() / 4).map(|k| map[&glyphs[4 * k..4 * k + 4]]).collect())
        .collect()
}

/// What the SVG has is drawn, each element once, and text is text in its own letters.
#[test]
fn pdf_contains_every_line_and_word() {
    let svg = chart().svg().unwrap();
    let pdf = pdf_of(&svg).unwrap();
    assert_eq!(pdf.missing_characters, ['\u{87ba}']);
    let file = latin(&pdf.bytes);
    let strokes = file.matches(" S\n").count();
    assert_eq!(strokes, svg.matches("<line ").count() + svg.matches("<polyline ").count());
    let texts = texts(&file);
    assert_eq!(texts.len(), svg.matches("<text ").count());
    for text in ["a (b) <c>", "dice \\ \u{b5} \u{3b1} \u{2212}\u{439}\u{159} ?"] {
        assert!(texts.iter().any(|known| known == text), "{text}: {texts:?}");
    }
    assert!(file.contains("0.8353 0.3686 0.0000 RG 8.000 w"), "the curve's colour");
    // Turned words stand along the axis.
    assert!(file.contains("0 -1 -1 0 ") && file.contains("1 0 0 -1 "));
    assert!(pdf_of("<svg></svg>").is_err());
}

/// Publishers refuse files whose fonts are not embedded.
#[test]
fn pdf_embeds_a_subset_of_its_font() {
    let pdf = pdf_of(&chart().svg().unwrap()).unwrap();
    let file = latin(&pdf.bytes);
    assert!(file.contains("/FontFile2 8 0 R") && file.contains("/CIDToGIDMap /Identity"));
    let length = number_after(&file, "/Length1 ");
    assert!((1000..40_000).contains(&length), "{length} of the 200 kB of the whole font");
    assert!(pdf == pdf_of(&chart().svg().unwrap()).unwrap(), "it is always the same");
}

/// A text that ends at its anchor is as wide as its glyphs: digits of Noto Sans are 0.572 em wide.
#[test]
fn pdf_text_is_aligned_by_the_widths_of_its_font() {
    let svg = "<svg><text x=\"100\" y=\"50\" text-anchor=\"end\" font-size=\"10\" fill=\"#000000\">\n12\u{3b1}\n</text></svg>";
    let file = latin(&pdf_of(svg).unwrap().bytes);
    let line = file.lines().find(|line| line.ends_with("Tj ET")).unwrap();
    let left: f64 =
        line.split("1 0 0 -1 ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let widths = file.split("/W [").nth(1).unwrap().split("] >>").next().unwrap();
    let width: f64 = widths
        .split('[')
        .skip(1)
        .map(|width| width.split(']').next().unwrap().parse::<f64>().unwrap() / 100.0)
        .sum();
    assert!((100.0 - left - width).abs() < 0.02, "{left} {widths}");
    assert!(widths.starts_with("1 [572] 2 [572] 3 ["), "{widths}");
}
