//! Quantities that depend on position and time: an expression times an interpolation over time.

use super::reader::Reader;
use super::unit::{Dimension, Units};
use crate::ron::{Ron, format_number, quoted};
use resile_expression::{Expression, Grammar};
use serde_json::Value;

/// Time (in the units of the file) at which static problems are evaluated.
const STATIC_TIME: f64 = 1.0;

/// A quantity in SI units as a function of position (m) and time (s).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Signal {
    expression: Expression,
    time_factor: TimeFactor,
    /// Factor that converts the value to SI units.
    factor: f64,
    /// Units of the variables of the expression.
    units: Units,
    /// Whether the problem is static, so that time is constant.
    is_static: bool,
}

impl Signal {
    /// Creates a quantity from an expression whose variables are in the `units` of the file, and whose value times
    /// `factor` is in SI units. `is_static` tells whether the problem is static.
    pub(super) fn new(expression: Expression, factor: f64, units: Units, is_static: bool) -> Self {
        Self { expression, time_factor: TimeFactor::Steady, factor, units, is_static }
    }

    /// Creates a quantity from an expression in SI units.
    pub(super) fn from_expression(expression: Expression) -> Self {
        Self::new(expression, 1.0, Units::default(), false)
    }

    /// The quantity that is zero everywhere.
    pub(super) fn zero() -> Self {
        Self::from_expression(Expression::constant(0.0))
    }

    /// Value at a position (m) and a time (s), in SI units.
    pub(super) fn at(&self, position: [f64; 3], time: f64) -> f64 {
        let length = self.units.si_value(Dimension::LENGTH);
        let time = match self.is_static {
            true => STATIC_TIME,
            false => time / self.units.si_value(Dimension::TIME),
        };
        self.factor
            * self.expression.at(position.map(|x| x / length), time)
            * self.time_factor.at(time)
    }

    /// The signal as an expression of position (m) and time (s); `None` for tables that are long or extend beyond
    /// their ends.
    pub(super) fn expression(&self) -> Option<Expression> {
        let variable_in =
            |unit: f64, variable: usize| Expression::variable(variable).times(1.0 / unit);
        let length = self.units.si_value(Dimension::LENGTH);
        let time = match self.is_static {
            true => Expression::constant(STATIC_TIME),
            false => variable_in(self.units.si_value(Dimension::TIME), 3),
        };
        let variables =
            [variable_in(length, 0), variable_in(length, 1), variable_in(length, 2), time.clone()];
        let time_factor = match self.time_factor.text()? {
            None => None,
            Some(time_factor) => {
                let of_time = Expression::parse(&time_factor, Grammar::Scene).ok()?;
                Some(of_time.with(&[time.clone(), time.clone(), time.clone(), time]))
            }
        };
        let formula = self.expression.with(&variables).times(self.factor);
        match time_factor {
            None => Some(formula),
            Some(time_factor) => {
                Expression::parse(&format!("({formula})*({time_factor})"), Grammar::Scene).ok()
            }
        }
    }

    /// Whether the value changes with position.
    pub(super) fn depends_on_position(&self) -> bool {
        self.expression.has_place()
    }

    /// Whether the value changes with time.
    pub(super) fn depends_on_time(&self) -> bool {
        !self.is_static && (self.expression.has_time() || self.time_factor != TimeFactor::Steady)
    }

    /// Constant value; `None` if it depends on position or time.
    pub(super) fn number(&self) -> Option<f64> {
        let steady = !self.expression.has_time() && self.time_factor == TimeFactor::Steady;
        (!self.depends_on_position() && (steady || self.is_static)).then(|| self.at([0.0; 3], 0.0))
    }
}

/// Components of a vector in a scene, each a number or an expression times `factor`, and times the expression `ramp` if
/// there is one; `None` if one cannot be expressed.
pub(super) fn formulas(signals: &[Signal], factor: f64, ramp: Option<&str>) -> Option<Ron> {
    let component = |signal: &Signal| {
        if let Some(value) = signal.number().filter(|value| ramp.is_none() || *value == 0.0) {
            return Some(format_number(value * factor + 0.0));
        }
        let expression = signal.expression()?.times(factor);
        let ramped = ramp.map(|ramp| format!("{ramp}*({expression})"));
        let Ron::Raw(quoted) = quoted(&ramped.unwrap_or_else(|| expression.to_string())) else {
            return None;
        };
        Some(quoted)
    };
    let components: Vec<String> = signals.iter().map(component).collect::<Option<_>>()?;
    Some(Ron::Raw(match &components[..] {
        [single_component] => single_component.clone(),
        all_components => format!("({})", all_components.join(", ")),
    }))
}

