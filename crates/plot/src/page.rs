//! Parts shared by all charts: page, colours, legend.

use super::chart::PlotError;
use super::curve::{Curve, Stroke};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Displayed width (pixels).
pub(crate) const WIDTH: u32 = 960;
/// Displayed height (pixels).
pub(crate) const HEIGHT: u32 = 600;
/// Units of the drawing per displayed pixel. The plotting library rounds positions to whole units, so that a unit must
/// be a fraction of a pixel.
pub(crate) const PIXEL_UNITS: u32 = 4;
/// Colour of grid lines.
pub(crate) const GRID: RGBColor = RGBColor(228, 228, 228);
/// Colour of axes.
pub(crate) const AXIS: RGBColor = RGBColor(60, 60, 60);
/// Largest number of letters of a legend entry beside the panels; longer names are truncated.
const MAX_NAME_CHARS: usize = 34;

/// A part of the page.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A legend entry: name and line style.
pub(crate) type Entry<'a> = (&'a str, Stroke);

/// The SVG of a white page, inside of whose margins `draw` draws.
pub(crate) fn draw_page(
    draw: impl FnOnce(&Area<'_>) -> Result<(), String>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    let draw_sheet = |svg: &mut String| {
        let size = (WIDTH * PIXEL_UNITS, HEIGHT * PIXEL_UNITS);
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(error_text)?;
        draw(&area.margin(
            to_drawing_units(8),
            to_drawing_units(10),
            to_drawing_units(12),
            to_drawing_units(24),
        ))?;
        area.present().map_err(error_text)
    };
    draw_sheet(&mut svg).map_err(|reason| PlotError { reason })?;
    let size_attributes =
        |factor| format!("width=\"{}\" height=\"{}\"", WIDTH * factor, HEIGHT * factor);
    let svg = svg.replacen(&size_attributes(PIXEL_UNITS), &size_attributes(1), 1);
    Ok(svg.chars().map(|c| if is_allowed_in_xml(c) { c } else { '\u{fffd}' }).collect())
}

/// Names of curves in the order of their first appearance; curves without a name or without points have no
/// entry.
pub(crate) fn entries<'a>(curves: impl IntoIterator<Item = &'a Curve>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for curve in curves {
        let is_listed = entries.iter().any(|(name, _)| *name == curve.name);
        if !is_listed && !curve.name.is_empty() && !curve.points.is_empty() {
            entries.push((&curve.name, curve.stroke));
        }
    }
    entries
}

/// Draws a legend at the right; returns the remaining area for curves.
pub(crate) fn split_off_legend<'a>(
    area: &Area<'a>,
    entries: &[Entry<'_>],
) -> Result<Area<'a>, String> {
    let (width, height) = area.dim_in_pixel();
    let legend_left = width as i32 - to_drawing_units(legend_width(entries));
    let (remaining, legend) = area.split_horizontally(legend_left);
    let legend_height = height as i32 - to_drawing_units(46);
    let line_height = to_drawing_units(22).min(legend_height / entries.len().max(1) as i32);
    for (index, (name, stroke)) in entries.iter().enumerate() {
        let y = to_drawing_units(12) + line_height * index as i32;
        draw_entry(&legend, &truncate(name), *stroke, (to_drawing_units(16), y))?;
    }
    Ok(remaining)
}

/// Width of a legend with the longest name (pixels).
fn legend_width(entries: &[Entry<'_>]) -> i32 {
    let letter_count = |name: &str| truncate(name).chars().count() as i32;
    let max_letters = entries.iter().map(|(name, _)| letter_count(name)).max();
    // The factor 13/2 is an upper estimate of the mean letter width (pixels).
    64 + 13 * max_letters.unwrap_or(0) / 2
}

/// Draws a line sample and its name; `(left, middle)` is the left end of the sample (units of the drawing).
pub(crate) fn draw_entry(
    area: &Area<'_>,
    name: &str,
    stroke: Stroke,
    (left, middle): (i32, i32),
) -> Result<(), String> {
    let style = stroke.color.stroke_width(stroke.width * PIXEL_UNITS);
    let (dash, gap) = stroke.dash.unwrap_or((25, 0));
    let starts = (0..25).step_by((dash + gap) as usize);
    for start in starts {
        let end = (start + dash).min(25);
        let line = [start, end].map(|x| (left + to_drawing_units(x), middle));
        area.draw(&PathElement::new(line, style)).map_err(error_text)?;
    }
    let font = ("sans-serif", to_drawing_units(15)).into_text_style(area);
    let text_corner = (left + to_drawing_units(32), middle - to_drawing_units(8));
    area.draw_text(name, &font, text_corner).map_err(error_text)
}

/// The first [`MAX_NAME_CHARS`] letters of a name, with an ellipsis if it is longer.
fn truncate(name: &str) -> String {
    let shortened: String = name.chars().take(MAX_NAME_CHARS).collect();
    if shortened.len() < name.len() { format!("{shortened}...") } else { shortened }
}

/// Whether XML 1.0 allows the character, escaped or not (production `Char`). Names may come from files, which can
/// contain any character.
fn is_allowed_in_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Converts displayed pixels to units of the drawing.
pub(crate) fn to_drawing_units(pixels: i32) -> i32 {
    pixels * PIXEL_UNITS as i32
}

/// The message of an error of the plotting library.
pub(crate) fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
