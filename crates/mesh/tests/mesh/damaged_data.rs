//! Data of cells and points of VTK files: blocks that VTK writes between arrays, and defects, which are noted.

use resile_mesh::read::{
    AnyMesh, OtherSolidPolicy, Seams, SolidMesh, read_vtk, read_vtk_any, read_vtu,
};

const GRID: &str = "# vtk DataFile Version 4.2\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
    0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

fn solid(data: &str) -> SolidMesh {
    let text = format!("{GRID}{data}");
    read_vtk(text.as_bytes(), OtherSolidPolicy::Refuse).expect("the mesh is valid")
}

/// Names of the fields of cells and points, and the warnings.
fn outcome(data: &str) -> (Vec<String>, Vec<String>) {
    let read = solid(data);
    let names = read.fields.keys().chain(read.vertex_fields.keys()).cloned().collect();
    (names, read.report.warnings())
}

#[test]
fn metadata_may_follow_any_array() {
    let metadata = "METADATA\nINFORMATION 2\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 1 2\n\
        NAME L2_NORM_FINITE_RANGE LOCATION vtkDataArray\nDATA 2 1 2\n\n";
    let data = format!(
        "CELL_DATA 1\nFIELD FieldData 3\nE 1 1 double\n2.5\n{metadata}NULL_ARRAY\n\
         material 1 1 int\n3\n{metadata}SCALARS young double 1\nLOOKUP_TABLE default\n7\n{metadata}\
         POINT_DATA 4\nFIELD FieldData 2\nw 1 4 double\n1 2 3 4\nMETADATA\nCOMPONENT_NAMES\nw%20of\n\n\
         mark 1 4 char\n0 1 1 0\n{metadata}"
    );
    let (names, warnings) = outcome(&data);
    assert_eq!(names, ["E", "material", "young", "mark", "w"]);
    assert_eq!(warnings, [""; 0]);
    let read = solid(&data);
    assert_eq!((read.fields["E"][0], read.fields["young"][0]), (2.5, 7.0));
    assert_eq!(read.groups["material=3"].elements, [0]);
    assert_eq!(read.groups["mark"].nodes, [1, 2]);
}

