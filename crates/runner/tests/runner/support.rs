//! Small scenes, and running them in temporary folders.

use resile_assembly::{Built, build};
use resile_record::{Existing, Fingerprint, Status, Summary, read_checkpoint};
use resile_runner::{Profile, Run, RunError, RunOptions, Stop};
use resile_scene::description::Scene;
use resile_scene::text::SceneText;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Three dice above a floor: two fly at each other, meet and part, and one of them
/// then meets the third.
pub(crate) const DICE: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [
        (
            name: "left",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (rotate: [(axis: (0, 0, 1), degrees: 10)], translate: (-0.08, 0.12, 0)),
            velocity: (1, 0, 0),
            friction: 0.4,
        ),
        (
            name: "right",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (rotate: [(axis: (1, 0, 0), degrees: 10)], translate: (0.08, 0.12, 0.01)),
            velocity: (-1, 0, 0),
            angular_velocity: (0, 2, 0),
            friction: 0.2,
        ),
        (
            name: "third",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (rotate: [(axis: (1, 1, 0), degrees: 20)], translate: (0.3, 0.09, 0)),
            velocity: (-0.5, -1, 0),
            friction: 0,
        ),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.5),
    output: (formats: []),
)"#;

/// Two cubes of clay that hit each other and the floor, one of them of quadratic elements.
pub(crate) const CLAY: &str = r#"(
    version: 1,
    materials: {"clay": (
        density: 1500,
        model: Hencky(young: 2e5, poisson: 0.4),
        plasticity: VonMises(yield_stress: 1e3, hardening: 1e4),
    )},
    bodies: [
        (
            name: "left",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "clay",
            placement: (rotate: [(axis: (0, 0, 1), degrees: 10)], translate: (-0.07, 0.07, 0)),
            velocity: (1, 0, 0),
            friction: 0.4,
        ),
        (
            name: "right",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
            elements: Quadratic,
            material: "clay",
            placement: (rotate: [(axis: (1, 0, 0), degrees: 10)], translate: (0.07, 0.08, 0.01)),
            velocity: (-1, 0, 0),
            angular_velocity: (0, 2, 0),
            friction: 0.2,
        ),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.5),
    output: (formats: []),
)"#;

/// An affine door on a hinge with a bob on a ball joint; a ram that pushes it open, and a
/// piece of cloth that falls on both; gravity that turns meanwhile.
pub(crate) const DOOR: &str = r#"(
    version: 1,
    materials: {
        "wood": (density: 500, model: Orthogonal(stiffness: 1e7)),
        "cloth": (density: 300, model: StVK(young: 1e5, poisson: 0.3)),
    },
    bodies: [
        (
            name: "door",
            shape: Box(size: (0.2, 0.2, 0.02), cells: (1, 1, 1)),
            kind: Affine,
            material: "wood",
            placement: (translate: (0, 0.2, 0)),
            friction: 0.3,
        ),
        (
            name: "bob",
            shape: Sphere(radius: 0.02, subdivisions: 0),
            kind: Affine,
            material: "wood",
            placement: (translate: (0, 0.07, 0)),
            friction: 0.3,
        ),
        (
            name: "cloth",
            shape: Sheet(size: (0.1, 0.1), cells: (4, 4)),
            kind: Shell(thickness: 1e-3),
            material: "cloth",
            placement: (translate: (0.05, 0.315, 0.03)),
            friction: 0.3,
        ),
    ],
    joints: [
        Hinge(a: "door", at: (-0.1, 0.2, 0), axis: (0, 0.2, 0), stiffness: 1e4),
        Ball(a: "door", b: "bob", at: (0, 0.095, 0), stiffness: 1e3),
    ],
    gravity: (0, -9.8, 0),
    gravity_changes: [(start: 0.1, gravity: (0, -9.8, -3))],
    obstacles: [Shape(
        name: "ram",
        shape: Box(size: (0.04, 0.04, 0.04), cells: (1, 1, 1)),
        placement: (translate: (0.05, 0.29, 0.05)),
        friction: 0.5,
        motion: Move(velocity: (0, 0, -0.5)),
    )],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.25),
    output: (formats: []),
)"#;

