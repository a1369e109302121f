//! Input decks beside `CalculiX`: the same elements, supports and loads give the same displacements and reactions.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the comparison is read by people")]

use crate::support::{Place, SCENE};
use std::path::Path;
use std::process::Command;

/// What `CalculiX` 2.20 gives for a deck: the displacement of TIP, and the sum of `RF` over FIX where no load acts on
/// these nodes, because `RF` includes it.
struct Reference {
    deck: &'static str,
    tip: [f64; 3],
    support: Option<[f64; 3]>,
    /// Largest deviation over the length of the vector.
    tolerance: f64,
}

// Linear cases differ in the last printed digits. Gravity acts on masses that are lumped here. `C3D10` is integrated with
// four points there, which is not exact at large strains, and the volume energy of rubber is another one.
const REFERENCES: [Reference; 14] = [
    Reference {
        deck: "beam-force-c3d4",
        tip: [0.002771995, -0.03491054, 0.004005143],
        support: Some([0.0, 100.0, 0.0]),
        tolerance: 1e-6,
    },
    Reference {
        deck: "beam-force-c3d10",
        tip: [0.009124827, -0.09872459, 0.001822718],
        support: Some([0.0, 100.0, 0.0]),
        tolerance: 1e-6,
    },
    Reference {
        deck: "beam-pressure",
        tip: [0.01199639, -0.1447246, 0.0001287508],
        support: None,
        tolerance: 1e-6,
    },
    Reference {
        deck: "beam-weight",
        tip: [1.839048e-05, -0.0002225525, 1.955856e-07],
        support: None,
        tolerance: 2e-5,
    },
    Reference {
        deck: "beam-two-materials",
        tip: [-0.006923476, -0.001854061, 0.06314083],
        support: Some([0.0, 0.0, -50.0]),
        tolerance: 1e-6,
    },
    Reference {
        deck: "beam-tapered",
        tip: [-0.002269933, 0.1076657, -0.001741548],
        support: Some([0.0, -80.0, 0.0]),
        tolerance: 1e-6,
    },
    Reference {
        deck: "beam-large-bending",
        tip: [-3.637938, -28.99161, -0.2598218],
        support: Some([0.0, 1.5, 0.0]),
        tolerance: 5e-3,
    },
    Reference {
        deck: "cube-pulled",
        tip: [0.01, 0.02, -0.008256189],
        support: Some([-656.4275, -45182.67, 174.2232]),
        tolerance: 1e-6,
    },
    Reference {
        deck: "cube-large-squeeze",
        tip: [0.0, -2.0, 0.0],
        support: Some([-0.6640316, 147.9066, -0.6640316]),
        tolerance: 2e-4,
    },
    Reference {
        deck: "cube-large-pressure",
        tip: [0.3649136, -1.326561, 0.3649136],
        support: Some([0.0, 107.4268, 0.0]),
        tolerance: 1e-4,
    },
    Reference {
        deck: "cube-neo-hooke",
        tip: [-1.104951, 3.0, -1.104951],
        support: Some([0.0, -271.4004, 0.0]),
        tolerance: 3e-3,
    },
    Reference {
        deck: "cube-kinematic",
        tip: [9.472484e-3, -0.016, 9.472484e-3],
        support: Some([0.0, -15375.82, 0.0]),
        tolerance: 3e-3,
    },
    Reference {
        deck: "cube-combined",
        tip: [9.714425e-3, -0.016, 9.714425e-3],
        support: Some([0.0, -17919.45, 0.0]),
        tolerance: 3e-3,
    },
    // The columns keep a gap of up to `d_hat`, 0.8 % of the displacement.
    Reference {
        deck: "columns-pressed",
        tip: [3.020161e-3, -2.868053e-2, 3.020161e-3],
        support: Some([-274.4775, 17357.79, -274.4775]),
        tolerance: 2e-2,
    },
];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/decks"))
}

fn deviation(found: [f64; 3], expected: [f64; 3]) -> f64 {
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    length([0, 1, 2].map(|k| found[k] - expected[k])) / length(expected)
}

