//! Conversion of functions of time to load factors of a scene: ramps, sines and tables.

use super::motion::Steps;
use crate::ron::{Field, Ron, format_number, rounded};
use std::f64::consts::TAU;

/// Tolerance of a factor compared with its function, relative to the largest value.
const FACTOR_TOLERANCE: f64 = 1e-9;
/// Tolerance of a sine compared with its function, relative to the largest value. It is larger because the parameters
/// of the sine are rounded.
const SINE_TOLERANCE: f64 = 1e2 * FACTOR_TOLERANCE;
/// Relative precision to which values of a factor are rounded.
const VALUE_PRECISION: f64 = 1e-13;
/// Precision to which times are rounded, relative to the step.
const TIME_PRECISION: f64 = 1e-12;
/// Smallest `ratio` of a sine (see [`sine`]); for smaller ones rounding dominates the second differences.
const MIN_RATIO: f64 = 1e-12;
/// Largest number of points of a table.
const MAX_TABLE_POINTS: usize = 2000;

/// A load over time: its peak value times a factor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scaled {
    /// Value of the function with the largest magnitude.
    pub(super) peak: f64,
    /// Factor; `None` for a constant.
    pub(super) factor: Option<Factor>,
}

/// A load factor of a scene.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Factor {
    /// Rises linearly from 0 at `start` to 1 at `end` (s).
    Ramp { start: f64, end: f64 },
    /// `offset + amplitude sin(2 pi frequency t + phase)` with the frequency in Hz and the phase in degrees.
    Sine { frequency: f64, amplitude: f64, phase: f64, offset: f64 },
    /// Piecewise linear through points of time (s) and value. It is exact at the ends of steps, and also between them
    /// unless it is `sampled`.
    Table { points: Vec<[f64; 2]>, sampled: bool },
}

impl Factor {
    /// The factor in scene syntax, without fields that have their defaults.
    pub(super) fn ron(&self) -> Ron {
        let fields = |named: &[(&'static str, f64, f64)]| {
            let non_default = named.iter().filter(|(_, value, default)| value != default);
            non_default.map(|(name, value, _)| Field::new(name, *value)).collect()
        };
        match self {
            Self::Ramp { start, end } => {
                Ron::Struct("Ramp", fields(&[("start", *start, 0.0), ("end", *end, f64::NAN)]))
            }
            Self::Sine { frequency, amplitude, phase, offset } => {
                let named = [
                    ("frequency", *frequency, f64::NAN),
                    ("amplitude", *amplitude, 1.0),
                    ("phase", *phase, 0.0),
                    ("offset", *offset, 0.0),
                ];
                Ron::Struct("Sine", fields(&named))
            }
            Self::Table { points, .. } => {
                let pair = |[time, value]: &[f64; 2]| {
                    Ron::Raw(format!("({}, {})", format_number(*time), format_number(*value)))
                };
                let points = points.iter().map(pair).collect::<Vec<_>>();
                Ron::Struct("Table", vec![Field::new("points", points)])
            }
        }
    }
}

/// Fits a load factor to a function of time (s), by its values at the ends and in the middle of all steps: a constant,
/// ramp, sine or table. `None` if its table would be too long.
pub(super) fn fit(function: &dyn Fn(f64) -> f64, steps: Steps) -> Option<Scaled> {
    let time = |index: u64| rounded(index as f64 * steps.length, TIME_PRECISION * steps.length);
    let samples: Vec<[f64; 2]> =
        (0..=steps.count).map(time).map(|time| [time, function(time)]).collect();
    let largest = samples
        .iter()
        .map(|[_, value]| *value)
        .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    let peak = rounded(largest, VALUE_PRECISION * largest.abs());
    if samples.iter().all(|[_, value]| (value - peak).abs() <= FACTOR_TOLERANCE * peak.abs()) {
        return Some(Scaled { peak, factor: None });
    }
    let points: Vec<[f64; 2]> = samples
        .iter()
        .map(|[time, value]| [*time, rounded(value / peak, VALUE_PRECISION)])
        .collect();
    let midpoints: Vec<[f64; 2]> = points
        .iter()
        .zip(&points[1..])
        .map(|([start, _], [end, _])| 0.5 * (start + end))
        .map(|time| [time, function(time) / peak])
        .collect();
    let factor = fit_shape(&points, &midpoints);
    match &factor {
        Factor::Table { points, .. } if points.len() > MAX_TABLE_POINTS => None,
        _ => Some(Scaled { peak, factor: Some(factor) }),
    }
}

/// Simplest factor through `points` (time and value) at the ends of steps: a ramp or table if it also agrees with the
/// `midpoints` of steps, else a sine if that does, else a sampled table.
fn fit_shape(points: &[[f64; 2]], midpoints: &[[f64; 2]]) -> Factor {
    let breakpoints = breakpoints(points);
    let is_exact = midpoints
        .iter()
        .all(|[time, value]| (interpolate(&breakpoints, *time) - value).abs() <= FACTOR_TOLERANCE);
    if is_exact {
        return ramp(&breakpoints).unwrap_or(Factor::Table { points: breakpoints, sampled: false });
    }
    let all_samples = [points, midpoints].concat();
    sine(points, &all_samples).unwrap_or(Factor::Table { points: breakpoints, sampled: true })
}

/// The points (time and value) without those on a straight line between their neighbours, and without a constant end.
fn breakpoints(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut breakpoints: Vec<[f64; 2]> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let [time, value] = *point;
        let neighbours = breakpoints.last().zip(points.get(index + 1));
        let is_collinear = neighbours.is_some_and(|(previous, next)| {
            (interpolate(&[*previous, *next], time) - value).abs() <= FACTOR_TOLERANCE
        });
        if !is_collinear {
            breakpoints.push(*point);
        }
    }
    while let [.., [_, previous_value], [_, last_value]] = &breakpoints[..]
        && breakpoints.len() > 2
        && (previous_value - last_value).abs() <= FACTOR_TOLERANCE
    {
        breakpoints.pop();
    }
    breakpoints
}