/// A kerchief that is sewn along an edge to a flap and follows a wheel by a corner until it is let go; a weight tied
/// to it; a rod that a motor turns in the wind.
pub(crate) const SEWN: &str = r#"(
    version: 1,
    materials: {
        "linen": (density: 300, model: StVK(young: 1e5, poisson: 0.3)),
        "cord": (density: 1000, model: NeoHookean(young: 1e7, poisson: 0.3)),
    },
    bodies: [
        (
            name: "left",
            shape: Sheet(size: (0.1, 0.1), cells: (3, 3)),
            kind: Shell(thickness: 1e-3),
            material: "linen",
            friction: 0.3,
            hold: [(region: Nodes([0, 1]), motion: Follow("wheel"), until: 0.05)],
        ),
        (
            name: "right",
            shape: Sheet(size: (0.1, 0.1), cells: (3, 3)),
            kind: Shell(thickness: 1e-3),
            material: "linen",
            placement: (translate: (0.12, 0, 0)),
            friction: 0.3,
        ),
        (
            name: "bob",
            shape: Box(size: (0.03, 0.03, 0.03), cells: (1, 1, 1)),
            kind: Affine,
            material: "cord",
            placement: (translate: (0, -0.03, 0)),
            friction: 0.3,
            attach: [(region: Plane(point: (0, -0.016, 0), normal: (0, 1, 0)), stiffness: 5, to: "left")],
        ),
        (
            name: "shaft",
            shape: Curve(points: [
                (0.3, 0, 0), (0.32, 0, 0), (0.34, 0, 0), (0.36, 0.001, 0), (0.38, 0, 0), (0.4, 0, 0), (0.42, 0, 0),
            ]),
            kind: Rod(radius: 0.002, turns: 0.2, motor: (rate: 4, start: 0.02, end: 0.2)),
            material: "cord",
            friction: 0.3,
            hold: [(region: Nodes([0, 1]), motion: Fixed), (region: Nodes([5, 6]), motion: Fixed)],
        ),
    ],
    seams: [(
        a: (body: "left", region: Plane(point: (0.049, 0, 0), normal: (1, 0, 0))),
        b: (body: "right", region: Plane(point: (0.071, 0, 0), normal: (-1, 0, 0))),
        stiffness: 30,
        closing_speed: 0.1,
        start: 0.03,
    )],
    wind: (velocity: (1, 0, 0.5), density: 1.2, drag: 1.2, friction: 0.02),
    gravity: (0, -9.8, 0),
    obstacles: [Shape(
        name: "wheel",
        shape: Box(size: (0.05, 0.01, 0.05), cells: (1, 1, 1)),
        placement: (translate: (0, 0.05, 0)),
        friction: 0.5,
        motion: Move(angular_velocity: (0, 0, 3), pivot: (0, 0.1, 0)),
    )],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.25),
    output: (formats: []),
)"#;

/// One box above a floor, with more than 1024 elements, so that they make several chunks.
pub(crate) const LARGE: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "block",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (6, 6, 6)),
        material: "rubber",
        placement: (rotate: [(axis: (1, 0, 1), degrees: 30)], translate: (0, 0.1, 0)),
        velocity: (0.5, -2, 0),
        friction: 0.5,
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/120", duration: 0.15),
    output: (formats: []),
)"#;

/// The scene with its fields overridden, built.
pub(crate) fn built(text: &str, set: &[&str]) -> (Scene, Built) {
    let mut text = SceneText::new("scene.ron", text);
    for argument in set {
        text.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
    let built = build(&scene, Path::new("")).unwrap_or_else(|problems| panic!("{problems:?}"));
    (scene, built)
}

/// A scene and the folder that its runs go to.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    text: &'a str,
    folder: TempDir,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    pub(crate) fn start(&self, set: &[&str], existing: Existing) -> Result<Run, RunError> {
        self.start_with(Profile::InTotal, set, existing)
    }

    pub(crate) fn start_with(
        &self,
        profile: Profile,
        set: &[&str],
        existing: Existing,
    ) -> Result<Run, RunError> {
        self.start_text(self.text, profile, set, existing)
    }

    /// Starts a run of another text in the folder of the trial.
    pub(crate) fn start_text(
        &self,
        text: &str,
        profile: Profile,
        set: &[&str],
        existing: Existing,
    ) -> Result<Run, RunError> {
        let (scene, built) = built(text, set);
        let fingerprint = built.fingerprint(&scene);
        let options = RunOptions {
            folder: self.folder(),
            existing,
            name: "trial".to_owned(),
            steps: None,
            profile,
            threads: 1,
            fingerprint,
            commit: None,
            set: Vec::new(),
        };
        Run::start(scene, built, options)
    }

    /// Starts a run and takes all its steps, or those up to the one that fails.
    pub(crate) fn run(&self, set: &[&str], existing: Existing) -> Summary {
        let mut run = self.start(set, existing).unwrap_or_else(|error| panic!("{error}"));
        while !run.is_complete() {
            if let Err(error) = run.advance() {
                return finish(run, Stop::Failed(error.to_string()));
            }
        }
        finish(run, Stop::Done)
    }

    /// As [`Self::run`], and it must come to its end.
    pub(crate) fn complete(&self, set: &[&str], existing: Existing) -> Summary {
        let summary = self.run(set, existing);
        assert_eq!(summary.status, Status::Complete, "{}", summary.reason);
        summary
    }

    /// All columns but `seconds`.
    pub(crate) fn history(&self) -> Vec<String> {
        let path = self.folder().join("history.csv");
        let text = std::fs::read_to_string(path).expect("a run writes its history");
        let kept = |line: &str| line.rsplit_once(',').map(|(kept, _)| kept.to_owned());
        text.lines().map(|line| kept(line).expect("a row has commas")).collect()
    }

    /// The numbers in a column; empty cells are left out.
    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let history = self.history();
        let header: Vec<&str> = history[0].split(',').collect();
        let column = header.iter().position(|column| *column == name);
        let column = column.unwrap_or_else(|| panic!("no column {name} in {header:?}"));
        // Of steps: the row of the start comes before them.
        let cells = history[2..].iter().filter_map(|row| row.split(',').nth(column));
        let cells = cells.filter(|cell| !cell.is_empty());
        cells.map(|cell| cell.parse().expect("a number")).collect()
    }

    /// The states in the checkpoint; `Debug` shows every bit of a number.
    pub(crate) fn states(&self, set: &[&str]) -> String {
        let (scene, built) = built(self.text, set);
        let fingerprint: Fingerprint = built.fingerprint(&scene);
        let path = self.folder().join("checkpoint");
        let checkpoint = read_checkpoint(&path, fingerprint).expect("a run writes a checkpoint");
        format!("{:?}", checkpoint.states)
    }
}

pub(crate) fn finish(run: Run, stop: Stop) -> Summary {
    run.finish(stop).unwrap_or_else(|error| panic!("{error}"))
}
