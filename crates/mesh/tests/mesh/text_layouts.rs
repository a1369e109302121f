//! Layouts of text that formats permit and few programs write: comments, line ends, orders, cases, encodings.

use resile_mesh::read::{
    MeshFileError, ObjError, ObjMesh, OtherSolidPolicy, Seams, read_gmsh, read_obj, read_obj_faces,
    read_obj_mesh, read_off, read_ply, read_stl, read_vtk,
};

const TET: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn comments_may_end_any_line_of_an_obj_file() {
    let text = "v 0 0 0 # origin\nv 1 0 0#x\nv 0 1 0 1 0 0 # red\nvt 0 0 # texture\ng left #1 # a part\n\
        usemtl no # 2\nf 1/1 2/1 3/1 # the only face\n# f 9 9 9 \\\nl 1 2 # edge\n";
    let read = read_obj(text.as_bytes()).unwrap();
    assert_eq!((read.mesh.triangles.len(), read.report.unknown_lines.len()), (1, 0));
    assert_eq!(read.groups.keys().collect::<Vec<_>>(), ["#1", "left", "no"]);
    assert_eq!(read_obj_faces(text.as_bytes()).faces.iter().collect::<Vec<_>>(), [[0, 1, 2]]);
    let curves = read_obj_mesh(&b"v 0 0 0\nv 1 0 0\nl 1 2 # edge\n"[..], Seams::Sewn).unwrap();
    assert!(matches!(curves, ObjMesh::Curves { .. }));
}

/// Lines that end with a carriage return alone, as on old Macs.
#[test]
fn carriage_returns_end_lines_in_all_formats() {
    let mac = |text: &str| text.replace('\n', "\r").into_bytes();
    let expected = read_obj(TET.as_bytes()).unwrap().mesh;
    assert_eq!(read_obj(&mac(&format!("# a tetrahedron\n{TET}"))[..]).unwrap().mesh, expected);
    assert_eq!(read_obj_faces(&mac(TET)).faces.len(), 4);
    let off = "OFF # a triangle\n3 1 0\n0 0 0\n1 0 0 # x\n0 1 0\n3 0 1 2\n";
    assert_eq!(read_off(&mac(off)[..]).unwrap().mesh.area(), 0.5);
    let ply = "ply\nformat ascii 1.0\ncomment 9 9\nelement vertex 3\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    assert_eq!(read_ply(&mac(ply)[..]).unwrap().mesh.area(), 0.5);
    let stl = "solid a facet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
        endloop\nendfacet\nendsolid a\n";
    assert_eq!(read_stl(&mac(stl)[..]).unwrap().mesh.area(), 0.5);
    let gmsh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n\
        $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n\
        $EndElements\n";
    let read = read_gmsh(&mac(gmsh)[..], OtherSolidPolicy::Refuse).unwrap();
    assert_eq!(read.groups["body"].elements, [0]);
    let vtk = "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
        0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\n\
        SCALARS a int\nLOOKUP_TABLE default\n7\n";
    let read = read_vtk(&mac(vtk)[..], OtherSolidPolicy::Refuse).unwrap();
    assert_eq!((read.fields["a"][0], read.report.warnings().len()), (7.0, 0));
    let wrong = read_obj(&mac("v 0 0 0\nv 1 0 0\nf 1 2 x\n")[..]).unwrap_err();
    assert!(wrong.to_string().starts_with("line 3: "), "{wrong}");
    let wrong = read_off(&mac("OFF\n3 1 0\n0 0 0\n1 0 zero\n0 1 0\n3 0 1 2\n")[..]).unwrap_err();
    assert!(wrong.to_string().starts_with("line 4: "), "{wrong}");
}

#[test]
fn utf_16_is_rejected_with_its_remedy() {
    let encoded = |text: &str, mark: bool, little_endian: bool| -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        let units = mark.into_iter().chain(text.encode_utf16());
        let bytes = |unit: u16| if little_endian { unit.to_le_bytes() } else { unit.to_be_bytes() };
        units.flat_map(bytes).collect()
    };
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
        endloop\nendfacet\nendsolid a\n";
    let ply = "ply\nformat ascii 1.0\n";
    let remedy = "encoded in UTF-16; save it in UTF-8";
    for (mark, little_endian) in [(true, true), (true, false), (false, true), (false, false)] {
        let of = |text: &str| encoded(text, mark, little_endian);
        let errors = [
            read_obj(&of(TET)[..]).unwrap_err().to_string(),
            read_stl(&of(stl)[..]).unwrap_err().to_string(),
            read_ply(&of(ply)[..]).unwrap_err().to_string(),
            read_off(&of("OFF\n1 1 0\n")[..]).unwrap_err().to_string(),
        ];
        for error in errors {
            assert!(error.contains(remedy), "{mark} {little_endian}: {error}");
        }
    }
    assert!(matches!(read_obj(&encoded(TET, true, true)[..]), Err(ObjError::Input(_))));
}

#[test]
fn ply_faces_may_precede_vertices() {
    let text = "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int vertex_indices\n\
        element tristrips 1\nproperty list int int vertex_indices\nelement vertex 5\nproperty float x\n\
        property float y\nproperty float z\nend_header\n3 0 1 2\n3 0 2 3\n3 1 4 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 0\n";
    let read = read_ply(text.as_bytes()).unwrap();
    assert_eq!((read.mesh.triangles.len(), read.mesh.area()), (3, 1.5));
    let mut binary = b"ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uchar int vertex_indices\n\
        element vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n\x03".to_vec();
    [0i32, 1, 2].iter().for_each(|corner| binary.extend(corner.to_le_bytes()));
    for x in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        binary.extend(x.to_le_bytes());
    }
    assert_eq!(read_ply(&binary[..]).unwrap().mesh.area(), 0.5);
    let without = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 2\n";
    let error = read_ply(without.as_bytes()).unwrap_err();
    assert!(matches!(error, MeshFileError::Missing { what: "vertices" }), "{error}");
    let beyond = text.replace("3 0 2 3\n", "3 0 2 5\n");
    let error = read_ply(beyond.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "element 1, counted from 0, refers to vertex 5, but they go from 0 to 4");
}

#[test]
fn stl_text_may_be_in_capitals() {
    let text = "SOLID A\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 1 0\n\
        ENDLOOP\nENDFACET\nENDSOLID A\n";
    assert_eq!(read_stl(text.as_bytes()).unwrap().mesh.area(), 0.5);
    let message =
        read_stl(&b"Solid a\nFacet normal 0 0 1\nouter ring\n"[..]).unwrap_err().to_string();
    assert_eq!(message, "line 3: expected loop, found `ring`");
}
