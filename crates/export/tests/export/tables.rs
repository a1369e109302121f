//! CSV and `NumPy`, read by the crates that others read them with.

use crate::support::{NAMES, Run, export, usual};
use resile_export::{ExportOptions, Format};
use std::io::{Cursor, Read as _};

#[test]
fn csv_has_one_row_per_vertex_and_time() {
    let run = Run::usual();
    let files = usual(&run, Format::Csv);
    let mut table = ::csv::Reader::from_reader(files.of("paths.csv"));
    let header: Vec<_> = table.headers().expect("a header").iter().map(str::to_owned).collect();
    assert_eq!(header, ["time", "body", "vertex", "x", "y", "z", "vx", "vy", "vz"]);
    let mut rows = 0;
    for row in table.records() {
        let row = row.expect("a row");
        let number = |k: usize| row[k].parse::<f32>().expect("a number");
        let part = NAMES.iter().position(|name| *name == &row[1]).expect("a body");
        let frame = (16.0 * number(0)).round() as usize;
        let vertex: usize = row[2].parse().expect("a number");
        assert_eq!([3, 4, 5].map(number), run.positions(part, frame)[vertex]);
        match part < 4 {
            true => assert_eq!([7, 8].map(number), [number(0), -1.0]),
            false => assert_eq!((&row[6], frame), ("", 0)),
        }
        rows += 1;
    }
    assert_eq!(rows, 9 * 16 + 4 + 4);
}

/// The text before an array, and its bytes.
fn array(archive: &mut zip::ZipArchive<Cursor<&[u8]>>, name: &str) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut file = archive.by_name(&format!("{name}.npy")).expect("the array is there");
    file.read_to_end(&mut bytes).expect("it can be read");
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((end % 64, bytes[end - 1]), (0, b'\n'));
    (String::from_utf8(bytes[10..end].to_vec()).expect("text"), bytes[end..].to_vec())
}

#[test]
fn npz_has_arrays_for_each_body() {
    let run = Run::usual();
    let files = usual(&run, Format::Npz);
    let mut archive = zip::ZipArchive::new(Cursor::new(files.of("run.npz"))).expect("an archive");
    let (header, times) = array(&mut archive, "times");
    assert!(header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (9, ), }"));
    assert_eq!(times.len(), 9 * 8);
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
    };
    for (part, name) in NAMES.iter().enumerate() {
        let name = name.replace(' ', "_");
        let (header, bytes) = array(&mut archive, &format!("{name}.positions"));
        let (samples, count) = (if part < 4 { 9 } else { 1 }, run.positions(part, 0).len());
        assert!(header.contains("'<f4'"), "{header}");
        assert!(header.contains(&format!("({samples}, {count}, 3, )")), "{header}");
        let expected: Vec<f32> =
            (0..samples).flat_map(|n| run.positions(part, n)).flatten().collect();
        assert_eq!(floats(&bytes), expected);
        let (header, bytes) = array(&mut archive, &format!("{name}.triangles"));
        let triangles = run.triangles(part);
        assert!(header.contains(&format!("({}, 3, )", triangles.len())), "{header}");
        let corners: Vec<u8> = triangles.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
        assert_eq!(bytes, corners);
    }
    let (_, speeds) = array(&mut archive, "stiff.velocities");
    assert_eq!(floats(&speeds)[..6], [0.0, 0.0, -1.0, 1.0, 0.0, -1.0]);
    assert_eq!(array(&mut archive, "net.edges").1.len(), 8);
    assert!(archive.by_name("floor.velocities.npy").is_err());
    let again = usual(&run, Format::Npz);
    assert_eq!(files.of("run.npz"), again.of("run.npz"), "nothing depends on the clock");
}

#[test]
fn table_of_one_body_has_only_its_rows() {
    let run = Run::usual();
    let options = ExportOptions {
        bodies: vec!["soft one".into()],
        rate: Some(4.0),
        to: Some(0.25),
        ..ExportOptions::default()
    };
    let (files, done) = export(&run, Format::Csv, &options).expect("it can be written");
    assert_eq!((done.bodies, done.samples), (1, 2));
    assert_eq!(files.text("paths.csv").lines().count(), 1 + 2 * 4);
}
