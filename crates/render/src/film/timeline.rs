//! Times of images from the times of frames.

use super::error::MAX_PICTURES;
use super::{FilmError, FilmOptions};

/// Largest rate chosen by default (1/s).
const MAX_DEFAULT_RATE: f64 = 60.0;
/// Times closer than this fraction of the interval between images count as equal.
const TIME_TOLERANCE: f64 = 1e-6;

/// The times of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Timeline {
    /// Time of its first image (s).
    start: f64,
    /// Simulated time between images (s).
    step: f64,
    /// Number of images.
    pub(super) image_count: usize,
    /// Images per second.
    pub(super) rate: f64,
}

impl Timeline {
    /// The image times within the requested time range, at intervals of speed over rate. `times` (s) are those of the
    /// frames of the run, ascending and not empty.
    pub(super) fn new(times: &[f64], options: &FilmOptions) -> Result<Self, FilmError> {
        let (first, last) = (times[0], times[times.len() - 1]);
        let [from, to] = [options.from.unwrap_or(first), options.to.unwrap_or(last)];
        let [start, end] = [from.max(first), to.min(last)];
        let rate = options.rate.unwrap_or_else(|| default_rate(times));
        let step = options.speed / rate;
        // The last frame may be requested with rounding error.
        if from.is_nan() || to.is_nan() || start > end + TIME_TOLERANCE * step {
            return Err(FilmError::Times { from, to, first, last });
        }
        let image_count = ((end - start).max(0.0) / step + TIME_TOLERANCE) as usize + 1;
        match image_count <= MAX_PICTURES {
            true => Ok(Self { start, step, image_count, rate }),
            false => Err(FilmError::Long { pictures: image_count }),
        }
    }

    /// Time (s) of the image with this index.
    pub(super) fn time(&self, image_index: usize) -> f64 {
        self.start + self.step * image_index as f64
    }

    /// Indices of the frames between which images are interpolated, given the times of all frames (s).
    pub(super) fn frames(&self, times: &[f64]) -> std::ops::Range<usize> {
        let last = self.time(self.image_count - 1);
        let end = times.partition_point(|&time| time < last) + 1;
        let start = times.partition_point(|&time| time <= self.start).saturating_sub(1);
        start..end.min(times.len())
    }
}

/// Mean rate of the frames (1/s), rounded to an integer from 1 to [`MAX_DEFAULT_RATE`]; 30 for a single frame.
fn default_rate(times: &[f64]) -> f64 {
    let span = times[times.len() - 1] - times[0];
    match times.len() {
        1 => 30.0,
        count => ((count - 1) as f64 / span).round().clamp(1.0, MAX_DEFAULT_RATE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(
        times: &[f64],
        change: impl FnOnce(&mut FilmOptions),
    ) -> Result<Timeline, FilmError> {
        let mut options = FilmOptions::default();
        change(&mut options);
        Timeline::new(times, &options)
    }

    #[test]
    fn film_uses_the_frame_rate_and_ends_with_the_last_frame() {
        let times: Vec<f64> = (0..=360).map(|n| f64::from(n) / 60.0).collect();
        let all = timeline(&times, |_| ()).expect("there are frames");
        assert_eq!((all.rate, all.image_count, all.frames(&times)), (60.0, 361, 0..361));
        assert!((all.time(360) - 6.0).abs() < 1e-12);
        let slow = timeline(&times, |o| (o.speed, o.rate) = (0.25, Some(25.0))).expect("frames");
        assert_eq!(slow.image_count, 601);
        let part =
            |o: &mut FilmOptions| (o.from, o.to, o.rate) = (Some(1.01), Some(1.99), Some(10.0));
        let part = timeline(&times, part).expect("there are frames");
        assert_eq!((part.image_count, part.frames(&times)), (10, 60..116));
        let single = timeline(&[0.5], |_| ()).expect("there is a frame");
        assert_eq!((single.image_count, single.time(0), single.frames(&[0.5])), (1, 0.5, 0..1));
    }

    #[test]
    fn empty_time_ranges_are_rejected() {
        let asked = |from, to| timeline(&[0.0, 1.0], |o| (o.from, o.to) = (Some(from), Some(to)));
        for (from, to) in [(2.0, 3.0), (0.8, 0.2), (-2.0, -1.0), (f64::NAN, 1.0)] {
            let error = asked(from, to).expect_err("there is nothing");
            assert!(matches!(error, FilmError::Times { .. }), "{from} {to}");
        }
        let long = timeline(&[0.0, 1e6], |o| o.rate = Some(60.0));
        assert!(matches!(long, Err(FilmError::Long { pictures: 60_000_001 })), "{long:?}");
    }
}
