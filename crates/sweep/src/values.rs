//! Values of one parameter.

use crate::lists::list_items;
use crate::number::{number_text, rounded};
use resile_math::elementary::pow;

/// Values of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// A list, as written after `--set PATH=`.
    List(Vec<String>),
    /// Numbers in an interval.
    Range {
        /// First and last number.
        ends: [f64; 2],
        /// Number of values; `None` if the design determines it.
        count: Option<usize>,
        /// Spacing of the values.
        spacing: Spacing,
    },
}

/// Spacing of the numbers in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Logarithmic,
}

/// Significant digits of powers. The relative error of a power is that of its exponent, 1e-16, times the logarithm of
/// the base, which is at most 1500.
const POWER_DIGITS: usize = 12;

/// Suffix of a logarithmic interval.
const LOGARITHMIC: &str = "log";

impl Values {
    /// Parses `A,B,C`, `FIRST:LAST:COUNT` or `FIRST:LAST`; the latter two may have the suffix `:log`. Commas
    /// and colons in brackets and quotes do not separate.
    ///
    /// # Errors
    /// The error and a remedy.
    pub fn parse(text: &str) -> Result<Self, [String; 2]> {
        let values = list_items(text, ',');
        if values.iter().any(|value| value.is_empty()) {
            return Err(["a value is missing".into(), FORMS.into()]);
        }
        match (&values[..], list_items(text, ':')) {
            ([_], parts) if parts.len() > 1 => parse_range(&parts),
            _ => Ok(Self::List(values.into_iter().map(str::to_owned).collect())),
        }
    }

    /// Number of values, unless the design determines it.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::List(values) => Some(values.len()),
            Self::Range { count, .. } => *count,
        }
    }

    /// The value with this index; `None` beyond the last value, or if the design determines the number of values.
    pub fn value_at(&self, index: usize) -> Option<String> {
        match self {
            Self::List(values) => values.get(index).cloned(),
            Self::Range { ends, count, spacing } => {
                let last = count.filter(|&count| index < count)?.saturating_sub(1);
                // The ends are exact.
                Some(match index {
                    0 => number_text(ends[0]),
                    _ if index == last => number_text(ends[1]),
                    _ => number_text(interpolate(*ends, *spacing, index as f64, last as f64)),
                })
            }
        }
    }

    /// The value at a fraction in [0, 1): a number of the interval by its spacing, or an element of the list, of which
    /// each has an equal part of the fractions.
    pub fn value_at_fraction(&self, fraction: f64) -> String {
        match self {
            Self::List(values) => {
                let index = (fraction * values.len() as f64) as usize;
                values[index.min(values.len() - 1)].clone()
            }
            Self::Range { ends, spacing, .. } => {
                number_text(interpolate(*ends, *spacing, fraction, 1.0))
            }
        }
    }
}

/// The remedy for malformed values: the valid forms.
const FORMS: &str = "values are `0.1,0.2,0.5`, `ImplicitEuler,Bdf2`, `0:1:20` (20 equally spaced numbers), \
                     `1e4:1e7:4:log` (equal ratios), or, in random and Latin hypercube designs, `0:1`";

/// Parses `FIRST:LAST`, `FIRST:LAST:COUNT` or `FIRST:LAST:COUNT:log`. The error is a message and a remedy.
fn parse_range(parts: &[&str]) -> Result<Values, [String; 2]> {
    let invalid = |message: String| Err([message, FORMS.to_owned()]);
    let (parts, spacing) = match parts {
        [numbers @ .., LOGARITHMIC] => (numbers, Spacing::Logarithmic),
        _ => (parts, Spacing::Linear),
    };
    let (first, last, count) = match *parts {
        [first, last] => (first, last, None),
        [first, last, count] => (first, last, Some(count)),
        _ => return invalid("an interval has the form `FIRST:LAST:COUNT`".to_owned()),
    };
    let mut ends = [0.0; 2];
    for (end, text) in ends.iter_mut().zip([first, last]) {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => *end = number,
            _ => return invalid(format!("`{text}` is not a number")),
        }
    }
    if spacing == Spacing::Logarithmic && !(ends[0] > 0.0 && ends[1] > 0.0) {
        return invalid("logarithmic spacing requires positive numbers".to_owned());
    }
    let ratio = ends[1] / ends[0];
    if spacing == Spacing::Logarithmic && !(ratio > 0.0 && ratio.is_finite()) {
        return invalid("the ratio of the ends is too large".to_owned());
    }
    if ends[0] == ends[1] {
        return invalid("the ends of the interval are equal".to_owned());
    }
    let count = match count.map(|count| (count, count.parse::<usize>())) {
        None => None,
        Some((_, Ok(count))) if count >= 2 => Some(count),
        Some((text, _)) => {
            return invalid(format!("`{text}` is not a whole number of values from 2 on"));
        }
    };
    Ok(Values::Range { ends, count, spacing })
}

/// The number at step `step` of `step_count` equal or proportional steps from the first to the last number.
fn interpolate([first, last]: [f64; 2], spacing: Spacing, step: f64, step_count: f64) -> f64 {
    match spacing {
        Spacing::Linear => first * ((step_count - step) / step_count) + last * (step / step_count),
        Spacing::Logarithmic => rounded(first * pow(last / first, step / step_count), POWER_DIGITS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let values = Values::parse(text).unwrap_or_else(|[error, _]| panic!("{text}: {error}"));
        (0..).map_while(|index| values.value_at(index)).collect()
    }

    #[test]
    fn lists_and_intervals_hold_their_values() {
        assert_eq!(all("0:1:5"), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(all("0.1:0.5:5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(all("1:-1:3"), ["1", "0", "-1"]);
        assert_eq!(all("1e4:1e7:4:log"), ["10000", "100000", "1000000", "10000000"]);
        assert_eq!(all("1/30,1/60"), ["1/30", "1/60"]);
        assert_eq!(all("Newmark(beta: 0.25, gamma: 0.5),Bdf2").len(), 2);
        assert_eq!(all("(0, 1, 0)"), ["(0, 1, 0)"]);
    }

    #[test]
    fn fractions_cover_intervals_and_lists() {
        let of =
            |text, fraction| Values::parse(text).expect("it is good").value_at_fraction(fraction);
        assert_eq!(of("2:4", 0.25), "2.5");
        assert_eq!(of("1:100:log", 0.5), "10");
        assert_eq!(["a,b,c"; 3].map(|list| of(list, 0.34)), ["b"; 3]);
        assert_eq!([0.0, 0.333, 0.999].map(|u| of("a,b,c", u)), ["a", "a", "c"]);
    }

    #[test]
    fn malformed_values_are_rejected_with_the_valid_forms() {
        let cases = [
            ("", "missing"),
            ("1,,2", "missing"),
            ("0:1:2:3", "FIRST:LAST:COUNT"),
            ("0:x:3", "`x` is not a number"),
            ("0:inf:3", "`inf` is not a number"),
            ("0:1:1", "`1` is not a whole number"),
            ("0:1:-3", "`-3` is not a whole number"),
            ("0:1:3:log", "positive"),
            ("1e-200:1e200:3:log", "too large"),
            ("1:1:3", "equal"),
        ];
        for (text, expected) in cases {
            let [error, help] = Values::parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
            assert!(help.contains("0:1:20"), "{help}");
        }
    }
}
