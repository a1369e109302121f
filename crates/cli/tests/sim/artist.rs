//! An artist's mesh goes in, and comes out again with its vertices, faces and names.

use crate::support::Place;

/// A box of six squares with a seam of its texture, a vertex that nothing uses in the middle of the
/// list, groups and normals.
const BOX: &str = "# made by hand\nmtllib box.mtl\no box\nv -0.05 -0.05 -0.05\nv 0.05 -0.05 -0.05\nv 0.05 0.05 -0.05\n\
v -0.05 0.05 -0.05\nv 9 9 9\nv -0.05 -0.05 0.05\nv 0.05 -0.05 0.05\nv 0.05 0.05 0.05\nv -0.05 0.05 0.05\n\
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\nvn 0 0 -1\ng sides\nusemtl paint\n\
f 4/1/1 3/2/1 2/3/1 1/4/1\nf 6/1/1 7/2/1 8/3/1 9/5/1\nf 1/1/1 2/2/1 7/3/1 6/4/1\ns off\n\
f 2/1/1 3/2/1 8/3/1 7/4/1\ng ends\nf 3/1/1 4/2/1 9/3/1 8/4/1\nf 4/5/1 1/2/1 6/3/1 9/4/1\n";

/// Two bodies of the same file, made in different ways, and one that is thin.
const SCENE: &str = r#"(
    version: 2,
    materials: {"soft": (density: 1000, model: NeoHookean(young: 1e4, poisson: 0.4))},
    bodies: [
        (name: "stiff", shape: File("box.obj"), kind: Affine, material: "soft", friction: 0.1,
         placement: (translate: (0, 0.08, 0)), angular_velocity: (5, 0, 0)),
        (name: "soft", shape: Fill(file: "box.obj", resolution: Size(0.04), surface: (draw: Original)),
         material: "soft", friction: 0.1, placement: (translate: (0.3, 0.051, 0))),
        (name: "thin", shape: File("quad.obj"), kind: Shell(thickness: 1e-3), material: "soft", friction: 0.1,
         placement: (translate: (0, 0.05, 0.3))),
    ],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.1)],
    gravity: (0, -9.81, 0),
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean, start: AsPlaced),
    integrator: ImplicitEuler,
    time: (step: "1/60", duration: 0.2),
    output: (frame_rate: 20, fields: [VonMises, Displacement]),
)"#;

const QUAD: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0 0.1\nv 0.1 0 0.1\nvt 0 0\nf 1/1 3/1 4/1 2/1\n";

fn place() -> Place {
    let place = Place::new(SCENE);
    place.write("box.obj", BOX);
    place.write("quad.obj", QUAD);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    place
}

/// Faces without normals, which turn with the surface.
fn faces(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("f ") || line.starts_with("vt "));
    let word = |word: &str| word.split('/').take(2).collect::<Vec<_>>().join("/");
    lines.map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" ")).collect()
}

/// Places at all samples of a PC2 file.
fn pc2(bytes: &[u8]) -> Vec<Vec<[f32; 3]>> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let [vertices, samples] = [word(16), word(28)].map(|count| count as usize);
    let numbers: Vec<f32> = bytes[32..]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().expect("four")))
        .collect();
    assert_eq!(numbers.len(), 3 * vertices * samples);
    let samples = numbers.chunks_exact(3 * vertices);
    samples.map(|sample| sample.as_chunks::<3>().0.to_vec()).collect()
}

fn vertices(obj: &str) -> Vec<[f32; 3]> {
    let lines = obj.lines().filter_map(|line| line.strip_prefix("v "));
    lines
        .map(|line| {
            let mut numbers = line.split(' ').map(|word| word.parse().expect("a number"));
            std::array::from_fn(|_| numbers.next().expect("three"))
        })
        .collect()
}

#[test]
fn point_caches_fit_the_original_file() {
    let place = place();
    place.sim(&["export", "out/scene", "--format", "pc2", "-q"]).exit(0);
    for (name, file, to) in [
        ("stiff", BOX, [0.0, 0.08, 0.0]),
        ("soft", BOX, [0.3, 0.051, 0.0]),
        ("thin", QUAD, [0.0, 0.05, 0.3]),
    ] {
        let cache = std::fs::read(place.path(&format!("out/scene/export-pc2/{name}.pc2")))
            .expect("it is there");
        let (samples, own) = (pc2(&cache), vertices(file));
        assert_eq!(samples[0].len(), own.len(), "{name}");
        for (number, (found, own)) in samples[0].iter().zip(&own).enumerate() {
            if own[0] > 1.0 {
                assert_eq!(found, &samples[0][number - 1], "unused goes with the one before");
                continue;
            }
            let off = (0..3).map(|k| (f64::from(found[k]) - f64::from(own[k]) - to[k]).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-7, "{name}, vertex {number}: {found:?} is off by {off}");
        }
        assert_ne!(samples[0], samples[4], "{name} moves");
        let mesh = place.read(&format!("out/scene/export-pc2/{name}.obj"));
        assert_eq!(faces(&mesh), faces(file), "{name}");
        assert_eq!(vertices(&mesh), samples[0], "{name}");
    }
}

