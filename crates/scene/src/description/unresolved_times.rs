//! Warnings of loads and motions that begin and end within a time step.
//!
//! Methods evaluate loads and prescribed motions at the times of their stages. What begins and ends between two of them
//! has no effect, and what contains one acts for a whole step. Adaptive steps end at these times, if they are farther
//! apart than the shortest step.

use super::number_walk::{Visited, walk};
use super::problem::Checker;
use super::{Analysis, Joint, Key, MotionDescription, Obstacle, Scene, Term, TimeFunction};

/// Relative rounding error of a duration: one of exactly a step is resolved.
const ROUNDING: f64 = 1e-9;
/// Smallest change within a step, relative to the range of all values, with a warning. The peaks of a sine with six
/// samples a period or more are smaller: `(1 - cos(pi/6))/2 = 0.07`.
const MIN_CHANGE: f64 = 0.1;
/// Steps in which a load is resolved to a tenth: its edges are displaced by at most a step.
const RESOLVED: f64 = 10.0;

/// The steps of a run.
#[derive(Debug, Clone, Copy)]
struct Steps {
    /// Length (s) of a step, of the shortest if they are adaptive.
    h: f64,
    /// End (s) of the run.
    end: f64,
}

impl Scene {
    /// Warns of windows, and of changes there and back, that are shorter than a time step. The time of the arc-length
    /// method is that of the path.
    pub(super) fn warn_unresolved_times(&self, c: &mut Checker) {
        if matches!(self.analysis, Analysis::ArcLength { .. }) {
            return;
        }
        let adaptive = self.time.adaptive_stepping();
        let h = adaptive.map_or(self.time.step.seconds(), |adaptive| adaptive.shortest);
        let steps = Steps { h, end: self.time.duration };
        for (i, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{i}]");
            for (k, term) in body.terms.iter().enumerate() {
                steps.warn_term(c, &format!("{path}.terms[{k}]"), term);
            }
            for (k, hold) in body.hold.iter().enumerate() {
                let path = format!("{path}.hold[{k}]");
                if let Some(until) = hold.until {
                    steps.warn_window(c, &format!("{path}.until"), "the hold", [0.0, until]);
                }
            }
        }
        for (k, pair) in self.gravity_changes.windows(2).enumerate() {
            let path = format!("gravity_changes[{k}].start");
            steps.warn_window(c, &path, "this gravity", [pair[0].start, pair[1].start]);
        }
        for (path, motion) in self.motions() {
            steps.warn_motion(c, &path, motion);
        }
        self.warn_unresolved_sines(c, h);
    }

    /// All prescribed motions, with their paths.
    fn motions(&self) -> Vec<(String, &MotionDescription)> {
        let of_bodies = self.bodies.iter().enumerate().flat_map(|(i, body)| {
            let holds = body.hold.iter().map(|hold| Some(&hold.motion)).enumerate();
            let holds =
                holds.map(move |(k, motion)| (format!("bodies[{i}].hold[{k}].motion"), motion));
            let springs = body.attach.iter().map(|springs| springs.motion.as_ref()).enumerate();
            let springs =
                springs.map(move |(k, motion)| (format!("bodies[{i}].attach[{k}].motion"), motion));
            holds.chain(springs)
        });
        let of_joints = self.joints.iter().map(Joint::motion).enumerate();
        let of_joints = of_joints.map(|(k, motion)| (format!("joints[{k}].motion"), motion));
        let of_obstacles = self.obstacles.iter().map(Obstacle::motion).enumerate();
        let of_obstacles =
            of_obstacles.map(|(k, motion)| (format!("obstacles[{k}].motion"), motion));
        let all = of_bodies.chain(of_joints).chain(of_obstacles);
        all.filter_map(|(path, motion)| Some((path, motion?))).collect()
    }

    /// Warns of sines with less than two steps of `h` (s) a period, whose samples are those of a slower one.
    fn warn_unresolved_sines(&self, c: &mut Checker, h: f64) {
        walk(self, &mut |quantity, path, visited| {
            if let Visited::Number { value, .. } = visited
                && quantity.label == "frequency (Hz)"
                && 2.0 * value.abs() * h > 1.0 + ROUNDING
            {
                let message = format!(
                    "a period of {:.3e} s is shorter than two steps of {h:.6} s: its samples are those of a slower sine",
                    1.0 / value.abs()
                );
                c.warn_steps(&path.to_string(), message, shorter_step(1.0 / value.abs()));
            }
        });
    }
}

