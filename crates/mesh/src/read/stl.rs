//! STL surfaces, text and binary.
//!
//! STL has no shared vertices, only the corners of each triangle. Corners with equal coordinates become one
//! vertex. This is the rule of all readers ([`Seams::Sewn`]) applied to separate triangles. No vertex is moved,
//! and near corners stay separate: a file whose triangles do not match exactly has open edges, which
//! [`TriMesh::defects`](crate::TriMesh::defects) counts. The normals of the file are not read, because the
//! order of corners determines them.
//!
//! Our own parser: `stl_io` requires a seekable input, keeps `f32` even for text files, and welds with a
//! tolerance.

use super::cursor::{Cursor, Encoding, SyntaxError};
use super::polygons::{Polygons, Seams, SurfaceMesh};
use super::{MeshFileError, read_all, without_byte_order_mark};
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::io::Read;

/// A header of 80 bytes and a count.
const BINARY_HEADER: usize = 84;
/// A normal, three corners, and two unused bytes.
const BINARY_TRIANGLE: usize = 50;

/// Reads a surface.
///
/// A file is binary if its length matches its count exactly, or if it does not begin with `solid`. All solids
/// of a text file become one mesh.
pub fn read_stl(reader: impl Read) -> Result<SurfaceMesh, MeshFileError> {
    let bytes = read_all(reader)?;
    let mut weld = VertexWelder::default();
    if is_binary(&bytes) {
        read_binary(&bytes, &mut weld)?;
    } else {
        read_text(without_byte_order_mark(&bytes), &mut weld)?;
    }
    weld.surface.finish(Seams::Kept)
}

fn binary_count(bytes: &[u8]) -> Option<u64> {
    let header = bytes.first_chunk::<BINARY_HEADER>()?;
    let count = header.last_chunk::<4>()?;
    Some(u32::from_le_bytes(*count).into())
}

fn is_binary(bytes: &[u8]) -> bool {
    let exact = binary_count(bytes).is_some_and(|count| {
        bytes.len() as u64 == BINARY_HEADER as u64 + BINARY_TRIANGLE as u64 * count
    });
    exact || !without_byte_order_mark(bytes).trim_ascii_start().starts_with(b"solid")
}

fn read_binary(bytes: &[u8], weld: &mut VertexWelder) -> Result<(), MeshFileError> {
    let mut cursor = Cursor::new(bytes);
    cursor.encoding = Encoding::LittleEndian;
    let Some(announced) = binary_count(bytes) else {
        let expected = "`solid`, or a binary header of 84 bytes";
        return Err(SyntaxError::Truncated { location: cursor.location(), expected }.into());
    };
    cursor.advance(BINARY_HEADER);
    let possible = ((bytes.len() - BINARY_HEADER) / BINARY_TRIANGLE) as u64;
    if announced > possible {
        let location = cursor.location();
        let what = "triangles";
        return Err(SyntaxError::LyingCount { location, what, announced, possible }.into());
    }
    for _ in 0..announced {
        cursor.raw::<12>("a normal")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            let mut coordinate = || -> Result<f64, SyntaxError> {
                Ok(f32::from_le_bytes(cursor.raw("a coordinate")?).into())
            };
            *corner = weld.vertex(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        }
        cursor.raw::<2>("two bytes after a triangle")?;
        weld.surface.add(&corners)?;
    }
    Ok(())
}

fn read_text(bytes: &[u8], weld: &mut VertexWelder) -> Result<(), MeshFileError> {
    let mut cursor = Cursor::new(bytes);
    while !cursor.is_at_end() {
        keyword(&mut cursor, "solid")?;
        cursor.end_line();
        loop {
            const NEXT: &str = "`facet` or `endsolid`";
            let place = cursor.place();
            match cursor.word(NEXT)? {
                word if word.eq_ignore_ascii_case("facet") => read_facet(&mut cursor, weld)?,
                word if word.eq_ignore_ascii_case("endsolid") => break,
                _ => {
                    cursor.rewind_to(place);
                    return Err(cursor.unexpected(NEXT).into());
                }
            }
        }
        cursor.end_line();
    }
    Ok(())
}

/// Reads a facet of a text file.
fn read_facet(cursor: &mut Cursor<'_>, weld: &mut VertexWelder) -> Result<(), MeshFileError> {
    keyword(cursor, "normal")?;
    for _ in 0..3 {
        cursor.word("a normal")?;
    }
    keyword(cursor, "outer")?;
    keyword(cursor, "loop")?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        keyword(cursor, "vertex")?;
        let mut coordinate = || cursor.text("a coordinate");
        *corner = weld.vertex(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
    }
    keyword(cursor, "endloop")?;
    keyword(cursor, "endfacet")?;
    weld.surface.add(&corners)
}

fn keyword(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<(), SyntaxError> {
    let place = cursor.place();
    if cursor.word(expected)?.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    cursor.rewind_to(place);
    Err(cursor.unexpected(expected))
}

/// Finds the vertex at a position. The map is never iterated over, so its order does not matter.
#[derive(Debug, Default)]
struct VertexWelder {
    surface: Polygons,
    vertex_numbers: BTreeMap<[u64; 3], i64>,
}

impl VertexWelder {
    fn vertex(&mut self, position: Vec3) -> i64 {
        // Adding zero makes -0 equal to 0.
        let name = position.to_array().map(|c| (c + 0.0).to_bits());
        let positions = &mut self.surface.positions;
        *self.vertex_numbers.entry(name).or_insert_with(|| {
            positions.push(position);
            positions.len() as i64 - 1
        })
    }
}
