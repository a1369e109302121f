//! States between two frames.

use super::{Playback, PlaybackError, PlayedFrame};

/// Times closer than this fraction of the frame interval are equal.
const TIME_TOLERANCE: f64 = 1e-6;

impl Playback {
    /// The frame at a time (s): a frame of the run, or a linear interpolation between two frames. Times before the
    /// first frame give the first one, times after the last frame the last one. Between mode shapes it is the earlier
    /// one.
    ///
    /// # Errors
    /// If a file is damaged, or of another run.
    pub fn frame_at(&self, time: f64) -> Result<PlayedFrame, PlaybackError> {
        self.interpolated_at(time, self.points())
    }

    /// As [`frame_at`](Self::frame_at), with all points of the file, also those inside solids, in their order.
    ///
    /// # Errors
    /// If a file is damaged, or of another run.
    pub fn all_points_at(&self, time: f64) -> Result<PlayedFrame, PlaybackError> {
        let points: Vec<u32> = (0..self.points as u32).collect();
        self.interpolated_at(time, &points)
    }

    /// The values at a time at these points of the frame files.
    fn interpolated_at(&self, time: f64, points: &[u32]) -> Result<PlayedFrame, PlaybackError> {
        let times = self.times();
        let next = times.partition_point(|&frame_time| frame_time < time).min(times.len() - 1);
        let previous = next.saturating_sub(1);
        let interval = times[next] - times[previous];
        let fraction = if interval > 0.0 {
            ((time - times[previous]) / interval).clamp(0.0, 1.0)
        } else {
            1.0
        };
        if fraction >= 1.0 - TIME_TOLERANCE {
            return self.read_frame(next, points);
        }
        let previous_frame = self.read_frame(previous, points)?;
        if fraction <= TIME_TOLERANCE || self.has_shapes() {
            return Ok(previous_frame);
        }
        Ok(interpolate(previous_frame, &self.read_frame(next, points)?, time, fraction as f32))
    }
}

/// Interpolates linearly between two frames; `fraction` is the fraction of the interval.
fn interpolate(mut a: PlayedFrame, b: &PlayedFrame, time: f64, fraction: f32) -> PlayedFrame {
    let move_towards = |x: &mut f32, y: &f32| *x += fraction * (y - *x);
    let positions = a.positions.as_flattened_mut().iter_mut();
    positions.zip(b.positions.as_flattened()).for_each(|(x, y)| move_towards(x, y));
    for (field, other) in a.fields.iter_mut().zip(&b.fields) {
        field.values.iter_mut().zip(&other.values).for_each(|(x, y)| move_towards(x, y));
    }
    PlayedFrame { time, ..a }
}
