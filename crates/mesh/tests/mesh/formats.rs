//! What the readers make of good files of every format, and of what is left of them
//! after damage.

use crate::good_files::read::{Mesh, read};
use crate::good_files::{self, GoodFile, ball, mixed};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::read::{
    MeshFileError, OtherSolidPolicy, SolidMesh, read_gmsh, read_medit, read_obj, read_off,
    read_vtk, read_vtu,
};

fn sphere() -> TriMesh {
    ball().boundary()
}

/// The first file of this name.
fn good(name: &str) -> Vec<u8> {
    good_files::all().into_iter().find(|file| file.name == name).unwrap().bytes
}

/// Vertices in the order in which triangles first use them, as STL delivers them.
fn in_order_of_use(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect()
}

#[test]
fn every_format_reads_the_mesh_bit_for_bit() {
    for sample in good_files::all() {
        let found = read(sample.ending, &sample.bytes, OtherSolidPolicy::Refuse);
        let found = found.unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        match found {
            // Laws of their own.
            Mesh::Cache(_) => {}
            Mesh::Solid(mesh) => assert_eq!(mesh, ball(), "{}", sample.name),
            Mesh::Surface(mesh) => {
                let expected = sphere();
                assert_eq!(in_order_of_use(&mesh), in_order_of_use(&expected), "{}", sample.name);
                assert_eq!(mesh.positions.len(), expected.positions.len(), "{}", sample.name);
                assert_eq!(mesh.defects(), expected.defects());
            }
        }
    }
}

#[test]
fn report_maps_file_vertex_numbers_to_mesh_vertices() {
    let off = "OFF\n5 1 0\n9 9 9\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 4 3 1 2\n";
    let obj = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 5 5 1\nf 5 4 2 3\n";
    let in_file = [[9.0; 3], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let read = [read_off(off.as_bytes()).unwrap(), read_obj(obj.as_bytes()).unwrap()];
    for surface in read {
        assert_eq!(surface.vertices.len(), in_file.len());
        for (place, vertex) in in_file.iter().zip(surface.vertices) {
            let found = vertex.map(|vertex| surface.mesh.positions[vertex as usize].to_array());
            assert_eq!(found, (*place != [9.0; 3]).then_some(*place));
        }
    }
}

#[test]
fn report_lists_skipped_and_changed_content() {
    let left = read_medit(&good("medit")[..], OtherSolidPolicy::Refuse).unwrap().report.notes();
    assert_eq!(
        left,
        ["left out elements other than tetrahedra (their groups are kept): 1 triangle"]
    );
    let left = read_vtk(&good("binary vtk")[..], OtherSolidPolicy::Refuse).unwrap().report.notes();
    assert_eq!(
        left,
        ["left out elements other than tetrahedra (their groups are kept): 1 triangle"]
    );
    // A square, a triangle with two corners in one, and a vertex to spare.
    let off = "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n9 9 9\n4 0 1 2 3\n3 0 1 1\n";
    let read = read_off(off.as_bytes()).unwrap();
    assert_eq!(read.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        read.report.notes(),
        [
            "split 1 polygons into triangles",
            "left out 1 triangles with two corners in one",
            "dropped 1 vertices that no face uses"
        ]
    );
}

/// What a reader of solids delivers.
fn solid(file: &GoodFile, others: OtherSolidPolicy) -> Result<SolidMesh, MeshFileError> {
    match file.ending {
        "msh" => read_gmsh(&file.bytes[..], others),
        "vtk" => read_vtk(&file.bytes[..], others),
        "vtu" => read_vtu(&file.bytes[..], others),
        "mesh" => read_medit(&file.bytes[..], others),
        other => panic!("no elements in .{other}"),
    }
}

#[test]
fn other_solid_elements_are_rejected_unless_skipped_on_request() {
    for file in mixed::all() {
        let name = &file.name;
        let refused = solid(&file, OtherSolidPolicy::Refuse).unwrap_err().to_string();
        assert_eq!(
            refused,
            "the file has 1 hexahedron, 1 pyramid beside 1 tetrahedron; a solid is made of linear \
             tetrahedra alone, and would have holes without the others",
            "{name}"
        );
        let SolidMesh { mesh, report, .. } = solid(&file, OtherSolidPolicy::LeaveOut).unwrap();
        assert_eq!(mesh.positions.len(), 4, "{name}");
        let six = 6.0 * mesh.volume();
        assert!((six - 1.0).abs() < 1e-15, "{name}: {six}");
        assert_eq!(
            report.notes(),
            [
                "left out elements other than tetrahedra (their groups are kept): 1 triangle",
                "dropped 6 nodes that no tetrahedron uses"
            ],
            "{name}"
        );
        let holes = report.holes.unwrap_or_else(|| panic!("{name}"));
        // Of the volumes 1 + 1/3 + 1/6.
        let share = holes.share.unwrap_or_else(|| panic!("{name}"));
        assert!((share - 8.0 / 9.0).abs() < 1e-15, "{name}: {share}");
        assert_eq!(
            holes.to_string(),
            "left out 1 hexahedron, 1 pyramid, 88.9 % of the volume: the solid has holes where \
             they were"
        );
    }
}

#[test]
fn other_solid_elements_are_divided_into_conforming_tetrahedra() {
    for file in mixed::all() {
        let name = &file.name;
        let SolidMesh { mesh, report, .. } = solid(&file, OtherSolidPolicy::Divide).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (10, 9), "{name}");
        assert_eq!(mesh.check(), Ok(()), "{name}");
        let six = 6.0 * mesh.volume();
        assert!((six - 9.0).abs() < 1e-14, "{name}: {six}");
        // Five squares of the cube, one of them beside a triangle of the tetrahedron, and the four sides of the pyramid.
        let surface = mesh.boundary();
        assert_eq!(surface.defects().open_edges, 0, "{name}");
        assert_eq!(
            report.notes(),
            [
                "left out elements other than tetrahedra (their groups are kept): 1 triangle",
                "divided 1 hexahedron, 1 pyramid into 8 tetrahedra"
            ],
            "{name}"
        );
        assert_eq!(report.holes, None, "{name}");
    }
}

