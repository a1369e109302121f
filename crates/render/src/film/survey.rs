//! Survey of all frames before the first image: extents and ranges of values.

use super::FilmError;
use crate::geometry::Bounds;
use glam::Vec3;
use rayon::prelude::*;
use resile_record::{Playback, PlayedFrame, Role, VertexScalar};
use std::ops::Range;

/// Fraction of values that may lie outside of each end of the colour range, so that a few extreme values do not
/// determine the colours of all others.
const OUTLIER_FRACTION: f64 = 0.002;

/// Smallest span of values that colours resolve, relative to the largest value. Smaller spans are due to rounding.
const MIN_RELATIVE_SPAN: f32 = 1e-5;
/// Span of the colours of a uniform field, relative to its value.
const UNIFORM_SPAN: f32 = 0.02;

/// Extents and values of the frames of a film.
#[derive(Debug, Clone)]
pub(super) struct Survey {
    /// For each frame and each body of the run, the bounding box; `None` for bodies without vertices.
    pub(super) boxes: Vec<Vec<Option<Bounds>>>,
    /// Values at the ends of the colour map (in the unit of the field).
    pub(super) range: [f32; 2],
}

/// Surveys the frames with these indices on all threads, unless `is_cancelled` returns true. Without a displayed
/// scalar, the range is 0 to 1.
pub(super) fn survey(
    run: &Playback,
    frames: Range<usize>,
    displayed: Option<&VertexScalar>,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Survey, FilmError> {
    let survey_frame = |frame_index: usize| -> Result<_, FilmError> {
        if is_cancelled() {
            return Err(FilmError::Cancelled);
        }
        let frame = run.frame(frame_index)?;
        let boxes = run.bodies().iter().map(|body| {
            Bounds::around(frame.positions[body.vertices.clone()].iter().map(|&p| Vec3::from(p)))
        });
        Ok((boxes.collect(), value_range(run, &frame, displayed)))
    };
    let surveys: Vec<_> = frames.into_par_iter().map(survey_frame).collect::<Result<_, _>>()?;
    let (boxes, ranges): (Vec<_>, Vec<_>) = surveys.into_iter().unzip();
    let union = |[a_lower, a_upper]: [f32; 2], [b_lower, b_upper]: [f32; 2]| {
        [a_lower.min(b_lower), a_upper.max(b_upper)]
    };
    let range = ranges.into_iter().flatten().reduce(union);
    Ok(Survey { boxes, range: range.map_or([0.0, 1.0], widen_uniform_range) })
}

/// Widens the range of a nearly uniform field about its middle; returns other ranges unchanged.
fn widen_uniform_range([lower, upper]: [f32; 2]) -> [f32; 2] {
    let magnitude = lower.abs().max(upper.abs());
    if magnitude == 0.0 || upper - lower > MIN_RELATIVE_SPAN * magnitude {
        return [lower, upper];
    }
    let middle = 0.5 * (lower + upper);
    [middle - 0.5 * UNIFORM_SPAN * magnitude, middle + 0.5 * UNIFORM_SPAN * magnitude]
}

/// Range of the displayed values of bodies in a frame, without a fraction of outliers at each end. For lengths of
/// vectors the lower end is zero. `None` without a displayed scalar or values.
fn value_range(
    run: &Playback,
    frame: &PlayedFrame,
    displayed: Option<&VertexScalar>,
) -> Option<[f32; 2]> {
    let displayed = displayed?;
    let vertex_values = displayed.values(frame)?;
    let bodies = run.bodies().iter().filter(|body| body.role == Role::Body);
    let mut values: Vec<f32> = bodies
        .flat_map(|body| &vertex_values[body.vertices.clone()])
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    values.sort_unstable_by(f32::total_cmp);
    let last = values.len().checked_sub(1)?;
    let outliers = (OUTLIER_FRACTION * last as f64).round() as usize;
    let lower = if displayed.is_length() { 0.0 } else { values[outliers] };
    Some([lower, values[last - outliers]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_a_uniform_field_is_around_its_value() {
        let next = f32::from_bits(2000_f32.to_bits() + 1);
        for ends in [[2000.0, 2000.0], [2000.0, next]] {
            let [lower, upper] = widen_uniform_range(ends);
            assert!((lower - 1980.0).abs() < 0.01 && (upper - 2020.0).abs() < 0.01, "{ends:?}");
        }
        assert_eq!(widen_uniform_range([-2000.0, -2000.0]), [-2020.0, -1980.0]);
        for ends in [[0.0, 0.0], [0.0, 1e-6], [2000.0, 2000.1]] {
            assert_eq!(widen_uniform_range(ends), ends);
        }
    }
}
