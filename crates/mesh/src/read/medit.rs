//! Medit `.mesh` solids, text.
//!
//! Format: Pascal Frey, "Medit: an interactive mesh visualization software", 2001 (INRIA RT-0253). A section is
//! a keyword, a count, and as many lines of numbers. The last number of a line is a reference: elements of one
//! kind and one reference form a group, such as `ref=3` of tetrahedra or `triangles ref=3`; 0 is no reference.
//! Unknown sections are skipped: all words up to the next one that begins with a letter.

use super::cursor::{Cursor, SyntaxError};
use super::elements::{AnyMesh, Elements, Kind, SolidMesh};
use super::faces::Corners;
use super::failure::mark_seen;
use super::other_solids::Shape;
use super::references::References;
use super::second_order::MiddleOrder;
use super::{MeshFileError, OtherSolidPolicy, Seams, read_text, without_byte_order_mark};
use resile_math::Vec3;
use std::io::Read;

/// Largest number of nodes of an element.
const MAX_NODES: usize = 27;
/// Element sections: keyword, kind, and number of nodes per element.
const SECTIONS: [(&str, Kind, usize); 13] = [
    ("Tetrahedra", Kind::Tetrahedron, 4),
    ("Edges", Kind::Skipped("edge"), 2),
    ("Triangles", Kind::Face("triangle", Corners::First(3)), 3),
    ("Quadrilaterals", Kind::Face("quadrilateral", Corners::First(4)), 4),
    ("Hexahedra", Kind::Solid("hexahedron", Shape::Hexahedron), 8),
    ("Hexaedra", Kind::Solid("hexahedron", Shape::Hexahedron), 8),
    ("Prisms", Kind::Solid("prism", Shape::Prism), 6),
    ("Pyramids", Kind::Solid("pyramid", Shape::Pyramid), 5),
    ("EdgesP2", Kind::Skipped("second-order edge"), 3),
    ("TrianglesP2", Kind::Face("second-order triangle", Corners::First(3)), 6),
    ("QuadrilateralsQ2", Kind::Face("second-order quadrilateral", Corners::First(4)), 9),
    ("TetrahedraP2", Kind::SecondOrder(MiddleOrder::Vtk), 10),
    ("HexahedraQ2", Kind::Solid("second-order hexahedron", Shape::Hexahedron), 27),
];

/// Reads a solid. `policy` is the treatment of solid elements other than tetrahedra.
///
/// # Errors
/// If the file cannot be read or is invalid, has no tetrahedra, or has solid elements that the policy refuses.
pub fn read_medit(reader: impl Read, policy: OtherSolidPolicy) -> Result<SolidMesh, MeshFileError> {
    read_sections(reader, policy)?.finish()
}

/// Reads a solid, or the surface of a file that has faces and no solid elements. `seams` is the treatment of vertices
/// of a surface at the same position.
///
/// # Errors
/// As [`read_medit`], or if the surface is invalid.
pub fn read_medit_any(
    reader: impl Read,
    policy: OtherSolidPolicy,
    seams: Seams,
) -> Result<AnyMesh, MeshFileError> {
    read_sections(reader, policy)?.finish_any(seams)
}

