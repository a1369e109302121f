//! Obstacles moved by files: from a run through an export into another scene, and messages for files without frames.

use crate::support::{Place, SCENE};

const RATE: [&str; 2] = ["--set", "output.frame_rate=60"];

/// A die that falls on the one of another run.
const ON_TOP: &str = r#"(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "light",
        shape: Box(size: (0.05, 0.05, 0.05), cells: (2, 2, 2)),
        material: "rubber",
        placement: (translate: (0.02, 0.145, 0)),
        friction: 0.4,
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Animated(
        name: "die", file: "die/die.obj", frames: "die/die.pc2", frame_rate: 60,
        interpolation: Cubic, friction: 0.4,
    )],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.2),
)"#;

/// A run of a die, exported as a cache, and a scene in which it is an obstacle.
fn place() -> Place {
    let place = Place::new(SCENE);
    place.sim(&[&["run", "scene.ron", "-q"], &RATE[..]].concat()).exit(0);
    place.sim(&["export", "out/scene", "-f", "pc2", "-o", "die", "-q"]).exit(0);
    place.write("top.ron", ON_TOP);
    place
}

/// The samples of a PC2 file.
fn samples(place: &Place, name: &str) -> Vec<Vec<[u8; 12]>> {
    let bytes = std::fs::read(place.path(name)).expect("it was exported");
    let vertices = u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")) as usize;
    let (points, rest) = bytes[32..].as_chunks::<12>();
    assert!(rest.is_empty());
    points.chunks(vertices).map(<[_]>::to_vec).collect()
}

#[test]
fn exported_run_serves_as_animated_obstacle() {
    let place = place();
    assert_eq!(place.sim(&["check", "top.ron"]).exit(0).stderr, "");
    place.sim(&[&["run", "top.ron", "-q"], &RATE[..]].concat()).exit(0);
    place.sim(&["export", "out/top", "-f", "pc2", "-o", "again", "-q"]).exit(0);
    // At times of frames the obstacle is where they have it, to the bit of single precision.
    assert!(samples(&place, "again/die.pc2") == samples(&place, "die/die.pc2"));
    let work = place.history("out/top/history.csv");
    let column = work[0].split(',').position(|name| name == "external_work").expect("a column");
    let moved = work[1..].iter().filter(|row| row.split(',').nth(column) != Some("0"));
    assert!(moved.count() > 2, "it meets the die above it");
}

#[test]
fn obstacle_from_numbered_files_equals_that_from_a_cache() {
    let place = place();
    let expected = {
        place.sim(&[&["run", "top.ron", "-q"], &RATE[..]].concat()).exit(0);
        place.history("out/top/history.csv")
    };
    for format in ["obj", "ply"] {
        let die = ["export", "out/scene", "-f", format, "-o", format, "--bodies", "die", "-q"];
        place.sim(&die).exit(0);
    }
    let frames = "out/scene/frames/frame_######.vtu";
    let files = [
        ("obj/frame_000000.obj", "obj/frame_######.obj"),
        ("ply/frame_000000.ply", "ply/frame_######.ply"),
        ("out/scene/frames/frame_000000.vtu", frames),
    ];
    for (file, frames) in files {
        let scene = ON_TOP.replace("die/die.obj", file).replace("die/die.pc2", frames);
        place.write("each.ron", &scene);
        place.sim(&[&["run", "each.ron", "-q", "--force"], &RATE[..]].concat()).exit(0);
        let found = place.history("out/each/history.csv");
        // Vertices come in another order, so that sums are rounded otherwise.
        let energy = |rows: &[String]| -> Vec<f64> {
            let column = rows[0].split(',').position(|name| name == "total").expect("a column");
            let number = |row: &String| row.split(',').nth(column).and_then(|n| n.parse().ok());
            rows[1..].iter().map(|row| number(row).expect("a number")).collect()
        };
        let pairs = energy(&found).into_iter().zip(energy(&expected));
        for (row, (found, expected)) in pairs.enumerate() {
            assert!(
                (found - expected).abs() < 1e-5 * expected.abs(),
                "{frames}, row {row}: {found}, not {expected}"
            );
        }
    }
}

