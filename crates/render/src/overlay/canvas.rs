//! 2D drawing on an image.

use super::layout::Area;
use super::text::Glyphs;
use crate::image::Image;
use std::ops::Range;

/// Colour of text and axes.
pub(super) const INK: [u8; 3] = [45, 48, 54];
/// Background colour of text and axes.
const PAPER: [u8; 3] = [250, 250, 250];

/// Size of an image and of its letters (pixels).
#[derive(Debug, Clone, Copy)]
pub(super) struct Metrics {
    /// Width of the image.
    pub(super) width: f32,
    /// Height of the image.
    pub(super) height: f32,
    glyphs: Glyphs,
}

impl Metrics {
    /// Metrics of an image of this size, with letters of a suitable height.
    pub(super) fn new([width, height]: [usize; 2]) -> Self {
        let glyphs = Glyphs::for_side(width.min(height));
        Self { width: width as f32, height: height as f32, glyphs }
    }

    /// Distance of overlays from the edges of the image (pixels).
    pub(super) fn margin(&self) -> f32 {
        self.line_height()
    }

    /// Height of a line of text (pixels).
    pub(super) fn line_height(&self) -> f32 {
        self.glyphs.height() as f32
    }

    /// Width of a line of text (pixels).
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

    /// Draws a line of text in an sRGB colour; `corner` is its top left corner.
    pub(super) fn draw_text(&mut self, corner: [f32; 2], line: &str, ink: [u8; 3]) {
        let [mut left, top] = corner.map(|x| x.round() as i64);
        for c in line.chars() {
            let glyph = self.metrics.glyphs.glyph(c);
            for (row, opacities) in glyph.iter().enumerate() {
                for (column, &opacity) in opacities.iter().enumerate() {
                    let pixel = [left + column as i64, top + row as i64];
                    self.blend(pixel, ink, f32::from(opacity) / 255.0);
                }
            }
            left += self.metrics.glyphs.width() as i64;
        }
    }

    /// Draws a right-aligned line of text that ends at `right`.
    pub(super) fn draw_text_until(&mut self, right: f32, top: f32, line: &str) {
        self.draw_text([right - self.metrics.text_width(line), top], line, INK);
    }

    /// Whitens the background of text and axes.
    pub(super) fn fill_background(&mut self, area: Area) {
        let [left, top, right, bottom] = [area.left, area.top, area.right, area.bottom];
        self.fill_rectangle([left, top], [right - left, bottom - top], PAPER, 0.75);
    }

    /// Fills a rectangle of this size from its top left corner with an sRGB colour. The opacity of a pixel is reduced
    /// to its covered fraction.
    pub(super) fn fill_rectangle(
        &mut self,
        [left, top]: [f32; 2],
        [width, height]: [f32; 2],
        ink: [u8; 3],
        opacity: f32,
    ) {
        let [right, bottom] = [left + width, top + height];
        let covered_length = |pixel: i64, start: f32, end: f32| {
            let pixel = pixel as f32;
            ((pixel + 1.0).min(end) - pixel.max(start)).clamp(0.0, 1.0)
        };
        for y in top.floor() as i64..bottom.ceil() as i64 {
            for x in left.floor() as i64..right.ceil() as i64 {
                let covered_width = covered_length(x, left, right);
                let covered_height = covered_length(y, top, bottom);
                self.blend([x, y], ink, opacity * covered_width * covered_height);
            }
        }
    }

