//! Physical groups: which elements an author put together, and by what names.
//!
//! In version 2.2 an element has the number of its group for a first tag; in version 4.1 it
//! belongs to an entity of the geometry, and `$Entities` says of which groups that is; of a partitioned
//! mesh, to a part of one, and `$PartitionedEntities` says of which entity. Numbers of
//! groups are counted in each dimension on their own. A group without a name is called after both,
//! such as `volume 3`.

use crate::read::MeshFileError;
use crate::read::cursor::{Cursor, SyntaxError};
use std::collections::BTreeMap;

/// What files say of a point, a curve, a surface or a volume beside its number: where a point is,
/// and the box of the others.
const NUMBERS: [u64; 4] = [3, 6, 6, 6];
/// What groups without names are called, by dimension.
const WORDS: [&str; 4] = ["point", "curve", "surface", "volume"];
/// Of how many groups an entity may be; what a file costs is a multiple of its length by this.
const MAX_GROUPS: u64 = 16;

/// Names of groups, and groups of entities; both by dimension and number.
#[derive(Debug, Default)]
pub(super) struct Physical {
    names: BTreeMap<(i64, i64), String>,
    of_entity: BTreeMap<(i64, i64), Vec<i64>>,
}

impl Physical {
    /// The names of groups of this dimension and these numbers; zero is no group.
    pub(super) fn names(&self, dimension: i64, groups: &[i64]) -> Vec<String> {
        let name = |group: &i64| match self.names.get(&(dimension, group.abs())) {
            Some(name) => name.clone(),
            None => {
                let word = usize::try_from(dimension).ok().and_then(|d| WORDS.get(d));
                format!("{} {}", word.unwrap_or(&"part"), group.abs())
            }
        };
        groups.iter().filter(|&&group| group != 0).map(name).collect()
    }

    /// The names of the groups to which an entity belongs.
    pub(super) fn names_of_entity(&self, dimension: i64, entity: i64) -> Vec<String> {
        let groups = self.of_entity.get(&(dimension, entity));
        groups.map_or_else(Vec::new, |groups| self.names(dimension, groups))
    }

    /// `$PhysicalNames`, text in all files: dimension, number, name in quotes.
    pub(super) fn read_names(&mut self, cursor: &mut Cursor<'_>) -> Result<(), MeshFileError> {
        let count: u64 = cursor.text("the number of names")?;
        cursor.expect_room("names", count, 3)?;
        for _ in 0..count {
            let dimension = cursor.text("a dimension")?;
            let number = cursor.text("the number of a group")?;
            cursor.skip_space();
            let line = cursor.rest().split(|&b| b == b'\n').next().unwrap_or_default();
            let name = String::from_utf8_lossy(line.trim_ascii());
            let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
            let Some(name) = name else {
                return Err(cursor.unexpected("a name in quotes").into());
            };
            self.names.insert((dimension, number), name.to_owned());
            cursor.end_line();
        }
        Ok(())
    }

    /// `$Entities` of version 4.1.
    pub(super) fn read_entities(&mut self, cursor: &mut Cursor<'_>) -> Result<(), MeshFileError> {
        for (dimension, count) in (0..).zip(read_counts(cursor)?) {
            expect_entities(cursor, dimension, count, 2)?;
            for _ in 0..count {
                let entity = cursor.integer("the number of an entity")?;
                let groups = read_groups(cursor, dimension)?;
                if !groups.is_empty() {
                    self.of_entity.insert((dimension as i64, entity), groups);
                }
            }
        }
        Ok(())
    }

    /// `$PartitionedEntities` of version 4.1: parts of entities, each of the groups of the whole if it names
    /// none of its own.
    pub(super) fn read_partitioned_entities(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), MeshFileError> {
        cursor.size("the number of partitions")?;
        let ghosts = cursor.size("the number of ghost entities")?;
        cursor.expect_room("ghost entities", ghosts, 2)?;
        for _ in 0..ghosts {
            cursor.integer("the number of a ghost entity")?;
            cursor.integer("a partition")?;
        }
        for (dimension, count) in (0..).zip(read_counts(cursor)?) {
            expect_entities(cursor, dimension, count, 5)?;
            for _ in 0..count {
                let entity = cursor.integer("the number of an entity")?;
                let parent_dimension = cursor.integer("the dimension of an entity")?;
                let parent = cursor.integer("the number of an entity")?;
                read_numbers(cursor, u64::MAX)?;
                let mut groups = read_groups(cursor, dimension)?;
                if groups.is_empty() && parent_dimension == dimension as i64 {
                    let of_parent = self.of_entity.get(&(parent_dimension, parent));
                    groups = of_parent.cloned().unwrap_or_default();
                }
                if !groups.is_empty() {
                    self.of_entity.insert((dimension as i64, entity), groups);
                }
            }
        }
        Ok(())
    }
}

/// How many points, curves, surfaces and volumes follow.
fn read_counts(cursor: &mut Cursor<'_>) -> Result<[u64; 4], SyntaxError> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = cursor.size("the number of entities")?;
    }
    Ok(counts)
}

/// Refuses more entities than can follow, each with so many numbers beside those of its place.
fn expect_entities(
    cursor: &Cursor<'_>,
    dimension: usize,
    count: u64,
    numbers: u64,
) -> Result<(), SyntaxError> {
    cursor.expect_room("entities", count, numbers + NUMBERS[dimension])
}

/// The place of an entity, its groups, and the entities that bound it.
fn read_groups(cursor: &mut Cursor<'_>, dimension: usize) -> Result<Vec<i64>, SyntaxError> {
    for _ in 0..NUMBERS[dimension] {
        cursor.real("a coordinate")?;
    }
    let groups = read_numbers(cursor, MAX_GROUPS)?;
    if dimension > 0 {
        read_numbers(cursor, u64::MAX)?;
    }
    Ok(groups)
}

/// A count, and so many numbers.
fn read_numbers(cursor: &mut Cursor<'_>, most: u64) -> Result<Vec<i64>, SyntaxError> {
    let place = cursor.place();
    let count = cursor.size("a number of groups or bounding entities")?;
    cursor.expect_room("numbers", count, 1)?;
    if count > most {
        return Err(SyntaxError::Expected {
            location: cursor.location_of(place),
            expected: "at most 16 physical groups of an entity",
            found: count.to_string(),
        });
    }
    (0..count).map(|_| cursor.integer("the number of a group or an entity")).collect()
}
