//! Pictures as bytes.

/// A picture: rows from the top, four bytes a pixel (red, green, blue, opacity) in sRGB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// A picture of one colour, opaque.
    pub fn filled(width: usize, height: usize, [r, g, b]: [u8; 3]) -> Self {
        Self { width, height, rgba: [r, g, b, 255].repeat(width * height) }
    }

    /// Red, green and blue of a pixel.
    ///
    /// # Panics
    /// If there is no such pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "({x}, {y}) is in the picture");
        let at = 4 * (y * self.width + x);
        [self.rgba[at], self.rgba[at + 1], self.rgba[at + 2]]
    }

    /// All pixels, row after row, without their opacity.
    pub fn rgb(&self) -> impl Iterator<Item = [u8; 3]> {
        self.rgba.as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b])
    }
}
