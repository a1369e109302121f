//! Loads and motions by expressions of place and time.

use super::Simulation;
use resile_math::Vec3;

const FACES: [&str; 6] = ["1, 0, 0", "-1, 0, 0", "0, 1, 0", "0, -1, 0", "0, 0, 1", "0, 0, -1"];

fn scene(body: &str, rest: &str) -> String {
    format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3)) }},
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (3, 3, 3)),
                material: "m",
                {body}
            )],
            gravity: (0, 0, 0),
            contact: Off,
            {rest}
        )"#
    )
}

const STATIC: &str = "integrator: ImplicitEuler, analysis: Static, time: (step: 0.5, duration: 1), \
                      solver: (tolerance: 1e-8),";

/// The patch test: a linear displacement of the surface is that of all nodes.
#[test]
fn a_linear_displacement_of_the_surface_is_linear_inside() {
    let motion = r#"Displacement(("t*(0.2*x + 0.1*y)", "-0.05*t*y", "t*0.15*z + 0.001*t"))"#;
    let hold = |normal: &str| {
        let point = normal.replace('1', "0.049999");
        format!("(region: Plane(point: ({point}), normal: ({normal})), motion: {motion})")
    };
    let holds = FACES.map(hold).join(", ");
    for elements in ["Linear", "Quadratic"] {
        let body = format!("elements: {elements}, hold: [{holds}],");
        let mut cube = Simulation::new(&scene(&body, STATIC));
        let start = cube.world.state(0).positions.clone();
        for t in [0.5, 1.0] {
            cube.world.load_step(0.5, t).expect("an equilibrium");
            let inner = start.iter().filter(|x| x.abs().max_element() < 0.049).count();
            assert!(inner >= 8, "{inner} nodes inside");
            for (x, start) in cube.world.state(0).positions.iter().zip(&start) {
                let Vec3 { x: a, y: b, z: c } = *start;
                let by = Vec3::new(0.2 * a + 0.1 * b, -0.05 * b, 0.15 * c + 0.001) * t;
                assert!((*x - *start - by).length() < 1e-9, "{elements}, {t} s: {start} by {by}");
            }
        }
    }
}

/// The support bears the integral of the force over the volume, and that of the traction over the face.
#[test]
fn supports_bear_the_integrals_of_forces_by_expressions() {
    for elements in ["Linear", "Quadratic"] {
        let body = format!(
            r#"elements: {elements},
            hold: [(region: Plane(point: (0, -0.0499, 0), normal: (0, -1, 0)), motion: Fixed)],
            terms: [
                BodyForce(force: ("1e6*t*x^2*(y + 0.05)", 300, "-2e3*t*y^2")),
                Traction(
                    traction: ("20*t*cos(10*pi*z)", 0, 5),
                    region: Plane(point: (0, 0.0499, 0), normal: (0, 1, 0)),
                    factor: Expression("2*t^2"),
                ),
                SurfacePressure(
                    pressure: "1e5*y^2",
                    follows: false,
                    region: Plane(point: (0.0499, 0, 0), normal: (1, 0, 0)),
                ),
            ],"#
        );
        let mut cube = Simulation::new(&scene(&body, STATIC));
        let start = cube.world.state(0).positions.clone();
        cube.world.load_step(1.0, 1.0).expect("an equilibrium");
        let forces = cube.world.net_forces();
        let held = forces[0].iter().zip(&start).filter(|(_, x)| x.y < -0.0499);
        let total: Vec3 = held.map(|(force, _)| *force).sum();
        // Second moments of a side of length a: a^3/12.
        let (a, second) = (0.1_f64, 0.1_f64.powi(3) / 12.0);
        let body =
            Vec3::new(1e6 * second * (a * a / 2.0) * a, 300.0 * a.powi(3), -2e3 * second * a * a);
        // cos(10 pi z) from -a/2 to a/2: 2/(10 pi).
        let traction =
            Vec3::new(20.0 * a * 2.0 / (10.0 * std::f64::consts::PI), 0.0, 5.0 * a * a) * 2.0;
        let pressure = Vec3::X * (-1e5 * second * a);
        let exact = body + traction + pressure;
        // The rule of the faces is exact but for the cosine.
        assert!((total - exact).length() < 2e-5 * exact.length(), "{elements}: {total}, {exact}");
    }
}

/// The energy that the ledger of forces and motions by place and time does not explain is of second order. The trapezoidal
/// rule evaluates loads at both ends of a step; the implicit midpoint rule evaluates them at its end and is of first order.
#[test]
fn the_work_of_loads_and_motions_by_expressions_closes_the_ledger() {
    let body = r#"
        hold: [(
            region: Plane(point: (0, -0.0499, 0), normal: (0, -1, 0)),
            motion: Displacement(("0.05*x*sin(20*t)", "0.002*(1 - cos(30*t))", 0)),
        )],
        terms: [
            BodyForce(force: ("2e5*y*sin(25*t)", "5e3*t", 0)),
            Force(force: (0, 0, 2), factor: Expression("exp(-5*t)*sin(40*t)")),
        ],"#;
    let off = |steps: u32| {
        let time = format!(
            "integrator: Trapezoidal, time: (step: \"1/{}\", duration: 0.1), solver: (tolerance: 1e-8),",
            steps * 10
        );
        let mut cube = Simulation::new(&scene(body, &time));
        let start = cube.observe().total();
        let (mut work, mut lost, mut last) = (0.0, 0.0, start);
        for _ in 0..steps {
            let record = cube.advance();
            work += record.work.iter().sum::<f64>();
            lost += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
            last = record.observed.total();
        }
        (work, last - start + lost - work)
    };
    let [(work, coarse), (_, fine)] = [off(40), off(80)];
    let order = (coarse / fine).abs().log2();
    assert!(work.abs() > 1e-3, "{work} J of work");
    assert!(coarse.abs() < 0.02 * work.abs(), "{coarse} J of {work} J");
    assert!(order > 1.8, "order {order}: {coarse} J, then {fine} J");
}

#[test]
fn initial_velocities_and_displacements_are_those_of_the_place_at_rest() {
    let body = r#"
        placement: (translate: (0.3, 0, 0)),
        velocity: (1, 0, 0),
        displacement: ("0.02*(x - 0.3)", 0.01, "0.1*y^2"),
        velocity_field: Expression((0, "3*z", "-3*y")),"#;
    let rest = "integrator: ImplicitMidpoint, time: (step: 0.001, duration: 0.01),";
    let cube = Simulation::new(&scene(body, rest));
    let plain = Simulation::new(&scene("placement: (translate: (0.3, 0, 0)),", rest));
    let (state, at_rest) = (cube.world.state(0), &plain.world.state(0).positions);
    for ((x, v), rest) in state.positions.iter().zip(&state.velocities).zip(at_rest) {
        let by = Vec3::new(0.02 * (rest.x - 0.3), 0.01, 0.1 * rest.y * rest.y);
        assert!((*x - *rest - by).length() < 1e-15);
        assert!((*v - Vec3::new(1.0, 3.0 * rest.z, -3.0 * rest.y)).length() < 1e-15);
    }
}
