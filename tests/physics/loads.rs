//! Loads on surfaces by area, as functions of time, and static equilibrium under them.

use super::Simulation;
use resile_math::Vec3;

const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;

fn lame() -> (f64, f64) {
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    (YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)), shear)
}

/// The root of a function that rises on an interval.
fn root(of: impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if of(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

/// An eighth of a cube between three planes of symmetry, of which the other faces bear `terms`.
fn eighth(elements: &str, terms: &str, [integrator, time]: [&str; 2]) -> Simulation {
    let roller = |axis: &str, normal: &str| {
        let point = normal.replace('1', "0.049999");
        format!(
            r#"(region: Plane(point: ({point}), normal: ({normal})), motion: Fixed, axes: "{axis}")"#
        )
    };
    let holds = [roller("x", "-1, 0, 0"), roller("y", "0, -1, 0"), roller("z", "0, 0, -1")];
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                elements: {elements},
                material: "m",
                hold: [{}],
                terms: [{terms}],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            {time}
        )"#,
        holds.join(", ")
    ))
}

/// The faces of the eighth that are in no plane of symmetry.
fn outside(load: &str) -> String {
    let one = |normal: &str| {
        let point = normal.replace('1', "0.049999");
        load.replace("REGION", &format!("Plane(point: ({point}), normal: ({normal}))"))
    };
    [one("1, 0, 0"), one("0, 1, 0"), one("0, 0, 1")].join(", ")
}

const STATIC: &str = "analysis: Static, time: (step: 1, duration: 1), solver: (tolerance: 1e-6),";

/// The stretches along the axes, if all nodes have them: from the corner that all planes have.
fn stretches(cube: &Simulation, start: &[Vec3]) -> Vec3 {
    let corner = Vec3::splat(-0.05);
    let x = &cube.world.state(0).positions;
    let far =
        (0..x.len()).find(|&i| (start[i] - Vec3::splat(0.05)).length() < 1e-9).expect("a corner");
    let scale = (x[far] - corner) / 0.1;
    for (x, start) in x.iter().zip(start) {
        let expected = corner + scale * (*start - corner);
        assert!((*x - expected).length() < 1e-8, "{x}, not {expected}");
    }
    scale
}

/// Pressure all around compresses alike; across deformed faces it is the Cauchy stress of the law, on those at rest the
/// nominal one.
#[test]
fn uniform_pressure_equals_the_internal_stress() {
    let (lambda, shear) = lame();
    let nominal = |s: f64| shear * (s - 1.0 / s) + 3.0 * lambda * s.ln() / s;
    for elements in ["Linear", "Quadratic"] {
        for follows in [true, false] {
            let pressure = 0.3 * YOUNG;
            let load = format!(
                "SurfacePressure(pressure: {pressure}, region: REGION, follows: {follows})"
            );
            let mut cube = eighth(elements, &outside(&load), ["ImplicitEuler", STATIC]);
            let start = cube.world.state(0).positions.clone();
            cube.world.load_step(1.0, 1.0).expect("an equilibrium");
            let s = stretches(&cube, &start);
            let stress = |s: f64| if follows { nominal(s) / (s * s) } else { nominal(s) };
            let exact = root(|s| stress(s) + pressure, [0.5, 1.0]);
            assert!(
                (s - Vec3::splat(exact)).length() < 1e-7,
                "{elements}, {follows}: {s}, not {exact}"
            );
        }
    }
}

/// Traction on a face stretches by the nominal stress, and the plane opposite to it bears all of it.
#[test]
fn traction_equals_the_nominal_stress_and_the_reaction() {
    let (lambda, shear) = lame();
    let traction = 2e4;
    for elements in ["Linear", "Quadratic"] {
        let face = "Plane(point: (0.049999, 0, 0), normal: (1, 0, 0))";
        let loads = [
            format!("Traction(traction: ({traction}, 0, 0), region: {face})"),
            format!("Force(force: ({}, 0, 0), region: {face}, spread: Area)", traction * 0.01),
        ];
        for load in loads {
            let mut cube = eighth(elements, &load, ["ImplicitEuler", STATIC]);
            let start = cube.world.state(0).positions.clone();
            cube.world.load_step(1.0, 1.0).expect("an equilibrium");
            let s = stretches(&cube, &start);
            // Across there is no stress: mu (t - 1/t) + lambda ln(s t^2) / t = 0.
            let side = |s: f64| {
                let stress = |t: f64| shear * (t - 1.0 / t) + lambda * (s * t * t).ln() / t;
                root(stress, [0.5, 1.0])
            };
            let nominal = |s: f64| {
                let t = side(s);
                shear * (s - 1.0 / s) + lambda * (s * t * t).ln() / s
            };
            let exact = root(|s| nominal(s) - traction, [1.0, 2.0]);
            assert!(
                (s.x - exact).abs() < 1e-7 && (s.y - side(exact)).abs() < 1e-7,
                "{elements}: {s}"
            );
            let forces = cube.world.net_forces().remove(0);
            let on_support = |(x, _): &(&Vec3, &Vec3)| x.x < -0.0499;
            let borne: Vec3 = start.iter().zip(&forces).filter(on_support).map(|(_, f)| *f).sum();
            assert!((borne.x - traction * 0.01).abs() < 1e-5 * traction * 0.01, "{borne} N");
        }
    }
}

