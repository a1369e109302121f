//! Physical groups: named sets of elements.
//!
//! In version 2.2 the first tag of an element is the number of its group. In versions 4.0 and 4.1 an element belongs to
//! a geometric entity, and `$Entities` lists the groups of each entity. In a partitioned mesh it belongs to a
//! part of an entity, and `$PartitionedEntities` names the parent. Group numbers are separate for each
//! dimension. An unnamed group is named after both, such as `volume 3`.

use super::v4::Revision;
use crate::read::MeshFileError;
use crate::read::cursor::{Cursor, SyntaxError};
use std::collections::BTreeMap;

/// Count of the numbers that describe the geometry of a point, curve, surface or volume: the position of a point, and
/// the bounding box of the others. In version 4.0 points have a bounding box, too.
fn geometry_numbers(revision: Revision, dimension: usize) -> u64 {
    match (revision, dimension) {
        (Revision::One, 0) => 3,
        _ => 6,
    }
}

/// Names of unnamed groups, by dimension.
const DIMENSION_NAMES: [&str; 4] = ["point", "curve", "surface", "volume"];
/// Largest number of groups of an entity. The cost of a file is its length times this at most.
const MAX_GROUPS: u64 = 16;

/// Names of groups, and groups of entities.
#[derive(Debug, Default)]
pub(super) struct Physical {
    /// Names by dimension and number of the group.
    names: BTreeMap<(i64, i64), String>,
    /// Numbers of groups by dimension and number of the entity.
    groups_of_entity: BTreeMap<(i64, i64), Vec<i64>>,
}

impl Physical {
    /// Names of the groups with this dimension and these numbers; the number 0 stands for no group.
    pub(super) fn names(&self, dimension: i64, groups: &[i64]) -> Vec<String> {
        let name = |group: &i64| match self.names.get(&(dimension, group.abs())) {
            Some(name) => name.clone(),
            None => {
                let word = usize::try_from(dimension).ok().and_then(|d| DIMENSION_NAMES.get(d));
                format!("{} {}", word.unwrap_or(&"part"), group.abs())
            }
        };
        groups.iter().filter(|&&group| group != 0).map(name).collect()
    }

    /// Names of the groups of an entity.
    pub(super) fn names_of_entity(&self, dimension: i64, entity: i64) -> Vec<String> {
        let groups = self.groups_of_entity.get(&(dimension, entity));
        groups.map_or_else(Vec::new, |groups| self.names(dimension, groups))
    }

    /// Reads `$PhysicalNames`, which is text in all files: dimension, number, quoted name.
    pub(super) fn read_names(&mut self, cursor: &mut Cursor<'_>) -> Result<(), MeshFileError> {
        let count: u64 = cursor.text("the number of names")?;
        cursor.expect_remaining("names", count, 3)?;
        for _ in 0..count {
            let dimension = cursor.text("a dimension")?;
            let number = cursor.text("the number of a group")?;
            cursor.skip_space();
            let name = String::from_utf8_lossy(cursor.line().trim_ascii());
            let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
            let Some(name) = name else {
                return Err(cursor.unexpected("a name in quotes").into());
            };
            self.names.insert((dimension, number), name.to_owned());
            cursor.end_line();
        }
        Ok(())
    }

    /// Reads `$Entities`.
    pub(super) fn read_entities(
        &mut self,
        cursor: &mut Cursor<'_>,
        revision: Revision,
    ) -> Result<(), MeshFileError> {
        for (dimension, count) in (0..).zip(read_counts(cursor)?) {
            let geometry = geometry_numbers(revision, dimension);
            cursor.expect_remaining("entities", count, 2 + geometry)?;
            for _ in 0..count {
                let entity = cursor.integer("the number of an entity")?;
                let groups = read_groups(cursor, dimension, geometry)?;
                if !groups.is_empty() {
                    self.groups_of_entity.insert((dimension as i64, entity), groups);
                }
            }
        }
        Ok(())
    }

    /// Reads `$PartitionedEntities`. A part without groups of its own inherits those of its
    /// parent entity.
    pub(super) fn read_partitioned_entities(
        &mut self,
        cursor: &mut Cursor<'_>,
        revision: Revision,
    ) -> Result<(), MeshFileError> {
        cursor.size("the number of partitions")?;
        let ghosts = cursor.size("the number of ghost entities")?;
        cursor.expect_remaining("ghost entities", ghosts, 2)?;
        for _ in 0..ghosts {
            cursor.integer("the number of a ghost entity")?;
            cursor.integer("a partition")?;
        }
        for (dimension, count) in (0..).zip(read_counts(cursor)?) {
            let geometry = geometry_numbers(revision, dimension);
            cursor.expect_remaining("entities", count, 5 + geometry)?;
            for _ in 0..count {
                let entity = cursor.integer("the number of an entity")?;
                let parent_dimension = cursor.integer("the dimension of an entity")?;
                let parent = cursor.integer("the number of an entity")?;
                read_numbers(cursor, u64::MAX)?;
                let mut groups = read_groups(cursor, dimension, geometry)?;
                if groups.is_empty() && parent_dimension == dimension as i64 {
                    let parent_groups = self.groups_of_entity.get(&(parent_dimension, parent));
                    groups = parent_groups.cloned().unwrap_or_default();
                }
                if !groups.is_empty() {
                    self.groups_of_entity.insert((dimension as i64, entity), groups);
                }
            }
        }
        Ok(())
    }
}

/// Reads the numbers of points, curves, surfaces and volumes that follow.
fn read_counts(cursor: &mut Cursor<'_>) -> Result<[u64; 4], SyntaxError> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = cursor.size("the number of entities")?;
    }
    Ok(counts)
}

/// Reads the geometry of an entity, which has `geometry` numbers, its groups, and its bounding entities; returns the
/// groups.
fn read_groups(
    cursor: &mut Cursor<'_>,
    dimension: usize,
    geometry: u64,
) -> Result<Vec<i64>, SyntaxError> {
    for _ in 0..geometry {
        cursor.real("a coordinate")?;
    }
    let groups = read_numbers(cursor, MAX_GROUPS)?;
    if dimension > 0 {
        read_numbers(cursor, u64::MAX)?;
    }
    Ok(groups)
}

/// Reads a count, which is at most `max_count`, and as many numbers.
fn read_numbers(cursor: &mut Cursor<'_>, max_count: u64) -> Result<Vec<i64>, SyntaxError> {
    let start = cursor.offset();
    let count = cursor.size("a number of groups or bounding entities")?;
    cursor.expect_remaining("numbers", count, 1)?;
    if count > max_count {
        return Err(SyntaxError::Expected {
            location: cursor.location_of(start),
            expected: "at most 16 physical groups of an entity",
            found: count.to_string(),
        });
    }
    (0..count).map(|_| cursor.integer("the number of a group or an entity")).collect()
}
