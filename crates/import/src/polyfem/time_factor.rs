//! Factors of quantities that depend on time: ramps and tables.

use super::reader::Reader;
use serde_json::Value;

/// Extrapolation of a table beyond its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extrapolation {
    Constant,
    Extrapolate,
    Repeat,
    RepeatOffset,
}

/// A time-dependent factor. Times are in the units of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TimeFactor {
    Steady,
    Linear,
    Ramp { from: f64, to: f64 },
    Table(Table),
}

/// A function of time by values at ascending times; a table that extends by a rule has two or more.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// Whether it is constant between its points, and otherwise linear.
    pub(super) jumps: bool,
    pub(super) extrapolation: Extrapolation,
}

/// Largest number of points of a table that is written as an expression.
const MAX_TABLE_POINTS: usize = 24;

impl TimeFactor {
    /// The factor as an expression of t: `Some(None)` for the constant 1, and `None` if the expression would be too
    /// long.
    pub(super) fn text(&self) -> Option<Option<String>> {
        match self {
            Self::Steady => Some(None),
            Self::Linear => Some(Some("t".to_owned())),
            Self::Ramp { from, to } => {
                Some(Some(format!("if(t - ({to}), {to}, max(t - ({from}), 0))")))
            }
            Self::Table(table) => table.text().map(Some),
        }
    }

    /// Value at a time (in the units of the file).
    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Steady => 1.0,
            Self::Linear => time,
            Self::Ramp { to, .. } if time >= *to => *to,
            Self::Ramp { from, .. } => (time - from).max(0.0),
            Self::Table(table) => table.at(time),
        }
    }
}

impl Table {
    /// The table as an expression of t; `None` if it extends beyond its ends, or the expression would be too long.
    fn text(&self) -> Option<String> {
        let Self { times, values, jumps, extrapolation } = self;
        if *extrapolation != Extrapolation::Constant || times.len() > MAX_TABLE_POINTS {
            return None;
        }
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
        Some(sum)
    }

    /// Value at a time: outside the range of the times by the rule of extrapolation.
    fn at(&self, time: f64) -> f64 {
        let last_index = self.times.len() - 1;
        let (first, last) = (self.times[0], self.times[last_index]);
        if (first..last).contains(&time) {
            return self.interpolate(time);
        }
        let period = last - first;
        match self.extrapolation {
            Extrapolation::Extrapolate if time < first => self.extrapolate(0, 1, time),
            Extrapolation::Extrapolate => self.extrapolate(last_index, last_index, time),
            Extrapolation::Repeat | Extrapolation::RepeatOffset => {
                let periods = ((time - first) / period).floor();
                let offset = match self.extrapolation {
                    Extrapolation::Repeat => 0.0,
                    _ => periods * (self.values[last_index] - self.values[0]),
                };
                self.interpolate(time - periods * period) + offset
            }
            Extrapolation::Constant if time < first => self.values[0],
            Extrapolation::Constant => self.values[last_index],
        }
    }

    /// Value at a time by the line through the point at `end` whose slope is that before the point `next`.
    fn extrapolate(&self, end: usize, next: usize, time: f64) -> f64 {
        let (times, values) = (&self.times, &self.values);
        let slope = (values[next] - values[next - 1]) / (times[next] - times[next - 1]);
        values[end] + slope * (time - times[end])
    }

    /// Value at a time within the range of the times.
    fn interpolate(&self, time: f64) -> f64 {
        let (times, values) = (&self.times, &self.values);
        let next = times.partition_point(|t| *t <= time).clamp(1, times.len() - 1);
        let fraction = match self.jumps {
            true => 0.0,
            false => (time - times[next - 1]) / (times[next] - times[next - 1]),
        };
        values[next - 1] + fraction * (values[next] - values[next - 1])
    }
}

/// Reads a list of numbers; empty if it is missing.
pub(super) fn read_numbers(reader: &mut Reader<'_>, path: &str) -> Option<Vec<f64>> {
    reader.items(path).iter().map(|item| reader.number(item)).collect()
}

/// Reads the interpolation over time of a component. The list has one item for all components, or one for each.
pub(super) fn read(reader: &mut Reader<'_>, path: &str, component: usize) -> Option<TimeFactor> {
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
            Some(TimeFactor::Table(Table { times, values, jumps, extrapolation }))
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
    use resile_expression::{Expression, Grammar};

    #[test]
    fn tables_extrapolate_by_their_rule() {
        let time_factor = |jumps, extrapolation| {
            TimeFactor::Table(Table {
                times: vec![1.0, 2.0, 4.0],
                values: vec![0.0, 3.0, 1.0],
                jumps,
                extrapolation,
            })
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
        let table = |jumps| {
            TimeFactor::Table(Table {
                times: vec![1.0, 2.0, 4.0],
                values: vec![0.5, 3.0, 1.0],
                jumps,
                extrapolation: Extrapolation::Constant,
            })
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
    fn ramps_keep_the_elapsed_time() {
        let ramp = TimeFactor::Ramp { from: 0.5, to: 2.0 };
        assert_eq!([0.2, 1.0, 2.0, 3.0].map(|t| ramp.at(t)), [0.0, 0.5, 2.0, 2.0]);
        assert_eq!(TimeFactor::Linear.at(3.0), 3.0);
    }
}
