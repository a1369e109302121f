//! Wavefront OBJ.

use crate::TriMesh;
use std::io::{self, BufWriter, Write};

/// Writes a surface as text: `v x y z` and `f a b c`, counted from 1.
pub fn write_obj(mesh: &TriMesh, writer: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    for p in &mesh.positions {
        // The shortest decimals that are read as the same number, with an exponent if
        // they would be many.
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    out.flush()
}
