//! Segments and points of IPC: `.seg` and `.pt`.
//!
//! A line `v x y z` is a point, and a line `s i j` is a segment between two points, counted from 1. Empty lines and
//! comments after `#` are skipped.

use super::cursor::{Cursor, SyntaxError};
use super::{MeshFileError, read_text, without_byte_order_mark};
use crate::Wireframe;
use resile_math::Vec3;
use std::io::Read;

/// Reads points and segments; [`Wireframe::check`] finds defects.
///
/// # Errors
/// If the file cannot be read, a line is of another kind or malformed, or a segment refers to a point that does not
/// exist.
pub fn read_wireframe(reader: impl Read) -> Result<Wireframe, MeshFileError> {
    let bytes = read_text(reader)?;
    let mut cursor = Cursor::with_comments(without_byte_order_mark(&bytes), b'#');
    let mut wireframe = Wireframe::default();
    let mut segments: Vec<[i64; 2]> = Vec::new();
    while !cursor.is_at_end() {
        let start = cursor.offset();
        match cursor.word("`v` or `s`")? {
            "v" => {
                let mut coordinate = || cursor.text("a coordinate");
                let point = Vec3::new(coordinate()?, coordinate()?, coordinate()?);
                wireframe.positions.push(point);
            }
            "s" => segments.push(read_segment(&mut cursor)?),
            _ => {
                cursor.rewind_to(start);
                return Err(cursor.unexpected("`v` or `s`").into());
            }
        }
    }
    let last = wireframe.positions.len() as i64;
    for (element, ends) in segments.into_iter().enumerate() {
        if let Some(&index) = ends.iter().find(|end| !(1..=last).contains(*end)) {
            return Err(MeshFileError::OutOfRange { element, index, first: 1, last });
        }
        wireframe.segments.push(ends.map(|end| (end - 1) as u32));
    }
    Ok(wireframe)
}

/// Reads the point numbers of a segment.
fn read_segment(cursor: &mut Cursor<'_>) -> Result<[i64; 2], SyntaxError> {
    Ok([cursor.text("the number of a point")?, cursor.text("the number of a point")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_points_are_read_and_errors_name_the_line() {
        let text = "# a triangle\nv 0 0 0\nv 1 0 0 # first\ns 1 3\n\nv 0 1e-1 0\ns 2 1\ns 3 2\n";
        let frame = read_wireframe(text.as_bytes()).unwrap();
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.1, 0.0)];
        assert_eq!(frame, Wireframe { positions, segments: vec![[0, 2], [1, 0], [2, 1]] });
        let refused = |text: &str| read_wireframe(text.as_bytes()).unwrap_err().to_string();
        assert!(refused("v 0 0 0\ns 1 2\n").contains("refers to vertex 2"));
        assert_eq!(refused("v 0 0 0\nf 1 1 1\n"), "line 2: expected `v` or `s`, found `f 1 1 1`");
        assert!(refused("v 0 0\n").contains("the file ends where a coordinate should be"));
        assert!(refused("v 0 0\nv 1 0 0\n").contains("expected a coordinate"));
    }
}
