//! Readers of mesh files, from anything that implements [`std::io::Read`].
//!
//! Readers load the whole input into memory first, up to [`MAX_BYTES`], and check every count in a
//! header against the remaining bytes before they allocate memory. The cost of a file is therefore a
//! small multiple of its length.

mod cursor;
mod elements;
mod faces;
mod failure;
mod format;
mod gmsh;
mod groups;
mod kept_elements;
mod left_out;
mod lines;
mod medit;
mod number;
mod obj;
mod obj_faces;
mod obj_lines;
mod off;
mod other_solids;
mod ply;
mod point_cache;
pub(crate) mod polygons;
mod references;
mod second_order;
mod split;
mod stl;
mod tetgen;
mod triangulate;
mod vtk;
mod wireframe;

pub use cursor::{FileLocation, SyntaxError};
pub use elements::{AnyMesh, SolidMesh, SolidReport};
pub use failure::MeshFileError;
pub use format::{Format, Holds};
pub use gmsh::{read_gmsh, read_gmsh_any};
pub use groups::{CellFields, Group, Groups, VertexFields};
pub use left_out::LeftOut;
pub use medit::{read_medit, read_medit_any};
pub use obj::{ObjError, ObjMesh, read_obj, read_obj_mesh, read_obj_with};
pub use obj_faces::{ObjFaces, read_obj_faces};
pub use obj_lines::UnknownLines;
pub use off::{read_off, read_off_with};
pub use other_solids::{Divided, Holes, OtherSolidPolicy};
pub use ply::{read_ply, read_ply_with};
pub use point_cache::{CacheTime, PointCache, read_mdd, read_pc2};
pub use polygons::{Seams, SurfaceMesh, SurfaceReport};
pub use second_order::SecondOrder;
pub use split::{divided_element, divided_face};
pub use stl::read_stl;
pub use tetgen::read_tetgen;
pub use vtk::{read_vtk, read_vtk_any, read_vtu, read_vtu_any};
pub use wireframe::read_wireframe;

use std::io::{self, Read};
use thiserror::Error;

/// Largest input: 1 GiB, about ten million tetrahedra as text.
pub const MAX_BYTES: u64 = 1 << 30;

/// Errors of reading the input.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InputError {
    /// An error of the operating system.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// The input is longer than [`MAX_BYTES`].
    #[error("longer than {MAX_BYTES} bytes, which is more than any mesh this program can use")]
    TooLong,
    /// Text in UTF-16.
    #[error(
        "the text is encoded in UTF-16; save it in UTF-8 (in an editor of Windows: Save as, encoding UTF-8)"
    )]
    Utf16,
}

/// Reads the whole input, up to [`MAX_BYTES`].
fn read_all(reader: impl Read) -> Result<Vec<u8>, InputError> {
    read_up_to(MAX_BYTES, reader)
}

/// Reads the whole input of a format that begins with text.
///
/// # Errors
/// As [`read_all`], or if the text is encoded in UTF-16.
fn read_text(reader: impl Read) -> Result<Vec<u8>, InputError> {
    let bytes = read_all(reader)?;
    if is_utf16(&bytes) { Err(InputError::Utf16) } else { Ok(bytes) }
}

/// Whether bytes begin as text in UTF-16 does: with its byte order mark, or with two characters of ASCII.
fn is_utf16(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => is_text(a) && is_text(b),
        _ => false,
    }
}

/// Byte order mark at the beginning of some UTF-8 files.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes after the byte order mark, if any.
fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Reads the whole input; an error if it is longer than `max_bytes`.
fn read_up_to(max_bytes: u64, reader: impl Read) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    reader.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(InputError::TooLong) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_input_is_read_only_one_byte_past_the_limit() {
        let mut endless = io::repeat(b'0').take(1000);
        assert!(matches!(read_up_to(99, &mut endless), Err(InputError::TooLong)));
        assert_eq!(endless.limit(), 900);
        assert_eq!(read_up_to(99, io::repeat(b'0').take(99)).unwrap().len(), 99);
    }
}
