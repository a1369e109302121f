//! A run that was stopped and taken up again is the run that was not stopped.

use super::support::{CLAY, DICE, DOOR, SEWN, Trial, finish};
use resile_record::{CheckpointError, Existing, Status, Summary};
use resile_runner::{RunError, Stop};
use std::collections::BTreeMap;
use std::path::Path;

const SHORT: &str = "time.duration=0.25";

/// How a run ends before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// As by Ctrl-C.
    Interrupted,
    /// As by kill: nothing is written after the last checkpoint but what was on its way.
    Killed,
}

/// Takes `steps` steps of a new run and stops.
fn take(trial: &Trial<'_>, set: &[&str], steps: usize, cut: Cut) {
    let mut run = trial.start(set, Existing::Refuse).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..steps {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
    if cut == Cut::Interrupted {
        let summary = finish(run, Stop::Interrupted);
        assert_eq!((summary.status, summary.steps_done), (Status::Interrupted, steps as u64));
    }
}

/// What of a summary does not depend on clocks and memory.
fn reproducible(summary: &Summary) -> String {
    let Summary { steps_done, counts, .. } = summary;
    let Summary { min_distance, min_det_f, max_residual, simulated_seconds, .. } = summary;
    format!(
        "{steps_done} {counts:?} \
         {min_distance:?} {min_det_f:?} {max_residual:?} {simulated_seconds:?}"
    )
}

/// Every frame and the index, byte for byte.
fn frames(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder.join("frames")).expect("a run makes the folder");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let named = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.map(|path| (named(&path), std::fs::read(&path).expect("a file"))).collect()
}

#[test]
fn resumed_run_equals_an_uninterrupted_one_for_every_integrator_memory() {
    let integrators = [
        "integrator=Bdf2",
        "integrator=GeneralizedAlpha(rho_inf: 0.5)",
        "integrator=ASearch(target: (decay: [(start: 0.05, tau: 0.5)], ground: RestHeight(0.05)))",
        "integrator=ASearch(control: Sparse())",
        "integrator=ASearch(target: (scope: Scene))",
    ];
    for integrator in integrators {
        resumed_run(DICE, integrator);
    }
}

#[test]
fn resumed_run_keeps_plastic_flow() {
    for integrator in ["integrator=ASearch()", "integrator=ImplicitMidpoint"] {
        let uninterrupted = resumed_run(CLAY, integrator);
        let heat = uninterrupted.column("dissipated");
        let flows = |heat: &[f64]| heat.iter().sum::<f64>() > 0.1;
        assert!(flows(&heat[..13]) && flows(&heat[13..]), "{integrator}: {heat:?}");
    }
}

#[test]
fn resumed_run_keeps_relaxation() {
    let plastic = "plasticity: VonMises(yield_stress: 1e3, hardening: 1e4)";
    let prony = "viscosity: Prony([(modulus: 0.4, time: 0.02), (modulus: 0.3, time: 1)])";
    let scene = CLAY.replace(plastic, prony);
    for integrator in ["integrator=ASearch()", "integrator=Bdf2"] {
        let uninterrupted = resumed_run(&scene, integrator);
        let heat = uninterrupted.column("dissipated");
        let flows = |heat: &[f64]| heat.iter().sum::<f64>() > 0.1;
        assert!(flows(&heat[..13]) && flows(&heat[13..]), "{integrator}: {heat:?}");
    }
}

#[test]
fn cached_factors_do_not_change_a_resumed_run() {
    resumed_run(DICE, "solver.method=LocalGlobal(iterations: 6)");
}

#[test]
fn joints_cloth_and_kinematic_bodies_resume_bitwise() {
    for integrator in ["integrator=Bdf2", "integrator=ASearch()"] {
        let uninterrupted = resumed_run(DOOR, integrator);
        // All of it plays its part.
        for column in ["contacts", "joint", "attachment", "membrane", "external_work"] {
            let values = uninterrupted.column(column);
            assert!(values.iter().any(|v| v.abs() > 1e-6), "{integrator}, {column}: {values:?}");
        }
    }
}

