//! Wavefront OBJ.

use super::group_sets::GroupSets;
use crate::TriMesh;
use crate::read::Groups;
use std::io::{self, BufWriter, Write};

/// Writes a surface as text: `v x y z` and `f a b c`, counted from 1, and `g` with the group names of the faces
/// that follow. Blanks in names, which would separate them, become underscores. Groups without faces are left
/// out.
///
/// # Errors
/// If writing fails.
pub fn write_obj(mesh: &TriMesh, groups: &Groups, writer: impl Write) -> io::Result<()> {
    let sets = GroupSets::new(&mesh.triangles, groups);
    let mut out = BufWriter::new(writer);
    for p in &mesh.positions {
        // Shortest decimals that parse to the same number, with an exponent if they would be long.
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    let mut current = 0;
    for (triangle, &set) in mesh.triangles.iter().zip(&sets.elements) {
        if set != current {
            let names: Vec<String> =
                sets.names_of(set).map(|name| name.replace(char::is_whitespace, "_")).collect();
            writeln!(out, "g {}", names.join(" "))?;
            current = set;
        }
        let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    out.flush()
}
