//! Glyphs, and numbers as text.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Glyphs of one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glyphs {
    size: RasterHeight,
    /// Image pixels per glyph pixel, in each direction.
    scale: usize,
}

impl Glyphs {
    /// Glyphs suited to an image whose shorter side has this number of pixels.
    pub(super) fn for_side(pixels: usize) -> Self {
        let (size, scale) = match pixels {
            ..500 => (RasterHeight::Size16, 1),
            500..660 => (RasterHeight::Size20, 1),
            660..900 => (RasterHeight::Size24, 1),
            _ => (RasterHeight::Size32, (pixels / 1000).max(1)),
        };
        Self { size, scale }
    }

    /// Height of all glyphs (image pixels).
    pub(super) fn height(&self) -> usize {
        self.size.val() * self.scale
    }

    /// Width of all glyphs (image pixels).
    pub(super) fn width(&self) -> usize {
        get_raster_width(FontWeight::Regular, self.size) * self.scale
    }

    /// Opacities (0 to 255) of a glyph, row by row. Characters without a glyph are shown as a question mark.
    pub(super) fn glyph(&self, c: char) -> Vec<Vec<u8>> {
        let raster = |c| get_raster(c, FontWeight::Regular, self.size);
        let Some(raster) = raster(c).or_else(|| raster('?')) else { return Vec::new() };
        let scaled_row = |row: &[u8]| -> Vec<u8> {
            row.iter().flat_map(|&opacity| std::iter::repeat_n(opacity, self.scale)).collect()
        };
        let rows = raster.rows().map(scaled_row);
        rows.flat_map(|row| std::iter::repeat_n(row, self.scale)).collect()
    }
}

/// Text of a quantity with four significant digits and an SI prefix of its unit.
pub(super) fn with_unit(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 7] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")];
    if value == 0.0 || !value.is_finite() {
        return format!("{value} {unit}");
    }
    let is_large_enough = |(scale, _): &&(f64, &str)| value.abs() >= *scale * 0.999_95;
    let (scale, prefix) = PREFIXES.iter().find(is_large_enough).unwrap_or(&PREFIXES[6]);
    let scaled = value / scale;
    let decimals = match scaled.abs() {
        ..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{scaled:.decimals$} {prefix}{unit}")
}

/// Text of a tick label: a multiple of `step`, with as many decimals as distinguish it from the next multiple, and in
/// scientific notation if it is very large or the step very small.
pub(super) fn decimal(value: f64, step: f64) -> String {
    let magnitude = value.abs().max(step.abs());
    let is_scientific = value != 0.0 && (magnitude >= 1e5 || step.abs() < 1e-3);
    let text = match is_scientific {
        true => {
            let digits = (value.abs() / step.abs()).log10().max(0.0).ceil() as usize;
            let scientific = format!("{value:.*e}", digits.min(8));
            let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
            let mantissa = match mantissa.contains('.') {
                true => mantissa.trim_end_matches('0').trim_end_matches('.'),
                false => mantissa,
            };
            format!("{mantissa}e{exponent}")
        }
        false => {
            let decimals = if step > 0.0 { (-step.log10().floor()).max(0.0) as usize } else { 0 };
            format!("{value:.decimals$}")
        }
    };
    if text == "-0" { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_four_digits_and_a_unit_prefix() {
        let texts = [0.0, 3.21159, 0.012, -45_678.0, 999.99, 1e-12].map(|x| with_unit(x, "J"));
        assert_eq!(texts, ["0 J", "3.212 J", "12.00 mJ", "-45.68 kJ", "1.000 kJ", "0.001 nJ"]);
    }

    #[test]
    fn tick_labels_have_the_decimals_of_their_step() {
        let texts = [(0.5, 0.1), (1.0, 0.5), (3.0, 1.0), (120.0, 20.0), (0.0, 0.1)]
            .map(|(value, step)| decimal(value, step));
        assert_eq!(texts, ["0.5", "1.0", "3", "120", "0.0"].map(str::to_owned));
    }

    #[test]
    fn glyphs_of_one_size_have_equal_height() {
        for rows in [100, 720, 800, 1080, 4320] {
            let glyphs = Glyphs::for_side(rows);
            for c in ['a', 'W', '7', '?', '\u{4e2d}'] {
                let glyph = glyphs.glyph(c);
                assert_eq!(glyph.len(), glyphs.height(), "{c} in {rows} rows");
                assert!(glyph.iter().all(|row| row.len() == glyphs.width()));
            }
        }
        let glyphs = Glyphs::for_side(720);
        assert_eq!(glyphs.glyph('\u{4e2d}'), glyphs.glyph('?'));
    }
}
