//! OBJ files become one surface, whatever groups and materials say; what cannot
//! be one is refused with the line.

use crate::support::shared_data;
use proptest::prelude::*;
use resile_math::Vec3;
use resile_mesh::generate::{Icosphere, Torus};
use resile_mesh::read::{ObjError, read_obj};
use resile_mesh::{SurfaceDefects, TriMesh};
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
fn triangles_survive_to_the_bit() {
    let mesh = Icosphere { radius: 0.1, subdivisions: 2 }.build().unwrap();
    let read = read_obj(write(&mesh).as_bytes()).unwrap();
    assert_eq!(corners(&read.mesh), corners(&mesh));
    assert_eq!(read.mesh.positions.len(), mesh.positions.len());
    assert!(read.report.notes().is_empty());
}

#[test]
fn polygons_are_split_and_reported() {
    let read = read_obj(format!("{CUBE_CORNERS}{CUBE_FACES}").as_bytes()).unwrap();
    assert_eq!((read.mesh.positions.len(), read.mesh.triangles.len()), (8, 12));
    assert_eq!(read.mesh.defects(), SurfaceDefects::default());
    assert!((read.mesh.enclosed_volume() - 1.0).abs() < 1e-15);
    assert_eq!(read.report.notes(), ["split 6 polygons into triangles"]);
}

#[test]
fn groups_materials_and_normals_do_not_tear_the_surface() {
    let mut text = format!("mtllib none.mtl\nvn 0 0 1\nvt 0.5 nan\n{CUBE_CORNERS}");
    for (k, face) in CUBE_FACES.lines().enumerate() {
        let face = face.replace(' ', "/99/1 ").replacen("f/99/1", "f", 1);
        write!(text, "o part{k}\ng side{k}\nusemtl m{k}\ns 1\n{face}\n").unwrap();
    }
    let read = read_obj(text.as_bytes()).unwrap();
    assert_eq!(read.mesh.positions.len(), 8);
    assert_eq!(read.mesh.defects(), SurfaceDefects::default());
}

#[test]
fn unused_vertices_are_dropped_and_reported() {
    let text = format!("v 9 9 9\n{CUBE_CORNERS}f 2 4 3\n");
    let read = read_obj(text.as_bytes()).unwrap();
    assert_eq!(read.mesh.positions, [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::X]);
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
fn triangles_without_area_come_out_as_they_went_in_and_collapsed_ones_are_left_out() {
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
    assert_eq!(at("f 1 2"), "line 5: the face has 2 corners; it needs at least 3");
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
fn the_surfaces_of_others_have_the_counts_of_the_table() {
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
fn the_defects_of_others_are_counted_as_in_the_table() {
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
fn broken_files_of_others_are_refused_with_the_line() {
    let table = [
        ("bad/notenoughindices.obj", "line 9: the face has 2 corners"),
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
    fn a_damaged_file_never_panics(
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
            Err(ObjError::Refused(error)) => prop_assert!(false, "unexplained: {error}"),
            Err(_) => {}
            Ok(read) => prop_assert!(read.mesh.positions.iter().all(|p| p.is_finite())),
        }
    }
}
