//! Numbers of vertices: colours of PLY and OBJ, other properties of PLY, data of points of VTK.

use resile_mesh::read::{
    AnyMesh, OtherSolidPolicy, Seams, VertexFields, read_obj, read_ply, read_vtk_any, read_vtu_any,
};
use std::collections::BTreeMap;

fn fields<const N: usize>(expected: [(&str, &[f64]); N]) -> VertexFields {
    expected.into_iter().map(|(name, values)| (name.to_owned(), values.to_vec())).collect()
}

/// Vertex 1 is used by no face, and what is said of it is left out with it.
#[test]
fn ply_colours_are_scaled_to_unit_range_and_other_properties_kept() {
    let header = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nproperty float nx\nproperty uchar red\nproperty uchar alpha\n\
        property list uchar int tags\nproperty double weight\nproperty uchar kind\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let body = "0 0 0 9 255 0 2 7 7 0.25 3\n5 5 5 9 1 1 0 9 9\n1 0 0 9 51 255 0 -2 4\n0 1 0 9 0 102 1 7 1e3 5\n3 0 2 3\n";
    let read = read_ply(format!("{header}{body}").as_bytes()).unwrap();
    assert_eq!(read.mesh.positions.len(), 3);
    let expected = fields([
        ("alpha", &[0.0, 1.0, 0.4]),
        ("kind", &[3.0, 4.0, 5.0]),
        ("red", &[1.0, 0.2, 0.0]),
        ("weight", &[0.25, -2.0, 1000.0]),
    ]);
    assert_eq!(read.vertex_fields, expected);
}

#[test]
fn binary_and_text_ply_colours_are_equal() {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nproperty ushort green\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let mut file = header.as_bytes().to_vec();
    for (place, green) in
        [([0f32, 0.0, 0.0], 0u16), ([1.0, 0.0, 0.0], 13107), ([0.0, 1.0, 0.0], 65535)]
    {
        place.iter().for_each(|x| file.extend(x.to_le_bytes()));
        file.extend(green.to_le_bytes());
    }
    file.push(3);
    [0i32, 1, 2].iter().for_each(|x| file.extend(x.to_le_bytes()));
    let read = read_ply(&file[..]).unwrap();
    assert_eq!(read.vertex_fields, fields([("green", &[0.0, 0.2, 1.0])]));
}

/// The last vertex is a double of the first on a seam: where they are sewn, the first one counts.
#[test]
fn obj_colours_are_kept_if_all_vertices_have_one() {
    let faces = "f 1 2 3\nf 4 5 2\n";
    let places = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 1 -1 0", "v 0 0 0"];
    let with = |colours: [&str; 5]| {
        let lines = places.iter().zip(colours).map(|(place, colour)| format!("{place} {colour}\n"));
        let text: String = lines.chain([faces.to_owned()]).collect();
        read_obj(text.as_bytes()).unwrap()
    };
    let read = with(["1 0 0.5", "0 1 0", "0.25 0 0", "0 0 1", "0.75 0 0"]);
    assert_eq!((read.mesh.positions.len(), read.report.sewn), (4, 1));
    let expected = fields([
        ("blue", &[0.5, 0.0, 0.0, 1.0]),
        ("green", &[0.0, 1.0, 0.0, 0.0]),
        ("red", &[1.0, 0.0, 0.25, 0.0]),
    ]);
    assert_eq!(read.vertex_fields, expected);
    // A weight, as of rational curves, is no colour; and one vertex without makes all without.
    assert_eq!(with(["1"; 5]).vertex_fields, BTreeMap::new());
    assert_eq!(with(["1 0 0.5", "", "0 0 0", "0 0 1", "0.75 0 0"]).vertex_fields, BTreeMap::new());
}

fn fields_of(mesh: AnyMesh) -> VertexFields {
    match mesh {
        AnyMesh::Solid(solid) => solid.vertex_fields,
        AnyMesh::Surface(surface) => surface.vertex_fields,
    }
}

#[test]
fn vtk_point_data_are_read_for_solids_and_surfaces() {
    let points = "0 0 0 1 0 0 0 1 0 0 0 1 7 7 7";
    let piece = |cells: &str, types: &str, end: usize| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"1\">\
             <PointData><DataArray type=\"Float32\" Name=\"pin\" format=\"ascii\">0 0.5 1 0.25 9</DataArray>\
             <DataArray type=\"Float32\" Name=\"v\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 0 0 0 0 0 0 0 0 0 0 0 0</DataArray>\
             <DataArray type=\"String\" Name=\"names\" format=\"ascii\">97 0</DataArray></PointData>\
             <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">{points}</DataArray></Points>\
             <Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">{cells}</DataArray>\
             <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">{end}</DataArray>\
             <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">{types}</DataArray></Cells>\
             </Piece></UnstructuredGrid></VTKFile>"
        )
    };
    let xml = |text: String| {
        fields_of(read_vtu_any(text.as_bytes(), OtherSolidPolicy::Refuse, Seams::Sewn).unwrap())
    };
    assert_eq!(xml(piece("0 1 2 3", "10", 4)), fields([("pin", &[0.0, 0.5, 1.0, 0.25])]));
    assert_eq!(xml(piece("3 1 2", "5", 3)), fields([("pin", &[0.5, 1.0, 0.25])]));
    let legacy = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n\
        0 0 0 1 0 0 0 1 0 0 0 1 7 7 7\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n\
        CELL_DATA 1\nSCALARS part int 1\nLOOKUP_TABLE default\n4\n\
        POINT_DATA 5\nSCALARS pin float 1\nLOOKUP_TABLE default\n0 0.5 1 0.25 9\n";
    let read = read_vtk_any(legacy.as_bytes(), OtherSolidPolicy::Refuse, Seams::Sewn).unwrap();
    let AnyMesh::Solid(solid) = read else { panic!("it has a tetrahedron") };
    assert_eq!(solid.vertex_fields, fields([("pin", &[0.0, 0.5, 1.0, 0.25])]));
    assert_eq!(solid.fields["part"], [4.0]);
}
