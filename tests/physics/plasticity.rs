//! What yields: curves of tests of materials, what is bent stays bent, and heat that all accounts know of.

use super::Simulation;
use super::settle::settle;
use resile_energy::Anchor;
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::BoxGrid;
use resile_system::NodalStress;
use resile_world::Hand;
use std::collections::BTreeMap;

/// A bar of 1 m along x, with Young's modulus 1e6 Pa, that yields at 1e4 Pa.
fn bar(rest: &str, hardening: f64, integrator: &str, step: &str) -> Simulation {
    hardening_bar(rest, &format!("hardening: {hardening}"), integrator, step)
}

/// The same with both kinds of hardening.
fn hardening_bar(rest: &str, hardening: &str, integrator: &str, step: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "lead": (
                density: 1000,
                model: Hencky(young: 1e6, poisson: 0.3),
                plasticity: VonMises(yield_stress: 1e4, {hardening}),
            ) }},
            bodies: [(
                name: "bar",
                shape: Box(size: (1, 0.1, 0.1), cells: (10, 2, 2)),
                material: "lead",
                {rest}
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            time: (step: {step}, duration: 100),
            solver: (tolerance: 1e-9),
        )"#
    ))
}

/// Logarithmic strain and Kirchhoff stress (Pa) along the bar at its middle, and its plastic strain there.
fn middle(bar: &Simulation) -> [f64; 3] {
    let stress = bar.world.stress(0);
    let rest = |i: usize, j: usize, k: usize| (k * 3 + j) * 11 + i;
    let node = rest(5, 1, 1);
    let of = |told: Option<f64>| told.expect("elements are around it");
    let (stretch, det) =
        (stress.stretches(node).expect("elements are around it").x, stress.determinant(node));
    let cauchy = stress.cauchy(node).expect("elements are around it");
    [stretch.ln(), cauchy.x_axis.x * of(det), of(stress.plastic_strain(node))]
}

/// The spring of kinematic hardening and the slider beside it are one material.
#[test]
fn kinematic_hardening_has_one_stress() {
    let hold = r#"hold: [
        (region: Plane(point: (-0.4999, 0, 0), normal: (-1, 0, 0)), motion: Fixed),
        (region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0)), motion: Move(velocity: (0.1, 0, 0))),
    ],"#;
    let hardening = "hardening: 1e5, kinematic_hardening: 1e5";
    let mut bar = hardening_bar(hold, hardening, "ImplicitEuler", "0.1");
    for _ in 0..5 {
        bar.advance();
        let materials = bar.world.stresses(0);
        assert_eq!(materials.len(), 1);
        let along = |stress: &NodalStress| stress.cauchy(0).expect("elements are around").x_axis.x;
        let (found, whole) = (along(&materials[0]), along(&bar.world.stress(0)));
        assert!((found / whole - 1.0).abs() < 1e-12, "{found} for {whole}");
    }
    let [_, stress, plastic] = middle(&bar);
    assert!(plastic > 1e-3 && stress > 1e4, "it yields: {stress} Pa, {plastic}");
}

/// Of forces on both ends of the bar that are spread evenly over them, the part of each node.
fn tractions() -> Vec<(u32, f64)> {
    let grid = BoxGrid { cells: [10, 2, 2], size: Vec3::new(1.0, 0.1, 0.1) };
    let mesh = grid.build().expect("it is a box");
    let mut parts = BTreeMap::new();
    for triangle in mesh.surface().triangles {
        let side = mesh.positions[triangle[0] as usize].x.signum();
        if triangle.iter().all(|&node| mesh.positions[node as usize].x == 0.5 * side) {
            // Eight triangles of one size.
            triangle.iter().for_each(|&node| *parts.entry(node).or_insert(0.0) += side / 24.0);
        }
    }
    parts.into_iter().collect()
}

