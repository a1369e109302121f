//! A run goes on only from what a run wrote: whatever is changed in its folder is refused, and
//! the refusal changes nothing.

use super::support::{CLAY, DICE, Trial, built, finish};
use resile_record::{
    Checkpoint, CheckpointError, Existing, FieldRecord, Fingerprint, OutputError, QuantityRecord,
    read_checkpoint, write_checkpoint,
};
use resile_runner::{RunError, Stop};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SET: [&str; 3] =
    ["time.duration=0.25", "output.formats=[Vtu]", "output.tables=[Bodies, Poses, Contacts]"];

/// Two particles and a spring: a checkpoint of a few hundred bytes.
const SPRING: &str = r#"(
    version: 1,
    bodies: [(
        name: "spring",
        shape: Particles(positions: [(0, 0, 0), (1.5, 0, 0)], masses: [0.5, 0.5]),
        terms: [Springs(pairs: [(0, 1)], stiffness: 10, rest: 1, law: StVK)],
    )],
    gravity: (0, 0, 0),
    integrator: ASearch(),
    time: (step: 0.1, duration: 1),
    output: (formats: []),
)"#;

/// A run that was stopped after some steps.
fn stopped<'a>(scene: &'a str, set: &[&str], steps: usize) -> Trial<'a> {
    let trial = Trial::new(scene);
    let mut run = trial.start(set, Existing::Refuse).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..steps {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
    finish(run, Stop::Interrupted);
    trial
}

/// Every file of a folder and what is in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.clone(), std::fs::read(&path).expect("a file"))),
        }
    }
    found
}

/// Why the folder cannot be taken up; it is left as it is.
fn refused(trial: &Trial<'_>, set: &[&str], what: &str) -> RunError {
    let before = files(&trial.folder());
    let refused = trial.start(set, Existing::Resume).err();
    assert!(files(&trial.folder()) == before, "{what}: a refusal changes nothing");
    refused.unwrap_or_else(|| panic!("{what}: it must be refused"))
}

#[test]
fn impossible_plastic_flow_is_rejected() {
    let set = ["time.duration=0.25"];
    let trial = stopped(CLAY, &set, 13);
    let (path, (scene, built)) = (trial.folder().join("checkpoint"), built(CLAY, &set));
    let fingerprint: Fingerprint = built.fingerprint(&scene);
    let valid = read_checkpoint(&path, fingerprint).expect("a run writes a checkpoint");
    let changes: [fn(&mut Vec<f64>); 5] = [
        |flow| flow.truncate(flow.len() - 1),
        |flow| flow.push(0.0),
        |flow| flow[0] = f64::NAN,
        |flow| flow[9] = -1e-9,
        |flow| flow[14] *= 1.001,
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let mut wrong = valid.clone();
        change(&mut wrong.states[0].internal);
        write_checkpoint(&path, fingerprint, &wrong).expect("the folder can be written");
        let error = refused(&trial, &set, &format!("change {k}"));
        assert!(error.to_string().contains("its plastic strains are invalid"), "{k}: {error}");
    }
}