/// Extrapolation of a table beyond its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extrapolation {
    Constant,
    Extrapolate,
    Repeat,
    RepeatOffset,
}

/// A time-dependent factor. Times are in the units of the file.
#[derive(Debug, Clone, PartialEq)]
enum TimeFactor {
    Steady,
    Linear,
    Ramp { from: f64, to: f64 },
    Table { times: Vec<f64>, values: Vec<f64>, jumps: bool, extrapolation: Extrapolation },
}

/// Largest number of points of a table that is written as an expression.
const MAX_TABLE_POINTS: usize = 24;

impl TimeFactor {
    /// The factor as an expression of t: `Some(None)` for the constant 1, and `None` if the expression would be too
    /// long.
    fn text(&self) -> Option<Option<String>> {
        match self {
            Self::Steady => Some(None),
            Self::Linear => Some(Some("t".to_owned())),
            Self::Ramp { from, to } => {
                Some(Some(format!("if(t - ({to}), {to}, max(t - ({from}), 0))")))
            }
            Self::Table { times, values, jumps, extrapolation: Extrapolation::Constant }
                if times.len() <= MAX_TABLE_POINTS =>
            {
                let mut sum = values[0].to_string();
                for (time, value) in times.windows(2).zip(values.windows(2)) {
                    let ([from, to], rise) = ([time[0], time[1]], value[1] - value[0]);
                    sum += &match jumps {
                        true => format!(" + ({rise})*if(t - ({to}), 1, 0)"),
                        false => {
                            let slope = rise / (to - from);
                            format!(" + ({slope})*(min(max(t, {from}), {to}) - ({from}))")
                        }
                    };
                }
                Some(Some(sum))
            }
            Self::Table { .. } => None,
        }
    }

    /// Value at a time (in the units of the file): outside its range, a table is extended by its rule.
    fn at(&self, time: f64) -> f64 {
        match self {
            Self::Steady => 1.0,
            Self::Linear => time,
            Self::Ramp { to, .. } if time >= *to => *to,
            Self::Ramp { from, .. } => (time - from).max(0.0),
            Self::Table { times, values, jumps, extrapolation } => {
                let (first, last) = (times[0], times[times.len() - 1]);
                if (first..last).contains(&time) {
                    return interpolate(times, values, *jumps, time);
                }
                let (first_value, last_value) = (values[0], values[values.len() - 1]);
                let period = last - first;
                match extrapolation {
                    Extrapolation::Extrapolate if period > 0.0 => {
                        let last_index = times.len() - 1;
                        let (next, end) =
                            if time < first { (1, 0) } else { (last_index, last_index) };
                        let slope =
                            (values[next] - values[next - 1]) / (times[next] - times[next - 1]);
                        values[end] + slope * (time - times[end])
                    }
                    Extrapolation::Repeat | Extrapolation::RepeatOffset if period > 0.0 => {
                        let periods = ((time - first) / period).floor();
                        let offset = if *extrapolation == Extrapolation::Repeat {
                            0.0
                        } else {
                            periods * (last_value - first_value)
                        };
                        interpolate(times, values, *jumps, time - periods * period) + offset
                    }
                    _ => {
                        if time < first {
                            first_value
                        } else {
                            last_value
                        }
                    }
                }
            }
        }
    }
}

/// Value of a table at a time within its range: linear, or constant between points if it `jumps`.
fn interpolate(times: &[f64], values: &[f64], jumps: bool, time: f64) -> f64 {
    let next = times.partition_point(|t| *t <= time).clamp(1, times.len() - 1);
    let fraction = match jumps {
        true => 0.0,
        false => (time - times[next - 1]) / (times[next] - times[next - 1]),
    };
    values[next - 1] + fraction * (values[next] - values[next - 1])
}