#[test]
fn seams_ties_motors_and_ending_holds_resume_bitwise() {
    for integrator in ["integrator=Bdf2", "integrator=ASearch()"] {
        let uninterrupted = resumed_run(SEWN, integrator);
        let work = uninterrupted.column("external_work");
        // The wheel lets go at 0.05 s, in the sixth step; the thread and the motor go on working.
        assert!(work[..6].iter().chain(&work[13..20]).all(|w| *w != 0.0), "{integrator}: {work:?}");
        for column in ["joint", "twist", "dissipated"] {
            let values = uninterrupted.column(column);
            assert!(values[13..].iter().any(|v| v.abs() > 1e-6), "{integrator}, {column}");
        }
    }
}

/// Stops a run of thirty steps after thirteen and takes it up. What was not stopped.
fn resumed_run<'a>(scene: &'a str, integrator: &str) -> Trial<'a> {
    // Thirteen is a multiple of neither; with one every step is a checkpoint.
    let checkpoints = ["output.checkpoint_steps=5", "output.checkpoint_steps=1"];
    let uninterrupted = Trial::new(scene);
    let vtu = "output.formats=[Vtu]";
    let fields = "output.fields=[Acceleration, GreenStrain, ContactForce, PlasticStrain]";
    let all = "output.tables=[Bodies, Poses, Contacts, Momentum]";
    let body = if scene == DOOR { "cloth" } else { "left" };
    let probes = &format!(
        "output.probes=[(name: \"all\", at: Body({body:?})), \
         (name: \"one\", at: Node(body: {body:?}, node: 3))]"
    );
    let expected =
        uninterrupted.complete(&[SHORT, integrator, vtu, fields, all, probes], Existing::Refuse);
    assert_eq!(expected.steps_done, 30);
    for (cut, every) in [Cut::Killed, Cut::Interrupted].into_iter().zip(checkpoints) {
        let set = [SHORT, integrator, vtu, fields, all, probes, every];
        let trial = Trial::new(scene);
        take(&trial, &set, 13, cut);
        let summary = trial.complete(&set, Existing::Resume);
        let case = format!("{integrator}, {cut:?}, {every}");
        assert_eq!(trial.history(), uninterrupted.history(), "{case}");
        assert_eq!(trial.states(&set), uninterrupted.states(&set), "{case}");
        assert_eq!(reproducible(&summary), reproducible(&expected), "{case}");
        assert!(
            frames(&trial.folder()) == frames(&uninterrupted.folder()),
            "{case}: frames differ"
        );
        for table in ["bodies.csv", "poses.csv", "contacts.csv", "momentum.csv", "probes.csv"] {
            let [found, expected] = [&trial, &uninterrupted].map(|trial| {
                std::fs::read_to_string(trial.folder().join(table)).expect("it is asked for")
            });
            assert_eq!(found, expected, "{case}, {table}");
        }
    }
    uninterrupted
}

#[test]
fn run_killed_before_its_first_checkpoint_restarts() {
    let (whole, trial) = (Trial::new(DICE), Trial::new(DICE));
    whole.complete(&[SHORT], Existing::Refuse);
    take(&trial, &[SHORT], 7, Cut::Killed);
    trial.complete(&[SHORT], Existing::Resume);
    assert_eq!(trial.history(), whole.history());
}

#[test]
fn complete_run_continues_with_a_longer_duration() {
    let (whole, trial) = (Trial::new(DICE), Trial::new(DICE));
    whole.complete(&[SHORT], Existing::Refuse);
    assert_eq!(trial.complete(&["time.duration=0.1"], Existing::Refuse).steps_done, 12);
    assert_eq!(trial.complete(&[SHORT], Existing::Resume).steps_done, 30);
    assert_eq!(trial.history(), whole.history());
}

