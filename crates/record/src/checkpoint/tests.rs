//! Checkpoints are read back as written, and invalid ones are rejected.

use super::*;

fn state() -> State {
    let vectors = |seed: f64| -> Vec<Vec3> {
        (0..50).map(|i| Vec3::new(0.1 * f64::from(i), seed, -0.0)).collect()
    };
    let mut memory = Memory::default();
    let fields = Record::default()
        .with(Quantity::Position { ago: 1.0 / 120.0 }, vectors(1e300))
        .with(Quantity::Velocity { ago: 1.0 / 120.0 }, vectors(-1e-300))
        .with(Quantity::Action, vectors(7e-7));
    memory.insert("a.fields", fields);
    memory.insert("a.rows", Record::of_bodies(vec![vec![0.7, 1e-17, -0.0, 3.0]]));
    State {
        time: 1.0 / 3.0,
        positions: vectors(0.1 + 0.2),
        velocities: vectors(f64::MIN_POSITIVE / 8.0),
        memory,
        suggested_step: Some(1.0 / 240.0),
        internal: Internal::new(vec![[1.0, -0.0, 1e-300].into()]),
    }
}

#[test]
fn checkpoint_reads_back_bit_for_bit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("checkpoint");
    let scene = Fingerprint::EMPTY.with(b"dice");
    let state = state();
    let progress = Progress { steps: 40, min_distance: Some(1e-5), ..Progress::default() };
    let extent = TableExtent { bytes: 300, checksum: u64::MAX };
    let file_extents = FileExtents {
        tables: [("history.csv".to_owned(), extent)].into(),
        frames: [("vtu".to_owned(), vec![FrameExtent { time: -0.0, bytes: 7 }])].into(),
    };
    let bodies = vec![BodyRecord { name: "a".to_owned(), cells: 7, rest_lengths: [0.1, 0.3] }];
    let states = vec![(&state).into()];
    let checkpoint = Checkpoint { described: 3, bodies, states, progress, file_extents };
    write_checkpoint(&path, scene, &checkpoint).expect("the folder can be written");
    let read = read_checkpoint(&path, scene).expect("it was just written");
    // The debug format distinguishes the sign of zero, unlike equality.
    assert_eq!(format!("{read:?}"), format!("{checkpoint:?}"));
    assert_eq!(format!("{:?}", State::from(&read.states[0])), format!("{state:?}"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 1);
}

#[test]
fn truncated_damaged_and_foreign_checkpoints_are_rejected_by_cause() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("checkpoint");
    let scene = Fingerprint::EMPTY.with(b"dice");
    let checkpoint = Checkpoint {
        described: 0,
        bodies: Vec::new(),
        states: vec![(&state()).into()],
        progress: Progress::default(),
        file_extents: FileExtents::default(),
    };
    write_checkpoint(&path, scene, &checkpoint).expect("the folder can be written");
    let valid = std::fs::read(&path).expect("it was written");
    let read = |bytes: &[u8], scene| decode(&path, bytes, scene).expect_err("it must be refused");
    let other = Fingerprint::EMPTY.with(b"other");
    assert!(matches!(read(&valid, other), CheckpointError::OtherScene { .. }));
    for length in 0..valid.len() {
        let error = read(&valid[..length], scene);
        let expected = if length < HEADER_BYTES {
            matches!(error, CheckpointError::NotACheckpoint { .. })
        } else {
            matches!(error, CheckpointError::Length { .. })
        };
        assert!(expected, "{length} bytes: {error}");
    }
    for at in 0..valid.len() {
        let mut bytes = valid.clone();
        bytes[at] ^= 0x10;
        let error = read(&bytes, scene);
        assert!(!matches!(error, CheckpointError::Decode { .. }), "byte {at}: {error}");
    }
}

#[test]
fn trailing_bytes_are_rejected_even_with_a_valid_checksum() {
    let data = postcard::to_stdvec(&Checkpoint {
        described: 0,
        bodies: Vec::new(),
        states: Vec::new(),
        progress: Progress::default(),
        file_extents: FileExtents::default(),
    });
    let data = [data.expect("plain data"), vec![0]].concat();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(Fingerprint::EMPTY.value().to_le_bytes());
    bytes.extend((data.len() as u64).to_le_bytes());
    bytes.extend(Fingerprint::EMPTY.with(&data).value().to_le_bytes());
    bytes.extend(data);
    let refused = decode(Path::new("checkpoint"), &bytes, Fingerprint::EMPTY);
    assert!(matches!(refused, Err(CheckpointError::Decode { .. })), "{refused:?}");
}

/// Version and length of a small checkpoint. The format has no field names, so the version must change with the fields.
const LENGTH: (u32, usize) = (16, 6267);

#[test]
fn another_layout_has_another_version() {
    let data = postcard::to_stdvec(&Checkpoint {
        described: 0,
        bodies: Vec::new(),
        states: vec![(&state()).into()],
        progress: Progress::default(),
        file_extents: FileExtents::default(),
    });
    let length = data.expect("plain data").len();
    assert_eq!((VERSION, length), LENGTH, "raise VERSION, then change LENGTH");
}

#[test]
fn older_checkpoint_version_is_rejected_with_a_remedy() {
    let mut head = MAGIC.to_vec();
    head.extend_from_slice(&6u32.to_le_bytes());
    head.resize(HEADER_BYTES, 0);
    let error = decode(Path::new("checkpoint"), &head, Fingerprint::EMPTY)
        .expect_err("its version is an older one");
    assert!(matches!(error, CheckpointError::Version { found: 6, .. }));
    let (said, remedy) = (error.to_string(), error.resume_remedy());
    assert!(said.contains("version 6") && remedy.contains("--force"), "{said}; {remedy}");
}