#[test]
fn invalid_checkpoint_fields_with_a_valid_checksum_are_rejected() {
    let (trial, path) = (stopped(DICE, &SET, 13), "checkpoint");
    let (path, (scene, built)) = (trial.folder().join(path), built(DICE, &SET));
    let fingerprint: Fingerprint = built.fingerprint(&scene);
    let valid = read_checkpoint(&path, fingerprint).expect("a run writes a checkpoint");
    let fields = |checkpoint: &mut Checkpoint, key: &str| -> Vec<FieldRecord> {
        let memory = &mut checkpoint.states[0].memory;
        let found = memory.iter_mut().find(|(known, _)| known == key);
        std::mem::take(&mut found.unwrap_or_else(|| panic!("no memory {key}")).1.fields)
    };
    let remember = |checkpoint: &mut Checkpoint, key: &str, fields: Vec<FieldRecord>| {
        let memory = &mut checkpoint.states[0].memory;
        memory.iter_mut().find(|(known, _)| known == key).expect("it is there").1.fields = fields;
    };
    let of_fields = |key: &'static str, change: fn(&mut Vec<FieldRecord>)| {
        move |checkpoint: &mut Checkpoint| {
            let mut changed = fields(checkpoint, key);
            change(&mut changed);
            remember(checkpoint, key, changed);
        }
    };
    let (previous, balance) = ("trajectory.previous", "balance.gradient");
    type Change = Box<dyn Fn(&mut Checkpoint)>;
    fn row(checkpoint: &mut Checkpoint) -> &mut Vec<Vec<f64>> {
        let memory = &mut checkpoint.states[1].memory;
        &mut memory.iter_mut().find(|(key, _)| key == "energy.control").expect("it is there").1.rows
    }
    let changes: Vec<(&str, Change)> = vec![
        ("another scene", Box::new(|c| c.described ^= 1)),
        ("another body", Box::new(|c| c.bodies[0].name.push('x'))),
        ("other elements", Box::new(|c| c.bodies[1].cells ^= 1)),
        ("another rest shape", Box::new(|c| c.bodies[1].rest_lengths[1] *= 1.1)),
        ("a body less", Box::new(|c| drop(c.states.pop()))),
        ("a body more", Box::new(|c| c.states.push(c.states[0].clone()))),
        ("another time", Box::new(|c| c.states[1].time += 1e-9)),
        ("no time", Box::new(|c| c.states[1].time = f64::NAN)),
        ("short positions", Box::new(|c| c.states[0].positions.truncate(78))),
        ("a part of a position", Box::new(|c| c.states[0].positions.push(0.0))),
        ("an infinite position", Box::new(|c| c.states[2].positions[4] = f64::INFINITY)),
        (
            "bodies in each other",
            Box::new(|c| c.states[0].positions = c.states[1].positions.clone()),
        ),
        ("a body in the floor", Box::new(|c| c.states[0].positions[1] = -1.0)),
        (
            "a body inside out",
            Box::new(|c| {
                let x = &mut c.states[2].positions;
                x.chunks_exact_mut(3).for_each(|x| x[0] = 20.0 - x[0]);
            }),
        ),
        (
            "huge positions",
            Box::new(|c| c.states[2].positions.iter_mut().for_each(|x| *x *= 1e300)),
        ),
        ("short velocities", Box::new(|c| c.states[0].velocities.truncate(3))),
        ("no velocities", Box::new(|c| c.states[0].velocities.clear())),
        ("no velocity", Box::new(|c| c.states[0].velocities[7] = f64::NAN)),
        ("an infinite energy", Box::new(|c| c.states[0].velocities[7] = 1e200)),
        ("a negative pace", Box::new(|c| c.states[0].suggested_step = Some(-0.001))),
        ("no pace", Box::new(|c| c.states[0].suggested_step = Some(f64::NAN))),
        ("a pace of zero", Box::new(|c| c.states[0].suggested_step = Some(0.0))),
        ("a pace of hours", Box::new(|c| c.states[0].suggested_step = Some(1e4))),
        ("an unknown memory", Box::new(|c| c.states[0].memory[0].0 += "s")),
        (
            "a memory twice",
            Box::new(|c| {
                let again = c.states[0].memory[0].clone();
                c.states[0].memory.push(again);
            }),
        ),
        ("short memory", Box::new(of_fields(previous, |f| f[0].values.truncate(6)))),
        ("a part of a memory", Box::new(of_fields(previous, |f| f[1].values.truncate(80)))),
        ("half of a memory", Box::new(of_fields(previous, |f| drop(f.pop())))),
        ("an empty memory", Box::new(of_fields(balance, Vec::clear))),
        ("no number", Box::new(of_fields(balance, |f| f[0].values[3] = f64::NAN))),
        (
            "another quantity",
            Box::new(of_fields(balance, |f| {
                f[0].quantity = QuantityRecord::Position(0.01);
            })),
        ),
        (
            "memory of the future",
            Box::new(of_fields(previous, |f| {
                f.iter_mut().for_each(|f| f.values.truncate(81));
                f[0].quantity = QuantityRecord::Position(-0.01);
                f[1].quantity = QuantityRecord::Velocity(-0.01);
            })),
        ),
        (
            "memory of long ago",
            Box::new(of_fields(previous, |f| {
                f[0].quantity = QuantityRecord::Position(1e9);
                f[1].quantity = QuantityRecord::Velocity(1e9);
            })),
        ),
        ("no row of energies", Box::new(|c| row(c).clear())),
        (
            "two rows of energies",
            Box::new(|c| {
                let again = row(c)[0].clone();
                row(c).push(again);
            }),
        ),
        ("a short row", Box::new(|c| row(c)[0].truncate(6))),
        ("no energy", Box::new(|c| row(c)[0][0] = f64::NAN)),
        ("a negative count", Box::new(|c| row(c)[0][4] = -1.0)),
        ("half a count", Box::new(|c| row(c)[0][4] = 0.5)),
        ("half a yes", Box::new(|c| row(c)[0][5] = 0.5)),
        ("fewer steps", Box::new(|c| c.progress.steps = 12)),
        ("more steps", Box::new(|c| c.progress.steps = 14)),
        ("no steps", Box::new(|c| c.progress.steps = 0)),
        ("all steps there are", Box::new(|c| c.progress.steps = u64::MAX)),
        ("Newton iterations", Box::new(|c| c.progress.counts.newton_iterations += 1)),
        ("no end of them", Box::new(|c| c.progress.counts.newton_iterations = u64::MAX)),
        ("island iterations", Box::new(|c| c.progress.counts.island_iterations = u64::MAX)),
        ("linear iterations", Box::new(|c| c.progress.counts.linear_iterations += 1)),
        ("projections", Box::new(|c| c.progress.counts.projected_iterations = 1 << 40)),
        ("factorisations", Box::new(|c| c.progress.counts.direct_solves = u64::MAX)),
        ("no tolerance", Box::new(|c| c.progress.counts.unconverged_solves = 1 << 40)),
        ("backtracks", Box::new(|c| c.progress.counts.backtracks = u64::MAX)),
        ("islands", Box::new(|c| c.progress.counts.most_islands = 4)),
        ("a large island", Box::new(|c| c.progress.counts.largest_island = 4)),
        ("wall time", Box::new(|c| c.progress.wall_seconds = -1.0)),
        ("no wall time", Box::new(|c| c.progress.wall_seconds = f64::NAN)),
        ("assembly", Box::new(|c| c.progress.phase_seconds.assembly = f64::NAN)),
        ("linear solves", Box::new(|c| c.progress.phase_seconds.linear_solve = -1.0)),
        ("collision", Box::new(|c| c.progress.phase_seconds.collision = f64::INFINITY)),
        ("line search", Box::new(|c| c.progress.phase_seconds.line_search = -1.0)),
        ("output", Box::new(|c| c.progress.phase_seconds.output = f64::NAN)),
        ("a distance below zero", Box::new(|c| c.progress.min_distance = Some(-1e-3))),
        ("a larger distance", Box::new(|c| c.progress.min_distance = Some(1.0))),
        ("no distance", Box::new(|c| c.progress.min_distance = None)),
        ("a determinant of zero", Box::new(|c| c.progress.min_det_f = Some(0.0))),
        ("a larger determinant", Box::new(|c| c.progress.min_det_f = Some(f64::NAN))),
        ("a residual", Box::new(|c| c.progress.max_residual = Some(0.0))),
        ("no residual", Box::new(|c| c.progress.max_residual = None)),
        ("an energy", Box::new(|c| c.progress.start_energy = f64::NAN)),
        ("heat", Box::new(|c| c.progress.dissipated += 1e-9)),
        ("loss at rest", Box::new(|c| c.progress.rest_loss += 1e-9)),
        ("work", Box::new(|c| c.progress.work = 1e-9)),
        (
            "a start that settled",
            Box::new(|c| {
                c.progress.settled = Some(resile_record::Settled {
                    steps: 1,
                    newton_iterations: 1,
                    residual_speed: 0.0,
                    residual_change: 0.0,
                    smallest_distance: None,
                    moved: 0.0,
                });
            }),
        ),
        (
            "a table that is none",
            Box::new(|c| {
                let history = c.file_extents.tables["history.csv"];
                c.file_extents.tables.insert("../evil.csv".to_owned(), history);
            }),
        ),
        ("no history", Box::new(|c| c.file_extents.tables.clear())),
        (
            "frames of nothing",
            Box::new(|c| {
                let frames = c.file_extents.frames["vtu"].clone();
                c.file_extents.frames.insert("../vtu".to_owned(), frames);
            }),
        ),
        (
            "a frame to come",
            Box::new(|c| {
                c.file_extents.frames.get_mut("vtu").expect("there are some")[1].time = 0.2;
            }),
        ),
        (
            "a frame of no time",
            Box::new(|c| {
                c.file_extents.frames.get_mut("vtu").expect("there are some")[1].time = f64::NAN;
            }),
        ),
        (
            "frames out of order",
            Box::new(|c| {
                c.file_extents.frames.get_mut("vtu").expect("there are some").swap(0, 1);
            }),
        ),
    ];
    for (what, change) in changes {
        let mut wrong = valid.clone();
        change(&mut wrong);
        assert_ne!(format!("{wrong:?}"), format!("{valid:?}"), "{what}");
        write_checkpoint(&path, fingerprint, &wrong).expect("the folder can be written");
        let error = refused(&trial, &SET, what);
        let named = matches!(
            error,
            RunError::Checkpoint(CheckpointError::Contents { .. })
                | RunError::Output(OutputError::History { .. })
        );
        assert!(named && error.to_string().contains("--force"), "{what}: {error}");
    }
    // Extents that no file has are told as damage to the files.
    let mut wrong = valid.clone();
    wrong.file_extents.tables.get_mut("bodies.csv").expect("it is asked for").bytes = u64::MAX;
    write_checkpoint(&path, fingerprint, &wrong).expect("the folder can be written");
    assert!(matches!(
        refused(&trial, &SET, "bytes"),
        RunError::Output(OutputError::History { .. })
    ));
    let mut wrong = valid.clone();
    wrong.file_extents.frames.get_mut("vtu").expect("there are some")[0].bytes += 1;
    write_checkpoint(&path, fingerprint, &wrong).expect("the folder can be written");
    assert!(matches!(refused(&trial, &SET, "frame"), RunError::Output(OutputError::Frame { .. })));
    write_checkpoint(&path, fingerprint, &valid).expect("the folder can be written");
    trial.complete(&SET, Existing::Resume);
}

