//! Obstacles whose vertices files move: they push as other obstacles do, and their work is known.

use super::Simulation;
use resile_integrators::AlphaOutcome;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::generate::{BoxGrid, Sheet};
use resile_mesh::read::Groups;
use resile_mesh::write::write_obj;
use std::fs::File;
use tempfile::TempDir;

/// Writes `places` of the vertices of a mesh as numbered OBJ files, 100 of them a second.
fn frames(mesh: &TriMesh, places: impl IntoIterator<Item = Vec<Vec3>>) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, positions) in places.into_iter().enumerate() {
        let mesh = TriMesh { positions, triangles: mesh.triangles.clone() };
        let file = File::create(folder.path().join(format!("f_{number:03}.obj")));
        write_obj(&mesh, &Groups::new(), file.expect("a new file")).expect("it is written");
    }
    folder
}

/// An obstacle of these frames.
fn animated(folder: &TempDir, friction: f64, more: &str) -> String {
    let folder = folder.path().display();
    format!(
        "Animated(name: \"mover\", file: \"{folder}/f_000.obj\", frames: \"{folder}/f_###.obj\", \
         frame_rate: 100, friction: {friction}, {more})"
    )
}

/// A soft block of 0.1 m on the ground at height zero, or on what is there.
fn block(obstacles: &str, integrator: &str, step: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
    version: 1,
    materials: {{"s": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))}},
    bodies: [(
        name: "block",
        shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
        material: "s",
        friction: 0.4,
        placement: (translate: (0, 0.0548, 0)),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [{obstacles}],
    contact: Barrier(d_hat: 5e-3, kappa: 1e4, slip_speed: 0.05, friction_rule: Min),
    integrator: {integrator},
    time: (step: "{step}", duration: 1),
    solver: (tolerance: 1e-9),
)"#
    ))
}

const FLOOR: &str = "Plane(name: \"floor\", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)";

#[test]
fn sampled_translation_equals_keyframed_motion() {
    let ram = BoxGrid { cells: [1, 1, 1], size: Vec3::new(0.3, 0.02, 0.3) }.build().unwrap();
    let ram = ram.boundary();
    let start = Vec3::new(0.02, 0.115, 0.01);
    let shifts = [Vec3::ZERO, Vec3::new(0.004, -0.02, 0.0), Vec3::new(0.004, -0.02, 0.03)];
    let places = |shift: &Vec3| ram.positions.iter().map(|x| *x + start + *shift).collect();
    let folder = frames(&ram, shifts.iter().map(places));
    let by_frames = animated(&folder, 0.3, "start: 0.02, interpolation: Linear, after: Hold");
    let keys = (0..).zip(shifts).map(|(k, Vec3 { x, y, z })| {
        format!("(time: 0.0{}, translate: ({x:?}, {y:?}, {z:?}))", 2 + k)
    });
    let keys: Vec<String> = keys.collect();
    let by_keys = format!(
        "Shape(name: \"mover\", shape: Box(size: (0.3, 0.02, 0.3), cells: (1, 1, 1)), friction: 0.3, \
         placement: (translate: (0.02, 0.115, 0.01)), motion: Keys(interpolation: Linear, keys: [{}]))",
        keys.join(", ")
    );
    let [mut a, mut b] = [by_frames, by_keys]
        .map(|mover| block(&format!("{FLOOR}, {mover}"), "ImplicitEuler", "1/120"));
    let mut work = 0.0;
    for _ in 0..12 {
        let [of_a, of_b] = [a.advance(), b.advance()];
        assert_eq!(of_a.smallest_step.to_bits(), of_b.smallest_step.to_bits(), "cut alike");
        let works = [&of_a, &of_b].map(|record| record.work.iter().sum::<f64>());
        assert!((works[0] - works[1]).abs() < 1e-9, "{works:?} J");
        work += works[0];
        let (x, y) = (&a.world.state(0).positions, &b.world.state(0).positions);
        for (x, y) in x.iter().zip(y) {
            assert!(x.distance(*y) < 1e-10, "{x} {y}");
        }
    }
    assert!(work > 0.05, "the block is pressed and rubbed: {work} J");
}

/// A carpet of 0.4 m, of which a wave of 2 cm runs along x and lifts and shakes what is on it.
fn carpet() -> TempDir {
    let sheet = Sheet { size: [0.4, 0.2], cells: [16, 4] }.build().unwrap();
    let flat = |x: &Vec3| Vec3::new(x.x, 0.0, x.z);
    let wave = |frame: i32| {
        let swing = 0.02 * (f64::from(frame) * 0.1).sin();
        let rise = |x: Vec3| swing * (x.x * 12.0 - f64::from(frame) * 0.1).cos();
        sheet.positions.iter().map(|x| flat(x) + Vec3::Y * rise(flat(x))).collect()
    };
    frames(&sheet, (0..40).map(wave))
}

