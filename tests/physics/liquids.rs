//! Bodies that float, and walls that hold water.

use super::Simulation;
use resile_math::Vec3;

const GRAVITY: f64 = 9.81;

/// A flat box of half the density of water, let go at a height (m) of its middle.
fn raft(height: f64, elements: &str, [integrator, time]: [&str; 2]) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "foam": (density: 500, model: NeoHookean(young: 1e7, poisson: 0.3)) }},
            bodies: [(
                name: "raft",
                shape: Box(size: (0.4, 0.1, 0.4), cells: (4, 1, 4)),
                elements: {elements},
                placement: (translate: (0, {height}, 0)),
                material: "foam",
                terms: [Hydrostatic(surface: (0, 0, 0), density: 1000, gravity: (0, -{GRAVITY}, 0))],
            )],
            gravity: (0, -{GRAVITY}, 0),
            contact: Off,
            integrator: {integrator},
            {time}
        )"#
    ))
}

/// At rest it displaces its weight: half of it is immersed. A stress of `rho g h` = 490 Pa strains 0.1 m by at most 4.9e-6 m.
#[test]
fn raft_of_half_density_floats_half_immersed() {
    let time = "analysis: Static, time: (step: 1, duration: 1), solver: (tolerance: 1e-8),";
    for elements in ["Linear", "Quadratic"] {
        let mut raft = raft(0.013, elements, ["ImplicitEuler", time]);
        raft.world.load_step(1.0, 1.0).expect("an equilibrium");
        assert!(raft.com().y.abs() < 4.9e-6, "{elements}: {} m", raft.com().y);
    }
}

/// Let go 1 cm above its equilibrium it swings as `m y'' = -rho g A y` says, and nothing is lost.
#[test]
fn raft_oscillates_with_buoyancy_stiffness_and_conserves_energy() {
    let time = "time: (step: \"1/400\", duration: 1), solver: (tolerance: 1e-9),";
    let mut raft = raft(0.01, "Linear", ["ImplicitMidpoint", time]);
    let start = raft.observe().total();
    let period = std::f64::consts::TAU * (0.5 * 0.1 / GRAVITY).sqrt();
    let mut heights = vec![raft.com().y];
    let mut off: f64 = 0.0;
    while raft.world.state(0).time < period {
        let record = raft.advance();
        assert_eq!(record.work.iter().sum::<f64>(), 0.0);
        heights.push(raft.com().y);
        off = off.max((raft.observe().total() - start).abs());
    }
    let exchanged = 0.5 * 1000.0 * GRAVITY * 0.16 * 0.01_f64.powi(2);
    assert!(off < 1e-3 * exchanged, "{off} J of {exchanged} J");
    for (k, height) in heights.iter().enumerate() {
        let exact = 0.01 * (std::f64::consts::TAU * k as f64 / 400.0 / period).cos();
        assert!((height - exact).abs() < 1e-4, "step {k}: {height} m, not {exact} m");
    }
}

/// The support of a wall bears half of `rho g h^2` a metre, at a third of the height.
#[test]
fn wall_support_bears_the_hydrostatic_thrust() {
    let mut wall = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rock": (density: 2500, model: NeoHookean(young: 1e11, poisson: 0.2)) }},
            bodies: [(
                name: "wall",
                shape: Box(size: (0.5, 2, 1), cells: (2, 5, 2)),
                placement: (translate: (0, 1, 0)),
                material: "rock",
                hold: [(region: Plane(point: (0.2499, 0, 0), normal: (1, 0, 0)), motion: Fixed)],
                terms: [Hydrostatic(
                    surface: (0, 1.7, 0), density: 1000, gravity: (0, -{GRAVITY}, 0),
                    region: Plane(point: (-0.2499, 0, 0), normal: (-1, 0, 0)),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            analysis: Static, time: (step: 1, duration: 1), solver: (tolerance: 1e-10),
        )"#
    ));
    let start = wall.world.state(0).positions.clone();
    wall.world.load_step(1.0, 1.0).expect("an equilibrium");
    let forces = wall.world.net_forces().remove(0);
    let on_support = |(x, _): &(&Vec3, &Vec3)| x.x > 0.2499;
    let borne: Vec3 = start.iter().zip(&forces).filter(on_support).map(|(_, f)| *f).sum();
    let thrust = 0.5 * 1000.0 * GRAVITY * 1.7 * 1.7;
    assert!((borne - Vec3::X * thrust).length() < 1e-6 * thrust, "{borne} N, not {thrust} N");
    let about_base = |(x, f): (&Vec3, &Vec3)| x.cross(*f);
    let torque: Vec3 = start.iter().zip(&forces).filter(on_support).map(about_base).sum();
    let lever = -torque.z / thrust;
    assert!((lever - 1.7 / 3.0).abs() < 1e-5, "{lever} m, not {} m", 1.7 / 3.0);
}
