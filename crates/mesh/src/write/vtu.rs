//! VTK XML `.vtu`, numbers raw after the XML.

use crate::TetMesh;
use std::io::{self, BufWriter, Write};

/// VTK's number for a linear tetrahedron.
const TETRAHEDRON: u8 = 10;

/// The arrays of the file: name, type, bytes of a number, numbers of one point.
const ARRAYS: [(&str, &str, u64, u64); 4] = [
    ("Points", "Float64", 8, 3),
    ("connectivity", "UInt32", 4, 1),
    ("offsets", "UInt64", 8, 1),
    ("types", "UInt8", 1, 1),
];

/// Writes a solid as an unstructured grid with no fields.
pub fn write_vtu(mesh: &TetMesh, writer: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    let (nodes, tets) = (mesh.positions.len() as u64, mesh.tets.len() as u64);
    let counts = [3 * nodes, 4 * tets, tets, tets];
    let lengths = [0, 1, 2, 3].map(|k| ARRAYS[k].2 * counts[k]);
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    write!(out, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" ")?;
    writeln!(out, "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>")?;
    writeln!(out, "<Piece NumberOfPoints=\"{nodes}\" NumberOfCells=\"{tets}\">\n<Points>")?;
    let mut offset = 0;
    for (number, (name, kind, _, components)) in ARRAYS.into_iter().enumerate() {
        write!(out, "<DataArray type=\"{kind}\" Name=\"{name}\" ")?;
        write!(out, "NumberOfComponents=\"{components}\" ")?;
        writeln!(out, "format=\"appended\" offset=\"{offset}\"/>")?;
        offset += 8 + lengths[number];
        if name == "Points" {
            writeln!(out, "</Points>\n<Cells>")?;
        }
    }
    writeln!(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">")?;
    write!(out, "_")?;
    out.write_all(&lengths[0].to_le_bytes())?;
    for coordinate in mesh.positions.iter().flat_map(|p| p.to_array()) {
        out.write_all(&coordinate.to_le_bytes())?;
    }
    out.write_all(&lengths[1].to_le_bytes())?;
    for node in mesh.tets.as_flattened() {
        out.write_all(&node.to_le_bytes())?;
    }
    out.write_all(&lengths[2].to_le_bytes())?;
    for end in 1..=tets {
        out.write_all(&(4 * end).to_le_bytes())?;
    }
    out.write_all(&lengths[3].to_le_bytes())?;
    for _ in 0..tets {
        out.write_all(&[TETRAHEDRON])?;
    }
    writeln!(out, "\n</AppendedData>\n</VTKFile>")?;
    out.flush()
}
