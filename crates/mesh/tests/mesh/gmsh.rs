//! A solid survives any of the Gmsh formats; what is not a solid is refused
//! with the reason.

use crate::good_files::gmsh::{Block, Content, Encoding, FORMATS, Format};
use crate::support::shared_data;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::generate::{Ball, BoxGrid};
use resile_mesh::read::{
    self, AnyMesh, FileLocation, MeshFileError, OtherSolidPolicy, Seams, SolidMesh, SyntaxError,
};
use std::io::{self, Read};

fn read_gmsh(reader: impl Read) -> Result<SolidMesh, MeshFileError> {
    read::read_gmsh(reader, OtherSolidPolicy::Refuse)
}

fn small() -> TetMesh {
    Ball { radius: 0.05, layers: 2 }.build().unwrap()
}

fn triangles(mesh: &TetMesh) -> Block {
    let tag = |n: &u32| u64::from(*n) + 1;
    let surface = mesh.surface();
    let elements = surface.triangles.iter().map(|t| t.iter().map(tag).collect()).collect();
    Block { code: 2, elements }
}

fn refusal(bytes: &[u8]) -> String {
    read_gmsh(bytes).unwrap_err().to_string()
}

#[test]
fn every_encoding_reads_the_same_mesh_bit_for_bit() {
    let mesh = Ball { radius: 0.3, layers: 4 }.build().unwrap();
    for format in FORMATS {
        let bytes = Content::of(&mesh).encode(format);
        let read = read_gmsh(&bytes[..]).unwrap();
        assert_eq!(read.mesh, mesh, "{format:?}");
        assert!(read.report.notes().is_empty(), "{:?}", read.report.notes());
    }
}

#[test]
fn node_numbers_may_be_sparse_and_out_of_order() {
    let mesh = small();
    // A bijection that scatters: 7919 is prime and larger than any number here.
    let scatter = |tag: u64| 10 + (tag * 7919) % 1_000_003;
    for format in FORMATS {
        let mut content = Content::of(&mesh);
        content.nodes.iter_mut().for_each(|(tag, _)| *tag = scatter(*tag));
        let tags = content.blocks.iter_mut().flat_map(|b| &mut b.elements).flatten();
        tags.for_each(|tag| *tag = scatter(*tag));
        assert_eq!(read_gmsh(&content.encode(format)[..]).unwrap().mesh, mesh);
    }
}

#[test]
fn unused_nodes_and_surface_elements_are_skipped_and_reported() {
    let mesh = small();
    for format in FORMATS {
        let mut content = Content::of(&mesh);
        content.nodes.insert(0, (5000, Vec3::splat(9.0)));
        content.nodes.insert(7, (5001, Vec3::splat(8.0)));
        content.blocks.insert(0, triangles(&mesh));
        content.blocks.push(Block { code: 15, elements: vec![vec![5000], vec![5001]] });
        content.blocks.push(Block { code: 8, elements: vec![vec![1, 2, 3]] });
        let read = read_gmsh(&content.encode(format)[..]).unwrap();
        assert_eq!(read.mesh, mesh);
        let expected = [
            "left out elements other than tetrahedra (their groups are kept): 2 points, 1 second-order line, 80 triangles",
            "dropped 2 nodes that no tetrahedron uses",
        ];
        assert_eq!(read.report.notes(), expected);
    }
}

/// Version 2.2 states no dimension of an element's entity.
#[test]
fn second_order_faces_of_version_2_keep_the_names_of_their_groups() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
        $PhysicalNames\n3\n1 3 \"rim\"\n2 3 \"top\"\n3 3 \"body\"\n$EndPhysicalNames\n\
        $Nodes\n7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0.5 0 0\n6 0.5 0.5 0\n7 0 0.5 0\n$EndNodes\n\
        $Elements\n3\n1 8 2 3 1 1 2 5\n2 9 2 3 1 1 2 3 5 6 7\n3 4 2 3 1 1 2 3 4\n$EndElements\n";
    let read = read_gmsh(text.as_bytes()).unwrap();
    let names: Vec<&str> = read.groups.keys().map(String::as_str).collect();
    assert_eq!(names, ["body", "rim", "top"]);
    assert_eq!(read.groups["top"].faces, [[0, 1, 2]]);
    assert_eq!(read.groups["top"].nodes, [0, 1, 2]);
}