/// Value at a time (s) of a table of points (time and value), constant beyond its ends.
fn interpolate(points: &[[f64; 2]], time: f64) -> f64 {
    match points.partition_point(|[point_time, _]| *point_time <= time) {
        0 => points[0][1],
        next if next == points.len() => points[next - 1][1],
        next => {
            let ([start, start_value], [end, end_value]) = (points[next - 1], points[next]);
            start_value + (time - start) / (end - start) * (end_value - start_value)
        }
    }
}

/// Converts a table of breakpoints that rises once from 0 to 1 to a ramp; `None` for other tables.
fn ramp(points: &[[f64; 2]]) -> Option<Factor> {
    match *points {
        [[start, 0.0], [end, 1.0]] => Some(Factor::Ramp { start, end }),
        [[_, 0.0], [start, 0.0], [end, 1.0]] => Some(Factor::Ramp { start, end }),
        _ => None,
    }
}

/// Fits `offset + amplitude sin(2 pi frequency t + phase)` to equidistant samples (time and value), and rounds its
/// parameters. `None` if it does not agree with `all_samples`.
///
/// Second differences of such a function are `-ratio` times its deviation from the offset, with
/// `ratio = 2 (1 - cos(w h))`, the angular frequency `w` and the distance `h` of the samples.
fn sine(samples: &[[f64; 2]], all_samples: &[[f64; 2]]) -> Option<Factor> {
    let [first_time, second_time] = [samples.first()?, samples.get(1)?].map(|[time, _]| *time);
    let values: Vec<f64> = samples.iter().map(|[_, value]| *value).collect();
    let value_and_second_difference: Vec<[f64; 2]> =
        values.windows(3).map(|v| [v[1], v[0] - 2.0 * v[1] + v[2]]).collect();
    let by_value = |[a, _]: &&[f64; 2], [b, _]: &&[f64; 2]| a.total_cmp(b);
    let [min_value, difference_at_min] = *value_and_second_difference.iter().min_by(by_value)?;
    let [max_value, difference_at_max] = *value_and_second_difference.iter().max_by(by_value)?;
    let ratio = (difference_at_min - difference_at_max) / (max_value - min_value);
    if !(MIN_RATIO..4.0).contains(&ratio) {
        return None;
    }
    let offset = min_value + difference_at_min / ratio;
    let angular_frequency = libm::acos(1.0 - 0.5 * ratio) / (second_time - first_time);
    let [sine_part, cosine_part] = fit_harmonic(samples, offset, angular_frequency);
    let round = |value: f64| rounded(value, 1e-9 * value.abs().max(1e-3));
    let frequency = round(angular_frequency / TAU);
    let (amplitude, offset) = (round(libm::hypot(sine_part, cosine_part)), round(offset));
    let phase = round(libm::atan2(cosine_part, sine_part).to_degrees());
    let fitted_value =
        |time: f64| offset + amplitude * libm::sin(TAU * frequency * time + phase.to_radians());
    let is_within_tolerance = all_samples
        .iter()
        .all(|[time, value]| (fitted_value(*time) - value).abs() <= SINE_TOLERANCE);
    is_within_tolerance.then_some(Factor::Sine { frequency, amplitude, phase, offset })
}

