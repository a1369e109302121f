//! Factors of loads as functions of time.

use crate::schedule::{Schedule, ScheduleError};
use resile_expression::Expression;
use std::f64::consts::TAU;

/// Nodes and weights of the three-point Gauss-Legendre rule on [0, 1], exact for polynomials of degree five.
const GAUSS_RULE: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// The factor between its switches, as a function of time.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// One.
    Constant,
    /// Linear between points (s, factor), constant before the first and after the last.
    Table(Vec<(f64, f64)>),
    /// `offset + amplitude sin(2 pi frequency t + phase)`.
    Sine(Sine),
    /// An expression that depends on time t only.
    Expression(Expression),
}

/// `offset + amplitude sin(2 pi frequency t + phase)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sine {
    /// Frequency (Hz).
    pub frequency: f64,
    /// Amplitude.
    pub amplitude: f64,
    /// Phase at time zero (rad).
    pub phase: f64,
    /// Mean.
    pub offset: f64,
}

impl Sine {
    /// The argument (rad) of the sine at `time` (s).
    fn angle(&self, time: f64) -> f64 {
        // Whole periods are removed, so that only the rounding of the time contributes to the error.
        TAU * (self.frequency * time).fract() + self.phase
    }

    fn at(&self, time: f64) -> f64 {
        self.offset + self.amplitude * resile_math::elementary::sin_cos(self.angle(time)).0
    }

    fn rate(&self, time: f64) -> f64 {
        TAU * self.frequency * self.amplitude * resile_math::elementary::sin_cos(self.angle(time)).1
    }
}

/// The factor s(t) of a load: a [`Schedule`] of switches times a function that has no jumps.
///
/// A potential `P(x, t) = s(t) q(x)` gains the work `integral of q(x) ds` while nodes move:
/// the jump at switches, and the three-point Gauss-Legendre rule on the smooth intervals between them. Jumps and kinks
/// of an expression are not integrated exactly; the missing change of s is added at the middle of the interval. The
/// work on nodes at rest is therefore exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    switches: Schedule<f64>,
    shape: Shape,
}

impl From<Schedule<f64>> for Factor {
    fn from(switches: Schedule<f64>) -> Self {
        Self { switches, shape: Shape::Constant }
    }
}

impl Factor {
    /// The schedule times a function that is linear between `points` (s, factor), and constant outside.
    ///
    /// # Errors
    /// If a time or a factor is not finite, or times do not ascend.
    pub fn table(switches: Schedule<f64>, points: Vec<(f64, f64)>) -> Result<Self, ScheduleError> {
        Schedule::changing(0.0, points.clone())?;
        let invalid = points.iter().enumerate().find(|(_, (_, factor))| !factor.is_finite());
        if let Some((point, &(time, factor))) = invalid {
            return Err(ScheduleError::FactorNotFinite { point, time, factor });
        }
        let shape = if points.is_empty() { Shape::Constant } else { Shape::Table(points) };
        Ok(Self { switches, shape })
    }

    /// The schedule times a sine.
    pub fn sine(switches: Schedule<f64>, sine: Sine) -> Self {
        Self { switches, shape: Shape::Sine(sine) }
    }

    /// The schedule times an expression of t (s).
    pub fn expression(switches: Schedule<f64>, expression: Expression) -> Self {
        Self { switches, shape: Shape::Expression(expression) }
    }

    /// Whether the factor is constant in time.
    pub fn is_constant(&self) -> bool {
        self.shape == Shape::Constant && self.switches.next_change(f64::NEG_INFINITY).is_infinite()
    }

    /// The factor at `time` (s); at the time of a switch, the new one.
    pub fn at(&self, time: f64) -> f64 {
        self.switches.at(time) * self.shape.at(time)
    }

    /// The first time (s) after `time` at which the factor jumps or has a kink; infinite if there is none.
    pub fn next_change(&self, time: f64) -> f64 {
        self.switches.next_change(time).min(self.shape.next_kink(time))
    }

