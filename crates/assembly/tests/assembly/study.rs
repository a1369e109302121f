//! The study scenes: all of them run, and each obeys the law it is there to show.

use resile_assembly::build;
use resile_math::Vec3;
use resile_scene::description::Scene;
use resile_scene::text::SceneText;
use resile_world::World;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/study")
}

/// A scene and its world, with overrides.
fn world_of(name: &str, overrides: &[&str]) -> (Scene, World) {
    let path = folder().join(format!("{name}.ron"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = SceneText::new(name, text);
    for one in overrides {
        text.set(one).unwrap_or_else(|error| panic!("{error}"));
    }
    let loaded = text.load().unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(loaded.warnings, [], "{name}: the scenes are examples");
    let built = build(&loaded.scene, &folder()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    assert_eq!(built.warnings, [], "{name}: the scenes are examples");
    (loaded.scene, built.world)
}

/// Energies at the start and after each step, and the world at the end.
fn run(name: &str, overrides: &[&str], steps: u64) -> (Vec<f64>, World) {
    let (scene, mut world) = world_of(name, overrides);
    let mut energies = vec![world.observe().total()];
    for step in 1..=steps {
        let end = scene.time.step.time_after(step);
        let record = world.step(scene.time.step.seconds(), end);
        let record = record.unwrap_or_else(|e| panic!("{name}, step {step}: {e}"));
        energies.push(record.observed.total());
    }
    (energies, world)
}

fn start_energy(name: &str) -> f64 {
    run(name, &[], 0).0[0]
}

fn velocity(world: &World) -> Vec3 {
    world.momenta().linear / world.mass()
}

fn close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs();
    assert!(error <= relative * expected.abs(), "{found} is not {expected}: off by {error:.3e}");
}

#[test]
fn study_scenes_run_twenty_steps() {
    let mut scenes = 0;
    for entry in std::fs::read_dir(folder()).expect("the scenes are there") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "ron") {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name");
            let (energies, _) = run(name, &[], 20);
            assert!(energies.iter().all(|e| e.is_finite()), "{name}: {energies:?}");
            scenes += 1;
        }
    }
    assert!(scenes >= 15, "{scenes} scenes");
}

#[test]
fn initial_energies_equal_the_papers() {
    close(start_energy("damped-oscillator"), 0.5, 1e-14);
    close(start_energy("pendulum"), -1f64.cos(), 1e-14);
    close(start_energy("kepler"), -0.5, 1e-14);
    close(start_energy("blend-spring"), 78_150.0, 1e-14);
    close(start_energy("avf-quartic"), 262.436_05, 1e-14);
    close(start_energy("avf-stvk-particle"), 660.9, 1e-13);
    for bar in ["bar-soft", "bar-medium", "bar-stiff", "bar-damped"] {
        close(start_energy(bar), 5.0, 1e-12);
    }
}

#[test]
fn oscillator_converges_to_its_closed_form_with_second_order() {
    let w = 0.99f64.sqrt();
    let truth = (-1f64).exp() * ((10.0 * w).cos() + (10.0 * w).sin() / (10.0 * w));
    let error = |step: &str, steps: u64| {
        let (_, world) = run("damped-oscillator", &[step], steps);
        (world.center_of_mass(0).x - truth).abs()
    };
    let ratio = error("time.step=0.1", 100) / error("time.step=0.05", 200);
    assert!((3.8..4.2).contains(&ratio), "{ratio}");
}

#[test]
fn pendulum_energy_stays_bounded_under_verlet() {
    let (energies, _) = run("pendulum", &[], 1000);
    let off = energies.iter().map(|e| (e + 1f64.cos()).abs()).fold(0.0, f64::max);
    assert!(off < 2e-3 && off > 1e-5, "{off}");
}

#[test]
fn midpoint_rule_conserves_angular_momentum_of_a_planet() {
    let (_, world) = run("kepler", &[], 350);
    close(world.momenta().angular.z, 0.8, 1e-11);
}

