//! OBJ files become one surface, whatever groups and materials say; what cannot
//! be one is refused with the line.

use crate::support::shared_data;
use proptest::prelude::*;
use resile_math::Vec3;
use resile_mesh::generate::{Icosphere, Torus};
use resile_mesh::read::{ObjError, ObjMesh, Seams, read_obj, read_obj_mesh};
use resile_mesh::{Polylines, SurfaceDefects, TriMesh};
use std::fmt::Write;

const CUBE_CORNERS: &str =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
const CUBE_FACES: &str = "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

fn write(mesh: &TriMesh) -> String {
    let mut text = String::new();
    mesh.positions.iter().for_each(|p| writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap());
    let number = |v: u32| v + 1;
    for t in &mesh.triangles {
        let [a, b, c] = t.map(number);
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
    text
}

fn corners(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect()
}

fn refusal(text: &str) -> String {
    read_obj(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn triangles_read_back_bit_for_bit() {
    let mesh = Icosphere { radius: 0.1, subdivisions: 2 }.build().unwrap();
    let read = read_obj(write(&mesh).as_bytes()).unwrap();
    assert_eq!(corners(&read.mesh), corners(&mesh));
    assert_eq!(read.mesh.positions.len(), mesh.positions.len());
    assert!(read.report.notes().is_empty());
}

#[test]
fn polygons_are_triangulated_and_reported() {
    let read = read_obj(format!("{CUBE_CORNERS}{CUBE_FACES}").as_bytes()).unwrap();
    assert_eq!((read.mesh.positions.len(), read.mesh.triangles.len()), (8, 12));
    assert_eq!(read.mesh.defects(), SurfaceDefects::default());
    assert!((read.mesh.enclosed_volume() - 1.0).abs() < 1e-15);
    assert_eq!(read.report.notes(), ["split 6 polygons into triangles"]);
}

#[test]
fn groups_materials_and_normals_keep_the_surface_connected() {
    let mut text = format!("mtllib none.mtl\nvn 0 0 1\nvt 0.5 nan\n{CUBE_CORNERS}");
    for (k, face) in CUBE_FACES.lines().enumerate() {
        let face = face.replace(' ', "/99/1 ").replacen("f/99/1", "f", 1);
        write!(text, "o part{k}\ng side{k}\nusemtl m{k}\ns 1\n{face}\n").unwrap();
    }
    let read = read_obj(text.as_bytes()).unwrap();
    assert_eq!(read.mesh.positions.len(), 8);
    assert_eq!(read.mesh.defects(), SurfaceDefects::default());
    assert_eq!(read.groups.len(), 18);
    assert_eq!(read.groups["side2"].elements, [4, 5]);
    assert_eq!(read.groups["side2"], read.groups["m2"]);
}

#[test]
fn vertices_keep_their_file_order() {
    let text = "v 3 0 0\nv 2 0 0\nv 0 0 0\nv 0 1 0\nf 4 3 2\nf 4 2 1\n";
    let read = read_obj(text.as_bytes()).unwrap();
    let x = |x: f64| Vec3::new(x, 0.0, 0.0);
    assert_eq!(read.mesh.positions, [x(3.0), x(2.0), x(0.0), Vec3::Y]);
    assert_eq!(read.vertices, [0, 1, 2, 3].map(Some));
}

/// A cube of six squares, each with corners of its own, as programs write it that know no indices for
/// textures; and two cubes that touch.
#[test]
fn seams_are_sewn_and_closed_surfaces_that_touch_stay_apart() {
    let cube = read_obj(format!("{CUBE_CORNERS}{CUBE_FACES}").as_bytes()).unwrap().mesh;
    let mut torn = String::new();
    for corners in (0..12).map(|t| cube.corners(t)) {
        corners.iter().for_each(|p| writeln!(torn, "v {} {} {}", p.x, p.y, p.z).unwrap());
        writeln!(torn, "f -3 -2 -1").unwrap();
    }
    let read = read_obj(torn.as_bytes()).unwrap();
    assert_eq!((read.mesh.positions.len(), read.vertices.len()), (8, 36));
    assert_eq!(read.mesh.defects(), SurfaceDefects::default());
    assert_eq!(corners(&read.mesh), corners(&cube));
    assert_eq!(read.report.notes(), ["sewed 28 vertices on rims to others at the same place"]);

    let beside: String = CUBE_CORNERS
        .lines()
        .map(|line| line.replacen("v 1", "v 2", 1).replacen("v 0", "v 1", 1) + "\n")
        .collect();
    let second = CUBE_FACES.lines().map(|line| {
        let corners = line.split(' ').skip(1).map(|c| (c.parse::<u32>().unwrap() + 8).to_string());
        format!("f {}\n", corners.collect::<Vec<_>>().join(" "))
    });
    let both = format!("{CUBE_CORNERS}{beside}{CUBE_FACES}{}", second.collect::<String>());
    let read = read_obj(both.as_bytes()).unwrap();
    assert_eq!((read.mesh.positions.len(), read.report.sewn), (16, 0));
    assert_eq!(read.mesh.defects(), SurfaceDefects::default());
}

#[test]
fn groups_hold_until_the_next_and_a_face_may_be_in_several() {
    let text = format!(
        "{CUBE_CORNERS}o Cube one\nf 4 3 2 1\ng low high\nusemtl red\nf 5 6 7 8\ng\nf 1 2 6 5\n"
    );
    let groups = read_obj(text.as_bytes()).unwrap().groups;
    let elements: Vec<_> =
        groups.iter().map(|(name, group)| (name.as_str(), group.elements.as_slice())).collect();
    let expected: [(&str, &[u32]); 4] = [
        ("Cube one", &[0, 1, 2, 3, 4, 5]),
        ("high", &[2, 3]),
        ("low", &[2, 3]),
        ("red", &[2, 3, 4, 5]),
    ];
    assert_eq!(elements, expected);
    assert_eq!(groups["low"].nodes, [4, 5, 6, 7]);
    let many = format!("{CUBE_CORNERS}g{}\nf 1 2 3\n", " a".repeat(17));
    assert_eq!(refusal(&many), "line 9: cannot be read as a group of at most 16 names");
}

#[test]
fn unused_vertices_are_dropped_and_reported() {
    let text = format!("v 9 9 9\n{CUBE_CORNERS}f 2 4 3\n");
    let read = read_obj(text.as_bytes()).unwrap();
    assert_eq!(read.mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)]);
    let none = [None; 9];
    let mut vertices = none;
    (vertices[1], vertices[2], vertices[3]) = (Some(0), Some(1), Some(2));
    assert_eq!((read.mesh.triangles, read.vertices), (vec![[0, 2, 1]], vertices.to_vec()));
    assert_eq!(read.report.notes(), ["dropped 6 vertices that no face uses"]);
}

#[test]
fn negative_indices_count_backwards_from_the_face() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -4 -1 -3\n";
    let read = read_obj(text.as_bytes()).unwrap().mesh;
    let [o, x, y, z] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    assert_eq!(corners(&read), [[o, x, y], [o, z, x]]);
}

