//! Sample times from frame times.

use crate::error::MAX_SAMPLES;
use crate::{ExportError, ExportOptions};

/// Times closer than this fraction of the sample interval are equal.
const TIME_TOLERANCE: f64 = 1e-6;

/// Sample times that a format supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// Any times; by default those of the frames.
    Any,
    /// Evenly spaced times only.
    Even,
}

/// Times of all samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timeline {
    /// Times (s), ascending.
    pub(crate) times: Vec<f64>,
    /// Samples per second; the mean if they are not evenly spaced.
    pub(crate) rate: f64,
}

impl Timeline {
    /// The requested times within the run: those of its frames, or at equal intervals if a rate is requested or
    /// `spacing` requires it. `frame_times` (s) are ascending and not empty.
    pub(crate) fn new(
        frame_times: &[f64],
        options: &ExportOptions,
        spacing: Spacing,
    ) -> Result<Self, ExportError> {
        let (first, last) = (frame_times[0], frame_times[frame_times.len() - 1]);
        let [from, to] = [options.from.unwrap_or(first), options.to.unwrap_or(last)];
        let [start, end] = [from.max(first), to.min(last)];
        let rate = options.rate.unwrap_or_else(|| default_rate(frame_times));
        let no_frames = ExportError::Times { from, to, first, last };
        // The last frame may be requested with rounding error.
        if from.is_nan() || to.is_nan() || start > end + TIME_TOLERANCE / rate {
            return Err(no_frames);
        }
        let is_in_range = |time: &f64| {
            *time >= start - TIME_TOLERANCE / rate && *time <= end + TIME_TOLERANCE / rate
        };
        let times: Vec<f64> = match (options.rate, spacing) {
            (None, Spacing::Any) => frame_times.iter().copied().filter(is_in_range).collect(),
            _ => {
                let samples = ((end - start).max(0.0) * rate + TIME_TOLERANCE) as usize + 1;
                if samples > MAX_SAMPLES {
                    return Err(ExportError::Long { samples });
                }
                (0..samples).map(|n| start + n as f64 / rate).collect()
            }
        };
        if times.is_empty() { Err(no_frames) } else { Ok(Self { times, rate }) }
    }
}

/// Rate of the frames (1/s): exact for evenly spaced frames, otherwise the mean rounded to a positive integer. The last
/// interval may be shorter than the others and is left out; a run with one frame has the rate 30.
fn default_rate(times: &[f64]) -> f64 {
    let all_intervals = times.len() - 1;
    let intervals = if all_intervals > 1 { all_intervals - 1 } else { all_intervals };
    if intervals == 0 {
        return 30.0;
    }
    let mean_interval = (times[intervals] - times[0]) / intervals as f64;
    let rate = 1.0 / mean_interval;
    let is_mean = |interval: f64| (interval - mean_interval).abs() < 1e-6 * mean_interval;
    let evenly_spaced = times[..=intervals].array_windows().all(|[a, b]| is_mean(b - a));
    let rounded = rate.round();
    match evenly_spaced && (rounded - rate).abs() > 1e-6 * rate {
        true => rate,
        false => rounded.max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(
        frames: &[f64],
        spacing: Spacing,
        change: impl FnOnce(&mut ExportOptions),
    ) -> Result<Timeline, ExportError> {
        let mut options = ExportOptions::default();
        change(&mut options);
        Timeline::new(frames, &options, spacing)
    }

    #[test]
    fn samples_are_the_frames_or_evenly_spaced() {
        let frames = [0.0, 0.25, 0.5, 0.75, 1.0, 1.1];
        let own = timeline(&frames, Spacing::Any, |_| ()).expect("there are frames");
        assert_eq!((own.times.as_slice(), own.rate), (&frames[..], 4.0));
        let even = timeline(&frames, Spacing::Even, |_| ()).expect("there are frames");
        assert_eq!(even.times, frames[..5]);
        let part = timeline(&frames, Spacing::Any, |o| (o.from, o.to) = (Some(0.25), Some(0.8)));
        assert_eq!(part.expect("there are frames").times, [0.25, 0.5, 0.75]);
        let rate = timeline(&frames, Spacing::Any, |o| o.rate = Some(10.0)).expect("frames");
        assert_eq!((rate.times.len(), rate.rate), (12, 10.0));
        let one = timeline(&[0.5], Spacing::Even, |_| ()).expect("there is a frame");
        assert_eq!(one.times, [0.5]);
    }

    #[test]
    fn default_rate_is_the_frame_rate() {
        let at = |step: f64| (0..100).map(|n| f64::from(n) * step).collect::<Vec<_>>();
        assert_eq!(default_rate(&at(1.0 / 60.0)), 60.0);
        assert!((default_rate(&at(7e-4)) - 1.0 / 7e-4).abs() < 1e-6);
        // States at multiples of 1/120 s, those nearest to a rate of 25 per second.
        let near: Vec<f64> = at(1.0 / 25.0).iter().map(|t| (t * 120.0).round() / 120.0).collect();
        assert_eq!(default_rate(&near), 25.0);
    }

    #[test]
    fn empty_time_ranges_are_rejected() {
        for (from, to) in [(2.0, 3.0), (0.8, 0.2), (-2.0, -1.0), (f64::NAN, 1.0), (0.4, 0.6)] {
            let asked = timeline(&[0.0, 1.0], Spacing::Any, |o| {
                (o.from, o.to) = (Some(from), Some(to));
            });
            assert!(matches!(asked, Err(ExportError::Times { .. })), "{from} {to}");
        }
        let long = timeline(&[0.0, 1e6], Spacing::Even, |o| o.rate = Some(60.0));
        assert!(matches!(long, Err(ExportError::Long { samples: 60_000_001 })), "{long:?}");
    }
}
