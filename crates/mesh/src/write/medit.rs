//! Medit `.mesh`, text.

use crate::TetMesh;
use std::io::{self, BufWriter, Write};

/// Writes a solid; every node and element has the reference 0.
pub fn write_medit(mesh: &TetMesh, writer: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    write!(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.positions.len())?;
    for p in &mesh.positions {
        writeln!(out, "{:?} {:?} {:?} 0", p.x, p.y, p.z)?;
    }
    write!(out, "Tetrahedra\n{}\n", mesh.tets.len())?;
    for tet in &mesh.tets {
        let [a, b, c, d] = tet.map(|node| u64::from(node) + 1);
        writeln!(out, "{a} {b} {c} {d} 0")?;
    }
    writeln!(out, "End")?;
    out.flush()
}
