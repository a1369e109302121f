//! Tables in the units of the scene: the same scene written in several units.

use super::support::{Trial, finish};
use resile_record::{BucklingRow, Columns, Existing, RunFolder, Summary, write_buckling};
use resile_runner::{Profile, Stop};
use resile_scene::description::{Scene, Units};
use std::path::{Path, PathBuf};

/// An elastic block that slides on a floor into an affine one, with every table.
const SLIDE: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3), damping: [Stiffness(time: 1e-3)])},
    bodies: [
        (
            name: "block, soft",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (translate: (0, 0.0507, 0.003)),
            velocity: (0.9, -0.1, 0),
            friction: 0.3,
        ),
        (
            name: "stop",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
            kind: Affine,
            material: "rubber",
            placement: (translate: (0.105, 0.0507, 0)),
            friction: 0.3,
        ),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: 0.001953125, duration: 0.03),
    output: (
        formats: [],
        tables: [Bodies, Poses, Momentum, Contacts],
        probes: [(name: "all", at: Body("block, soft")), (name: "corner", at: Node(body: "block, soft", node: 3))],
    ),
)"#;

/// The factor from SI by the label of a column, from handbooks.
fn factor(label: &str) -> f64 {
    match label {
        "N" => 1.0,
        "mm" | "mm/s" | "mJ" | "t mm^2/s" => 1e3,
        "MPa" => 1e-6,
        "t mm/s" => 1.0,
        "cm" | "cm/s" => 1e2,
        "dyn" | "g cm/s" => 1e5,
        "erg" | "g cm^2/s" => 1e7,
        "dyn/cm^2" => 10.0,
        other => panic!("no column has the unit {other}"),
    }
}

/// The trial's text in some units.
fn written(units: Units) -> String {
    let scene = Scene::from_ron(SLIDE).expect("it is a scene");
    Scene { units, ..scene }.to_ron()
}

/// Runs the scene with all tables, a profile and a trace; then its modes.
fn run(trial: &Trial<'_>) -> Summary {
    let mut run = trial.start_with(Profile::EachStep, &[], Existing::Refuse).expect("it begins");
    run.trace(&trial.folder().join("trace_of_run.csv")).expect("it can be traced");
    while !run.is_complete() {
        run.advance().expect("it can be stepped");
    }
    run.modes(3).expect("it has modes");
    finish(run, Stop::Done)
}

const TABLES: [&str; 8] = [
    "history.csv",
    "bodies.csv",
    "poses.csv",
    "momentum.csv",
    "contacts.csv",
    "probes.csv",
    "modes.csv",
    "trace_of_run.csv",
];

/// Cells of a table; commas in quotes separate none.
fn cells(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cells = |line: &str| {
        let outside = |(k, part): (usize, &str)| match k % 2 {
            0 => part.to_owned(),
            _ => part.replace(',', ";"),
        };
        let line: String = line.split('"').enumerate().map(outside).collect();
        line.split(',').map(str::to_owned).collect()
    };
    text.lines().map(cells).collect()
}

/// The law of tables: a number is that of the same scene in SI times the factor of the unit in its header, with the
/// same decimal digits.
#[test]
fn tables_of_a_scene_in_other_units_are_those_in_si_times_their_factors() {
    let (text, others) = (written(Units::Metres), [Units::Millimetres, Units::Centimetres]);
    let si = Trial::new(&text);
    let of_si = run(&si);
    for units in others {
        let text = written(units);
        let trial = Trial::new(&text);
        let summary = run(&trial);
        let mut labelled = 0;
        for table in TABLES {
            let [bare, other] = [si.folder(), trial.folder()].map(|at| cells(&at.join(table)));
            assert_eq!(bare.len(), other.len(), "{table}");
            assert!(bare.len() > 3, "{table} has rows");
            for (column, label) in other[0].iter().enumerate() {
                let (name, unit) = match label.split_once(" [") {
                    Some((name, unit)) => (name, unit.strip_suffix(']').expect("it ends")),
                    None => (label.as_str(), ""),
                };
                assert_eq!(name, bare[0][column], "{table}");
                labelled += usize::from(!unit.is_empty());
                if name == "seconds" {
                    continue;
                }
                for (a, b) in bare.iter().zip(&other).skip(1) {
                    check_cells(&a[column], &b[column], unit, &format!("{table} {label}"));
                }
            }
        }
        assert!(labelled > 75, "{units:?}: {labelled} columns have units");
        assert_eq!(summary.energy, of_si.energy, "summaries are in SI inside");
        check_summary(&trial.folder(), &si.folder(), units);
    }
}

