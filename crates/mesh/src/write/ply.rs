//! PLY, binary.

use crate::TriMesh;
use std::io::{self, BufWriter, Write};

/// Writes a surface in little-endian binary, with coordinates as `double`.
pub fn write_ply(mesh: &TriMesh, writer: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    let (vertices, faces) = (mesh.positions.len(), mesh.triangles.len());
    write!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n")?;
    write!(out, "property double x\nproperty double y\nproperty double z\n")?;
    write!(out, "element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n")?;
    for coordinate in mesh.positions.iter().flat_map(|p| p.to_array()) {
        out.write_all(&coordinate.to_le_bytes())?;
    }
    for triangle in &mesh.triangles {
        out.write_all(&[3])?;
        for vertex in triangle {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    out.flush()
}