/// Faces of any order are those of their corners, which come first.
#[test]
fn higher_order_faces_form_surfaces_and_groups_of_faces() {
    let types = [
        (9, 3, 6),
        (20, 3, 9),
        (21, 3, 10),
        (22, 3, 12),
        (23, 3, 15),
        (24, 3, 15),
        (25, 3, 21),
        (10, 4, 9),
        (16, 4, 8),
        (36, 4, 16),
        (37, 4, 25),
        (38, 4, 36),
        (39, 4, 12),
        (40, 4, 16),
        (41, 4, 20),
    ];
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    for (code, corner_count, node_count) in types {
        // The positions of the other nodes do not matter.
        let nodes: Vec<(u64, Vec3)> = (0..node_count)
            .map(|k| (k as u64 + 1, corners.get(k).copied().unwrap_or(Vec3::splat(0.5))))
            .collect();
        for format in FORMATS {
            let face = Block { code, elements: vec![(1..=node_count as u64).collect()] };
            let content = Content { nodes: nodes.clone(), blocks: vec![face] };
            let bytes = content.encode(format);
            let read =
                read::read_gmsh_any(&bytes[..], OtherSolidPolicy::Refuse, Seams::Sewn).unwrap();
            let AnyMesh::Surface(surface) = read else { panic!("{code}: it is a surface") };
            let area = if corner_count == 3 { 0.5 } else { 1.0 };
            assert_eq!(surface.mesh.area(), area, "{code} {format:?}");
        }
    }
}

#[test]
fn opposite_winding_is_reoriented() {
    let mut mesh = small();
    mesh.tets[3].swap(0, 1);
    mesh.tets[11].swap(2, 3);
    for format in FORMATS {
        let read = read_gmsh(&Content::of(&mesh).encode(format)[..]).unwrap();
        assert_eq!(read.mesh.inverted(), [0_u32; 0]);
        assert_eq!(read.report.reoriented, 2);
        assert_eq!(read.mesh.boundary(), small().boundary());
    }
}

#[test]
fn other_solid_elements_are_rejected_with_their_number() {
    let mesh = small();
    for format in FORMATS {
        let mut content = Content::of(&mesh);
        content.blocks.push(Block { code: 5, elements: vec![(1..9).collect(); 2] });
        content.blocks.push(Block { code: 11, elements: vec![(1..11).collect()] });
        let message = refusal(&content.encode(format));
        let found = "2 hexahedra beside 161 tetra";
        assert!(message.contains(found), "{message}");
    }
}

#[test]
fn surface_mesh_is_rejected_as_a_solid() {
    let mesh = small();
    for format in FORMATS {
        let content = Content { blocks: vec![triangles(&mesh)], ..Content::of(&mesh) };
        let message = refusal(&content.encode(format));
        assert!(message.contains("no tetrahedra (found: 80 triangles)"), "{message}");
        let nothing = Content { nodes: vec![], blocks: vec![] };
        assert!(refusal(&nothing.encode(format)).contains("no tetrahedra (found: no elements)"));
    }
}

#[test]
fn missing_repeated_and_invalid_nodes_are_named() {
    let mesh = small();
    for format in FORMATS {
        let mut content = Content::of(&mesh);
        content.nodes[4].0 = 777;
        let error = read_gmsh(&content.encode(format)[..]).unwrap_err();
        assert!(matches!(error, MeshFileError::UnknownNode { tag: 5, .. }), "{error}");
        content.nodes[4].0 = 9;
        let error = read_gmsh(&content.encode(format)[..]).unwrap_err();
        assert!(matches!(error, MeshFileError::RepeatedNode { tag: 9 }), "{error}");
        content.nodes[4] = (5, Vec3::new(0.0, f64::NAN, 0.0));
        let error = read_gmsh(&content.encode(format)[..]).unwrap_err();
        assert!(matches!(error, MeshFileError::NodeNotFinite { tag: 5 }), "{error}");
    }
}

#[test]
fn every_truncation_is_rejected_without_panic() {
    let mesh = BoxGrid { cells: [1; 3], size: Vec3::ONE }.build().unwrap();
    for format in FORMATS {
        let bytes = Content::of(&mesh).encode(format);
        // The last byte is the newline after the last mark.
        for length in 0..bytes.len() - 1 {
            assert!(read_gmsh(&bytes[..length]).is_err(), "{format:?}: {length} bytes");
        }
    }
}

#[test]
fn crlf_line_ends_and_comments_are_accepted() {
    let mesh = small();
    for format in FORMATS.into_iter().filter(|f| f.encoding == Encoding::Text) {
        let text = String::from_utf8(Content::of(&mesh).encode(format)).unwrap();
        let text = format!("$Comments\nmade by hand\n$EndComments\n{text}").replace('\n', "\r\n");
        assert_eq!(read_gmsh(text.as_bytes()).unwrap().mesh, mesh);
    }
}

