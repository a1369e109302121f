//! A cube as a hexahedron, a pyramid on top of it, a tetrahedron at its side and a
//! triangle below, in every format that has elements.

use super::gmsh::{Block, Content, FORMATS};
use super::{GoodFile, words};
use resile_math::Vec3;

const POSITIONS: [[f64; 3]; 10] = [
    [0., 0., 0.],
    [1., 0., 0.],
    [1., 1., 0.],
    [0., 1., 0.],
    [0., 0., 1.],
    [1., 0., 1.],
    [1., 1., 1.],
    [0., 1., 1.],
    [2., 0., 0.],
    [0.5, 0.5, 2.],
];
/// Gmsh's number, VTK's number, Medit's keyword, nodes from 0.
const ELEMENTS: [(i32, u8, &str, &[u64]); 4] = [
    (2, 5, "Triangles", &[0, 2, 1]),
    (5, 12, "Hexahedra", &[0, 1, 2, 3, 4, 5, 6, 7]),
    (4, 10, "Tetrahedra", &[1, 8, 2, 5]),
    (7, 14, "Pyramids", &[4, 5, 6, 7, 9]),
];
/// In each dialect.
pub(crate) fn all() -> Vec<GoodFile> {
    let file = |ending, name: &str, bytes| {
        let name = format!("mixed {name}");
        GoodFile { ending, name, bytes }
    };
    let nodes = (1..).zip(POSITIONS.map(Vec3::from_array)).collect();
    let block = |&(code, _, _, nodes): &(i32, u8, &str, &[u64])| Block {
        code,
        elements: vec![nodes.iter().map(|n| n + 1).collect()],
    };
    let content = Content { nodes, blocks: ELEMENTS.iter().map(block).collect() };
    let gmsh = |format| file("msh", &format!("{format:?}"), content.encode(format));
    let mut files: Vec<GoodFile> = FORMATS.into_iter().map(gmsh).collect();
    files.push(file("mesh", "medit", medit().into()));
    files.push(file("vtk", "vtk", vtk().into()));
    files.push(file("vtu", "vtu", vtu().into()));
    files
}

fn coordinates() -> String {
    words(POSITIONS.as_flattened())
}

/// Elements before the vertices that they refer to.
fn medit() -> String {
    let mut text = "MeshVersionFormatted 2\nDimension 3\n".to_owned();
    for (_, _, keyword, nodes) in ELEMENTS {
        text += &format!("{keyword}\n1\n{}0\n", words(nodes.iter().map(|n| n + 1)));
    }
    text += "Vertices\n10\n";
    text.extend(POSITIONS.map(|p| format!("{}0\n", words(p))));
    text + "End\n"
}

fn vtk() -> String {
    let cells = ELEMENTS.map(|(_, _, _, nodes)| format!("{} {}\n", nodes.len(), words(nodes)));
    format!(
        "# vtk DataFile Version 3.0\nmixed\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n\
         {}\nCELLS 4 24\n{}CELL_TYPES 4\n{}\n",
        coordinates(),
        cells.concat(),
        words(ELEMENTS.map(|(_, code, ..)| code))
    )
}

fn vtu() -> String {
    let nodes = ELEMENTS.map(|(_, _, _, nodes)| words(nodes));
    let array = |name: &str, kind: &str, numbers: String| {
        format!("<DataArray type='{kind}' Name='{name}' format='ascii'>{numbers}</DataArray>\n")
    };
    format!(
        "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'>\n<UnstructuredGrid>\n\
         <Piece NumberOfPoints='10' NumberOfCells='4'>\n<Points>{}</Points>\n<Cells>{}{}{}</Cells>\n\
         </Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
        array("p", "Float64", coordinates()),
        array("connectivity", "Int32", nodes.concat()),
        array("offsets", "Int32", "3 11 15 20".to_owned()),
        array("types", "UInt8", words(ELEMENTS.map(|(_, code, ..)| code)))
    )
}
