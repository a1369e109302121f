//! Ranges of numbers.

use resile_math::parameters::Allowed;
use serde_json::{Map, Value, json};

/// A bound of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bound {
    /// Inclusive.
    At(f64),
    /// Exclusive.
    Beyond(f64),
}

/// The range of a number. Infinite numbers and NaN are always refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Range {
    /// The number is checked together with other fields.
    Unchecked,
    /// Any finite number.
    Finite,
    /// Three finite numbers along x, y and z.
    Vector,
    /// Three finite numbers that are not all zero.
    Direction,
    /// Above zero.
    Positive,
    /// Above zero: one factor, or three along x, y and z.
    Factors,
    /// Zero or above.
    NotNegative,
    /// Any finite number but zero.
    NotZero,
    /// Between two bounds.
    Between(Bound, Bound),
    /// Integers between two bounds, both inclusive.
    Count(u32, u32),
}

impl From<Allowed> for Range {
    fn from(allowed: Allowed) -> Self {
        match allowed {
            Allowed::Positive => Self::Positive,
            Allowed::NotNegative => Self::NotNegative,
            Allowed::Between(range) => {
                Self::Between(Bound::At(*range.start()), Bound::At(*range.end()))
            }
            Allowed::Fraction => Self::Between(Bound::Beyond(0.0), Bound::At(1.0)),
            Allowed::Finite => Self::Finite,
            Allowed::NotZero => Self::NotZero,
            Allowed::Inside(min, max) => Self::Between(Bound::Beyond(min), Bound::Beyond(max)),
            Allowed::Direction => Self::Direction,
            Allowed::Count(min, max) => Self::Count(min, max),
            Allowed::Jointly => Self::Unchecked,
        }
    }
}

impl Range {
    /// Whether the range contains a finite number.
    pub(crate) fn contains(self, value: f64) -> bool {
        match self {
            Self::Unchecked | Self::Finite | Self::Vector | Self::Direction => true,
            Self::Positive | Self::Factors => value > 0.0,
            Self::NotNegative => value >= 0.0,
            Self::NotZero => value != 0.0,
            Self::Between(min, max) => {
                let is_above_min = match min {
                    Bound::At(min) => value >= min,
                    Bound::Beyond(min) => value > min,
                };
                is_above_min
                    && match max {
                        Bound::At(max) => value <= max,
                        Bound::Beyond(max) => value < max,
                    }
            }
            Self::Count(min, max) => (f64::from(min)..=f64::from(max)).contains(&value),
        }
    }

    /// The text that follows "must be".
    pub(crate) fn requirement(self) -> String {
        use Bound::{At, Beyond};
        match self {
            Self::Unchecked | Self::Finite | Self::Vector | Self::Direction => {
                "a finite number".to_owned()
            }
            Self::Positive => "positive".to_owned(),
            Self::Factors => "positive (a mirrored shape is inverted)".to_owned(),
            Self::NotNegative => "zero or positive".to_owned(),
            Self::NotZero => "a number that is not zero".to_owned(),
            Self::Between(At(min), At(max)) => format!("from {min} to {max}"),
            Self::Between(Beyond(min), At(max)) => format!("above {min}, at most {max}"),
            Self::Between(At(min), Beyond(max)) => format!("at least {min}, below {max}"),
            Self::Between(Beyond(min), Beyond(max)) => {
                format!("between {min} and {max}, both excluded")
            }
            Self::Count(min, u32::MAX) => format!("at least {min}"),
            Self::Count(min, max) => format!("from {min} to {max}"),
        }
    }

    /// Restricts the numbers in the schema of a value to the range.
    pub(crate) fn restrict(self, schema: &mut Value) {
        if self == Self::Direction {
            if let Value::Object(fields) = schema {
                fields.insert("not".to_owned(), json!({"const": [0, 0, 0]}));
            }
            return;
        }
        self.restrict_numbers(schema);
    }

    /// Adds the keywords of the range to the schema if it is of a number, and to the schemas in it.
    fn restrict_numbers(self, schema: &mut Value) {
        let Value::Object(fields) = schema else { return };
        if matches!(fields.get("type").and_then(Value::as_str), Some("number" | "integer")) {
            fields.extend(self.keywords());
        }
        for keyword in ["anyOf", "oneOf", "prefixItems"] {
            let schemas = fields.get_mut(keyword).and_then(Value::as_array_mut);
            schemas.into_iter().flatten().for_each(|schema| self.restrict_numbers(schema));
        }
        if let Some(items) = fields.get_mut("items") {
            self.restrict_numbers(items);
        }
    }

    /// The keywords of JSON Schema that state the range of a number.
    fn keywords(self) -> Map<String, Value> {
        let keyword = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
        let bound_keyword = |[inclusive, exclusive]: [&str; 2], bound| match bound {
            Bound::At(value) => keyword(inclusive, value.into()),
            Bound::Beyond(value) => keyword(exclusive, value.into()),
        };
        match self {
            Self::Unchecked | Self::Finite | Self::Vector | Self::Direction => Map::new(),
            Self::Positive | Self::Factors => keyword("exclusiveMinimum", 0.into()),
            Self::NotNegative => keyword("minimum", 0.into()),
            Self::NotZero => keyword("not", json!({"const": 0})),
            Self::Between(min, max) => {
                let mut keywords = bound_keyword(["minimum", "exclusiveMinimum"], min);
                keywords.extend(bound_keyword(["maximum", "exclusiveMaximum"], max));
                keywords
            }
            Self::Count(min, u32::MAX) => keyword("minimum", min.into()),
            Self::Count(min, max) => {
                let mut keywords = keyword("minimum", min.into());
                keywords.extend(keyword("maximum", max.into()));
                keywords
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_keywords_of_a_range_equal_the_range() {
        let fraction = Range::from(Allowed::Fraction);
        let ranges = [
            (Range::Positive, json!({"exclusiveMinimum": 0})),
            (Range::NotNegative, json!({"minimum": 0})),
            (fraction, json!({"exclusiveMinimum": 0.0, "maximum": 1.0})),
            (Range::Count(1, 5), json!({"minimum": 1, "maximum": 5})),
        ];
        for (range, keywords) in ranges {
            assert_eq!(Value::Object(range.keywords()), keywords, "{range:?}");
        }
        assert!(!fraction.contains(0.0) && fraction.contains(1.0) && !fraction.contains(1.5));
        assert!(Range::Count(1, 5).contains(5.0) && !Range::Count(1, 5).contains(6.0));
        assert!(Range::NotZero.contains(-1.0) && !Range::NotZero.contains(0.0));
    }

    #[test]
    fn numbers_inside_lists_are_range_checked() {
        let mut schema = json!({"anyOf": [
            {"type": "array", "items": {"type": "number"}},
            {"type": "null"},
        ]});
        Range::Positive.restrict(&mut schema);
        assert_eq!(schema["anyOf"][0]["items"]["exclusiveMinimum"], 0);
        assert_eq!(schema["anyOf"][1], json!({"type": "null"}));
    }
}
