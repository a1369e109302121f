//! OFF surfaces (Geomview's Object File Format), text.
//!
//! The first word may be missing. It may have letters for the data of a vertex besides its position, in any
//! order: `N` a normal, `C` a colour, `ST` a texture coordinate. These data and the colours of faces are not
//! read.

use super::cursor::Cursor;
use super::polygons::{Polygons, Seams, SurfaceMesh};
use super::{MeshFileError, read_text, without_byte_order_mark};
use resile_math::Vec3;
use std::io::Read;

/// Reads a surface; polygons are triangulated, and exactly coincident boundary vertices are welded.
///
/// # Errors
/// If the file cannot be read, is binary or invalid, or has no faces.
pub fn read_off(reader: impl Read) -> Result<SurfaceMesh, MeshFileError> {
    read_off_with(reader, Seams::Sewn)
}

/// Reads a surface as [`read_off`] does, with a choice of seam treatment.
///
/// # Errors
/// As [`read_off`].
pub fn read_off_with(reader: impl Read, seams: Seams) -> Result<SurfaceMesh, MeshFileError> {
    let bytes = read_text(reader)?;
    let mut cursor = Cursor::with_comments(without_byte_order_mark(&bytes), b'#');
    let has_vertex_data = read_first_word(&mut cursor)?;
    let vertices = cursor.text("the number of vertices")?;
    let faces = cursor.text("the number of faces")?;
    cursor.end_line();
    cursor.expect_remaining("vertices", vertices, 3)?;
    let mut surface = Polygons::default();
    for _ in 0..vertices {
        let mut coordinate = || cursor.text("a coordinate");
        surface.positions.push(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
        if has_vertex_data {
            cursor.end_line();
        }
    }
    cursor.expect_remaining("faces", faces, 2)?;
    let mut corners = Vec::new();
    for _ in 0..faces {
        let count: u64 = cursor.text("the number of a face's corners")?;
        cursor.expect_remaining("corners", count, 1)?;
        corners.clear();
        for _ in 0..count {
            corners.push(cursor.text("a vertex number")?);
        }
        cursor.end_line();
        surface.add(&corners)?;
    }
    surface.finish(seams)
}

/// Reads the first word, if it is not the number of vertices. Returns whether vertices have data besides a position.
fn read_first_word(cursor: &mut Cursor<'_>) -> Result<bool, MeshFileError> {
    const FIRST: &str = "`OFF` or the number of vertices";
    let start = cursor.offset();
    let word = cursor.word(FIRST)?;
    let unsupported = |found: String| MeshFileError::Unsupported {
        found,
        hint: "save as a text file with `OFF` in its first line",
    };
    match word.strip_suffix("OFF") {
        Some("") => {}
        Some(prefix) if is_vertex_data(prefix) => return Ok(true),
        Some(prefix) if prefix.chars().all(|c| c.is_ascii_alphanumeric()) => {
            return Err(unsupported(format!("the kind of OFF file `{prefix}OFF`")));
        }
        _ => {
            cursor.rewind_to(start);
            return if word.parse::<u64>().is_ok() {
                Ok(false)
            } else {
                Err(cursor.unexpected(FIRST).into())
            };
        }
    }
    let start = cursor.offset();
    if cursor.word("the number of vertices")? == "BINARY" {
        return Err(unsupported("binary OFF".to_owned()));
    }
    cursor.rewind_to(start);
    Ok(false)
}

/// Whether the letters before `OFF` name vertex data besides the position, each once.
fn is_vertex_data(mut letters: &str) -> bool {
    let mut prefixes = vec!["ST", "C", "N"];
    while let Some(index) = prefixes.iter().position(|word| letters.starts_with(word)) {
        letters = &letters[prefixes.remove(index).len()..];
    }
    letters.is_empty()
}
