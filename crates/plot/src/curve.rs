//! Curves: strokes, thinning and clipping.

use plotters::prelude::RGBColor;
use std::ops::Range;

/// Largest number of drawn points of a curve; more are indistinguishable on a page.
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
    pub const fn new(place: usize) -> Self {
        Self::solid(COLORS[place % COLORS.len()], 2)
    }
}

/// A polyline through points in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name in the legend. Curves with the same name share an entry; an empty name has none.
    pub name: String,
    /// Line style.
    pub stroke: Stroke,
    /// Points in the order of time.
    pub points: Vec<Point>,
}

impl Curve {
    /// A curve in the style of this index in the legend.
    pub fn new(name: impl Into<String>, place: usize, points: Vec<Point>) -> Self {
        Self { name: name.into(), stroke: Stroke::new(place), points }
    }
}

/// Smallest and largest finite value.
pub fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// Thins a curve to the lowest and highest point of every run of neighbouring points, so that peaks are kept.
pub(crate) fn thinned(curve: &[Point]) -> Vec<Point> {
    if curve.len() <= MAX_POINTS {
        return curve.to_vec();
    }
    let run = curve.len().div_ceil(MAX_POINTS / 2);
    let pairs = curve.chunks(run).flat_map(|run| {
        let compare_values = |a: &&Point, b: &&Point| a.1.total_cmp(&b.1);
        let low = *run.iter().min_by(compare_values).expect("runs are not empty");
        let high = *run.iter().max_by(compare_values).expect("runs are not empty");
        if low.0 <= high.0 { [low, high] } else { [high, low] }
    });
    pairs.collect()
}

/// Clips a curve to a range of values: pieces end on its border, because the plotting library would draw beyond
/// the axes. NaN ends a piece.
pub(crate) fn clipped(curve: &[Point], range: &Range<f64>) -> Vec<Vec<Point>> {
    let (mut pieces, mut piece) = (Vec::new(), Vec::new());
    let inside = |p: Point| (range.start..=range.end).contains(&p.1);
    if let [only] = curve
        && inside(*only)
    {
        return vec![vec![*only]];
    }
    for pair in curve.windows(2) {
        let ends = within(pair[0], pair[1], range);
        if let Some((from, to)) = ends {
            if piece.last() != Some(&from) {
                pieces.push(std::mem::take(&mut piece));
                piece.push(from);
            }
            piece.push(to);
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Part of a segment whose values lie in the range.
fn within(from: Point, to: Point, range: &Range<f64>) -> Option<(Point, Point)> {
    let (low, high) = (from.1.min(to.1), from.1.max(to.1));
    if !(low.is_finite() && high.is_finite()) || low > range.end || high < range.start {
        return None;
    }
    let cut = |p: Point| {
        let value = p.1.clamp(range.start, range.end);
        if value == p.1 {
            return p;
        }
        // Halved, because the difference of two finite numbers may overflow.
        let fraction = (0.5 * value - 0.5 * from.1) / (0.5 * to.1 - 0.5 * from.1);
        (from.0 + fraction * (to.0 - from.0), value)
    };
    Some((cut(from), cut(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_peaks_of_a_curve() {
        let mut curve: Vec<_> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        (curve[31_415].1, curve[92_653].1) = (7.0, -3.0);
        let drawn = thinned(&curve);
        assert!(drawn.len() <= MAX_POINTS + 2, "{}", drawn.len());
        assert!(drawn.contains(&curve[31_415]) && drawn.contains(&curve[92_653]));
        assert!(drawn.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn clipping_cuts_a_curve_at_the_border() {
        let curve = [(0.0, 0.0), (1.0, 4.0), (2.0, 0.0), (3.0, -1.0), (4.0, f64::INFINITY)];
        let pieces = clipped(&curve, &(-1.0..2.0));
        let expected = [
            vec![(0.0, 0.0), (0.5, 2.0)],
            // The curve descends from the border again.
            vec![(1.5, 2.0), (2.0, 0.0), (3.0, -1.0)],
        ];
        assert_eq!(pieces, expected);
        assert_eq!(clipped(&curve[..3], &(-1.0..9.0)), [curve[..3].to_vec()]);
        let steep = [(0.0, 0.0), (1.0, f64::MAX), (2.0, -f64::MAX), (3.0, 0.0)];
        for piece in clipped(&steep, &(-1.0..1.0)) {
            assert!(piece.iter().all(|p| p.0.is_finite() && p.1.abs() <= 1.0), "{piece:?}");
        }
        assert_eq!(clipped(&[(0.0, 1.0)], &(0.0..2.0)), [vec![(0.0, 1.0)]]);
        assert!(clipped(&[], &(0.0..2.0)).is_empty());
    }
}