/// A cantilever of 10 : 1 : 1 under a traction at its end bends as Timoshenko's beam does: two quadratic elements across
/// have 0.989 of its deflection (`docs/solids.md`).
#[test]
fn cantilever_bends_by_beam_theory_in_one_load_step() {
    let force = 1e-4;
    let mut beam = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: StVK(young: 1e5, poisson: 0.3)) }},
            bodies: [(
                name: "beam",
                shape: Box(size: (1, 0.1, 0.1), cells: (20, 2, 2)),
                elements: Quadratic,
                material: "m",
                hold: [(region: Plane(point: (-0.499999, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [Traction(
                    traction: (0, {}, 0),
                    region: Plane(point: (0.499999, 0, 0), normal: (1, 0, 0)),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            {STATIC}
        )"#,
        force / 0.01
    ));
    let start = beam.world.state(0).positions.clone();
    beam.world.load_step(1.0, 1.0).expect("an equilibrium");
    let at_end = |(x, _): &(&Vec3, &Vec3)| x.x > 0.4999 && x.y.abs() < 1e-9 && x.z.abs() < 1e-9;
    let now = &beam.world.state(0).positions;
    let (from, to) = start.iter().zip(now).find(at_end).expect("a node");
    let deflection = to.y - from.y;
    let (inertia, shear) = (0.1_f64.powi(4) / 12.0, 1e5 / 2.6);
    let theory = force / (3.0 * 1e5 * inertia) + force / (5.0 / 6.0 * shear * 0.01);
    let ratio = deflection / theory;
    assert!((0.98..1.0).contains(&ratio), "{ratio} of {theory} m");
}

/// The work of a load that grows is what the body stores where nothing moves fast: half of load times displacement, to the
/// first order in the step.
#[test]
fn work_of_a_growing_load_is_booked() {
    let face = "Plane(point: (0.049999, 0, 0), normal: (1, 0, 0))";
    for factor in
        ["Ramp(end: 1)", "Sine(frequency: 0.25)", "Table(points: [(0, 0), (0.3, 0.8), (1, 1)])"]
    {
        let load = format!("Traction(traction: (2e3, 0, 0), region: {face}, factor: {factor})");
        let time = "time: (step: \"1/400\", duration: 1), solver: (tolerance: 1e-9),";
        let mut cube = eighth("Linear", &load, ["ImplicitMidpoint", time]);
        let start = cube.observe().total();
        let work: f64 = (0..400).map(|_| cube.advance().work.iter().sum::<f64>()).sum();
        let gained = cube.observe().total() - start;
        assert!(
            (gained - work).abs() < 1e-3 * work.abs(),
            "{factor}: {gained} J gained, {work} J of work"
        );
        assert!(work.abs() > 1e-4, "{factor}: {work} J");
    }
}

/// A load that follows the surface of a balloon from outside, negative, blows it up as pressure inside does.
#[test]
fn outer_suction_equals_inner_pressure() {
    let balloon = |term: &str| {
        let mut balloon = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.49)) }},
                bodies: [(
                    name: "balloon",
                    shape: Sphere(radius: 0.1, subdivisions: 2),
                    kind: Shell(thickness: 1e-3),
                    material: "rubber",
                    terms: [{term}],
                )],
                gravity: (0, 0, 0),
                contact: Off,
                integrator: ImplicitEuler,
                {STATIC}
            )"#
        ));
        balloon.world.load_step(1.0, 1.0).expect("an equilibrium");
        let x = &balloon.world.state(0).positions;
        let centre = x.iter().sum::<Vec3>() / x.len() as f64;
        x.iter().map(|x| (*x - centre).length()).sum::<f64>() / x.len() as f64
    };
    let inside = balloon("Pressure(pressure: 2000)");
    let outside = balloon("SurfacePressure(pressure: -2000)");
    assert!(inside > 0.103 && (inside - outside).abs() < 1e-6, "{inside} m, {outside} m");
}

