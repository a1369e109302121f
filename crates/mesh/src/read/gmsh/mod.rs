//! Gmsh `.msh`, versions 2.2, 4.0 and 4.1, text and binary.
//!
//! The format is described in the Gmsh reference manual, sections "MSH file format" and "MSH file format
//! version 2 (legacy)"; version 4.0 in that of Gmsh 4.0. All versions and encodings share one [`Cursor`], which handles the
//! number encoding; the versions differ only in the order of the fields.
//!
//! The solid consists of the tetrahedra of first and second order. Points, lines and faces are skipped and
//! counted, because mesh generators write the boundary along with the interior. Without solid elements the
//! faces form a surface. [`OtherSolidPolicy`] sets the treatment of other solid elements.
//!
//! Physical groups become [`Groups`](super::Groups), also for partitioned meshes. Not read: periodicity, ghost
//! elements, post-processing fields.

mod element;
mod physical;
mod raw;
mod sections;
mod v2;
mod v4;

use crate::read::cursor::{Cursor, excerpt};
use crate::read::elements::{AnyMesh, Elements, SolidMesh};
use crate::read::failure::mark_seen;
use crate::read::{MeshFileError, OtherSolidPolicy, Seams, read_text, without_byte_order_mark};
use raw::RawMesh;
use std::io::Read;
use v4::Revision;

/// Version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V4(Revision),
}

const NODES: &str = "section $Nodes";
const ELEMENTS: &str = "section $Elements";

/// Which of the required sections were read.
#[derive(Debug, Default)]
struct SeenSections {
    nodes: bool,
    elements: bool,
}

/// Reads a solid. `policy` is the treatment of solid elements other than tetrahedra. Costs memory for the input and a
/// small multiple of it for the mesh; parsing decimal numbers dominates the time.
///
/// Nodes that no tetrahedron uses are dropped. The others are renumbered from 0 in the file's order.
///
/// # Errors
/// If the file cannot be read or is invalid, has no tetrahedra, or has solid elements that the policy refuses.
pub fn read_gmsh(reader: impl Read, policy: OtherSolidPolicy) -> Result<SolidMesh, MeshFileError> {
    read_mesh_sections(reader, policy)?.finish()
}

/// Reads a solid, or the surface of a file that has faces and no solid elements. `seams` is the treatment of vertices
/// of a surface at the same position.
///
/// # Errors
/// As [`read_gmsh`], or if the surface is invalid.
pub fn read_gmsh_any(
    reader: impl Read,
    policy: OtherSolidPolicy,
    seams: Seams,
) -> Result<AnyMesh, MeshFileError> {
    read_mesh_sections(reader, policy)?.finish_any(seams)
}

/// Reads the sections with nodes, elements and physical groups, and skips the others.
fn read_mesh_sections(
    reader: impl Read,
    policy: OtherSolidPolicy,
) -> Result<Elements, MeshFileError> {
    let bytes = read_text(reader)?;
    let bytes = without_byte_order_mark(&bytes);
    refuse_fluent(bytes)?;
    let mut cursor = Cursor::new(bytes);
    let version = read_format(&mut cursor)?;
    let mut raw = RawMesh::new(policy);
    let mut seen = SeenSections::default();
    while let Some(section) = cursor.next_section()? {
        match version {
            Version::V2 => read_section_of_v2(&mut cursor, section, &mut raw, &mut seen)?,
            Version::V4(revision) => {
                read_section_of_v4(&mut cursor, section, revision, &mut raw, &mut seen)?;
            }
        }
    }
    for (is_seen, what) in [(seen.nodes, NODES), (seen.elements, ELEMENTS)] {
        if !is_seen {
            return Err(MeshFileError::Missing { what });
        }
    }
    raw.into_elements()
}

