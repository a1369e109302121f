//! Which value a colour stands for.

use super::canvas::{Canvas, PAPER};
use super::text::short;
use crate::color::{encoded, of_value};

/// The colours of values from one to another.
#[derive(Debug, Clone)]
pub(crate) struct ColorBar {
    /// What is shown, with its unit.
    pub(crate) name: String,
    /// The values of the first and of the last colour.
    pub(crate) range: [f32; 2],
}

/// Values that are written beside the bar.
const TICKS: u16 = 5;

impl ColorBar {
    /// Draws it at the right edge, in the middle.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let (margin, line) = (canvas.margin(), canvas.line_height() as f32);
        let height = (0.45 * canvas.height()).max(3.0 * line);
        let labels: Vec<(f32, String)> = (0..TICKS).map(|k| self.tick(k)).collect();
        let text_width = labels.iter().map(|(_, text)| canvas.text_width(text)).fold(0.0, f32::max);
        let width = 0.7 * line;
        let right = canvas.width() - margin - text_width - 0.6 * line;
        let top = 0.5 * (canvas.height() - height);
        let widest = (text_width + width + 0.6 * line).max(canvas.text_width(&self.name));
        let left = canvas.width() - margin - widest;
        let paper = [left - 0.5 * line, top - 2.2 * line];
        canvas.fill(paper, [widest + line, height + 3.4 * line], PAPER, 0.75);
        canvas.text_until(canvas.width() - margin, top - 1.8 * line, &self.name);
        for row in 0..height as usize {
            let value = 1.0 - (row as f32 + 0.5) / height;
            let ink = of_value(value).to_array().map(encoded);
            canvas.fill([right - width, top + row as f32], [width, 1.0], ink, 1.0);
        }
        for (part, text) in labels {
            let y = top + height * (1.0 - part);
            let place = [canvas.width() - margin - canvas.text_width(&text), y - 0.5 * line];
            canvas.text(place, &text, super::canvas::INK);
        }
    }

    /// A place on the bar, 0 to 1 from below, and its value.
    fn tick(&self, k: u16) -> (f32, String) {
        let part = f32::from(k) / f32::from(TICKS - 1);
        let [lower, upper] = self.range.map(f64::from);
        (part, short(lower + f64::from(part) * (upper - lower)))
    }
}