/// Numbers of the last row of a probe, and the first position of it.
fn probe(table: &str, name: &str) -> [[f64; 3]; 3] {
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let rows = || table.lines().filter(|line| line.split(',').nth(2) == Some(name));
    let numbers = |line: &str, names: [&str; 3]| {
        let fields: Vec<&str> = line.split(',').collect();
        names.map(|name| {
            let index = header.iter().position(|column| *column == name).unwrap();
            fields[index].parse::<f64>().unwrap()
        })
    };
    let (first, last) = (rows().next().unwrap(), rows().next_back().unwrap());
    [
        numbers(first, ["x", "y", "z"]),
        numbers(last, ["x", "y", "z"]),
        numbers(last, ["force_x", "force_y", "force_z"]),
    ]
}

/// The last values of a set in a `.dat` file.
fn printed(text: &str, kind: &str, set: &str) -> [f64; 3] {
    let headings = text
        .match_indices(kind)
        .filter(|(at, _)| text[*at..].lines().next().unwrap().contains(&format!("set {set} ")));
    let (at, _) = headings.last().unwrap_or_else(|| panic!("no {kind} of {set} in {text}"));
    let row = text[at..].lines().skip(1).find(|line| !line.trim().is_empty()).unwrap();
    let numbers: Vec<f64> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
    std::array::from_fn(|k| numbers[numbers.len() - 3 + k])
}

#[test]
fn decks_agree_with_calculix() {
    for Reference { deck, tip, support, tolerance } in REFERENCES {
        let place = Place::new(SCENE);
        let file = folder().join(format!("{deck}.inp"));
        place.sim(&["static", file.to_str().unwrap(), "-o", "out", "-q"]).exit(0);
        let table = place.read("out/probes.csv");
        let [start, end, _] = probe(&table, "TIP");
        let moved = [0, 1, 2].map(|k| end[k] - start[k]);
        let apart = deviation(moved, tip);
        println!("{deck}: TIP {moved:?} for {tip:?}, deviation {apart:.1e}");
        assert!(apart < tolerance, "{deck}: {moved:?} for {tip:?}");
        let [.., force] = probe(&table, "FIX");
        // The table has the force on the nodes by the body; RF is that of the support.
        let reaction = force.map(|x| -x);
        if let Some(support) = support {
            let apart = deviation(reaction, support);
            println!("{deck}: FIX {reaction:?} for {support:?}, deviation {apart:.1e}");
            assert!(apart < tolerance, "{deck}: {reaction:?} for {support:?}");
        }
    }
}

/// Natural frequencies (Hz) of the clamped beam, and the displacement of TIP 1 ms after a force is applied, by `CalculiX`
/// 2.20. Masses are fitted here and consistent there.
const FREQUENCIES: [f64; 4] = [1307.766, 1308.952, 7683.139, 7704.298];
const FREQUENCY: &str = "*STEP\n*FREQUENCY\n4\n*END STEP\n";
const MOVED: [f64; 3] = [1.137776e-2, -1.296734e-1, 2.380949e-3];
const MOTION: &str = "*STEP\n*DYNAMIC, DIRECT\n2.E-5, 1.E-3\n*CLOAD\nTIP, 2, -100.\n*NODE PRINT, NSET=TIP\nU\n*END STEP\n";

/// A folder with the beam and another step as `deck.inp`.
fn beam(step: &str) -> Place {
    let text = std::fs::read_to_string(folder().join("beam-weight.inp")).unwrap();
    let place = Place::new(SCENE);
    place.write("deck.inp", &(text.split("*STEP").next().unwrap().to_owned() + step));
    place
}

#[test]
fn frequencies_and_motion_agree_with_calculix() {
    let place = beam(FREQUENCY);
    place.sim(&["modes", "deck.inp", "-n", "4", "-o", "out", "-q"]).exit(0);
    let written = place.sim(&["import", "deck.inp", "-o", "beam.ron"]).exit(0);
    assert!(written.stderr.contains("next: sim modes beam.ron"), "{}", written.stderr);
    let table = place.read("out/modes.csv");
    for (line, expected) in table.lines().skip(1).zip(FREQUENCIES) {
        let found: f64 = line.split(',').nth(2).unwrap().parse().unwrap();
        println!("{found} Hz for {expected} Hz, deviation {:.1e}", found / expected - 1.0);
        assert!((found / expected - 1.0).abs() < 1e-2, "{found} Hz for {expected} Hz");
    }
    let place = beam(MOTION);
    place.sim(&["run", "deck.inp", "-o", "out", "-q"]).exit(0);
    let [start, end, _] = probe(&place.read("out/probes.csv"), "TIP");
    let moved = [0, 1, 2].map(|k| end[k] - start[k]);
    println!("{moved:?} for {MOVED:?}, deviation {:.1e}", deviation(moved, MOVED));
    assert!(deviation(moved, MOVED) < 5e-3, "{moved:?} for {MOVED:?}");
}

