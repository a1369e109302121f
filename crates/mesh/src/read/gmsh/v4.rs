//! The sections of version 4.1.
//!
//! Nodes and elements are in blocks, one per geometric entity. Counts and tags are `size_t`; entity identifiers
//! are `int`.

use super::element::Element;
use super::raw::RawMesh;
use super::v2::read_type;
use crate::read::MeshFileError;
use crate::read::cursor::{Cursor, SyntaxError};
use resile_math::Vec3;

/// First line of `$Nodes` or `$Elements`: the number of blocks, and of nodes or elements in all blocks.
struct SectionHeader {
    blocks: u64,
    announced: u64,
}

/// Reads the first line of a section.
fn read_header(cursor: &mut Cursor<'_>) -> Result<SectionHeader, MeshFileError> {
    let blocks = cursor.size("the number of blocks")?;
    let announced = cursor.size("the number of nodes or elements")?;
    cursor.size("the smallest number")?;
    cursor.size("the largest number")?;
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

/// Reads nodes. Each block lists the numbers of its nodes, then x, y and z of each node. In a parametric block, the
/// parameters of the node follow its coordinates, one for each dimension of the entity.
pub(super) fn read_nodes(cursor: &mut Cursor<'_>, raw: &mut RawMesh) -> Result<(), MeshFileError> {
    let header = read_header(cursor)?;
    for _ in 0..header.blocks {
        let start = cursor.offset();
        let dimension = cursor.integer("the dimension of an entity")?;
        cursor.integer("the number of an entity")?;
        let parametric = cursor.integer("0 or 1 for parametric nodes")?;
        let count = cursor.size("the number of nodes in a block")?;
        cursor.expect_remaining("nodes", count, 4)?;
        let parameters = match (parametric, dimension) {
            (0, 0..=3) => 0,
            (1, 0..=3) => dimension,
            _ => {
                return Err(SyntaxError::Expected {
                    location: cursor.location_of(start),
                    expected: "a dimension from 0 to 3, and 0 or 1 for parametric nodes",
                    found: format!("{dimension} and {parametric}"),
                }
                .into());
            }
        };
        let first = raw.nodes.len();
        for _ in 0..count {
            raw.nodes.push((cursor.size("a node number")?, Vec3::ZERO));
        }
        for (_, position) in &mut raw.nodes[first..] {
            let mut coordinate = || cursor.real("a coordinate");
            *position = Vec3::new(coordinate()?, coordinate()?, coordinate()?);
            for _ in 0..parameters {
                cursor.real("a parameter")?;
            }
        }
    }
    header.expect_count("nodes", raw.nodes.len() as u64)
}

/// Reads elements. Each block has elements of one type, each with its number and its nodes.
pub(super) fn read_elements(
    cursor: &mut Cursor<'_>,
    raw: &mut RawMesh,
) -> Result<(), MeshFileError> {
    let header = read_header(cursor)?;
    let mut total = 0;
    for _ in 0..header.blocks {
        let dimension = cursor.integer("the dimension of an entity")?;
        let entity = cursor.integer("the number of an entity")?;
        let groups = raw.physical.names_of_entity(dimension, entity);
        let element = read_type(cursor)?;
        let count = cursor.size("the number of elements in a block")?;
        cursor.expect_remaining("elements", count, 1 + element.nodes as u64)?;
        for _ in 0..count {
            let number = cursor.size("an element number")?;
            let mut nodes = [0; Element::MAX_NODES];
            for node in &mut nodes[..element.nodes] {
                *node = cursor.size("a node number")?;
            }
            raw.add(&element, number, 0, &nodes[..element.nodes], &groups);
        }
        total += count;
    }
    header.expect_count("elements", total)
}
