use super::*;
use crate::frames::topology_for_tests::{POINTS, topology};
use crate::{Frame, FrameWriter, Ply, Still, Vtu};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use std::fs;
use std::path::Path;

/// A run with two bodies, a wall and a plane, with frames at these times. Everything moves along x at 1 m/s.
fn run(folder: &Path, times: &[f64]) -> FrameWriter {
    fs::create_dir_all(folder.join("frames")).expect("the folder can be written");
    let mut topology = topology();
    topology.gravity = Vec3::new(0.0, 0.0, -2.0);
    let mut writer = FrameWriter::create(&folder.join("frames"), Box::new(Vtu::new(&topology)));
    let wall = TriMesh { positions: POINTS.to_vec(), triangles: vec![[4, 1, 2]] };
    let part = |body, name, role| Still { body, name, role, mesh: &wall };
    let wall = [part(2, "wall", Role::Obstacle), part(4, "door", Role::Obstacle)];
    writer.write_obstacles(&wall).expect("the folder can be written");
    writer.write_planes(&[part(3, "floor", Role::Plane)]).expect("the folder can be written");
    times.iter().for_each(|&time| write(&mut writer, time));
    writer
}

fn write(writer: &mut FrameWriter, time: f64) {
    let points = POINTS.map(|p| p + time * Vec3::X);
    let velocities: Vec<Vec3> = (0..8).map(|n| Vec3::X * f64::from(n)).collect();
    let frame = Frame { time, points: &points, velocities: &velocities, fields: &[] };
    writer.write(&frame).expect("the folder can be written");
}

fn opened(folder: &Path) -> Playback {
    Playback::open(folder).unwrap_or_else(|error| panic!("{error}"))
}

fn single(p: Vec3) -> [f32; 3] {
    p.to_array().map(|x| x as f32)
}

#[test]
fn playback_returns_the_recorded_frames() {
    let place = tempfile::tempdir().expect("a temporary folder");
    run(place.path(), &[0.0, 0.25]);
    let run = opened(place.path());
    assert_eq!((run.times(), run.gravity()), (&[0.0, 0.25][..], Some([0.0, 0.0, -2.0])));
    assert_eq!(run.up(), [0.0, 0.0, 1.0]);
    assert_eq!(opened(place.path()).with_up(Some([1.0, 0.0, 0.0])).up(), [1.0, 0.0, 0.0]);
    assert_eq!((run.unit("velocity"), run.unit("points")), (Some("m/s"), Some("m")));
    let [solid, particles] = run.bodies() else { panic!("{:?}", run.bodies()) };
    assert_eq!((solid.name.as_str(), particles.name.as_str()), ("solid", "two <&\">"));
    assert_eq!((solid.number, solid.role, particles.number), (0, Role::Body, 1));
    // Two tetrahedra with a common face, a spring from point 5 to 7, and the isolated point 6.
    assert_eq!((solid.vertices.clone(), solid.triangles.len()), (0..5, 6));
    assert_eq!((particles.vertices.clone(), particles.triangles.len()), (5..8, 0));
    assert_eq!((&particles.edges[..], &particles.points[..]), (&[[5, 7]][..], &[6][..]));
    let frame = run.frame(1).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(frame.positions, POINTS.map(|p| single(p + 0.25 * Vec3::X)));
    let velocity = frame.field("velocity").expect("frames have it");
    assert_eq!((velocity.components, velocity.values.len(), velocity.values[21]), (3, 24, 7.0));

    let numbers = |part: &StillBody| (part.body.number, part.body.name.clone(), part.body.role);
    let still: Vec<_> = run.still().iter().map(numbers).collect();
    let of = |number, name: &str, role| (number, name.to_owned(), role);
    let obstacle = Role::Obstacle;
    let expected = [of(2, "wall", obstacle), of(3, "floor", Role::Plane), of(4, "door", obstacle)];
    assert_eq!(still, expected);
    for part in run.still() {
        let corners = part.body.triangles[0].map(|corner| part.positions[corner as usize]);
        assert_eq!(corners, [4, 1, 2].map(|n: usize| single(POINTS[n])));
    }
}

#[test]
fn playback_follows_a_running_simulation() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let mut writer = run(place.path(), &[0.0]);
    // An incomplete row is ignored.
    fs::write(place.path().join("history.csv"), "step,time\n1,0.125\n2,0.2").expect("writable");
    let mut run = opened(place.path());
    write(&mut writer, 0.5);
    assert_eq!(run.times(), [0.0]);
    run.refresh().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run.times(), [0.0, 0.5]);
    assert_eq!(run.frame(1).expect("it is whole").positions[0], [0.5, 0.0, 0.0]);
    let history = run.history().expect("it is there");
    assert_eq!(
        (history.names(), history.column("time")),
        (&["step", "time"].map(str::to_owned)[..], Some(vec![Some(0.125)]))
    );
    assert_eq!(history.column("other"), None);
}