#[test]
fn checkpoint_of_another_scene_is_rejected_and_kept() {
    let trial = Trial::new(DICE);
    take(&trial, &[SHORT], 3, Cut::Interrupted);
    let before = trial.states(&[SHORT]);
    for other in ["gravity[1]=-9.8", "bodies.left.velocity=(2, 0, 0)", "time.step=1/240"] {
        let error = trial.start(&[SHORT, other], Existing::Resume).expect_err(other);
        let RunError::Checkpoint(CheckpointError::OtherScene { .. }) = error else {
            panic!("{other}: {error}");
        };
    }
    assert_eq!(trial.states(&[SHORT]), before);
    assert_eq!(trial.history().len(), 5, "a header, the start and three steps");
}

/// A wedge as an OBJ file: `apex` is one of its corners, `faces` its sloping quadrilateral.
fn wedge(apex: f64, faces: &str) -> String {
    format!(
        "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0 1 0.5\nv 1 {apex} 0.5\n\
         f 1 2 3\nf 1 3 4\nf 1 4 5\nf 2 6 3\nf 1 5 6\nf 1 6 2\n{faces}\n"
    )
}

#[test]
fn checkpoint_is_rejected_if_an_obstacle_file_changed() {
    let files = tempfile::tempdir().expect("a temporary folder");
    let file = files.path().join("ram.obj");
    let write = |text: &str| std::fs::write(&file, text).expect("the folder can be written");
    let [one, other] = ["f 4 3 6\nf 4 6 5", "f 4 3 5\nf 3 6 5"];
    for motion in ["", "motion: Move(velocity: (0, 0, 1)), "] {
        let obstacles = format!(
            "obstacles=[Mesh(name: \"floor\", file: \"{}\", {motion}placement: \
             (translate: (0, -3, 0)), friction: 0)]",
            file.display()
        );
        let set = [SHORT, &obstacles];
        write(&wedge(0.9, one));
        let trial = Trial::new(DICE);
        take(&trial, &set, 2, Cut::Interrupted);
        trial.start(&set, Existing::Resume).expect("nothing has changed");
        // The same bounds, and for the second also the same points.
        for changed in [wedge(0.8, one), wedge(0.9, other)] {
            write(&changed);
            let error = trial.start(&set, Existing::Resume).expect_err("the file has changed");
            let other = matches!(error, RunError::Checkpoint(CheckpointError::OtherScene { .. }));
            assert!(other, "{error}");
        }
    }
}

#[test]
fn history_columns_are_independent_of_contacts_at_resumption() {
    // Only one body has the term `attachment`; the cuts are before, while and after it
    // is in one island with another.
    let attach = "bodies.right.attach=[(region: All, stiffness: 1, motion: Fixed)]";
    let set = ["time.duration=0.1", attach];
    let uninterrupted = Trial::new(DICE);
    uninterrupted.complete(&set, Existing::Refuse);
    for steps in [2, 4, 5, 6, 7, 8] {
        let trial = Trial::new(DICE);
        take(&trial, &set, steps, Cut::Interrupted);
        trial.complete(&set, Existing::Resume);
        assert_eq!(trial.history(), uninterrupted.history(), "cut after step {steps}");
    }
}

#[test]
fn body_table_continues_or_starts_at_resumption() {
    let rows = |trial: &Trial<'_>| {
        let text = std::fs::read_to_string(trial.folder().join("bodies.csv"));
        text.expect("the scene asks for it")
    };
    let tables = [SHORT, "output.tables=[Bodies]", "output.checkpoint_steps=5"];
    let uninterrupted = Trial::new(DICE);
    uninterrupted.complete(&tables, Existing::Refuse);
    let trial = Trial::new(DICE);
    take(&trial, &tables, 13, Cut::Killed);
    trial.complete(&tables, Existing::Resume);
    assert_eq!(rows(&trial), rows(&uninterrupted));

    let late = Trial::new(DICE);
    take(&late, &[SHORT], 13, Cut::Interrupted);
    late.complete(&tables, Existing::Resume);
    let (late, uninterrupted) = (rows(&late), rows(&uninterrupted));
    let (header, rest) = late.split_once('\n').expect("a header");
    assert!(
        uninterrupted.starts_with(header) && uninterrupted.ends_with(rest),
        "the last rows are the same"
    );
    assert_eq!(rest.lines().count(), 17 * 3, "three bodies");
}
