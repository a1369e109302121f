//! Reduction of a history to single numbers.

use crate::lists::list_items;
use resile_math::units::Units;
use resile_record::{Columns, HistoryWriter, ProbesTable, Table as _};
use resile_scene::description::{Analysis, Scene};
use std::fmt;

/// A column of `history.csv` or of a probe, reduced to one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Name of the column; `probes.NAME.COLUMN` for one of a probe in `probes.csv`.
    pub column: String,
    /// Reduction of the column.
    pub statistic: Statistic,
}

/// Reductions of a column to one number. Empty cells are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// The last value.
    Final,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The arithmetic mean over all rows.
    Mean,
    /// The sum over all rows, for quantities per step.
    Sum,
    /// The value at this time (s), interpolated linearly between the rows around it.
    At(f64),
}

/// Prefix of columns of probes.
const PROBES: &str = "probes.";

/// Wall time, the only column that is not reproducible.
const SECONDS: &str = "seconds";

impl Measure {
    /// Parses `COLUMN`, `COLUMN:STATISTIC` or `COLUMN:TIME`. A column alone denotes its last value.
    ///
    /// # Errors
    /// The error and a remedy.
    pub fn parse(text: &str) -> Result<Self, [String; 2]> {
        let (column, statistic) = match text.split_once(':') {
            None => (text.trim(), "final"),
            Some((column, statistic)) => (column.trim(), statistic.trim()),
        };
        if column.is_empty() {
            return Err(["a column is missing".into(), FORMS.into()]);
        }
        if column == SECONDS {
            let help = "the wall time of a run is `wall_seconds` of its `summary.json`";
            let message = "`seconds` differs in each repetition, and the table of a sweep does not";
            return Err([message.into(), help.into()]);
        }
        let statistic = match statistic {
            "final" => Statistic::Final,
            "min" => Statistic::Min,
            "max" => Statistic::Max,
            "mean" => Statistic::Mean,
            "sum" => Statistic::Sum,
            time => match time.parse::<f64>() {
                Ok(time) if time.is_finite() && time >= 0.0 => Statistic::At(time),
                _ => return Err([format!("`{time}` is no statistic"), FORMS.into()]),
            },
        };
        Ok(Self { column: column.to_owned(), statistic })
    }

    /// The name of the probe and the column in `probes.csv`, if the measure is that of a probe.
    pub fn probe(&self) -> Option<(&str, &str)> {
        self.column.strip_prefix(PROBES)?.rsplit_once('.')
    }

    /// The SI unit of the value; `None` without a unit.
    pub fn unit(&self) -> Option<&'static str> {
        match self.probe() {
            Some((_, column)) => ProbesTable::unit(column),
            None if self.column == LOAD_TIME => Some("s"),
            None => HistoryWriter::unit(&self.column),
        }
    }

    /// A value, which is in SI, in other units.
    pub fn in_units(&self, value: f64, units: Units) -> f64 {
        self.unit().map_or(value, |si| units.number(value, si))
    }

    /// The value of the measure in a history, or in the rows of its probe. `None` if there is no such column, if the
    /// column has no values, or if the rows do not reach the time.
    pub fn evaluate(&self, history: &Columns) -> Option<f64> {
        let cells = history.column(self.probe().map_or(&self.column, |(_, column)| column))?;
        if let Statistic::At(time) = self.statistic {
            return interpolate(&history.column("time")?, &cells, time);
        }
        let values: Vec<f64> = cells.into_iter().flatten().collect();
        let last = *values.last()?;
        Some(match self.statistic {
            Statistic::Min => values.into_iter().fold(last, f64::min),
            Statistic::Max => values.into_iter().fold(last, f64::max),
            Statistic::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Statistic::Sum => values.iter().sum::<f64>(),
            Statistic::Final | Statistic::At(_) => last,
        })
    }
}

/// The name of the column of the measure in the table of a sweep, such as `total_final` or `com_y_at_0.5`.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_", self.column)?;
        match self.statistic {
            Statistic::Final => f.write_str("final"),
            Statistic::Min => f.write_str("min"),
            Statistic::Max => f.write_str("max"),
            Statistic::Mean => f.write_str("mean"),
            Statistic::Sum => f.write_str("sum"),
            Statistic::At(time) => write!(f, "at_{time}"),
        }
    }
}

/// The column of `path.csv` that the history lacks.
const LOAD_TIME: &str = "load_time";

/// The columns that a [`Measure`] of a run of this scene can name; `terms` are the names of the terms of its world.
pub fn result_columns(terms: &[String], scene: &Scene) -> Vec<String> {
    let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
    let mut columns = HistoryWriter::columns(&terms);
    if matches!(scene.analysis, Analysis::ArcLength { .. }) {
        columns.push(LOAD_TIME.to_owned());
    }
    columns.extend(scene.output.probes.iter().flat_map(|probe| probe_columns(&probe.name)));
    columns
}

