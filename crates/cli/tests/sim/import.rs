//! Files of other programs: imported, run as they are, and compared.

use crate::support::{Place, SCENE};

/// A cube of edge 1 from the origin, of six tetrahedra.
pub(crate) const CUBE: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n3 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n\
0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n$EndNodes\n$Elements\n1 6 1 6\n3 1 4 6\n\
1 1 2 3 7\n2 1 3 4 7\n3 1 4 8 7\n4 1 8 5 7\n5 1 5 6 7\n6 1 6 2 7\n$EndElements\n";

/// A cube that falls from a height of 2 onto the ground.
const SCRIPT: &str = "time 0.5 0.025\nshapes input 1\ncube.msh 0 2 0  0 0 0  1 1 1\nground 0.1 0\n";

/// A cube in free fall by implicit Euler: after n steps of h it has fallen by g h^2 n (n + 1) / 2.
pub(crate) const FALL: &str = r#"{"geometry": {"mesh": "cube.msh"}, "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000},
"boundary_conditions": {"rhs": [0, 9.81, 0]}, "time": {"dt": 0.01, "tend": 1},
"tests": {"err_l2": 0.002943, "err_h1_semi": 0, "err_lp": 0.002943, "err_linf": 0.002943, "time_steps": 2}}"#;

/// A refined cube that is pulled by a tenth.
const PULLED: &str = r#"{"geometry": {"mesh": "cube.msh", "n_refs": 1, "surface_selection":
[{"id": 1, "axis": -1, "position": 0.01}, {"id": 2, "axis": 1, "position": 0.99}]},
"materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4}, "boundary_conditions": {"dirichlet_boundary":
[{"id": 1, "value": [0, 0, 0]}, {"id": 2, "value": [0.1, 0, 0]}]}}"#;

fn place() -> Place {
    let place = Place::new(SCENE);
    place.write("cube.msh", CUBE);
    place
}

