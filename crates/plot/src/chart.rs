//! Line charts over time: panels one below the other, a legend outside of them.

use super::curve::{Curve, Stroke, clipped, extremes, thinned};
use super::label::{Unit, short};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// Width and height as shown.
const SIZE: (u32, u32) = (960, 600);
/// The plotting library rounds to whole units: it draws this much larger, so that
/// a unit is a fraction of a pixel.
const FINE: u32 = 4;
const GRID: RGBColor = RGBColor(228, 228, 228);
const AXIS: RGBColor = RGBColor(60, 60, 60);
/// Horizontal lines at values of note.
const LEVEL: Stroke = Stroke { color: RGBColor(120, 120, 120), width: 1, dash: Some((4, 4)) };
/// Letters of a legend's entry beside the panels; what is longer is cut.
const LONGEST_NAME: usize = 34;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Where the legend stands: never in a panel, where it would cover curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    /// In the line of the title: for a few curves.
    Above,
    /// Right of the panels, an entry a line: for many.
    Beside,
}

/// A page of panels over the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Above all.
    pub title: String,
    /// What has to be said about the curves, below the title.
    pub notes: Vec<String>,
    /// Where it stands.
    pub legend: Legend,
    /// From above.
    pub panels: Vec<Panel>,
}

/// Axes with curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What the values are.
    pub name: &'static str,
    /// What they count in.
    pub unit: Unit,
    /// Its part of the height, relative to that of the others.
    pub share: u32,
    /// What is drawn, later ones above.
    pub curves: Vec<Curve>,
    /// Values marked by a line from side to side.
    pub levels: Vec<f64>,
    /// The span of values drawn at least.
    pub least_span: f64,
    /// Values beyond are not drawn.
    pub window: Range<f64>,
}

/// Why a chart could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a plot could not be drawn: {reason}")]
pub struct PlotError {
    /// What the plotting library said, or that there is nothing to draw.
    pub reason: String,
}

impl Chart {
    /// The chart as SVG, its text as text.
    ///
    /// # Errors
    /// If there is nothing to draw.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|reason| PlotError { reason })?;
        let size = |factor| format!("width=\"{}\" height=\"{}\"", SIZE.0 * factor, SIZE.1 * factor);
        let svg = svg.replacen(&size(FINE), &size(1), 1);
        Ok(svg.chars().map(|c| if is_of_xml(c) { c } else { '\u{fffd}' }).collect())
    }

    fn draw(&self, svg: &mut String) -> Result<(), String> {
        let times = self.times().ok_or("there are no steps to draw")?;
        let area = SVGBackend::with_string(svg, (SIZE.0 * FINE, SIZE.1 * FINE)).into_drawing_area();
        area.fill(&WHITE).map_err(text)?;
        let area = area.margin(fine(8), fine(10), fine(12), fine(24));
        let (head, area) = area.split_vertically(fine(34 + 19 * self.notes.len() as i32));
        self.head(&head)?;
        let (area, beside) = match self.legend {
            Legend::Above => (area, None),
            Legend::Beside => {
                let width = area.dim_in_pixel().0 as i32 - fine(self.legend_width());
                let (area, beside) = area.split_horizontally(width);
                (area, Some(beside))
            }
        };
        beside.map_or(Ok(()), |beside| self.legend_beside(&beside))?;
        self.panels(&area, &times)?;
        area.present().map_err(text)
    }

    /// From the first point to the last.
    fn times(&self) -> Option<Range<f64>> {
        let points = self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|c| &c.points);
        let (first, last) = extremes(points.map(|&(time, _)| time));
        first.is_finite().then(|| first..last.max(first + 1e-9))
    }

    fn head(&self, area: &Area<'_>) -> Result<(), String> {
        let font = |size| ("sans-serif", fine(size)).into_text_style(area);
        area.draw_text(&self.title, &font(20), (fine(78), fine(4))).map_err(text)?;
        for (line, note) in self.notes.iter().enumerate() {
            let at = (fine(78), fine(29 + 19 * line as i32));
            area.draw_text(note, &font(14).color(&LEVEL.color), at).map_err(text)?;
        }
        if self.legend == Legend::Above {
            let right = area.dim_in_pixel().0 as i32;
            for (place, (name, stroke)) in self.entries().iter().rev().enumerate() {
                let x = right - fine(108) * (place as i32 + 1);
                entry(area, name, *stroke, (x, fine(15)))?;
            }
        }
        Ok(())
    }

    fn legend_beside(&self, area: &Area<'_>) -> Result<(), String> {
        let entries = self.entries();
        let height = area.dim_in_pixel().1 as i32 - fine(46);
        let line = fine(22).min(height / entries.len().max(1) as i32);
        for (place, (name, stroke)) in entries.iter().enumerate() {
            entry(area, &cut(name), *stroke, (fine(16), fine(12) + line * place as i32))?;
        }
        Ok(())
    }

    /// Room for the longest name beside the panels (pixels).
    fn legend_width(&self) -> i32 {
        let letters = |name: &str| cut(name).chars().count() as i32;
        let longest = self.entries().iter().map(|(name, _)| letters(name)).max();
        // A name's letters are hardly ever wider than this on average.
        64 + 13 * longest.unwrap_or(0) / 2
    }

    /// Names of curves in the order of their first appearance.
    fn entries(&self) -> Vec<(&str, Stroke)> {
        let mut entries: Vec<(&str, Stroke)> = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            let known = entries.iter().any(|(name, _)| *name == curve.name);
            if !known && !curve.name.is_empty() && !curve.points.is_empty() {
                entries.push((&curve.name, curve.stroke));
            }
        }
        entries
    }

    fn panels(&self, area: &Area<'_>, times: &Range<f64>) -> Result<(), String> {
        let all: u32 = self.panels.iter().map(|panel| panel.share).sum();
        let height = area.dim_in_pixel().1;
        let mut rest = area.clone();
        for (place, panel) in self.panels.iter().enumerate() {
            let last = place + 1 == self.panels.len();
            let here = if last {
                rest.clone()
            } else {
                let (here, below) = rest.split_vertically(height * panel.share / all);
                rest = below;
                here
            };
            let place = Place { times, first: place == 0, last };
            panel.draw(&here, place)?;
        }
        Ok(())
    }
}