/// Reads the `count` quantities of a condition at a path; refuses those that cannot be expressed.
pub(super) fn read(
    reader: &mut Reader<'_>,
    path: &str,
    (count, dimension): (usize, Dimension),
) -> Option<Vec<Signal>> {
    let value_path = format!("{path}/value");
    let items = match count {
        1 => vec![value_path.clone()],
        _ => reader.items(&value_path),
    };
    if items.len() != count {
        reader.refuse(&value_path, format!("there must be {count} components"));
        return None;
    }
    let times = read_numbers(reader, &format!("{path}/time_reference"))?;
    let mut signals = Vec::new();
    for (component, item) in items.iter().enumerate() {
        let time_factor = read_time_factor(reader, path, component)?;
        let signal = match times.is_empty() {
            true => reader.signal(item, dimension)?,
            false => read_list(reader, item, &times, dimension)?,
        };
        if time_factor != TimeFactor::Steady && signal.time_factor != TimeFactor::Steady {
            reader.refuse(path, "a list of times with an interpolation");
            return None;
        }
        signals.push(if time_factor == TimeFactor::Steady {
            signal
        } else {
            Signal { time_factor, ..signal }
        });
    }
    Some(signals)
}

/// Reads one value per reference time, with linear interpolation.
fn read_list(
    reader: &mut Reader<'_>,
    path: &str,
    times: &[f64],
    dimension: Dimension,
) -> Option<Signal> {
    let values = read_numbers(reader, path)?;
    if values.len() != times.len() || !times.is_sorted_by(|a, b| a < b) {
        let message = format!("there must be {} numbers, one for each ascending time", times.len());
        reader.refuse(path, message);
        return None;
    }
    let unit_value = Expression::constant(1.0);
    let factor = reader.units.si_value(dimension);
    let mut signal = Signal::new(unit_value, factor, reader.units, reader.is_static());
    signal.time_factor = TimeFactor::Table {
        times: times.to_vec(),
        values,
        jumps: false,
        extrapolation: Extrapolation::Constant,
    };
    Some(signal)
}

/// Reads a list of numbers; empty if it is missing.
fn read_numbers(reader: &mut Reader<'_>, path: &str) -> Option<Vec<f64>> {
    reader.items(path).iter().map(|item| reader.number(item)).collect()
}

/// Reads the interpolation over time of a component. The list has one item for all components, or one for each.
fn read_time_factor(reader: &mut Reader<'_>, path: &str, component: usize) -> Option<TimeFactor> {
    let items = reader.items(&format!("{path}/interpolation"));
    let item_path = match &items[..] {
        [] => return Some(TimeFactor::Steady),
        [common_item] => common_item.clone(),
        component_items => match component_items.get(component) {
            Some(own_item) => own_item.clone(),
            None => {
                reader.refuse(path, "there must be one interpolation, or one for each component");
                return None;
            }
        },
    };
    reader.allow_only(&item_path, &["type", "from", "to", "points", "values", "extend"]);
    match reader.text(&format!("{item_path}/type")).unwrap_or("none") {
        "none" => Some(TimeFactor::Steady),
        "linear" => Some(TimeFactor::Linear),
        "linear_ramp" => {
            let from = reader.number_or(&format!("{item_path}/from"), 0.0);
            Some(TimeFactor::Ramp { from, to: reader.number(&format!("{item_path}/to"))? })
        }
        kind @ ("piecewise_constant" | "piecewise_linear") => {
            read_table(reader, &item_path, kind == "piecewise_constant")
        }
        kind => {
            reader.refuse(&item_path, format!("the interpolation {kind} cannot be expressed"));
            None
        }
    }
}

