//! Parts that files give names: physical groups of Gmsh, data of cells of VTK.

use base64::Engine;
use resile_mesh::read::{Group, OtherSolidPolicy, SolidMesh, read_gmsh, read_vtk, read_vtu};

/// Two tetrahedra on one triangle, of the groups `soft` and 7, and that triangle, `middle`. Node 9
/// is of no tetrahedron.
const NODES: [[f64; 3]; 6] = [
    [9.0, 9.0, 9.0],
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.0, -1.0],
];

fn gmsh(text: &str) -> SolidMesh {
    read_gmsh(text.as_bytes(), OtherSolidPolicy::Refuse).expect("it is a good file")
}

fn expect_groups(read: &SolidMesh, soft: &str, seven: &str, middle: &str) {
    let group = |nodes: &[u32], elements: &[u32], faces: &[[u32; 3]]| Group {
        nodes: nodes.to_vec(),
        elements: elements.to_vec(),
        faces: faces.to_vec(),
    };
    assert_eq!(read.groups.len(), 3, "{:?}", read.groups);
    assert_eq!(read.groups[soft], group(&[0, 1, 2, 3], &[0], &[]));
    assert_eq!(read.groups[seven], group(&[0, 1, 2, 4], &[1], &[]));
    assert_eq!(read.groups[middle], group(&[0, 1, 2], &[], &[[0, 1, 2]]));
}

const NAMES: &str = "$PhysicalNames\n2\n3 2 \"soft\"\n2 1 \"middle\"\n$EndPhysicalNames\n";

#[test]
fn msh2_physical_groups_are_the_first_tags() {
    let nodes: String =
        (9..).zip(NODES).map(|(number, [x, y, z])| format!("{number} {x} {y} {z}\n")).collect();
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{NAMES}$Nodes\n6\n{nodes}$EndNodes\n$Elements\n4\n\
         1 15 2 0 1 9\n2 2 2 1 5 10 11 12\n3 4 2 2 1 10 11 12 13\n4 4 2 7 1 10 12 11 14\n$EndElements\n"
    );
    expect_groups(&gmsh(&text), "soft", "volume 7", "middle");
}

#[test]
fn msh4_physical_groups_are_those_of_entities() {
    let tags: String = (9..15).map(|number| format!("{number}\n")).collect();
    let places: String = NODES.map(|[x, y, z]| format!("{x} {y} {z}\n")).concat();
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{NAMES}$Entities\n1 0 1 2\n5 9 9 9 0\n\
         4 0 0 0 1 1 0 1 1 0\n1 0 0 0 1 1 1 1 2 2 4 -3\n2 0 0 -1 1 1 0 1 -7 1 4\n$EndEntities\n\
         $Nodes\n1 6 9 14\n3 1 0 6\n{tags}{places}$EndNodes\n$Elements\n4 4 1 4\n0 5 15 1\n1 9\n\
         2 4 2 1\n2 10 11 12\n3 1 4 1\n3 10 11 12 13\n3 2 4 1\n4 10 12 11 14\n$EndElements\n"
    );
    expect_groups(&gmsh(&text), "soft", "volume 7", "middle");
}

/// Version 4.0: points have bounding boxes, blocks begin with the number of the entity, and each node has its number
/// before its coordinates. A part of a partitioned entity lists its partitions after its parent.
#[test]
fn msh4_0_physical_groups_are_those_of_entities() {
    let nodes: String =
        (9..).zip(NODES).map(|(number, [x, y, z])| format!("{number} {x} {y} {z}\n")).collect();
    let text = format!(
        "$MeshFormat\n4 0 8\n$EndMeshFormat\n{NAMES}$Entities\n1 0 1 2\n5 9 9 9 9 9 9 0\n\
         4 0 0 0 1 1 0 1 1 0\n1 0 0 0 1 1 1 1 2 2 4 -3\n2 0 0 -1 1 1 0 1 -7 1 4\n$EndEntities\n\
         $PartitionedEntities\n1 0\n1 0 0 1\n6 0 5 1 1 9 9 9 9 9 9 0\n\
         3 3 1 1 1 0 0 0 1 1 1 0 0\n$EndPartitionedEntities\n\
         $Nodes\n1 6\n1 3 0 6\n{nodes}$EndNodes\n$Elements\n4 4\n5 0 15 1\n1 9\n\
         4 2 2 1\n2 10 11 12\n3 3 4 1\n3 10 11 12 13\n2 3 4 1\n4 10 12 11 14\n$EndElements\n"
    );
    expect_groups(&gmsh(&text), "soft", "volume 7", "middle");
}