/// Whether XML 1.0 has the character at all, escaped or not (its production `Char`). A name may be
/// that of a file, which can have any.
fn is_of_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Which of the panels it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    times: &'a Range<f64>,
    first: bool,
    last: bool,
}

impl Panel {
    /// A panel that shows all of its curves.
    pub fn new(name: &'static str, unit: Unit, curves: Vec<Curve>) -> Self {
        let window = f64::NEG_INFINITY..f64::INFINITY;
        Self { name, unit, share: 1, curves, levels: Vec::new(), least_span: 0.0, window }
    }

    fn draw(&self, area: &Area<'_>, place: Place<'_>) -> Result<(), String> {
        let (low, high) = self.range();
        let (unit, scale) = self.unit.scaled(low.abs().max(high.abs()));
        let range = low * scale..high * scale;
        let mut plane = ChartBuilder::on(area)
            .margin_top(fine(if place.first { 0 } else { 10 }))
            .set_label_area_size(LabelAreaPosition::Left, fine(78))
            .set_label_area_size(LabelAreaPosition::Bottom, fine(if place.last { 46 } else { 24 }))
            .build_cartesian_2d(place.times.clone(), range.clone())
            .map_err(text)?;
        plane
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(fine(5))
            .bold_line_style(GRID.stroke_width(FINE))
            .axis_style(AXIS.stroke_width(FINE))
            .x_desc(if place.last { "time (s)" } else { "" })
            .y_desc(format!("{}{unit}", self.name))
            .x_labels(8)
            .y_labels(if area.dim_in_pixel().1 > SIZE.1 * FINE / 3 { 7 } else { 4 })
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .label_style(("sans-serif", fine(14)))
            .axis_desc_style(("sans-serif", fine(16)))
            .draw()
            .map_err(text)?;
        for &level in &self.levels {
            let line = [place.times.start, place.times.end].map(|time| (time, scale * level));
            stroke(&mut plane, line.to_vec(), LEVEL)?;
        }
        for curve in &self.curves {
            let scaled: Vec<_> = curve.points.iter().map(|&(t, y)| (t, scale * y)).collect();
            for piece in clipped(&thinned(&scaled), &range) {
                stroke(&mut plane, piece, curve.stroke)?;
            }
        }
        Ok(())
    }

    /// The values drawn, with a margin.
    fn range(&self) -> (f64, f64) {
        let points = self.curves.iter().flat_map(|curve| &curve.points).map(|&(_, value)| value);
        // The difference of larger ones may be no number.
        let seen = |value: &f64| value.abs() < 1e300 && self.window.contains(value);
        let (low, high) = extremes(points.filter(seen).chain(self.levels.iter().copied()));
        let (low, high) = if low > high { (0.0, 0.0) } else { (low, high) };
        // Less than a thousandth of the value would be all labels that look alike.
        let span = (high - low).max(1e-3 * high.abs().max(low.abs())).max(self.least_span);
        let span = if span > 0.0 { span } else { 1.0 };
        (low - 0.05 * span, high + 0.08 * span)
    }
}

/// A sample of a stroke and its name; `at` is the middle of the sample's left end.
fn entry(area: &Area<'_>, name: &str, stroke: Stroke, at: (i32, i32)) -> Result<(), String> {
    let style = stroke.color.stroke_width(stroke.width * FINE);
    let (dash, gap) = stroke.dash.unwrap_or((25, 0));
    let starts = (0..25).step_by((dash + gap) as usize);
    for start in starts {
        let end = (start + dash).min(25);
        let line = [start, end].map(|x| (at.0 + fine(x), at.1));
        area.draw(&PathElement::new(line, style)).map_err(text)?;
    }
    let font = ("sans-serif", fine(15)).into_text_style(area);
    area.draw_text(name, &font, (at.0 + fine(32), at.1 - fine(8))).map_err(text)
}

fn stroke(
    plane: &mut Plane<'_, '_>,
    points: Vec<(f64, f64)>,
    stroke: Stroke,
) -> Result<(), String> {
    let style = stroke.color.stroke_width(stroke.width * FINE);
    match stroke.dash {
        Some((dash, gap)) => {
            let series = DashedLineSeries::new(points, fine(dash), fine(gap), style);
            plane.draw_series(series).map_err(text)?;
        }
        None => {
            plane.draw_series(LineSeries::new(points, style)).map_err(text)?;
        }
    }
    Ok(())
}

fn cut(name: &str) -> String {
    let cut: String = name.chars().take(LONGEST_NAME).collect();
    if cut.len() < name.len() { format!("{cut}...") } else { cut }
}

/// Pixels as shown, in units of the drawing.
fn fine(pixels: i32) -> i32 {
    pixels * FINE as i32
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