/// Pulled by forces so slowly that inertia does not count: along E to the yield stress, then with the slope
/// `E H / (E + H)`, and back along E. In few steps as in many.
#[test]
fn tension_bar_follows_the_theoretical_curve() {
    let (young, first, area) = (1e6, 1e4, 0.01);
    let (gentle, more) = (80.0, 50.0);
    let pull = |force: f64, when: &str| {
        let one = |(node, share): (u32, f64)| {
            let force = share * force;
            format!("Force(force: ({force}, 0, 0), region: Nodes([{node}]), {when}),")
        };
        tractions().into_iter().map(one).collect::<String>()
    };
    let terms =
        format!("terms: [{}{}],", pull(gentle, "start: 0"), pull(more, "start: 205, end: 405"));
    for (hardening, step) in [(1e5, 10.0), (1e5, 100.0), (3e6, 10.0)] {
        let mut bar = bar(&terms, hardening, "ImplicitEuler", &format!("{step}"));
        let mut at = |time: f64| {
            let steps = (time / step).round() as u64 - bar.steps;
            (0..steps).for_each(|_| drop(bar.advance()));
            middle(&bar)
        };
        let near = |found: f64, expected: f64, what: &str| {
            let off = (found / expected - 1.0).abs();
            assert!(off < 1e-4, "H = {hardening}, {what}: {found} for {expected}");
        };
        let [strain, stress, plastic] = at(200.0);
        near(stress, gentle / area * strain.exp(), "force");
        near(strain, stress / young, "elastic strain");
        assert_eq!(plastic, 0.0);
        let [strain, stress, plastic] = at(400.0);
        near(stress, (gentle + more) / area * strain.exp(), "force");
        let slope = young * hardening / (young + hardening);
        near(stress, first + slope * (strain - first / young), "hardening");
        near(plastic, (stress - first) / hardening, "plastic strain");
        let [less, relieved, same] = at(600.0);
        assert_eq!(same, plastic, "what is relieved does not flow");
        near(relieved, gentle / area * less.exp(), "force");
        near((stress - relieved) / (strain - less), young, "modulus of relief");
    }
}

