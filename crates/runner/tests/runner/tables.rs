//! Tables of forces, momenta and probes, against each other, frames and Newton's law.

use super::support::{DICE, Trial};
use resile_record::{Columns, Existing, Playback};
use std::path::Path;

/// A block that falls on a floor without friction and leaves it again.
const BOUNCE: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "block, small",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
        material: "rubber",
        placement: (rotate: [(axis: (0, 0, 1), degrees: 20)], translate: (0, 0.1, 0)),
        velocity: (0.3, -1, 0),
        friction: 0,
    )],
    gravity: (0, -9.5, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: 0.001953125, duration: 0.25),
    solver: (tolerance: 1e-9),
    output: (
        formats: [],
        tables: [Bodies, Momentum, Contacts],
        probes: [
            (name: "all", at: Body("block, small")),
            (name: "low", at: Region(
                body: "block, small",
                region: Plane(point: (0, 0.1, 0), normal: (0, -1, 0)),
            )),
        ],
    ),
)"#;

const STEP: f64 = 0.001953125;

/// A column of a table, of the rows in which `name` stands in the third column; without quotes.
fn column(path: &Path, name: &str, expected: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(path).expect("a run writes its tables");
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let at = header.iter().position(|column| *column == expected);
    let behind = header.len() - at.unwrap_or_else(|| panic!("no column {expected} in {header:?}"));
    let rows = text.lines().skip(1).filter(|row| row.contains(name));
    let cells = rows.map(|row| row.rsplit(',').nth(behind - 1).expect("as many cells as columns"));
    cells.map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
}

fn three(path: &Path, name: &str, expected: [&str; 3]) -> Vec<[f64; 3]> {
    let [x, y, z] = expected.map(|expected| column(path, name, expected));
    x.into_iter().zip(y).zip(z).map(|((x, y), z)| [x, y, z]).collect()
}

#[test]
fn momentum_change_of_a_bounce_equals_the_impulse_of_contact_and_weight() {
    let trial = Trial::new(BOUNCE);
    trial.complete(&[], Existing::Refuse);
    let path = trial.folder().join("momentum.csv");
    let momentum = three(&path, "block", ["momentum_x", "momentum_y", "momentum_z"]);
    let contact = three(&path, "block", ["contact_x", "contact_y", "contact_z"]);
    assert_eq!(momentum.len(), 129, "a row for the start and one for each step");
    let pushed = contact.iter().map(|force| force[1]).sum::<f64>() * STEP;
    assert!(pushed > 1.5, "it bounces: {pushed} N s");
    for (k, pair) in momentum.windows(2).enumerate() {
        let weight = [0.0, -9.5, 0.0]; // of 1 kg
        for axis in 0..3 {
            let change = (pair[1][axis] - pair[0][axis]) / STEP;
            let force = contact[k + 1][axis] + weight[axis];
            assert!((change - force).abs() < 1e-3, "step {}: {change} N for {force}", k + 1);
        }
    }
    // The probe of the whole body tells the same, and so do contacts.
    let probes = trial.folder().join("probes.csv");
    let force = three(&probes, "all", ["force_x", "force_y", "force_z"]);
    assert_eq!(force.len(), contact.len());
    for (force, contact) in force.iter().zip(&contact) {
        assert!((force[1] - contact[1] + 9.5).abs() < 1e-6, "{force:?} for {contact:?}");
    }
    let normal = column(&trial.folder().join("contacts.csv"), "floor", "normal_y");
    let pressing: Vec<f64> = contact.iter().map(|f| f[1]).filter(|force| *force > 0.0).collect();
    assert_eq!(normal.len(), pressing.len());
    normal.iter().zip(&pressing).for_each(|(a, b)| assert!((a - b).abs() < 1e-9 * b));
}

