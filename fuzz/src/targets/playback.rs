//! The folder of a run, played back, made a page of and checked.

use super::scene::OVERRIDDEN;
use resile_record::{Origin, Playback, RunFolder, Summary};
use resile_scene::text::SceneText;
use resile_verify::{Rules, Verifier};
use resile_view::{PageMode, write_page};
use std::cell::OnceCell;
use std::ops::ControlFlow::Continue;
use std::path::Path;
use tempfile::TempDir;

/// What stands before each file, with its name behind it up to the end of the line.
pub const BEFORE_FILE: &[u8] = b"\n=== ";
/// The files that there may be.
pub const FILES: [&str; 10] = [
    "history.csv",
    "summary.json",
    "run.json",
    "scene.ron",
    "frames/frames.pvd",
    "frames/frame_000000.vtu",
    "frames/frame_000001.vtu",
    "frames/obstacles.vtu",
    "frames/originals.json",
    "frames/original_0.obj",
];

thread_local! {
    static PLACE: OnceCell<(TempDir, Rules)> = const { OnceCell::new() };
}

/// Files of the folder of a run, one behind the other.
pub fn playback(data: &[u8]) {
    PLACE.with(|place| {
        let (folder, rules) = place.get_or_init(place_and_rules);
        unpack(folder.path(), data);
        look(folder.path(), rules);
    });
}

fn place_and_rules() -> (TempDir, Rules) {
    let folder = super::folder();
    std::fs::create_dir(folder.path().join("frames")).expect("it can be written");
    let scene = SceneText::new("fuzz.ron", OVERRIDDEN).load().expect("it is good").scene;
    (folder, scene.rules())
}

fn unpack(folder: &Path, data: &[u8]) {
    for name in FILES {
        let _ = std::fs::remove_file(folder.join(name));
    }
    let mut rest = data;
    while let Some(begin) = find(rest, BEFORE_FILE) {
        rest = &rest[begin + BEFORE_FILE.len()..];
        let end = find(rest, BEFORE_FILE).unwrap_or(rest.len());
        let (file, behind) = rest.split_at(end);
        let mut parts = file.splitn(2, |&byte| byte == b'\n');
        if let (Some(name), Some(content)) = (parts.next(), parts.next())
            && let Some(name) = FILES.iter().find(|known| known.as_bytes() == name)
        {
            std::fs::write(folder.join(name), content).expect("it can be written");
        }
        rest = behind;
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn look(folder: &Path, rules: &Rules) {
    let run = RunFolder::at(folder);
    let _ = (Summary::read(&run.summary()), Origin::read(&run));
    if let Ok(verifier) = Verifier::open(rules, folder) {
        assert!(!verifier.run(&mut |_| ()).to_json().is_empty());
    }
    let Ok(run) = Playback::open(folder) else { return };
    for number in 0..run.times().len() {
        if let Ok(frame) = run.frame(number) {
            assert!(frame.positions.iter().flatten().all(|x| x.is_finite()));
            for body in run.bodies() {
                assert!(body.vertices.end <= frame.positions.len(), "{}", body.name);
                let corners = body.triangles.as_flattened();
                assert!(corners.iter().all(|&corner| body.vertices.contains(&(corner as usize))));
            }
        }
    }
    for body in run.bodies() {
        let _ = run.original(body);
    }
    for mode in [PageMode::Whole, PageMode::Growing] {
        let _ = write_page(&run, "fuzz", mode, &mut std::io::sink(), &mut |_, _| Continue(()));
    }
}
