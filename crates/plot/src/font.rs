//! The font of PDF files: a subset of Noto Sans with the glyphs that a page uses.
//!
//! Glyph numbers of a page are those of the subset ("Identity-H" of ISO 32000-1, 9.7.5.2). The map to Unicode makes text
//! selectable and searchable.

use super::chart::PlotError;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use subsetter::GlyphRemapper;
use ttf_parser::Face;

/// Units of an em in PDF.
const PDF_EM: f64 = 1000.0;
/// Name of the font, with the tag of six letters that marks a subset.
const NAME: &str = "RESILE+NotoSans";
/// Flag of fonts whose glyphs are not those of a standard encoding (ISO 32000-1, table 123).
const SYMBOLIC: u32 = 4;
/// Thickness of vertical stems (thousandths of an em), by which programs choose substitutes.
const STEM: u32 = 80;
/// Character that stands for those without a glyph.
const REPLACEMENT: char = '?';
/// Largest number of entries in a section of a map to Unicode (Adobe Technical Note 5014).
const MAX_MAPPED: usize = 100;

/// A font with the glyphs that have been used.
pub(super) struct Font {
    face: Face<'static>,
    subset: GlyphRemapper,
    /// Character and advance width (em) of each glyph of the subset.
    used: BTreeMap<u16, (char, f64)>,
    /// Characters without a glyph.
    pub(super) missing: BTreeSet<char>,
}

impl Font {
    /// The font without any used glyphs.
    pub(super) fn new() -> Result<Self, PlotError> {
        let face = Face::parse(ttf_noto_sans::REGULAR, 0).map_err(font_error)?;
        Ok(Self {
            face,
            subset: GlyphRemapper::new(),
            used: BTreeMap::new(),
            missing: BTreeSet::new(),
        })
    }

    /// Height of an x relative to the font size.
    pub(super) fn x_height(&self) -> f64 {
        self.face
            .x_height()
            .map_or(0.0, |x_height| f64::from(x_height) / f64::from(self.face.units_per_em()))
    }

    /// The glyph numbers of a text as a PDF string in hexadecimal digits, and the width of the text relative to the
    /// font size. A character without a glyph becomes a question mark.
    pub(super) fn encode(&mut self, text: &str) -> (String, f64) {
        let (mut string, mut width) = (String::from("<"), 0.0);
        for c in text.chars() {
            let (c, glyph) = match self.face.glyph_index(c) {
                Some(glyph) => (c, Some(glyph)),
                None => {
                    self.missing.insert(c);
                    (REPLACEMENT, self.face.glyph_index(REPLACEMENT))
                }
            };
            let Some(glyph) = glyph else { continue };
            let units = self.face.glyph_hor_advance(glyph).unwrap_or_default();
            let advance = f64::from(units) / f64::from(self.face.units_per_em());
            let number = self.subset.remap(glyph.0);
            self.used.insert(number, (c, advance));
            let _ = write!(string, "{number:04x}");
            width += advance;
        }
        (string + ">", width)
    }

    /// The PDF objects of the font. Their numbers begin with `first`, which is that of the font itself.
    pub(super) fn objects(&self, first: usize) -> Result<Vec<Vec<u8>>, PlotError> {
        let [descendant, descriptor, file, unicode] = [1, 2, 3, 4].map(|offset| first + offset);
        let subset = subsetter::subset(ttf_noto_sans::REGULAR, 0, &self.subset);
        let subset = subset.map_err(font_error)?;
        let scaled =
            |units: i16| (f64::from(units) * PDF_EM / f64::from(self.face.units_per_em())).round();
        let bounds = self.face.global_bounding_box();
        let bounds = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(scaled);
        let [left, bottom, right, top] = bounds;
        let (ascent, descent) = (scaled(self.face.ascender()), scaled(self.face.descender()));
        let cap_height = self.face.capital_height().map_or(ascent, scaled);
        let widths = self.used.iter().fold(String::new(), |mut widths, (glyph, (_, advance))| {
            let _ = write!(widths, "{glyph} [{:.0}] ", PDF_EM * advance);
            widths
        });
        let dictionaries = [
            format!(
                "<< /Type /Font /Subtype /Type0 /BaseFont /{NAME} /Encoding /Identity-H \
                 /DescendantFonts [{descendant} 0 R] /ToUnicode {unicode} 0 R >>"
            ),
            format!(
                "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{NAME} /CIDToGIDMap /Identity \
                 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> \
                 /FontDescriptor {descriptor} 0 R /W [{widths}] >>"
            ),
            format!(
                "<< /Type /FontDescriptor /FontName /{NAME} /Flags {SYMBOLIC} /ItalicAngle 0 \
                 /FontBBox [{left} {bottom} {right} {top}] /Ascent {ascent} /Descent {descent} \
                 /CapHeight {cap_height} /StemV {STEM} /FontFile2 {file} 0 R >>"
            ),
        ];
        let mut objects: Vec<Vec<u8>> = dictionaries.map(String::into_bytes).into();
        objects.push(stream(&format!("/Length1 {}", subset.len()), &subset));
        objects.push(stream("", self.unicode_map().as_bytes()));
        Ok(objects)
    }

    /// The program that maps glyph numbers to Unicode (ISO 32000-1, 9.10.3).
    fn unicode_map(&self) -> String {
        let mut map = String::from(
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
             /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
             /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
             1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n",
        );
        let used: Vec<(&u16, char)> = self.used.iter().map(|(glyph, (c, _))| (glyph, *c)).collect();
        for section in used.chunks(MAX_MAPPED) {
            let _ = writeln!(map, "{} beginbfchar", section.len());
            for (glyph, c) in section {
                let _ = write!(map, "<{glyph:04x}> <");
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                    let _ = write!(map, "{unit:04x}");
                });
                map.push_str(">\n");
            }
            map.push_str("endbfchar\n");
        }
        map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    }
}

/// The error of a font that cannot be used.
fn font_error(error: impl ToString) -> PlotError {
    PlotError { reason: format!("the font cannot be embedded: {}", error.to_string()) }
}

/// A stream object with further entries of its dictionary.
pub(super) fn stream(entries: &str, contents: &[u8]) -> Vec<u8> {
    let mut object = format!("<< /Length {} {entries} >>\nstream\n", contents.len()).into_bytes();
    object.extend_from_slice(contents);
    object.extend_from_slice(b"\nendstream");
    object
}