/// The columns of a probe under their names in results; step, time and name of the probe are left out.
fn probe_columns(name: &str) -> impl Iterator<Item = String> {
    let numbers = ProbesTable::names().into_iter().skip(3);
    numbers.map(move |column| format!("{PROBES}{name}.{column}"))
}

/// The remedy for malformed measures: the valid forms.
const FORMS: &str = "results are `COLUMN:STATISTIC`, with a column of history.csv, `load_time` of path.csv, or `probes.NAME.COLUMN` of a probe, and \
                     final, min, max, mean, sum or a time in seconds, such as `total:final,com_y:0.5`";

/// Default results of a table: energy and its parts at the end, the centre of mass, the certificate, and the
/// work.
pub fn default_measures() -> Vec<String> {
    ["total:final", "kinetic:final", "total:max", "com_x:final", "com_y:final", "com_z:final"]
        .into_iter()
        .chain(["min_distance:min", "min_det_f:min", "newton:sum"])
        .map(str::to_owned)
        .collect()
}

/// Parses comma-separated lists of measures; repeated measures are dropped.
///
/// # Errors
/// The text, the error and a remedy of every malformed measure.
pub fn measures_from_lists(lists: &[String]) -> Result<Vec<Measure>, Vec<[String; 3]>> {
    let (measures, errors) = measures_and_errors(lists);
    if errors.is_empty() { Ok(measures) } else { Err(errors) }
}

/// The well-formed measures of comma-separated lists, without repetitions, and the text, the error and a remedy of every
/// malformed one.
pub fn measures_and_errors(lists: &[String]) -> (Vec<Measure>, Vec<[String; 3]>) {
    let (mut measures, mut errors) = (Vec::new(), Vec::new());
    for item in lists.iter().flat_map(|list| list_items(list, ',')) {
        match Measure::parse(item) {
            Ok(measure) if measures.contains(&measure) => {}
            Ok(measure) => measures.push(measure),
            Err([message, help]) => errors.push([item.to_owned(), message, help]),
        }
    }
    (measures, errors)
}

/// The value at a time, linearly interpolated between the rows around it; rows without a value are ignored. `None` if
/// the rows do not reach the time.
fn interpolate(times: &[Option<f64>], values: &[Option<f64>], at_time: f64) -> Option<f64> {
    let points: Vec<(f64, f64)> = times
        .iter()
        .zip(values)
        .filter_map(|(point_time, value)| Some(((*point_time)?, (*value)?)))
        .collect();
    let next = points.iter().position(|&(point_time, _)| point_time >= at_time)?;
    let (end, last) = points[next];
    if end == at_time {
        return Some(last);
    }
    let (begin, first) = *points.get(next.checked_sub(1)?)?;
    let fraction = (at_time - begin) / (end - begin);
    Some(first + (last - first) * fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<f64> {
        let history = "step,time,total,target\n0,0,4,\n1,0.5,1,2\n2,1,2.5,\n";
        Measure::parse(text).expect("it is well formed").evaluate(&Columns::parse(history, "test"))
    }

    #[test]
    fn column_is_reduced_by_its_statistic() {
        let cases = [
            ("total", Some(2.5)),
            ("total:min", Some(1.0)),
            ("total:max", Some(4.0)),
            ("total:mean", Some(2.5)),
            ("total:sum", Some(7.5)),
            ("total:0.5", Some(1.0)),
            ("total:0.75", Some(1.75)),
            ("total:0", Some(4.0)),
            ("total:1.5", None),
            ("target:final", Some(2.0)),
            ("target:0.2", None),
            ("nothing:final", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_column_of_a_probe_is_that_of_its_rows() {
        let table = "step,time,probe,x,ux\n0,0.0,tip,1,0\n0,0.0,\"a, b\",2,0\n1,0.5,tip,1.5,0.5\n1,0.5,\"a, b\",7,5\n";
        for (text, expected) in [
            ("probes.tip.ux:final", Some(0.5)),
            ("probes.tip.x:0.25", Some(1.25)),
            ("probes.a, b.x:sum", Some(9.0)),
            ("probes.tip.nothing", None),
            ("probes.top.x", None),
        ] {
            let measure = Measure::parse(text).expect("it is well formed");
            let (probe, _) = measure.probe().expect("it is of a probe");
            assert_eq!(
                measure.evaluate(&Columns::of_probe(table, probe, "test")),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn column_names_contain_the_statistic() {
        let lists = ["total:final,com_y:0.5".to_owned(), "total".to_owned()];
        let names: Vec<String> = measures_from_lists(&lists)
            .expect("they are good")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["total_final", "com_y_at_0.5"]);
    }

    #[test]
    fn every_malformed_measure_is_reported() {
        let lists = ["total:median,:min,com_x:-1,seconds:sum".to_owned()];
        let errors = measures_from_lists(&lists).expect_err("all are wrong");
        let expected = ["`median`", "missing", "`-1`", "differs"];
        assert_eq!(errors.len(), expected.len());
        for ([_, message, _], expected) in errors.iter().zip(expected) {
            assert!(message.contains(expected), "{message}");
        }
    }
}
