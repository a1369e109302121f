//! Good input for every target of `fuzz`, to begin with.

use crate::engine::seeds::seeds as of_format;
use crate::targets::{BEFORE_FILE, CACHES, FILES, MESHES, OVERRIDDEN, SCENES, data_after, run_of};
use std::fs;
use std::io;
use std::path::Path;

/// Writes them to a folder for each target.
pub(crate) fn write(folder: &Path) -> io::Result<()> {
    for (target, all) in seeds() {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        for (number, bytes) in all.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:03}")), bytes)?;
        }
    }
    Ok(())
}

/// By the name of the target.
fn seeds() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let lines = |all: &[&str]| all.iter().map(|text| text.as_bytes().to_vec()).collect();
    vec![
        ("scene", scenes()),
        ("set", lines(&OVERRIDES)),
        ("mesh", files(&MESHES)),
        ("cache", files(&CACHES)),
        ("checkpoint", checkpoints()),
        ("playback", vec![packed(OVERRIDDEN)]),
        ("http", lines(&REQUESTS)),
    ]
}

const OVERRIDES: [&str; 8] = [
    "gravity[1]=-1.6\ntime.step=1/60",
    "bodies.die.shape=Sphere(radius: 0.1, subdivisions: 1)",
    "bodies[0].kind=Affine\nmaterials.soft.model=Orthogonal(stiffness: 1e7)",
    "integrator=Newmark(beta: 0.25, gamma: 0.5)\nsolver.tolerance=1e-3",
    "time.adaptive=Doubling(error: 1e-3)\nsettle=(:)",
    "bodies.die.repeat=Row(count: 3, step: (0.3, 0, 0))",
    "output.formats=[Vtu, Ply]\noutput.tables=[Bodies, Poses]\noutput.frame_rate=24",
    "name=\"x\"\nbodies.die.placement=(rotate: [(axis: (0, 0, 1), degrees: 10)], scale: 2)",
];

const REQUESTS: [&str; 6] = [
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nIf-None-Match: \"3-Whole\"\r\n\r\n",
    "POST /command HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: http://localhost:8080\r\n\
     Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 41\r\n\r\n\
     {\"Pull\": {\"vertex\": 12, \"place\": [0,1,0]}}",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
    "{\"Pull\": {\"vertex\": 12, \"place\": [0, 1e3, -0.5]}}",
    "\"LetGo\"",
    "\"Restart\"",
];

/// Those of the repository that are short.
fn scenes() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ron"));
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read(file).ok());
    let own = SCENES.into_iter().chain([OVERRIDDEN]).map(|text| text.as_bytes().to_vec());
    texts.filter(|text| text.len() < 3000).chain(own).collect()
}

fn files(readers: &[(u8, &'static str)]) -> Vec<Vec<u8>> {
    let of = |&(byte, ending)| {
        let seeds = of_format(ending).into_iter().filter(|seed| seed.bytes.len() < 6000);
        seeds.map(move |seed| [vec![byte], seed.bytes].concat())
    };
    readers.iter().flat_map(of).collect()
}

fn checkpoints() -> Vec<Vec<u8>> {
    let of = |(number, scene): (usize, &str)| {
        let first = b'0' + number as u8;
        [1, 4].map(|steps| [vec![first], data_after(scene, steps)].concat())
    };
    SCENES.into_iter().enumerate().flat_map(of).collect()
}

/// The folder of a run, as one file.
fn packed(scene: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    run_of(scene, &path, 1);
    let mut bytes = Vec::new();
    for name in FILES {
        if let Ok(content) = fs::read(path.join(name)) {
            bytes.extend_from_slice(BEFORE_FILE);
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(b'\n');
            bytes.extend(content);
        }
    }
    bytes
}