#[test]
fn changed_or_truncated_checkpoints_are_rejected() {
    let trial = stopped(SPRING, &[], 3);
    let path = trial.folder().join("checkpoint");
    let valid = std::fs::read(&path).expect("a run writes a checkpoint");
    for at in 0..valid.len() {
        let mut other = valid.clone();
        other[at] ^= 1 << (at % 8);
        for damaged in [&other[..], &valid[..at]] {
            std::fs::write(&path, damaged).expect("the folder can be written");
            let refusal = trial.start(&[], Existing::Resume).expect_err("it is damaged");
            assert!(matches!(refusal, RunError::Checkpoint(_)), "byte {at}: {refusal}");
        }
    }
    std::fs::write(&path, &valid).expect("the folder can be written");
    trial.complete(&[], Existing::Resume);
}

#[test]
fn no_changed_byte_with_a_valid_checksum_panics() {
    let trial = stopped(SPRING, &[], 3);
    let path = trial.folder().join("checkpoint");
    let valid = std::fs::read(&path).expect("a run writes a checkpoint");
    let history = std::fs::read(trial.folder().join("history.csv")).expect("it is written");
    let (head, data) = valid.split_at(36);
    let mut begun = 0;
    for at in 0..data.len() {
        let mut cases = vec![data.to_vec(); 3];
        [1, 0x10, 0x80].iter().zip(&mut cases).for_each(|(bit, case)| case[at] ^= bit);
        cases.push(data[..at].to_vec());
        cases.push([&data[..at], &data[at + 1..]].concat());
        cases.push([&data[..at], &[0xff], &data[at..]].concat());
        for case in cases {
            let mut bytes = head.to_vec();
            bytes[20..28].copy_from_slice(&(case.len() as u64).to_le_bytes());
            let checksum = Fingerprint::EMPTY.with(&case).value();
            bytes[28..36].copy_from_slice(&checksum.to_le_bytes());
            bytes.extend(&case);
            std::fs::write(&path, bytes).expect("the folder can be written");
            if let Ok(mut run) = trial.start(&[], Existing::Resume) {
                begun += 1;
                // It may fail, with a reason.
                let _ = run.advance();
                drop(run);
                let rows = trial.history();
                assert!(!rows.concat().contains("inf") && !rows.concat().contains("NaN"));
            }
            std::fs::write(trial.folder().join("history.csv"), &history)
                .expect("it can be written");
        }
    }
    assert!(begun > 0, "changed last bits of positions are not detected");
}