/// Reads all sections of a file. Vertices are required; sections of unknown keywords are skipped.
fn read_sections(reader: impl Read, policy: OtherSolidPolicy) -> Result<Elements, MeshFileError> {
    const KEYWORD: &str = "a keyword such as `Vertices`";
    let bytes = read_text(reader)?;
    let mut cursor = Cursor::with_comments(without_byte_order_mark(&bytes), b'#');
    let mut elements = Elements::new(policy);
    elements.first = 1;
    read_version(&mut cursor)?;
    let (mut vertices_seen, mut tets_seen) = (false, false);
    while !cursor.is_at_end() {
        let start = cursor.offset();
        let keyword = cursor.word(KEYWORD)?;
        if keyword == "End" {
            break;
        }
        if let Some(&(name, kind, node_count)) = SECTIONS.iter().find(|(name, ..)| *name == keyword)
        {
            if kind == Kind::Tetrahedron {
                mark_seen(&mut tets_seen, "tetrahedra")?;
            }
            let references = references_of_section(name, kind);
            read_elements(&mut cursor, &mut elements, kind, node_count, references)?;
        } else if keyword == "Vertices" {
            mark_seen(&mut vertices_seen, "vertices")?;
            read_vertices(&mut cursor, &mut elements)?;
        } else if keyword == "Dimension" {
            read_dimension(&mut cursor)?;
        } else if keyword.starts_with(|c: char| c.is_ascii_alphabetic()) {
            skip_numbers(&mut cursor)?;
        } else {
            cursor.rewind_to(start);
            return Err(cursor.unexpected(KEYWORD).into());
        }
    }
    if !vertices_seen {
        return Err(MeshFileError::Missing { what: "section `Vertices`" });
    }
    Ok(elements)
}

/// The groups by reference of the elements of a section: `ref` for tetrahedra, otherwise with the name of the section.
fn references_of_section(name: &str, kind: Kind) -> References {
    match kind {
        Kind::Tetrahedron | Kind::SecondOrder(_) => References::new("ref"),
        _ => References::new(&format!("{} ref", name.to_ascii_lowercase())),
    }
}

/// Reads `MeshVersionFormatted` and its number.
fn read_version(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    const VERSION: &str = "`MeshVersionFormatted`";
    if cursor.word(VERSION)? != "MeshVersionFormatted" {
        cursor.rewind_to(0);
        return Err(cursor.unexpected(VERSION));
    }
    cursor.text::<u64>("a version").map(|_| ())
}

/// Reads the dimension, which must be 3.
fn read_dimension(cursor: &mut Cursor<'_>) -> Result<(), MeshFileError> {
    match cursor.text::<u64>("the dimension 3")? {
        3 => Ok(()),
        dimension => Err(MeshFileError::Unsupported {
            found: format!("a mesh in {dimension} dimensions"),
            hint: "a solid needs a volume mesh",
        }),
    }
}

/// Reads the vertices; each reference other than 0 adds the vertex to a group.
fn read_vertices(cursor: &mut Cursor<'_>, elements: &mut Elements) -> Result<(), SyntaxError> {
    let count: u64 = cursor.text("the number of vertices")?;
    cursor.expect_remaining("vertices", count, 4)?;
    let mut references = References::new("vertices ref");
    for number in 1..=count as i64 {
        let mut coordinate = || cursor.text("a coordinate");
        elements.positions.push(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        let reference = cursor.word("a vertex's reference")?;
        if let Some(group) = references.group(reference) {
            elements.add_nodes_to_group(group, &[number]);
        }
    }
    Ok(())
}

/// Reads the elements of a section, which have `node_count` nodes each. A reference other than 0 adds the element to a
/// group.
fn read_elements(
    cursor: &mut Cursor<'_>,
    elements: &mut Elements,
    kind: Kind,
    node_count: usize,
    mut references: References,
) -> Result<(), SyntaxError> {
    let count: u64 = cursor.text("the number of elements")?;
    cursor.expect_remaining("elements", count, node_count as u64 + 1)?;
    let mut nodes = [0; MAX_NODES];
    let nodes = &mut nodes[..node_count];
    for _ in 0..count {
        for node in &mut *nodes {
            *node = cursor.text("a node number")?;
        }
        let reference = cursor.word("an element's reference")?;
        elements.add(kind, nodes, references.group(reference));
    }
    Ok(())
}

/// Skips all words up to the next one that begins with a letter.
fn skip_numbers(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    loop {
        if cursor.is_at_end() || cursor.remaining()[0].is_ascii_alphabetic() {
            return Ok(());
        }
        cursor.word("a number")?;
    }
}
