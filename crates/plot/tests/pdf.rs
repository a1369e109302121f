//! PDF of charts: a file whose table is right, with all that the SVG has.

use resile_plot::{Chart, Curve, Legend, Panel, RGBColor, Stroke, Unit, pdf_of};

fn chart() -> Chart {
    let stroke = Stroke { color: RGBColor(213, 94, 0), width: 2, dash: None };
    let points = (0..50).map(|k| (0.1 * f64::from(k), f64::from(k * k))).collect();
    let curve = Curve { name: "a (b) <c>".to_owned(), stroke, points };
    let panels = vec![Panel::new("energy", Unit::Prefixed("J"), vec![curve])];
    Chart {
        title: "dice \\ \u{b5} \u{3b1}".to_owned(),
        notes: vec![],
        legend: Legend::Beside,
        panels,
    }
}

/// The table at the end says where each object begins, and the stream is as long as it says.
#[test]
fn pdf_objects_stand_at_their_table_offsets() {
    let file = String::from_utf8(pdf_of(&chart().svg().unwrap()).unwrap()).unwrap();
    assert!(file.starts_with("%PDF-1.4\n") && file.ends_with("%%EOF\n"));
    let start: usize = file.lines().rev().nth(1).unwrap().parse().unwrap();
    let table = &file[start..];
    assert!(table.starts_with("xref\n0 6\n"));
    for number in 1..=5 {
        let line = table.lines().nth(2 + number).unwrap();
        assert_eq!(line.len(), 19, "twenty bytes with its end");
        let at: usize = line[..10].parse().unwrap();
        assert!(file[at..].starts_with(&format!("{number} 0 obj\n")), "{number}");
    }
    let length: usize =
        file.split("/Length ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let stream = file.split("stream\n").nth(1).unwrap();
    assert_eq!(stream.len() - "end".len(), length);
}

/// What the SVG has is drawn, each element once, and text is text.
#[test]
fn pdf_contains_every_line_and_word() {
    let svg = chart().svg().unwrap();
    let file = String::from_utf8(pdf_of(&svg).unwrap()).unwrap();
    let strokes = file.matches(" S\n").count();
    assert_eq!(strokes, svg.matches("<line ").count() + svg.matches("<polyline ").count());
    assert_eq!(file.matches(" Tj ET\n").count(), svg.matches("<text ").count());
    assert!(file.contains("(a \\(b\\) <c>) Tj") && file.contains("(dice \\\\ \\265 ?) Tj"));
    assert!(file.contains("0.8353 0.3686 0.0000 RG 8.000 w"), "the curve's colour");
    // Turned words stand along the axis.
    assert!(file.contains("0 -1 -1 0 ") && file.contains("1 0 0 -1 "));
    assert!(pdf_of("<svg></svg>").is_err());
}