#[test]
fn zero_area_triangles_are_kept_and_collapsed_ones_skipped() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\nf 1 1 2\n";
    let read = read_obj(text.as_bytes()).unwrap();
    assert_eq!(read.mesh.triangles, [[0, 1, 2], [0, 1, 3]]);
    assert_eq!(read.report.notes(), ["left out 1 triangles with two corners in one"]);
    assert_eq!(
        read.mesh.check().unwrap_err().to_string(),
        "triangles without area: 1; the first is triangle 1, counted from 0, at (0, 0, 0), \
         (1, 0, 0), (2, 0, 0)"
    );
}

#[test]
fn errors_name_the_line() {
    let at = |line: &str| refusal(&format!("# a corner\nv 0 0 0\nv 1 0 0\nv 0 1 0\n{line}\n"));
    assert_eq!(
        at("v 0 NaN 0\nf 1 2 3"),
        "line 5: vertex 4 has a coordinate that is not a finite number"
    );
    assert_eq!(at("v 0 0\nf 1 2 3"), "line 5: cannot be read as a vertex, v x y z");
    assert_eq!(at("v 0 0 1e999\nf 1 2 3").split(':').next(), Some("line 5"));
    assert_eq!(at("f 1 2"), "the file has no faces");
    assert_eq!(at("f 1 2 x"), "line 5: cannot be read as a face, f 1 2 3 or f 1/1/1 ...");
    for index in ["4", "0", "-4", "9223372036854775807", "-9223372036854775808"] {
        let message = at(&format!("f 1 2 {index}"));
        let expected = format!("line 5: the face refers to vertex {index}, but there are 3");
        assert!(message.starts_with(&expected), "{message}");
    }
    assert_eq!(at("f 1 2 2"), "the file has no faces");
    assert_eq!(at("l 1 2"), "the file has no faces");
    assert_eq!(refusal(""), "the file has no faces");
}

