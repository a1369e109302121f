//! Sampled motion of many points, as saved by animation programs.
//!
//! *Cubic.* Between two samples a point moves on a cubic. Its velocity at a sample is that of the chord
//! between the two neighbours (Catmull and Rom 1974, for non-uniform times), and at the first and last
//! sample that of the chord to the only neighbour. The velocity is continuous except at the start and
//! end of the motion. A point passes samples at speed and may overshoot them where it reverses.

use crate::Vec3;
use crate::arc::{self, Bend};
use std::ops::Range;

/// Tolerance of the difference between first and last sample of a periodic motion, relative to the size of
/// the first sample: the accuracy of single precision and of decimals in files.
const PERIODICITY_TOLERANCE: f64 = 1e-5;
/// Maximum number of samples considered between two times.
const MAX_SAMPLES_BETWEEN: usize = 1 << 16;

/// Interpolation between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleInterpolation {
    /// Constant velocity, with jumps at samples.
    Linear,
    /// Cubic, with a continuous velocity.
    Cubic,
}

/// Behaviour after the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterLast {
    /// Rest.
    Rest,
    /// Periodic repetition; the last sample is the first of the next period.
    Repeat,
}

/// The samples are invalid. Samples and points are counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SamplesError {
    /// There is no sample.
    #[error("there are no samples")]
    Empty,
    /// There are more or fewer times than samples.
    #[error("{times} times are given for {samples} samples")]
    Times {
        /// Number of times.
        times: usize,
        /// Number of samples.
        samples: usize,
    },
    /// A sample has another number of points than the first.
    #[error("sample {sample} has {points} points, and the first one {expected}")]
    Points {
        /// The sample.
        sample: usize,
        /// Number of its points.
        points: usize,
        /// Number of points of the first sample.
        expected: usize,
    },
    /// A coordinate is not finite.
    #[error("point {point} of sample {sample} has a coordinate that is not a finite number")]
    NotFinite {
        /// The sample.
        sample: usize,
        /// The point.
        point: usize,
    },
    /// A sample is not later than the one before it.
    #[error("sample {sample} is at {time} s, which is not after the one before it, at {before} s")]
    NotAscending {
        /// The sample.
        sample: usize,
        /// Its time (s).
        time: f64,
        /// The time (s) of the one before it.
        before: f64,
    },
    /// The first and last sample of a periodic motion differ.
    #[error("point {point} ends {off:.3e} m away from where it began")]
    NotClosed {
        /// The point with the largest difference.
        point: usize,
        /// The difference (m).
        off: f64,
    },
}

/// Positions of many points at given times with interpolation. The points rest before the first
/// sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Times of the samples (s), ascending.
    times: Vec<f64>,
    /// Positions of all points at each time (m).
    positions: Vec<Vec<Vec3>>,
    interpolation: SampleInterpolation,
    after: AfterLast,
    /// Whether any point ever moves.
    moves: bool,
}

/// A time between two samples.
#[derive(Debug, Clone, Copy)]
struct SampleInterval {
    /// Index of the earlier sample.
    sample: usize,
    /// Elapsed fraction of the interval.
    fraction: f64,
    /// Duration of the interval (s); zero before the first and after the last sample.
    duration: f64,
}

impl Samples {
    /// The motion through `positions` (m), a list for each of `times` (s).
    ///
    /// # Errors
    /// Without samples, with samples of different lengths, with numbers that are not finite,
    /// with times that do not ascend, or if first and last sample of a periodic motion differ.
    pub fn new(
        times: Vec<f64>,
        mut positions: Vec<Vec<Vec3>>,
        interpolation: SampleInterpolation,
        after: AfterLast,
    ) -> Result<Self, SamplesError> {
        check_positions(&positions)?;
        check_times(&times, positions.len())?;
        if after == AfterLast::Repeat {
            close_period(&mut positions)?;
        }
        let moves = positions.windows(2).any(|pair| pair[0] != pair[1]);
        Ok(Self { times, positions, interpolation, after, moves })
    }

