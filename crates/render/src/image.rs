//! Images as bytes.

/// An image: rows from the top, four bytes per pixel (red, green, blue, opacity) in sRGB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Pixel data, four bytes per pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// An opaque image of one colour.
    pub fn filled(width: usize, height: usize, [r, g, b]: [u8; 3]) -> Self {
        Self { width, height, rgba: [r, g, b, 255].repeat(width * height) }
    }

    /// Red, green and blue of a pixel.
    ///
    /// # Panics
    /// If the pixel is out of range.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "({x}, {y}) is in the picture");
        let start = 4 * (y * self.width + x);
        [self.rgba[start], self.rgba[start + 1], self.rgba[start + 2]]
    }

    /// Red, green and blue of all pixels, row by row.
    pub fn rgb(&self) -> impl Iterator<Item = [u8; 3]> {
        let (pixels, _) = self.rgba.as_chunks::<4>();
        pixels.iter().map(|&[r, g, b, _]| [r, g, b])
    }
}