#[test]
fn shared_surfaces_have_the_tabled_counts() {
    let table = [
        ("surface/bunny_npm.obj", 1839, 3674),
        ("surface/spot_829.obj", 829, 1654),
        ("surface/spot_2930.obj", 2930, 5856),
        ("surface/torus_2304.obj", 2304, 4608),
        ("surface/sphere_642.obj", 642, 1280),
        ("surface/wingnut_3047.obj", 3047, 6090),
        ("bad/negative_indices.obj", 8, 12),
        ("bad/nancolor.obj", 8, 12),
    ];
    for (file, vertices, faces) in table {
        let Some(bytes) = shared_data(file) else { continue };
        let mesh = read_obj(&bytes[..]).unwrap_or_else(|error| panic!("{file}: {error}")).mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, faces), "{file}");
        assert_eq!(mesh.defects(), SurfaceDefects::default(), "{file}");
        assert!(mesh.enclosed_volume() > 0.0, "{file}");
    }
}

#[test]
fn shared_surfaces_have_the_tabled_defects() {
    let table = [
        ("bad/degenerated.obj", 7, 24, [0, 6, 12, 12, 0]),
        ("bad/joined_tetrahedra.obj", 5, 8, [0, 3, 6, 1, 0]),
        ("bad/chair_model.obj", 3186, 12756, [0, 9545, 19090, 6382, 0]),
    ];
    for (file, vertices, faces, defects) in table {
        let Some(bytes) = shared_data(file) else { continue };
        let mesh = read_obj(&bytes[..]).unwrap_or_else(|error| panic!("{file}: {error}")).mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, faces), "{file}");
        let [
            open_edges,
            non_manifold_edges,
            misoriented_edges,
            duplicate_triangles,
            flat_triangles,
        ] = defects;
        let expected = SurfaceDefects {
            open_edges,
            non_manifold_edges,
            misoriented_edges,
            duplicate_triangles,
            flat_triangles,
        };
        assert_eq!(mesh.defects(), expected, "{file}");
        assert!(!expected.is_closed());
    }
}

