//! The 256 colours of a GIF.

use crate::image::Image;
use color_quant::NeuQuant;

/// Largest number of pixels from which a palette is computed.
const MAX_SAMPLES: usize = 1 << 19;
/// Bits per channel of the lookup table of nearest colours.
const BITS: u32 = 6;
/// Thresholds of an ordered dither (Bayer 1973), the same for all images, so that static areas keep their
/// colours.
const BAYER: [[u8; 8]; 8] = bayer();
/// Amplitude of the dither (channel values from 0 to 255).
const DITHER_AMPLITUDE: f32 = 10.0;

/// Colours with a lookup table of the nearest one.
#[derive(Debug, Clone)]
pub struct Palette {
    /// Red, green and blue of each colour.
    colors: Vec<[u8; 3]>,
    /// Index of the nearest colour for the upper bits of red, green and blue.
    nearest: Vec<u8>,
}

impl Palette {
    /// The index of transparent pixels, which keep their previous colours.
    pub(crate) const TRANSPARENT: u8 = 255;

    /// A palette for images like these, found by Kohonen's self-organising map (Dekker 1994).
    pub fn new(pictures: &[Image]) -> Self {
        let pixel_count: usize = pictures.iter().map(|image| image.width * image.height).sum();
        let stride = pixel_count.div_ceil(MAX_SAMPLES).max(1);
        let samples = pictures.iter().flat_map(Image::rgb).step_by(stride);
        let rgba: Vec<u8> = samples.flat_map(|[r, g, b]| [r, g, b, 255]).collect();
        let color_bytes = NeuQuant::new(1, usize::from(Self::TRANSPARENT), &rgba).color_map_rgb();
        let (colors, _) = color_bytes.as_chunks::<3>();
        let colors = colors.to_vec();
        // The table has an entry for each cell of colours that agree in the upper bits of their channels.
        let cells_per_channel = 1_usize << BITS;
        let cell_center = |k: usize| ((k << (8 - BITS)) + (1 << (7 - BITS))) as i32;
        let nearest = (0..cells_per_channel.pow(3)).map(|cell| {
            let [red, green, blue] = [
                cell / cells_per_channel / cells_per_channel,
                cell / cells_per_channel % cells_per_channel,
                cell % cells_per_channel,
            ];
            nearest_color(&colors, [red, green, blue].map(cell_center))
        });
        Self { nearest: nearest.collect(), colors }
    }

    /// Red, green and blue of all colours, colour by colour.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.colors.as_flattened().to_vec()
    }

    /// Palette indices of the pixels of an image, row by row, with an ordered dither.
    pub(crate) fn indices(&self, image: &Image) -> Vec<u8> {
        let dithered_index = |(pixel, color): (usize, [u8; 3])| {
            let [x, y] = [pixel % image.width, pixel / image.width];
            let threshold = (f32::from(BAYER[y % 8][x % 8]) + 0.5) / 64.0 - 0.5;
            let shift = (threshold * DITHER_AMPLITUDE).round() as i32;
            let upper_bits =
                |channel: u8| ((i32::from(channel) + shift).clamp(0, 255) >> (8 - BITS)) as usize;
            let [r, g, b] = color.map(upper_bits);
            self.nearest[(r << (2 * BITS)) + (g << BITS) + b]
        };
        image.rgb().enumerate().map(dithered_index).collect()
    }
}

/// The index of the palette colour that is perceptually nearest to a colour.
fn nearest_color(colors: &[[u8; 3]], color: [i32; 3]) -> u8 {
    // Weights of the squared channel differences: the eye is most sensitive to green and least to blue.
    const WEIGHTS: [i32; 3] = [3, 5, 2];
    let squared_distance = |candidate: &[u8; 3]| {
        let term = |k: usize| WEIGHTS[k] * (i32::from(candidate[k]) - color[k]).pow(2);
        term(0) + term(1) + term(2)
    };
    let nearest =
        colors.iter().enumerate().min_by_key(|(_, candidate)| squared_distance(candidate));
    nearest.map_or(0, |(index, _)| index as u8)
}

/// The matrix of the thresholds 0 to 63, by row and column. The binary digits of a threshold are those of the column
/// and of (row xor column), interleaved, with the lowest digits first.
const fn bayer() -> [[u8; 8]; 8] {
    let mut thresholds = [[0; 8]; 8];
    let mut k = 0;
    while k < 64 {
        let (x, y) = (k % 8, k / 8);
        let mut bit = 0;
        let mut threshold = 0;
        while bit < 3 {
            let (a, b) = (x >> bit & 1, (x ^ y) >> bit & 1);
            threshold = threshold << 2 | b << 1 | a;
            bit += 1;
        }
        thresholds[y][x] = threshold as u8;
        k += 1;
    }
    thresholds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bayer_matrix_holds_every_threshold_once() {
        let mut all = BAYER.as_flattened().to_vec();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..64));
    }

    #[test]
    fn dithering_mixes_the_neighbouring_greys() {
        let image = |grey: u8| Image::filled(16, 16, [grey; 3]);
        let mut pictures: Vec<Image> = (0..255).step_by(8).map(image).collect();
        pictures.push(Image::filled(64, 64, [200, 30, 30]));
        let palette = Palette::new(&pictures);
        for grey in [20_u8, 100, 131, 200] {
            let numbers = palette.indices(&image(grey));
            let sum: u32 =
                numbers.iter().map(|&n| u32::from(palette.colors[usize::from(n)][1])).sum();
            let mean = f64::from(sum) / 256.0;
            assert!((mean - f64::from(grey)).abs() < 4.0, "{grey} became {mean}");
            assert!(numbers.iter().all(|&n| n != Palette::TRANSPARENT));
        }
        let red = palette.indices(&Image::filled(8, 8, [200, 30, 30]));
        let [r, g, _] = palette.colors[usize::from(red[0])];
        assert!(r > 150 && g < 80, "red stays red");
    }
}
