//! Data blocks of frames.

use crate::ViewError;
use crate::block::BlockWriter;
use crate::coding::DeltaRows;
use crate::scalar::Scalar;
use crate::survey::Survey;
use resile_record::Playback;
use std::io::Write as _;

/// Uncompressed bytes of a block; decoding one takes some milliseconds.
const BLOCK_BYTES: usize = 1 << 20;
/// Number of quantisation steps of a field's range.
pub(crate) const QUANTISATION_LEVELS: u16 = 1023;

/// Number of frames in each block.
pub(crate) fn groups(survey: &Survey, frames: usize) -> Vec<usize> {
    let vertex = 6 + 2 * survey.fields.len() + 6 * survey.arrows.len();
    let frame = (survey.reference.len() * vertex + 48 * survey.quanta.len()).max(1);
    let max_frames = (BLOCK_BYTES / frame).clamp(1, 64);
    (0..frames).step_by(max_frames).map(|first| max_frames.min(frames - first)).collect()
}

/// Writes all frames. Each block has the poses, then the differences of positions from them, then the fields,
/// then the arrows.
pub(crate) fn write(
    run: &Playback,
    survey: &Survey,
    groups: &[usize],
    blocks: &mut BlockWriter<'_>,
    progress: &mut dyn FnMut(),
) -> Result<(), ViewError> {
    let count = survey.reference.len();
    let mut positions = DeltaRows::new(3 * count);
    let mut fields: Vec<DeltaRows> = survey.fields.iter().map(|_| DeltaRows::new(count)).collect();
    let mut arrows: Vec<DeltaRows> =
        survey.arrows.iter().map(|_| DeltaRows::new(3 * count)).collect();
    let mut first = 0;
    for &frames in groups {
        blocks.bytes("class=\"frames\"", |out| -> Result<(), ViewError> {
            for number in first..first + frames {
                for entry in survey.poses[number].as_flattened() {
                    out.write_all(&entry.to_le_bytes())?;
                }
                let frame = run.frame(number)?;
                let quanta = run.bodies().iter().zip(&survey.quanta).zip(&survey.poses[number]);
                let row = quanta.flat_map(|((body, quantum), pose)| {
                    let off = survey.differences(body, pose, &frame);
                    off.flatten().map(move |x| (x / quantum).round() as i16)
                });
                positions.push(row);
                for (scalar, tracks) in survey.fields.iter().zip(&mut fields) {
                    tracks
                        .push(scalar.values(&frame).into_iter().map(|value| level(scalar, value)));
                }
                for (of_field, tracks) in survey.arrows.iter().zip(&mut arrows) {
                    tracks.push(of_field.row(&frame));
                }
                progress();
            }
            positions.write(out)?;
            Ok(fields.iter_mut().chain(&mut arrows).try_for_each(|tracks| tracks.write(out))?)
        })?;
        first += frames;
    }
    Ok(())
}

/// Quantised level of a value, clamped to the scale; zero for NaN.
fn level(scalar: &Scalar, value: f64) -> i16 {
    let [min, max] = scalar.ends;
    let share = ((value - min) / (max - min)).clamp(0.0, 1.0);
    // A cast of NaN gives zero.
    (share * f64::from(QUANTISATION_LEVELS)).round() as i16
}