#[test]
fn missing_truncated_or_changed_tables_and_frames_are_rejected_by_name() {
    let trial = stopped(DICE, &SET, 13);
    let folder = trial.folder();
    let last = folder.join("frames/frame_000006.vtu");
    assert!(last.exists() && !folder.join("frames/frame_000007.vtu").exists());
    for name in ["history.csv", "bodies.csv", "frames/frame_000000.vtu", "frames/frame_000006.vtu"]
    {
        let path = folder.join(name);
        let valid = std::fs::read(&path).expect("a run writes it");
        let cut = [&valid[..valid.len() / 2], &valid[..valid.len() - 1], &[]];
        let damages = cut.map(Some).into_iter().chain([None]);
        for damaged in damages {
            match damaged {
                Some(bytes) => std::fs::write(&path, bytes).expect("it can be written"),
                None => std::fs::remove_file(&path).expect("it is there"),
            }
            let message = refused(&trial, &SET, name).to_string();
            assert!(message.contains(name) && message.contains("--force"), "{message}");
        }
        std::fs::write(&path, &valid).expect("the folder can be written");
    }
    // A run goes on without what it is not asked for any more, and with it again later.
    std::fs::remove_file(&last).expect("it is there");
    let without = ["time.duration=0.15", "output.formats=[]", "output.tables=[]"];
    assert_eq!(trial.complete(&without, Existing::Resume).steps_done, 18);
    let with_frames = &SET[..2];
    assert!(refused(&trial, with_frames, "a frame").to_string().contains("frame_000006.vtu"));
    assert!(refused(&trial, &SET, "a table that ends early").to_string().contains("bodies.csv"));
}

#[test]
fn damaged_frame_index_is_rebuilt_and_reported() {
    let uninterrupted = Trial::new(DICE);
    uninterrupted.complete(&SET, Existing::Refuse);
    let trial = stopped(DICE, &SET, 13);
    let list = trial.folder().join("frames/frames.pvd");
    std::fs::write(&list, "").expect("the folder can be written");
    let run = trial.start(&SET, Existing::Resume).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run.repaired_files(), std::slice::from_ref(&list));
    drop(run);
    trial.complete(&SET, Existing::Resume);
    let frames = |trial: &Trial<'_>| {
        let files = files(&trial.folder().join("frames"));
        files.into_values().collect::<Vec<_>>()
    };
    assert!(frames(&trial) == frames(&uninterrupted));
}
