//! Line charts over time or another quantity: stacked panels with a common legend.

use super::curve::{Curve, Stroke, clip, extremes, thin};
use super::label::{Unit, short};
use super::page::{
    AXIS, Area, Entry, GRID, HEIGHT, PIXEL_UNITS, draw_entry, draw_page, entries, error_text,
    split_off_legend, to_drawing_units,
};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// Stroke of marked levels.
const LEVEL_STROKE: Stroke =
    Stroke { color: RGBColor(120, 120, 120), width: 1, dash: Some((4, 4)) };

/// The coordinate plane of a panel: time (s) and scaled value.
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Position of the legend, outside of the panels so that it covers no curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    /// In the title line, for few curves.
    Above,
    /// Right of the panels, one entry per line, for many curves.
    Beside,
}

/// Label of an axis of time.
pub const TIME_AXIS: &str = "time (s)";

/// A page of panels over the same horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Title at the top.
    pub title: String,
    /// Notes about the curves, below the title.
    pub notes: Vec<String>,
    /// Position of the legend.
    pub legend: Legend,
    /// Label of the horizontal axis, usually [`TIME_AXIS`].
    pub abscissa: &'static str,
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
        let times = self.time_range().ok_or("there are no steps to draw")?;
        let (head_area, body_area) =
            area.split_vertically(to_drawing_units(34 + 19 * self.notes.len() as i32));
        self.draw_head(&head_area)?;
        let panel_area = match self.legend {
            Legend::Above => body_area,
            Legend::Beside => split_off_legend(&body_area, &self.entries())?,
        };
        self.draw_panels(&panel_area, &times)
    }

    /// Time range (s) of all points, which is not empty; `None` without points.
    fn time_range(&self) -> Option<Range<f64>> {
        let points = self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|c| &c.points);
        let (first, last) = extremes(points.map(|&(time, _)| time));
        first.is_finite().then(|| first..last.max(first + 1e-9))
    }

    /// Draws title, notes and a legend above the panels.
    fn draw_head(&self, area: &Area<'_>) -> Result<(), String> {
        let font = |size| ("sans-serif", to_drawing_units(size)).into_text_style(area);
        area.draw_text(&self.title, &font(20), (to_drawing_units(78), to_drawing_units(4)))
            .map_err(error_text)?;
        for (line, note) in self.notes.iter().enumerate() {
            let position = (to_drawing_units(78), to_drawing_units(29 + 19 * line as i32));
            area.draw_text(note, &font(14).color(&LEVEL_STROKE.color), position)
                .map_err(error_text)?;
        }
        if self.legend == Legend::Above {
            let (width, _) = area.dim_in_pixel();
            for (index, (name, stroke)) in self.entries().iter().rev().enumerate() {
                let x = width as i32 - to_drawing_units(108) * (index as i32 + 1);
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
        let (_, height) = area.dim_in_pixel();
        let mut remaining = area.clone();
        for (index, panel) in self.panels.iter().enumerate() {
            let is_last = index + 1 == self.panels.len();
            let panel_area = if is_last {
                remaining.clone()
            } else {
                let panel_height = height * panel.share / total_share;
                let (panel_area, area_below) = remaining.split_vertically(panel_height);
                remaining = area_below;
                panel_area
            };
            let abscissa = if is_last { self.abscissa } else { "" };
            let position = PanelPosition { times, is_first: index == 0, abscissa };
            panel.draw(&panel_area, position)?;
        }
        Ok(())
    }
}

/// Horizontal axis and position of a panel on the page.
#[derive(Clone, Copy)]
struct PanelPosition<'a> {
    /// Range of the horizontal axis.
    times: &'a Range<f64>,
    is_first: bool,
    /// Label of the horizontal axis; empty except in the last panel.
    abscissa: &'static str,
}

impl Panel {
    /// A panel that shows all of its curves completely.
    pub fn new(name: &'static str, unit: Unit, curves: Vec<Curve>) -> Self {
        let window = f64::NEG_INFINITY..f64::INFINITY;
        Self { name, unit, share: 1, curves, levels: Vec::new(), least_span: 0.0, window }
    }

    /// Draws axes, horizontal levels and curves of one panel; only the last panel has the label of the horizontal axis.
    fn draw(&self, area: &Area<'_>, position: PanelPosition<'_>) -> Result<(), String> {
        let (min, max) = self.value_range();
        let (unit, scale) = self.unit.scaled(min.abs().max(max.abs()));
        let scaled_range = min * scale..max * scale;
        let (_, height) = area.dim_in_pixel();
        let mut plane = ChartBuilder::on(area)
            .margin_top(to_drawing_units(if position.is_first { 0 } else { 10 }))
            .set_label_area_size(LabelAreaPosition::Left, to_drawing_units(78))
            .set_label_area_size(
                LabelAreaPosition::Bottom,
                to_drawing_units(if position.abscissa.is_empty() { 24 } else { 46 }),
            )
            .build_cartesian_2d(position.times.clone(), scaled_range.clone())
            .map_err(error_text)?;
        plane
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(to_drawing_units(5))
            .bold_line_style(GRID.stroke_width(PIXEL_UNITS))
            .axis_style(AXIS.stroke_width(PIXEL_UNITS))
            .x_desc(position.abscissa)
            .y_desc(format!("{}{unit}", self.name))
            .x_labels(8)
            .y_labels(if height > HEIGHT * PIXEL_UNITS / 3 { 7 } else { 4 })
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .label_style(("sans-serif", to_drawing_units(14)))
            .axis_desc_style(("sans-serif", to_drawing_units(16)))
            .draw()
            .map_err(error_text)?;
        for &level in &self.levels {
            let line = [position.times.start, position.times.end].map(|time| (time, scale * level));
            draw_polyline(&mut plane, line.to_vec(), LEVEL_STROKE)?;
        }
        for curve in &self.curves {
            let scaled_points: Vec<_> =
                curve.points.iter().map(|&(time, value)| (time, scale * value)).collect();
            for polyline in clip(&thin(&scaled_points), &scaled_range) {
                draw_polyline(&mut plane, polyline, curve.stroke)?;
            }
        }
        Ok(())
    }

    /// First and last value of the value axis: the range of the curves in the window and of the levels, with a margin.
    fn value_range(&self) -> (f64, f64) {
        let values = self.curves.iter().flat_map(|curve| &curve.points).map(|&(_, value)| value);
        // The difference of larger values may overflow.
        let is_visible = |value: &f64| value.abs() < 1e300 && self.window.contains(value);
        let (min, max) = extremes(values.filter(is_visible).chain(self.levels.iter().copied()));
        let (min, max) = if min > max { (0.0, 0.0) } else { (min, max) };
        // A span below a thousandth of the value would give indistinguishable labels.
        let span = (max - min).max(1e-3 * max.abs().max(min.abs())).max(self.least_span);
        let span = if span > 0.0 { span } else { 1.0 };
        (min - 0.05 * span, max + 0.08 * span)
    }
}

/// Draws a polyline through points of the plane.
fn draw_polyline(
    plane: &mut Plane<'_, '_>,
    points: Vec<(f64, f64)>,
    stroke: Stroke,
) -> Result<(), String> {
    let style = stroke.color.stroke_width(stroke.width * PIXEL_UNITS);
    match stroke.dash {
        Some((dash, gap)) => {
            let series =
                DashedLineSeries::new(points, to_drawing_units(dash), to_drawing_units(gap), style);
            plane.draw_series(series).map_err(error_text)?;
        }
        None => {
            plane.draw_series(LineSeries::new(points, style)).map_err(error_text)?;
        }
    }
    Ok(())
}