#[test]
fn tables_include_the_initial_state() {
    let trial = Trial::new(BOUNCE);
    trial.complete(&["time.duration=0.015625"], Existing::Refuse);
    for table in ["history.csv", "bodies.csv", "momentum.csv", "probes.csv"] {
        let path = trial.folder().join(table);
        let rows = std::fs::read_to_string(&path).expect("it is asked for");
        let first = rows.lines().nth(1).expect("a row");
        assert!(first.starts_with("0,0.0,"), "{table}: {first}");
        assert!(rows.lines().last().expect("a row").starts_with("8,0.015625,"), "{table}");
    }
    // There was no step, so that nothing is said of one; energies and momenta are those of the bodies.
    let history = trial.history();
    let cell = |name: &str| {
        let column = history[0].split(',').position(|own| own == name).expect("a column");
        history[1].split(',').nth(column).expect("a cell").to_owned()
    };
    for empty in ["h", "alpha", "motion", "residual"] {
        assert_eq!(cell(empty), "", "{empty}");
    }
    assert_eq!([cell("newton"), cell("dissipated"), cell("step")], ["0", "0.0", "0"]);
    let number = |name: &str| cell(name).parse::<f64>().expect("a number");
    assert!(
        (number("kinetic") - 0.5 * 1.09).abs() < 1e-12
            && (number("momentum_x") - 0.3).abs() < 1e-12
    );
    assert_eq!(number("total"), number("kinetic") + number("potential"));
    let start = |name, column: &str| self::column(&trial.folder().join(name), "block", column)[0];
    assert!((start("momentum.csv", "momentum_x") - 0.3).abs() < 1e-12, "of 1 kg");
    assert!((start("bodies.csv", "kinetic") - 0.5 * 1.09).abs() < 1e-12);
    let low = column(&trial.folder().join("probes.csv"), "low", "velocity_y");
    assert!((low[0] + 1.0).abs() < 1e-12);
}

#[test]
fn vertex_probe_equals_the_frame_position() {
    let trial = Trial::new(DICE);
    let probes = "output.probes=[(name: \"corner\", at: Node(body: \"right\", node: 5)), \
                  (name: \"same\", at: Point(body: \"right\", point: POINT))]";
    let rest = first_rest(5);
    let probes = probes.replace("POINT", &format!("({:?}, {:?}, {:?})", rest[0], rest[1], rest[2]));
    let set = [
        "output.formats=[Vtu]",
        "time.duration=0.1",
        "output.frame_rate=120",
        "output.fields=[VonMises]",
        &probes,
    ];
    trial.complete(&set, Existing::Refuse);
    let run = Playback::open(trial.folder()).expect("a run leaves frames");
    let body = run.bodies().iter().find(|body| body.name == "right").expect("it is there");
    let vertex = body.vertices.start + 5;
    for name in ["corner", "same"] {
        let path = trial.folder().join("probes.csv");
        let [x, y, z] = ["x", "y", "z"].map(|column| self::column(&path, name, column));
        let stress = column(&path, name, "von_mises");
        assert_eq!(x.len(), run.times().len());
        for number in 0..x.len() {
            let frame = run.frame(number).expect("it is whole");
            let found = [x[number], y[number], z[number]].map(|x| x as f32);
            for k in 0..3 {
                let shown = frame.positions[vertex][k];
                assert!((found[k] - shown).abs() < 1e-6, "{name}: {found:?}, frame {number}");
            }
            let shown = frame.field("von_mises").expect("it is asked for").values[vertex];
            let apart = (stress[number] as f32 - shown).abs();
            assert!(apart <= 1e-4 * (1.0 + shown), "{name}: {} for {shown}", stress[number]);
        }
        assert!(stress.iter().any(|stress| *stress > 100.0), "something is strained");
    }
}

/// Where the frame at the start has a vertex of the die on the right.
fn first_rest(vertex: usize) -> [f32; 3] {
    let trial = Trial::new(DICE);
    let set = ["output.formats=[Vtu]", "time.duration=0.01"];
    trial.complete(&set, Existing::Refuse);
    let run = Playback::open(trial.folder()).expect("a run leaves frames");
    let body = run.bodies().iter().find(|body| body.name == "right").expect("it is there");
    run.frame(0).expect("it is whole").positions[body.vertices.start + vertex]
}

