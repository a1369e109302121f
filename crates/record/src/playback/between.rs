//! States between two frames.

use super::{Playback, PlaybackError, PlayedFrame};

/// Times closer than this fraction of the frame interval are equal.
const TIME_TOLERANCE: f64 = 1e-6;

impl Playback {
    /// The frame at a time: a frame of the run, or linear interpolation between two. Before the first and
    /// after the last frame, that frame.
    ///
    /// # Errors
    /// If a file is damaged, or of another run.
    pub fn frame_at(&self, time: f64) -> Result<PlayedFrame, PlaybackError> {
        self.mixed_at(time, self.points())
    }

    /// As [`frame_at`](Self::frame_at), with all points of the file, also those inside solids, in their order.
    ///
    /// # Errors
    /// If a file is damaged, or of another run.
    pub fn all_points_at(&self, time: f64) -> Result<PlayedFrame, PlaybackError> {
        let all: Vec<u32> = (0..self.points as u32).collect();
        self.mixed_at(time, &all)
    }

    fn mixed_at(&self, time: f64, points: &[u32]) -> Result<PlayedFrame, PlaybackError> {
        let times = self.times();
        let next = times.partition_point(|&frame_time| frame_time < time).min(times.len() - 1);
        let last = next.saturating_sub(1);
        let span = times[next] - times[last];
        let part = if span > 0.0 { ((time - times[last]) / span).clamp(0.0, 1.0) } else { 1.0 };
        if part >= 1.0 - TIME_TOLERANCE {
            return self.frame_of(next, points);
        }
        let before = self.frame_of(last, points)?;
        if part <= TIME_TOLERANCE {
            return Ok(before);
        }
        Ok(interpolate(before, &self.frame_of(next, points)?, time, part as f32))
    }
}

/// Interpolates linearly between two frames; `part` is the fraction of the interval.
fn interpolate(mut a: PlayedFrame, b: &PlayedFrame, time: f64, part: f32) -> PlayedFrame {
    let mix = |x: &mut f32, y: &f32| *x += part * (y - *x);
    let positions = a.positions.as_flattened_mut().iter_mut();
    positions.zip(b.positions.as_flattened()).for_each(|(x, y)| mix(x, y));
    for (field, other) in a.fields.iter_mut().zip(&b.fields) {
        field.values.iter_mut().zip(&other.values).for_each(|(x, y)| mix(x, y));
    }
    PlayedFrame { time, ..a }
}
