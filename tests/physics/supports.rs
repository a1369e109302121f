//! Nodes that are held in some directions only: rollers, planes of symmetry, guides.

use super::Simulation;
use resile_math::{Vec3, elementary};

const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
const SIZE: [f64; 3] = [1.0, 0.4, 0.3];
/// Stretch along x at the end.
const STRETCH: f64 = 1.3;

/// An eighth of a bar between three planes of symmetry and a pulled face, all of it turned about z by `degrees`.
fn eighth(degrees: f64, method: &str) -> Simulation {
    let frame = match degrees {
        0.0 => String::new(),
        _ => format!("frame: (axis: (0, 0, 1), degrees: {degrees}),"),
    };
    let turn = elementary::rotation(Vec3::Z, degrees.to_radians());
    let [a, b, c] = SIZE;
    let roller = |axes: &str, point: Vec3, normal: Vec3, motion: &str| {
        let ([px, py, pz], [nx, ny, nz]) = ((turn * point).to_array(), (turn * normal).to_array());
        // The plane goes a little into the body, so that rounding chooses no nodes.
        let (px, py, pz) = (px - 1e-6 * nx, py - 1e-6 * ny, pz - 1e-6 * nz);
        format!(
            r#"(region: Plane(point: ({px}, {py}, {pz}), normal: ({nx}, {ny}, {nz})), motion: {motion}, axes: "{axes}", {frame})"#
        )
    };
    let v = turn * Vec3::X * (0.5 * (STRETCH - 1.0) * a / 0.5);
    let pull = format!("Move(velocity: ({}, {}, {}), end: 1)", v.x, v.y, v.z);
    let holds = [
        roller("x", Vec3::X * (-0.5 * a), Vec3::NEG_X, "Fixed"),
        roller("y", Vec3::Y * (-0.5 * b), Vec3::NEG_Y, "Fixed"),
        roller("z", Vec3::Z * (-0.5 * c), Vec3::NEG_Z, "Fixed"),
        roller("x", Vec3::X * (0.5 * a), Vec3::X, &pull),
    ];
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "bar",
                shape: Box(size: ({a}, {b}, {c}), cells: (3, 2, 2)),
                material: "m",
                placement: (rotate: [(axis: (0, 0, 1), degrees: {degrees})]),
                hold: [{}],
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitEuler,
            time: (step: "1/4", duration: 20),
            solver: (method: {method}, tolerance: 1e-10),
        )"#,
        holds.join(", ")
    ))
}

/// Runs until what moved has come to rest.
fn at_rest(mut bar: Simulation) -> Simulation {
    (0..80).for_each(|_| drop(bar.advance()));
    bar
}

/// The lateral stretch of a bar of neo-Hookean material without lateral stress, and the nominal stress (Pa) along it:
/// `mu (s - 1/s) + lambda ln(J) / s = 0` for the principal stretch s across.
fn uniaxial(stretch: f64) -> (f64, f64) {
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let stress = |own: f64, across: f64| {
        shear * (own - 1.0 / own) + lambda * (stretch * across * across).ln() / own
    };
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if stress(middle, middle) < 0.0 { low = middle } else { high = middle }
    }
    (low, stress(stretch, low))
}

/// Patch test: between planes of symmetry the deformation is homogeneous, with the lateral stretch and the force of the
/// material law; reactions on opposite faces balance, and those of planes without lateral stress vanish.
#[test]
fn bar_between_symmetry_planes_stretches_homogeneously() {
    let start = eighth(0.0, "Newton").world.state(0).positions.clone();
    let bar = at_rest(eighth(0.0, "Newton"));
    let (across, stress) = uniaxial(STRETCH);
    let scale = Vec3::new(STRETCH, across, across);
    // From the corner that all three planes have.
    let corner = Vec3::from_array(SIZE.map(|size| -0.5 * size));
    for (x, start) in bar.world.state(0).positions.iter().zip(&start) {
        let expected = corner + scale * (*start - corner);
        assert!((*x - expected).length() < 1e-8, "{x}, not {expected}");
    }
    let held = bar.world.net_forces().remove(0);
    let on = |side: f64, axis: usize| -> Vec3 {
        let is_on = |(x, _): &(&Vec3, &Vec3)| (x[axis] - side * 0.5 * SIZE[axis]).abs() < 1e-9;
        start.iter().zip(&held).filter(is_on).map(|(_, force)| *force).sum()
    };
    let force = stress * SIZE[1] * SIZE[2];
    // What holds a node bears the force that the terms exert: the pulled face pulls back.
    assert!((on(1.0, 0).x + force).abs() < 1e-6 * force, "{} N, not {force} N", on(1.0, 0));
    assert!((on(-1.0, 0).x - force).abs() < 1e-6 * force, "{} N, not {force} N", on(-1.0, 0));
    assert!(on(-1.0, 1).y.abs() + on(-1.0, 2).z.abs() < 1e-6 * force, "{}", on(-1.0, 1));
}

