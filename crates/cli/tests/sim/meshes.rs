//! `sim mesh` and `sim info`, and meshes from files in scenes, as a newcomer meets them.
//! The snapshots are meant to be read.

use crate::messages::{HYBRID, polyhedra_mesh};
use crate::support::{Place, SCENE};

/// A cube of 12 cm, as some programs write it: quadrilaterals, counted from 1.
const CUBE: &str = "o cube\nv -0.06 -0.06 -0.06\nv 0.06 -0.06 -0.06\nv 0.06 0.06 -0.06
v -0.06 0.06 -0.06\nv -0.06 -0.06 0.06\nv 0.06 -0.06 0.06\nv 0.06 0.06 0.06\nv -0.06 0.06 0.06
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";

/// The same in STL, whose corners are all on their own, after much use: single precision,
/// one triangle turned around, one missing, one twice, one flat.
fn broken_cube() -> String {
    let corner = |k: u32| {
        let at = |bit: u32| if k & bit == 0 { -0.06 } else { 0.06 };
        [at(1), at(2), at(4)]
    };
    let mut triangles = vec![
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [1, 3, 7],
        [1, 7, 5],
        [0, 4, 6],
    ];
    triangles[3].swap(0, 1);
    triangles.push(triangles[5]);
    let mut text = String::from("solid cube\n");
    for (t, triangle) in triangles.iter().enumerate() {
        text += "facet normal 0 0 0\nouter loop\n";
        for k in triangle {
            let [x, y, z] = corner(*k);
            let off = 1e-8 * t as f64;
            text += &format!("vertex {} {} {}\n", x + off, y - off, z + off);
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid cube\n"
}

/// Without how long it took.
fn timeless(stdout: &str) -> String {
    let lines = stdout.lines().filter(|line| !line.trim_start().starts_with("time  "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn surface_is_filled_and_both_meshes_are_described() {
    let place = Place::new(SCENE);
    place.write("cube.obj", CUBE);
    let info = place.sim(&["info", "cube.obj"]).exit(0);
    let made = place.sim(&["mesh", "cube.obj", "-o", "cube.msh", "--size", "0.02"]).exit(0);
    let solid = place.sim(&["info", "cube.msh"]).exit(0);
    insta::assert_snapshot!(format!(
        "# sim info cube.obj\n{}{}\n# sim mesh\n{}{}\n# sim info cube.msh\n{}{}",
        info.stderr,
        info.stdout,
        made.stderr,
        timeless(&made.stdout),
        solid.stderr,
        solid.stdout
    ));
    let before = std::fs::read(place.path("cube.msh")).expect("it was written");
    for threads in ["1", "3"] {
        let again = ["mesh", "cube.obj", "-o", "again.msh", "--size", "0.02", "--force", "-q"];
        let output = place.sim(&[&again[..], &["--threads", threads]].concat()).exit(0);
        assert_eq!(output.stdout, "");
        let after = std::fs::read(place.path("again.msh")).expect("it was written");
        assert!(before == after, "the same file to the bit on {threads} threads");
    }
}

/// Two crossing bars in one file: their overlap is reported, and no lost parts are.
#[test]
fn overlapping_parts_are_reported_and_not_taken_for_lost_ones() {
    let bar = |half: [f64; 3], first: usize| -> String {
        let sign = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
        let vertex = |corner| {
            let [x, y, z] = [0, 1, 2].map(|axis| sign(corner, axis) * half[axis]);
            format!("v {x} {y} {z}\n")
        };
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [1, 3, 7, 5], [0, 4, 6, 2]];
        let face = |corners: &[usize; 4]| {
            let [a, b, c, d] = corners.map(|corner| corner + first);
            format!("f {a} {b} {c} {d} # a side\n")
        };
        (0..8).map(vertex).chain(faces.iter().map(face)).collect()
    };
    let place = Place::new(SCENE);
    place.write("bars.obj", &format!("{}{}", bar([1.0, 0.15, 0.15], 1), bar([0.15, 1.0, 0.15], 9)));
    let info = place.sim(&["info", "bars.obj"]).exit(0).stdout;
    assert!(info.contains("triangles at least partly inside another part"), "{info}");
    assert!(
        info.contains("0.36 m^3 if the overlap of parts is counted for each of them"),
        "{info}"
    );
    let made = place.sim(&["mesh", "bars.obj", "-o", "bars.msh", "--tets", "3000"]).exit(0);
    assert!(made.stderr.contains("warning: parts overlap: "), "{}", made.stderr);
    assert!(!made.stderr.contains("were lost"), "{}", made.stderr);
    // The volume of the union is 0.333 m^3.
    assert!(made.stdout.contains("0.33"), "{}", made.stdout);
    assert!(!made.stdout.contains("0.36 m^3 before"), "{}", made.stdout);
}

#[test]
fn wrong_numbers_and_folders_are_refused_before_any_work() {
    let place = Place::new(SCENE);
    place.write("cube.obj", CUBE);
    for tets in ["0", "-5"] {
        let stderr = place.sim(&["mesh", "cube.obj", "-o", "a.msh", "--tets", tets]).exit(2).stderr;
        assert!(stderr.contains(&format!("invalid value '{tets}' for '--tets")), "{stderr}");
    }
    // The input would be refused, too: it is read later.
    let stderr = place.sim(&["mesh", "no.obj", "-o", "no/a.msh"]).exit(2).stderr;
    assert!(stderr.contains("there is no folder no"), "{stderr}");
}

#[test]
fn solid_survives_a_format_round_trip() {
    let place = Place::new(SCENE);
    place.write("cube.obj", CUBE);
    place.sim(&["mesh", "cube.obj", "-o", "a.msh", "--tets", "500"]).exit(0);
    place.sim(&["mesh", "a.msh", "-o", "b.vtu"]).exit(0);
    place.sim(&["mesh", "b.vtu", "-o", "c.mesh"]).exit(0);
    place.sim(&["mesh", "c.mesh", "-o", "d.msh"]).exit(0);
    let [a, d] = ["a.msh", "d.msh"].map(|file| std::fs::read(place.path(file)).expect("written"));
    assert!(a == d);
    place.sim(&["mesh", "d.msh", "-o", "skin.ply"]).exit(0);
    let skin = place.sim(&["info", "skin.ply"]).exit(0).stdout;
    assert!(skin.starts_with("skin.ply: a closed surface\n"), "{skin}");
}

#[test]
fn defective_surface_is_described_and_repaired() {
    let place = Place::new(SCENE);
    place.write("cube.stl", &broken_cube());
    let info = place.sim(&["info", "cube.stl"]).exit(0);
    let mended = place.sim(&["mesh", "cube.stl", "-o", "mended.obj", "--repair"]).exit(0);
    let filled = ["mesh", "cube.stl", "-o", "x.msh", "--tets", "1000", "--repair"];
    let filled = place.sim(&filled).exit(0);
    insta::assert_snapshot!(format!(
        "# sim info\n{}{}\n# sim mesh --repair\n{}{}\n# and filled\n{}{}",
        info.stderr,
        info.stdout,
        mended.stderr,
        timeless(&mended.stdout),
        filled.stderr,
        timeless(&filled.stdout)
    ));
}

#[test]
fn tetrahedra_are_extracted_from_mixed_elements_on_request() {
    let place = Place::new(SCENE);
    place.write("hybrid.vtk", &polyhedra_mesh("4 1 10 2 6\n"));
    place.write("cube.obj", CUBE);
    let info = place.sim(&["info", "hybrid.vtk"]).exit(2);
    let refused = place.sim(&["mesh", "hybrid.vtk", "-o", "x.msh"]).exit(2);
    assert!(!place.path("x.msh").exists());
    let taken = ["mesh", "hybrid.vtk", "--tets-only", "-o", "tets.msh"];
    let taken = place.sim(&taken).exit(0);
    let surface = place.sim(&["mesh", "cube.obj", "--tets-only", "-o", "x.msh"]).exit(2);
    insta::assert_snapshot!(format!(
        "# sim info\n{}\n# sim mesh\n{}\n# sim mesh --tets-only\n{}{}\n\n# of a surface\n{}",
        info.stderr,
        refused.stderr,
        taken.stderr,
        timeless(&taken.stdout),
        surface.stderr
    ));
    let tets = place.sim(&["info", "tets.msh"]).exit(0).stdout;
    assert!(tets.contains("tetrahedra       1\n"), "{tets}");
}

#[test]
fn hexahedra_are_divided_with_a_note() {
    let place = Place::new(SCENE);
    place.write("hybrid.msh", HYBRID);
    let output = place.sim(&["mesh", "hybrid.msh", "-o", "tets.msh"]).exit(0);
    assert!(output.stderr.contains("divided 1 hexahedron into 6 tetrahedra"), "{}", output.stderr);
    let tets = place.sim(&["info", "tets.msh"]).exit(0).stdout;
    assert!(tets.contains("tetrahedra       7\n"), "{tets}");
}

#[test]
fn unusable_meshes_are_rejected_with_a_remedy_and_no_output() {
    let place = Place::new(SCENE);
    place.write("cube.obj", CUBE);
    place.write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0.2\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    place.write("empty.stl", "");
    place.write("words.obj", "v 0 0 zero\n");
    place.sim(&["mesh", "cube.obj", "-o", "cube.msh", "--tets", "500"]).exit(0);
    let cases: [&[&str]; 12] = [
        &["mesh", "cbue.obj", "-o", "x.msh"],
        &["mesh", "cube.blend", "-o", "x.msh"],
        &["mesh", "cube.obj", "-o", "x.stl"],
        &["mesh", "cube.obj", "-o", "x"],
        &["mesh", "cube.obj", "-o", "cube.msh"],
        &["mesh", "cube.obj", "-o", "x.obj", "--tets", "500"],
        &["mesh", "cube.obj", "-o", "x.msh", "--size", "-1"],
        &["mesh", "cube.obj", "-o", "x.msh", "--size", "1e-6"],
        &["mesh", "sheet.obj", "-o", "x.msh"],
        &["mesh", "empty.stl", "-o", "x.msh"],
        &["mesh", "words.obj", "-o", "x.msh"],
        &["mesh", "cube.msh", "-o", "x.msh", "--tets", "500"],
    ];
    let mut all = String::new();
    for case in cases {
        let output = place.sim(case).exit(2);
        assert_eq!(output.stdout, "");
        all += &format!("$ sim {}\n{}", case.join(" "), output.stderr);
    }
    for name in ["x.msh", "x.stl", "x", "x.obj"] {
        assert!(!place.path(name).exists(), "{name}");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn mesh_info_prints_json() {
    let place = Place::new(SCENE);
    place.write(
        "tet.mesh",
        "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n\
        0 1 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n",
    );
    let mesh = place.sim(&["info", "tet.mesh", "--json"]).exit(0);
    let scene = place.sim(&["info", "scene.ron", "--json"]).exit(0);
    // The last digits of angles are the system's.
    let digits = |line: &str| match line.split_once('.') {
        Some((whole, rest)) if rest.len() > 12 => format!("{whole}.{}...", &rest[..10]),
        _ => line.to_owned(),
    };
    let all = format!("{}\n{}", mesh.stdout, scene.stdout);
    insta::assert_snapshot!(all.lines().map(digits).collect::<Vec<_>>().join("\n"));
}

#[test]
fn scene_info_describes_the_scene() {
    let place = Place::new(SCENE);
    let said = place.sim(&["info", "scene.ron", "--set", "bodies.die.velocity=(1, 0, 0)"]).exit(0);
    assert_eq!(said.stderr, "");
    insta::assert_snapshot!(said.stdout);
}

const BOX: &str = "Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";

fn with(shape: &str) -> Place {
    let higher = SCENE.replace("translate: (0, 0.06, 0)", "translate: (0, 0.07, 0)");
    let place = Place::new(&higher.replace(BOX, shape));
    place.write("cube.obj", CUBE);
    place
}

#[test]
fn filled_body_touches_with_its_original_surface() {
    let place = with(
        "Fill(file: \"cube.obj\", resolution: Size(0.03), surface: (draw: Original, contact: Original))",
    );
    place.sim(&["check", "scene.ron"]).exit(0);
    // Down to the floor and up again.
    place.sim(&["run", "scene.ron", "--quiet"]).exit(0);
    let frame = place.read_lossy("out/scene/frames/frame_000000.vtu");
    assert!(frame.contains("NumberOfPoints=\"8\" NumberOfCells=\"12\""), "the cube's own");
    place.sim(&["verify", "scene.ron"]).exit(0);
    let plain = with("Fill(file: \"cube.obj\", resolution: Size(0.03))");
    plain.sim(&["run", "scene.ron", "--quiet", "--steps", "1"]).exit(0);
    let frame = plain.read_lossy("out/scene/frames/frame_000000.vtu");
    assert!(!frame.contains("NumberOfPoints=\"8\""));
}

#[test]
fn mesh_in_millimetres_is_warned_about() {
    let place = with("File(\"cube.obj\"), kind: Affine");
    place.write("cube.obj", &CUBE.replace("0.06", "60"));
    let text = place.read("scene.ron").replace("translate: (0, 0.07, 0)", "translate: (0, 70, 0)");
    place.write("scene.ron", &text);
    insta::assert_snapshot!(place.sim(&["check", "scene.ron"]).exit(0).stderr);
}

#[test]
fn every_mesh_format_works_for_bodies_and_obstacles() {
    let place = with("File(\"cube.vtu\")");
    place.sim(&["mesh", "cube.obj", "-o", "cube.vtu", "--tets", "500"]).exit(0);
    place.sim(&["mesh", "cube.obj", "-o", "cube.ply"]).exit(0);
    place.sim(&["check", "scene.ron"]).exit(0);
    let affine = "kind: Affine, shape: File(\"cube.ply\")";
    let text = place.read("scene.ron").replace("shape: File(\"cube.vtu\")", affine).replace(
        "    ],\n    contact",
        "        Mesh(name: \"wall\", file: \"cube.vtu\", placement: (translate: (1, 0, 0)), friction: 0),\n    ],\n    contact",
    );
    place.write("scene.ron", &text);
    let output = place.sim(&["check", "scene.ron"]).exit(0);
    assert_eq!(output.stderr, "");
}

#[test]
fn unsuitable_mesh_files_are_rejected_with_a_remedy() {
    let flat = format!("{CUBE}v 0.06 0 -0.06\nf 2 3 9\n");
    let cases: [(&str, &str, &str); 7] = [
        ("File(\"cube.blend\")", "", ""),
        ("File(\"cube.obj\")", "", ""),
        ("Fill(file: \"cube.msh\", resolution: Tets(20000))", "", ""),
        ("Fill(file: \"cube.obj\", resolution: Tets(1))", "", ""),
        (
            "Fill(file: \"sheet.obj\", resolution: Tets(1000))",
            "sheet.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        ),
        ("File(\"flat.obj\"), kind: Affine", "flat.obj", &flat),
        (
            "Fill(file: \"cube.obj\", resolution: Tets(500), surface: (draw: Original, contact: Original)), kind: Affine",
            "",
            "",
        ),
    ];
    let mut all = String::new();
    for (shape, file, text) in cases {
        let place = with(shape);
        if !file.is_empty() {
            place.write(file, text);
        }
        let output = place.sim(&["check", "scene.ron"]).exit(2);
        all += &format!("# {shape}\n{}\n", output.stderr);
    }
    insta::assert_snapshot!(all);
}

/// Two tetrahedra, one of them steel, and a side of it that is held.
const PARTS: &str =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"steel\"\n2 2 \"held side\"
$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n3
1 4 2 1 1 1 2 3 4\n2 4 2 0 1 2 3 4 5\n3 2 2 2 1 1 3 2\n$EndElements\n";

/// A roof of two materials, one of whose triangles is there twice.
const ROOF: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nusemtl tiles\nf 1 2 3\nf 1 2 3\nusemtl glass\nf 2 4 3\n";

#[test]
fn groups_survive_conversion_and_repair() {
    let place = Place::new(SCENE);
    place.write("parts.msh", PARTS);
    place.write("roof.obj", ROOF);
    let mut message = String::new();
    for (input, output, more) in [
        ("parts.msh", "again.msh", None),
        ("parts.msh", "parts.vtu", None),
        ("parts.vtu", "back.msh", Some("--tets-only")),
        ("parts.msh", "parts.mesh", None),
        ("parts.msh", "side.obj", None),
        ("roof.obj", "mended.obj", Some("--repair")),
        ("roof.obj", "roof.ply", None),
    ] {
        let arguments = [&["mesh", input, "-o", output][..], more.as_slice()].concat();
        let made = place.sim(&arguments).exit(0);
        let info = place.sim(&["info", output]).exit(0);
        let groups: Vec<&str> = info.stdout.lines().filter(|line| line.contains('"')).collect();
        message += &format!("# {}\n{}{}\n", arguments.join(" "), made.stderr, groups.join("\n"));
    }
    insta::assert_snapshot!(message);
}

/// Numbers of the groups of cells, by which programs that draw frames select parts.
#[test]
fn cells_of_frames_have_the_groups_of_the_mesh_file() {
    let shape = "shape: File(\"parts.msh\")";
    let scene = SCENE.replace("shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))", shape);
    assert!(scene.contains(shape), "{scene}");
    let place = Place::new(&scene);
    place.write("parts.msh", PARTS);
    for elements in ["Linear", "Quadratic"] {
        let set = format!("bodies.die.elements={elements}");
        let run = ["run", "scene.ron", "-o", "out", "--steps", "1", "-q", "--force", "--set", &set];
        place.sim(&run).exit(0);
        let frame = std::fs::read(place.path("out/frames/frame_000000.vtu")).expect("a frame");
        let (groups, names) = (array(&frame, "group"), array(&frame, "group_name"));
        let expected = match elements {
            "Linear" => [1, 0].to_vec(),
            _ => [[1; 8], [0; 8]].concat(),
        };
        let words: Vec<u32> =
            groups.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        assert_eq!((words, &names[..]), (expected, &b"steel\0"[..]), "{elements}");
    }
}

/// The bytes of an array of a frame.
fn array(file: &[u8], name: &str) -> Vec<u8> {
    const MARKER: &[u8] = b"encoding=\"raw\">\n_";
    let data = file.windows(MARKER.len()).position(|window| window == MARKER).expect("data");
    let header = String::from_utf8_lossy(&file[..data]).into_owned();
    let element = header.lines().find(|line| line.contains(&format!("Name=\"{name}\"")));
    let offset = element.and_then(|line| line.split("offset=\"").nth(1)?.split('"').next());
    let offset: usize = offset.and_then(|text| text.parse().ok()).expect("an array");
    let start = data + MARKER.len() + offset;
    let length = u64::from_le_bytes(file[start..start + 8].try_into().expect("a length"));
    file[start + 8..start + 8 + length as usize].to_vec()
}

/// Three boxes: a large one, a small one that is dropped, and a plate that is thinner than a cell.
#[test]
fn dropped_piece_does_not_hide_that_the_surface_lacks_parts() {
    const BOXES: [[[f64; 3]; 2]; 3] = [
        [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]],
        [[0.0, 1.4, 0.0], [0.35, 1.75, 0.35]],
        [[1.3, 0.0, 0.0], [1.32, 0.5, 0.5]],
    ];
    const FACES: [[usize; 4]; 6] =
        [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    let mut text = String::new();
    for (index, corners) in BOXES.iter().enumerate() {
        for vertex in 0..8 {
            let [x, y, z] = std::array::from_fn(|axis| corners[vertex >> (2 - axis) & 1][axis]);
            text += &format!("v {x} {y} {z}\n");
        }
        for face in FACES {
            let [a, b, c, d] = face.map(|vertex| 8 * index + vertex);
            text += &format!("f {d} {c} {b} {a}\n");
        }
    }
    let place = Place::new("");
    place.write("boxes.obj", &text);
    let said = place.sim(&["mesh", "boxes.obj", "-o", "boxes.msh", "--tets", "1000"]).exit(0);
    assert!(said.stderr.contains("dropped 1 piece ("), "{}", said.stderr);
    let lacking = "dropped pieces, or parts thinner than a cell of ";
    assert!(said.stderr.contains(lacking), "{}", said.stderr);
    assert!(said.stderr.contains("the surface ends 0.75 m short of ("), "{}", said.stderr);
}
