//! Original faces of an OBJ file: polygons and texture coordinates.

use crate::FaceList;
use crate::read::obj_lines::joined_lines;
use crate::read::without_byte_order_mark;

/// Polygons of an OBJ file before triangulation, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ObjFaces {
    /// Corners as vertex indices of the file, from zero.
    pub faces: FaceList,
    /// Index into `coordinates` for each face corner, from zero.
    pub textures: Vec<Option<u32>>,
    /// Texture coordinates; (0, 0) is the lower left corner of the image.
    pub coordinates: Vec<[f64; 2]>,
}

/// Reads the faces of a file that [`read_obj`](super::read_obj) accepts.
///
/// Malformed corners are left out, and so are texture coordinates that do not exist or are not finite, because
/// they affect appearance only.
pub fn read_obj_faces(bytes: &[u8]) -> ObjFaces {
    let mut result = ObjFaces::default();
    let mut vertices = 0;
    for (_, line) in joined_lines(without_byte_order_mark(bytes)) {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => vertices += 1,
            Some("vt") => result.coordinates.push(coordinates(words)),
            Some("f") => {
                let coordinate_count = result.coordinates.len();
                let corners = words.filter_map(|word| corner(word, vertices, coordinate_count));
                let (corners, textures): (Vec<u32>, Vec<Option<u32>>) = corners.unzip();
                result.faces.push(corners);
                result.textures.extend(textures);
            }
            _ => {}
        }
    }
    let exists = |&index: &u32| {
        let pair = result.coordinates.get(index as usize);
        pair.is_some_and(|pair| pair.iter().all(|x| x.is_finite()))
    };
    result.textures.iter_mut().for_each(|texture| *texture = texture.filter(exists));
    result
}

/// Parses two texture coordinates; the second may be missing.
fn coordinates<'a>(mut words: impl Iterator<Item = &'a str>) -> [f64; 2] {
    let mut next_number = || words.next().map_or(Ok(0.0), str::parse).unwrap_or(f64::NAN);
    [next_number(), next_number()]
}

/// Vertex index and texture coordinate index of a corner such as `7`, `7/2`, `7//3` or `-1/-1/-1`, from the numbers of
/// vertices and texture coordinates so far.
fn corner(word: &str, vertex_count: usize, coordinate_count: usize) -> Option<(u32, Option<u32>)> {
    let index_from_zero = |text: &str, count: usize| {
        let number: i64 = text.parse().ok()?;
        let index = if number < 0 { count as i64 + number } else { number - 1 };
        u32::try_from(index).ok()
    };
    let mut numbers = word.split('/');
    let vertex = index_from_zero(numbers.next()?, vertex_count)?;
    Some((vertex, numbers.next().and_then(|text| index_from_zero(text, coordinate_count))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn face_corners_keep_vertex_and_texture_indices() {
        let text = "\u{feff}v 0 0 0\nv 1 0 0\nvt 0 1\nvt 0.5\nvt x 0\nf 1/1/1 2/2 \\\n-1/-3 1//4\n\
                    v 0 1 0\nf 3/3 3/9 1\n";
        let read = read_obj_faces(text.as_bytes());
        let faces: Vec<&[u32]> = read.faces.iter().collect();
        assert_eq!(faces, [&[0, 1, 1, 0][..], &[2, 2, 0]]);
        let textures = [Some(0), Some(1), Some(0), None, None, None, None];
        assert_eq!(read.textures, textures);
        assert_eq!(read.coordinates[..2], [[0.0, 1.0], [0.5, 0.0]]);
    }
}