#[test]
fn every_command_accepts_animated_obstacles() {
    let place = place();
    let cut = [&["run", "top.ron", "-q", "--steps", "12"], &RATE[..]].concat();
    place.sim(&cut).exit(0);
    place.sim(&[&["run", "top.ron", "-q", "--resume"], &RATE[..]].concat()).exit(0);
    place.sim(&[&["run", "top.ron", "-q", "-o", "whole"], &RATE[..]].concat()).exit(0);
    assert_eq!(place.history("out/top/history.csv"), place.history("whole/history.csv"));
    let verified = [&["verify", "top.ron"], &RATE[..]].concat();
    let stdout = place.sim(&verified).exit(0).stdout;
    assert!(stdout.contains("no intersections"), "{stdout}");
    assert!(stdout.contains("\"die\"") && stdout.contains("prescribes its motion"), "{stdout}");
    let info = place.sim(&["info", "top.ron"]).exit(0).stdout;
    assert!(info.contains("Animated, moving"), "{info}");
    place.sim(&["view", "out/top", "--no-open", "-q"]).exit(0);
    assert!(place.read("out/top/view.html").contains("\"name\":\"die\""));
    place.sim(&["render", "out/top", "-o", "a.png", "--at", "0.1", "--size", "64x64"]).exit(0);
    // Other frames are another scene.
    let mut cache = std::fs::read(place.path("die/die.pc2")).expect("it is there");
    let last = cache.len() - 1;
    cache[last] ^= 1;
    std::fs::write(place.path("die/die.pc2"), cache).expect("it can be written");
    let other = [&["run", "top.ron", "-q", "--resume"], &RATE[..]].concat();
    let refused = place.sim(&other).exit(2).stderr;
    assert!(refused.contains("another scene") || refused.contains("fingerprint"), "{refused}");
}

const QUAD: [&str; 2] = ["v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n", "f 1 4 3 2\n"];

/// An MDD file of a quadrilateral in the plane y = 0, raised by so much in each sample.
fn mdd(heights: &[f32]) -> Vec<u8> {
    let mut bytes = (heights.len() as i32).to_be_bytes().to_vec();
    bytes.extend(4_i32.to_be_bytes());
    let times = (0..heights.len()).map(|k| 0.1 * k as f32);
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0_f32]];
    let points = heights.iter().flat_map(|y| corners.map(|[x, z]| [x, *y, z])).flatten();
    bytes.extend(times.chain(points).flat_map(|number| number.to_be_bytes()));
    bytes
}

#[test]
fn invalid_obstacle_frames_are_rejected_with_a_remedy() {
    let place = Place::new(SCENE);
    place.write("quad.obj", &QUAD.concat());
    place.write("tri.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 3 2\n");
    place.write("quad.stl", "solid a\nendsolid a\n");
    let cache = |name: &str, bytes: &[u8]| {
        std::fs::write(place.path(name), bytes).expect("it can be written");
    };
    let valid = mdd(&[-1.0, -0.9, -1.0]);
    cache("good.mdd", &valid);
    cache("open.mdd", &mdd(&[-1.0, -0.9, -0.8]));
    cache("cut.mdd", &valid[..valid.len() - 1]);
    cache("lying.mdd", &[&1_000_000_i32.to_be_bytes()[..], &valid[4..]].concat());
    for number in [1, 2, 4] {
        place.write(&format!("gap_{number}.obj"), &QUAD.concat());
        place.write(&format!("turned_{}.obj", number % 3), &QUAD.concat());
    }
    place.write("turned_2.obj", &QUAD.concat().replace("1 4 3 2", "1 2 3 4"));
    let cases = [
        ("of another mesh", "tri.obj", "good.mdd", "after: Hold"),
        ("cut off", "quad.obj", "cut.mdd", "after: Hold"),
        ("more announced than there is", "quad.obj", "lying.mdd", "after: Hold"),
        ("not there", "quad.obj", "none.pc2", "after: Hold, frame_rate: 24"),
        ("shorter than the run", "quad.obj", "good.mdd", "frame_rate: 24"),
        ("not closed", "quad.obj", "open.mdd", "after: Repeat"),
        ("no file of the name", "quad.obj", "hand_####.obj", "after: Hold, frame_rate: 24"),
        ("a frame is missing", "quad.obj", "gap_#.obj", "after: Hold, frame_rate: 24"),
        ("a face is turned", "quad.obj", "turned_#.obj", "after: Hold, frame_rate: 24"),
        ("no rate", "quad.obj", "gap_#.obj", "after: Hold"),
        ("a rate of nothing", "quad.obj", "good.mdd", "frame_rate: 0"),
        ("two numbers", "quad.obj", "a#_#.obj", "frame_rate: 24"),
        ("another ending", "quad.obj", "good.abc", "frame_rate: 24"),
        ("no vertices with numbers", "quad.stl", "good.mdd", "after: Hold"),
    ];
    let message = cases.map(|(what, file, frames, more)| {
        let obstacle = format!(
            "obstacles: [\n        Animated(name: \"a\", file: \"{file}\", frames: \"{frames}\", \
             interpolation: Linear, friction: 0.1, {more}),"
        );
        place.write("scene.ron", &SCENE.replace("obstacles: [", &obstacle));
        let output = place.sim(&["run", "scene.ron", "-q"]);
        assert_eq!(output.code, Some(2), "{what}: {}", output.stderr);
        format!("# {what}\n{}", output.stderr)
    });
    insta::assert_snapshot!(message.join("\n"));
}