/// Holds along the axes of a turned frame do to a turned bar what holds along the axes do to a straight one.
#[test]
fn rotated_frame_rotates_the_motion() {
    let straight = at_rest(eighth(0.0, "Newton"));
    for degrees in [30.0, 117.0] {
        let turned = at_rest(eighth(degrees, "Newton"));
        let turn = elementary::rotation(Vec3::Z, f64::to_radians(degrees));
        let pairs = straight.world.state(0).positions.iter().zip(&turned.world.state(0).positions);
        let off = pairs.map(|(a, b)| (turn * *a - *b).length()).fold(0.0, f64::max);
        assert!(off < 1e-8, "{degrees} degrees: {off} m");
    }
}

#[test]
fn local_and_global_steps_respect_guides() {
    let [newton, local] = ["Newton", "LocalGlobal()"].map(|method| at_rest(eighth(20.0, method)));
    let pairs = newton.world.state(0).positions.iter().zip(&local.world.state(0).positions);
    let off = pairs.map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    assert!(off < 1e-6, "{off} m");
}

/// A body that slides along x on guides, whatever it is made of.
fn guided(kind: &str, shape: &str, integrator: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: StVK(young: 1e5, poisson: 0.3)) }},
            bodies: [(
                name: "b",
                shape: {shape},
                kind: {kind},
                material: "m",
                velocity: (0.3, 0, 0),
                hold: [(region: All, motion: Fixed, axes: "yz")],
            )],
            gravity: (1.5, -9.81, 0.4),
            integrator: {integrator},
            time: (step: "1/100", duration: 1),
            solver: (tolerance: 1e-9),
            contact: Off,
        )"#
    ))
}

/// Along the guide it falls as a free body does, across it stays to the bit; the midpoint rule keeps its energy.
#[test]
fn guided_body_falls_along_its_guides() {
    let bodies = [
        ("Solid", "Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1))"),
        ("Shell(thickness: 1e-3)", "Sheet(size: (0.1, 0.1), cells: (2, 2))"),
        (
            "Rod(radius: 1e-3)",
            "Curve(points: [(0, 0, 0), (0.03, 0, 0), (0.06, 0.01, 0), (0.1, 0, 0)])",
        ),
    ];
    for (kind, shape) in bodies {
        for integrator in
            ["ImplicitEuler", "Bdf2", "ImplicitMidpoint", "ASearch()", "Sdirk2", "Trapezoidal"]
        {
            let mut body = guided(kind, shape, integrator);
            let (start, energy) = (body.world.state(0).positions.clone(), body.observe().total());
            for _ in 0..40 {
                body.advance();
            }
            let exact = 0.3 * 0.4 + 0.5 * 1.5 * 0.4 * 0.4;
            for (x, start) in body.world.state(0).positions.iter().zip(&start) {
                assert_eq!((x.y, x.z), (start.y, start.z), "{kind}, {integrator}");
                // Implicit Euler falls g h t / 2 too far; guided bodies are not followed.
                let allowed = 1.01 * 0.5 * 1.5 * 0.4 / 100.0;
                assert!((x.x - start.x - exact).abs() < allowed, "{kind}, {integrator}: {x}");
            }
            // Under a uniform force no alpha of a search changes the energy.
            if integrator == "ImplicitMidpoint" {
                let change = (body.observe().total() - energy).abs();
                let size = 0.5 * body.world.mass() * 0.9 * 0.9;
                assert!(change < 1e-6 * size, "{kind}, {integrator}: {change} J of {size} J");
            }
        }
    }
}

/// What a guide is moved by is work, and the ledger closes: energy gained is work less heat.
#[test]
fn work_of_a_moving_guide_is_booked() {
    let mut bar = eighth(30.0, "Newton");
    let start = bar.observe().total();
    let [mut work, mut heat] = [0.0; 2];
    for _ in 0..80 {
        let record = bar.advance();
        work += record.work.iter().sum::<f64>();
        heat += record.dissipated.iter().sum::<f64>();
    }
    let gained = bar.observe().total() - start;
    // Implicit Euler damps, so that less is stored than was done.
    assert!(gained > 0.0 && work - heat >= gained, "{work} J of work, {gained} J stored");
    let (_, stress) = uniaxial(STRETCH);
    let bound = stress * SIZE[1] * SIZE[2] * (STRETCH - 1.0) * SIZE[0];
    assert!(work < bound, "{work} J, less than the last force over the whole way, {bound} J");
}
