//! Solids, with the exception of Gmsh's and of VTK's XML.

use super::{BETWEEN_FILES, int, real, words};
use resile_mesh::TetMesh;
use std::fmt::Write;

pub(super) fn medit(mesh: &TetMesh) -> String {
    let mut text = "MeshVersionFormatted 2\nDimension\n3\n# remark\nVertices\n".to_owned();
    writeln!(text, "{}", mesh.positions.len()).unwrap();
    text.extend(mesh.positions.iter().map(|p| format!("{}7\n", words(p.to_array()))));
    text.push_str("RequiredVertices 2\n1\n2\nTriangles 1\n1 2 3 0\nTetrahedra\n");
    writeln!(text, "{}", mesh.tets.len()).unwrap();
    text.extend(mesh.tets.iter().map(|t| format!("{}1\n", words(t.map(|n| n + 1)))));
    text + "End\n"
}

pub(super) fn tetgen(mesh: &TetMesh, first: u32) -> String {
    let mut text = format!("# remark\n{} 3 1 0\n", mesh.positions.len());
    for (number, p) in (first..).zip(&mesh.positions) {
        writeln!(text, "{number} {}0.5 # node", words(p.to_array())).unwrap();
    }
    writeln!(text, "{BETWEEN_FILES}{} 4 0", mesh.tets.len()).unwrap();
    for (number, t) in (first..).zip(&mesh.tets) {
        writeln!(text, "{number} {}", words(t.map(|n| n + first))).unwrap();
    }
    text
}

/// A field, the points, and a triangle before the tetrahedra.
pub(super) fn vtk(mesh: &TetMesh, binary: bool) -> Vec<u8> {
    let (points, cells) = (mesh.positions.len(), mesh.tets.len() + 1);
    let kind = if binary { "BINARY" } else { "ASCII" };
    let mut bytes = format!("# vtk DataFile Version 3.0\ntitle\n{kind}\n").into_bytes();
    bytes.extend(b"DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\ntime 1 1 double\n");
    let reals = |xs: &[f64]| match binary {
        true => xs.iter().flat_map(|&x| real(true, x)).collect(),
        false => words(xs).into_bytes(),
    };
    let ints = |is: &[u32]| match binary {
        true => is.iter().flat_map(|&i| int(true, i)).collect(),
        false => words(is).into_bytes(),
    };
    bytes.extend(reals(&[0.25]));
    bytes.extend(format!("\nPOINTS {points} double\n").bytes());
    mesh.positions.iter().for_each(|p| bytes.extend(reals(&p.to_array())));
    bytes.extend(b"\nMETADATA\nINFORMATION 0\n\n");
    bytes.extend(format!("CELLS {cells} {}\n", 4 + 5 * mesh.tets.len()).bytes());
    bytes.extend(ints(&[3, 0, 1, 2]));
    mesh.tets.iter().for_each(|&[a, b, c, d]| bytes.extend(ints(&[4, a, b, c, d])));
    bytes.extend(format!("\nCELL_TYPES {cells}\n").bytes());
    bytes.extend(ints(&[5]));
    mesh.tets.iter().for_each(|_| bytes.extend(ints(&[10])));
    bytes.extend(b"\nPOINT_DATA 1\n");
    bytes
}

/// The arrangement of version 5.
pub(super) fn vtk_5(mesh: &TetMesh) -> Vec<u8> {
    let (points, tets) = (mesh.positions.len(), mesh.tets.len());
    let mut bytes = b"# vtk DataFile Version 5.1\ntitle\nBINARY\n".to_vec();
    bytes.extend(format!("DATASET UNSTRUCTURED_GRID\nPOINTS {points} double\n").bytes());
    let reals = mesh.positions.iter().flat_map(|p| p.to_array());
    bytes.extend(reals.flat_map(f64::to_be_bytes));
    bytes.extend(format!("\nCELLS {} {}\nOFFSETS vtktypeint64\n", tets + 1, 4 * tets).bytes());
    bytes.extend((0..=tets as i64).flat_map(|k| (4 * k).to_be_bytes()));
    bytes.extend(b"\nCONNECTIVITY vtktypeint64\n");
    bytes.extend(mesh.tets.iter().flatten().flat_map(|&n| i64::from(n).to_be_bytes()));
    bytes.extend(format!("\nCELL_TYPES {tets}\n").bytes());
    bytes.extend((0..tets).flat_map(|_| 10_i32.to_be_bytes()));
    bytes
}