/// A deck in mm, N, `MPa` and t says nothing of units, so its numbers are not doubted; nor is the mesh that the import writes.
#[test]
fn numbers_of_a_deck_are_not_doubted() {
    let text = std::fs::read_to_string(folder().join("beam-weight.inp")).unwrap();
    let place = Place::new(SCENE);
    let (head, _) = text.split_once("*STEP").unwrap();
    let dynamic = head.to_owned() + "*STEP\n*DYNAMIC, DIRECT\n1., 1.\n*END STEP\n";
    place.write("deck.inp", &dynamic);
    let output = place.sim(&["check", "deck.inp"]).exit(0);
    assert!(!output.stderr.contains("warning"), "{}", output.stderr);
    assert!(
        output.stdout.contains(": good;") && !output.stdout.contains(" 0.0000 "),
        "{}",
        output.stdout
    );
}

#[test]
fn stored_references_equal_calculix() {
    if Command::new("ccx").arg("-v").output().is_err() {
        eprintln!("SKIPPED: CalculiX is not installed, its recorded results were NOT REPRODUCED");
        return;
    }
    for Reference { deck, tip, support, .. } in REFERENCES {
        let place = Place::new(SCENE);
        std::fs::copy(folder().join(format!("{deck}.inp")), place.path("deck.inp")).unwrap();
        let text = by_calculix(&place);
        let found = printed(&text, "displacements", "TIP");
        assert!(deviation(found, tip) < 1e-5, "{deck}: {found:?} for {tip:?}");
        if let Some(support) = support {
            let found = printed(&text, "total force", "FIX");
            assert!(deviation(found, support) < 1e-5, "{deck}: {found:?} for {support:?}");
        }
    }
    let text = by_calculix(&beam(MOTION));
    let found = printed(&text, "displacements", "TIP");
    assert!(deviation(found, MOVED) < 1e-5, "{found:?} for {MOVED:?}");
    let text = by_calculix(&beam(FREQUENCY));
    for (mode, expected) in (1..).zip(FREQUENCIES) {
        let is_of_mode = |line: &&str| line.split_whitespace().next() == Some(&format!("{mode}"));
        let row = text.lines().find(is_of_mode).unwrap();
        let found: f64 = row.split_whitespace().nth(3).unwrap().parse().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} Hz for {expected} Hz");
    }
}

/// What `CalculiX` prints for `deck.inp`.
fn by_calculix(place: &Place) -> String {
    let mut ccx = Command::new("ccx");
    ccx.current_dir(place.path("")).args(["-i", "deck"]).output().unwrap();
    place.read("deck.dat")
}

/// A scene in JSON can be run; a printed scene has no meshes, and says so; no command reads a scene named as a deck.
#[test]
fn imported_scene_has_the_format_of_its_name() {
    let place = Place::new("");
    std::fs::copy(folder().join("beam-weight.inp"), place.path("deck.inp")).unwrap();
    let said = place.sim(&["import", "deck.inp", "-o", "beam.json"]).exit(0).stderr;
    assert!(said.contains("next: sim run beam.json"), "{said}");
    assert!(place.read("beam.json").trim_start().starts_with('{'));
    place.sim(&["check", "beam.json"]).exit(0);
    let printed = place.sim(&["import", "deck.inp"]).exit(0);
    assert!(
        printed.stderr.contains("which is not written: -o FILE writes it"),
        "{}",
        printed.stderr
    );
    for arguments in [
        &["import", "deck.inp", "-o", "other.inp"][..],
        &["new", "other.inp", "--from", "first"],
        &["new", "other.INP", "--from", "scene.ron"],
    ] {
        let said = place.sim(arguments).exit(2).stderr;
        assert!(said.contains("the extension of a deck") && said.contains("other.ron"), "{said}");
    }
    assert!(!place.path("other.inp").exists());
}