#[test]
fn imported_script_runs_unchanged() {
    let place = place();
    place.write("fall.txt", SCRIPT);
    let output = place.sim(&["import", "fall.txt", "-o", "fall.ron"]).exit(0);
    assert!(output.stderr.contains("wrote fall.ron"), "{}", output.stderr);
    assert_eq!(place.read("fall.ron"), place.sim(&["import", "fall.txt"]).exit(0).stdout);
    place.sim(&["import", "fall.txt", "-o", "fall.ron"]).exit(2);
    place.sim(&["import", "fall.txt", "-o", "fall.ron", "--force"]).exit(0);
    for file in ["fall.ron", "fall.txt"] {
        place.sim(&["check", file]).exit(0);
        place.sim(&["info", file]).exit(0);
        place.sim(&["run", file, "-o", &format!("out/{file}"), "--steps", "3"]).exit(0);
    }
    let history = |file: &str| place.read(&format!("out/{file}/history.csv"));
    let rows = |file: &str| {
        history(file)
            .lines()
            .map(|row| row.rsplit_once(',').unwrap().0.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows("fall.ron"), rows("fall.txt"));
}

#[test]
fn scenes_of_a_folder_share_a_generated_mesh() {
    let place = place();
    place.write("pulled.json", PULLED);
    for scene in ["a.ron", "b.ron"] {
        place.sim(&["import", "pulled.json", "-o", scene]).exit(0);
    }
    place.write("cube-refined1.msh", "another mesh");
    place.sim(&["import", "pulled.json", "-o", "c.ron"]).exit(2);
    assert_eq!(place.read("cube-refined1.msh"), "another mesh");
}

#[test]
fn unsupported_features_are_rejected_with_their_lines() {
    let place = place();
    place.write("wrong.txt", &format!("script swim\n{SCRIPT}restart status\n"));
    for arguments in [&["import", "wrong.txt"][..], &["run", "wrong.txt"], &["check", "wrong.txt"]]
    {
        let stderr = place.sim(arguments).exit(2).stderr;
        assert!(
            stderr.contains("wrong.txt:1: script") && stderr.contains("wrong.txt:6: restart"),
            "{stderr}"
        );
    }
    place.sim(&["import", "scene.ron"]).exit(2);
}

#[test]
fn refined_mesh_is_written_beside_the_scene() {
    let place = place();
    place.write("pulled.json", PULLED);
    place.sim(&["import", "pulled.json", "-o", "scenes/pulled.ron"]).exit(0);
    assert!(place.path("scenes/cube-refined1.msh").is_file());
    place.sim(&["run", "scenes/pulled.ron", "-o", "out/a"]).exit(0);
    place.sim(&["run", "pulled.json", "-o", "out/b"]).exit(0);
    let rows = |run: &str| {
        place
            .read(&format!("out/{run}/history.csv"))
            .lines()
            .map(|row| row.rsplit_once(',').unwrap().0.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows("a"), rows("b"));
}

/// The mesh that the import makes of the problem is in no file.
#[test]
fn run_of_a_file_with_generated_meshes_is_resumed_repeated_and_described() {
    let place = place();
    let dynamic = PULLED.replacen('{', r#"{"time": {"dt": 0.01, "tend": 0.06}, "#, 1);
    let dynamic = dynamic.replacen(r#""nu": 0.4"#, r#""nu": 0.4, "rho": 1000"#, 1);
    place.write("pulled.json", &dynamic);
    let run = |more: &[&str]| place.sim(&[&["run", "pulled.json", "-q"], more].concat());
    run(&["-o", "out/whole"]).exit(0);
    run(&["-o", "out/parts", "--steps", "3"]).exit(0);
    let scene = place.read("out/parts/scene.ron");
    assert!(scene.contains("File(\"cube-refined1.msh\")"), "{scene}");
    run(&["-o", "out/parts", "--resume"]).exit(0);
    assert_eq!(place.history("out/whole/history.csv"), place.history("out/parts/history.csv"));
    let told = place.sim(&["rerun", "out/whole"]).exit(0).stdout;
    assert!(told.contains("is bitwise equal: 6 steps"), "{told}");
    place.sim(&["info", "out/whole"]).exit(0);
    assert!(!place.path("cube-refined1.msh").exists());
    place.write("pulled.json", &dynamic.replacen("cube.msh", "cub.msh", 1));
    let said = place.sim(&["info", "out/whole"]).exit(2).stderr;
    assert!(said.contains("pulled.json cannot be imported again"), "{said}");
}

#[test]
fn import_replaces_no_mesh_without_force() {
    let place = place();
    place.write("pulled.json", PULLED);
    place.write("cube-refined1.msh", "mine");
    let import = ["import", "pulled.json", "-o", "pulled.ron"];
    let said = place.sim(&import).exit(2).stderr;
    assert!(said.contains("cube-refined1.msh already exists"), "{said}");
    assert_eq!(place.read("cube-refined1.msh"), "mine");
    assert!(!place.path("pulled.ron").exists());
    place.sim(&[&import[..], &["--force"]].concat()).exit(0);
    assert!(place.read_lossy("cube-refined1.msh").starts_with("$MeshFormat"));
}

#[test]
fn files_without_content_of_their_format_are_named_as_such() {
    let place = place();
    place.write("empty.inp", "");
    place.write("notes.txt", "milk");
    let said = |file: &str| place.sim(&["import", file]).exit(2).stderr;
    assert!(said("empty.inp").contains("the file is empty"), "{}", said("empty.inp"));
    assert!(said("notes.txt").contains("not that of the format"), "{}", said("notes.txt"));
    assert!(!said("none.inp").contains("extension"), "{}", said("none.inp"));
    let checked = place.sim(&["check", "empty.inp"]).exit(2).stderr;
    assert!(checked.contains("the file is empty"), "{checked}");
}

#[test]
fn broken_json_is_reported_with_its_line_and_column() {
    let place = place();
    place.write("broken.json", &FALL.replacen("},", "}\n", 1));
    let said = place.sim(&["import", "broken.json"]).exit(2).stderr;
    assert!(said.contains("broken.json:1:33"), "{said}");
    assert!(said.contains("a comma or a closing bracket is missing after this"), "{said}");
}

/// Paths of the problem are those of the current folder, which has the empty name.
#[test]
fn frames_beside_a_problem_are_found() {
    let place = place();
    for name in ["f1.obj", "f2.obj"] {
        place.write(name, "v 0 -3 0\nv 1 -3 0\nv 0 -3 1\nf 1 3 2\n");
    }
    for (list, frames) in [
        (r#""f*.obj""#, "f#.obj"),
        (r#"["f1.obj", "f2.obj"]"#, "f#.obj"),
        (r#"["f2.obj"]"#, "f2-#.obj"),
    ] {
        let text = format!(
            r#"{{"geometry": [{{"mesh": "cube.msh"}}, {{"type": "mesh_sequence", "mesh_sequence": {list}, "fps": 5,
            "is_obstacle": true}}], "contact": {{"enabled": true}}, "time": {{"dt": 0.01, "tend": 0.02}},
            "materials": {{"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}}}}"#
        );
        place.write("frames.json", &text);
        let scene = place.sim(&["import", "frames.json"]).exit(0).stdout;
        assert!(scene.contains(&format!("frames: \"{frames}\"")), "{list}: {scene}");
        place.sim(&["check", "frames.json"]).exit(0);
    }
}

/// Imported solids have lumped masses, which the mesh is not to blame for.
#[test]
fn wrong_moments_of_inertia_are_those_of_lumped_masses() {
    let place = place();
    place.write("fall.json", FALL);
    let said = place.sim(&["check", "fall.json"]).exit(0).stderr;
    assert!(
        said.contains("its masses are `Lumped`") && said.contains("`masses: Fitted`"),
        "{said}"
    );
    let fitted = place.sim(&["check", "fall.json", "--set", "bodies.cube.masses=Fitted"]).exit(0);
    assert!(!fitted.stderr.contains("Lumped"), "{}", fitted.stderr);
}

#[test]
fn suite_compares_norms_and_continues() {
    let place = place();
    std::fs::create_dir(place.path("suite")).unwrap();
    for (name, text) in [
        ("cube.msh", CUBE),
        ("fall.json", FALL),
        ("script.txt", SCRIPT),
        ("wrong.txt", "script swim\nshapes input 1\ncube.msh 0 2 0  0 0 0  1 1 1\n"),
    ] {
        place.write(&format!("suite/{name}"), text);
    }
    let first = place.sim(&["suite", "suite", "-o", "out/s", "--steps", "1", "--quiet"]).exit(0);
    assert!(first.stdout.contains("| fall.json | complete | 1 of 100"), "{}", first.stdout);
    assert!(first.stdout.contains("| wrong.txt | refused: suite/wrong.txt:1"), "{}", first.stdout);
    place.sim(&["suite", "suite", "-o", "out/s", "--quiet"]).exit(0);
    let table = place.read("out/s/suite.csv");
    let row: Vec<&str> =
        table.lines().find(|row| row.starts_with("fall.json")).unwrap().split(',').collect();
    assert_eq!(
        (row[1], row[2], row[5], row[7]),
        ("complete", "2 of 100", "-", "2.943000e-3"),
        "{table}"
    );
    assert!(row[8].parse::<f64>().unwrap() < 1e-8, "{table}");
    assert!(table.contains("script.txt,complete,20 of 20"), "{table}");
    place.sim(&["suite", "out"]).exit(2);
}
