//! Which value a colour stands for.

use super::canvas::{Canvas, PAPER};
use super::text::decimal;
use crate::color::{encoded, of_value};

/// The colours of values from one to another.
#[derive(Debug, Clone)]
pub(crate) struct ColorBar {
    /// What is shown, with its unit.
    pub(crate) name: String,
    /// The values of the first and of the last colour.
    pub(crate) range: [f32; 2],
}

/// Values that are written beside the bar, at most.
const MOST_TICKS: usize = 6;

impl ColorBar {
    /// Draws it at the right edge, in the middle.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let (margin, line) = (canvas.margin(), canvas.line_height() as f32);
        let height = (0.45 * canvas.height()).max(3.0 * line);
        let labels = self.ticks();
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

    /// Places on the bar, 0 to 1 from below, with their values: multiples of 1, 2 or 5 times a
    /// power of ten.
    fn ticks(&self) -> Vec<(f32, String)> {
        let [lower, upper] = self.range.map(f64::from);
        let span = upper - lower;
        if !(span > 0.0 && span.is_finite()) {
            return vec![(0.5, decimal(lower, lower.abs()))];
        }
        let power = 10_f64.powf((span / MOST_TICKS as f64).log10().floor());
        let rounds = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        let count = |step: f64| (upper / step).floor() - (lower / step).ceil() + 1.0;
        let is_few = |step: &f64| count(*step) <= MOST_TICKS as f64;
        let step = rounds.into_iter().find(is_few).unwrap_or(10.0 * power);
        let first = (lower / step).ceil();
        let value = |k: usize| (first + k as f64) * step;
        let tick = |value: f64| (((value - lower) / span) as f32, decimal(value, step));
        (0..count(step) as usize).map(|k| tick(value(k))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(range: [f32; 2]) -> Vec<String> {
        let bar = ColorBar { name: String::new(), range };
        bar.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks([0.0, 1.0]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks([0.137, 2.91]), ["0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(ticks([-3.7e6, 8.1e6]), ["-2e6", "0", "2e6", "4e6", "6e6", "8e6"]);
        assert_eq!(ticks([1e-4, 3e-4]), ["1e-4", "1.5e-4", "2e-4", "2.5e-4", "3e-4"]);
        assert_eq!(ticks([5.0, 5.0]).len(), 1);
        for n in 0..400u16 {
            let lower = f32::from(n % 37) - 18.0;
            let range = [lower, lower + 1e-3 * 1.07_f32.powi(i32::from(n))];
            let bar = ColorBar { name: String::new(), range };
            let ticks = bar.ticks();
            assert!((2..=MOST_TICKS).contains(&ticks.len()), "{range:?}: {ticks:?}");
            assert!(ticks.iter().all(|(part, _)| (-1e-5..=1.00001).contains(part)), "{ticks:?}");
        }
    }
}