    /// The motion of other points: `positions_of` maps the points of each sample (m) to their positions, the same
    /// number for each sample.
    #[must_use]
    pub fn of_points(&self, positions_of: impl Fn(&[Vec3]) -> Vec<Vec3>) -> Self {
        let positions: Vec<Vec<Vec3>> =
            self.positions.iter().map(|points| positions_of(points)).collect();
        let moves = positions.windows(2).any(|pair| pair[0] != pair[1]);
        Self { times: self.times.clone(), positions, moves, ..*self }
    }

    /// Times of the samples (s), ascending.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Positions of the points (m), by sample.
    pub fn positions(&self) -> &[Vec<Vec3>] {
        &self.positions
    }

    /// Number of points.
    pub fn point_count(&self) -> usize {
        self.positions[0].len()
    }

    /// Whether no point ever moves.
    pub fn is_fixed(&self) -> bool {
        !self.moves
    }

    /// Position (m) of a point at `time` (s). O(log samples).
    pub fn position(&self, point: usize, time: f64) -> Vec3 {
        let interval = self.interval(time);
        let start = self.positions[interval.sample][point];
        if interval.fraction == 0.0 {
            return start;
        }
        let end = self.positions[interval.sample + 1][point];
        let s = interval.fraction;
        match self.interpolation {
            SampleInterpolation::Linear => start.lerp(end, s),
            SampleInterpolation::Cubic => {
                let [start_tangent, end_tangent] = self.tangents(point, interval);
                let chord = end - start;
                // The Hermite cubic relative to the chord.
                let (start_deviation, end_deviation) = (start_tangent - chord, end_tangent - chord);
                start
                    + chord * s
                    + (start_deviation * (1.0 - s) - end_deviation * s) * (s * (1.0 - s))
            }
        }
    }

    /// The velocity (m/s) of a point at `time` (s); at a jump, the velocity after it.
    pub fn velocity(&self, point: usize, time: f64) -> Vec3 {
        let interval = self.interval(time);
        if interval.duration == 0.0 {
            return Vec3::ZERO;
        }
        let [start, end] = [0, 1].map(|k| self.positions[interval.sample + k][point]);
        let (s, chord) = (interval.fraction, end - start);
        let displacement_rate = match self.interpolation {
            SampleInterpolation::Linear => chord,
            SampleInterpolation::Cubic => {
                let [start_tangent, end_tangent] = self.tangents(point, interval);
                let (start_deviation, end_deviation) = (start_tangent - chord, end_tangent - chord);
                chord + start_deviation * ((1.0 - s) * (1.0 - 3.0 * s))
                    - end_deviation * (s * (2.0 - 3.0 * s))
            }
        };
        displacement_rate / interval.duration
    }

    /// The first time (s) of a sample after `time`; infinite if there is none, or nothing moves.
    pub(crate) fn next_change(&self, time: f64) -> f64 {
        self.times_after(time).next().unwrap_or(f64::INFINITY)
    }

    /// Deviation of the `points` from the straight path between both `times` (s): the distance from the nearest
    /// configuration on the path, the same for all points.
    ///
    /// O(points) for each sample between the times.
    pub fn bend(&self, points: Range<usize>, times: [f64; 2]) -> Bend {
        let before_end = self.times_after(times[0]).take_while(|&time| time < times[1]);
        let sample_times: Vec<f64> = before_end.take(MAX_SAMPLES_BETWEEN).collect();
        if sample_times.len() == MAX_SAMPLES_BETWEEN {
            return Bend { bound: f64::INFINITY, jump: None };
        }
        let positions = |time| points.clone().map(|point| self.position(point, time)).collect();
        arc::bend(times, &sample_times, |segment| self.sagitta(points.clone(), segment), positions)
    }

    /// The largest speed (m/s) of any point at `time` (s).
    pub fn fastest(&self, time: f64) -> f64 {
        let speeds = (0..self.point_count()).map(|point| self.velocity(point, time).length());
        speeds.fold(0.0, f64::max)
    }

