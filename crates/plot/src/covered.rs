//! Curves that coincide.

use crate::curve::{Curve, Point, extremes};
use std::ops::Range;

/// Increment of the width (px) of a curve for each curve that covers it.
const WIDTH_INCREMENT: u32 = 3;
/// Maximum number of covering curves that is distinguished by widths.
const MAX_COVERS: usize = 4;
/// Curves closer than this fraction of the height of the panel cover each other.
const COINCIDENCE_TOLERANCE: f64 = 0.005;

/// Widens every curve for each later one that covers it, so that it remains visible. `window` holds the values that are
/// drawn.
pub fn widen_covered(curves: &mut [Curve], window: &Range<f64>) {
    let shown = |&(time, value): &Point| (time, value.clamp(window.start, window.end));
    let polylines: Vec<Vec<Point>> =
        curves.iter().map(|curve| curve.points.iter().map(shown).collect()).collect();
    let (low, high) = extremes(polylines.iter().flatten().map(|point| point.1));
    let near = COINCIDENCE_TOLERANCE * (high - low);
    for (k, curve) in curves.iter_mut().enumerate() {
        let covers = polylines[k + 1..].iter().filter(|above| coincide(&polylines[k], above, near));
        curve.stroke.width += WIDTH_INCREMENT * covers.take(MAX_COVERS).count() as u32;
    }
}

/// Whether piecewise linear curves differ by at most `near` on their common interval.
fn coincide(a: &[Point], b: &[Point], near: f64) -> bool {
    let (coarse, fine) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut compared = 0;
    let mut at = 0;
    for &(time, value) in coarse {
        while fine.get(at + 1).is_some_and(|next| next.0 < time) {
            at += 1;
        }
        let (Some(&from), Some(&to)) = (fine.get(at), fine.get(at + 1)) else { break };
        if !(from.0..=to.0).contains(&time) {
            continue;
        }
        let part = if to.0 > from.0 { (time - from.0) / (to.0 - from.0) } else { 0.0 };
        let difference = (from.1 + part * (to.1 - from.1) - value).abs();
        if difference.is_nan() || difference > near {
            return false;
        }
        compared += 1;
    }
    compared > 1
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
