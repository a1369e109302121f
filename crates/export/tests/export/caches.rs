//! Point caches.

use crate::support::{NAMES, Run, export, usual};
use resile_export::{ExportOptions, Format};

/// Four bytes of a file.
fn word(file: &[u8], at: usize) -> [u8; 4] {
    file[at..at + 4].try_into().expect("four bytes")
}

/// Vertices by the lines of an OBJ.
fn vertices(text: &str) -> Vec<[f32; 3]> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    let numbers =
        |line: &str| line.split(' ').map(|n| n.parse().expect("a number")).collect::<Vec<f32>>();
    lines.map(|line| <[f32; 3]>::try_from(numbers(line)).expect("three")).collect()
}

#[test]
fn pc2_holds_all_frames_of_the_exported_mesh() {
    let run = Run::usual();
    let files = usual(&run, Format::Pc2);
    assert_eq!(files.0.len(), 1 + 6 + 4, "colours, meshes, and caches of what moves");
    for part in 0..4 {
        let name = NAMES[part].replace(' ', "_");
        let file = files.of(&format!("{name}.pc2"));
        let number = |at| i32::from_le_bytes(word(file, at));
        let count = run.positions(part, 0).len();
        assert_eq!(&file[..12], b"POINTCACHE2\0");
        assert_eq!((number(12), number(16), number(28)), (1, count as i32, 9));
        let float = |at| f32::from_le_bytes(word(file, at));
        assert_eq!((float(20), float(24)), (0.0, 1.0));
        assert_eq!(file.len(), 32 + 9 * count * 12);
        for frame in 0..9 {
            for (k, position) in run.positions(part, frame).iter().enumerate() {
                let at = 32 + 12 * (frame * count + k);
                assert_eq!([0, 4, 8].map(|axis| float(at + axis)), *position);
            }
        }
        assert_eq!(vertices(files.text(&format!("{name}.obj"))), run.positions(part, 0));
    }
}

#[test]
fn mdd_holds_all_frames_with_their_times() {
    let run = Run::usual();
    let options = ExportOptions {
        bodies: vec!["soft one".into(), "floor".into()],
        from: Some(0.125),
        ..ExportOptions::default()
    };
    let (files, done) = export(&run, Format::Mdd, &options).expect("it can be written");
    assert_eq!((done.bodies, done.samples, done.rate), (2, 7, 16.0));
    let names: Vec<_> = files.0.keys().map(String::as_str).collect();
    assert_eq!(names, ["floor.obj", "materials.mtl", "soft_one.mdd", "soft_one.obj"]);
    let file = files.of("soft_one.mdd");
    let number = |at| i32::from_be_bytes(word(file, at));
    let float = |at| f32::from_be_bytes(word(file, at));
    assert_eq!((number(0), number(4), file.len()), (7, 4, 8 + 7 * 4 + 7 * 4 * 12));
    for sample in 0..7 {
        assert_eq!(float(8 + 4 * sample), 0.125 + sample as f32 / 16.0);
        for (k, position) in run.positions(1, sample + 2).iter().enumerate() {
            let at = 8 + 28 + 12 * (4 * sample + k);
            assert_eq!([0, 4, 8].map(|axis| float(at + axis)), *position);
        }
    }
}
