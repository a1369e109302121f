//! Curves: strokes, thinning and clipping.

use plotters::prelude::RGBColor;
use std::ops::Range;

/// Approximate largest number of drawn points of a curve. More points are indistinguishable on a page.
const MAX_POINTS: usize = 1600;

/// Colours of curves. The first seven suit colour-blind readers (Okabe and Ito, without yellow, which is
/// invisible on white).
pub const COLORS: [RGBColor; 10] = [
    RGBColor(30, 30, 30),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(110, 60, 160),
    RGBColor(140, 86, 60),
    RGBColor(130, 130, 0),
];

/// A point: time (s) or another abscissa, and value.
pub type Point = (f64, f64);

/// Style of a line; lengths in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub color: RGBColor,
    /// Width.
    pub width: u32,
    /// Length of dashes and of the gaps between them.
    pub dash: Option<(i32, i32)>,
}

impl Stroke {
    /// A solid line.
    pub const fn solid(color: RGBColor, width: u32) -> Self {
        Self { color, width, dash: None }
    }

    /// Style of the curve with this index in the legend.
    pub const fn new(index: usize) -> Self {
        Self::solid(COLORS[index % COLORS.len()], 2)
    }
}

/// A polyline through points in their order, usually that of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name in the legend. Curves with the same name share an entry; an empty name has none.
    pub name: String,
    /// Line style.
    pub stroke: Stroke,
    /// Points in the order in which they are connected.
    pub points: Vec<Point>,
}

impl Curve {
    /// A curve in the style of this index in the legend.
    pub fn new(name: impl Into<String>, index: usize, points: Vec<Point>) -> Self {
        Self { name: name.into(), stroke: Stroke::new(index), points }
    }
}

/// Smallest and largest finite value; infinity and its negative if there is none.
pub fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| (min.min(v), max.max(v)))
}

/// Thins a curve to the lowest and the highest point of each group of consecutive points, so that peaks are kept.
pub(crate) fn thin(curve: &[Point]) -> Vec<Point> {
    if curve.len() <= MAX_POINTS {
        return curve.to_vec();
    }
    let group_len = curve.len().div_ceil(MAX_POINTS / 2);
    let extreme_points = curve.chunks(group_len).flat_map(|group| {
        let compare_values = |(_, a): &Point, (_, b): &Point| a.total_cmp(b);
        let indexed = || group.iter().enumerate();
        let lowest = indexed().min_by(|(_, a), (_, b)| compare_values(a, b));
        let highest = indexed().max_by(|(_, a), (_, b)| compare_values(a, b));
        let (lowest_index, lowest) = lowest.expect("groups are not empty");
        let (highest_index, highest) = highest.expect("groups are not empty");
        if lowest_index <= highest_index { [*lowest, *highest] } else { [*highest, *lowest] }
    });
    extreme_points.collect()
}

/// Clips a curve to a range of values, because the plotting library would draw beyond the axes. The resulting polylines
/// end on the border of the range, and at values that are not finite.
pub(crate) fn clip(curve: &[Point], range: &Range<f64>) -> Vec<Vec<Point>> {
    let (mut polylines, mut polyline) = (Vec::new(), Vec::new());
    if let [(time, value)] = curve
        && (range.start..=range.end).contains(value)
    {
        return vec![vec![(*time, *value)]];
    }
    for &[a, b] in curve.array_windows() {
        if let Some((start, end)) = clip_segment(a, b, range) {
            if polyline.last() != Some(&start) {
                polylines.push(std::mem::take(&mut polyline));
                polyline.push(start);
            }
            polyline.push(end);
        }
    }
    polylines.push(polyline);
    polylines.retain(|polyline| !polyline.is_empty());
    polylines
}

/// The part of a segment whose values are in the range; `None` if it is empty or a value is not finite.
fn clip_segment(start: Point, end: Point, range: &Range<f64>) -> Option<(Point, Point)> {
    let ((start_time, start_value), (end_time, end_value)) = (start, end);
    let (min, max) = (start_value.min(end_value), start_value.max(end_value));
    if !(min.is_finite() && max.is_finite()) || min > range.end || max < range.start {
        return None;
    }
    let clamp_to_range = |(time, value): Point| {
        let clamped_value = value.clamp(range.start, range.end);
        if clamped_value == value {
            return (time, value);
        }
        // Both differences are halved, because the difference of two finite numbers may overflow.
        let fraction =
            (0.5 * clamped_value - 0.5 * start_value) / (0.5 * end_value - 0.5 * start_value);
        (start_time + fraction * (end_time - start_time), clamped_value)
    };
    Some((clamp_to_range(start), clamp_to_range(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_peaks_of_a_curve() {
        let mut curve: Vec<_> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        (curve[31_415].1, curve[92_653].1) = (7.0, -3.0);
        let drawn = thin(&curve);
        assert!(drawn.len() <= MAX_POINTS + 2, "{}", drawn.len());
        assert!(drawn.contains(&curve[31_415]) && drawn.contains(&curve[92_653]));
        assert!(drawn.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn clipping_cuts_a_curve_at_the_border() {
        let curve = [(0.0, 0.0), (1.0, 4.0), (2.0, 0.0), (3.0, -1.0), (4.0, f64::INFINITY)];
        let polylines = clip(&curve, &(-1.0..2.0));
        let expected = [
            vec![(0.0, 0.0), (0.5, 2.0)],
            // The curve descends from the border again.
            vec![(1.5, 2.0), (2.0, 0.0), (3.0, -1.0)],
        ];
        assert_eq!(polylines, expected);
        assert_eq!(clip(&curve[..3], &(-1.0..9.0)), [curve[..3].to_vec()]);
        let steep = [(0.0, 0.0), (1.0, f64::MAX), (2.0, -f64::MAX), (3.0, 0.0)];
        for polyline in clip(&steep, &(-1.0..1.0)) {
            assert!(polyline.iter().all(|p| p.0.is_finite() && p.1.abs() <= 1.0), "{polyline:?}");
        }
        assert_eq!(clip(&[(0.0, 1.0)], &(0.0..2.0)), [vec![(0.0, 1.0)]]);
        assert!(clip(&[], &(0.0..2.0)).is_empty());
    }
}
