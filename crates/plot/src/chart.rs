//! Line charts over time: stacked panels with a common legend.

use super::curve::{Curve, Stroke, clip, extremes, thin};
use super::label::{Unit, short};
use super::page::{
    AXIS, Area, Entry, GRID, PIXEL_UNITS, SIZE, draw_entry, draw_page, entries, split_off_legend,
    text, to_drawing_units,
};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// Stroke of marked levels.
const LEVEL_STROKE: Stroke =
    Stroke { color: RGBColor(120, 120, 120), width: 1, dash: Some((4, 4)) };

/// The coordinate plane of a panel.
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Position of the legend, outside of the panels so that it covers no curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    /// In the title line, for few curves.
    Above,
    /// Right of the panels, one entry per line, for many curves.
    Beside,
}

/// A page of panels over the same time axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Title at the top.
    pub title: String,
    /// Notes about the curves, below the title.
    pub notes: Vec<String>,
    /// Position of the legend.
    pub legend: Legend,
    /// Panels from top to bottom.
    pub panels: Vec<Panel>,
}

/// Axes with curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Name of the quantity.
    pub name: &'static str,
    /// Unit of the values.
    pub unit: Unit,
    /// Relative height of the panel.
    pub share: u32,
    /// Curves; later ones are drawn above earlier ones.
    pub curves: Vec<Curve>,
    /// Values marked by a horizontal line.
    pub levels: Vec<f64>,
    /// Smallest range of the value axis.
    pub least_span: f64,
    /// Values outside of this range are not drawn.
    pub window: Range<f64>,
}

/// Errors of drawing a chart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a plot could not be drawn: {reason}")]
pub struct PlotError {
    /// Error of the plotting library, or that there is nothing to draw.
    pub reason: String,
}

impl Chart {
    /// Draws the chart as SVG with selectable text.
    ///
    /// # Errors
    /// If there is nothing to draw.
    pub fn svg(&self) -> Result<String, PlotError> {
        draw_page(|area| self.draw(area))
    }

    /// Draws the page: head, legend and panels.
    fn draw(&self, area: &Area<'_>) -> Result<(), String> {
        let times = self.times().ok_or("there are no steps to draw")?;
        let (head, area) =
            area.split_vertically(to_drawing_units(34 + 19 * self.notes.len() as i32));
        self.draw_head(&head)?;
        let area = match self.legend {
            Legend::Above => area,
            Legend::Beside => split_off_legend(&area, &self.entries())?,
        };
        self.draw_panels(&area, &times)
    }

    /// Time range of all points; `None` without points.
    fn times(&self) -> Option<Range<f64>> {
        let points = self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|c| &c.points);
        let (first, last) = extremes(points.map(|&(time, _)| time));
        first.is_finite().then(|| first..last.max(first + 1e-9))
    }

    /// Draws title, notes and a legend above the panels.
    fn draw_head(&self, area: &Area<'_>) -> Result<(), String> {
        let font = |size| ("sans-serif", to_drawing_units(size)).into_text_style(area);
        area.draw_text(&self.title, &font(20), (to_drawing_units(78), to_drawing_units(4)))
            .map_err(text)?;
        for (line, note) in self.notes.iter().enumerate() {
            let position = (to_drawing_units(78), to_drawing_units(29 + 19 * line as i32));
            area.draw_text(note, &font(14).color(&LEVEL_STROKE.color), position).map_err(text)?;
        }
        if self.legend == Legend::Above {
            let right = area.dim_in_pixel().0 as i32;
            for (index, (name, stroke)) in self.entries().iter().rev().enumerate() {
                let x = right - to_drawing_units(108) * (index as i32 + 1);
                draw_entry(area, name, *stroke, (x, to_drawing_units(15)))?;
            }
        }
        Ok(())
    }

    /// The legend entries of all panels.
    fn entries(&self) -> Vec<Entry<'_>> {
        entries(self.panels.iter().flat_map(|panel| &panel.curves))
    }

    /// Draws the panels from top to bottom, with heights in proportion to their shares.
    fn draw_panels(&self, area: &Area<'_>, times: &Range<f64>) -> Result<(), String> {
        let total_share: u32 = self.panels.iter().map(|panel| panel.share).sum();
        let height = area.dim_in_pixel().1;
        let mut remaining = area.clone();
        for (index, panel) in self.panels.iter().enumerate() {
            let is_last = index + 1 == self.panels.len();
            let panel_area = if is_last {
                remaining.clone()
            } else {
                let (panel_area, lower) =
                    remaining.split_vertically(height * panel.share / total_share);
                remaining = lower;
                panel_area
            };
            let position = PanelPosition { times, is_first: index == 0, is_last };
            panel.draw(&panel_area, position)?;
        }
        Ok(())
    }
}

