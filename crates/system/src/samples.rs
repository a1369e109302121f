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
    sample: usize,
    /// Elapsed fraction.
    fraction: f64,
    /// Duration (s).
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
        let Some(first) = positions.first() else { return Err(SamplesError::Empty) };
        let (samples, expected) = (positions.len(), first.len());
        if times.len() != samples {
            return Err(SamplesError::Times { times: times.len(), samples });
        }
        for (sample, points) in positions.iter().enumerate() {
            if points.len() != expected {
                return Err(SamplesError::Points { sample, points: points.len(), expected });
            }
            if let Some(point) = points.iter().position(|p| !p.is_finite()) {
                return Err(SamplesError::NotFinite { sample, point });
            }
        }
        let ascends =
            |pair: &[f64]| pair[0].is_finite() && pair[1].is_finite() && pair[0] < pair[1];
        if let Some(k) = times.windows(2).position(|pair| !ascends(pair)) {
            let (time, before) = (times[k + 1], times[k]);
            return Err(SamplesError::NotAscending { sample: k + 1, time, before });
        }
        if after == AfterLast::Repeat {
            close(&mut positions)?;
        }
        let moves = positions.windows(2).any(|pair| pair[0] != pair[1]);
        Ok(Self { times, positions, interpolation, after, moves })
    }

    /// The motion of other points: `place` maps the points of each sample (m) to their positions, the same number for
    /// each sample.
    #[must_use]
    pub fn of_points(&self, place: impl Fn(&[Vec3]) -> Vec<Vec3>) -> Self {
        let positions: Vec<Vec<Vec3>> = self.positions.iter().map(|points| place(points)).collect();
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
        let stretch = self.stretch(time);
        let here = self.positions[stretch.sample][point];
        if stretch.fraction == 0.0 {
            return here;
        }
        let there = self.positions[stretch.sample + 1][point];
        let s = stretch.fraction;
        match self.interpolation {
            SampleInterpolation::Linear => here.lerp(there, s),
            SampleInterpolation::Cubic => {
                let [leaves, arrives] = self.tangents(point, stretch);
                let way = there - here;
                // The Hermite cubic relative to the chord.
                let (before, after) = (leaves - way, arrives - way);
                here + way * s + (before * (1.0 - s) - after * s) * (s * (1.0 - s))
            }
        }
    }

    /// The velocity (m/s) of a point at `time` (s); at a jump, the velocity after it.
    pub fn velocity(&self, point: usize, time: f64) -> Vec3 {
        let stretch = self.stretch(time);
        if stretch.duration == 0.0 {
            return Vec3::ZERO;
        }
        let [here, there] = [0, 1].map(|next| self.positions[stretch.sample + next][point]);
        let (s, way) = (stretch.fraction, there - here);
        let over_stretch = match self.interpolation {
            SampleInterpolation::Linear => way,
            SampleInterpolation::Cubic => {
                let [leaves, arrives] = self.tangents(point, stretch);
                let (before, after) = (leaves - way, arrives - way);
                way + before * ((1.0 - s) * (1.0 - 3.0 * s)) - after * (s * (2.0 - 3.0 * s))
            }
        };
        over_stretch / stretch.duration
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
        let between: Vec<f64> = before_end.take(MAX_SAMPLES_BETWEEN).collect();
        if between.len() == MAX_SAMPLES_BETWEEN {
            return Bend { bound: f64::INFINITY, jump: None };
        }
        let at = |time| points.clone().map(|point| self.position(point, time)).collect();
        arc::bend(times, &between, |piece| self.sagitta(points.clone(), piece), at)
    }

    /// The largest speed (m/s) of any point at `time` (s).
    pub fn fastest(&self, time: f64) -> f64 {
        let speeds = (0..self.point_count()).map(|point| self.velocity(point, time).length());
        speeds.fold(0.0, f64::max)
    }

    /// A bound (m) of the distance from the straight path between two times without a sample
    /// between them.
    ///
    /// A path `x` over the time `h` deviates from its chord by at most `h^2 / 8 max |x''|`, and the second
    /// derivative of a cubic is largest at an end. Its component along the common path of all points only
    /// changes the speed if the motion is monotonic, and is omitted then.
    fn sagitta(&self, points: Range<usize>, times: [f64; 2]) -> f64 {
        let stretch = self.stretch(0.5 * (times[0] + times[1]));
        let h = times[1] - times[0];
        if self.interpolation == SampleInterpolation::Linear || stretch.duration == 0.0 {
            return 0.0;
        }
        let half = 0.5 * h / stretch.duration;
        let ends = [stretch.fraction - half, stretch.fraction + half];
        let second_derivatives = |end: f64| -> Vec<Vec3> {
            points.clone().map(|point| self.second_derivative(point, stretch, end)).collect()
        };
        let second_derivatives = ends.map(second_derivatives);
        let displacement = |point| self.position(point, times[1]) - self.position(point, times[0]);
        let chord: Vec<Vec3> = points.clone().map(displacement).collect();
        let squares: f64 = chord.iter().map(|c| c.length_squared()).sum();
        let along =
            |x: &[Vec3]| x.iter().zip(&chord).map(|(x, c)| x.dot(*c)).sum::<f64>() / squares;
        let mut tangential = [along(&second_derivatives[0]), along(&second_derivatives[1])];
        if !is_monotone(tangential.map(|rate| rate * h * h)) {
            tangential = [0.0; 2];
        }
        let largest = |(end, tangential): (&Vec<Vec3>, f64)| {
            let normal = end.iter().zip(&chord).map(|(x, c)| (*x - *c * tangential).length());
            normal.fold(0.0, f64::max)
        };
        second_derivatives.iter().zip(tangential).map(largest).fold(0.0, f64::max) * h * h / 8.0
    }

    /// The second derivative of the cubic (m/s^2) at the fraction `s`.
    fn second_derivative(&self, point: usize, stretch: SampleInterval, s: f64) -> Vec3 {
        let [here, there] = [0, 1].map(|next| self.positions[stretch.sample + next][point]);
        let [leaves, arrives] = self.tangents(point, stretch);
        let (before, after) = (leaves - (there - here), arrives - (there - here));
        let over_stretch = before * (6.0 * s - 4.0) + after * (6.0 * s - 2.0);
        over_stretch / (stretch.duration * stretch.duration)
    }

    /// The velocities at both samples times the duration (m).
    fn tangents(&self, point: usize, stretch: SampleInterval) -> [Vec3; 2] {
        [stretch.sample, stretch.sample + 1].map(|k| self.rate(point, k) * stretch.duration)
    }

    /// The velocity (m/s) at a sample.
    fn rate(&self, point: usize, sample: usize) -> Vec3 {
        let last = self.times.len() - 1;
        let at = |k: usize| (self.times[k], self.positions[k][point]);
        let [(from, a), (to, b)] = match (sample, self.after) {
            (0, AfterLast::Rest) => [at(0), at(1)],
            (k, AfterLast::Rest) if k == last => [at(last - 1), at(last)],
            (k, AfterLast::Repeat) if k == 0 || k == last => {
                let (before, x) = at(last - 1);
                [(before - self.period(), x), at(1)]
            }
            (k, _) => [at(k - 1), at(k + 1)],
        };
        (b - a) / (to - from)
    }

    /// Time from the first sample to the last (s).
    fn period(&self) -> f64 {
        self.times[self.times.len() - 1] - self.times[0]
    }

    /// The interval between two samples that contains `time` (s).
    fn stretch(&self, time: f64) -> SampleInterval {
        let first = self.times[0];
        let repeats = self.after == AfterLast::Repeat && self.period() > 0.0 && time > first;
        let time = if repeats { first + (time - first).rem_euclid(self.period()) } else { time };
        let past = self.times.partition_point(|&sample| sample <= time);
        if past == 0 || past == self.times.len() {
            return SampleInterval { sample: past.saturating_sub(1), fraction: 0.0, duration: 0.0 };
        }
        let duration = self.times[past] - self.times[past - 1];
        let fraction = (time - self.times[past - 1]) / duration;
        SampleInterval { sample: past - 1, fraction, duration }
    }

    /// The times of samples after `time`, ascending; none if nothing moves.
    fn times_after(&self, time: f64) -> impl Iterator<Item = f64> + '_ {
        let (first, period) = (self.times[0], self.period());
        let rounds = match self.after {
            AfterLast::Rest => 0..1,
            // One period less than computed, for rounding.
            AfterLast::Repeat => (((time - first) / period) as u64).saturating_sub(1)..u64::MAX,
        };
        let of_round = move |round: u64| {
            let begins = round as f64 * period;
            // The last sample of a round is the first of the next.
            self.times.iter().skip(usize::from(round > 0)).map(move |sample| sample + begins)
        };
        let all = rounds.flat_map(of_round).filter(move |&sample| sample > time);
        all.take(if self.moves { usize::MAX } else { 0 })
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

/// Replaces the last sample by the first, if they agree within the tolerance.
fn close(positions: &mut [Vec<Vec3>]) -> Result<(), SamplesError> {
    let [first, .., last] = positions else { return Ok(()) };
    let size = first.iter().map(|p| (*p - first[0]).length()).fold(0.0, f64::max);
    let off = first.iter().zip(&*last).map(|(a, b)| (*a - *b).length()).enumerate();
    let farthest = off.reduce(|a, b| if b.1 > a.1 { b } else { a });
    if let Some((point, off)) = farthest.filter(|(_, off)| *off > PERIODICITY_TOLERANCE * size) {
        return Err(SamplesError::NotClosed { point, off });
    }
    last.clone_from(first);
    Ok(())
}

#[cfg(test)]
mod tests;
