//! Charts as PDF, for papers: one page of lines and text.
//!
//! The SVG of a chart consists of rectangles, lines, polylines, discs and text at absolute positions. PDF has
//! operators for these, so each element becomes one operator. Text is in Helvetica, which every reader has, so
//! no font is embedded and text stays selectable. `svg2pdf` converts any SVG, but needs a full SVG parser and
//! system fonts.

use super::chart::PlotError;
use super::page::{PIXEL_UNITS, SIZE};
use std::fmt::Write as _;

/// Points (1/72 inch) per unit of the drawing: 0.75 per displayed pixel.
const SCALE: f64 = 0.75 / PIXEL_UNITS as f64;

/// Advance widths of Helvetica from the space to the tilde, in thousandths of its size (Adobe Font Metrics).
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Advance width of digits, used for characters without an entry.
const DEFAULT_ADVANCE: u16 = 556;

/// An SVG element: name, attributes, and text.
struct Element<'a> {
    name: &'a str,
    attributes: &'a str,
    text: &'a str,
}

impl<'a> Element<'a> {
    /// Value of an attribute.
    fn get(&self, name: &str) -> Option<&'a str> {
        let start = self.attributes.find(&format!(" {name}=\""))? + name.len() + 3;
        self.attributes[start..].split('"').next()
    }

    /// Value of a numeric attribute; zero if it is missing.
    fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(|value| value.parse().ok()).unwrap_or(0.0)
    }

    /// Red, green and blue from 0 to 1; `None` for `none`.
    fn color(&self, name: &str) -> Option<[f64; 3]> {
        let hex = u32::from_str_radix(self.get(name)?.strip_prefix('#')?, 16).ok()?;
        Some([16, 8, 0].map(|shift| f64::from((hex >> shift) & 0xff) / 255.0))
    }
}

/// Elements of a drawing of this crate, in order.
fn elements(svg: &str) -> impl Iterator<Item = Element<'_>> {
    svg.split('<').skip(1).filter_map(|piece| {
        let (head, text) = piece.split_once('>')?;
        let end = head.find(' ')?;
        Some(Element { name: &head[..end], attributes: &head[end..], text })
    })
}

