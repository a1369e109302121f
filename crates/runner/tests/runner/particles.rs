//! Runs of bodies without a mesh.

use super::support::{DICE, Trial, finish};
use resile_record::Existing;
use resile_runner::Stop;
use std::path::Path;

/// Three masses on springs with every kind of damping, and one that flies alone.
const CHAIN: &str = r#"(
    version: 1,
    bodies: [
        (
            name: "chain",
            shape: Line(from: (0, 0, 0), to: (0.2, 0, 0), nodes: 3, mass: 0.4),
            velocity: (0, 0, 1),
            terms: [Springs(stiffness: 100, law: Hooke)],
            damping: [
                Mass(rate: 0.1), Stiffness(time: 1e-3), EtherDrag(coefficient: 0.01),
                RigidPreserving(rate: 0.1),
            ],
            hold: [(region: Sphere(center: (0, 0, 0), radius: 0.01), motion: Fixed)],
        ),
        (name: "stone", shape: Particles(positions: [(1, 0, 0)], masses: [2]), velocity: (0, 3, 0)),
    ],
    gravity: (0, -9.81, 0),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.25),
    solver: (tolerance: 1e-8),
    output: (tables: [Bodies]),
)"#;

/// What the run at this path wrote into a file.
fn file(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn region_of_node_numbers_selects_those_nodes() {
    let in_space = "region: Sphere(center: (0, 0, 0), radius: 0.01)";
    let runs = [in_space, "region: Nodes([0])", "region: Nodes([2])"].map(|region| {
        let text = CHAIN.replace(in_space, region);
        let trial = Trial::new(&text);
        trial.complete(&[], Existing::Refuse);
        file(&trial.folder(), "bodies.csv")
    });
    assert!(runs[0] == runs[1], "node 0 is the one at the origin");
    assert!(runs[0] != runs[2]);
}

#[test]
fn particle_run_writes_all_outputs_and_resumes() {
    let uninterrupted = Trial::new(CHAIN);
    let summary = uninterrupted.complete(&[], Existing::Refuse);
    assert_eq!((summary.steps_done, summary.min_distance, summary.min_det_f), (30, None, None));
    for empty in ["min_distance", "min_det_f"] {
        assert!(uninterrupted.column(empty).is_empty(), "{empty}: nothing was watched");
    }
    assert!(uninterrupted.column("dissipated").iter().sum::<f64>() > 0.0);
    let frame = file(&uninterrupted.folder(), "frames/frame_000000.vtu");
    let head = String::from_utf8_lossy(&frame);
    // Two springs and the stone.
    assert!(head.contains("NumberOfPoints=\"4\" NumberOfCells=\"3\""), "{head}");

    let cut = Trial::new(CHAIN);
    let mut run = cut.start(&[], Existing::Refuse).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..13 {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
    finish(run, Stop::Interrupted);
    cut.complete(&[], Existing::Resume);
    assert_eq!(cut.history(), uninterrupted.history());
    for same in ["bodies.csv", "frames/frames.pvd", "frames/frame_000015.vtu"] {
        assert!(file(&cut.folder(), same) == file(&uninterrupted.folder(), same), "{same} differs");
    }
}

#[test]
fn particles_have_no_contact() {
    let set = ["output.tables=[Bodies]"];
    let dice = Trial::new(DICE);
    dice.complete(&set, Existing::Refuse);
    // Shot from above the floor straight through the dice.
    let shot = DICE.replace(
        "bodies: [",
        r#"bodies: [(
            name: "shot",
            shape: Particles(positions: [(-0.08, 0.12, 0), (0.08, 0.4, 0)], masses: [1, 1]),
            velocity: (0, -1, 0),
            terms: [Springs(pairs: [(0, 1)], stiffness: 10, law: StVK)],
        ),"#,
    );
    let both = Trial::new(&shot);
    both.complete(&set, Existing::Refuse);
    assert!(dice.column("contacts").iter().sum::<f64>() > 0.0);
    let table = |trial: &Trial<'_>| {
        String::from_utf8(file(&trial.folder(), "bodies.csv")).expect("it is text")
    };
    let (with, without) = (table(&both), table(&dice));
    let of_dice = with.lines().filter(|line| !line.contains(",shot,"));
    assert!(of_dice.eq(without.lines()), "the dice move as they do alone, to the bit");
    let last = with.lines().rfind(|line| line.contains(",shot,")).expect("the shot has rows");
    let height: f64 = last.split(',').rev().nth(1).and_then(|y| y.parse().ok()).expect("com_y");
    assert!(height < -0.5, "the floor is at 0: {last}");
}
