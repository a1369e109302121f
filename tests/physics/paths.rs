//! Equilibrium paths through limit points.

use super::Simulation;
use resile_integrators::PathError;

const STIFFNESS: f64 = 1000.0;
const RISE: f64 = 0.5;

/// Two bars between hinges at x = -1 and x = 1 and a node that is `rise` (m) above them. A load of 1 N a second pushes it down until
/// `end` (s) (von Mises 1923, *Über die Stabilitätsprobleme der Elastizitätstheorie*).
fn truss(rise: f64, end: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            bodies: [(
                name: "truss",
                shape: Particles(
                    positions: [(-1, 0, 0), (0, {rise}, 0), (1, 0, 0)], masses: [1, 1, 1],
                ),
                terms: [
                    Springs(stiffness: {STIFFNESS}, law: Hooke),
                    Force(
                        force: (0, -1, 0), region: Nodes([1]), start: -1000,
                        factor: Table(points: [(-1000, -1000), ({end}, {end})]),
                    ),
                ],
                hold: [
                    (region: Nodes([0, 2]), motion: Fixed),
                    (region: Nodes([1]), motion: Fixed, axes: "z"),
                ],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    ))
}

/// The load at which the node is at a height y: `2 k y (l_0 / l - 1)`.
fn load(y: f64) -> f64 {
    let rest = (1.0 + RISE * RISE).sqrt();
    2.0 * STIFFNESS * y * (rest / (1.0 + y * y).sqrt() - 1.0)
}

#[test]
fn a_truss_snaps_through_along_its_closed_form() {
    let mut truss = truss(RISE, 1000.0);
    let (mut tangent, mut path) = (None, Vec::new());
    for _ in 0..120 {
        let (next, _) = truss.world.path_step(0.005, tangent.as_ref()).expect("an equilibrium");
        let state = truss.world.state(0);
        let y = state.positions[1].y;
        assert!(
            (state.time - load(y)).abs() < 1e-8 * STIFFNESS,
            "{} N, not {}",
            state.time,
            load(y)
        );
        path.push((y, state.time));
        tangent = Some(next);
    }
    // `l = (l_0)^(1/3)` where the load is largest, and the opposite below.
    let length = (1.0 + RISE * RISE).sqrt().cbrt();
    let limit = load((length * length - 1.0).sqrt());
    let above = path.iter().filter(|(y, _)| *y > 0.0);
    let largest = above.map(|(_, load)| *load).fold(f64::NEG_INFINITY, f64::max);
    let least = path.iter().map(|(_, load)| *load).fold(f64::INFINITY, f64::min);
    assert!((largest / limit - 1.0).abs() < 2e-3, "{largest} N, not {limit} N");
    assert!((least / -limit - 1.0).abs() < 2e-3, "{least} N, not {} N", -limit);
    let (y, load) = path[path.len() - 1];
    assert!(y < -RISE && load > 0.0, "it has snapped through: {y} m under {load} N");
    assert!(path.windows(2).all(|pair| pair[1].0 < pair[0].0), "{path:?}");
}

/// The load on a frame of two hinged rods of 1 m with a rigid corner, a fifth of the span from it, over `E I / L^2`: an extensible rod
/// of radius 5 mm, in arc lengths of 1 cm.
fn frame(segments: usize) -> Vec<f64> {
    let leg = |i: usize| format!("(0, {}, 0)", i as f64 / segments as f64);
    let span = |i: usize| format!("({}, 1, 0)", i as f64 / segments as f64);
    let points: Vec<String> = (0..segments).map(leg).chain((0..=segments).map(span)).collect();
    let (radius, young) = (5e-3f64, 1e9);
    let unit = young * std::f64::consts::PI * radius.powi(4) / 4.0;
    let mut frame = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: StVK(young: {young:?}, poisson: 0)) }},
            bodies: [(
                name: "frame", shape: Curve(points: [{}]), kind: Rod(radius: {radius}, rest_shape: Shape),
                material: "m",
                terms: [Force(
                    force: (0, {:?}, 0), region: Nodes([{}]), start: -1000,
                    factor: Table(points: [(-1000, -1000), (1000, 1000)]),
                )],
                hold: [
                    (region: Nodes([0, {}]), motion: Fixed),
                    (region: All, motion: Fixed, axes: "z"),
                ],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#,
        points.join(", "),
        -unit,
        segments + segments / 5,
        2 * segments,
    ));
    let (mut tangent, mut loads) = (None, vec![0.0]);
    while loads.len() < 80 && loads.windows(2).all(|pair| pair[1] > pair[0]) {
        let step = frame.world.path_step(0.01, tangent.as_ref());
        let (next, _) = step.unwrap_or_else(|error| panic!("{error} after {loads:?}"));
        loads.push(frame.world.state(0).time);
        tangent = Some(next);
    }
    loads
}

