//! Scripts of IPC.

use crate::files::Files;

const EVERYTHING: &str = "\
# a comment
energy FCR
timeIntegration NM 0.3 0.6
size 2
time 1.5 0.01
density 900
stiffness 2e5 0.3
turnOffGravity
view orthographic
zoom 0.5
shapes input 4
meshes/cube.msh 0 2 0  90 0 0  1 1 1  material 1200 1e6 0.45  initVel 1 0 0  0 180 0
meshes/cube.msh 0 0 0  0 0 0  1 2 1 \\
    DBC -0.1 -0.1 -0.1  1.1 0.1 1.1  0.5 0 0  0 0 0  0 1 \\
    NBC -0.1 0.9 -0.1  1.1 1.1 1.1  0 -3 0
meshes/square.obj -1 -1 -1  0 0 0  3 1 3  linearVelocity 0 0.2 0
meshes/cube.msh 4 0 0  0 0 0  1 1 1  angularVelocity 0 90 0
selfFric 0.2
ground 0.1 -3
halfSpace 0 -4 0  1 2 0  50 0.4
meshCO meshes/square.obj 1 2 3  2  50  0.3  rotate 0 0 90
dHat 2e-3
epsv 1e-4
fricIterAmt 4
tol 1
1e-3
";

#[test]
fn script_with_every_feature_converts_to_a_readable_scene() {
    insta::assert_snapshot!(Files::new().scene("input/all.txt", EVERYTHING));
}

#[test]
fn every_known_animation_converts_to_a_scene() {
    let bodies = "shapes input 2\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\nmeshes/cube.msh 3 0 0  0 0 0  1 1 1\n";
    for name in [
        "null",
        "fall",
        "fallNoShift",
        "drop",
        "hang2",
        "stand",
        "fixLowerHalf",
        "topbottomfix",
        "corner",
        "stamp",
        "stampBoth",
        "stretch",
        "squash",
        "twist",
        "twistnstretch",
        "twistnsns",
        "twistnsns_old",
        "stretchnsquash",
        "upndown",
        "undstamp",
        "push",
        "dragdown",
        "dragright",
        "hangLeft",
        "stretchAndPause",
        "fixRightMost1",
        "pushRightMost1",
        "rubberBandPull",
        "fourLegPull",
        "headTailPull",
        "toggleTop",
        "curtain",
        "NMFixBottomDragLeft",
        "NMFixBottomDragForward",
        "utopiaComparison",
        "DCOFix",
        "DCOBallHitWall 1 20",
    ] {
        let scene = Files::new().scene("a.txt", &format!("script {name}\n{bodies}"));
        assert_eq!(scene.matches("name: \"cube").count(), 2, "{name}: {scene}");
    }
}

#[test]
fn animated_shapes_become_obstacles() {
    let planes = "meshes/square.obj 0 0 0  0 0 0  1 1 1\n".repeat(6);
    let shapes = format!("shapes input 7\n{planes}meshes/cube.msh 0 3 0  0 0 0  1 1 1\n");
    for (name, moving) in [
        ("DCOSquash6", 6),
        ("DCOSquash", 2),
        ("DCORotCylinders", 4),
        ("DCOVerschoorRoller", 6),
        ("DCOFix", 0),
        ("DCOCut", 0),
    ] {
        let scene = Files::new().scene("a.txt", &format!("script {name}\n{shapes}"));
        assert_eq!(scene.matches("motion:").count(), moving, "{name}: {scene}");
        assert_eq!(scene.matches("Mesh(").count(), 6, "{name}");
    }
}

#[test]
fn unsupported_features_are_rejected_together_with_their_lines() {
    let script = "\
energy XYZ
script swim
restart status.txt
colour red
constraintOffset 1e-3
shapes input 4
meshes/none.msh 0 0 0  0 0 0  1 1 1
meshes/square.seg 0 0 0  0 0 0  1 1 1
meshes/cube.msh 0 0 0  0 0 0  1 1 -1
meshes/cube.msh 0 0 zero  0 0 0  1 1 1
time 1
";
    let refused = Files::new().refused("a.txt", script);
    let lines: Vec<usize> = refused.iter().filter_map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 7, 8, 9, 10, 11], "{refused:?}");
}

#[test]
fn segments_points_and_sequences_become_obstacles() {
    let files = Files::new();
    files.write("meshes/triangle.seg", "v 0 0 0\nv 1 0 0\nv 0 0 1\ns 1 2\ns 2 3\ns 3 1\n");
    files.write("meshes/nails.pt", "v 0 0 0\nv 1 0 0\n");
    for number in 0..3 {
        let text = format!("v 0 {number} 0\nv 1 {number} 0\ns 1 2\n");
        files.write(&format!("meshes/moving/{number}.seg"), &text);
    }
    let script = "\
time 1 0.01
shapes input 4
meshes/cube.msh 0 3 0  0 0 0  1 1 1
meshes/triangle.seg 0 1 0  0 0 0  2 2 2  angularVelocity 10 90 0
meshes/nails.pt 0 0 0  0 0 0  1 1 1
meshes/moving/0.seg 0 0 0  0 0 0  1 1 1  meshSeq meshes/moving
selfFric 0.1
";
    let scene = files.scene("a.txt", script);
    let obstacles = scene.split("obstacles: ").nth(1).unwrap_or_default();
    insta::assert_snapshot!(obstacles.split("contact: ").next().unwrap_or_default());
}