/// Converts a chart from SVG to one page of PDF 1.4.
///
/// # Errors
/// If `svg` is not a drawing of this crate.
pub fn pdf_of(svg: &str) -> Result<Vec<u8>, PlotError> {
    let content = content(svg)?;
    let [width, height] = [SIZE.0, SIZE.1].map(|size| f64::from(size) * 0.75);
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
    let (start, count) = (file.len(), objects.len() + 1);
    let _ = write!(file, "xref\n0 {count}\n0000000000 65535 f \n");
    offsets.iter().for_each(|offset| _ = writeln!(file, "{offset:010} 00000 n "));
    let _ = write!(file, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    Ok(file.into_bytes())
}

/// PDF operators of a drawing, with y upwards.
fn content(svg: &str) -> Result<String, PlotError> {
    let height = f64::from(SIZE.1 * PIXEL_UNITS) * SCALE;
    // Transform from units of the drawing, whose y points down; text is flipped back where it is set.
    let mut out = format!("{SCALE} 0 0 -{SCALE} 0 {height} cm\n1 J 1 j\n");
    let mut element_count = 0;
    for element in elements(svg) {
        match element.name {
            "rect" => rectangle(&element, &mut out),
            "line" => {
                let [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(|name| element.number(name));
                stroke(&element, &mut out);
                let _ = writeln!(out, "{x1} {y1} m {x2} {y2} l S");
            }
            "polyline" => polyline(&element, &mut out),
            "circle" => dot(&element, &mut out),
            "text" => text(&element, &mut out),
            _ => continue,
        }
        element_count += 1;
    }
    match element_count {
        0 => Err(PlotError { reason: "this is no plot of this program".to_owned() }),
        _ => Ok(out),
    }
}

/// A rectangle, filled and outlined by its attributes.
fn rectangle(element: &Element<'_>, out: &mut String) {
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| element.number(name));
    if let Some([r, g, b]) = element.color("fill") {
        let _ = writeln!(out, "{r:.4} {g:.4} {b:.4} rg {x} {y} {width} {height} re f");
    }
    if element.color("stroke").is_some() {
        stroke(element, out);
        let _ = writeln!(out, "{x} {y} {width} {height} re S");
    }
}

/// A filled disc, as a line of zero length with round caps.
fn dot(element: &Element<'_>, out: &mut String) {
    let [x, y, radius] = ["cx", "cy", "r"].map(|name| element.number(name));
    let [r, g, b] = element.color("fill").unwrap_or_default();
    let width = 2.0 * radius;
    let _ = writeln!(out, "{r:.4} {g:.4} {b:.4} RG {width} w [] 0 d {x} {y} m {x} {y} l S");
}

/// Sets the stroke colour and width.
fn stroke(element: &Element<'_>, out: &mut String) {
    let [r, g, b] = element.color("stroke").unwrap_or_default();
    let width = element.get("stroke-width").and_then(|width| width.parse().ok()).unwrap_or(1.0);
    let _ = writeln!(out, "{r:.4} {g:.4} {b:.4} RG {width:.3} w");
}

/// A polyline through the points of the element.
fn polyline(element: &Element<'_>, out: &mut String) {
    let points = element.get("points").unwrap_or_default();
    let points = points.split_ascii_whitespace().filter_map(|point| point.split_once(','));
    stroke(element, out);
    for (k, (x, y)) in points.enumerate() {
        let _ = write!(out, "{x} {y} {} ", if k == 0 { "m" } else { "l" });
    }
    out.push_str("S\n");
}

/// Text at its anchor; rotated by 270 degrees along a vertical axis.
fn text(element: &Element<'_>, out: &mut String) {
    let content = unescaped(element.text.trim());
    let size = element.number("font-size");
    let anchor = match element.get("text-anchor") {
        Some("middle") => 0.5,
        Some("end") => 1.0,
        _ => 0.0,
    };
    let (shift, descent) = (-anchor * size * width(&content), baseline(element.get("dy")) * size);
    let (x, y) = (element.number("x"), element.number("y"));
    let is_vertical =
        element.get("transform").is_some_and(|transform| transform.starts_with("rotate(270"));
    let (matrix, [left, top]) = match is_vertical {
        true => ("0 -1 -1 0", [x + descent, y - shift]),
        false => ("1 0 0 -1", [x + shift, y + descent]),
    };
    let [r, g, b] = element.color("fill").unwrap_or_default();
    let _ = writeln!(
        out,
        "BT /F {size:.2} Tf {r:.4} {g:.4} {b:.4} rg {matrix} {left:.2} {top:.2} Tm ({}) Tj ET",
        escaped(&content)
    );
}

/// Offset of the baseline below the anchor, relative to the font size.
fn baseline(dy: Option<&str>) -> f64 {
    const X_HEIGHT: f64 = 0.523;
    let number = |unit: &str| dy.and_then(|dy| dy.strip_suffix(unit)?.parse::<f64>().ok());
    number("em").or_else(|| number("ex").map(|ex| ex * X_HEIGHT)).unwrap_or(0.0)
}

/// Width of text relative to the font size.
fn width(text: &str) -> f64 {
    let advance =
        |c: char| (c as usize).checked_sub(32).and_then(|index| WIDTHS.get(index)).copied();
    text.chars().map(|c| f64::from(advance(c).unwrap_or(DEFAULT_ADVANCE))).sum::<f64>() / 1000.0
}

/// Text with XML entities replaced by characters.
fn unescaped(text: &str) -> String {
    let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    names.iter().fold(text.to_owned(), |text, (name, c)| text.replace(name, c))
}

/// A PDF string in Windows-1252 encoding; other characters become question marks.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            '\u{a0}'..='\u{ff}' => _ = write!(out, "\\{:03o}", c as u32),
            _ => out.push('?'),
        }
    }
    out
}