impl Steps {
    /// Warns of a term whose window or factor is shorter than a step.
    fn warn_term(self, c: &mut Checker, path: &str, term: &Term) {
        let (window, factor) = match term {
            Term::Force { start, end, factor, .. }
            | Term::BodyForce { start, end, factor, .. }
            | Term::Traction { start, end, factor, .. }
            | Term::SurfacePressure { start, end, factor, .. }
            | Term::Hydrostatic { start, end, factor, .. }
            | Term::Torque { start, end, factor, .. }
            | Term::Pressure { start, end, factor, .. } => (end.map(|end| [*start, end]), factor),
            Term::Gas { factor, .. } => (None, factor),
            _ => return,
        };
        if let Some(window) = window {
            self.warn_window(c, &format!("{path}.end"), "the load", window);
        }
        if let Some(TimeFunction::Table { points }) = factor {
            let times: Vec<f64> = points.iter().map(|[time, _]| *time).collect();
            let factors: Vec<f64> = points.iter().map(|[_, factor]| *factor).collect();
            let at = |k: usize| format!("{path}.factor.points[{k}]");
            self.warn_peak(c, at, "the factor", &times, &[factors]);
        }
    }

    /// Warns of a motion between keys that goes there and back within a step.
    fn warn_motion(self, c: &mut Checker, path: &str, motion: &MotionDescription) {
        let MotionDescription::Keys { keys, .. } = motion else { return };
        let times: Vec<f64> = keys.iter().map(|key| key.time).collect();
        let channels = |value: &dyn Fn(&Key) -> [f64; 3]| {
            [0, 1, 2].map(|axis| keys.iter().map(|key| value(key)[axis]).collect::<Vec<f64>>())
        };
        let angle = |key: &Key| {
            key.rotate.map_or([0.0; 3], |rotation| {
                let length = rotation.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
                rotation.axis.map(|x| x / length * rotation.degrees)
            })
        };
        let at = |k: usize| format!("{path}.keys[{k}].time");
        if !self.warn_peak(c, at, "the translation", &times, &channels(&|key| key.translate)) {
            self.warn_peak(c, at, "the rotation", &times, &channels(&angle));
        }
    }

    /// Warns of something that acts only in a window (s), if that is shorter than a step.
    fn warn_window(self, c: &mut Checker, path: &str, what: &str, [start, end]: [f64; 2]) {
        let duration = end - start.max(0.0);
        if start >= self.end || duration <= 0.0 || duration >= self.h * (1.0 - ROUNDING) {
            return;
        }
        let message = format!(
            "{what} acts for {} s within a step of {:.6} s: it may be lost, act several times as long, or be reversed",
            short(duration),
            self.h
        );
        c.warn_steps(path, message, shorter_step(duration));
    }

    /// Warns of the first peak or trough of channels over `times` (s) that is left within a step, at the field `at` of
    /// its point. Returns whether there is one.
    fn warn_peak(
        self,
        c: &mut Checker,
        at: impl Fn(usize) -> String,
        what: &str,
        times: &[f64],
        channels: &[Vec<f64>],
    ) -> bool {
        let range = channels.iter().map(|values| range(values)).fold(0.0, f64::max);
        let peaks = channels.iter().filter_map(|values| self.first_peak(times, values, range));
        let Some((k, duration)) = peaks.min_by_key(|(k, _)| *k) else { return false };
        let message = format!(
            "{what} changes and returns in {} s, within a step of {:.6} s: it may be lost, or act several times as long",
            short(duration),
            self.h
        );
        c.warn_steps(&at(k), message, shorter_step(duration));
        true
    }

    /// The index of the first point from which the values differ by a part of `range` on both sides within a step, and
    /// the time between these sides (s).
    fn first_peak(self, times: &[f64], values: &[f64], range: f64) -> Option<(usize, f64)> {
        let is_lower =
            |sign: f64, from: f64, value: f64| sign * (from - value) >= MIN_CHANGE * range;
        let duration = |k: usize, sign: f64| {
            let is_near = |i: &usize| (times[*i] - times[k]).abs() < self.h;
            let is_left = |i: &usize| is_lower(sign, values[k], values[*i]);
            let before = (0..k).rev().take_while(is_near).find(is_left)?;
            let after = (k + 1..times.len()).take_while(is_near).find(is_left)?;
            let is_in_run = times[after] > 0.0 && times[before] < self.end;
            let duration = times[after] - times[before];
            (is_in_run && duration < self.h * (1.0 - ROUNDING)).then_some(duration)
        };
        let found = |k: usize| {
            let duration = duration(k, 1.0).or_else(|| duration(k, -1.0))?;
            Some((k, duration))
        };
        if range > 0.0 { (0..times.len()).find_map(found) } else { None }
    }
}

/// The largest value less the smallest.
fn range(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest - values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A duration (s) without the rounding of a difference.
fn short(duration: f64) -> f32 {
    duration as f32
}

/// The remedy for something that lasts for `duration` (s).
fn shorter_step(duration: f64) -> String {
    format!(
        "a `time.step`, or `shortest` of `time.adaptive`, of {:.1e} s resolves it; or let it last longer",
        duration / RESOLVED
    )
}