fn check_cells(si: &str, other: &str, unit: &str, what: &str) {
    if unit.is_empty() {
        return assert_eq!(si, other, "{what}");
    }
    let (Ok(value), Ok(converted)) = (si.parse::<f64>(), other.parse::<f64>()) else {
        return assert_eq!(si, other, "{what}");
    };
    let expected = value * factor(unit);
    assert!((converted - expected).abs() <= 4e-16 * expected.abs(), "{what}: {si} and {other}");
    let digits = |text: &str| {
        let mantissa = text.split('e').next().unwrap_or("");
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    };
    assert_eq!(digits(si), digits(other), "{what}");
}

/// `summary.json` as text is in the units that it names; read back it is in SI.
fn check_summary(other: &Path, si: &Path, units: Units) {
    let [a, b] = [si, other].map(|folder| RunFolder::at(folder).summary());
    let [text, of_other] = [&a, &b].map(|path| std::fs::read_to_string(path).expect("it exists"));
    assert!(!text.contains("units"), "a summary in SI has no units");
    assert!(of_other.contains(&format!("\"units\": \"{units:?}\"")));
    let number = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.contains(&format!("\"{key}\":")));
        let value = line.expect("the key").split(':').nth(1).expect("a value");
        value.trim().trim_end_matches(',').parse::<f64>().expect("a number")
    };
    let symbols = |si: &str| units.symbol(si);
    for (key, unit) in [
        ("start", "J"),
        ("end", "J"),
        ("kinetic", "J"),
        ("gravity", "J"),
        ("friction", "J"),
        ("damping", "J"),
        ("min_distance", "m"),
        ("max_residual", "m/s"),
    ] {
        let expected = number(&text, key) * factor(&symbols(unit));
        let found = number(&of_other, key);
        assert!(found != 0.0 && (found - expected).abs() <= 1e-15 * expected.abs(), "{key}");
    }
    let [a, b] = [a, b].map(|path| Summary::read(&path).expect("it can be read"));
    assert_eq!(a.min_det_f, b.min_det_f);
    let [a, b] = [a, b].map(|summary| summary.min_distance.expect("there is contact"));
    assert!((a - b).abs() <= 1e-15 * a);
}

/// Readers give SI, to the bit, and bare names.
#[test]
fn columns_of_a_table_in_any_units_are_bitwise_those_in_si() {
    let read = |units| {
        let text = written(units);
        let trial = Trial::new(&text);
        trial.complete(&[], Existing::Refuse);
        assert_eq!(RunFolder::at(trial.folder()).units(), units);
        let history = Columns::read(&trial.folder().join("history.csv")).expect("it is a table");
        let names = history.names().to_vec();
        let columns = names.iter().filter(|name| *name != "seconds");
        let columns = columns.map(|name| format!("{:?}", history.column(name))).collect::<Vec<_>>();
        (names, columns)
    };
    let si = read(Units::Metres);
    assert_eq!(read(Units::Millimetres), si);
    assert_eq!(read(Units::Centimetres), si);
}

/// A checkpoint is in SI, and its sums agree to the bit with tables in any units. A table is in one unit, so a run cannot
/// be resumed in another.
#[test]
fn run_in_other_units_resumes_in_its_own_units_only() {
    let text = written(Units::Millimetres);
    let whole = Trial::new(&text);
    whole.complete(&[], Existing::Refuse);
    let trial = Trial::new(&text);
    let mut half = trial.start(&[], Existing::Refuse).expect("it begins");
    for _ in 0..7 {
        half.advance().expect("it can be stepped");
    }
    finish(half, Stop::Interrupted);
    let metres = written(Units::Metres);
    let history = trial.folder().join("history.csv");
    let before = std::fs::read(&history).expect("it is there");
    let other = trial.start_text(&metres, Profile::InTotal, &[], Existing::Resume);
    let message = other.expect_err("the tables are in millimetres").to_string();
    assert!(message.contains("its columns or units are not those of this scene"), "{message}");
    assert_eq!(std::fs::read(&history).expect("it is there"), before);
    trial.complete(&[], Existing::Resume);
    assert_eq!(trial.history(), whole.history());
}

#[test]
fn buckling_table_has_no_units() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let row = BucklingRow {
        mode: 1,
        body: "a".to_owned(),
        factor: 2.5,
        residual: 1e-9,
        time: 1.0,
        has_converged: true,
        asymmetry: 0.25,
    };
    let write = |name: &str, units| {
        let path: PathBuf = folder.path().join(name);
        write_buckling(&path, std::slice::from_ref(&row), units).expect("it can be written");
        std::fs::read_to_string(path).expect("it is there")
    };
    assert_eq!(write("a.csv", Units::Metres), write("b.csv", Units::Millimetres));
}
