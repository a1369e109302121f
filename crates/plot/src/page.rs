//! Parts shared by all charts: page, colours, legend.

use super::chart::PlotError;
use super::curve::{Curve, Stroke};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Displayed width and height (pixels).
pub(crate) const SIZE: (u32, u32) = (960, 600);
/// The plotting library rounds to whole units: the drawing is this much larger, so that a unit is a fraction of
/// a pixel.
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

/// The SVG of what `draw` draws on a white page, inside its margins.
pub(crate) fn draw_page(
    draw: impl FnOnce(&Area<'_>) -> Result<(), String>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    let sheet = |svg: &mut String| {
        let size = (SIZE.0 * PIXEL_UNITS, SIZE.1 * PIXEL_UNITS);
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(text)?;
        draw(&area.margin(
            to_drawing_units(8),
            to_drawing_units(10),
            to_drawing_units(12),
            to_drawing_units(24),
        ))?;
        area.present().map_err(text)
    };
    sheet(&mut svg).map_err(|reason| PlotError { reason })?;
    let size = |factor| format!("width=\"{}\" height=\"{}\"", SIZE.0 * factor, SIZE.1 * factor);
    let svg = svg.replacen(&size(PIXEL_UNITS), &size(1), 1);
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
    let width = area.dim_in_pixel().0 as i32 - to_drawing_units(legend_width(entries));
    let (remaining, legend) = area.split_horizontally(width);
    let height = legend.dim_in_pixel().1 as i32 - to_drawing_units(46);
    let line = to_drawing_units(22).min(height / entries.len().max(1) as i32);
    for (index, (name, stroke)) in entries.iter().enumerate() {
        draw_entry(
            &legend,
            &truncate(name),
            *stroke,
            (to_drawing_units(16), to_drawing_units(12) + line * index as i32),
        )?;
    }
    Ok(remaining)
}

/// Width of a legend with the longest name (pixels).
fn legend_width(entries: &[Entry<'_>]) -> i32 {
    let letters = |name: &str| truncate(name).chars().count() as i32;
    let longest = entries.iter().map(|(name, _)| letters(name)).max();
    // The factor 13/2 is an upper estimate of the mean letter width.
    64 + 13 * longest.unwrap_or(0) / 2
}

/// Draws a line sample and its name; `position` is the left end of the sample, at mid-height.
pub(crate) fn draw_entry(
    area: &Area<'_>,
    name: &str,
    stroke: Stroke,
    position: (i32, i32),
) -> Result<(), String> {
    let style = stroke.color.stroke_width(stroke.width * PIXEL_UNITS);
    let (dash, gap) = stroke.dash.unwrap_or((25, 0));
    let starts = (0..25).step_by((dash + gap) as usize);
    for start in starts {
        let end = (start + dash).min(25);
        let line = [start, end].map(|x| (position.0 + to_drawing_units(x), position.1));
        area.draw(&PathElement::new(line, style)).map_err(text)?;
    }
    let font = ("sans-serif", to_drawing_units(15)).into_text_style(area);
    area.draw_text(
        name,
        &font,
        (position.0 + to_drawing_units(32), position.1 - to_drawing_units(8)),
    )
    .map_err(text)
}

/// A name of at most [`MAX_NAME_CHARS`] letters.
fn truncate(name: &str) -> String {
    let shortened: String = name.chars().take(MAX_NAME_CHARS).collect();
    if shortened.len() < name.len() { format!("{shortened}...") } else { shortened }
}

/// Whether XML 1.0 allows the character at all, escaped or not (its production `Char`). A name may stem from a
/// file, which can contain any character.
fn is_allowed_in_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Converts displayed pixels to units of the drawing.
pub(crate) fn to_drawing_units(pixels: i32) -> i32 {
    pixels * PIXEL_UNITS as i32
}

/// The message of an error of the plotting library.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