/// Position of a panel on the page.
#[derive(Clone, Copy)]
struct PanelPosition<'a> {
    times: &'a Range<f64>,
    is_first: bool,
    is_last: bool,
}

impl Panel {
    /// A panel that shows all of its curves completely.
    pub fn new(name: &'static str, unit: Unit, curves: Vec<Curve>) -> Self {
        let window = f64::NEG_INFINITY..f64::INFINITY;
        Self { name, unit, share: 1, curves, levels: Vec::new(), least_span: 0.0, window }
    }

    /// Draws axes, horizontal levels and curves of one panel; only the last panel has the label of the time axis.
    fn draw(&self, area: &Area<'_>, position: PanelPosition<'_>) -> Result<(), String> {
        let (low, high) = self.range();
        let (unit, scale) = self.unit.scaled(low.abs().max(high.abs()));
        let range = low * scale..high * scale;
        let mut plane = ChartBuilder::on(area)
            .margin_top(to_drawing_units(if position.is_first { 0 } else { 10 }))
            .set_label_area_size(LabelAreaPosition::Left, to_drawing_units(78))
            .set_label_area_size(
                LabelAreaPosition::Bottom,
                to_drawing_units(if position.is_last { 46 } else { 24 }),
            )
            .build_cartesian_2d(position.times.clone(), range.clone())
            .map_err(text)?;
        plane
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(to_drawing_units(5))
            .bold_line_style(GRID.stroke_width(PIXEL_UNITS))
            .axis_style(AXIS.stroke_width(PIXEL_UNITS))
            .x_desc(if position.is_last { "time (s)" } else { "" })
            .y_desc(format!("{}{unit}", self.name))
            .x_labels(8)
            .y_labels(if area.dim_in_pixel().1 > SIZE.1 * PIXEL_UNITS / 3 { 7 } else { 4 })
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .label_style(("sans-serif", to_drawing_units(14)))
            .axis_desc_style(("sans-serif", to_drawing_units(16)))
            .draw()
            .map_err(text)?;
        for &level in &self.levels {
            let line = [position.times.start, position.times.end].map(|time| (time, scale * level));
            stroke(&mut plane, line.to_vec(), LEVEL_STROKE)?;
        }
        for curve in &self.curves {
            let scaled: Vec<_> = curve.points.iter().map(|&(t, y)| (t, scale * y)).collect();
            for polyline in clip(&thin(&scaled), &range) {
                stroke(&mut plane, polyline, curve.stroke)?;
            }
        }
        Ok(())
    }

    /// Range of the value axis, with a margin.
    fn range(&self) -> (f64, f64) {
        let points = self.curves.iter().flat_map(|curve| &curve.points).map(|&(_, value)| value);
        // The difference of larger values may overflow.
        let is_visible = |value: &f64| value.abs() < 1e300 && self.window.contains(value);
        let (low, high) = extremes(points.filter(is_visible).chain(self.levels.iter().copied()));
        let (low, high) = if low > high { (0.0, 0.0) } else { (low, high) };
        // A span below a thousandth of the value would give indistinguishable labels.
        let span = (high - low).max(1e-3 * high.abs().max(low.abs())).max(self.least_span);
        let span = if span > 0.0 { span } else { 1.0 };
        (low - 0.05 * span, high + 0.08 * span)
    }
}

/// Draws a polyline in a style.
fn stroke(
    plane: &mut Plane<'_, '_>,
    points: Vec<(f64, f64)>,
    stroke: Stroke,
) -> Result<(), String> {
    let style = stroke.color.stroke_width(stroke.width * PIXEL_UNITS);
    match stroke.dash {
        Some((dash, gap)) => {
            let series =
                DashedLineSeries::new(points, to_drawing_units(dash), to_drawing_units(gap), style);
            plane.draw_series(series).map_err(text)?;
        }
        None => {
            plane.draw_series(LineSeries::new(points, style)).map_err(text)?;
        }
    }
    Ok(())
}
