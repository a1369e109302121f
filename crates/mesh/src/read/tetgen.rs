//! `TetGen` solids: a `.node` file and an `.ele` file, text.
//!
//! Format: Hang Si, `TetGen`, user's manual, chapter "File formats". Nodes are
//! numbered one after the other from 0 or from 1; attributes and boundary marks are
//! stepped over.

use super::cursor::Cursor;
use super::elements::{Elements, Kind, SolidMesh};
use super::other_solids::Shape;
use super::{MeshFileError, OtherSolids, read_all};
use resile_math::Vec3;
use std::io::Read;

/// Reads a solid from its nodes and its elements.
pub fn read_tetgen(node: impl Read, ele: impl Read) -> Result<SolidMesh, MeshFileError> {
    // All elements have one order: there is nothing to leave out.
    let mut elements = Elements::new(OtherSolids::Refuse);
    let bytes = read_all(node)?;
    read_nodes(&bytes, &mut elements).map_err(|error| error.within("the .node file"))?;
    let bytes = read_all(ele)?;
    read_elements(&bytes, &mut elements).map_err(|error| error.within("the .ele file"))?;
    elements.finish()
}

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
    cursor.end_line();
    cursor.expect_room("nodes", count, 4)?;
    for place in 0..count as i64 {
        expect_number(&mut cursor, place, &mut elements.first)?;
        let mut coordinate = || cursor.text("a coordinate");
        elements.positions.push(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        cursor.end_line();
    }
    Ok(())
}

/// The number of a node, which must follow the last one; the first sets the start.
fn expect_number(
    cursor: &mut Cursor<'_>,
    place: i64,
    first: &mut i64,
) -> Result<(), MeshFileError> {
    const FIRST: &str = "the number 0 or 1 of the first node";
    const NEXT: &str = "a node number one above the last";
    let start = cursor.place();
    let expected = if place == 0 { FIRST } else { NEXT };
    let number: i64 = cursor.text(expected)?;
    if place == 0 && (0..=1).contains(&number) {
        *first = number;
    }
    if number == *first + place {
        return Ok(());
    }
    cursor.go_back(start);
    Err(cursor.unexpected(expected).into())
}

fn read_elements(bytes: &[u8], elements: &mut Elements) -> Result<(), MeshFileError> {
    let mut cursor = Cursor::with_comments(bytes, b'#');
    let count: u64 = cursor.text("the number of elements")?;
    let corners: u64 = cursor.text("the number of nodes of an element, 4")?;
    cursor.end_line();
    cursor.expect_room("elements", count, 5)?;
    match corners {
        4 => {}
        10 => {
            let kind = Kind::Solid("second-order tetrahedron", Shape::Tetrahedron);
            elements.count(kind, count as usize);
            return Ok(());
        }
        _ => {
            return Err(MeshFileError::Unsupported {
                found: format!("an element of {corners} nodes"),
                hint: "a solid must be made of linear tetrahedra",
            });
        }
    }
    for _ in 0..count {
        let _number: i64 = cursor.text("an element number")?;
        let mut corner = || cursor.text("a node number");
        elements.add_tet([corner()?, corner()?, corner()?, corner()?]);
        cursor.end_line();
    }
    Ok(())
}