/// A unit cube of these hexahedra.
fn hexahedra(corners: &[&str]) -> Result<SolidMesh, MeshFileError> {
    let nodes = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n";
    let element = |(k, corners): (usize, &&str)| format!("{} 5 2 {k} {k} {corners}\n", k + 7);
    let elements: String = corners.iter().enumerate().map(element).collect();
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}$EndNodes\n$Elements\n{}\n{elements}$EndElements\n",
        corners.len()
    );
    read_gmsh(text.as_bytes(), OtherSolidPolicy::Divide)
}

#[test]
fn reversed_and_twisted_hexahedra_are_noted_and_missing_corners_are_named() {
    let note = |corners: &str| hexahedra(&[corners]).unwrap().report.notes().remove(0);
    assert_eq!(note("1 2 3 4 5 6 7 8"), "divided 1 hexahedron into 6 tetrahedra");
    let reversed = note("5 6 7 8 1 2 3 4");
    assert!(
        reversed.ends_with("; the corners of 1 are listed in the opposite order"),
        "{reversed}"
    );
    let twisted = note("1 2 4 3 5 6 7 8");
    assert!(twisted.contains("1 is concave, flat or twisted"), "{twisted}");
    let lost = hexahedra(&["1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 99"]).unwrap_err().to_string();
    assert!(lost.contains("solid element 1,") && lost.contains("node 99"), "{lost}");
}

/// A unit cube of one hexahedron with nodes on its edges, of which that of the last edge is at `last`.
fn second_order_hexahedron(last: [f64; 3]) -> String {
    let corners =
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    let corners = corners.map(|corner: [i32; 3]| corner.map(f64::from));
    // Gmsh: edges 01, 03, 04, 12, 15, 23, 26, 37, 45, 47, 56, 67.
    let edges =
        [[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6]];
    let middle = |[a, b]: [usize; 2]| [0, 1, 2].map(|k| 0.5 * (corners[a][k] + corners[b][k]));
    let nodes = [&corners[..], &edges.map(middle), &[last]].concat();
    let lines: String =
        (1..).zip(&nodes).map(|(n, [x, y, z])| format!("{n} {x} {y} {z}\n")).collect();
    let numbers: Vec<String> = (1..=20).map(|n: u32| n.to_string()).collect();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n20\n{lines}$EndNodes\n$Elements\n1\n1 17 2 1 1 {}\n$EndElements\n",
        numbers.join(" ")
    )
}

