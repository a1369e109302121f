//! Data blocks of frames.

use crate::ViewError;
use crate::block::BlockWriter;
use crate::coding::DeltaRows;
use crate::inside::SplitFrame;
use crate::scalar::Scalar;
use crate::survey::Survey;
use resile_record::Playback;
use std::io::Write as _;

/// Approximate size of a block before compression (bytes). The page decodes a block of this size in some milliseconds.
const BLOCK_BYTES: usize = 1 << 20;
/// Largest number of frames in a block.
const MAX_FRAMES_PER_BLOCK: usize = 64;
/// Number of quantisation steps of a field's range.
pub(crate) const QUANTISATION_LEVELS: u16 = 1023;

/// Number of frames in each block of a run with `frame_count` frames.
pub(crate) fn frames_per_block(survey: &Survey, frame_count: usize) -> Vec<usize> {
    // Positions and arrows have three 16-bit integers per vertex, fields one; poses have twelve `f32` per body.
    let vertex_bytes = 6 + 2 * survey.fields.len() + 6 * survey.arrows.len();
    let pose_bytes = 48 * survey.quanta.len();
    let inside_bytes = survey.inside.point_count() * (6 + 2 * survey.fields.len());
    let frame_bytes = (survey.reference.len() * vertex_bytes + inside_bytes + pose_bytes).max(1);
    let max_frames = (BLOCK_BYTES / frame_bytes).clamp(1, MAX_FRAMES_PER_BLOCK);
    (0..frame_count).step_by(max_frames).map(|first| max_frames.min(frame_count - first)).collect()
}

/// Writes all frames, with `frames_per_block[k]` of them in block k, and calls `progress` after each, whose error ends
/// the work. A block has the
/// poses of its frames, then the quantised differences of positions from them, then the levels of each field, then the
/// vectors of each arrow field, then the differences and the levels of the points inside.
pub(crate) fn write(
    run: &Playback,
    survey: &Survey,
    frames_per_block: &[usize],
    blocks: &mut BlockWriter<'_>,
    progress: &mut dyn FnMut() -> Result<(), ViewError>,
) -> Result<(), ViewError> {
    let vertex_count = survey.reference.len();
    let mut position_rows = DeltaRows::new(3 * vertex_count);
    let mut field_rows: Vec<DeltaRows> =
        survey.fields.iter().map(|_| DeltaRows::new(vertex_count)).collect();
    let mut arrow_rows: Vec<DeltaRows> =
        survey.arrows.iter().map(|_| DeltaRows::new(3 * vertex_count)).collect();
    let inside_count = survey.inside.point_count();
    let mut inside_position_rows = DeltaRows::new(3 * inside_count);
    let mut inside_field_rows: Vec<DeltaRows> =
        survey.fields.iter().map(|_| DeltaRows::new(inside_count)).collect();
    let mut first = 0;
    for &frame_count in frames_per_block {
        blocks.bytes("class=\"frames\"", |out| -> Result<(), ViewError> {
            for frame_index in first..first + frame_count {
                let poses = &survey.poses[frame_index];
                for entry in poses.as_flattened() {
                    out.write_all(&entry.to_le_bytes())?;
                }
                let SplitFrame { drawn: frame, inside } = survey.inside.read(run, frame_index)?;
                let bodies = run.bodies().iter().zip(&survey.quanta).zip(poses);
                let quantised_differences = bodies.flat_map(|((body, quantum), pose)| {
                    let differences = survey.differences(body, pose, &frame);
                    differences.flatten().map(move |x| (x / quantum).round() as i16)
                });
                position_rows.push(quantised_differences);
                for (scalar, rows) in survey.fields.iter().zip(&mut field_rows) {
                    let values = scalar.values(&frame).into_iter();
                    rows.push(values.map(|value| quantised_level(scalar, value)));
                }
                for (arrows, rows) in survey.arrows.iter().zip(&mut arrow_rows) {
                    rows.push(arrows.row(&frame));
                }
                let differences = survey.inside.differences(poses, &inside);
                inside_position_rows.push(differences.flat_map(|(body, difference)| {
                    difference.map(|x| (x / survey.quanta[body]).round() as i16)
                }));
                for (scalar, rows) in survey.fields.iter().zip(&mut inside_field_rows) {
                    let values = scalar.values(&inside).into_iter();
                    rows.push(values.map(|value| quantised_level(scalar, value)));
                }
                progress()?;
            }
            position_rows.write(out)?;
            let other_rows = field_rows.iter_mut().chain(&mut arrow_rows);
            other_rows.into_iter().try_for_each(|rows| rows.write(out))?;
            inside_position_rows.write(out)?;
            inside_field_rows.iter_mut().try_for_each(|rows| rows.write(out))?;
            Ok(())
        })?;
        first += frame_count;
    }
    Ok(())
}

/// Level of a value on the quantised scale of a field, from 0 to [`QUANTISATION_LEVELS`]; values outside of the scale
/// are clamped, and NaN has level 0.
fn quantised_level(scalar: &Scalar, value: f64) -> i16 {
    let [min, max] = scalar.scale_ends;
    let fraction = ((value - min) / (max - min)).clamp(0.0, 1.0);
    // A cast of NaN gives zero.
    (fraction * f64::from(QUANTISATION_LEVELS)).round() as i16
}