#[test]
fn excess_physical_groups_and_unquoted_names_are_rejected() {
    let entities = format!("$Entities\n0 0 0 1\n1 0 0 0 1 1 1 17{}\n", " 1".repeat(17));
    let refused = [
        format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{entities}"),
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 soft\n".to_owned(),
    ];
    let messages = refused.map(|text| {
        read_gmsh(text.as_bytes(), OtherSolidPolicy::Refuse).expect_err("it is wrong").to_string()
    });
    assert_eq!(
        messages,
        [
            "line 6: expected at most 16 physical groups of an entity, found 17",
            "line 6: expected a name in quotes, found `soft`"
        ]
    );
}

const POINTS: &str = "0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1";

#[test]
fn integer_cell_data_are_groups_and_all_cell_data_are_fields() {
    let head = format!(
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n{POINTS}\n\
         CELLS 3 14\n3 0 1 2\n4 0 1 2 3\n4 0 2 1 4\nCELL_TYPES 3\n5 10 10\n"
    );
    let data = [
        "POINT_DATA 5\nVECTORS away double\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nCELL_DATA 3\n\
         SCALARS part int 1\nLOOKUP_TABLE default\n4 2 7\nFIELD FieldData 2\n\
         three 3 3 float\n1 2 3 4 5 6 7 8 9\nyoung 1 3 double\n0 1e5 2.5e5\n",
        "CELL_DATA 3\nFIELD FieldData 2\nyoung 1 3 double\n0 1e5 2.5e5\npart 1 3 int\n4 2 7\n\
         POINT_DATA 5\nSCALARS part int\nLOOKUP_TABLE default\n1 2 3 4 5\n",
    ];
    for data in data {
        let text = format!("{head}{data}");
        let read = read_vtk(text.as_bytes(), OtherSolidPolicy::Refuse).expect("it is a good file");
        expect_groups(&read, "part=2", "part=7", "part=4");
        assert_eq!(read.fields.len(), 2, "{:?}", read.fields);
        assert_eq!(read.fields["young"], [1e5, 2.5e5]);
    }
}

/// Arrays one after another, each with its length before it, as VTK writes `appended` data in base64.
#[test]
fn appended_vtu_data_may_be_base64() {
    let bytes = |numbers: Vec<u8>| {
        let length = (numbers.len() as u32).to_le_bytes();
        base64::prelude::BASE64_STANDARD.encode([&length[..], &numbers].concat())
    };
    let reals = |numbers: &[f64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let points: Vec<f64> = POINTS.split(' ').map(|x| x.parse().expect("a number")).collect();
    let arrays = [
        bytes(reals(&points)),
        bytes(vec![0, 1, 2, 0, 1, 2, 3, 0, 2, 1, 4]),
        bytes(vec![3, 7, 11]),
        bytes(vec![5, 10, 10]),
        bytes(vec![4, 2, 7]),
        bytes(reals(&[0.0, 1e5, 2.5e5])),
    ];
    let mut offset = 0;
    let tags = [
        "Float64",
        "UInt8\" Name=\"connectivity",
        "UInt8\" Name=\"offsets",
        "UInt8\" Name=\"types",
        "UInt8\" Name=\"part",
        "Float64\" Name=\"young",
    ];
    let tags: Vec<String> = tags
        .iter()
        .zip(&arrays)
        .map(|(tag, array)| {
            let tag =
                format!("<DataArray type=\"{tag}\" format=\"appended\" offset=\"{offset}\"/>");
            offset += array.len();
            tag
        })
        .collect();
    let text = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid>\
         <Piece NumberOfPoints=\"5\" NumberOfCells=\"3\"><Points>{}</Points><Cells>{}</Cells>\
         <CellData>{}</CellData></Piece></UnstructuredGrid>\n<AppendedData encoding=\"base64\">\n_{}\n\
         </AppendedData></VTKFile>\n",
        tags[0],
        tags[1..4].concat(),
        tags[4..].concat(),
        arrays.concat()
    );
    let read = read_vtu(text.as_bytes(), OtherSolidPolicy::Refuse).expect("it is a good file");
    expect_groups(&read, "part=2", "part=7", "part=4");
    assert_eq!(read.fields["young"], [1e5, 2.5e5]);
}