/// The limit load of inextensible rods is `18.55 E I / L^2` (Lee, Manuel & Rossow 1968, *Large deflections and stability of elastic
/// frames*, J. Eng. Mech. Div. ASCE 94).
#[test]
fn lees_frame_snaps_at_its_published_load() {
    let loads = frame(40);
    let largest = loads.iter().copied().fold(0.0, f64::max);
    assert!((largest / 18.55 - 1.0).abs() < 0.01, "{largest}, not 18.55");
    assert!(loads[loads.len() - 1] < largest, "the load decreases beyond it");
}

/// The spring truss with a height of 3 is unstable sideways where `l^3 - l_0 l^2 + l_0 = 0` for the length l of its bars, before the
/// limit point of its symmetric path.
#[test]
fn a_path_that_meets_a_bifurcation_says_so() {
    let rise = 3.0f64;
    let rest = (1.0 + rise * rise).sqrt();
    let mut length = rest;
    for _ in 0..100 {
        length = rest - rest / (length * length);
    }
    let height = (length * length - 1.0).sqrt();
    let bifurcation = 2.0 * STIFFNESS * height * (rest / length - 1.0);
    let mut truss = truss(rise, 1000.0);
    let error = end_of_path(&mut truss, 0.01);
    let PathError::Bifurcation { time } = error else { panic!("{error}") };
    assert!((time / bifurcation - 1.0).abs() < 1e-3, "{time} N, not {bifurcation} N");
}

#[test]
fn a_path_whose_load_remains_constant_says_so() {
    let mut truss = truss(RISE, 20.0);
    let error = end_of_path(&mut truss, 0.005);
    let PathError::Unloaded { time } = error else { panic!("{error}") };
    assert!((time - 20.0).abs() < 0.1, "{time} s");
}

/// The error that ends a path in steps of `length` (m).
fn end_of_path(simulation: &mut Simulation, length: f64) -> PathError {
    let mut tangent = None;
    for _ in 0..1000 {
        match simulation.world.path_step(length, tangent.as_ref()) {
            Ok((next, _)) => tangent = Some(next),
            Err(error) => return error,
        }
    }
    panic!("the path does not end by {} s", simulation.world.state(0).time);
}

#[test]
fn what_has_no_path_is_refused() {
    let mut unloaded = Simulation::new(
        r#"(
            version: 1,
            bodies: [(
                name: "spring", shape: Particles(positions: [(0, 0, 0), (1, 0, 0)], masses: [1, 1]),
                terms: [Springs(stiffness: 10, law: Hooke)],
                hold: [(region: Nodes([0]), motion: Fixed), (region: Nodes([1]), motion: Fixed, axes: "yz")],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#,
    );
    let refused = unloaded.world.path_step(0.1, None).expect_err("no load");
    assert!(matches!(refused, PathError::Unloaded { .. }), "{refused}");
    // Out of the plane nothing holds the node: it gives way under any load.
    let mut loose = Simulation::new(
        r#"(
            version: 1,
            bodies: [(
                name: "truss",
                shape: Particles(positions: [(-1, 0, 0), (0, 0.5, 0), (1, 0, 0)], masses: [1, 1, 1]),
                terms: [
                    Springs(stiffness: 1000, law: Hooke),
                    Force(force: (0, -1, 0), region: Nodes([1]), factor: Ramp(end: 1)),
                ],
                hold: [(region: Nodes([0, 2]), motion: Fixed)],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#,
    );
    let before = loose.world.state(0).clone();
    let refused = loose.world.path_step(0.1, None).expect_err("an unstable state");
    assert!(matches!(refused, PathError::Unstable(_)), "{refused}");
    assert_eq!(*loose.world.state(0), before);
}

#[test]
fn a_yielding_body_has_no_path() {
    let mut bar = Simulation::new(
        r#"(
            version: 1,
            materials: { "lead": (
                density: 1000,
                model: Hencky(young: 1e6, poisson: 0.3),
                plasticity: VonMises(yield_stress: 1e4, hardening: 1e5),
            ) },
            bodies: [(
                name: "bar", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "lead",
                hold: [(region: Plane(point: (-0.04, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [Traction(traction: ("1e3*t", 0, 0), region: Plane(point: (0.04, 0, 0), normal: (1, 0, 0)))],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#,
    );
    assert_eq!(bar.world.path_step(1e-3, None).expect_err("it yields"), PathError::History);
}
