//! Dimensions of the numbers of a field, from the unit in its row.

use resile_math::units::{Dimension, Units};

/// The dimensions of the numbers of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measure {
    /// All numbers have the same dimension.
    One(Dimension),
    /// Each number of a pair has its own dimension.
    Pair([Dimension; 2]),
    /// Number k of a list has the first dimension times the k-th power of the second.
    Powers([Dimension; 2]),
    /// The number has the measure of the enclosing field.
    Varied,
    /// Stiffness of springs, whose dimension depends on their law.
    ByLaw,
}

impl Default for Measure {
    fn default() -> Self {
        Self::One(Dimension::default())
    }
}

impl Measure {
    /// The measure of a field whose label in messages ends with the unit in parentheses; `None` for an unknown unit.
    pub(crate) fn from_label(label: &str) -> Option<Self> {
        let unit = label.rsplit_once('(').and_then(|(_, unit)| unit.strip_suffix(')'));
        let Some(unit) = unit else { return Some(Self::default()) };
        match unit {
            "of what varies" => return Some(Self::Varied),
            "N/m or N/m^3" => return Some(Self::ByLaw),
            _ => {}
        }
        let symbols: Vec<&str> = unit.split(", ").collect();
        match symbols[..] {
            [only] => Some(Self::One(Dimension::new(only)?)),
            [a, b] => Some(Self::Pair([Dimension::new(a)?, Dimension::new(b)?])),
            [a, b, "..."] => {
                let first = Dimension::new(a)?;
                Some(Self::Powers([first, Dimension::new(b)?.times_power(first, -1)]))
            }
            _ => None,
        }
    }

    /// The dimension of the number at an index of its list; `None` if the field does not determine it.
    pub(crate) fn at(self, index: usize) -> Option<Dimension> {
        match self {
            Self::One(dimension) => Some(dimension),
            Self::Pair(dimensions) => dimensions.get(index).copied(),
            Self::Powers([first, ratio]) => {
                Some(first.times_power(ratio, i32::try_from(index).ok()?))
            }
            Self::Varied | Self::ByLaw => None,
        }
    }

    /// Converts a number in SI, at an index of its list, to other units.
    pub(crate) fn written(self, value: f64, index: usize, units: Units) -> f64 {
        self.at(index).map_or(value, |dimension| units.of_si(value, dimension))
    }

    /// A label with its unit replaced by that of other units.
    pub(crate) fn named(self, label: &str, units: Units) -> String {
        match label.rsplit_once('(') {
            Some((name, unit)) => format!("{name}({}", self.symbol(unit, units)),
            None => label.to_owned(),
        }
    }

    /// The symbol in other units of a unit of SI.
    pub(crate) fn symbol(self, si: &str, units: Units) -> String {
        match self {
            // Numbers of an unknown dimension are shown in SI.
            Self::Varied | Self::ByLaw => si.to_owned(),
            Self::One(_) | Self::Pair(_) | Self::Powers(_) => units.symbol(si),
        }
    }
}
