//! Rods that are curved at rest.

use super::Simulation;
use super::settle::settle;
use resile_math::Vec3;
use std::f64::consts::TAU;

const SEGMENTS: usize = 40;

/// A straight rod of 1 m, held at one end, with this rest shape.
fn straight(rest_shape: &str) -> Simulation {
    let point = |i: usize| format!("({}, 0, 0)", i as f64 / SEGMENTS as f64);
    let points = (0..=SEGMENTS).map(point).collect::<Vec<_>>().join(", ");
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: StVK(young: 1e9, poisson: 0.3)) }},
            bodies: [(
                name: "rod",
                shape: Curve(points: [{points}]),
                kind: Rod(radius: 2e-3, rest_shape: {rest_shape}),
                material: "m",
                damping: [Mass(rate: 5)],
                hold: [(region: Nodes([0, 1]), motion: Fixed)],
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitEuler,
            solver: (tolerance: 1e-9),
            time: (step: "1/60", duration: 1),
        )"#
    ))
}

#[test]
fn straight_rod_closes_to_its_rest_circle() {
    let mut rod = straight(&format!("Curved(curvature: {TAU}, binormal: (0, 0, -1))"));
    let start = rod.observe().total();
    settle(&mut rod).unwrap_or_else(|failure| panic!("{failure}"));
    let end = rod.observe().total();
    assert!(end.abs() < 1e-12 * start, "{end} of {start} J");
    let x = &rod.world.state(0).positions;
    assert!(x[SEGMENTS].distance(x[0]) < 1e-6, "it is closed: {}", x[SEGMENTS]);
    let center = x[1..].iter().copied().sum::<Vec3>() / SEGMENTS as f64;
    for x in x {
        let radius = x.distance(center);
        assert!((radius * TAU - 1.0).abs() < 2e-3, "{radius}");
    }
    // A negative rotation about z.
    assert!(center.y < 0.0 && center.z.abs() < 1e-9, "{center}");
}

/// `r = k / (k^2 + t^2)`; the axis is that of Darboux, and a turn advances by `2 pi t / (k^2 + t^2)`.
#[test]
fn straight_rod_coils_to_its_rest_helix() {
    let (k, t) = (12.0_f64, 5.0_f64);
    let mut rod = straight(&format!("Curved(curvature: {k}, torsion: {t})"));
    let start = rod.observe().total();
    (0..120).for_each(|_| drop(rod.advance()));
    let end = rod.observe().total();
    assert!(end.abs() < 1e-3 * start, "{end} of {start} J");
    let x = rod.world.state(0).positions.clone();
    // Differences across one turn of a helix are along its axis.
    let turn = TAU / k.hypot(t) * SEGMENTS as f64;
    let at = |s: f64| x[s as usize].lerp(x[s as usize + 1], s.fract());
    let advance = at(3.0 + turn) - at(3.0);
    let expected = TAU * t / (k * k + t * t);
    assert!((advance.length() / expected - 1.0).abs() < 2e-2, "{} {expected}", advance.length());
    let axis = advance.normalize();
    let across: Vec<Vec3> = x.iter().map(|x| *x - axis * x.dot(axis)).collect();
    let low = (0..=SEGMENTS).map(|i| across[i].distance(across[3])).fold(0.0, f64::max);
    let radius = k / (k * k + t * t);
    assert!((0.5 * low / radius - 1.0).abs() < 3e-2, "{} {radius}", 0.5 * low);
    // Right-handed: the tangent turns about the axis in the positive sense.
    let [a, b] = [x[5] - x[4], x[6] - x[5]];
    assert!(a.cross(b).dot(axis) > 0.0);
}

/// A coil that is at rest as given keeps its shape; a straight one springs open.
#[test]
fn coil_in_its_rest_shape_stays() {
    let moved = |rest_shape: &str| {
        let mut rod = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: StVK(young: 1e7, poisson: 0.3)) }},
                bodies: [(
                    name: "coil",
                    shape: Helix(radius: 0.05, pitch: 0.03, turns: 3, segments: 60),
                    kind: Rod(radius: 2e-3, rest_shape: {rest_shape}),
                    material: "m",
                )],
                gravity: (0, 0, 0),
                integrator: ImplicitEuler,
                solver: (tolerance: 1e-9),
                time: (step: "1/60", duration: 1),
            )"#
        ));
        let start = rod.world.state(0).positions.clone();
        (0..30).for_each(|_| drop(rod.advance()));
        let end = &rod.world.state(0).positions;
        start.iter().zip(end).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    assert!(moved("Shape") < 1e-12);
    assert!(moved("Straight") > 0.02);
}