/// What holds a bar bears its weight.
#[test]
fn reaction_force_equals_the_suspended_weight() {
    let trial = Trial::new(
        r#"(
        version: 1,
        materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3))},
        bodies: [(
            name: "bar",
            shape: Box(size: (0.1, 0.5, 0.1), cells: (1, 5, 1)),
            material: "rubber",
            hold: [(region: Plane(point: (0, 0.25, 0), normal: (0, 1, 0)), motion: Fixed)],
        )],
        gravity: (0, -10, 0),
        integrator: ImplicitEuler,
        time: (step: 1, duration: 20),
        solver: (tolerance: 1e-9),
        output: (formats: [], probes: [(name: "top", at: Region(
            body: "bar",
            region: Plane(point: (0, 0.25, 0), normal: (0, 1, 0)),
        ))]),
    )"#,
    );
    trial.complete(&[], Existing::Refuse);
    let found = three(&trial.folder().join("probes.csv"), "top", ["force_x", "force_y", "force_z"]);
    let last = found.last().expect("a row");
    assert!((last[1] + 50.0).abs() < 1e-6 && last[0].abs() < 1e-6, "{last:?}");
}

#[test]
fn table_columns_read_back() {
    let trial = Trial::new(BOUNCE);
    trial.complete(&["time.duration=0.015625"], Existing::Refuse);
    let columns = Columns::read(&trial.folder().join("momentum.csv")).expect("it is a table");
    assert_eq!(columns.column("step").map(|steps| steps.len()), Some(9));
}

/// A bar between planes of symmetry that 1 kPa pulls: a stress of 1 kPa along it alone, and a strain of 0.1 %.
#[test]
fn probes_have_displacement_stress_components_and_principal_stresses() {
    let trial = Trial::new(
        r#"(
            version: 1,
            materials: {"soft": (density: 1000, model: StVK(young: 1e6, poisson: 0.3))},
            bodies: [(
                name: "bar",
                shape: Box(size: (0.4, 0.1, 0.1), cells: (4, 1, 1)),
                material: "soft",
                placement: (translate: (0.2, 0.05, 0.05)),
                hold: [
                    (region: Plane(point: (0, 0, 0), normal: (-1, 0, 0)), motion: Fixed, axes: "x"),
                    (region: Plane(point: (0, 0, 0), normal: (0, -1, 0)), motion: Fixed, axes: "y"),
                    (region: Plane(point: (0, 0, 0), normal: (0, 0, -1)), motion: Fixed, axes: "z"),
                ],
                terms: [Traction(
                    traction: (1000, 0, 0), region: Plane(point: (0.4, 0, 0), normal: (1, 0, 0)),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            analysis: Static,
            time: (step: 1, duration: 1),
            output: (formats: [], probes: [
                (name: "end", at: Point(body: "bar", point: (0.4, 0.05, 0.05))),
                (name: "tip", at: Region(
                    body: "bar", region: Plane(point: (0.4, 0, 0), normal: (1, 0, 0)),
                )),
            ]),
        )"#,
    );
    trial.complete(&[], Existing::Refuse);
    let path = trial.folder().join("probes.csv");
    for probe in ["end", "tip"] {
        let last = |name: &str| column(&path, probe, name)[1];
        let near = |name: &str, expected: f64, tolerance: f64| {
            let found = last(name);
            assert!((found - expected).abs() < tolerance, "{probe}: {name} is {found}");
        };
        near("ux", 4e-4, 4e-6);
        near("x", 0.4004, 4e-6);
        // A region has the mean of its nodes, weighted by mass.
        near("uy", -1.5e-5, if probe == "end" { 1e-6 } else { 1.5e-5 });
        near("stress_xx", 1000.0, 10.0);
        near("stress_1", 1000.0, 10.0);
        near("von_mises", 1000.0, 10.0);
        for none in ["stress_yy", "stress_zz", "stress_xy", "stress_yz", "stress_xz"] {
            near(none, 0.0, 1.0);
        }
        near("stress_2", 0.0, 1.0);
        near("stress_3", 0.0, 1.0);
        assert!(column(&path, probe, "ux")[0].abs() < 1e-15, "it begins undeformed");
    }
}
