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
/// Width of the bar, in line heights.
const BAR_WIDTH: f32 = 0.7;
/// Width of the gap between the bar and its labels, in line heights.
const LABEL_GAP: f32 = 0.6;
/// Space above the bar for a name on one line, in line heights.
const SPACE_ABOVE: f32 = 2.2;
/// Space below the bar, in line heights.
const SPACE_BELOW: f32 = 1.2;
/// Height of the bar as a fraction of the shorter side of the image.
const BAR_HEIGHT_FRACTION: f32 = 0.45;
/// Width of the name as a fraction of the width of the image from which on its unit is on a line of its own.
const MAX_NAME_FRACTION: f32 = 0.25;
/// Smallest height of the bar, in line heights.
const MIN_BAR_HEIGHT: f32 = 3.0;
/// Distance from the bar to the last line of the name above it, in line heights.
const NAME_OFFSET: f32 = 1.8;
/// Space to the left and right of the legend, and between it and other areas, in line heights.
const PADDING: f32 = 0.5;

impl ColorBar {
    /// Area of the legend: bar, labels and name with the space around them. It is at the right edge, at half the
    /// height of the image, or above the area of the energy `plot` if it would overlap that.
    pub(super) fn area(&self, metrics: &Metrics, plot: Option<Area>) -> Area {
        let (margin, line_height) = (metrics.margin(), metrics.line_height());
        let padding = PADDING * line_height;
        let bar_and_labels_width =
            self.label_width(metrics) + (BAR_WIDTH + LABEL_GAP) * line_height;
        let right = metrics.width - margin;
        let name_width = self.name_lines(metrics).map(|line| metrics.text_width(line));
        let left = right - name_width.fold(bar_and_labels_width, f32::max);
        let shorter_side = metrics.width.min(metrics.height);
        let bar_height = (BAR_HEIGHT_FRACTION * shorter_side).max(MIN_BAR_HEIGHT * line_height);
        let bar_top = 0.5 * (metrics.height - bar_height);
        let space_above = self.space_above(metrics);
        let area = Area {
            left: left - padding,
            top: bar_top - space_above * line_height,
            right: right + padding,
            bottom: bar_top + bar_height + SPACE_BELOW * line_height,
        };
        match plot.filter(|plot| area.overlaps(plot)) {
            None => area,
            Some(plot) => {
                let bottom = plot.top - padding;
                let top = (bottom - (area.bottom - area.top)).max(padding);
                let min_height = (MIN_BAR_HEIGHT + space_above + SPACE_BELOW) * line_height;
                Area { top: top.min(bottom - min_height), bottom, ..area }
            }
        }
    }

    /// Draws the bar with its name and labels into its `area`, flush right.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Area) {
        let metrics = canvas.metrics;
        let line_height = metrics.line_height();
        let text_right = area.right - PADDING * line_height;
        let space_above = self.space_above(&metrics);
        let [bar_top, bar_bottom] =
            [area.top + space_above * line_height, area.bottom - SPACE_BELOW * line_height];
        let bar_width = BAR_WIDTH * line_height;
        let bar_left =
            text_right - self.label_width(&metrics) - LABEL_GAP * line_height - bar_width;
        canvas.fill_background(area);
        let last_line_first = self.name_lines(&metrics).collect::<Vec<_>>().into_iter().rev();
        for (line, text) in last_line_first.enumerate() {
            let offset = NAME_OFFSET + line as f32;
            canvas.draw_text_until(text_right, bar_top - offset * line_height, text);
        }
        let bar_height = bar_bottom - bar_top;
        for row in 0..bar_height as usize {
            let fraction = 1.0 - (row as f32 + 0.5) / bar_height;
            let ink = of_value(fraction).to_array().map(encoded);
            canvas.fill_rectangle([bar_left, bar_top + row as f32], [bar_width, 1.0], ink, 1.0);
        }
        for (fraction, label) in self.ticks() {
            let y = bar_bottom - bar_height * fraction;
            canvas.draw_text_until(text_right, y - 0.5 * line_height, &label);
        }
    }

    /// The lines of the name: a long one has its unit on a second line.
    fn name_lines(&self, metrics: &Metrics) -> impl Iterator<Item = &str> {
        let is_long = metrics.text_width(&self.name) > MAX_NAME_FRACTION * metrics.width;
        let (name, unit) = match self.name.rsplit_once(' ').filter(|_| is_long) {
            Some((name, unit)) => (name, Some(unit)),
            None => (self.name.as_str(), None),
        };
        std::iter::once(name).chain(unit)
    }

    /// Space above the bar, in line heights.
    fn space_above(&self, metrics: &Metrics) -> f32 {
        SPACE_ABOVE + (self.name_lines(metrics).count() - 1) as f32
    }

    /// Width of the longest label (pixels).
    fn label_width(&self, metrics: &Metrics) -> f32 {
        self.ticks().iter().map(|(_, label)| metrics.text_width(label)).fold(0.0, f32::max)
    }

    /// Positions of the ticks on the bar, as fractions of its height from below, with their labels. Their values are
    /// multiples of 1, 2 or 5 times a power of ten.
    fn ticks(&self) -> Vec<(f32, String)> {
        let [lower, upper] = self.range.map(f64::from);
        let span = upper - lower;
        if !(span > 0.0 && span.is_finite()) {
            return vec![(0.5, decimal(lower, 1e-3 * lower.abs()))];
        }
        let power_of_ten = 10_f64.powf((span / MAX_TICKS as f64).log10().floor());
        let round_steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power_of_ten);
        let tick_count = |step: f64| (upper / step).floor() - (lower / step).ceil() + 1.0;
        let is_coarse_enough = |step: &f64| tick_count(*step) <= MAX_TICKS as f64;
        let step = round_steps.into_iter().find(is_coarse_enough).unwrap_or(10.0 * power_of_ten);
        let first_multiple = (lower / step).ceil();
        let tick = |k: usize| {
            let value = (first_multiple + k as f64) * step;
            (((value - lower) / span) as f32, decimal(value, step))
        };
        (0..tick_count(step) as usize).map(tick).collect()
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