    /// A bound (m) of the distance of the `points` from the straight path between two `times` (s) without a sample
    /// between them.
    ///
    /// A path `x` over the time `h` deviates from its chord by at most `h^2 / 8 max |x''|`, and the second
    /// derivative of a cubic is largest at an end. Its component along the common path of all points only
    /// changes the speed if the motion is monotonic, and is omitted then.
    fn sagitta(&self, points: Range<usize>, times: [f64; 2]) -> f64 {
        let interval = self.interval(0.5 * (times[0] + times[1]));
        let h = times[1] - times[0];
        if self.interpolation == SampleInterpolation::Linear || interval.duration == 0.0 {
            return 0.0;
        }
        let half_fraction = 0.5 * h / interval.duration;
        let ends = [interval.fraction - half_fraction, interval.fraction + half_fraction];
        let accelerations = ends.map(|fraction| -> Vec<Vec3> {
            let acceleration = |point| self.second_derivative(point, interval, fraction);
            points.clone().map(acceleration).collect()
        });
        let displacement = |point| self.position(point, times[1]) - self.position(point, times[0]);
        let chord: Vec<Vec3> = points.clone().map(displacement).collect();
        let mut components = accelerations.each_ref().map(|a| component_along(a, &chord));
        if !is_monotone(components.map(|component| component * h * h)) {
            components = [0.0; 2];
        }
        let normal_accelerations = accelerations
            .iter()
            .zip(components)
            .map(|(acceleration, component)| max_distance(acceleration, &chord, component));
        normal_accelerations.fold(0.0, f64::max) * h * h / 8.0
    }

    /// The second derivative (m/s^2) of the cubic of a point in an interval, at the fraction `s` of it.
    fn second_derivative(&self, point: usize, interval: SampleInterval, s: f64) -> Vec3 {
        let [start, end] = [0, 1].map(|k| self.positions[interval.sample + k][point]);
        let [start_tangent, end_tangent] = self.tangents(point, interval);
        let (start_deviation, end_deviation) =
            (start_tangent - (end - start), end_tangent - (end - start));
        let scaled_derivative = start_deviation * (6.0 * s - 4.0) + end_deviation * (6.0 * s - 2.0);
        scaled_derivative / (interval.duration * interval.duration)
    }

    /// The velocities of a point at both samples of an interval, times its duration (m).
    fn tangents(&self, point: usize, interval: SampleInterval) -> [Vec3; 2] {
        [interval.sample, interval.sample + 1]
            .map(|k| self.tangent_velocity(point, k) * interval.duration)
    }

    /// The velocity (m/s) of a point at a sample: that of the chord between the neighbouring samples.
    fn tangent_velocity(&self, point: usize, sample: usize) -> Vec3 {
        let last = self.times.len() - 1;
        let sample_at = |k: usize| (self.times[k], self.positions[k][point]);
        let [(from, a), (to, b)] = match (sample, self.after) {
            (0, AfterLast::Rest) => [sample_at(0), sample_at(1)],
            (k, AfterLast::Rest) if k == last => [sample_at(last - 1), sample_at(last)],
            (k, AfterLast::Repeat) if k == 0 || k == last => {
                let (before, x) = sample_at(last - 1);
                [(before - self.period(), x), sample_at(1)]
            }
            (k, _) => [sample_at(k - 1), sample_at(k + 1)],
        };
        (b - a) / (to - from)
    }

    /// Time from the first sample to the last (s).
    fn period(&self) -> f64 {
        self.times[self.times.len() - 1] - self.times[0]
    }

    /// The interval between two samples that contains `time` (s).
    fn interval(&self, time: f64) -> SampleInterval {
        let first = self.times[0];
        let repeats = self.after == AfterLast::Repeat && self.period() > 0.0 && time > first;
        let time = if repeats { first + (time - first).rem_euclid(self.period()) } else { time };
        let next_sample = self.times.partition_point(|&sample| sample <= time);
        if next_sample == 0 || next_sample == self.times.len() {
            return SampleInterval {
                sample: next_sample.saturating_sub(1),
                fraction: 0.0,
                duration: 0.0,
            };
        }
        let duration = self.times[next_sample] - self.times[next_sample - 1];
        let fraction = (time - self.times[next_sample - 1]) / duration;
        SampleInterval { sample: next_sample - 1, fraction, duration }
    }

