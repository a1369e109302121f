//! The format of a record, by which one from a file is checked before a method reads it.

use crate::Vec3;
use crate::memory::{Field, Memory, Quantity, Record};

/// Bound of the numbers in a memory. Energies computed from smaller numbers are finite; the energy of a state with
/// larger ones is not.
const MAX_NUMBER: f64 = 1e120;

/// Relative rounding of a step that is a difference of two times.
const STEP_ROUNDING: f64 = 1e-9;

/// Format of the record that an integrator stores under a key. An integrator declares its formats as data, so code that
/// reads states from files can check them without knowing their meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFormat {
    /// Key of the record, such as `generalized-alpha.acceleration`.
    pub key: &'static str,
    /// The vector fields, in order.
    pub fields: Vec<FieldFormat>,
    /// The numbers of the row of each body, in order; empty for a record without rows.
    pub row: Vec<NumberFormat>,
}

/// A [`Quantity`], with a bound of its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldFormat {
    /// Positions (m), at most this number of steps old.
    Position {
        /// Bound of the age in steps of the largest length.
        steps: u32,
    },
    /// Velocities (m/s), at most this number of steps old.
    Velocity {
        /// Bound of the age in steps of the largest length.
        steps: u32,
    },
    /// Forces, or quantities derived from forces.
    Action,
}

/// The values that a number in a row can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// A real number.
    Real,
    /// A whole number of 32 bits.
    Count,
    /// Zero or one.
    Flag,
}

/// Why the memory of a body cannot be that of a method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record `{key}` of its memory {reason}")]
pub struct MemoryError {
    /// The record at fault.
    pub key: String,
    /// The mismatch.
    pub reason: &'static str,
}

impl RecordFormat {
    /// The format of a record without contents yet.
    pub fn new(key: &'static str) -> Self {
        Self { key, fields: Vec::new(), row: Vec::new() }
    }

    /// The format with one more field.
    #[must_use]
    pub fn with_field(mut self, field: FieldFormat) -> Self {
        self.fields.push(field);
        self
    }

    /// The format with these numbers of each body.
    #[must_use]
    pub fn with_row(self, row: &[NumberFormat]) -> Self {
        Self { row: row.to_vec(), ..self }
    }

    /// Checks that `record`, of one body with `nodes` nodes, has this format, that its numbers are bounded, and that
    /// no earlier step was longer than `longest_step` (s). O(nodes).
    ///
    /// # Errors
    /// The first mismatch.
    fn check(&self, record: &Record, nodes: usize, longest_step: f64) -> Result<(), &'static str> {
        let rows = usize::from(!self.row.is_empty());
        if record.fields.len() != self.fields.len() || record.rows.len() != rows {
            return Err("has another shape");
        }
        self.check_ages(&record.fields, longest_step)?;
        record.rows.iter().try_for_each(|row| self.check_row(row))?;
        if record.fields.iter().any(|field| field.values.len() != nodes) {
            return Err("has another number of nodes");
        }
        let vectors = record.fields.iter().flat_map(|field| &field.values);
        let is_bounded =
            |v: &Vec3| v.to_array().into_iter().all(|number| number.abs() <= MAX_NUMBER);
        match vectors.into_iter().all(is_bounded) {
            true => Ok(()),
            false => Err("has numbers that are not finite or too large"),
        }
    }

    /// Checks that the ages of fields are positive and bounded, and that fields are of equal age if and only if their
    /// formats are.
    fn check_ages(&self, fields: &[Field], longest_step: f64) -> Result<(), &'static str> {
        let mut ages: Vec<(u32, f64)> = Vec::new();
        for (format, field) in self.fields.iter().zip(fields) {
            match (*format, field.quantity) {
                (FieldFormat::Position { steps }, Quantity::Position { ago })
                | (FieldFormat::Velocity { steps }, Quantity::Velocity { ago }) => {
                    ages.push((steps, ago));
                }
                (FieldFormat::Action, Quantity::Action) => {}
                _ => return Err("has another shape"),
            }
        }
        let is_past = |&(steps, ago): &(u32, f64)| {
            ago > 0.0 && ago <= f64::from(steps) * longest_step * (1.0 + STEP_ROUNDING)
        };
        let has_consistent_order = |&(steps, ago): &(u32, f64)| {
            ages.iter().all(|&(other_steps, other_ago)| {
                steps.cmp(&other_steps) == ago.total_cmp(&other_ago)
            })
        };
        match ages.iter().all(|age| is_past(age) && has_consistent_order(age)) {
            true => Ok(()),
            false => Err("is of no earlier time"),
        }
    }

    /// Checks the numbers of a row against their formats.
    fn check_row(&self, row: &[f64]) -> Result<(), &'static str> {
        if row.len() != self.row.len() {
            return Err("has another shape");
        }
        if !row.iter().all(|number| number.abs() <= MAX_NUMBER) {
            return Err("has numbers that are not finite or too large");
        }
        match self.row.iter().zip(row).all(|(format, number)| format.admits(*number)) {
            true => Ok(()),
            false => Err("has invalid counts or flags"),
        }
    }
}

impl NumberFormat {
    /// Whether a number has this format.
    fn admits(self, number: f64) -> bool {
        match self {
            Self::Real => true,
            Self::Count => number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number),
            Self::Flag => number == 0.0 || number == 1.0,
        }
    }
}

