//! Gmsh `.msh`, version 4.1, binary.

use crate::TetMesh;
use std::io::{self, BufWriter, Write};

/// Gmsh's number for a linear tetrahedron.
const TETRAHEDRON: i32 = 4;
/// The one volume that all nodes and elements belong to: its dimension and number.
const VOLUME: [i32; 2] = [3, 1];

/// Writes a solid as one volume, in binary, the least significant byte first.
pub fn write_gmsh(mesh: &TetMesh, writer: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    out.write_all(b"$MeshFormat\n4.1 1 8\n")?;
    ints(&mut out, [1])?;
    out.write_all(b"\n$EndMeshFormat\n$Entities\n")?;
    sizes(&mut out, [0, 0, 0, 1])?;
    ints(&mut out, [VOLUME[1]])?;
    let bounds = mesh.bounds().map_or([0.0; 6], |b| {
        let ([x, y, z], [u, v, w]) = (b.min.to_array(), b.max.to_array());
        [x, y, z, u, v, w]
    });
    reals(&mut out, bounds)?;
    sizes(&mut out, [0, 0])?;
    out.write_all(b"\n$EndEntities\n$Nodes\n")?;
    let nodes = mesh.positions.len() as u64;
    sizes(&mut out, [1, nodes, 1, nodes])?;
    ints(&mut out, VOLUME)?;
    ints(&mut out, [0])?;
    sizes(&mut out, [nodes])?;
    sizes(&mut out, 1..=nodes)?;
    reals(&mut out, mesh.positions.iter().flat_map(|p| p.to_array()))?;
    out.write_all(b"\n$EndNodes\n$Elements\n")?;
    let tets = mesh.tets.len() as u64;
    sizes(&mut out, [1, tets, 1, tets])?;
    ints(&mut out, VOLUME)?;
    ints(&mut out, [TETRAHEDRON])?;
    sizes(&mut out, [tets])?;
    for (number, corners) in (1..).zip(&mesh.tets) {
        sizes(&mut out, [number])?;
        sizes(&mut out, corners.map(|node| u64::from(node) + 1))?;
    }
    out.write_all(b"\n$EndElements\n")?;
    out.flush()
}

fn ints(out: &mut impl Write, numbers: impl IntoIterator<Item = i32>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn sizes(out: &mut impl Write, numbers: impl IntoIterator<Item = u64>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn reals(out: &mut impl Write, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