    /// The times of samples after `time`, ascending; none if nothing moves.
    fn times_after(&self, time: f64) -> impl Iterator<Item = f64> + '_ {
        let (first, period) = (self.times[0], self.period());
        let periods = match self.after {
            AfterLast::Rest => 0..1,
            // One period less than computed, for rounding.
            AfterLast::Repeat => (((time - first) / period) as u64).saturating_sub(1)..u64::MAX,
        };
        let times_of_period = move |index: u64| {
            let offset = index as f64 * period;
            // The last sample of a period is the first of the next.
            self.times.iter().skip(usize::from(index > 0)).map(move |sample| sample + offset)
        };
        let later = periods.flat_map(times_of_period).filter(move |&sample| sample > time);
        later.take(if self.moves { usize::MAX } else { 0 })
    }
}

/// Whether a cubic from 0 to 1 on the unit interval, with the second derivatives `a` and `b` at its ends, is
/// monotonic.
fn is_monotone([a, b]: [f64; 2]) -> bool {
    let rates = [1.0 - a / 3.0 - b / 6.0, 1.0 + a / 6.0 + b / 3.0];
    let slowest = match a < 0.0 && 0.0 < b {
        true => rates[0] - a * a / (2.0 * (b - a)),
        false => rates[0].min(rates[1]),
    };
    slowest >= 0.0
}

/// The coefficient of `chord` in the projection of `vectors` onto it, each a vector of all points.
fn component_along(vectors: &[Vec3], chord: &[Vec3]) -> f64 {
    let squares: f64 = chord.iter().map(|c| c.length_squared()).sum();
    vectors.iter().zip(chord).map(|(v, c)| v.dot(*c)).sum::<f64>() / squares
}

/// The largest distance of a vector of a point from `factor` times that of `chord`.
fn max_distance(vectors: &[Vec3], chord: &[Vec3], factor: f64) -> f64 {
    let distance = |(v, c): (&Vec3, &Vec3)| (*v - *c * factor).length();
    vectors.iter().zip(chord).map(distance).fold(0.0, f64::max)
}

/// Checks that there are samples, all of the same number of points with finite positions.
fn check_positions(positions: &[Vec<Vec3>]) -> Result<(), SamplesError> {
    let Some(first) = positions.first() else { return Err(SamplesError::Empty) };
    let expected = first.len();
    for (sample, points) in positions.iter().enumerate() {
        if points.len() != expected {
            return Err(SamplesError::Points { sample, points: points.len(), expected });
        }
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(SamplesError::NotFinite { sample, point });
        }
    }
    Ok(())
}

/// Checks that there is a finite time for each sample, later than that of the sample before.
fn check_times(times: &[f64], samples: usize) -> Result<(), SamplesError> {
    if times.len() != samples {
        return Err(SamplesError::Times { times: times.len(), samples });
    }
    let is_ascending =
        |pair: &[f64]| pair[0].is_finite() && pair[1].is_finite() && pair[0] < pair[1];
    match times.windows(2).position(|pair| !is_ascending(pair)) {
        None => Ok(()),
        Some(k) => {
            let (time, before) = (times[k + 1], times[k]);
            Err(SamplesError::NotAscending { sample: k + 1, time, before })
        }
    }
}

/// Replaces the last sample by the first, if they agree within the tolerance.
fn close_period(positions: &mut [Vec<Vec3>]) -> Result<(), SamplesError> {
    let [first, .., last] = positions else { return Ok(()) };
    let extent = first.iter().map(|p| (*p - first[0]).length()).fold(0.0, f64::max);
    let distances = first.iter().zip(&*last).map(|(a, b)| (*a - *b).length()).enumerate();
    let farther = |(p, a): (usize, f64), (q, b): (usize, f64)| if b > a { (q, b) } else { (p, a) };
    let farthest = distances.reduce(farther);
    if let Some((point, off)) = farthest.filter(|(_, off)| *off > PERIODICITY_TOLERANCE * extent) {
        return Err(SamplesError::NotClosed { point, off });
    }
    last.clone_from(first);
    Ok(())
}

#[cfg(test)]
mod tests;
