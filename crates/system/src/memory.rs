//! Memory of integrators between steps.

use crate::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// The data that a method stores for its next step: records by key, opaque to other code.
///
/// A key is `method.quantity`, such as `generalized-alpha.acceleration`. Islands join and split the
/// memories of their bodies, and checkpoints save them, without knowledge of their contents, so new
/// records of a method require no changes elsewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// Sorted by key. Each body of a world has a memory with few records: a map of the standard library would reserve space
    /// for eleven, and keys are shared by all bodies.
    records: Vec<(Arc<str>, Record)>,
}

/// Data stored together: known for all bodies or for none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Fields with one vector per node.
    pub fields: Vec<Field>,
    /// One row of numbers per body.
    pub rows: Vec<Vec<f64>>,
}

/// One vector per node.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The quantity of the vectors.
    pub quantity: Quantity,
    /// The vectors.
    pub values: Vec<Vec3>,
}

/// The quantity of the vectors of a [`Field`]. It determines the values of bodies with prescribed motion,
/// which no integrator advances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// Positions (m) at an earlier time.
    Position {
        /// Time since then (s).
        ago: f64,
    },
    /// Velocities (m/s) at an earlier time; for prescribed motion the mean over a period of the same length before it.
    Velocity {
        /// Time since then (s).
        ago: f64,
    },
    /// Forces, accelerations and the like: zero under prescribed motion.
    Action,
}

impl Record {
    /// The record with one more field.
    #[must_use]
    pub fn with(mut self, quantity: Quantity, values: Vec<Vec3>) -> Self {
        self.fields.push(Field { quantity, values });
        self
    }

    /// A record with one row of numbers per body.
    pub fn of_bodies(rows: Vec<Vec<f64>>) -> Self {
        Self { fields: Vec::new(), rows }
    }

    /// The joint record of bodies with the same quantities; `None` if they differ.
    fn join(records: &[&Self]) -> Option<Self> {
        let first = records.first()?;
        let fields = (0..first.fields.len()).map(|k| {
            let quantity = first.fields[k].quantity;
            let mut values = Vec::new();
            for record in records {
                let field = record.fields.get(k).filter(|field| field.quantity == quantity)?;
                values.extend_from_slice(&field.values);
            }
            Some(Field { quantity, values })
        });
        let rows = records.iter().flat_map(|record| record.rows.iter().cloned()).collect();
        Some(Self { fields: fields.collect::<Option<_>>()?, rows })
    }

    /// The part of the record that belongs to a body and its nodes.
    fn part(&self, nodes: Range<usize>, body: usize) -> Self {
        let field = |field: &Field| Field {
            values: field.values[nodes.clone()].to_vec(),
            quantity: field.quantity,
        };
        Self {
            fields: self.fields.iter().map(field).collect(),
            rows: self.rows.get(body).cloned().into_iter().collect(),
        }
    }
}

impl Memory {
    /// Index of the record of `key`, or that at which to insert it.
    fn index(&self, key: &str) -> Result<usize, usize> {
        self.records.binary_search_by(|(other, _)| (**other).cmp(key))
    }

    /// The record of `key`.
    pub fn get(&self, key: &str) -> Option<&Record> {
        self.index(key).ok().map(|index| &self.records[index].1)
    }

    /// Stores `record` under `key`, replacing an older one.
    pub fn insert(&mut self, key: &str, record: Record) {
        match self.index(key) {
            Ok(index) => self.records[index].1 = record,
            Err(index) => {
                self.records.reserve_exact(1);
                self.records.insert(index, (key.into(), record));
            }
        }
    }

    /// Removes the record of `key`.
    pub fn remove(&mut self, key: &str) {
        if let Ok(index) = self.index(key) {
            self.records.remove(index);
        }
    }

    /// All records with their keys, sorted by key.
    pub fn records(&self) -> impl Iterator<Item = (&str, &Record)> {
        self.records.iter().map(|(key, record)| (&**key, record))
    }

    /// The joint memory of bodies that are solved together. Records that are missing for some of them or have
    /// different quantities (for example times, after steps of different lengths) are discarded.
    pub fn join<'m>(memories: impl Iterator<Item = &'m Self>) -> Self {
        let memories: Vec<&Self> = memories.collect();
        let Some(first) = memories.first() else { return Self::default() };
        let join_records = |key: &Arc<str>| {
            let records: Option<Vec<&Record>> = memories.iter().map(|m| m.get(key)).collect();
            Some((key.clone(), Record::join(&records?)?))
        };
        Self { records: first.records.iter().filter_map(|(key, _)| join_records(key)).collect() }
    }

    /// The memory of body `body`, which has these nodes.
    #[must_use]
    pub fn part(&self, nodes: Range<usize>, body: usize) -> Self {
        let part =
            |(key, record): &(Arc<str>, Record)| (key.clone(), record.part(nodes.clone(), body));
        Self { records: self.records.iter().map(part).collect() }
    }

    /// Appends a body with prescribed motion: `values` returns the values of a quantity at its nodes; its rows are
    /// zero.
    pub fn append(&mut self, values: impl Fn(Quantity) -> Vec<Vec3>) {
        for (_, record) in &mut self.records {
            for Field { quantity, values: vectors } in &mut record.fields {
                vectors.extend(values(*quantity));
            }
            if let Some(width) = record.rows.first().map(Vec::len) {
                record.rows.push(vec![0.0; width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(seed: f64, nodes: usize, ago: f64) -> Memory {
        let values = (0..nodes).map(|i| Vec3::new(seed, i as f64, 0.0)).collect();
        let mut memory = Memory::default();
        memory.insert("a.past", Record::default().with(Quantity::Position { ago }, values));
        memory.insert("a.energy", Record::of_bodies(vec![vec![seed, 2.0 * seed]]));
        memory
    }

    #[test]
    fn what_was_joined_is_parted_again() {
        let (one, other) = (memory(1.0, 2, 0.1), memory(2.0, 3, 0.1));
        let mut joined = Memory::join([&one, &other].into_iter());
        joined.append(|quantity| {
            assert_eq!(quantity, Quantity::Position { ago: 0.1 });
            vec![Vec3::X]
        });
        assert_eq!(joined.part(0..2, 0), one);
        assert_eq!(joined.part(2..5, 1), other);
        let last = joined.part(5..6, 2);
        assert_eq!(last.get("a.energy").unwrap().rows, [[0.0, 0.0]]);
        assert_eq!(last.get("a.past").unwrap().fields[0].values, [Vec3::X]);
    }

    #[test]
    fn what_not_all_bodies_remember_alike_is_forgotten() {
        let (one, later) = (memory(1.0, 2, 0.1), memory(2.0, 3, 0.2));
        let joined = Memory::join([&one, &later].into_iter());
        assert!(joined.get("a.past").is_none());
        assert_eq!(joined.get("a.energy").unwrap().rows, [[1.0, 2.0], [2.0, 4.0]]);
        assert_eq!(Memory::join([&one, &Memory::default()].into_iter()), Memory::default());
    }
}
