//! Gmsh `.msh`, versions 2.2 and 4.1, text and binary.
//!
//! The format is described in the Gmsh reference manual, sections "MSH file
//! format" and "MSH file format version 2 (legacy)". Both versions and all
//! encodings go through one [`Cursor`], which knows how a number
//! is written; the two versions differ only in the order of the fields.
//!
//! What becomes a solid: the linear tetrahedra. Points, lines and faces are left
//! out and counted, because mesh generators write the boundary along with the
//! inside. What becomes of other solid elements, second-order ones among them, is
//! the caller's choice: [`OtherSolids`].
//!
//! Physical groups become [`Groups`](super::Groups). Not read: periodicity, post-processing fields.

mod element;
mod physical;
mod raw;
mod sections;
mod v2;
mod v4;

use crate::read::cursor::{Cursor, excerpt};
use crate::read::elements::SolidMesh;
use crate::read::failure::once;
use crate::read::{MeshFileError, OtherSolids, read_all};
use raw::Raw;
use std::io::Read;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

const NODES: &str = "section $Nodes";
const ELEMENTS: &str = "section $Elements";

/// Reads a solid. Costs memory for the input and a small multiple of it for the
/// mesh; time is dominated by parsing decimal numbers.
///
/// Nodes that no tetrahedron uses are dropped, and the rest are numbered from 0
/// in the file's order, whatever the file called them.
pub fn read_gmsh(reader: impl Read, others: OtherSolids) -> Result<SolidMesh, MeshFileError> {
    let bytes = read_all(reader)?;
    let mut cursor = Cursor::new(&bytes);
    let version = read_format(&mut cursor)?;
    let mut raw = Raw::new(others);
    let (mut nodes_seen, mut elements_seen) = (false, false);
    while let Some(section) = cursor.next_section()? {
        match section {
            "Nodes" => {
                once(&mut nodes_seen, NODES)?;
                match version {
                    Version::V2 => v2::read_nodes(&mut cursor, &mut raw)?,
                    Version::V4 => v4::read_nodes(&mut cursor, &mut raw)?,
                }
                cursor.end_section("$EndNodes")?;
            }
            "Elements" => {
                once(&mut elements_seen, ELEMENTS)?;
                match version {
                    Version::V2 => v2::read_elements(&mut cursor, &mut raw)?,
                    Version::V4 => v4::read_elements(&mut cursor, &mut raw)?,
                }
                cursor.end_section("$EndElements")?;
            }
            "PhysicalNames" => {
                raw.physical.read_names(&mut cursor)?;
                cursor.end_section("$EndPhysicalNames")?;
            }
            "Entities" if version == Version::V4 => {
                raw.physical.read_entities(&mut cursor)?;
                cursor.end_section("$EndEntities")?;
            }
            other => cursor.skip_section(other)?,
        }
    }
    for (seen, what) in [(nodes_seen, NODES), (elements_seen, ELEMENTS)] {
        if !seen {
            return Err(MeshFileError::Missing { what });
        }
    }
    raw.into_mesh()
}

/// `$MeshFormat`, before which only comments may stand.
fn read_format(cursor: &mut Cursor<'_>) -> Result<Version, MeshFileError> {
    loop {
        match cursor.next_section()? {
            Some("MeshFormat") => break,
            Some("Comments") => cursor.skip_section("Comments")?,
            _ => return Err(MeshFileError::Missing { what: "section $MeshFormat" }),
        }
    }
    let version = match cursor.word("a format version")? {
        "2" | "2.0" | "2.1" | "2.2" => Version::V2,
        "4.1" => Version::V4,
        other => {
            let found = format!("Gmsh format version {}", excerpt(other.as_bytes()));
            return Err(MeshFileError::Unsupported {
                found,
                hint: "save it as version 2.2 or 4.1",
            });
        }
    };
    let binary = match cursor.integer("a file type, 0 or 1")? {
        0 => false,
        1 => true,
        _ => return Err(cursor.unexpected("a file type, 0 or 1").into()),
    };
    let bytes = cursor.integer("a data size")?;
    if bytes != 8 {
        let found = format!("a file with numbers of {bytes} bytes");
        return Err(MeshFileError::Unsupported { found, hint: "save it with numbers of 8 bytes" });
    }
    if binary {
        cursor.end_line();
        cursor.detect_byte_order()?;
    }
    cursor.end_section("$EndMeshFormat")?;
    Ok(version)
}
