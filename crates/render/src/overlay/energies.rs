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
/// Fraction of an image's width and height that the plot takes.
const SIZE: [f32; 2] = [0.30, 0.26];
/// Space above the curves for their names, in line heights.
const SPACE_ABOVE: f32 = 1.6;
/// Separator between the names of curves.
const NAME_SEPARATOR: &str = "  ";

/// Energies (J) at times (s); empty if they were not requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct Energies {
    times: Vec<f64>,
    /// Values in the order of [`CURVES`].
    curves: [Vec<f64>; 3],
    /// Units of the scene, in which energies are shown.
    units: Units,
}

impl Energies {
    /// Reads the energies of a run, if they are to be shown.
    pub(crate) fn new(run: &Playback, overlays: &BTreeSet<Overlay>) -> Result<Self, OutputError> {
        if overlays.is_empty() {
            return Ok(Self::default());
        }
        let mut energies = Self { units: run.scene_units(), ..Self::default() };
        let [(a, _), (b, _), (c, _)] = CURVES;
        for row in run.history()?.select(["time", a, b, c])? {
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
        let after = self.times.partition_point(|&recorded| recorded <= time * (1.0 + 1e-9));
        self.curves[2].get(after.saturating_sub(1)).copied()
    }

    /// Total energy at a time as text, in the units of the scene.
    pub(super) fn total_text(&self, time: f64) -> Option<String> {
        self.total(time).map(|energy| match self.units {
            Units::Metres => with_unit(energy, "J"),
            other => format!("{:.3e}", other.show(energy, "J")),
        })
    }

    /// Area of the plot: in the lower left corner above the line of text.
    pub(super) fn area(metrics: &Metrics) -> Area {
        let (margin, line) = (metrics.margin(), metrics.line());
        let legend: f32 = CURVES.iter().map(|(name, _)| metrics.text_width(name)).sum();
        let width =
            (SIZE[0] * metrics.width).max(legend + 2.0 * metrics.text_width(NAME_SEPARATOR));
        let bottom = metrics.height - margin - 1.3 * line;
        let top = bottom - SIZE[1] * metrics.height - (SPACE_ABOVE + 0.5) * line;
        Area { left: margin, top, right: margin + width + line, bottom }
    }

    /// Draws the curves with a marker line at `time`.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Area, time: f64) {
        let [Some(&first), Some(&last)] = [self.times.first(), self.times.last()] else { return };
        let line = canvas.metrics.line();
        let [left, top] = [area.left + 0.5 * line, area.top + SPACE_ABOVE * line];
        let size = [area.right - 0.5 * line - left, area.bottom - 0.5 * line - top];
        canvas.paper(area);
        legend(canvas, [left, top - 1.3 * line]);
        let [low, high] = self.span();
        let place = |t: f64, energy: f64| {
            let x = ((t - first) / (last - first).max(f64::MIN_POSITIVE)) as f32;
            let y = ((energy - low) / (high - low)) as f32;
            [left + size[0] * x.clamp(0.0, 1.0), top + size[1] * (1.0 - y)]
        };
        let thin = (canvas.metrics.height / 720.0).max(1.0);
        let zero = place(first, 0.0)[1];
        canvas.line(&[[left, zero], [left + size[0], zero]], thin, [170, 172, 176]);
        for (k, (_, ink)) in CURVES.iter().enumerate() {
            let points = self.times.iter().zip(&self.curves[k]).map(|(&t, &e)| place(t, e));
            canvas.line(&points.collect::<Vec<_>>(), 1.6 * thin, *ink);
        }
        let x = place(time, 0.0)[0];
        canvas.line(&[[x, top], [x, top + size[1]]], thin, INK);
    }

    /// Smallest and largest energy; the range includes zero.
    fn span(&self) -> [f64; 2] {
        let all = self.curves.iter().flatten().filter(|energy| energy.is_finite());
        let [low, high] = all.fold([0.0_f64, 0.0], |[a, b], &e| [a.min(e), b.max(e)]);
        if high > low { [low, high] } else { [low, low + 1.0] }
    }
}

fn legend(canvas: &mut Canvas<'_>, [mut left, top]: [f32; 2]) {
    for (name, ink) in CURVES {
        canvas.text([left, top], name, ink);
        left += canvas.metrics.text_width(name) + canvas.metrics.text_width(NAME_SEPARATOR);
    }
}
