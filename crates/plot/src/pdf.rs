//! Charts as PDF, for papers: one page of lines and text.
//!
//! The SVG of a chart consists of rectangles, lines, polylines, discs and text at absolute positions. PDF has
//! operators for these, so each element becomes one operator. Text stays selectable. Its font is embedded, as
//! publishers require, so that it looks alike everywhere. `svg2pdf` converts any SVG, but needs a full SVG parser and
//! system fonts.

use super::chart::PlotError;
use super::font::{Font, stream};
use super::page::{HEIGHT, PIXEL_UNITS, WIDTH};
use std::fmt::Write as _;

/// Points (1/72 inch) per displayed pixel.
const POINTS_PER_PIXEL: f64 = 0.75;
/// Points per unit of the drawing.
const SCALE: f64 = POINTS_PER_PIXEL / PIXEL_UNITS as f64;

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

/// Number of the object of the font, after those of the catalogue, the pages, the page and its contents.
const FONT_OBJECT: usize = 5;

/// A chart as PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdf {
    /// The file.
    pub bytes: Vec<u8>,
    /// Characters without a glyph, which are replaced by question marks. Latin, Greek and Cyrillic letters have glyphs.
    pub missing_characters: Vec<char>,
}

/// Converts a chart from SVG to one page of PDF 1.4.
///
/// # Errors
/// If `svg` is not a drawing of this crate.
pub fn pdf_of(svg: &str) -> Result<Pdf, PlotError> {
    let mut font = Font::new()?;
    let content = page_content(svg, &mut font)?;
    let [width, height] = [WIDTH, HEIGHT].map(|side| f64::from(side) * POINTS_PER_PIXEL);
    let structure = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /Font << /F {FONT_OBJECT} 0 R >> >> >>"
        ),
    ];
    let mut objects: Vec<Vec<u8>> = structure.map(String::into_bytes).into();
    objects.push(stream("", content.as_bytes()));
    objects.extend(font.objects(FONT_OBJECT)?);
    Ok(Pdf { bytes: file_of(&objects), missing_characters: font.missing.into_iter().collect() })
}

/// A PDF file of these objects, of which the first is the catalogue.
fn file_of(objects: &[Vec<u8>]) -> Vec<u8> {
    // The bytes of the comment tell programs that the file is binary.
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        file.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let table_offset = file.len();
    file.extend_from_slice(table.as_bytes());
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table_offset}\n%%EOF\n",
        objects.len() + 1
    );
    file.extend_from_slice(trailer.as_bytes());
    file
}

/// PDF operators of a drawing, whose text uses glyphs of `font`.
fn page_content(svg: &str, font: &mut Font) -> Result<String, PlotError> {
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
            "text" => write_text(&element, font, &mut operators),
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
fn write_text(element: &Element<'_>, font: &mut Font, operators: &mut String) {
    let (glyphs, text_width) = font.encode(&unescape_xml(element.text.trim()));
    let size = element.number("font-size");
    let anchor_fraction = match element.get("text-anchor") {
        Some("middle") => 0.5,
        Some("end") => 1.0,
        _ => 0.0,
    };
    let shift = -anchor_fraction * size * text_width;
    let descent = baseline_offset(element.get("dy"), font.x_height()) * size;
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
        "BT /F {size:.2} Tf {r:.4} {g:.4} {b:.4} rg {matrix} {left:.2} {top:.2} Tm {glyphs} Tj ET"
    );
}

/// Offset of the baseline below the anchor, relative to the font size, from an attribute `dy` such as `0.5ex`.
fn baseline_offset(dy: Option<&str>, x_height: f64) -> f64 {
    let number_of = |unit: &str| dy.and_then(|dy| dy.strip_suffix(unit)?.parse::<f64>().ok());
    number_of("em").or_else(|| number_of("ex").map(|ex| ex * x_height)).unwrap_or(0.0)
}

/// Replaces XML entities in a text by characters.
fn unescape_xml(text: &str) -> String {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
}