/// `E = E_0 + work - heat` for what a deforming obstacle throws up: the search has it so.
#[test]
fn energy_ledger_of_a_throwing_obstacle_is_closed() {
    let folder = carpet();
    for (friction, interpolation) in [(0.0, "Linear"), (0.4, "Linear"), (0.4, "Cubic")] {
        let obstacle =
            animated(&folder, friction, &format!("interpolation: {interpolation}, after: Hold"));
        let mut thrown = block(&obstacle, "ASearch()", "1/1000");
        let start = thrown.observe().total();
        let [mut work, mut heat, mut given, mut highest] = [0.0_f64; 4];
        let mut count = 0;
        for _ in 0..300 {
            let record = thrown.advance();
            let done = record.work.iter().sum::<f64>();
            let dissipated = record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
            (work, heat, given) = (work + done, heat + dissipated, given + done.abs());
            highest = highest.max(thrown.com().y);
            let target = record.observed.target().expect("it has one");
            assert!(
                (target - (start + work - heat)).abs() < 1e-9,
                "{target} {start} {work} {heat}"
            );
            // Where alpha is free to be found, the bodies have that energy.
            if record.alphas.iter().all(|alpha| alpha.outcome == AlphaOutcome::Met) {
                count += 1;
                let off = record.observed.total() - target;
                assert!(off.abs() < 1e-9, "{off} J: {friction}, {interpolation}");
            }
        }
        assert!(count > 50, "{count} steps of 300: {friction}, {interpolation}");
        assert!(given > 0.3 && highest > 0.064, "it is thrown up: {given} J, {highest} m");
        assert!((heat > 1e-4) == (friction > 0.0), "{heat} J of heat");
    }
}

/// The same by a method that loses energy: what is missing is of its order.
#[test]
fn work_of_a_deforming_obstacle_converges_at_the_order_of_the_method() {
    let folder = carpet();
    let off = |step: &str, steps: usize| {
        let obstacle = animated(&folder, 0.4, "interpolation: Cubic, after: Hold");
        let mut thrown = block(&obstacle, "ImplicitMidpoint", step);
        let start = thrown.observe().total();
        let mut booked = 0.0;
        for _ in 0..steps {
            let record = thrown.advance();
            booked += record.work.iter().sum::<f64>()
                - record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
        }
        (thrown.observe().total() - start - booked, booked)
    };
    let [(coarse, booked), (fine, _)] = [off("1/2000", 100), off("1/4000", 200)];
    assert!(booked.abs() > 0.01, "{booked} J");
    assert!(coarse.abs() < 0.05 * booked.abs(), "{coarse:e} of {booked}");
    assert!(fine.abs() < 0.6 * coarse.abs(), "{coarse:e} {fine:e}");
}

/// A blow that is over within a step: up and back in two frames of a hundredth of a second.
#[test]
fn kink_within_a_step_subdivides_it_there() {
    let slab = BoxGrid { cells: [1, 1, 1], size: Vec3::new(0.3, 0.02, 0.3) }.build().unwrap();
    let slab = slab.boundary();
    let up = |y: f64| slab.positions.iter().map(|x| *x + Vec3::Y * (y - 0.01)).collect();
    let folder = frames(&slab, [0.0, 0.06, 0.0].map(up));
    let obstacle = animated(&folder, 0.4, "start: 0.011, interpolation: Linear, after: Hold");
    let mut struck = block(&obstacle, "ImplicitEuler", "1/20");
    let record = struck.advance();
    // It turns back at 0.021 s; the rest before it rises is on the same straight path.
    assert!((record.smallest_step - 0.021).abs() < 1e-12, "{}", record.smallest_step);
    assert!(struck.velocity().y > 1.0, "it was hit: {}", struck.velocity());
    // A rigid lift without a kink is straight, whatever its pace.
    let folder = frames(&slab, [0.0, 0.01].map(up));
    let more = "interpolation: Linear, after: Hold, start: -0.001";
    let mut lifted = block(&animated(&folder, 0.4, more), "ImplicitEuler", "1/200");
    assert_eq!(lifted.advance().smallest_step, 1.0 / 200.0);
}

/// Two slabs of one obstacle that close until they cut each other, and a block between them.
#[test]
fn closing_obstacle_parts_stop_the_run_without_crossing() {
    let slab = BoxGrid { cells: [1, 1, 1], size: Vec3::new(0.3, 0.02, 0.3) }.build().unwrap();
    let slab = slab.boundary();
    let count = slab.positions.len() as u32;
    let upper = slab.triangles.iter().map(|t| t.map(|corner| corner + count));
    let triangles = slab.triangles.iter().copied().chain(upper).collect();
    let at = |y: f64| slab.positions.iter().map(move |x| *x + Vec3::Y * y);
    let places = |y: f64| -> Vec<Vec3> { at(-0.01).chain(at(y)).collect() };
    let press = TriMesh { positions: places(0.13), triangles };
    let folder = frames(&press, [0.13, 0.0].map(places));
    let obstacle = animated(&folder, 0.4, "interpolation: Linear, after: Hold");
    let mut pressed = block(&obstacle, "ImplicitEuler", "1/1000");
    let failure = (0..10).find_map(|_| {
        let stopped = pressed.try_advance().err();
        assert!(pressed.world.intersections(1).is_empty());
        stopped
    });
    let said = failure.expect("nothing can be of no height").to_string();
    assert!(said.contains("block"), "{said}");
}