#[test]
fn missing_or_damaged_frames_are_rejected_with_a_remedy() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let refused = |folder: &Path, words: [&str; 2]| {
        let error = Playback::open(folder).expect_err("it cannot be played").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    refused(&place.path().join("none"), ["there is no folder", "sim run"]);
    refused(place.path(), ["holds no frames", "`Vtu` in `output.formats`"]);
    let ply = place.path().join("ply/frames");
    fs::create_dir_all(&ply).expect("writable");
    write(&mut FrameWriter::create(&ply, Box::new(Ply::new(&topology()))), 0.0);
    refused(&place.path().join("ply"), ["in PLY only", "`Vtu`"]);

    let both = place.path().join("both");
    for name in ["one", "two"] {
        fs::create_dir_all(both.join(name)).expect("writable");
        run(&both.join(name), &[0.0]);
    }
    refused(&both, ["holds 2 runs; name one of them", "both/one"]);

    run(place.path(), &[0.0, 0.5]);
    let frames = place.path().join("frames");
    let index = fs::read_to_string(frames.join("frames.pvd")).expect("it was written");
    for bad in [
        index.replace("file=\"f", "file=\"../f"),
        index[..index.len() / 2].to_owned(),
        index.replace("\"0.5\"", "\"-1\""),
    ] {
        fs::write(frames.join("frames.pvd"), bad).expect("writable");
        refused(place.path(), ["frames.pvd", "is not an index"]);
    }
    fs::write(frames.join("frames.pvd"), &index).expect("writable");
    let playback = opened(place.path());
    let second = frames.join("frame_000001.vtu");
    let whole = fs::read(&second).expect("it was written");
    let damaged = |bytes: &[u8], word: &str| {
        fs::write(&second, bytes).expect("writable");
        let error = playback.frame(1).expect_err("it is damaged").to_string();
        assert!(error.contains(word) && error.contains("frame_000001.vtu"), "{error}");
    };
    damaged(&whole[..whole.len() - 60], "cut off");
    damaged(&whole[..100], "no header");
    let points = whole.windows(4).rposition(|w| w == 0.5f32.to_le_bytes()).expect("a coordinate");
    let mut other = whole.clone();
    other[points..points + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    damaged(&other, "NaN");
    let at = whole.windows(20).position(|w| w == b"UInt32\" Name=\"body\" ").expect("the array");
    let mut other = whole.clone();
    other[at..at + 6].copy_from_slice(b"UInt64");
    damaged(&other, "not of type");
    fs::remove_file(&second).expect("it is there");
    let error = playback.frame(1).expect_err("it is gone").to_string();
    assert!(error.contains("cannot be read"), "{error}");
}

#[test]
fn frame_of_another_run_is_rejected() {
    let [place, other] = [0, 1].map(|_| tempfile::tempdir().expect("a temporary folder"));
    run(place.path(), &[0.0, 0.5]);
    let frames = other.path().join("frames");
    fs::create_dir_all(&frames).expect("writable");
    let mut topology = topology();
    topology.add_body(0, crate::BodyCells { points: &[0], ..Default::default() });
    let mut writer = FrameWriter::create(&frames, Box::new(Vtu::new(&topology)));
    let frame =
        Frame { time: 0.0, points: &[Vec3::ZERO; 9], velocities: &[Vec3::ZERO; 9], fields: &[] };
    writer.write(&frame).expect("writable");
    let file = "frame_000000.vtu";
    fs::copy(frames.join(file), place.path().join("frames/frame_000001.vtu")).expect("writable");
    let error = opened(place.path()).frame(1).expect_err("it is of another run");
    assert!(matches!(error, PlaybackError::File { damage: Damage::OtherCells, .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn symlinks_pipes_and_devices_among_frames_are_not_opened() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    use std::os::unix::fs::symlink;

    for name in ["frames/frames.pvd", "frames/frame_000000.vtu", "frames/obstacles.vtu", "frames"] {
        let place = tempfile::tempdir().expect("a temporary folder");
        run(place.path(), &[0.0]);
        opened(place.path());
        let (path, kept) = (place.path().join(name), place.path().join("kept"));
        fs::rename(&path, &kept).expect("it was written");
        let refused = |what: &str| {
            let error = Playback::open(place.path()).expect_err(what).to_string();
            assert!(error.contains("frames"), "{what}: {error}");
            fs::remove_file(&path).expect("it is there");
        };
        for target in [kept.as_path(), Path::new("/dev/zero")] {
            symlink(target, &path).expect("links can be made");
            refused("a link");
        }
        mkfifoat(CWD, &path, Mode::RWXU).expect("pipes can be made");
        refused("a pipe");
    }
}

#[test]
fn overlong_frame_is_rejected() {
    let place = tempfile::tempdir().expect("a temporary folder");
    run(place.path(), &[0.0, 0.5]);
    let run = opened(place.path());
    let path = place.path().join("frames/frame_000001.vtu");
    let file = fs::File::options().write(true).open(path).expect("it was written");
    // The file is sparse; reading it would exceed the available memory.
    file.set_len(1 << 40).expect("the file can be longer");
    let error = run.frame(1).expect_err("it is too long");
    assert!(matches!(error, PlaybackError::File { damage: Damage::Longer { .. }, .. }), "{error}");
}