#[test]
fn text_errors_name_the_line_and_what_was_expected() {
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    let message = |rest: &str| refusal(format!("{head}{rest}").as_bytes());
    assert_eq!(
        message("$Nodes\n2\n1 0 0 0\n2 0 zero 0\n$EndNodes\n"),
        "line 7: expected a coordinate, found `zero 0`"
    );
    assert_eq!(
        message("$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n"),
        "line 7: expected $EndNodes, found `2 0 0 0`"
    );
    assert_eq!(
        message("$Elements\n1\n1 99 2 0 0 1 2 3 4\n$EndElements\n"),
        "line 6: expected an element type of Gmsh, found 99"
    );
    assert_eq!(
        message("$Nodes\n1\n-1 0 0 0\n"),
        "line 6: expected a node number, found `-1 0 0 0`"
    );
    assert_eq!(message("$Nodes\n0\n$EndNodes\n"), "the file has no section $Elements");
    assert_eq!(message("$Nodes\n0\n$EndNodes\n$Nodes\n"), "the file has section $Nodes twice");
    assert_eq!(
        message("$Periodic\n3\n"),
        "line 6: the file ends where the end of a section should be"
    );
    assert_eq!(
        refusal(b"solid cube\n"),
        "line 1: expected a section such as $Nodes, found `solid cube`"
    );
    assert_eq!(refusal(b""), "the file has no section $MeshFormat");
    assert_eq!(
        refusal(b"$MeshFormat\n5 0 8\n$EndMeshFormat\n"),
        "Gmsh format version `5` is not read; save it as version 2.2, 4.0 or 4.1"
    );
    assert_eq!(
        refusal(b"$MeshFormat\n4.1 1 4\n$EndMeshFormat\n"),
        "a file with numbers of 4 bytes is not read; save it with numbers of 8 bytes"
    );
}

/// Netgen writes `2.000000`.
#[test]
fn versions_are_compared_as_numbers() {
    let content = Content::of(&small());
    for (version, spellings) in [
        ("2.2", &["2", "2.0", "2.000000", "2.1", "2.20"][..]),
        ("4.0", &["4", "4.000000"]),
        ("4.1", &["4.10", "4.100000"]),
    ] {
        let bytes = content.encode(Format { version, encoding: Encoding::Text });
        let text = String::from_utf8(bytes).expect("it is text");
        let mesh = |text: &str| read_gmsh(text.as_bytes()).expect("it is a mesh").mesh;
        for spelling in spellings {
            let other = text.replacen(version, spelling, 1);
            assert!(other.starts_with(&format!("$MeshFormat\n{spelling} 0 8")), "{other}");
            assert_eq!(mesh(&other), mesh(&text), "{spelling}");
        }
    }
    for version in ["1", "2.3", "2.000001", "3.000000", "4.01", "4.2", "nan", "2,2"] {
        let found = refusal(format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n").as_bytes());
        assert!(found.contains(&format!("version `{version}` is not read")), "{found}");
    }
}

#[test]
fn binary_errors_name_the_byte() {
    let format = Format { version: "4.1", encoding: Encoding::BigEndian };
    let bytes = Content::of(&small()).encode(format);
    match read_gmsh(&bytes[..400]) {
        Err(MeshFileError::Syntax(SyntaxError::LyingCount {
            location: FileLocation::Byte(at),
            ..
        })) => assert!(at < 400),
        other => panic!("{other:?}"),
    }
}

#[test]
fn announced_counts_do_not_allocate_memory() {
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    for count in ["1000000000", "18446744073709551615"] {
        let text = format!("{head}$Nodes\n{count}\n1 0 0 0\n$EndNodes\n");
        let error = read_gmsh(text.as_bytes()).unwrap_err();
        assert!(
            matches!(error, MeshFileError::Syntax(SyntaxError::LyingCount { possible: 2, .. })),
            "{error}"
        );
    }
    let mut bytes = b"$MeshFormat\n4.1 1 8\n".to_vec();
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend(b"\n$EndMeshFormat\n$Nodes\n");
    [1, u64::MAX, 1, u64::MAX].into_iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    [3, 1, 0].into_iter().for_each(|n: i32| bytes.extend(n.to_le_bytes()));
    bytes.extend((u64::MAX / 32).to_le_bytes());
    bytes.extend([0; 1000]);
    let error = read_gmsh(&bytes[..]).unwrap_err();
    assert!(
        matches!(error, MeshFileError::Syntax(SyntaxError::LyingCount { possible: 62, .. })),
        "{error}"
    );
}

#[test]
fn contradicting_counts_are_rejected() {
    let mesh = small();
    let format = Format { version: "4.1", encoding: Encoding::Text };
    let text = String::from_utf8(Content::of(&mesh).encode(format)).unwrap();
    for (right, wrong, message) in [
        ("2 55 1 1", "2 54 1 1", "54 nodes are announced, but 55 follow"),
        ("1 160 1 1", "1 161 1 1", "161 elements are announced, but 160 follow"),
        ("3 1 4 160", "3 1 4 159", "160 elements are announced, but 159 follow"),
    ] {
        assert_eq!(text.matches(right).count(), 1);
        let found = refusal(text.replace(right, wrong).as_bytes());
        assert!(found.contains(message), "{found}");
    }
    // A binary block of version 2.2 with more elements than the section has.
    let format = Format { version: "2.2", encoding: Encoding::LittleEndian };
    let bytes = Content::of(&mesh).encode(format);
    let at = bytes.windows(13).position(|w| w == b"$Elements\n160").unwrap() + 10;
    let wrong = [&bytes[..at], b"159", &bytes[at + 3..]].concat();
    let error = read_gmsh(&wrong[..]).unwrap_err();
    assert!(
        matches!(error, MeshFileError::CountMismatch { announced: 159, found: 160, .. }),
        "{error}"
    );
}

#[test]
fn read_error_is_reported() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    assert_eq!(read_gmsh(Broken).unwrap_err().to_string(), "cannot read: the disk is on fire");
}