/// Coefficients `[s, c]` of `offset + s sin(w t) + c cos(w t)` with the angular frequency `w` (rad/s), fitted to
/// samples (time and value) by least squares.
fn fit_harmonic(samples: &[[f64; 2]], offset: f64, angular_frequency: f64) -> [f64; 2] {
    let mut sums = [0.0; 5];
    for [time, value] in samples {
        let (s, c, v) = (
            libm::sin(angular_frequency * time),
            libm::cos(angular_frequency * time),
            value - offset,
        );
        for (sum, term) in sums.iter_mut().zip([s * s, s * c, c * c, s * v, c * v]) {
            *sum += term;
        }
    }
    let [ss, sc, cc, sv, cv] = sums;
    let determinant = ss * cc - sc * sc;
    [(sv * cc - cv * sc) / determinant, (cv * ss - sv * sc) / determinant]
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_expression::{Expression, Grammar};

    const STEPS: Steps = Steps { length: 0.1, count: 40 };

    fn factor(text: &str) -> Scaled {
        let expression = Expression::parse(text, Grammar::TinyExpr).unwrap();
        fit(&|time| expression.at([0.0; 3], time), STEPS).unwrap()
    }

    #[test]
    fn single_rise_becomes_a_ramp() {
        assert_eq!(factor("-7"), Scaled { peak: -7.0, factor: None });
        assert_eq!(factor("0").factor, None);
        let ramp = |start, end| Some(Factor::Ramp { start, end });
        assert_eq!(factor("-3*t"), Scaled { peak: -12.0, factor: ramp(0.0, 4.0) });
        assert_eq!(factor("5*min(t,1)"), Scaled { peak: 5.0, factor: ramp(0.0, 1.0) });
        assert_eq!(factor("max(0,min(t-1,2))").factor, ramp(1.0, 3.0));
    }

    #[test]
    fn piecewise_linear_function_becomes_a_short_table() {
        let Some(Factor::Table { points, sampled: false }) = factor("2*min(t,2-t)").factor else {
            panic!()
        };
        // The function falls to -4 at the end, where its magnitude is largest.
        assert_eq!(points, [[0.0, 0.0], [1.0, -0.5], [4.0, 1.0]]);
    }

    #[test]
    fn sines_are_recognised_with_phase_and_offset() {
        let Some(Factor::Sine { frequency, amplitude, phase, offset }) =
            factor("3+2*sin(2*pi*0.5*t+pi/6)").factor
        else {
            panic!("{:?}", factor("3+2*sin(2*pi*0.5*t+pi/6)"))
        };
        let peak = factor("3+2*sin(2*pi*0.5*t+pi/6)").peak;
        assert!((frequency - 0.5).abs() < 1e-9 && (phase - 30.0).abs() < 1e-6);
        assert!((amplitude * peak - 2.0).abs() < 1e-7 && (offset * peak - 3.0).abs() < 1e-7);
    }

    #[test]
    fn other_functions_are_sampled_at_the_ends_of_steps() {
        let scaled = factor("t^2");
        let Some(Factor::Table { points, sampled: true }) = scaled.factor else { panic!() };
        assert_eq!((scaled.peak, points.len()), (16.0, 41));
        assert!(points.iter().all(|[t, value]| (value * 16.0 - t * t).abs() < 1e-11));
        // A sine with more than one period per step is not a sine at the ends of steps.
        let fast = factor("sin(2*pi*12*t)");
        assert!(matches!(fast.factor, Some(Factor::Table { sampled: true, .. })), "{fast:?}");
    }
}