#[test]
fn broken_shared_files_are_rejected_with_the_line() {
    let table = [
        ("bad/malformed.obj", "line 28: the face refers to vertex 0"),
        ("bad/empty.obj", "the file has no faces"),
    ];
    for (file, reason) in table {
        let Some(bytes) = shared_data(file) else { continue };
        let message = read_obj(&bytes[..]).unwrap_err().to_string();
        assert!(message.contains(reason), "{file}: {message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        rng_seed: proptest::test_runner::RngSeed::Fixed(2),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_obj(&bytes[..]);
    }

    #[test]
    fn random_words_of_the_format_never_panic(words in prop::collection::vec(
        prop::sample::select(vec![
            "v", "f", "l", "p", "o", "g", "vt", "usemtl", "\n", "\n", " 1", " 2", " 3", " -1",
            " 0", " 1e308", " nan", "/", "//", " 1.5", "#", "\u{0}", " 99999999999999999999", "\\",
        ]),
        0..200,
    )) {
        if let Ok(read) = read_obj(words.concat().as_bytes()) {
            let vertices = read.mesh.positions.len();
            let corners: Vec<u32> = read.mesh.triangles.concat();
            prop_assert!(corners.iter().all(|&v| (v as usize) < vertices));
            prop_assert!(read.mesh.positions.iter().all(|p| p.is_finite()));
        }
    }

    #[test]
    fn damaged_file_never_panics(
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        length in any::<prop::sample::Index>(),
    ) {
        let torus =
            Torus { ring_radius: 1.0, tube_radius: 0.5, around_ring: 5, around_tube: 4 };
        let mut bytes = write(&torus.build().unwrap()).into_bytes();
        for (place, value) in hits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(length.index(2 * bytes.len()));
        match read_obj(&bytes[..]) {
            Err(error) => prop_assert!(!matches!(error, ObjError::Input(_))),
            Ok(read) => prop_assert!(read.mesh.positions.iter().all(|p| p.is_finite())),
        }
    }
}

fn curves(text: &str) -> Result<Polylines, ObjError> {
    match read_obj_mesh(text.as_bytes(), Seams::Sewn)? {
        ObjMesh::Curves { curves, .. } => Ok(curves),
        ObjMesh::Surface(_) => panic!("it has faces"),
    }
}

#[test]
fn connected_lines_join_to_one_curve() {
    let text = format!("{CUBE_CORNERS}l 1 2 3\nl -1 7/1\nl 3 4\nl 5 1\nv 9 9 9\n");
    let read = curves(&text).unwrap();
    assert_eq!(read.positions.len(), 7, "the sixth corner and the last vertex lie on no line");
    let nodes: Vec<&[u32]> = read.strands.iter().map(|strand| &*strand.nodes).collect();
    assert_eq!(nodes, [&[3, 2, 1, 0, 4][..], &[5, 6]]);
    let ObjMesh::Curves { vertices, .. } = read_obj_mesh(text.as_bytes(), Seams::Sewn).unwrap()
    else {
        panic!("it has no faces")
    };
    let numbers = [Some(0), Some(1), Some(2), Some(3), Some(4), None, Some(5), Some(6), None];
    assert_eq!(vertices, numbers);
    let ring = curves("v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\nl 2 3\nl 3 1\n").unwrap();
    assert!(ring.strands[0].is_closed());
}

#[test]
fn lines_beside_faces_are_skipped() {
    for lines in ["l 1 2 3\n", "l 1 99\n", "l\nl x\n"] {
        let text = format!("{CUBE_CORNERS}{lines}{CUBE_FACES}");
        match read_obj_mesh(text.as_bytes(), Seams::Sewn).unwrap() {
            ObjMesh::Surface(surface) => assert_eq!(surface.mesh.triangles.len(), 12),
            ObjMesh::Curves { .. } => panic!("it has faces"),
        }
    }
    assert!(refusal(&format!("{CUBE_CORNERS}l 1 2\n")).contains("no faces"));
}

#[test]
fn invalid_lines_are_rejected_with_the_line() {
    let of = |lines: &str| curves(&format!("{CUBE_CORNERS}{lines}")).unwrap_err().to_string();
    assert!(of("l 1\n").starts_with("line 9: the polyline has 1 vert"), "{}", of("l 1\n"));
    assert!(of("l 1 2\nl 2 0\n").starts_with("line 10: the polyline refers to vertex 0"));
    assert!(of("l 1 2\nl 2 -9\n").starts_with("line 10: the polyline refers to vertex -9"));
    assert!(of("l 1 9\n").starts_with("line 9: the polyline refers to vertex 9, but there are 8"));
    assert!(of("l 1 2 3\nl 5 6\nl 5 2\n").starts_with("line 11: a third piece ends at vertex 2"));
    assert!(of("l 1 1\n").starts_with("line 9: vertices 1 and 1"));
    assert!(of("l 1 two\n").starts_with("line 9: cannot be read as a polyline"));
}