impl Memory {
    /// Checks the memory of one body with `nodes` nodes against the formats of a method. No earlier step may be
    /// longer than `longest_step` (s). O(nodes).
    ///
    /// # Errors
    /// The first record that does not match any of the `formats`.
    pub fn check(
        &self,
        formats: &[RecordFormat],
        nodes: usize,
        longest_step: f64,
    ) -> Result<(), MemoryError> {
        self.records().try_for_each(|(key, record)| {
            let format = formats.iter().find(|format| format.key == key);
            let checked = match format {
                Some(format) => format.check(record, nodes, longest_step),
                None => Err("is no record of its integrator"),
            };
            checked.map_err(|reason| MemoryError { key: key.to_owned(), reason })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAST: &str = "own.past";

    fn formats() -> Vec<RecordFormat> {
        let past = RecordFormat::new(PAST)
            .with_field(FieldFormat::Position { steps: 1 })
            .with_field(FieldFormat::Velocity { steps: 1 })
            .with_field(FieldFormat::Position { steps: 2 });
        let numbers = [NumberFormat::Real, NumberFormat::Count, NumberFormat::Flag];
        vec![past, RecordFormat::new("own.numbers").with_row(&numbers)]
    }

    /// A memory of one node with these ages (s), this coordinate and this row.
    fn check([x, v, before]: [f64; 3], coordinate: f64, row: &[f64]) -> Result<(), &'static str> {
        let values = || vec![Vec3::new(0.0, coordinate, 0.0)];
        let past = Record::default()
            .with(Quantity::Position { ago: x }, values())
            .with(Quantity::Velocity { ago: v }, values())
            .with(Quantity::Position { ago: before }, values());
        let mut memory = Memory::default();
        memory.insert(PAST, past);
        memory.insert("own.numbers", Record::of_bodies(vec![row.to_vec()]));
        memory.check(&formats(), 1, 0.01).map_err(|error| error.reason)
    }

    const AGES: [f64; 3] = [0.01, 0.01, 0.02];
    const ROW: [f64; 3] = [-1e100, 3.0, 1.0];

    #[test]
    fn valid_record_passes() {
        assert_eq!(check(AGES, 1e100, &ROW), Ok(()));
        assert_eq!(check([0.003, 0.003, 0.013], 0.0, &[0.0; 3]), Ok(()), "shorter steps");
    }

    #[test]
    fn records_with_infinite_energy_are_rejected() {
        for number in [f64::NAN, f64::INFINITY, -1e308, 1e121] {
            let refused = Err("has numbers that are not finite or too large");
            assert_eq!(check(AGES, number, &ROW), refused, "{number}");
            assert_eq!(check(AGES, 1.0, &[number, 3.0, 1.0]), refused, "{number}");
        }
    }

    #[test]
    fn impossible_ages_are_rejected() {
        let nan = f64::NAN;
        let wrong =
            [[0.0, 0.0, 0.01], [0.01, 0.005, 0.02], [0.02, 0.02, 0.02], [0.01, 0.01, 0.021]];
        for ages in wrong.into_iter().chain([[nan, nan, 0.02], [0.01, 0.01, 0.01]]) {
            assert_eq!(check(ages, 1.0, &ROW), Err("is of no earlier time"), "{ages:?}");
        }
    }

    #[test]
    fn rows_of_wrong_length_are_rejected() {
        for row in [&ROW[..2], &[0.0; 4], &[]] {
            assert_eq!(check(AGES, 1.0, row), Err("has another shape"), "{row:?}");
        }
        for row in [[1.0, 0.5, 1.0], [1.0, -1.0, 1.0], [1.0, 4_294_967_296.0, 1.0], [1.0, 0.0, 2.0]]
        {
            assert_eq!(check(AGES, 1.0, &row), Err("has invalid counts or flags"), "{row:?}");
        }
    }

    #[test]
    fn records_with_other_keys_fields_or_bodies_are_rejected() {
        let refused = |memory: &Memory, nodes: usize| {
            memory.check(&formats(), nodes, 0.01).expect_err("it is wrong").reason
        };
        let mut memory = Memory::default();
        memory.insert("other.past", Record::default());
        assert_eq!(refused(&memory, 1), "is no record of its integrator");
        let mut memory = Memory::default();
        memory.insert(PAST, Record::default().with(Quantity::Action, vec![Vec3::ZERO]));
        assert_eq!(refused(&memory, 1), "has another shape");
        let mut memory = Memory::default();
        memory.insert("own.numbers", Record::of_bodies(vec![ROW.to_vec(), ROW.to_vec()]));
        assert_eq!(refused(&memory, 1), "has another shape");
        let mut memory = Memory::default();
        let of = |steps: u32| Quantity::Position { ago: 0.01 * f64::from(steps) };
        let past = Record::default()
            .with(of(1), vec![Vec3::ZERO])
            .with(Quantity::Velocity { ago: 0.01 }, vec![Vec3::ZERO])
            .with(of(2), vec![Vec3::ZERO]);
        memory.insert(PAST, past);
        assert_eq!(refused(&memory, 2), "has another number of nodes");
    }
}
