//! Runs of rods.

use super::support::{Trial, finish};
use resile_record::{Existing, Playback};
use resile_runner::Stop;

/// A ring that writhes, and a loop of hair that falls on it.
const RING: &str = r#"(
    version: 1,
    materials: { "rubber": (density: 1000, model: StVK(young: 1e7, poisson: 0.3), damping: [Stiffness(time: 1e-3)]) },
    bodies: [
        (
            name: "ring",
            shape: Circle(radius: 0.05, segments: 40),
            kind: Rod(radius: 0.002, turns: 4),
            material: "rubber",
            friction: 0.3,
            deform: [Bend(axis: X, about: Z, degrees: 10)],
            placement: (translate: (0, 0.03, 0)),
        ),
        (
            name: "strand",
            shape: Helix(radius: 0.02, pitch: 0.01, turns: 1.2, segments: 20),
            kind: Rod(radius: 0.001),
            material: "rubber",
            friction: 0.3,
            placement: (translate: (0.05, 0.04, 0)),
        ),
    ],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3)],
    gravity: (0, -9.81, 0),
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/200", duration: 0.2),
)"#;

#[test]
fn twisted_ring_resumes_bitwise() {
    let uninterrupted = Trial::new(RING);
    uninterrupted.complete(&[], Existing::Refuse);
    assert!(uninterrupted.column("twist").iter().all(|energy| *energy > 0.0));
    let cut = Trial::new(RING);
    let mut run = cut.start(&[], Existing::Refuse).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..17 {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
    finish(run, Stop::Interrupted);
    cut.complete(&[], Existing::Resume);
    assert_eq!(cut.history(), uninterrupted.history());
}

#[test]
fn frames_hold_the_radius_of_rods() {
    let trial = Trial::new(RING);
    trial.complete(&["time.duration=0.01"], Existing::Refuse);
    let run = Playback::open(trial.folder()).unwrap_or_else(|error| panic!("{error}"));
    let radii: Vec<_> = run.bodies().iter().map(|body| body.radius).collect();
    assert_eq!(radii, [Some(0.002), Some(0.001)]);
    let edges: Vec<_> = run.bodies().iter().map(|body| body.edges.len()).collect();
    assert_eq!(edges, [40, 20]);
}

/// Polylines of an OBJ file that meet at their ends are one curve.
#[test]
fn file_lines_move_with_their_curve() {
    let points: [[f64; 3]; 6] = [
        [0.0, 0.1, 0.0],
        [0.02, 0.1, 0.0],
        [0.04, 0.11, 0.0],
        [0.06, 0.11, 0.01],
        [0.08, 0.1, 0.01],
        [0.1, 0.1, 0.0],
    ];
    let scene = |shape: &str| {
        RING.replace("Circle(radius: 0.05, segments: 40)", shape)
            .replace("turns: 4", "")
            .replace("deform: [Bend(axis: X, about: Z, degrees: 10)],", "")
    };
    let list = points.map(|p| format!("({:?}, {:?}, {:?})", p[0], p[1], p[2])).join(", ");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lines = folder.path().join("lines.obj");
    let vertices = points.map(|[x, y, z]| format!("v {x:?} {y:?} {z:?}\n")).concat();
    std::fs::write(&lines, format!("{vertices}l 1 2 3 4\nl 4 5 6\n")).expect("it can be written");
    let [of_points, of_file] =
        [format!("Curve(points: [{list}])"), format!("File({lines:?})")].map(|shape| scene(&shape));
    let histories = [of_points, of_file].map(|text| {
        let trial = Trial::new(&text);
        trial.complete(&[], Existing::Refuse);
        trial.history()
    });
    assert_eq!(histories[0], histories[1]);
}