/// Reads the times and values of a table at `path`. It is constant between its points if it `jumps`, and linear
/// otherwise.
fn read_table(reader: &mut Reader<'_>, path: &str, jumps: bool) -> Option<TimeFactor> {
    let times = read_numbers(reader, &format!("{path}/points"))?;
    let values = read_numbers(reader, &format!("{path}/values"))?;
    let extend = format!("{path}/extend");
    let extrapolation = match reader.get(&extend).and_then(Value::as_str).unwrap_or("constant") {
        "constant" => Some(Extrapolation::Constant),
        "extrapolate" => Some(Extrapolation::Extrapolate),
        "repeat" => Some(Extrapolation::Repeat),
        "repeat_offset" => Some(Extrapolation::RepeatOffset),
        _ => None,
    };
    let ascends = times.len() > 1 && times.is_sorted_by(|a, b| a < b);
    match extrapolation {
        Some(extrapolation) if ascends && values.len() == times.len() => {
            Some(TimeFactor::Table { times, values, jumps, extrapolation })
        }
        Some(_) => {
            reader.refuse(path, "there must be two or more ascending points, each with a value");
            None
        }
        None => {
            reader.refuse(&extend, "a table is constant beyond its ends, extrapolated or repeated");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_extrapolate_by_their_rule() {
        let time_factor = |jumps, extrapolation| TimeFactor::Table {
            times: vec![1.0, 2.0, 4.0],
            values: vec![0.0, 3.0, 1.0],
            jumps,
            extrapolation,
        };
        let linear = time_factor(false, Extrapolation::Constant);
        assert_eq!([0.0, 1.5, 3.0, 9.0].map(|t| linear.at(t)), [0.0, 1.5, 2.0, 1.0]);
        let steps = time_factor(true, Extrapolation::Constant);
        assert_eq!([1.9, 2.0, 3.9, 4.0].map(|t| steps.at(t)), [0.0, 3.0, 3.0, 1.0]);
        let on = time_factor(false, Extrapolation::Extrapolate);
        assert_eq!([0.0, 5.0].map(|t| on.at(t)), [-3.0, 0.0]);
        let again = time_factor(false, Extrapolation::Repeat);
        assert_eq!([4.5, 0.0, 8.0].map(|t| again.at(t)), [1.5, 2.0, 3.0]);
        let shifted = time_factor(false, Extrapolation::RepeatOffset);
        assert_eq!([4.5, 8.0].map(|t| shifted.at(t)), [2.5, 5.0]);
    }

    /// The text of a course has its values.
    #[test]
    fn courses_are_expressions() {
        let table = |jumps| TimeFactor::Table {
            times: vec![1.0, 2.0, 4.0],
            values: vec![0.5, 3.0, 1.0],
            jumps,
            extrapolation: Extrapolation::Constant,
        };
        let ramp = TimeFactor::Ramp { from: 0.5, to: 2.0 };
        for time_factor in [table(true), table(false), ramp, TimeFactor::Linear] {
            let text = time_factor.text().flatten().expect("it has a text");
            let expression = Expression::parse(&text, Grammar::Scene).expect("it is an expression");
            for time in [0.0, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0] {
                let off = expression.at([0.0; 3], time) - time_factor.at(time);
                assert!(off.abs() < 1e-14, "{text} at {time}");
            }
        }
    }

    #[test]
    fn a_signal_is_an_expression_in_the_units_of_a_scene() {
        let of = |text| Expression::parse(text, Grammar::TinyExpr).expect("it is an expression");
        // In millimetres and milliseconds; a sign binds tighter than a power.
        let units = Units::new(1e-3, 1.0, 1e-3);
        let signal = Signal {
            time_factor: TimeFactor::Linear,
            ..Signal::new(of("-x^2 + t"), 1e-3, units, false)
        };
        let written = signal.expression().expect("it can be expressed").to_string();
        let read = Expression::parse(&written, Grammar::Scene).expect("it is an expression");
        for (place, time) in [([0.002, 0.0, 0.0], 0.003), ([-0.1, 1.0, 2.0], 0.5)] {
            let (value, expected) = (read.at(place, time), signal.at(place, time));
            assert!((value - expected).abs() < 1e-12 * expected.abs(), "{written}");
        }
    }

    #[test]
    fn ramps_keep_the_elapsed_time() {
        let ramp = TimeFactor::Ramp { from: 0.5, to: 2.0 };
        assert_eq!([0.2, 1.0, 2.0, 3.0].map(|t| ramp.at(t)), [0.0, 0.5, 2.0, 2.0]);
        assert_eq!(TimeFactor::Linear.at(3.0), 3.0);
    }
}
