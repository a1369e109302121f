//! Quantities that depend on position and time: an expression times an interpolation over time.

use super::reader::Reader;
use super::time_factor::{self, Extrapolation, Table, TimeFactor, read_numbers};
use super::unit::{Dimension, Units};
use crate::ron::{Ron, format_number, quoted};
use resile_expression::{Expression, Grammar};

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
        let time_factor = time_factor::read(reader, path, component)?;
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
    signal.time_factor = TimeFactor::Table(Table {
        times: times.to_vec(),
        values,
        jumps: false,
        extrapolation: Extrapolation::Constant,
    });
    Some(signal)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