/// A block that is pressed on a rough floor and pushed sideways stands; the floor bears both.
#[test]
fn contact_and_friction_balance_static_loads() {
    let mut block = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "block",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                material: "m",
                friction: 0.5,
                placement: (translate: (0, 0.0505, 0)),
                terms: [
                    SurfacePressure(
                        pressure: 1e3, follows: false,
                        region: Plane(point: (0, 0.10049, 0), normal: (0, 1, 0)),
                    ),
                    Traction(
                        traction: (200, 0, 0), factor: Ramp(start: 0.2, end: 1),
                        region: Plane(point: (0.049999, 0, 0), normal: (1, 0, 0)),
                    ),
                ],
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
            integrator: ImplicitEuler,
            analysis: Static,
            time: (step: 0.2, duration: 1),
        )"#
    ));
    for step in 1..=5 {
        let end = 0.2 * f64::from(step);
        block.world.load_step(0.2, end).expect("an equilibrium");
        let reached = block.world.state(0).time;
        assert_eq!(reached, end);
    }
    let x = block.com().x;
    assert!(x > 0.0 && x < 0.02, "it leans and stays: {x} m");
}

/// The work of a dead load that varies in time is what A-search gives to its target: a mass on a spring under a harmonic
/// force has the energy of that work.
#[test]
fn work_of_a_varying_load_is_the_energy_of_an_oscillator() {
    for integrator in ["ASearch()", "TrBdf2"] {
        let mut oscillator = Simulation::begun(&format!(
            r#"(
                version: 2, units: Metres,
                bodies: [(name: "mass", shape: Particles(positions: [(0, 0, 0)], masses: [1]),
                    attach: [(region: All, stiffness: 400, motion: Fixed)],
                    terms: [Force(force: (4, 0, 0), factor: Expression("sin(5*t)"))])],
                gravity: (0, 0, 0), contact: Off, integrator: {integrator},
                time: (step: "1/120", duration: 4),
            )"#
        ));
        let (mut work, mut largest) = (0.0, 0.0f64);
        for _ in 0..480 {
            work += oscillator.advance().work.iter().sum::<f64>();
            largest = largest.max(oscillator.observe().total().abs());
        }
        let total = oscillator.observe().total();
        assert!((total - work).abs() < 0.01 * largest, "{integrator}: {total} J by {work} J");
    }
}

/// Position (m) of the tip of a cantilever of the length `length` (m) under a pressure on its side, relative to the clamp: the
/// elastica, integrated from the free end, where moment and force are zero. `ratio` is the pressure times width over the
/// bending rigidity (1/m^3).
fn elastica_tip(length: f64, ratio: f64) -> [f64; 2] {
    const STEPS: usize = 20_000;
    let h = length / STEPS as f64;
    let (mut position, mut force, mut moment, mut angle) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0_f64);
    let tangent = |angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.0);
    for _ in 0..STEPS {
        // The midpoint rule.
        let middle = angle - 0.5 * h * moment;
        let t = tangent(middle);
        let normal = Vec3::new(-t.y, t.x, 0.0);
        let middle_moment = moment + 0.5 * h * t.cross(force).z;
        position -= t * h;
        moment += h * t.cross(force + normal * (0.5 * h * ratio)).z;
        force += normal * (h * ratio);
        angle -= h * middle_moment;
    }
    // In the frame of the clamp.
    let t = tangent(angle);
    let tip = -position;
    [tip.dot(t), tip.dot(Vec3::new(-t.y, t.x, 0.0))]
}

/// A pressure that follows the surface acts in each step of settling as at its start. These steps converge also where the load
/// bends a slender body by more than a half turn.
#[test]
fn slender_strip_is_rolled_up_by_a_pressure_that_follows() {
    let cell = 0.1 / 19.5;
    let mut strip = Simulation::begun(&format!(
        r#"(
            version: 2, units: Metres,
            materials: {{ "m": (density: 200, model: StVK(young: 1e7, poisson: 0)) }},
            bodies: [(
                name: "strip",
                shape: Sheet(size: ({}, 0.02), cells: (20, 2)),
                kind: Shell(thickness: 1e-3, bending: Rigidity(1e-4)),
                material: "m",
                placement: (translate: ({}, 0, 0)),
                hold: [(region: Plane(point: ({}, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [SurfacePressure(pressure: -3, follows: true, factor: Ramp(end: 1))],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            analysis: Static,
            time: (step: 0.25, duration: 1),
        )"#,
        20.0 * cell,
        9.5 * cell,
        0.51 * cell,
    ));
    let tip = (0..strip.world.state(0).positions.len())
        .max_by(|&i, &j| {
            let x = |k: usize| strip.world.state(0).positions[k].x;
            x(i).total_cmp(&x(j))
        })
        .expect("nodes");
    for k in 1..=4 {
        strip.world.load_step(0.25, 0.25 * f64::from(k)).expect("an equilibrium");
    }
    let found = strip.world.state(0).positions[tip];
    // Pressure times length cubed over rigidity is 30: the end turns by 190 degrees.
    let [x, y] = elastica_tip(0.1, 3.0 / 1e-4);
    let distance = (found.x - x).hypot(found.y - y);
    assert!(distance < 1e-3, "{found}, not ({x}, {y}) m");
}
