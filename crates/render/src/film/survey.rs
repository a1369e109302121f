//! Survey of all frames before the first image: extents and ranges of values.

use super::{Coloring, FilmError};
use crate::geometry::Bounds;
use glam::Vec3;
use rayon::prelude::*;
use resile_record::{Playback, PlayedFrame, PointField, Role};
use std::ops::Range;

/// Fraction of values that may lie beyond the colour range, so that a few spikes do not compress the
/// rest.
const OUTLIER_FRACTION: f64 = 0.002;

/// Smallest difference of values that colours resolve, relative to the largest value: smaller ones are of rounding.
const MIN_RELATIVE_SPAN: f32 = 1e-5;
/// Span of the colours of a uniform field, relative to its value.
const UNIFORM_SPAN: f32 = 0.02;

#[derive(Debug, Clone)]
pub(super) struct Survey {
    /// Bounding boxes of all nonempty bodies of each frame.
    pub(super) boxes: Vec<Vec<Option<Bounds>>>,
    /// Values at the ends of the colour map.
    pub(super) range: [f32; 2],
}

/// Surveys frames on all threads.
pub(super) fn survey(
    run: &Playback,
    frames: Range<usize>,
    coloring: &Coloring,
) -> Result<Survey, FilmError> {
    let look = |number: usize| -> Result<_, FilmError> {
        let frame = run.frame(number)?;
        let boxes = run.bodies().iter().map(|body| {
            Bounds::around(frame.positions[body.vertices.clone()].iter().map(|&p| Vec3::from(p)))
        });
        Ok((boxes.collect(), range(run, &frame, coloring)))
    };
    let surveys: Vec<_> = frames.into_par_iter().map(look).collect::<Result<_, _>>()?;
    let (boxes, ranges): (Vec<_>, Vec<_>) = surveys.into_iter().unzip();
    let ends = ranges.into_iter().flatten();
    let range = ends.reduce(|a: [f32; 2], b| [a[0].min(b[0]), a[1].max(b[1])]);
    Ok(Survey { boxes, range: range.map_or([0.0, 1.0], resolved) })
}

/// Widens the range of a nearly uniform field about its middle; returns other ranges unchanged.
fn resolved([lower, upper]: [f32; 2]) -> [f32; 2] {
    let size = lower.abs().max(upper.abs());
    if size == 0.0 || upper - lower > MIN_RELATIVE_SPAN * size {
        return [lower, upper];
    }
    let middle = 0.5 * (lower + upper);
    [middle - 0.5 * UNIFORM_SPAN * size, middle + 0.5 * UNIFORM_SPAN * size]
}

/// Displayed value of a field at a vertex: its value, or the length of a vector.
pub(super) fn value(field: &PointField, vertex: usize) -> f32 {
    let numbers = &field.values[vertex * field.components..][..field.components];
    match numbers {
        [value] => *value,
        numbers => numbers.iter().map(|x| x * x).sum::<f32>().sqrt(),
    }
}

/// The name of the displayed field in the frames.
pub(super) fn field_name(coloring: &Coloring) -> Option<&str> {
    match coloring {
        Coloring::Body => None,
        Coloring::Field(name) if name == "speed" => Some("velocity"),
        Coloring::Field(name) => Some(name),
    }
}

/// Range of nearly all values of a frame; for lengths the lower end is zero.
fn range(run: &Playback, frame: &PlayedFrame, coloring: &Coloring) -> Option<[f32; 2]> {
    let field = frame.field(field_name(coloring)?)?;
    let bodies = run.bodies().iter().filter(|body| body.role == Role::Body);
    let vertices = bodies.flat_map(|body| body.vertices.clone());
    let values = vertices.map(|vertex| value(field, vertex)).filter(|value| value.is_finite());
    let mut values: Vec<f32> = values.collect();
    values.sort_unstable_by(f32::total_cmp);
    let last = values.len().checked_sub(1)?;
    let outliers = (OUTLIER_FRACTION * last as f64).round() as usize;
    let lower = if field.components == 1 { values[outliers] } else { 0.0 };
    Some([lower, values[last - outliers]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_a_uniform_field_is_around_its_value() {
        let next = f32::from_bits(2000_f32.to_bits() + 1);
        for ends in [[2000.0, 2000.0], [2000.0, next]] {
            let [lower, upper] = resolved(ends);
            assert!((lower - 1980.0).abs() < 0.01 && (upper - 2020.0).abs() < 0.01, "{ends:?}");
        }
        assert_eq!(resolved([-2000.0, -2000.0]), [-2020.0, -1980.0]);
        for ends in [[0.0, 0.0], [0.0, 1e-6], [2000.0, 2000.1]] {
            assert_eq!(resolved(ends), ends);
        }
    }
}