    /// `integral of q ds` (J) over `(times[0], times[1]]`, where `potential(fraction, s)` is `s q` at this fraction of
    /// the path through the step: the sum over switches, and a Gauss rule for each interval without a jump or kink.
    pub(crate) fn work(&self, times: [f64; 2], potential: impl Fn(f64, f64) -> f64) -> f64 {
        let [from, to] = times;
        let fraction = |time: f64| (time - from) / (to - from);
        let switch_work = self.switches.work(times, |fraction, switch| {
            potential(fraction, switch * self.shape.at(from + fraction * (to - from)))
        });
        if self.shape == Shape::Constant {
            return switch_work;
        }
        let (mut start, mut work) = (from, switch_work);
        while start < to {
            let end = self.next_change(start).min(to);
            let switch = self.switches.at(start);
            // Change of the factor according to the quadrature of its rate.
            let mut integrated_change = 0.0;
            for (abscissa, weight) in GAUSS_RULE {
                let time = start + abscissa * (end - start);
                let (duration, rate) = (weight * (end - start), switch * self.shape.rate(time));
                work += duration * potential(fraction(time), rate);
                integrated_change += duration * rate;
            }
            if let Shape::Expression(_) = self.shape {
                let change = switch * (self.shape.at(end) - self.shape.at(start));
                work += potential(fraction(0.5 * (start + end)), change - integrated_change);
            }
            start = end;
        }
        work
    }
}

impl Shape {
    /// The factor at `time` (s).
    fn at(&self, time: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Sine(sine) => sine.at(time),
            Self::Expression(expression) => expression.at([0.0; 3], time),
            Self::Table(points) => match segment(points, time) {
                Segment::Outside(factor) => factor,
                Segment::Between((t0, f0), (t1, f1)) => f0 + (f1 - f0) * ((time - t0) / (t1 - t0)),
            },
        }
    }

    /// Derivative with respect to time (1/s).
    fn rate(&self, time: f64) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Sine(sine) => sine.rate(time),
            Self::Expression(expression) => expression.rate([0.0; 3], time),
            Self::Table(points) => match segment(points, time) {
                Segment::Outside(_) => 0.0,
                Segment::Between((t0, f0), (t1, f1)) => (f1 - f0) / (t1 - t0),
            },
        }
    }

    /// The first time (s) after `time` at which a table has a kink; infinite if there is none.
    fn next_kink(&self, time: f64) -> f64 {
        match self {
            Self::Constant | Self::Sine(_) | Self::Expression(_) => f64::INFINITY,
            Self::Table(points) => {
                let later = points.iter().map(|(kink, _)| *kink).find(|kink| *kink > time);
                later.unwrap_or(f64::INFINITY)
            }
        }
    }
}

/// The segment of a table that contains a time.
enum Segment {
    /// The time is outside the table, where the factor has this constant value.
    Outside(f64),
    /// The time is between these points (s, factor).
    Between((f64, f64), (f64, f64)),
}