/// A bar that is let go when it is bent, after a second, and when it has then settled: how far its tip is from
/// where it began (m).
fn bend(yield_stress: f64) -> [f64; 2] {
    let mut bar = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (
                density: 1000,
                model: Hencky(young: 1e7, poisson: 0.3),
                plasticity: VonMises(yield_stress: {yield_stress}),
            ) }},
            bodies: [(
                name: "bar",
                shape: Box(size: (1, 0.1, 0.1), cells: (10, 2, 2)),
                material: "m",
                damping: [Mass(rate: 20)],
                hold: [(region: Plane(point: (-0.5, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [Force(
                    force: (0, -250, 0),
                    region: Plane(point: (0.5, 0, 0), normal: (1, 0, 0)),
                    end: 0.25,
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ASearch(),
            time: (step: "1/120", duration: 2),
        )"#
    ));
    let tip = |bar: &Simulation| bar.world.state(0).positions.iter().map(|x| x.y).sum::<f64>();
    let (nodes, start) = (bar.world.state(0).positions.len() as f64, tip(&bar));
    let mut farthest: f64 = 0.0;
    for _ in 0..200 {
        bar.advance();
        farthest = farthest.min((tip(&bar) - start) / nodes);
    }
    assert!(farthest < -0.05, "it was bent: {farthest} m");
    let off = |bar: &Simulation| (tip(bar) - start) / nodes;
    let swung_out = off(&bar);
    settle(&mut bar).unwrap_or_else(|failure| panic!("{failure}"));
    [swung_out, off(&bar)]
}

#[test]
fn yielding_beam_stays_bent_and_elastic_one_springs_back() {
    let (elastic, plastic) = (bend(1e12), bend(2e5));
    assert!(elastic.iter().all(|off| off.abs() < 1e-4), "{elastic:?} m");
    assert!(plastic[0] < -0.03 && (plastic[0] - plastic[1]).abs() < 1e-4, "{plastic:?} m");
}

/// A ball of clay that is thrown at the floor, turned by so many degrees with all of its world.
fn ball(yield_stress: f64, integrator: &str, step: &str, more: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "clay": (
                density: 1800,
                model: Hencky(young: 1e6, poisson: 0.4),
                plasticity: VonMises(yield_stress: {yield_stress}, hardening: 2e4),
            ) }},
            bodies: [(
                name: "ball",
                shape: Ball(radius: 0.1, layers: 3),
                material: "clay",
                placement: (translate: (0, 0.11, 0)),
                velocity: (0.3, -4, 0),
                friction: 0,
                {more}
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
            contact: Barrier(d_hat: 2e-3, kappa: 1e6, friction_rule: Mean),
            integrator: {integrator},
            time: ({step}, duration: 1),
        )"#
    ))
}

const STEP: &str = r#"step: "1/500""#;

/// Start less heat is what energy control keeps to, and what the ball has.
#[test]
fn energy_target_decreases_by_plastic_work() {
    for (integrator, step, steps) in [
        ("ASearch()", STEP, 30),
        ("ASearch()", r#"step: "1/100", adaptive: Doubling(error: 1e-3)"#, 5),
        ("ASearch()", r#"step: "1/30""#, 10),
        ("Blend(tolerance: 0.01)", STEP, 20),
        ("ASearch(control: Sparse())", STEP, 20),
    ] {
        let mut ball = ball(1.5e4, integrator, step, "");
        let start = ball.observe().total();
        let (mut heat, mut most) = (0.0, 0.0f64);
        for _ in 0..steps {
            let record = ball.advance();
            let [all, own] = [record.dissipated[0], record.plastic[0]];
            // What lies still has vibrations that the step does not resolve, which are heat too.
            assert!(own >= 0.0 && all >= own, "{integrator}, {step}: {all} J, {own} J");
            heat += record.dissipated[0] + record.rest_loss[0];
            let target = record.observed.target().expect("it has one");
            assert!(
                (target + heat - start).abs() < 1e-9 * start,
                "{integrator}, {step}: {target} J"
            );
            most = most.max((record.observed.total() - target) / start);
            assert!(record.observed.certificate.min_det_f > 0.0);
        }
        let allowed = if integrator == "ASearch()" { 1e-9 } else { 0.02 };
        assert!(most < allowed, "{integrator}, {step}: {most} of the start above the target");
        assert!(heat > 0.1 * start, "{integrator}, {step}: {heat} of {start} J");
    }
}

/// What is neither there nor heat is what the method has lost, which vanishes with the step.
#[test]
fn every_method_books_plastic_heat() {
    let stretched = "deform: [Stretch(axis: X, factor: 1.06)],";
    for integrator in [
        "ImplicitMidpoint",
        "GeneralizedAlpha(rho_inf: 0.8)",
        "Newmark(beta: 0.25, gamma: 0.5)",
        "TrBdf2",
    ] {
        let lost = |step: f64| {
            let mut bar = bar(stretched, 2e5, integrator, &format!("{step}"));
            let start = bar.observe().total();
            let mut heat = 0.0;
            for _ in 0..(0.04 / step).round() as usize {
                heat += bar.advance().plastic[0];
            }
            assert!(heat > 0.1 * start, "{integrator}: {heat} J of {start}");
            (start - heat - bar.observe().total()).abs() / start
        };
        let (coarse, fine) = (lost(2e-3), lost(5e-4));

        assert!(fine < 0.1 && fine < 0.5 * coarse, "{integrator}: {coarse}, then {fine}");
    }
}

fn end(mut simulation: Simulation, steps: usize) -> (Vec<Vec3>, Vec<Vec3>, f64) {
    let mut heat = 0.0;
    (0..steps).for_each(|_| heat += simulation.advance().plastic[0]);
    let state = simulation.world.state(0);
    (state.positions.clone(), state.velocities.clone(), heat)
}

#[test]
fn unreached_yield_stress_changes_no_bit() {
    let strong = end(ball(1e15, "ASearch()", STEP, ""), 30);
    let text = |ball: &str| ball.to_owned();
    let without = Simulation::new(&text(
        r#"(
            version: 1,
            materials: { "clay": (density: 1800, model: Hencky(young: 1e6, poisson: 0.4)) },
            bodies: [(
                name: "ball",
                shape: Ball(radius: 0.1, layers: 3),
                material: "clay",
                placement: (translate: (0, 0.11, 0)),
                velocity: (0.3, -4, 0),
                friction: 0,
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
            contact: Barrier(d_hat: 2e-3, kappa: 1e6, friction_rule: Mean),
            integrator: ASearch(),
            time: (step: "1/500", duration: 1),
        )"#,
    ));
    assert_eq!(strong, end(without, 30));
    assert_eq!(strong.2, 0.0);
}

/// Holding a body and letting it go leaves its plastic flow as it is.
#[test]
fn dragging_keeps_plastic_flow() {
    let mut ball = ball(1.5e4, "ASearch()", STEP, "");
    (0..15).for_each(|_| drop(ball.advance()));
    let told = |ball: &Simulation| (ball.world.state(0).internal.clone(), ball.world.stress(0));
    let h = ball.step.seconds();
    let place = ball.world.state(0).positions[0];
    let hand = Hand { body: 0, point: Anchor::from(0), path: [place; 2] };
    for hand in [Some(hand), None] {
        let before = told(&ball);
        assert!(!before.0.of(0).is_empty(), "it has flowed");
        ball.world.pull(hand, h).expect("it is a point of the ball");
        assert_eq!(told(&ball), before);
        ball.advance();
    }
}

#[test]
fn plastic_flow_is_bitwise_equal_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started")
            .install(|| end(ball(1.5e4, "ASearch()", STEP, ""), 25))
    };
    let one = run(1);
    assert!(one.2 > 1.0, "{} J", one.2);
    assert_eq!(one, run(4));
}

/// A bar that turns and flows, and the same in a world that is turned.
#[test]
fn plastic_flow_is_rotation_invariant() {
    let spun = |rotate: &str, spin: &str| {
        let more = format!(
            "deform: [Stretch(axis: X, factor: 1.1)], placement: (rotate: [{rotate}]), angular_velocity: {spin},"
        );
        end(bar(&more, 2e5, "ASearch()", "1e-3"), 60)
    };
    let here = spun("", "(0, 0, 8)");
    let there = spun("(axis: (1, 0, 0), degrees: 90)", "(0, -8, 0)");
    let turn = Mat3::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let deviation = here.0.iter().zip(&there.0).map(|(a, b)| (turn * *a).distance(*b));
    let deviation = deviation.fold(0.0, f64::max);
    assert!(
        here.2 > 1.0 && (here.2 - there.2).abs() < 1e-9 * here.2,
        "{} J, {} J",
        here.2,
        there.2
    );
    assert!(deviation < 1e-8, "{deviation} m");
}

/// What settles flows, and is then at rest.
#[test]
fn settling_may_cause_plastic_flow() {
    let heavy = |yield_stress: f64| {
        let text = format!(
            r#"(
                version: 1,
                materials: {{ "clay": (
                    density: 2000,
                    model: Hencky(young: 1e6, poisson: 0.3),
                    plasticity: VonMises(yield_stress: {yield_stress}, hardening: 1e5),
                ) }},
                bodies: [(
                    name: "column",
                    shape: Box(size: (0.2, 1, 0.2), cells: (2, 6, 2)),
                    material: "clay",
                    hold: [(region: Plane(point: (0, -0.5, 0), normal: (0, -1, 0)), motion: Fixed)],
                )],
                gravity: (0, -9.81, 0),
                contact: Off,
                integrator: ASearch(),
                settle: true,
                time: (step: "1/100", duration: 1),
            )"#
        );
        let mut column = Simulation::new(&text);
        settle(&mut column).unwrap_or_else(|failure| panic!("{failure}"));
        let height = |column: &Simulation| {
            column.world.state(0).positions.iter().map(|x| x.y).fold(0.0, f64::max)
        };
        let settled = height(&column);
        let mut heat = 0.0;
        (0..20).for_each(|_| heat += column.advance().plastic[0]);
        assert!((height(&column) - settled).abs() < 1e-4, "{} m of {settled}", height(&column));
        assert!(heat < 1e-3, "what has settled does not flow: {heat} J");
        settled
    };
    let (elastic, plastic) = (heavy(1e9), heavy(1e4));
    assert!(plastic < elastic - 0.01, "{plastic} m, {elastic} m without flow");
}

/// Deflection (m) of the end of a cantilever that a traction has bent beyond yielding, after its removal, and the heat (J) of
/// loading and of unloading. Each takes `steps` load steps and the time `duration` (s).
fn springback(steps: u32, duration: f64) -> (f64, [f64; 2]) {
    let mut beam = Simulation::new(&format!(
        r#"(
            version: 2,
            materials: {{ "lead": (
                density: 1000,
                model: Hencky(young: 1e7, poisson: 0.3),
                plasticity: VonMises(yield_stress: 2e4, hardening: 1e5),
            ) }},
            bodies: [(
                name: "beam",
                shape: Box(size: (0.1, 0.02, 0.02), cells: (4, 1, 1)),
                elements: Quadratic,
                material: "lead",
                hold: [(region: Plane(point: (-0.04999, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [Traction(
                    traction: (0, 1150, 0),
                    region: Plane(point: (0.04999, 0, 0), normal: (1, 0, 0)),
                    factor: Table(points: [(0, 0), ({duration:?}, 1), ({:?}, 0)]),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            time: (step: {:?}, duration: {:?}),
        )"#,
        2.0 * duration,
        duration / f64::from(steps),
        2.0 * duration,
    ));
    let start = beam.world.state(0).positions.clone();
    let h = duration / f64::from(steps);
    let heat = [0, steps].map(|first| {
        let load_step = |k: u32| {
            let result = beam.world.load_step(h, f64::from(first + k + 1) * h);
            result.expect("an equilibrium").record.plastic[0]
        };
        (0..steps).map(load_step).sum()
    });
    let end = &beam.world.state(0).positions;
    let is_tip = |(x, _): &(&Vec3, &Vec3)| x.x > 0.0499;
    let tips: Vec<f64> = start.iter().zip(end).filter(is_tip).map(|(a, b)| b.y - a.y).collect();
    (tips.iter().sum::<f64>() / tips.len() as f64, heat)
}

/// The states before equilibrium in a load step leave no flow, so that the result depends neither on the number of load steps
/// nor on the scale of time, and elastic unloading has no heat.
#[test]
fn springback_is_independent_of_the_number_and_the_duration_of_load_steps() {
    let (deflection, [loading, _]) = springback(1, 1.0);
    assert!(deflection > 2e-4 && loading > 5e-5, "{deflection} m, {loading} J");
    for (steps, duration) in [(1, 1.0), (4, 1.0), (1, 1e3), (4, 1e-3)] {
        let (other, [other_loading, unloading]) = springback(steps, duration);
        let context = format!("{steps} steps in {duration} s: {other} m, {other_loading} J");
        assert_eq!(unloading, 0.0, "{context}");
        assert!((other / deflection - 1.0).abs() < 1e-3, "{context} for {deflection} m");
        assert!((other_loading / loading - 1.0).abs() < 2e-3, "{context} for {loading} J");
    }
}
