//! 2D drawing on an image.

use super::layout::Area;
use super::text::Glyphs;
use crate::image::Image;

/// Colour of text and axes.
pub(super) const INK: [u8; 3] = [45, 48, 54];
/// Background colour of text and axes.
const PAPER: [u8; 3] = [250, 250, 250];

/// Size of an image and of its letters (pixels).
#[derive(Debug, Clone, Copy)]
pub(super) struct Metrics {
    pub(super) width: f32,
    pub(super) height: f32,
    glyphs: Glyphs,
}

impl Metrics {
    pub(super) fn new([width, height]: [usize; 2]) -> Self {
        let glyphs = Glyphs::for_height(height);
        Self { width: width as f32, height: height as f32, glyphs }
    }

    /// Free distance from the edges of the image.
    pub(super) fn margin(&self) -> f32 {
        self.line()
    }

    /// Height of a line of text.
    pub(super) fn line(&self) -> f32 {
        self.glyphs.height() as f32
    }

    /// Width of a text.
    pub(super) fn text_width(&self, text: &str) -> f32 {
        (text.chars().count() * self.glyphs.width()) as f32
    }
}

/// An image that is drawn on. Positions are in pixels from the top left corner.
#[derive(Debug)]
pub(super) struct Canvas<'a> {
    image: &'a mut Image,
    pub(super) metrics: Metrics,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(image: &'a mut Image) -> Self {
        let metrics = Metrics::new([image.width, image.height]);
        Self { image, metrics }
    }

    /// Draws a line of text; `place` is its top left corner.
    pub(super) fn text(&mut self, place: [f32; 2], line: &str, ink: [u8; 3]) {
        let [mut left, top] = place.map(|x| x.round() as i64);
        for c in line.chars() {
            let glyph = self.metrics.glyphs.of(c);
            for (row, opacities) in glyph.iter().enumerate() {
                for (column, &opacity) in opacities.iter().enumerate() {
                    let at = [left + column as i64, top + row as i64];
                    self.mix(at, ink, f32::from(opacity) / 255.0);
                }
            }
            left += self.metrics.glyphs.width() as i64;
        }
    }

    /// Draws a right-aligned line of text that ends at `right`.
    pub(super) fn text_until(&mut self, right: f32, top: f32, line: &str) {
        self.text([right - self.metrics.text_width(line), top], line, INK);
    }

    /// Whitens the background of text and axes.
    pub(super) fn paper(&mut self, area: Area) {
        let [left, top, right, bottom] = [area.left, area.top, area.right, area.bottom];
        self.fill([left, top], [right - left, bottom - top], PAPER, 0.75);
    }

    /// Fills a rectangle; pixels that it covers partly are blended.
    pub(super) fn fill(&mut self, corner: [f32; 2], size: [f32; 2], ink: [u8; 3], opacity: f32) {
        let ends = [0, 1].map(|k| corner[k] + size[k]);
        let part = |pixel: i64, k: usize| {
            let pixel = pixel as f32;
            ((pixel + 1.0).min(ends[k]) - pixel.max(corner[k])).clamp(0.0, 1.0)
        };
        for y in corner[1].floor() as i64..ends[1].ceil() as i64 {
            for x in corner[0].floor() as i64..ends[0].ceil() as i64 {
                self.mix([x, y], ink, opacity * part(x, 0) * part(y, 1));
            }
        }
    }

    /// Draws a polyline with round ends.
    pub(super) fn line(&mut self, places: &[[f32; 2]], width: f32, ink: [u8; 3]) {
        let reach = 0.5 * width + 1.0;
        let Some(first) = places.first() else { return };
        let fold =
            |k: usize, end: fn(f32, f32) -> f32| places.iter().map(|p| p[k]).fold(first[k], end);
        let range = |k: usize, last: usize| {
            let first_pixel = (fold(k, f32::min) - reach).floor().max(0.0) as usize;
            let last_pixel = (fold(k, f32::max) + reach).ceil().clamp(0.0, last as f32) as usize;
            first_pixel..last_pixel.max(first_pixel)
        };
        let (columns, rows) = (range(0, self.image.width), range(1, self.image.height));
        // The nearest segment determines the opacity, so that segments do not darken each other at joints.
        let mut opacities = vec![0.0_f32; columns.len() * rows.len()];
        for pair in places.windows(2) {
            let near = |k: usize, range: &std::ops::Range<usize>| {
                let [a, b] = [pair[0][k].min(pair[1][k]), pair[0][k].max(pair[1][k])];
                let end = |x: f32| (x.max(0.0) as usize).clamp(range.start, range.end);
                end(a - reach)..end(b + reach + 1.0)
            };
            for y in near(1, &rows) {
                for x in near(0, &columns) {
                    let distance = distance([x as f32 + 0.5, y as f32 + 0.5], [pair[0], pair[1]]);
                    let opacity = (0.5 * width + 0.5 - distance).clamp(0.0, 1.0);
                    let at = (y - rows.start) * columns.len() + x - columns.start;
                    opacities[at] = opacities[at].max(opacity);
                }
            }
        }
        for (row, opacities) in rows.zip(opacities.chunks(columns.len().max(1))) {
            for (column, &opacity) in columns.clone().zip(opacities) {
                self.mix([column as i64, row as i64], ink, opacity);
            }
        }
    }

    /// Blends a colour into a pixel, if it is in the image.
    fn mix(&mut self, [x, y]: [i64; 2], ink: [u8; 3], opacity: f32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if opacity <= 0.0 || x >= self.image.width || y >= self.image.height {
            return;
        }
        let pixel = &mut self.image.rgba[4 * (y * self.image.width + x)..][..3];
        for (channel, ink) in pixel.iter_mut().zip(ink) {
            let mixed = f32::from(*channel) + opacity * (f32::from(ink) - f32::from(*channel));
            *channel = mixed.round() as u8;
        }
    }
}