/// The segment of the table `points` (s, factor) at `time` (s).
fn segment(points: &[(f64, f64)], time: f64) -> Segment {
    let next_index = points.partition_point(|(t, _)| *t <= time);
    match (next_index, points.get(next_index)) {
        (0, _) => Segment::Outside(points[0].1),
        (_, None) => Segment::Outside(points[next_index - 1].1),
        (_, Some(&next)) => Segment::Between(points[next_index - 1], next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn always() -> Schedule<f64> {
        Schedule::constant(1.0)
    }

    fn sine() -> Factor {
        let sine = Sine { frequency: 0.7, amplitude: 2.0, phase: 0.3, offset: 0.5 };
        Factor::sine(always(), sine)
    }

    fn expression(text: &str) -> Factor {
        let parsed = Expression::parse(text, resile_expression::Grammar::Scene);
        Factor::expression(always(), parsed.expect("it is an expression"))
    }

    #[test]
    fn an_expression_is_the_sine_that_it_describes() {
        let same = expression("0.5 + 2*sin(2*pi*0.7*t + 0.3)");
        for time in [0.0, 0.3, 1.7] {
            assert!((same.at(time) - sine().at(time)).abs() < 1e-14);
        }
        let work = |factor: &Factor| factor.work([0.2, 0.3], |f, s| s * (1.0 + f * f));
        assert!((work(&same) - work(&sine())).abs() < 1e-9);
    }

    /// Jumps and kinks within a step are booked in full.
    #[test]
    fn the_work_of_a_jump_on_nodes_at_rest_is_the_change_of_the_potential() {
        for text in ["if(t - 0.55, 3, 1)", "abs(t - 0.52)", "floor(7*t)", "max(t, 0.53)^2"] {
            let factor = expression(text);
            let work = factor.work([0.5, 0.6], |_, s| 7.0 * s);
            let change = 7.0 * (factor.at(0.6) - factor.at(0.5));
            assert!((work - change).abs() < 1e-14, "{text}: {work} J, not {change} J");
        }
    }

    fn ramp() -> Factor {
        Factor::table(always(), vec![(1.0, 0.0), (2.0, 3.0), (2.5, 1.0)]).expect("ascending")
    }

    #[test]
    fn a_table_is_linear_between_its_points_and_constant_outside() {
        let factors = [0.0, 1.0, 1.5, 2.0, 2.25, 2.5, 9.0].map(|t| ramp().at(t));
        assert_eq!(factors, [0.0, 0.0, 1.5, 3.0, 2.0, 1.0, 1.0]);
        let next = [0.0, 1.0, 2.25, 2.5].map(|t| ramp().next_change(t));
        assert_eq!(next, [1.0, 2.0, 2.5, f64::INFINITY]);
    }

    #[test]
    fn table_refuses_times_and_factors_that_are_not_finite() {
        let table = |point| Factor::table(always(), vec![(0.0, 1.0), point]);
        let late = table((f64::INFINITY, 2.0)).expect_err("the time is infinite");
        assert_eq!(late, ScheduleError::NotFinite { change: 1, time: f64::INFINITY });
        let large = table((2.0, f64::INFINITY)).expect_err("the factor is infinite");
        let factor = f64::INFINITY;
        assert_eq!(large, ScheduleError::FactorNotFinite { point: 1, time: 2.0, factor });
    }

    /// Largest error of the work of a sine in one step of `h` (s), for a potential of one joule: Gauss's rule of three
    /// points has the error `h^7 (3!)^4 / (7 (6!)^3) max |d^6 rate / dt^6|`.
    fn quadrature_error(factor: &Factor, h: f64) -> f64 {
        match factor.shape {
            Shape::Sine(sine) => 4.963e-7 * (TAU * sine.frequency * h).powi(7) * sine.amplitude,
            _ => 0.0,
        }
    }

    /// For a potential that does not depend on the path the work is its change.
    #[test]
    fn the_work_on_nodes_at_rest_is_the_change_of_the_potential() {
        let window = Schedule::window(0.5, 2.2).expect("a window");
        let switched = Factor::table(window, vec![(0.0, 1.0), (3.0, 4.0)]).expect("ascending");
        for factor in [ramp(), sine(), switched] {
            for [from, to] in [[0.0, 3.0], [0.4, 0.6], [1.9, 2.3], [2.0, 2.1]] {
                let steps = 40;
                let time = |k: i32| from + (to - from) * f64::from(k) / f64::from(steps);
                let one = |k: i32| factor.work([time(k), time(k + 1)], |_, s| 7.0 * s);
                let work: f64 = (0..steps).map(one).sum();
                let change = 7.0 * (factor.at(to) - factor.at(from));
                let steps_error =
                    f64::from(steps) * quadrature_error(&factor, (to - from) / f64::from(steps));
                assert!(
                    (work - change).abs() < 1e-12 + 7.0 * steps_error,
                    "{factor:?}, {from} to {to} s: {work} J, not {change} J"
                );
            }
        }
    }

    /// `integral of q ds` with `q = 1 + t` against a fine sum.
    #[test]
    fn the_work_along_a_path_is_the_integral() {
        for factor in [ramp(), sine()] {
            let [from, to] = [0.3, 2.8];
            let q = |fraction: f64| 1.0 + from + fraction * (to - from);
            let parts = 200_000;
            let middle = |k: i32| {
                let [a, b] =
                    [k, k + 1].map(|k| from + (to - from) * f64::from(k) / f64::from(parts));
                q((0.5 * (a + b) - from) / (to - from)) * (factor.at(b) - factor.at(a))
            };
            let exact: f64 = (0..parts).map(middle).sum();
            let steps = 50;
            let time = |k: i32| from + (to - from) * f64::from(k) / f64::from(steps);
            let one = |k: i32| {
                let [a, b] = [time(k), time(k + 1)];
                factor.work([a, b], |f, s| s * (1.0 + a + f * (b - a)))
            };
            let work: f64 = (0..steps).map(one).sum();
            assert!((work - exact).abs() < 1e-8, "{work} J, not {exact} J");
        }
    }
}
