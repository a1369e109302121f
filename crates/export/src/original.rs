//! An original OBJ file with new positions: all lines except vertex lines are kept.
//!
//! Normals are dropped, because they change with the surface; the reading program recomputes them. References
//! to material libraries are dropped as well, because these are not exported; material names are kept.

use crate::part::Part;
use resile_record::Original;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Numbers of vertices and texture coordinates that precede a part in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct IndexOffsets {
    pub(crate) vertices: usize,
    pub(crate) textures: usize,
}

/// Writes the lines of the file with new vertex positions and indices increased by `offsets`. Returns the offsets of
/// the next part.
pub(crate) fn write(
    out: &mut dyn Write,
    original: &Original,
    positions: &[[f32; 3]],
    offsets: IndexOffsets,
) -> io::Result<IndexOffsets> {
    let mut positions = original.placed(positions).into_iter();
    let mut texture_count = 0;
    for line in original.text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let [x, y, z] = positions.next().expect("there is one position per vertex");
                // A colour may follow the position.
                let color: String = words.skip(3).map(|word| format!(" {word}")).collect();
                writeln!(out, "v {x} {y} {z}{color}")?;
            }
            Some("vn" | "mtllib") => {}
            Some(keyword @ ("f" | "l" | "p")) => {
                let corners: String = words.map(|word| offset_corner(word, offsets)).collect();
                writeln!(out, "{keyword}{corners}")?;
            }
            keyword => {
                texture_count += usize::from(keyword == Some("vt"));
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(IndexOffsets {
        vertices: offsets.vertices + original.vertices.len(),
        textures: offsets.textures + texture_count,
    })
}

/// Adds `offsets` to the indices of a corner such as `7/2/5` and drops its normal index. Negative indices are relative
/// to the end of the lists, so they stay.
fn offset_corner(corner: &str, offsets: IndexOffsets) -> String {
    let mut indices = corner.split('/');
    let offset_index = |text: &str, offset: usize| match text.parse::<i64>() {
        Ok(index) if index > 0 => (index + offset as i64).to_string(),
        _ => text.to_owned(),
    };
    let vertex = offset_index(indices.next().unwrap_or_default(), offsets.vertices);
    match indices.next() {
        None | Some("") => format!(" {vertex}"),
        Some(texture) => format!(" {vertex}/{}", offset_index(texture, offsets.textures)),
    }
}

/// Materials of the faces of an original file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FaceMaterials {
    /// Index into `material_names` for each face in the order of the file; `None` before the first `usemtl`.
    pub(crate) materials: Vec<Option<usize>>,
    /// Names of the materials, in the order of their first use.
    pub(crate) material_names: Vec<String>,
}

/// Reads the materials of the faces of a file.
pub(crate) fn face_materials(original: &Original) -> FaceMaterials {
    let (mut result, mut material) = (FaceMaterials::default(), None);
    for line in original.text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("f") => result.materials.push(material),
            Some("usemtl") => {
                let name = words.collect::<Vec<_>>().join(" ");
                let known = result.material_names.iter().position(|known| *known == name);
                material = Some(known.unwrap_or(result.material_names.len()));
                if known.is_none() {
                    result.material_names.push(name);
                }
            }
            _ => {}
        }
    }
    result
}

/// Whether the file assigns materials to faces or lines.
pub(crate) fn names_materials(original: &Original) -> bool {
    material_names(original).next().is_some()
}

/// Names of the materials that the original files of these parts use, each with the sRGB colour of its part.
pub(crate) fn materials(parts: &[Part]) -> BTreeSet<(&str, [u8; 3])> {
    let mut named = BTreeSet::new();
    for part in parts {
        let names = part.original.iter().flat_map(material_names);
        named.extend(names.map(|name| (name, part.srgb())));
    }
    named
}

/// Names in the `usemtl` lines of the file, in the order of the lines.
fn material_names(original: &Original) -> impl Iterator<Item = &str> {
    original.text.lines().filter_map(|line| line.trim().strip_prefix("usemtl ")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_have_the_material_named_before_them() {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl red paint\nf 1 2 \\\n3\nusemtl b\nf 1 2 3\nf 3 2 1\n\
                    usemtl  red  paint\nf 1 2 3\n";
        let original = Original::with_vertex_count(text.as_bytes(), 3).expect("it is a surface");
        let FaceMaterials { materials, material_names } = face_materials(&original);
        assert_eq!(material_names, ["red paint", "b"]);
        assert_eq!(materials, [None, Some(0), Some(1), Some(1), Some(0)]);
        assert_eq!(materials.len(), original.faces().faces.len());
    }

    #[test]
    fn obj_export_changes_only_positions_normals_and_indices() {
        let text = "# by hand\nmtllib a.mtl\no quad\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\n\
                    vn 0 0 1\ng top\nusemtl red\ns 1\nf 1/1/1 2/2/1 3//1 -1\nl 1 2\n";
        let original = Original::with_vertex_count(text.as_bytes(), 4).expect("it is a surface");
        let positions = [[5.0, 0.5, 0.0], [6.0, 0.0, 0.0], [6.0, 1.0, 0.0], [5.0, 1.0, 0.0]];
        let mut out = Vec::new();
        let offsets = IndexOffsets { vertices: 10, textures: 20 };
        let after = write(&mut out, &original, &positions, offsets).expect("memory takes all");
        assert_eq!(after, IndexOffsets { vertices: 14, textures: 22 });
        assert_eq!(
            String::from_utf8(out).expect("it is text"),
            "# by hand\no quad\nv 5 0.5 0 1 0 0\nv 6 0 0\nv 6 1 0\nv 5 1 0\nvt 0 0\nvt 1 0\ng top\nusemtl red\n\
             s 1\nf 11/21 12/22 13 -1\nl 11 12\n"
        );
    }
}