#[test]
fn successive_boxes_are_one_motion_that_ends_with_the_last() {
    let shape = |dbc: &str| {
        format!("time 4 0.01\nshapes input 1\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1 {dbc}\n")
    };
    let low = "-0.1 -0.1 -0.1  1.1 0.1 1.1";
    let two = format!("DBC {low}  1 0 0  0 0 0  0 1  DBC {low}  0 0 0  0 0 0  1 3");
    let scene = Files::new().scene("a.txt", &shape(&two));
    let flat: String = scene.split_whitespace().collect();
    assert!(flat.contains("(time:1,translate:(1,0,0)),(time:3,translate:(1,0,0))"), "{scene}");
    assert!(flat.contains("until:3"), "{scene}");
    assert!(flat.contains("dirichlet_tolerance:0.001"), "{scene}");
    let fixed = Files::new().scene("a.txt", &shape(&format!("DBC {low}  0 0 0  0 0 0  0 1")));
    assert!(!fixed.contains("dirichlet_tolerance"), "{fixed}");
    let late = format!("DBC {low}  1 0 0  0 0 0  1 2");
    assert_eq!(Files::new().refused("a.txt", &shape(&late))[0].0, Some(3));
}

#[test]
fn paths_are_relative_to_a_folder_above_the_script() {
    let text = "shapes input 1\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\n";
    let scene = Files::new().scene("input/tutorial/deep/a.txt", text);
    assert!(scene.contains("File(\"meshes/cube.msh\")"), "{scene}");
}

/// The fields of a scene without white space, comments removed.
fn compact(scene: &str) -> String {
    scene
        .lines()
        .filter_map(|line| line.split("//").next())
        .flat_map(str::split_whitespace)
        .collect()
}

#[test]
fn ends_pause_where_the_first_left_node_has_passed_a_coordinate() {
    let script = |x: f64| {
        format!(
            "script stretchAndPause\ntime 1 0.01\nshapes input 1\nmeshes/cube.msh {x} 0 0  0 0 0  1 1 1\n"
        )
    };
    // From -0.1 it is at -0.28 after 18 steps, and moves once more because it has not passed it.
    let scene = compact(&Files::new().scene("a.txt", &script(-0.1)));
    assert!(scene.contains("Move(velocity:(-1,0,0),end:0.19)"), "{scene}");
    assert!(scene.contains("Move(velocity:(1,0,0),end:0.19)"), "{scene}");
    let beyond = compact(&Files::new().scene("a.txt", &script(-0.5)));
    assert_eq!(beyond.matches("motion:Fixed").count(), 2, "{beyond}");
}

#[test]
fn rightmost_node_is_a_single_one() {
    let script = "script pushRightMost1\nshapes input 2\nmeshes/cube.msh -3 0 0  0 0 0  1 1 1\n\
                  meshes/cube.msh 0 0 0  0 0 0  1 1 1\n";
    let scene = compact(&Files::new().scene("a.txt", script));
    assert_eq!(scene.matches("hold:").count(), 1, "{scene}");
    // The second node of the file is at (1, 0, 0).
    let corner = "Box(min:(0.99,-0.01,-0.01),max:(1.01,0.01,0.01))";
    assert!(scene.contains(corner), "{scene}");
    assert!(scene.contains("Move(velocity:(-0.15,0,0))"), "{scene}");
}

#[test]
fn upper_bed_of_segments_sinks_to_a_tenth_above_the_lower_one() {
    let files = Files::new();
    files.write("meshes/needle.seg", "v 0 0 0\nv 0 1 0\ns 1 2\n");
    let script = "\
script DCOSegBedSquash
time 4 0.25
shapes input 1
meshes/cube.msh 0 2 0  0 0 0  1 1 1
shapeMatrix input 2 1 1
meshes/needle.seg 0.5 1 1  0 0 0  1 1 1
shapeMatrix input 2 1 1  0 3 0
meshes/needle.seg 0.5 1 1  0 0 0  1 1 1
";
    let scene = compact(&files.scene("a.txt", script));
    assert_eq!(scene.matches("Mesh(").count(), 2, "{scene}");
    // The gap of 2 m is more than 0.1 m up to the step that begins at a displacement of 1.75 m.
    let keys = "Keys(keys:[(time:0),(time:2,translate:(0,-2,0)),(time:4,translate:(0,-2,0)),]";
    assert_eq!(scene.matches(keys).count(), 1, "{scene}");
}