/// Distance of a point from a segment.
fn distance(p: [f32; 2], [a, b]: [[f32; 2]; 2]) -> f32 {
    let minus = |p: [f32; 2], q: [f32; 2]| [p[0] - q[0], p[1] - q[1]];
    let dot = |p: [f32; 2], q: [f32; 2]| p[0] * q[0] + p[1] * q[1];
    let (along, from) = (minus(b, a), minus(p, a));
    let length = dot(along, along);
    let part = if length > 0.0 { (dot(from, along) / length).clamp(0.0, 1.0) } else { 0.0 };
    let off = minus(from, along.map(|x| part * x));
    dot(off, off).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank() -> Image {
        Image::filled(64, 40, [255; 3])
    }

    /// Total darkness, in black pixels.
    fn ink(image: &Image) -> f32 {
        image.rgb().map(|[r, _, _]| f32::from(255 - r) / 255.0).sum()
    }

    #[test]
    fn filled_areas_and_lines_cover_their_exact_area() {
        let mut image = blank();
        Canvas::new(&mut image).fill([3.5, 4.25], [10.0, 5.5], [0; 3], 1.0);
        assert!((ink(&image) - 55.0).abs() < 0.2, "{}", ink(&image));
        let mut image = blank();
        Canvas::new(&mut image).line(&[[10.0, 10.0], [40.0, 10.0], [40.0, 30.0]], 2.0, [0; 3]);
        // The joint of both segments is drawn once.
        assert!((ink(&image) - (2.0 * 50.0 + 3.1)).abs() < 3.0, "{}", ink(&image));
    }

    #[test]
    fn drawing_is_clipped_to_the_picture() {
        let mut image = blank();
        let mut canvas = Canvas::new(&mut image);
        canvas.fill([-20.0, -20.0], [10.0, 10.0], [0; 3], 1.0);
        canvas.line(&[[-50.0, -9.0], [-10.0, -90.0]], 3.0, [0; 3]);
        canvas.line(&[], 3.0, [0; 3]);
        canvas.text([60.0, 30.0], "wide", [0; 3]);
        canvas.text([-500.0, 900.0], "away", [0; 3]);
        let rows = image.rgba.chunks_exact(64 * 4).take(30);
        assert!(rows.flatten().all(|&byte| byte == 255));
    }
}