/// Reads the contents and the end mark of a section of version 2.2.
fn read_section_of_v2(
    cursor: &mut Cursor<'_>,
    section: &str,
    raw: &mut RawMesh,
    seen: &mut SeenSections,
) -> Result<(), MeshFileError> {
    match section {
        "Nodes" => {
            mark_seen(&mut seen.nodes, NODES)?;
            v2::read_nodes(cursor, raw, v2::NodeRecord::Position)?;
            cursor.end_section("$EndNodes")?;
        }
        "ParametricNodes" => {
            mark_seen(&mut seen.nodes, NODES)?;
            v2::read_nodes(cursor, raw, v2::NodeRecord::PositionAndParameters)?;
            cursor.end_section("$EndParametricNodes")?;
        }
        "Elements" => {
            mark_seen(&mut seen.elements, ELEMENTS)?;
            v2::read_elements(cursor, raw)?;
            cursor.end_section("$EndElements")?;
        }
        "PhysicalNames" => {
            raw.physical.read_names(cursor)?;
            cursor.end_section("$EndPhysicalNames")?;
        }
        other => cursor.skip_section(other)?,
    }
    Ok(())
}

/// Reads the contents and the end mark of a section of version 4.0 or 4.1.
fn read_section_of_v4(
    cursor: &mut Cursor<'_>,
    section: &str,
    revision: Revision,
    raw: &mut RawMesh,
    seen: &mut SeenSections,
) -> Result<(), MeshFileError> {
    match section {
        "Nodes" => {
            mark_seen(&mut seen.nodes, NODES)?;
            v4::read_nodes(cursor, raw, revision)?;
            cursor.end_section("$EndNodes")?;
        }
        "Elements" => {
            mark_seen(&mut seen.elements, ELEMENTS)?;
            v4::read_elements(cursor, raw, revision)?;
            cursor.end_section("$EndElements")?;
        }
        "PhysicalNames" => {
            raw.physical.read_names(cursor)?;
            cursor.end_section("$EndPhysicalNames")?;
        }
        "Entities" => {
            raw.physical.read_entities(cursor, revision)?;
            cursor.end_section("$EndEntities")?;
        }
        "PartitionedEntities" => {
            raw.physical.read_partitioned_entities(cursor, revision)?;
            cursor.end_section("$EndPartitionedEntities")?;
        }
        other => cursor.skip_section(other)?,
    }
    Ok(())
}

/// Rejects meshes of ANSYS Fluent, which have the same extension.
fn refuse_fluent(bytes: &[u8]) -> Result<(), MeshFileError> {
    if !bytes.trim_ascii_start().starts_with(b"(") {
        return Ok(());
    }
    Err(MeshFileError::Unsupported {
        found: "a mesh of ANSYS Fluent".to_owned(),
        hint: "save it as Gmsh's: in meshio, which writes Fluent's to .msh unless told otherwise, by \
               `mesh.write(\"model.msh\", file_format=\"gmsh22\")`",
    })
}

/// Reads `$MeshFormat`, which only comments may precede: the version and the number encoding, which is set in the
/// cursor.
fn read_format(cursor: &mut Cursor<'_>) -> Result<Version, MeshFileError> {
    loop {
        match cursor.next_section()? {
            Some("MeshFormat") => break,
            Some("Comments") => cursor.skip_section("Comments")?,
            _ => return Err(MeshFileError::Missing { what: "section $MeshFormat" }),
        }
    }
    let word = cursor.word("a format version")?;
    // Programs write the number in several ways: Netgen 2.000000, others 2 or 2.20.
    let version = match word.parse::<f64>().ok() {
        Some(2.0 | 2.1 | 2.2) => Version::V2,
        Some(4.0) => Version::V4(Revision::Zero),
        Some(4.1) => Version::V4(Revision::One),
        _ => {
            let found = format!("Gmsh format version {}", excerpt(word.as_bytes()));
            return Err(MeshFileError::Unsupported {
                found,
                hint: "save it as version 2.2, 4.0 or 4.1",
            });
        }
    };
    let is_binary = match cursor.integer("a file type, 0 or 1")? {
        0 => false,
        1 => true,
        _ => return Err(cursor.unexpected("a file type, 0 or 1").into()),
    };
    let bytes_per_number = cursor.integer("a data size")?;
    if bytes_per_number != 8 {
        let found = format!("a file with numbers of {bytes_per_number} bytes");
        return Err(MeshFileError::Unsupported { found, hint: "save it with numbers of 8 bytes" });
    }
    if is_binary {
        cursor.end_line();
        cursor.detect_byte_order()?;
    }
    cursor.end_section("$EndMeshFormat")?;
    Ok(version)
}