#[test]
fn blending_conserves_spring_energy_that_the_midpoint_rule_loses() {
    let (blended, _) = run("blend-spring", &[], 200);
    let off = blended.iter().map(|e| (e / 78_150.0 - 1.0).abs()).fold(0.0, f64::max);
    assert!(off < 0.011, "{off}");
    let (midpoint, _) = run("blend-spring", &["integrator=ImplicitMidpoint"], 2);
    assert!(midpoint[2] > 2.0 * midpoint[0], "{midpoint:?}");
}

#[test]
fn implicit_euler_gains_energy_between_two_springs() {
    let (energies, world) = run("blend-two-springs", &[], 1);
    let energy = |x: f64| 100.0 * ((x * x + 1.0).sqrt() - 2f64.sqrt()).powi(2);
    close(energies[0], 12.5 + energy(0.5), 1e-12);
    close(energies[1], 12.5 + energy(0.0), 1e-12);
    assert!(world.state(0).positions[1].length() < 1e-12);
}

#[test]
fn first_avf_steps_equal_hand_calculation() {
    for (name, x, v) in [
        ("avf-quartic", -0.527_039_557_117_42, 22.474_875_326_217),
        ("avf-stvk-particle", 1.101_847_148_928, 34.092_357_446_382),
    ] {
        let (energies, world) = run(name, &["integrator=Avf()"], 1);
        close(world.center_of_mass(0).x, x, 1e-12);
        close(velocity(&world).x, v, 1e-12);
        close(energies[1], energies[0], 1e-13);
    }
}

#[test]
fn penalty_walls_return_their_energy() {
    // A-1 at a wall of infinite stiffness: -1, -beta, 1 - beta, 1 (ASEARCH, appendix E).
    let beta = 0.3;
    for (steps, expected) in [(1, -1.0), (2, -beta), (3, 1.0 - beta), (4, 1.0), (20, 1.0)] {
        let (_, world) = run("wall-quadratic", &[], steps);
        close(velocity(&world).x, expected, 1e-6);
    }
    let (_, world) = run("wall-quadratic", &["integrator=Trapezoidal"], 20);
    close(velocity(&world).x, 3.0 - 4.0 * beta, 1e-6);
    let (_, world) = run("wall-barrier", &[], 30);
    close(velocity(&world).x, 1.0, 1e-9);
}

#[test]
fn bars_rebound_as_in_table_2() {
    // At h = 1/30, our own values to four digits; the paper's are within .002 of them.
    for (bar, method, expected) in [
        ("bar-soft", "ASearch(correction: Plain)", 0.8189),
        ("bar-medium", "ASearch(correction: Plain)", 0.6316),
        ("bar-stiff", "ASearch(correction: Plain)", 1.0),
        ("bar-soft", "Bdf2", 0.7767),
        ("bar-medium", "A1", 0.6433),
        ("bar-stiff", "Bdf2", 0.7955),
    ] {
        let (_, world) = run(bar, &[&format!("integrator={method}")], 150);
        let found = velocity(&world).x;
        assert!((found - expected).abs() < 1e-4, "{bar}, {method}: {found}");
    }
}

#[test]
fn damped_bar_converges_to_a_fine_reference() {
    // Velocity Verlet with the exact decay of velocities at 500 000 steps has 0.669608.
    let (_, world) = run("bar-damped", &["integrator=Bdf2", "time.step=1/3000"], 15_000);
    let error = velocity(&world).x - 0.6696;
    assert!(error.abs() < 0.01, "{error}");
}

#[test]
fn free_body_conserves_momentum_and_spin_under_the_midpoint_rule() {
    let overrides = ["integrator=ImplicitMidpoint"];
    let [before, after] = [0, 50].map(|steps| run("small-body", &overrides, steps).1.momenta());
    let (p, p_after) = (before.linear, after.linear);
    let (l, l_after) = (before.angular, after.angular);
    assert!((p_after - p).length() < 1e-11 * p.length(), "{p_after}");
    assert!((l_after - l).length() < 1e-8 * l.length(), "{l} {l_after}");
}

#[test]
fn chain_end_stays_fixed() {
    let (energies, world) = run("spring-chain", &[], 120);
    assert_eq!(world.state(0).positions[0], Vec3::ZERO);
    let start = energies[0];
    assert!(energies.iter().all(|&e| e <= start + 1e-9), "A-search never exceeds its target");
}

