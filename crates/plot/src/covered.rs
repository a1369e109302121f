//! Curves that coincide.

use crate::curve::{Curve, Point, extremes};
use std::ops::Range;

/// Increment of the width (px) of a curve for each curve that covers it.
const WIDTH_INCREMENT: u32 = 3;
/// Largest number of covering curves for which a curve is widened.
const MAX_COVERS: usize = 4;
/// Curves closer than this fraction of the height of the panel cover each other.
const COINCIDENCE_TOLERANCE: f64 = 0.005;

/// Widens every curve for each later one that covers it, so that it remains visible. `window` holds the values that are
/// drawn.
pub fn widen_covered(curves: &mut [Curve], window: &Range<f64>) {
    let clamped = |&(time, value): &Point| (time, value.clamp(window.start, window.end));
    let polylines: Vec<Vec<Point>> =
        curves.iter().map(|curve| curve.points.iter().map(clamped).collect()).collect();
    let (min, max) = extremes(polylines.iter().flatten().map(|&(_, value)| value));
    let tolerance = COINCIDENCE_TOLERANCE * (max - min);
    for (k, curve) in curves.iter_mut().enumerate() {
        let covering =
            polylines[k + 1..].iter().filter(|later| coincide(&polylines[k], later, tolerance));
        curve.stroke.width += WIDTH_INCREMENT * covering.take(MAX_COVERS).count() as u32;
    }
}

/// Whether two piecewise linear curves differ by at most `tolerance` on their common interval: the points of the curve
/// with fewer points are compared with the other curve. Fewer than two common points do not coincide.
fn coincide(a: &[Point], b: &[Point], tolerance: f64) -> bool {
    let (coarse, fine) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut compared_points = 0;
    let mut segment = 0;
    for &(time, value) in coarse {
        while fine.get(segment + 1).is_some_and(|&(end_time, _)| end_time < time) {
            segment += 1;
        }
        let [(start_time, start_value), (end_time, end_value), ..] = fine[segment..] else { break };
        if !(start_time..=end_time).contains(&time) {
            continue;
        }
        let fraction = match end_time > start_time {
            true => (time - start_time) / (end_time - start_time),
            false => 0.0,
        };
        let difference = (start_value + fraction * (end_value - start_value) - value).abs();
        if difference.is_nan() || difference > tolerance {
            return false;
        }
        compared_points += 1;
    }
    compared_points > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{COLORS, Stroke};

    /// Width of a curve (px).
    const WIDTH: u32 = 2;

    fn curve(points: Vec<Point>) -> Curve {
        Curve { name: String::new(), stroke: Stroke::solid(COLORS[0], WIDTH), points }
    }

    /// A parabola with `pieces` segments, shifted by `up`.
    fn parabola(pieces: u32, up: f64) -> Curve {
        let time = |k: u32| f64::from(k) / f64::from(pieces);
        curve((0..=pieces).map(|k| (time(k), up + time(k).powi(2))).collect())
    }

    #[test]
    fn covered_curves_are_widened() {
        let mut curves =
            [parabola(100, 0.0), parabola(30, 0.001), parabola(100, 0.5), parabola(100, 0.0)];
        widen_covered(&mut curves, &(f64::NEG_INFINITY..f64::INFINITY));
        let widths = curves.map(|curve| curve.stroke.width);
        assert_eq!(widths, [WIDTH + 2 * WIDTH_INCREMENT, WIDTH + WIDTH_INCREMENT, WIDTH, WIDTH]);
    }

    #[test]
    fn crossing_and_non_finite_curves_are_not_widened() {
        let falling = curve((0..=100).map(|k| (f64::from(k) / 100.0, 1.0)).collect());
        let lost = curve(vec![(0.0, 0.0), (1.0, f64::NAN)]);
        let mut curves = [parabola(100, 0.0), falling, lost, curve(vec![(0.0, 0.0)])];
        widen_covered(&mut curves, &(f64::NEG_INFINITY..f64::INFINITY));
        assert_eq!(curves.map(|curve| curve.stroke.width), [WIDTH; 4]);
    }
}
