//! Charts as PDF, for papers: one page of lines and text.
//!
//! The SVG of a chart consists of rectangles, lines, polylines, discs and text at absolute positions. PDF has
//! operators for these, so each element becomes one operator. Text is in Helvetica, which every reader has, so
//! no font is embedded and text stays selectable. `svg2pdf` converts any SVG, but needs a full SVG parser and
//! system fonts.

use super::chart::PlotError;
use super::page::{HEIGHT, PIXEL_UNITS, WIDTH};
use std::fmt::Write as _;

/// Points (1/72 inch) per displayed pixel.
const POINTS_PER_PIXEL: f64 = 0.75;
/// Points per unit of the drawing.
const SCALE: f64 = POINTS_PER_PIXEL / PIXEL_UNITS as f64;

/// Advance widths of Helvetica from the space to the tilde, in thousandths of its size (Adobe Font Metrics).
const ADVANCE_WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Advance width of digits, used for characters without an entry.
const DEFAULT_ADVANCE_WIDTH: u16 = 556;

/// An SVG element: name, attributes, and text.
struct Element<'a> {
    name: &'a str,
    attributes: &'a str,
    text: &'a str,
}

impl<'a> Element<'a> {
    /// Value of the attribute with this name.
    fn get(&self, name: &str) -> Option<&'a str> {
        let start = self.attributes.find(&format!(" {name}=\""))? + name.len() + 3;
        self.attributes[start..].split('"').next()
    }

    /// Value of a numeric attribute; zero if it is missing.
    fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(|value| value.parse().ok()).unwrap_or(0.0)
    }

    /// Red, green and blue from 0 to 1 of a colour attribute; `None` if it is missing or `none`.
    fn color(&self, name: &str) -> Option<[f64; 3]> {
        let hex = u32::from_str_radix(self.get(name)?.strip_prefix('#')?, 16).ok()?;
        Some([16, 8, 0].map(|shift| f64::from((hex >> shift) & 0xff) / 255.0))
    }
}

/// Elements of a drawing of this crate, in order. Each has the text up to the next tag.
fn elements(svg: &str) -> impl Iterator<Item = Element<'_>> {
    svg.split('<').skip(1).filter_map(|tag_and_text| {
        let (tag, text) = tag_and_text.split_once('>')?;
        let name_length = tag.find(' ')?;
        let (name, attributes) = tag.split_at(name_length);
        Some(Element { name, attributes, text })
    })
}

/// Converts a chart from SVG to one page of PDF 1.4.
///
/// # Errors
/// If `svg` is not a drawing of this crate.
pub fn pdf_of(svg: &str) -> Result<Vec<u8>, PlotError> {
    let content = page_content(svg)?;
    let [width, height] = [WIDTH, HEIGHT].map(|side| f64::from(side) * POINTS_PER_PIXEL);
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /Font << /F 5 0 R >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    let mut file = String::from("%PDF-1.4\n");
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(file.len());
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let (table_offset, table_length) = (file.len(), objects.len() + 1);
    let _ = write!(file, "xref\n0 {table_length}\n0000000000 65535 f \n");
    for offset in &offsets {
        let _ = writeln!(file, "{offset:010} 00000 n ");
    }
    let _ = write!(
        file,
        "trailer\n<< /Size {table_length} /Root 1 0 R >>\nstartxref\n{table_offset}\n%%EOF\n"
    );
    Ok(file.into_bytes())
}

/// PDF operators of a drawing.
fn page_content(svg: &str) -> Result<String, PlotError> {
    let height = f64::from(HEIGHT * PIXEL_UNITS) * SCALE;
    // The transform maps units of the drawing, whose y points downwards, to points, whose y points upwards. Text has a
    // matrix that mirrors it back.
    let mut operators = format!("{SCALE} 0 0 -{SCALE} 0 {height} cm\n1 J 1 j\n");
    let mut element_count = 0;
    for element in elements(svg) {
        match element.name {
            "rect" => write_rectangle(&element, &mut operators),
            "line" => {
                let [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(|name| element.number(name));
                write_stroke_style(&element, &mut operators);
                let _ = writeln!(operators, "{x1} {y1} m {x2} {y2} l S");
            }
            "polyline" => write_polyline(&element, &mut operators),
            "circle" => write_disc(&element, &mut operators),
            "text" => write_text(&element, &mut operators),
            _ => continue,
        }
        element_count += 1;
    }
    match element_count {
        0 => Err(PlotError { reason: "this is no plot of this program".to_owned() }),
        _ => Ok(operators),
    }
}

/// Writes a rectangle, filled and outlined according to its attributes.
fn write_rectangle(element: &Element<'_>, operators: &mut String) {
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| element.number(name));
    if let Some([r, g, b]) = element.color("fill") {
        let _ = writeln!(operators, "{r:.4} {g:.4} {b:.4} rg {x} {y} {width} {height} re f");
    }
    if element.color("stroke").is_some() {
        write_stroke_style(element, operators);
        let _ = writeln!(operators, "{x} {y} {width} {height} re S");
    }
}