#[test]
fn dropped_midside_nodes_of_divided_elements_are_noted_with_their_distance() {
    let note = |last: [f64; 3]| {
        let text = second_order_hexahedron(last);
        read_gmsh(text.as_bytes(), OtherSolidPolicy::Divide).unwrap().report.notes().remove(0)
    };
    let straight = note([0.5, 1.0, 1.0]);
    assert!(
        straight.ends_with("their 12 mid-side nodes are dropped: all edges are straight"),
        "{straight}"
    );
    let curved = note([0.5, 1.0, 1.125]);
    assert!(curved.contains("1 are off the middle of their edge, by up to 0.125"), "{curved}");
}

#[test]
fn skipping_other_solids_does_not_change_pure_tetrahedra_files() {
    let elements = |file: &GoodFile| matches!(file.ending, "msh" | "vtk" | "vtu" | "mesh");
    for file in good_files::all().into_iter().filter(elements) {
        let policies =
            [OtherSolidPolicy::Refuse, OtherSolidPolicy::LeaveOut, OtherSolidPolicy::Divide];
        let [refused, left, divided] = policies.map(|policy| solid(&file, policy).unwrap());
        assert_eq!(refused, left, "{}", file.name);
        assert_eq!(refused, divided, "{}", file.name);
    }
}

#[test]
fn unusable_files_are_rejected_with_a_reason() {
    let text = |mesh: String| mesh.into_bytes();
    let medit_of = |sections: &str| {
        let points = "0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n";
        text(format!("MeshVersionFormatted 1\nDimension 3\nVertices 4\n{points}{sections}\nEnd\n"))
    };
    let replaced = |name: &str, from: &str, to: &str| {
        let text = String::from_utf8(good(name)).unwrap();
        assert!(text.contains(from), "{from}");
        text.replace(from, to).into_bytes()
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "mesh",
            medit_of("Hexahedra 1\n1 2 3 4 1 2 3 4 0"),
            "1 hexahedron and no linear tetrahedra",
        ),
        ("mesh", medit_of("Triangles 1\n1 2 3 0"), "no tetrahedra (found: 1 triangle)"),
        ("mesh", medit_of("TetrahedraP2 1\n1 2 3 4 1 2 3 4 1 5 0"), "refers to vertex 5"),
        (
            "mesh",
            medit_of("Tetrahedra 1\n1 2 3 5 0"),
            "refers to vertex 5, but they go from 1 to 4",
        ),
        ("mesh", b"MeshVersionFormatted 1\nDimension 2\n".to_vec(), "a mesh in 2 dimensions"),
        ("mesh", medit_of("Tetrahedra 99999999\n1 2 3 4 0"), "99999999 elements are announced"),
        ("node", replaced("tetgen from 0", " 4 0\n", " 5 0\n"), "an element of 5 nodes"),
        ("node", replaced("tetgen from 1", "\n2 ", "\n3 "), "a node number one above"),
        (
            "vtk",
            replaced("ascii vtk", "UNSTRUCTURED_GRID", "RECTILINEAR_GRID"),
            "`RECTILINEAR_GRID`",
        ),
        ("vtu", replaced("vtu Text", "version='0.1'", "compressor='x'"), "compressed by `x`"),
        ("vtu", replaced("vtu Text", "'UnstructuredGrid'", "'ImageData'"), "type `ImageData`"),
        ("vtu", replaced("vtu Text", "Points='", "Points='1"), "coordinates are announced"),
        ("vtu", b"<VTKFile type='UnstructuredGrid'></VTKFile>".to_vec(), "no `Piece`"),
        ("ply", replaced("ascii ply", "vertex ", "vertex 9999999999"), "announced"),
        ("off", b"OFF BINARY\n".to_vec(), "binary OFF is not read"),
        ("off", b"OFF\n1 0 0\nnan 0 0\n".to_vec(), "coordinate that is not a finite number"),
        ("stl", good("binary stl")[..200].to_vec(), "expected solid, found"),
    ];
    for (ending, bytes, expected) in cases {
        let error = read(ending, &bytes, OtherSolidPolicy::Refuse).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