#[test]
fn obj_sequences_keep_original_faces_and_names() {
    let place = place();
    place.sim(&["export", "out/scene", "--format", "obj", "--separate", "-q"]).exit(0);
    let frame = place.read("out/scene/export-obj/soft_000003.obj");
    assert_eq!(faces(&frame), faces(BOX));
    let kept = ["o box", "g sides", "usemtl paint", "s off", "g ends"];
    assert!(kept.iter().all(|line| frame.lines().any(|found| found == *line)), "{frame}");
    assert!(!frame.contains("vn ") && !frame.contains("box.mtl"), "{frame}");
    assert!(place.read("out/scene/export-obj/materials.mtl").contains("newmtl paint"));
    // All in one file: numbers are those of the whole.
    place.sim(&["export", "out/scene", "--format", "obj", "-q", "-o", "all"]).exit(0);
    let frame = place.read("all/frame_000000.obj");
    assert_eq!(frame.lines().filter(|line| line.starts_with("v ")).count(), 9 + 9 + 4 + 4);
    let thin = frame.lines().rfind(|line| line.contains('/')).expect("the faces of the sheet");
    assert_eq!(thin, "f 19/11 21/11 22/11 20/11");
}

#[test]
fn drawn_surface_may_differ_from_the_contact_surface() {
    let place = place();
    let verified = place.sim(&["verify", "scene.ron"]).exit(0).stdout;
    assert!(verified.contains("no intersections"), "{verified}");
    // The squares are drawn, not the boundary of the tetrahedra.
    place.sim(&["export", "out/scene", "--format", "ply", "--separate", "-q"]).exit(0);
    let ply = place.read_lossy("out/scene/export-ply/soft_000000.ply");
    assert!(ply.contains("element vertex 8\n") && ply.contains("element face 12\n"), "{ply}");
    for command in [
        &["view", "out/scene", "--no-open", "-q"][..],
        &["render", "out/scene", "-q", "--at", "0.1", "--size", "160x120"],
    ] {
        place.sim(command).exit(0);
    }
}

/// A surface that is open and cuts itself: of a box a side is missing, and another box stands in it.
#[test]
fn defective_surface_is_drawn_and_its_filled_boundary_touches() {
    let place = Place::new(SCENE);
    place.write("quad.obj", QUAD);
    let (open, _) = BOX.rsplit_once("f 4/5/1").expect("its last face");
    let second: String = BOX
        .lines()
        .filter(|line| line.starts_with("v ") && !line.contains('9'))
        .map(|line| {
            let numbers = line[2..]
                .split(' ')
                .map(|x| (x.parse::<f64>().expect("a number") * 0.8 + 0.02).to_string());
            format!("v {}\n", numbers.collect::<Vec<_>>().join(" "))
        })
        .collect();
    let faces = "f 13 12 11 10\nf 14 15 16 17\nf 10 11 15 14\nf 11 12 16 15\nf 12 13 17 16\nf 13 10 14 17\n";
    place.write("box.obj", &format!("{open}{second}{faces}"));
    let alone = ["run", "scene.ron", "-q", "--force", "--set"];
    let soft = |surface: &str| {
        format!(
            "bodies=[(name: \"soft\", shape: Fill(file: \"box.obj\", resolution: Size(0.04), surface: {surface}), \
             material: \"soft\", friction: 0.1, placement: (translate: (0.3, 0.1, 0)))]"
        )
    };
    let refused = place
        .sim(&[&alone[..], &[&soft("(draw: Original, contact: Original)")]].concat())
        .exit(2)
        .stderr;
    assert!(refused.contains("contact: Boundary"), "{refused}");
    place.sim(&[&alone[..], &[&soft("(draw: Original)")]].concat()).exit(0);
    place.sim(&["export", "out/scene", "--format", "pc2", "-q"]).exit(0);
    let cache = std::fs::read(place.path("out/scene/export-pc2/soft.pc2")).expect("it is there");
    assert_eq!(pc2(&cache)[0].len(), 17);
    let unseen = place.sim(&[&alone[..], &[&soft("(contact: Original)")]].concat()).exit(2).stderr;
    assert!(unseen.contains("invisible"), "{unseen}");
}

/// What is lost of the folder of a run that goes on is there again, and exports find the artist's mesh.
#[test]
fn resumed_run_restores_original_meshes() {
    let place = Place::new(SCENE);
    place.write("box.obj", BOX);
    place.write("quad.obj", QUAD);
    place.sim(&["run", "scene.ron", "-q", "--steps", "4"]).exit(0);
    let kept = ["original_000000.obj", "original_000001.obj", "originals.json"]
        .map(|name| format!("out/scene/frames/{name}"));
    let before = kept.clone().map(|file| place.read(&file));
    kept.iter().for_each(|file| std::fs::remove_file(place.path(file)).expect("it was there"));
    place.sim(&["run", "scene.ron", "-q", "--resume"]).exit(0);
    assert_eq!(kept.map(|file| place.read(&file)), before);
}