#[test]
fn check_reports_self_intersecting_and_resting_obstacles() {
    let place = Place::new(SCENE);
    // Two quadrilaterals, the second of which comes down through the first.
    let pair = |y: f32| {
        let upper =
            format!("v 0.5 {y} 0.5\nv 2 {y} 0.5\nv 2 {} 1.5\nv 0.5 {} 1.5\n", y - 0.2, y - 0.2);
        format!("{}{upper}{}f 5 8 7 6\n", QUAD[0], QUAD[1])
    };
    for (number, y) in [(0, 0.5), (1, 0.3), (2, 0.1)] {
        place.write(&format!("f{number}.obj"), &pair(y));
    }
    let obstacle = "obstacles: [\n        Animated(name: \"pair\", file: \"f0.obj\", frames: \"f#.obj\", frame_rate: 20, \
                    start: 0.05, interpolation: Linear, after: Hold, friction: 0.1, placement: (translate: (0, -2, 0))),";
    place.write("scene.ron", &SCENE.replace("obstacles: [", obstacle));
    let stderr = place.sim(&["check", "scene.ron"]).exit(0).stderr;
    for words in [
        "\"pair\" stands still until its first frame, at 0.050000 s",
        "\"pair\" stands still from its last frame on, at 0.150000 s, and the run ends at 0.2 s",
        "\"pair\" cuts itself in 1 of 3 frames, first in frame 2, counted from 0, at 0.150000 s",
    ] {
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// Two squares of which the sides lie on each other at rest, and come apart: lips of a mouth. Sewn, the first
/// would take the second along.
#[test]
fn closed_slit_in_an_obstacle_opens() {
    let mouth = |up: f64| {
        format!(
            "v -1 0 0\nv 0 0 0\nv 0 0 1\nv -1 0 1\nv 0 {up} 0\nv 1 {up} 0\nv 1 {up} 1\nv 0 {up} 1\nf 1 4 3 2\n\
             f 5 8 7 6\n"
        )
    };
    let place = Place::new(&ON_TOP.replace(
        "file: \"die/die.obj\", frames: \"die/die.pc2\", frame_rate: 60",
        "file: \"mouth.obj\", frames: \"mouth_#.obj\", frame_rate: 5, placement: (translate: (0, -1, 0))",
    ));
    place.write("mouth.obj", &mouth(0.0));
    (0..2).for_each(|k| place.write(&format!("mouth_{k}.obj"), &mouth(f64::from(k) * 0.5)));
    place.sim(&["run", "scene.ron", "-q", "--set", "output.frame_rate=5"]).exit(0);
    place.sim(&["export", "out/scene", "-f", "pc2", "-o", "again", "-q"]).exit(0);
    let last = samples(&place, "again/die.pc2").pop().expect("a sample");
    let heights =
        last.iter().map(|point| f32::from_le_bytes(point[4..8].try_into().expect("four bytes")));
    assert_eq!(heights.collect::<Vec<_>>(), [-1.0, -1.0, -1.0, -1.0, -0.5, -0.5, -0.5, -0.5]);
}