    /// Draws a polyline of this width with round ends and joints in an sRGB colour.
    pub(super) fn draw_polyline(&mut self, points: &[[f32; 2]], width: f32, ink: [u8; 3]) {
        let reach = 0.5 * width + 1.0;
        let Some(first) = points.first() else { return };
        let extreme = |axis: usize, select: fn(f32, f32) -> f32| {
            points.iter().map(|p| p[axis]).fold(first[axis], select)
        };
        let pixel_range = |axis: usize, pixel_count: usize| {
            let start = (extreme(axis, f32::min) - reach).floor().max(0.0) as usize;
            let end = (extreme(axis, f32::max) + reach).ceil();
            start..(end.clamp(0.0, pixel_count as f32) as usize).max(start)
        };
        let columns = pixel_range(0, self.image.width);
        let rows = pixel_range(1, self.image.height);
        // The nearest segment determines the opacity, so that segments do not darken each other at joints.
        let mut opacities = vec![0.0_f32; columns.len() * rows.len()];
        for &[a, b] in points.array_windows() {
            let pixels_near_segment = |axis: usize, range: &Range<usize>| {
                let [min, max] = [a[axis].min(b[axis]), a[axis].max(b[axis])];
                let clamped = |x: f32| (x.max(0.0) as usize).clamp(range.start, range.end);
                clamped(min - reach)..clamped(max + reach + 1.0)
            };
            for y in pixels_near_segment(1, &rows) {
                for x in pixels_near_segment(0, &columns) {
                    let distance = distance_to_segment([x as f32 + 0.5, y as f32 + 0.5], [a, b]);
                    let opacity = (0.5 * width + 0.5 - distance).clamp(0.0, 1.0);
                    let index = (y - rows.start) * columns.len() + x - columns.start;
                    opacities[index] = opacities[index].max(opacity);
                }
            }
        }
        for (row, row_opacities) in rows.zip(opacities.chunks(columns.len().max(1))) {
            for (column, &opacity) in columns.clone().zip(row_opacities) {
                self.blend([column as i64, row as i64], ink, opacity);
            }
        }
    }

    /// Blends an sRGB colour into a pixel, if the pixel is in the image.
    fn blend(&mut self, [x, y]: [i64; 2], ink: [u8; 3], opacity: f32) {
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

/// Distance of the point `p` from the segment between `a` and `b` (pixels).
fn distance_to_segment(p: [f32; 2], [a, b]: [[f32; 2]; 2]) -> f32 {
    let minus = |[px, py]: [f32; 2], [qx, qy]: [f32; 2]| [px - qx, py - qy];
    let dot = |[px, py]: [f32; 2], [qx, qy]: [f32; 2]| px * qx + py * qy;
    let (segment, to_point) = (minus(b, a), minus(p, a));
    let squared_length = dot(segment, segment);
    let parameter = match squared_length > 0.0 {
        true => (dot(to_point, segment) / squared_length).clamp(0.0, 1.0),
        false => 0.0,
    };
    let from_closest_point = minus(to_point, segment.map(|x| parameter * x));
    dot(from_closest_point, from_closest_point).sqrt()
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
        Canvas::new(&mut image).fill_rectangle([3.5, 4.25], [10.0, 5.5], [0; 3], 1.0);
        assert!((ink(&image) - 55.0).abs() < 0.2, "{}", ink(&image));
        let mut image = blank();
        Canvas::new(&mut image).draw_polyline(
            &[[10.0, 10.0], [40.0, 10.0], [40.0, 30.0]],
            2.0,
            [0; 3],
        );
        // The joint of both segments is drawn once.
        assert!((ink(&image) - (2.0 * 50.0 + 3.1)).abs() < 3.0, "{}", ink(&image));
    }

    #[test]
    fn drawing_is_clipped_to_the_picture() {
        let mut image = blank();
        let mut canvas = Canvas::new(&mut image);
        canvas.fill_rectangle([-20.0, -20.0], [10.0, 10.0], [0; 3], 1.0);
        canvas.draw_polyline(&[[-50.0, -9.0], [-10.0, -90.0]], 3.0, [0; 3]);
        canvas.draw_polyline(&[], 3.0, [0; 3]);
        canvas.draw_text([60.0, 30.0], "wide", [0; 3]);
        canvas.draw_text([-500.0, 900.0], "away", [0; 3]);
        let rows = image.rgba.chunks_exact(64 * 4).take(30);
        assert!(rows.flatten().all(|&byte| byte == 255));
    }
}