/// `size` scales the generated mesh, too.
#[test]
fn copies_of_a_shape_matrix_are_one_obstacle_at_the_places_of_the_copies() {
    let files = Files::new();
    files.write("meshes/needle.seg", "v 0 0 0\nv 0 1 0\ns 1 2\n");
    let matrix = "shapeMatrix input 2 1 2  0 3 0\nMESH 0.5 1 2  0 0 90  1 1 1 ";
    let cube = "size 6\nshapes input 1\nmeshes/cube.msh 0 2 0  0 0 0  1 1 1\n";
    let grid = |mesh: &str, motion: &str| {
        let script = format!("{cube}{}{motion}\n", matrix.replace("MESH", mesh));
        let imported = files.import("a.txt", &script).unwrap();
        let [grid] = &imported.files[..] else { panic!("{:?}", imported.files) };
        let scene = compact(&imported.scene);
        let obstacles = scene.split("obstacles:[").nth(1).and_then(|rest| rest.split(']').next());
        assert_eq!(obstacles.unwrap().matches("name:").count(), 1, "{scene}");
        assert!(scene.contains(&format!("file:\"{}\"", grid.name)), "{scene}");
        (grid.name.clone(), String::from_utf8(grid.contents.clone()).unwrap())
    };
    let (name, needles) = grid("meshes/needle.seg", "");
    assert_eq!(name, "needle-grid.seg");
    assert_eq!(points(&needles).len(), 8);
    assert_eq!(needles.lines().filter(|line| line.starts_with('s')).count(), 4);
    let (name, squares) = grid("meshes/square.obj", "");
    assert_eq!(name, "square-grid.obj");
    assert_eq!(points(&squares).len(), 16);
    assert_eq!(squares.lines().filter(|line| line.starts_with('f')).count(), 8);
    let (name, cubes) = grid("meshes/cube.msh", "linearVelocity 0 0.2 0");
    assert_eq!(name, "cube-2-grid.obj");
    assert_eq!(points(&cubes).len(), 32);
    assert_eq!(cubes.lines().filter(|line| line.starts_with('f')).count(), 48);

    // The same needles as shapes of their own, which keep their placements.
    let shapes = cube.replace("input 1", "input 5");
    let cells = [[0.0, 0.0], [0.0, 2.0], [0.5, 0.0], [0.5, 2.0]];
    let lines = cells.map(|[x, z]| format!("meshes/needle.seg {x} 3 {z}  0 0 90  1 1 1\n"));
    let scene = compact(&files.scene("b.txt", &format!("{shapes}{}", lines.concat())));
    let translations: Vec<[f64; 3]> = scene
        .split("translate:")
        .skip(2)
        .map(|rest| triple(rest.split(')').next().unwrap()))
        .collect();
    assert_eq!(translations.len(), 4, "{scene}");
    for (start, expected) in points(&needles).iter().step_by(2).zip(translations) {
        let distance = [0, 1, 2].map(|axis| (start[axis] - expected[axis]).abs());
        assert!(distance.iter().all(|distance| *distance < 1e-12), "{start:?}, {expected:?}");
    }
}

/// The vertices of a Wavefront file or of a file of segments.
fn points(text: &str) -> Vec<[f64; 3]> {
    text.lines().filter_map(|line| line.strip_prefix("v ")).map(triple).collect()
}

/// Three numbers that blanks or commas separate.
fn triple(text: &str) -> [f64; 3] {
    let numbers = text.split([' ', ',', '(']).filter(|number| !number.is_empty());
    let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

#[test]
fn activation_distance_is_that_at_the_end_of_a_step_of_the_source() {
    let d_hat = |tuning: &str| {
        let text = format!("{tuning}\nshapes input 1\nmeshes/cube.msh 0 0 0  0 0 0  1 1 1\n");
        let scene = compact(&Files::new().scene("a.txt", &text));
        let value = scene.split("d_hat:").nth(1).and_then(|rest| rest.split(',').next());
        value.and_then(|value| value.parse::<f64>().ok()).unwrap_or(f64::NAN)
    };
    let diagonal = 3.0_f64.sqrt();
    for (tuning, relative) in [
        ("tuning 2\n1e-4\n5e-1", 1e-3),
        ("tuning 3\n0\n1e-2\n1e-4", 1e-4),
        ("tuning 3\n0\n1e-5\n1e-4", 1e-5),
        ("dHat 0.02", 0.02),
        ("", 1e-3),
    ] {
        let found = d_hat(tuning);
        assert!((found / (relative * diagonal) - 1.0).abs() < 1e-5, "{tuning}: {found}");
    }
}

#[test]
fn barrier_replaces_other_solvers_with_a_note() {
    let script = "\
constraintSolver SQP
timeStepper Newton
resolution 1000
inexactSolve 0
constraintOffset 1e-2
shapes input 1
meshes/cube.msh 0 0 0  0 0 0  1 1 1
time 5 0.02
section SQP QP
time 1 1e-4
section end
";
    let imported = Files::new().import("a.txt", script).expect("it can be expressed");
    assert!(imported.notes.iter().any(|note| note.contains("`constraintSolver SQP`")));
    assert!(compact(&imported.scene).contains("time:(step:0.02,duration:5)"), "{}", imported.scene);
}
