//! The sections of version 2.2.
//!
//! Counts are text even in binary files; all other integers are `int`.

use super::element::Element;
use super::raw::RawMesh;
use crate::read::MeshFileError;
use crate::read::cursor::{Cursor, Encoding, SyntaxError};
use resile_math::Vec3;

/// Fields of the record of a node after its tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NodeRecord {
    /// Coordinates.
    Position,
    /// Coordinates, dimension and number of the node's entity, and parameters, one on a curve and two on a
    /// surface: `$ParametricNodes`.
    PositionAndParameters,
}

/// Reads the number of nodes and adds the nodes to `raw`. The record of a node has its tag, x, y, z, and the fields of
/// `record`.
pub(super) fn read_nodes(
    cursor: &mut Cursor<'_>,
    raw: &mut RawMesh,
    record: NodeRecord,
) -> Result<(), MeshFileError> {
    let count = cursor.text("the number of nodes")?;
    cursor.end_line();
    cursor.expect_remaining("nodes", count, 4)?;
    for _ in 0..count {
        let tag = cursor.natural("a node number")?;
        let mut coordinate = || cursor.real("a coordinate");
        raw.nodes.push((tag, Vec3::new(coordinate()?, coordinate()?, coordinate()?)));
        if record == NodeRecord::PositionAndParameters {
            let dimension = cursor.integer("the dimension of an entity")?;
            cursor.integer("the number of an entity")?;
            let parameters = if matches!(dimension, 1 | 2) { dimension } else { 0 };
            for _ in 0..parameters {
                cursor.real("a parameter")?;
            }
        }
    }
    Ok(())
}

/// Reads a count and elements: as text each with its type; in binary in blocks of one type.
pub(super) fn read_elements(
    cursor: &mut Cursor<'_>,
    raw: &mut RawMesh,
) -> Result<(), MeshFileError> {
    let announced: u64 = cursor.text("the number of elements")?;
    cursor.end_line();
    cursor.expect_remaining("elements", announced, 2)?;
    let mut count = 0;
    while count < announced {
        let block = match cursor.encoding {
            Encoding::Text => read_line(cursor, raw).map(|()| 1)?,
            _ => read_block(cursor, raw)?,
        };
        count += block;
    }
    if count > announced {
        return Err(MeshFileError::CountMismatch { what: "elements", announced, found: count });
    }
    Ok(())
}

/// Reads an element of a text file, with its type and tags.
fn read_line(cursor: &mut Cursor<'_>, raw: &mut RawMesh) -> Result<(), MeshFileError> {
    let number = cursor.natural("an element number")?;
    let element = read_type(cursor)?;
    let tag_count = cursor.natural("the number of tags")?;
    read_element(cursor, raw, &element, number, tag_count)
}

/// Reads a block; returns its number of elements.
fn read_block(cursor: &mut Cursor<'_>, raw: &mut RawMesh) -> Result<u64, MeshFileError> {
    let element = read_type(cursor)?;
    let count = cursor.natural("the number of elements in a block")?;
    let tag_count = cursor.natural("the number of tags")?;
    cursor.expect_remaining("elements", count, 1 + tag_count + element.nodes as u64)?;
    for _ in 0..count {
        let number = cursor.natural("an element number")?;
        read_element(cursor, raw, &element, number, tag_count)?;
    }
    Ok(count)
}

/// Reads an element type, which both versions write alike.
pub(super) fn read_type(cursor: &mut Cursor<'_>) -> Result<Element, SyntaxError> {
    let start = cursor.offset();
    let code = cursor.integer("an element type")?;
    Element::of_code(code).ok_or_else(|| SyntaxError::Expected {
        location: cursor.location_of(start),
        expected: "an element type of Gmsh",
        found: code.to_string(),
    })
}

/// Reads the tags and the nodes of an element with this number; the first tag is its physical group.
fn read_element(
    cursor: &mut Cursor<'_>,
    raw: &mut RawMesh,
    element: &Element,
    number: u64,
    tag_count: u64,
) -> Result<(), MeshFileError> {
    let mut group = 0;
    for k in 0..tag_count {
        let tag = cursor.integer("a tag")?;
        if k == 0 {
            group = tag;
        }
    }
    let mut nodes = [0; Element::MAX_NODES];
    for node in &mut nodes[..element.nodes] {
        *node = cursor.natural("a node number")?;
    }
    let groups = raw.physical.names(element.dimension(), &[group]);
    raw.add(element, number, group, &nodes[..element.nodes], &groups);
    Ok(())
}