/// Nodes, tetrahedra, boundary faces, smallest angle as printed, from the table
/// in the data folder.
#[test]
fn shared_meshes_have_the_tabled_counts() {
    let table = [
        ("tet/cube.msh", 8, 6, 12, "45"),
        ("tet/cube-denser.msh", 335, 1101, 540, "13.7"),
        ("tet/bar-2523.msh", 886, 2523, 1618, "1.34"),
        ("tet/sphere1K.msh", 1760, 6851, 2474, "7.47"),
        ("tet/link_233.msh", 233, 673, 440, "2.36"),
        ("tet/bunny_4670.msh", 4670, 19379, 6266, "0.227"),
        ("format/tets5_22_ascii.msh", 8, 5, 12, "38.9"),
        ("format/tets5_22_binary.msh", 8, 5, 12, "38.9"),
        ("format/tets5_41_ascii.msh", 8, 5, 12, "38.9"),
        ("format/tets5_41_binary.msh", 8, 5, 12, "38.9"),
    ];
    for (file, nodes, tets, faces, angle) in table {
        let Some(bytes) = shared_data(file) else { continue };
        let read = read_gmsh(&bytes[..]).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mesh = read.mesh;
        let found = (mesh.positions.len(), mesh.tets.len(), mesh.surface().triangles.len());
        assert_eq!(found, (nodes, tets, faces), "{file}");
        assert_eq!(mesh.check(), Ok(()), "{file}");
        let digits = angle.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let smallest = mesh.quality().unwrap().smallest_dihedral;
        assert_eq!(format!("{smallest:.digits$}"), angle, "{file}");
    }
}

#[test]
fn shared_file_reads_the_same_in_four_encodings() {
    let files = ["22_ascii", "22_binary", "41_ascii", "41_binary"];
    let read = |name| {
        let bytes = shared_data(&format!("format/tets5_{name}.msh"))?;
        Some(read_gmsh(&bytes[..]).unwrap().mesh)
    };
    let shapes: Vec<Vec<Vec<Vec3>>> = files
        .into_iter()
        .filter_map(read)
        .map(|m| (0..m.tets.len()).map(|t| m.corners(t).to_vec()).collect())
        .collect();
    assert!(shapes.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn shared_bad_mesh_has_its_eight_inverted_elements_named() {
    let Some(bytes) = shared_data("bad/bad_microstructure_P1.msh") else { return };
    let mesh = read_gmsh(&bytes[..]).unwrap().mesh;
    assert_eq!((mesh.positions.len(), mesh.tets.len()), (1585, 6414));
    assert_eq!(mesh.surface().triangles.len(), 1762);
    assert_eq!(mesh.inverted().len(), 8);
    let message = mesh.check().unwrap_err().to_string();
    assert!(message.starts_with("8 flat or inverted tetrahedra: numbers 298, 624, "), "{message}");
}

#[test]
fn shared_files_without_tetrahedra_are_rejected_with_their_contents() {
    let table = [
        ("format/cube-hex.msh", "the file has 1 hexahedron and no linear tetrahedra"),
        ("format/square1K_2d.msh", "the file has no tetrahedra (found: "),
        ("format/hybrid_block.msh", "8 prisms, 16 pyramids beside 16 tetrahedra"),
    ];
    for (file, reason) in table {
        let Some(bytes) = shared_data(file) else { continue };
        let message = refusal(&bytes);
        assert!(message.contains(reason), "{file}: {message}");
    }
}
