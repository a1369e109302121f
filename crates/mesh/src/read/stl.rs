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
use super::{InputError, MeshFileError, is_utf16, read_all, without_byte_order_mark};
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::io::Read;

/// Length of the header of a binary file in bytes: 80 of text and a count.
const BINARY_HEADER: usize = 84;
/// Length of a binary triangle in bytes: a normal, three corners, and two unused bytes.
const BINARY_TRIANGLE: usize = 50;

/// Reads a surface.
///
/// A file is binary if its length matches its count exactly, or if it does not begin with `solid` in any case. All
/// solids of a text file become one mesh.
pub fn read_stl(reader: impl Read) -> Result<SurfaceMesh, MeshFileError> {
    let bytes = read_all(reader)?;
    let mut weld = VertexWelder::default();
    if has_binary_length(&bytes) {
        read_binary(&bytes, &mut weld)?;
    } else if is_utf16(&bytes) {
        return Err(InputError::Utf16.into());
    } else if !begins_with_solid(&bytes) {
        read_binary(&bytes, &mut weld)?;
    } else {
        read_text(without_byte_order_mark(&bytes), &mut weld)?;
    }
    weld.surface.finish(Seams::Kept)
}

/// Number of triangles in the header of a binary file.
fn binary_count(bytes: &[u8]) -> Option<u64> {
    let header = bytes.first_chunk::<BINARY_HEADER>()?;
    let count = header.last_chunk::<4>()?;
    Some(u32::from_le_bytes(*count).into())
}

/// Whether the length of the file is that of a binary file with its count of triangles.
fn has_binary_length(bytes: &[u8]) -> bool {
    binary_count(bytes).is_some_and(|count| {
        bytes.len() as u64 == BINARY_HEADER as u64 + BINARY_TRIANGLE as u64 * count
    })
}

/// Whether the file begins with the keyword `solid` of text, in any case.
fn begins_with_solid(bytes: &[u8]) -> bool {
    let first_word = without_byte_order_mark(bytes).trim_ascii_start().first_chunk::<5>();
    first_word.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

/// Reads the triangles of a binary file into `weld`.
///
/// # Errors
/// If the file is shorter than its header or its triangles, or a coordinate is not finite.
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
            *corner = weld.vertex_at(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        }
        cursor.raw::<2>("two bytes after a triangle")?;
        weld.surface.add(&corners)?;
    }
    Ok(())
}

/// Reads the facets of a text file.
fn read_text(bytes: &[u8], weld: &mut VertexWelder) -> Result<(), MeshFileError> {
    let mut cursor = Cursor::new(bytes);
    while !cursor.is_at_end() {
        expect_keyword(&mut cursor, "solid")?;
        cursor.end_line();
        loop {
            const NEXT: &str = "`facet` or `endsolid`";
            let start = cursor.offset();
            match cursor.word(NEXT)? {
                word if word.eq_ignore_ascii_case("facet") => read_facet(&mut cursor, weld)?,
                word if word.eq_ignore_ascii_case("endsolid") => break,
                _ => {
                    cursor.rewind_to(start);
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
    expect_keyword(cursor, "normal")?;
    for _ in 0..3 {
        cursor.word("a normal")?;
    }
    expect_keyword(cursor, "outer")?;
    expect_keyword(cursor, "loop")?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        expect_keyword(cursor, "vertex")?;
        let mut coordinate = || cursor.text("a coordinate");
        *corner = weld.vertex_at(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
    }
    expect_keyword(cursor, "endloop")?;
    expect_keyword(cursor, "endfacet")?;
    weld.surface.add(&corners)
}

/// Reads a keyword in any case; an error for any other word.
fn expect_keyword(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<(), SyntaxError> {
    let start = cursor.offset();
    if cursor.word(expected)?.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    cursor.rewind_to(start);
    Err(cursor.unexpected(expected))
}

/// Collects triangles and welds corners with equal coordinates. The map is never iterated over, so its order does not
/// matter.
#[derive(Debug, Default)]
struct VertexWelder {
    surface: Polygons,
    vertex_numbers: BTreeMap<[u64; 3], i64>,
}

impl VertexWelder {
    /// Index of the vertex at a position, which is added on first use.
    fn vertex_at(&mut self, position: Vec3) -> i64 {
        // Adding zero makes -0 equal to 0.
        let key = position.to_array().map(|c| (c + 0.0).to_bits());
        let positions = &mut self.surface.positions;
        *self.vertex_numbers.entry(key).or_insert_with(|| {
            positions.push(position);
            positions.len() as i64 - 1
        })
    }
}
