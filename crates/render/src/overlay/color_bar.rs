//! Legend of the colour map.

use super::canvas::{Canvas, Metrics};
use super::layout::Area;
use super::text::decimal;
use crate::color::{encoded, of_value};

/// Colour bar of a range of values.
#[derive(Debug, Clone)]
pub(crate) struct ColorBar {
    /// Name of the quantity, with its unit.
    pub(crate) name: String,
    /// Values of the first and of the last colour.
    pub(crate) range: [f32; 2],
}

/// Largest number of labelled values.
const MAX_TICKS: usize = 6;
/// Width of the bar and of the gap to its labels, in line heights.
const WIDTH: f32 = 0.7;
const LABEL_GAP: f32 = 0.6;
/// Space above and below the bar, in line heights.
const SPACE_ABOVE: f32 = 2.2;
const SPACE_BELOW: f32 = 1.2;

impl ColorBar {
    /// Area of the bar: at the right edge in the middle, or above the plot if it would overlap that.
    pub(super) fn area(&self, metrics: &Metrics, plot: Option<Area>) -> Area {
        let (margin, line) = (metrics.margin(), metrics.line());
        let width = self.label_width(metrics) + (WIDTH + LABEL_GAP) * line;
        let right = metrics.width - margin;
        let left = right - width.max(metrics.text_width(&self.name));
        let height = (0.45 * metrics.height).max(3.0 * line);
        let top = 0.5 * (metrics.height - height);
        let area = Area {
            left: left - 0.5 * line,
            top: top - SPACE_ABOVE * line,
            right: right + 0.5 * line,
            bottom: top + height + SPACE_BELOW * line,
        };
        match plot.filter(|plot| area.meets(plot)) {
            None => area,
            Some(plot) => {
                let bottom = plot.top - 0.5 * line;
                let top = (bottom - (area.bottom - area.top)).max(0.5 * line);
                Area {
                    top: top.min(bottom - (3.0 + SPACE_ABOVE + SPACE_BELOW) * line),
                    bottom,
                    ..area
                }
            }
        }
    }

    /// Draws the bar with its name and ticks at the right of `area`.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Area) {
        let metrics = canvas.metrics;
        let line = metrics.line();
        let end = area.right - 0.5 * line;
        let [top, bottom] = [area.top + SPACE_ABOVE * line, area.bottom - SPACE_BELOW * line];
        let right = end - self.label_width(&metrics) - LABEL_GAP * line;
        canvas.paper(area);
        canvas.text_until(end, top - 1.8 * line, &self.name);
        let height = bottom - top;
        for row in 0..height as usize {
            let value = 1.0 - (row as f32 + 0.5) / height;
            let ink = of_value(value).to_array().map(encoded);
            canvas.fill([right - WIDTH * line, top + row as f32], [WIDTH * line, 1.0], ink, 1.0);
        }
        for (part, text) in self.ticks() {
            let y = bottom - height * part;
            canvas.text_until(end, y - 0.5 * line, &text);
        }
    }

    fn label_width(&self, metrics: &Metrics) -> f32 {
        self.ticks().iter().map(|(_, text)| metrics.text_width(text)).fold(0.0, f32::max)
    }

    /// Tick positions on the bar, 0 to 1 from below, with their values: multiples of 1, 2 or 5 times a power of
    /// ten.
    fn ticks(&self) -> Vec<(f32, String)> {
        let [lower, upper] = self.range.map(f64::from);
        let span = upper - lower;
        if !(span > 0.0 && span.is_finite()) {
            return vec![(0.5, decimal(lower, 1e-3 * lower.abs()))];
        }
        let power = 10_f64.powf((span / MAX_TICKS as f64).log10().floor());
        let rounds = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        let count = |step: f64| (upper / step).floor() - (lower / step).ceil() + 1.0;
        let is_few = |step: &f64| count(*step) <= MAX_TICKS as f64;
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
        assert_eq!(ticks([5.25, 5.25]), ["5.250"]);
        assert_eq!(ticks([0.0, 0.0]), ["0"]);
        assert_eq!(ticks([1980.0, 2020.0]), ["1980", "1990", "2000", "2010", "2020"]);
        for n in 0..400u16 {
            let lower = f32::from(n % 37) - 18.0;
            let range = [lower, lower + 1e-3 * 1.07_f32.powi(i32::from(n))];
            let bar = ColorBar { name: String::new(), range };
            let ticks = bar.ticks();
            assert!((2..=MAX_TICKS).contains(&ticks.len()), "{range:?}: {ticks:?}");
            assert!(ticks.iter().all(|(part, _)| (-1e-5..=1.00001).contains(part)), "{ticks:?}");
        }
    }
}