/// Writes a filled disc, as a line of zero length with round caps.
fn write_disc(element: &Element<'_>, operators: &mut String) {
    let [x, y, radius] = ["cx", "cy", "r"].map(|name| element.number(name));
    let [r, g, b] = element.color("fill").unwrap_or_default();
    let line_width = 2.0 * radius;
    let _ =
        writeln!(operators, "{r:.4} {g:.4} {b:.4} RG {line_width} w [] 0 d {x} {y} m {x} {y} l S");
}

/// Writes the operators that set the stroke colour and width of an element.
fn write_stroke_style(element: &Element<'_>, operators: &mut String) {
    let [r, g, b] = element.color("stroke").unwrap_or_default();
    let line_width =
        element.get("stroke-width").and_then(|width| width.parse().ok()).unwrap_or(1.0);
    let _ = writeln!(operators, "{r:.4} {g:.4} {b:.4} RG {line_width:.3} w");
}

/// Writes a polyline through the points of the element.
fn write_polyline(element: &Element<'_>, operators: &mut String) {
    let points = element.get("points").unwrap_or_default();
    let coordinates = points.split_ascii_whitespace().filter_map(|point| point.split_once(','));
    write_stroke_style(element, operators);
    for (k, (x, y)) in coordinates.enumerate() {
        let _ = write!(operators, "{x} {y} {} ", if k == 0 { "m" } else { "l" });
    }
    operators.push_str("S\n");
}

/// Writes text relative to its anchor, rotated by 270 degrees if it is along a vertical axis.
fn write_text(element: &Element<'_>, operators: &mut String) {
    let content = unescape_xml(element.text.trim());
    let size = element.number("font-size");
    let anchor_fraction = match element.get("text-anchor") {
        Some("middle") => 0.5,
        Some("end") => 1.0,
        _ => 0.0,
    };
    let shift = -anchor_fraction * size * text_width(&content);
    let descent = baseline_offset(element.get("dy")) * size;
    let (x, y) = (element.number("x"), element.number("y"));
    let is_vertical =
        element.get("transform").is_some_and(|transform| transform.starts_with("rotate(270"));
    let (matrix, [left, top]) = match is_vertical {
        true => ("0 -1 -1 0", [x + descent, y - shift]),
        false => ("1 0 0 -1", [x + shift, y + descent]),
    };
    let [r, g, b] = element.color("fill").unwrap_or_default();
    let _ = writeln!(
        operators,
        "BT /F {size:.2} Tf {r:.4} {g:.4} {b:.4} rg {matrix} {left:.2} {top:.2} Tm ({}) Tj ET",
        pdf_string(&content)
    );
}

/// Offset of the baseline below the anchor, relative to the font size, from an attribute `dy` such as `0.5ex`.
fn baseline_offset(dy: Option<&str>) -> f64 {
    const X_HEIGHT: f64 = 0.523;
    let number_of = |unit: &str| dy.and_then(|dy| dy.strip_suffix(unit)?.parse::<f64>().ok());
    number_of("em").or_else(|| number_of("ex").map(|ex| ex * X_HEIGHT)).unwrap_or(0.0)
}

/// Width of text relative to the font size.
fn text_width(text: &str) -> f64 {
    let advance =
        |c: char| (c as usize).checked_sub(32).and_then(|index| ADVANCE_WIDTHS.get(index)).copied();
    text.chars().map(|c| f64::from(advance(c).unwrap_or(DEFAULT_ADVANCE_WIDTH))).sum::<f64>()
        / 1000.0
}

/// Replaces XML entities in a text by characters.
fn unescape_xml(text: &str) -> String {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
}

/// Escapes a text as the contents of a PDF string in Windows-1252 encoding; other characters become question marks.
fn pdf_string(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => escaped.extend(['\\', c]),
            ' '..='~' => escaped.push(c),
            '\u{a0}'..='\u{ff}' => _ = write!(escaped, "\\{:03o}", c as u32),
            _ => escaped.push('?'),
        }
    }
    escaped
}