/// What is left of the angular momentum of the cube after its 16 turns.
fn left(overrides: &[&str]) -> f64 {
    let [before, after] = [0, 1200].map(|steps| run("turning-cube", overrides, steps).1.momenta());
    after.angular.y / before.angular.y
}

#[test]
fn stiff_cube_loses_spin_by_method_and_affine_cube_does_not() {
    close(left(&[]), 0.998, 1e-3);
    close(left(&["integrator=Sdirk2"]), 0.456, 0.01);
    for method in ["integrator=Sdirk2", "integrator=ImplicitEuler"] {
        close(left(&["bodies.cube.kind=Affine", method]), 1.0, 1e-5);
    }
}

#[test]
fn gyroscope_on_a_joint_precesses_at_the_theoretical_rate() {
    let rate = |step: &str, steps: u64| {
        let (scene, mut world) = world_of("gyroscope", &[step]);
        let (mut turned, mut last) = (0.0, 0.0_f64);
        for k in 1..=steps {
            world.step(scene.time.step.seconds(), scene.time.step.time_after(k)).expect("a step");
            let com = world.center_of_mass(0);
            let angle = libm::atan2(-com.z, com.x);
            turned += libm::remainder(angle - last, std::f64::consts::TAU);
            last = angle;
        }
        turned
    };
    close(rate("time.step=1/120", 120), 9.81, 2e-3);
    close(rate("time.step=1/240", 240), 9.81, 2e-3);
}

#[test]
fn study_page_lists_the_command_of_every_scene() {
    let page = include_str!("../../../../docs/study.md");
    let command = "cargo run --release -- run scenes/study/";
    let lines = page.lines().filter_map(|line| line.trim().strip_prefix(command));
    let shown: BTreeSet<&str> = lines.filter_map(|line| line.split(".ron").next()).collect();
    let entries = std::fs::read_dir(folder()).expect("the scenes are there");
    let files = entries.map(|entry| entry.expect("the folder can be read").path());
    let names: Vec<String> =
        files.map(|p| p.file_stem().expect("named").to_string_lossy().into()).collect();
    assert_eq!(shown, names.iter().map(String::as_str).collect());
}

/// Energy at the start, at the end, dissipated in between, and the target at the end.
fn ledger(name: &str, overrides: &[&str], steps: u64) -> [f64; 4] {
    let (scene, mut world) = world_of(name, overrides);
    let start = world.observe().total();
    let (mut end, mut dissipated, mut target) = (start, 0.0, f64::NAN);
    for step in 1..=steps {
        let time = scene.time.step.time_after(step);
        let record = world.step(scene.time.step.seconds(), time).expect("the step succeeds");
        end = record.observed.total();
        dissipated += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
        target = record.observed.target().unwrap_or(f64::NAN);
    }
    [start, end, dissipated, target]
}

#[test]
fn damping_heat_equals_the_lost_energy() {
    // The midpoint rule on a linear problem: exactly.
    let [start, end, dissipated, _] = ledger("damped-oscillator", &[], 100);
    close(end + dissipated, start, 1e-13);
    assert!(dissipated > 0.8 * start, "{dissipated}");
    // A-search: its target is the start without what was taken, whatever took it.
    let all = "bodies.brick.damping=[Stiffness(time: 1e-3), RigidPreserving(rate: 0.5), \
               Mass(rate: 0.1), Drag(coefficient: 0.01)]";
    let [start, end, dissipated, target] = ledger("small-body", &[all], 100);
    close(target + dissipated, start, 1e-12);
    assert!(end <= target * (1.0 + 1e-9) && dissipated > 0.5 * start, "{end} {target}");
}

#[test]
fn terms_apply_to_meshes() {
    let terms =
        "bodies.brick.terms=[Springs(pairs: [(0, 23)], stiffness: 10, rest_length: 0, law: Hooke)]";
    let (_, world) = world_of("small-body", &[]);
    let x = &world.state(0).positions;
    let expected = 5.0 * x[0].distance_squared(x[23]);
    let (energies, _) = run("small-body", &[terms], 5);
    close(energies[0] - start_energy("small-body"), expected, 1e-10);
    assert!(expected > 0.5, "the ends of the spring are apart");
}