/// Arrays that nothing uses do not end the data.
#[test]
fn colours_identifiers_and_texture_coordinates_are_skipped() {
    let (names, warnings) = outcome(
        "POINT_DATA 4\nCOLOR_SCALARS shade 1\n0 0.5 1 0\nSCALARS a float 1\nLOOKUP_TABLE own\n1 2 3 4\n\
         LOOKUP_TABLE own 1\n0 0 0 1\nTEXTURE_COORDINATES uv 2 float\n0 0 0 0 0 0 0 0\nGLOBAL_IDS id int\n\
         1 2 3 4\nTENSORS6 t float\n1 2 3 4 5 6 1 2 3 4 5 6 1 2 3 4 5 6 1 2 3 4 5 6\nSCALARS b int\n\
         LOOKUP_TABLE default\n1 2 3 4\n",
    );
    assert_eq!(names, ["a", "b"]);
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn defects_of_data_are_noted_with_their_lines() {
    let good = "CELL_DATA 1\nSCALARS good double 1\nLOOKUP_TABLE default\n1\n";
    let after = "left out the data of cells and points after an error:";
    let cases = [
        (
            "SCALARS bad double 1\nLOOKUP_TABLE default\nx\n",
            "in data array `bad`: line 17: expected a number, found `x`",
        ),
        (
            "SCALARS bad double 1\n3\n",
            "in data array `bad`: line 16: expected `LOOKUP_TABLE`, found `3`",
        ),
        (
            "FIELD f 1\nbad 1 1 quadruple\n3\n",
            "in data array `bad`: line 16: expected a type such as `float` or `int`, found `quadruple`",
        ),
        (
            "SHAPES bad 3\n",
            "line 15: expected an array of data such as `SCALARS`, found `SHAPES bad 3`",
        ),
        (
            "FIELD f 2\nbad 3 1 double\n1 2 3\n",
            "line 18: the file ends where an array's name should be",
        ),
        (
            "VECTORS bad double\n1 2\n",
            "in data array `bad`: line 16: 3 numbers are announced, but the rest of the file can hold at most 2",
        ),
        ("POINT_DATA\n", "line 16: the file ends where a number of cells or points should be"),
    ];
    for (data, reason) in cases {
        let (names, warnings) = outcome(&format!("{good}{data}"));
        assert_eq!(names, ["good"], "{data}");
        assert_eq!(warnings, [format!("{after} {reason}")], "{data}");
    }
    let (names, warnings) = outcome(&format!(
        "{good}FIELD f 1\nshort 1 2 int\n4 5\nPOINT_DATA 3\nSCALARS w float\nLOOKUP_TABLE x\n1 2 3\n"
    ));
    assert_eq!(names, ["good"]);
    assert_eq!(
        warnings,
        [
            "left out the data array `short`, which has 2 values for 1 cells",
            "left out the data array `w`, which has 3 values for 4 points"
        ]
    );
}

#[test]
fn defects_of_binary_data_are_noted_with_their_bytes() {
    let mut file = GRID.split("POINTS").next().unwrap().replace("ASCII", "BINARY").into_bytes();
    file.extend(b"POINTS 4 float\n");
    for x in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] {
        file.extend(x.to_be_bytes());
    }
    file.extend(b"\nCELLS 1 5\n");
    [4i32, 0, 1, 2, 3].iter().for_each(|node| file.extend(node.to_be_bytes()));
    file.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\nCELL_DATA 1\nFIELD f 2\nE 1 1 float\n");
    file.extend(2.5f32.to_be_bytes());
    file.extend(b"\nMETADATA\nINFORMATION 0\n\nbad 1 1 double\n\n");
    let read = read_vtk(&file[..], OtherSolidPolicy::Refuse).unwrap();
    assert_eq!(read.fields["E"], [2.5]);
    let byte = file.len() - 1;
    let reason = format!(
        "byte {byte}: 1 numbers are announced, but the rest of the file can hold at most 0"
    );
    assert_eq!(
        read.report.warnings(),
        [format!(
            "left out the data of cells and points after an error: in data array `bad`: {reason}"
        )]
    );
}

#[test]
fn data_of_surfaces_and_of_vtu_are_noted_too() {
    let text = "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n\
        0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nSCALARS w float\nLOOKUP_TABLE default\n1 2\n";
    let read = read_vtk_any(text.as_bytes(), OtherSolidPolicy::Refuse, Seams::Sewn).unwrap();
    let AnyMesh::Surface(surface) = read else { panic!("it is a surface") };
    let [warning] = &surface.report.warnings()[..] else { panic!("{:?}", surface.report) };
    assert!(warning.contains("`w`") && warning.contains("line "), "{warning}");
    let array = |kind: &str, name: &str, numbers: &str| {
        format!("<DataArray type='{kind}' Name='{name}' format='ascii'>{numbers}</DataArray>")
    };
    let vtu = format!(
        "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece NumberOfPoints='4' NumberOfCells='1'>\
         <Points><DataArray type='Float64' NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 0 1 0 0 0 1</DataArray>\
         </Points><Cells>{}{}{}</Cells><CellData>{}</CellData></Piece></UnstructuredGrid></VTKFile>",
        array("Int32", "connectivity", "0 1 2 3"),
        array("Int32", "offsets", "4"),
        array("UInt8", "types", "10"),
        array("Float64", "E", "1 2")
    );
    let read = read_vtu(vtu.as_bytes(), OtherSolidPolicy::Refuse).unwrap();
    let said = "left out the data array `E`, which has 2 values for 1 cells";
    assert_eq!(read.report.warnings(), [said]);
}
