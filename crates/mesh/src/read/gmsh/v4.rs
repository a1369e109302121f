//! The sections of versions 4.0 and 4.1.
//!
//! Nodes and elements are in blocks, one per geometric entity. Counts are `size_t` and entity identifiers `int`. The
//! numbers of nodes and elements are `size_t` in version 4.1 and `int` in version 4.0, in which each node number stands
//! before the coordinates of its node.

use super::element::Element;
use super::raw::RawMesh;
use super::v2::read_type;
use crate::read::MeshFileError;
use crate::read::cursor::{Cursor, SyntaxError};
use resile_math::Vec3;

/// Minor version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    /// Version 4.0, which only the first releases of Gmsh 4 write.
    Zero,
    /// Version 4.1.
    One,
}

impl Revision {
    /// Reads the number of a node or an element.
    fn read_number(
        self,
        cursor: &mut Cursor<'_>,
        expected: &'static str,
    ) -> Result<u64, SyntaxError> {
        match self {
            Self::Zero => cursor.natural(expected),
            Self::One => cursor.size(expected),
        }
    }

    /// Reads the dimension and the number of the entity of a block.
    fn read_entity(self, cursor: &mut Cursor<'_>) -> Result<EntityId, SyntaxError> {
        const DIMENSION: &str = "the dimension of an entity";
        const NUMBER: &str = "the number of an entity";
        let (dimension, number);
        match self {
            Self::Zero => {
                number = cursor.integer(NUMBER)?;
                dimension = cursor.integer(DIMENSION)?;
            }
            Self::One => {
                dimension = cursor.integer(DIMENSION)?;
                number = cursor.integer(NUMBER)?;
            }
        }
        Ok(EntityId { dimension, number })
    }
}

/// A geometric entity.
struct EntityId {
    dimension: i64,
    number: i64,
}

/// First line of `$Nodes` or `$Elements`: the number of blocks, and of nodes or elements in all blocks.
struct SectionHeader {
    blocks: u64,
    announced: u64,
}

/// Reads the first line of a section.
fn read_header(
    cursor: &mut Cursor<'_>,
    revision: Revision,
) -> Result<SectionHeader, MeshFileError> {
    let blocks = cursor.size("the number of blocks")?;
    let announced = cursor.size("the number of nodes or elements")?;
    if revision == Revision::One {
        cursor.size("the smallest number")?;
        cursor.size("the largest number")?;
    }
    cursor.expect_remaining("blocks", blocks, 4)?;
    Ok(SectionHeader { blocks, announced })
}

impl SectionHeader {
    /// Rejects a count of items that differs from the announced one.
    fn expect_count(&self, what: &'static str, count: u64) -> Result<(), MeshFileError> {
        let announced = self.announced;
        if count == announced {
            Ok(())
        } else {
            Err(MeshFileError::CountMismatch { what, announced, found: count })
        }
    }
}

/// Reads nodes. Each block lists the numbers of its nodes, then x, y and z of each node; in version 4.0 the number of
/// each node, then x, y and z. In a parametric block, the parameters of the node follow its coordinates, one for each
/// dimension of the entity.
pub(super) fn read_nodes(
    cursor: &mut Cursor<'_>,
    raw: &mut RawMesh,
    revision: Revision,
) -> Result<(), MeshFileError> {
    const NODE_NUMBER: &str = "a node number";
    let header = read_header(cursor, revision)?;
    for _ in 0..header.blocks {
        let start = cursor.offset();
        let EntityId { dimension, .. } = revision.read_entity(cursor)?;
        let parametric = cursor.integer("0 or 1 for parametric nodes")?;
        let count = cursor.size("the number of nodes in a block")?;
        cursor.expect_remaining("nodes", count, 4)?;
        let parameters = parameter_count(cursor, start, dimension, parametric)?;
        match revision {
            Revision::Zero => {
                for _ in 0..count {
                    let number = revision.read_number(cursor, NODE_NUMBER)?;
                    raw.nodes.push((number, read_position(cursor, parameters)?));
                }
            }
            Revision::One => {
                let first = raw.nodes.len();
                for _ in 0..count {
                    raw.nodes.push((revision.read_number(cursor, NODE_NUMBER)?, Vec3::ZERO));
                }
                for (_, position) in &mut raw.nodes[first..] {
                    *position = read_position(cursor, parameters)?;
                }
            }
        }
    }
    header.expect_count("nodes", raw.nodes.len() as u64)
}

/// Number of parameters of each node in a block that begins at the offset `start`.
fn parameter_count(
    cursor: &Cursor<'_>,
    start: usize,
    dimension: i64,
    parametric: i64,
) -> Result<i64, SyntaxError> {
    match (parametric, dimension) {
        (0, 0..=3) => Ok(0),
        (1, 0..=3) => Ok(dimension),
        _ => Err(SyntaxError::Expected {
            location: cursor.location_of(start),
            expected: "a dimension from 0 to 3, and 0 or 1 for parametric nodes",
            found: format!("{dimension} and {parametric}"),
        }),
    }
}

/// Reads x, y and z, and skips the parameters that follow.
fn read_position(cursor: &mut Cursor<'_>, parameters: i64) -> Result<Vec3, SyntaxError> {
    let mut coordinate = || cursor.real("a coordinate");
    let position = Vec3::new(coordinate()?, coordinate()?, coordinate()?);
    for _ in 0..parameters {
        cursor.real("a parameter")?;
    }
    Ok(position)
}

/// Reads elements. Each block has elements of one type, each with its number and its nodes.
pub(super) fn read_elements(
    cursor: &mut Cursor<'_>,
    raw: &mut RawMesh,
    revision: Revision,
) -> Result<(), MeshFileError> {
    let header = read_header(cursor, revision)?;
    let mut total = 0;
    for _ in 0..header.blocks {
        let EntityId { dimension, number } = revision.read_entity(cursor)?;
        let groups = raw.physical.names_of_entity(dimension, number);
        let element = read_type(cursor)?;
        let count = cursor.size("the number of elements in a block")?;
        cursor.expect_remaining("elements", count, 1 + element.nodes as u64)?;
        for _ in 0..count {
            let number = revision.read_number(cursor, "an element number")?;
            let mut nodes = [0; Element::MAX_NODES];
            for node in &mut nodes[..element.nodes] {
                *node = revision.read_number(cursor, "a node number")?;
            }
            raw.add(&element, number, 0, &nodes[..element.nodes], &groups);
        }
        total += count;
    }
    header.expect_count("elements", total)
}
