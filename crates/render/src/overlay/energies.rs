//! Energies over time, from the history of a run.

use super::canvas::{Canvas, INK, Metrics};
use super::layout::Area;
use super::text::with_unit;
use crate::film::Overlay;
use resile_record::{OutputError, Playback, Units};
use std::collections::BTreeSet;

/// Plotted columns of the history, with their labels and the colours of `energy.svg`.
const CURVES: [(&str, [u8; 3]); 3] =
    [("kinetic", [0, 114, 178]), ("potential", [0, 158, 115]), ("total", [30, 30, 30])];
/// Fraction of the width of an image that the plot takes.
const WIDTH_FRACTION: f32 = 0.30;
/// Fraction of the height of an image that the plot takes.
const HEIGHT_FRACTION: f32 = 0.26;
/// Space above the curves for their names, in line heights.
const SPACE_ABOVE: f32 = 1.6;
/// Colour of the line at zero energy.
const AXIS_COLOR: [u8; 3] = [170, 172, 176];
/// Separator between the names of curves.
const NAME_SEPARATOR: &str = "  ";

/// Energies (J) at times (s); empty if they were not requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct Energies {
    times: Vec<f64>,
    /// Energies in the order of [`CURVES`], at each time.
    curves: [Vec<f64>; 3],
    /// Units of the scene, in which energies are shown.
    units: Units,
}

impl Energies {
    /// Reads the energies of a run from its history, if one of the overlays shows them.
    pub(crate) fn new(run: &Playback, overlays: &BTreeSet<Overlay>) -> Result<Self, OutputError> {
        if overlays.is_empty() {
            return Ok(Self::default());
        }
        let mut energies = Self { units: run.scene_units(), ..Self::default() };
        let [kinetic_column, potential_column, total_column] = CURVES.map(|(column, _)| column);
        let columns = ["time", kinetic_column, potential_column, total_column];
        for row in run.history()?.select(columns)? {
            if let [Some(time), Some(kinetic), Some(potential), Some(total)] = row {
                energies.times.push(time);
                let values = [kinetic, potential, total];
                energies.curves.iter_mut().zip(values).for_each(|(curve, value)| curve.push(value));
            }
        }
        Ok(energies)
    }

    /// Total energy (J) at a time: that of the last completed step, like the displayed state.
    fn total(&self, time: f64) -> Option<f64> {
        // The tolerance covers rounding of the time of an image at the end of a step.
        let completed = self.times.partition_point(|&recorded| recorded <= time * (1.0 + 1e-9));
        let [_, _, total] = &self.curves;
        total.get(completed.saturating_sub(1)).copied()
    }

    /// Total energy at a time (s) as text, in the units of the scene.
    pub(super) fn total_text(&self, time: f64) -> Option<String> {
        self.total(time).map(|energy| match self.units {
            Units::Metres => with_unit(energy, "J"),
            other => format!("{:.3e}", other.show(energy, "J")),
        })
    }

    /// Area of the plot: in the lower left corner above the line of text.
    pub(super) fn area(metrics: &Metrics) -> Area {
        let (margin, line_height) = (metrics.margin(), metrics.line_height());
        let names_width: f32 = CURVES.iter().map(|(name, _)| metrics.text_width(name)).sum();
        let legend_width = names_width + 2.0 * metrics.text_width(NAME_SEPARATOR);
        let width = (WIDTH_FRACTION * metrics.width).max(legend_width);
        let bottom = metrics.height - margin - 1.3 * line_height;
        let top = bottom - HEIGHT_FRACTION * metrics.height - (SPACE_ABOVE + 0.5) * line_height;
        Area { left: margin, top, right: margin + width + line_height, bottom }
    }

    /// Draws the curves into an area, with a line at zero energy and a marker line at `time` (s).
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Area, time: f64) {
        let [Some(&first), Some(&last)] = [self.times.first(), self.times.last()] else { return };
        let line_height = canvas.metrics.line_height();
        let [left, top] = [area.left + 0.5 * line_height, area.top + SPACE_ABOVE * line_height];
        let width = area.right - 0.5 * line_height - left;
        let height = area.bottom - 0.5 * line_height - top;
        canvas.fill_background(area);
        draw_legend(canvas, [left, top - 1.3 * line_height]);
        let [min, max] = self.range();
        let x_of_time = |time: f64| {
            let fraction = ((time - first) / (last - first).max(f64::MIN_POSITIVE)) as f32;
            left + width * fraction.clamp(0.0, 1.0)
        };
        let y_of_energy = |energy: f64| {
            let fraction = ((energy - min) / (max - min)) as f32;
            top + height * (1.0 - fraction)
        };
        let line_width = (canvas.metrics.height / 720.0).max(1.0);
        let zero_y = y_of_energy(0.0);
        canvas.draw_polyline(&[[left, zero_y], [left + width, zero_y]], line_width, AXIS_COLOR);
        for ((_, ink), energies) in CURVES.iter().zip(&self.curves) {
            let points = self.times.iter().zip(energies);
            let points = points.map(|(&time, &energy)| [x_of_time(time), y_of_energy(energy)]);
            canvas.draw_polyline(&points.collect::<Vec<_>>(), 1.6 * line_width, *ink);
        }
        let marker_x = x_of_time(time);
        canvas.draw_polyline(&[[marker_x, top], [marker_x, top + height]], line_width, INK);
    }

    /// Smallest and largest energy (J) in a range that includes zero and is not empty.
    fn range(&self) -> [f64; 2] {
        let energies = self.curves.iter().flatten().filter(|energy| energy.is_finite());
        let [min, max] = energies.fold([0.0_f64, 0.0], |[min, max], &e| [min.min(e), max.max(e)]);
        if max > min { [min, max] } else { [min, min + 1.0] }
    }
}

/// Draws the names of the curves side by side in their colours, from the top left corner of the first one.
fn draw_legend(canvas: &mut Canvas<'_>, [mut left, top]: [f32; 2]) {
    for (name, ink) in CURVES {
        canvas.draw_text([left, top], name, ink);
        left += canvas.metrics.text_width(name) + canvas.metrics.text_width(NAME_SEPARATOR);
    }
}
