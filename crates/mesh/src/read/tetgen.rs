//! `TetGen` solids: a `.node` file and an `.ele` file, text.
//!
//! Format: Hang Si, `TetGen`, user's manual, chapter "File formats". Nodes are numbered consecutively from 0 or
//! from 1. Tetrahedra with the same first attribute, the region, form a group such as `attribute=3`. Nodes with
//! the same boundary marker form a group such as `marker=3`. 0 is no group. All attributes of tetrahedra are
//! fields: `attribute`, `attribute 2` and so on.

use super::cursor::Cursor;
use super::elements::{Elements, Kind, SolidMesh};
use super::references::References;
use super::second_order::MiddleOrder;
use super::{MeshFileError, OtherSolidPolicy, read_text, without_byte_order_mark};
use resile_math::Vec3;
use std::io::Read;

/// Largest number of attributes that become fields; further ones are ignored.
const MAX_ATTRIBUTES: usize = 32;

/// Reads a solid from its node and element files.
pub fn read_tetgen(node: impl Read, ele: impl Read) -> Result<SolidMesh, MeshFileError> {
    // All elements have the same order, so none is skipped.
    let mut elements = Elements::new(OtherSolidPolicy::Refuse);
    let bytes = read_text(node)?;
    read_nodes(without_byte_order_mark(&bytes), &mut elements)
        .map_err(|error| error.within("the .node file"))?;
    let bytes = read_text(ele)?;
    read_elements(without_byte_order_mark(&bytes), &mut elements)
        .map_err(|error| error.within("the .ele file"))?;
    elements.finish()
}

/// Reads the `.node` file: positions, and groups by boundary marker.
fn read_nodes(bytes: &[u8], elements: &mut Elements) -> Result<(), MeshFileError> {
    let mut cursor = Cursor::with_comments(bytes, b'#');
    let count: u64 = cursor.text("the number of nodes")?;
    let dimension: u64 = cursor.text("the dimension 3")?;
    if dimension != 3 {
        return Err(MeshFileError::Unsupported {
            found: format!("a mesh in {dimension} dimensions"),
            hint: "a solid needs a volume mesh",
        });
    }
    let attribute_count = optional_number(&mut cursor);
    let has_marker = optional_number(&mut cursor) > 0;
    cursor.end_line();
    cursor.expect_remaining("nodes", count, 4)?;
    let mut markers = References::new("marker");
    for index in 0..count as i64 {
        expect_number(&mut cursor, index, &mut elements.first)?;
        let mut coordinate = || cursor.text("a coordinate");
        elements.positions.push(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        let marker = cursor.line_words().nth(attribute_count as usize).filter(|_| has_marker);
        if let Some(group) = marker.and_then(|marker| markers.group(marker)) {
            elements.add_nodes_to_group(group, &[elements.first + index]);
        }
        cursor.end_line();
    }
    Ok(())
}

/// Reads a number that old files omit at the end of a line; 0 if it is missing.
fn optional_number(cursor: &mut Cursor<'_>) -> u64 {
    let number = cursor.line_words().next().and_then(|word| word.parse().ok());
    if number.is_some() {
        // Consumes the word, which exists.
        let _ = cursor.word("a number");
    }
    number.unwrap_or(0)
}

/// Reads the number of the node `index`. Numbers must be consecutive; the first one, 0 or 1, is stored in `first`.
fn expect_number(
    cursor: &mut Cursor<'_>,
    index: i64,
    first: &mut i64,
) -> Result<(), MeshFileError> {
    const EXPECTED_FIRST: &str = "the number 0 or 1 of the first node";
    const EXPECTED_NEXT: &str = "a node number one above the last";
    let start = cursor.offset();
    let expected = if index == 0 { EXPECTED_FIRST } else { EXPECTED_NEXT };
    let node_number: i64 = cursor.text(expected)?;
    if index == 0 && (0..=1).contains(&node_number) {
        *first = node_number;
    }
    if node_number == *first + index {
        return Ok(());
    }
    cursor.rewind_to(start);
    Err(cursor.unexpected(expected).into())
}

/// The kind of elements with this number of nodes. Refuses other elements than tetrahedra.
fn kind_of_elements(node_count: u64) -> Result<Kind, MeshFileError> {
    match node_count {
        4 => Ok(Kind::Tetrahedron),
        10 => Ok(Kind::SecondOrder(MiddleOrder::TetGen)),
        _ => Err(MeshFileError::Unsupported {
            found: format!("an element of {node_count} nodes"),
            hint: "a solid must be made of tetrahedra of 4 or 10 nodes",
        }),
    }
}

/// Reads the `.ele` file: tetrahedra, groups by the first attribute (the region), and attributes as fields.
fn read_elements(bytes: &[u8], elements: &mut Elements) -> Result<(), MeshFileError> {
    let mut cursor = Cursor::with_comments(bytes, b'#');
    let count: u64 = cursor.text("the number of elements")?;
    let node_count: u64 = cursor.text("the number of nodes of an element, 4 or 10")?;
    let attribute_count = optional_number(&mut cursor) as usize;
    cursor.end_line();
    cursor.expect_remaining("elements", count, 5)?;
    let kind = kind_of_elements(node_count)?;
    let mut regions = References::new("attribute");
    let mut fields = vec![Vec::new(); attribute_count.min(MAX_ATTRIBUTES)];
    for _ in 0..count {
        let _number: i64 = cursor.text("an element number")?;
        let mut nodes = [0; 10];
        let nodes = &mut nodes[..node_count as usize];
        for node in nodes.iter_mut() {
            *node = cursor.text("a node number")?;
        }
        let attributes = || cursor.line_words().take(attribute_count);
        for (field, value) in
            fields.iter_mut().zip(attributes().map_while(|attribute| attribute.parse().ok()))
        {
            field.push(value);
        }
        let region = attributes().next().and_then(|region| regions.group(region));
        elements.add(kind, nodes, region);
        cursor.end_line();
    }
    for (number, field) in (1..).zip(fields) {
        let name = if number == 1 { "attribute".to_owned() } else { format!("attribute {number}") };
        elements.fields.insert(name, field);
    }
    Ok(())
}
