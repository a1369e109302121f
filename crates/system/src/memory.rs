//! What integrators remember from one step to the next.

use crate::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a method has left for its next step: records by key, opaque to all but the method.
///
/// A key is `method.what`, such as `generalized-alpha.acceleration`. Islands join the memories of
/// their bodies and give each its part again, checkpoints save them; neither knows what is in them,
/// so a method that remembers something new touches no other crate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    records: BTreeMap<String, Record>,
}

/// What is remembered together: either all of it is known of all bodies, or none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Fields with one vector a node.
    pub fields: Vec<Field>,
    /// One row of numbers a body.
    pub rows: Vec<Vec<f64>>,
}

/// A vector of each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Of what.
    pub quantity: Quantity,
    /// Of each node.
    pub values: Vec<Vec3>,
}

/// What the vectors of a [`Field`] are, as far as other modules have to know: the motion of this vector is
/// prescribed takes no steps, and has it given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// Positions (m) at an earlier time.
    Position {
        /// How long ago (s).
        ago: f64,
    },
    /// Velocities (m/s) at an earlier time: of prescribed motion the mean over as long before it.
    Velocity {
        /// How long ago (s).
        ago: f64,
    },
    /// What acts on nodes or follows from it (forces, accelerations): zero under prescribed motion.
    Action,
}

impl Record {
    /// The record with one more field.
    #[must_use]
    pub fn with(mut self, quantity: Quantity, values: Vec<Vec3>) -> Self {
        self.fields.push(Field { quantity, values });
        self
    }

    /// A record of a row of numbers a body.
    pub fn of_bodies(rows: Vec<Vec<f64>>) -> Self {
        Self { fields: Vec::new(), rows }
    }

    fn join(records: &[&Self]) -> Option<Self> {
        let first = records.first()?;
        let fields = (0..first.fields.len()).map(|k| {
            let quantity = first.fields[k].quantity;
            let mut values = Vec::new();
            for record in records {
                let own = record.fields.get(k).filter(|own| own.quantity == quantity)?;
                values.extend_from_slice(&own.values);
            }
            Some(Field { quantity, values })
        });
        let rows = records.iter().flat_map(|record| record.rows.iter().cloned()).collect();
        Some(Self { fields: fields.collect::<Option<_>>()?, rows })
    }

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
    /// What is remembered under `key`.
    pub fn get(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// Remembers `record` under `key`, in place of what was there.
    pub fn insert(&mut self, key: &str, record: Record) {
        self.records.insert(key.to_owned(), record);
    }

    /// All records with their keys, in the order of these.
    pub fn records(&self) -> impl Iterator<Item = (&str, &Record)> {
        self.records.iter().map(|(key, record)| (key.as_str(), record))
    }

    /// The memory of bodies that are solved together from now on. A record that not all of them
    /// have, or of which the quantities differ (bodies whose last steps were not equally long
    /// remember different times), is forgotten.
    pub fn join<'m>(memories: impl Iterator<Item = &'m Self>) -> Self {
        let memories: Vec<&Self> = memories.collect();
        let Some(first) = memories.first() else { return Self::default() };
        let of_all = |key: &String| {
            let own: Option<Vec<&Record>> = memories.iter().map(|m| m.records.get(key)).collect();
            Some((key.clone(), Record::join(&own?)?))
        };
        Self { records: first.records.keys().filter_map(of_all).collect() }
    }

    /// The memory of body `body`, which has these nodes.
    #[must_use]
    pub fn part(&self, nodes: Range<usize>, body: usize) -> Self {
        let part =
            |(key, record): (&String, &Record)| (key.clone(), record.part(nodes.clone(), body));
        Self { records: self.records.iter().map(part).collect() }
    }

    /// Adds a body of prescribed motion behind the others, as if it had been there all along:
    /// `values` gives what its nodes have of a quantity; its row of numbers is zero.
    pub fn append(&mut self, values: impl Fn(Quantity) -> Vec<Vec3>) {
        for record in self.records.values_mut() {
            for Field { quantity, values: all } in &mut record.fields {
                all.extend(values(*quantity));
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
