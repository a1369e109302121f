//! Solids of few elements turn as the solids that they stand for.

use super::Simulation;
use resile_assembly::build;
use resile_integrators::ImplicitEuler;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_scene::text::SceneText;
use resile_solver::Method;
use resile_system::{Body, Certificate, Energy, Hessian, Psd, State};
use resile_world::{StepFailure, World, WorldSettings};
use std::path::Path;

fn spinning(shape: &str) -> Simulation {
    Simulation::new(&format!(
        "(
            version: 1,
            materials: {{\"m\": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3))}},
            bodies: [(name: \"b\", {shape}, material: \"m\", angular_velocity: (0, 10, 0))],
            gravity: (0, 0, 0),
            integrator: ImplicitMidpoint,
            time: (step: \"1/1000\", duration: 1),
            solver: (tolerance: 1e-7),
            output: (formats: []),
        )"
    ))
}

/// A cube of 1 kg and 0.1 m has the moment of inertia 1/600 kg m^2.
#[test]
fn spinning_cube_of_two_cells_has_the_exact_angular_momentum() {
    let cube = "shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2))";
    let mut spinning = spinning(cube);
    let momentum = |simulation: &Simulation| simulation.world.momenta().angular.y;
    assert!((momentum(&spinning) * 60.0 - 1.0).abs() < 1e-12, "{}", momentum(&spinning));
    for _ in 0..20 {
        spinning.advance();
    }
    assert!((momentum(&spinning) * 60.0 - 1.0).abs() < 1e-5, "{}", momentum(&spinning));
}

#[test]
fn one_quadratic_cell_has_the_exact_angular_momentum() {
    let cube = "shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), elements: Quadratic";
    let momentum = spinning(cube).world.momenta().angular.y;
    assert!((momentum * 60.0 - 1.0).abs() < 1e-12, "{momentum}");
}

/// A soft cube is thrown at the floor and pressed flat: never inside out, never through it.
#[test]
fn quadratic_elements_stay_uninverted_on_the_floor() {
    let mut cube = Simulation::new(
        r#"(
            version: 1,
            materials: {"m": (density: 1000, model: NeoHookean(young: 2e4, poisson: 0.45))},
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                elements: Quadratic,
                material: "m",
                placement: (rotate: [(axis: (1, 0, 1), degrees: 40)], translate: (0, 0.11, 0)),
                velocity: (1, -3, 0),
                friction: 0.5,
            )],
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
            gravity: (0, -9.81, 0),
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
            integrator: Bdf2,
            time: (step: "1/240", duration: 0.2),
        )"#,
    );
    let start = cube.observe().total();
    let (mut least, mut touched) = (f64::INFINITY, 0);
    for _ in 0..48 {
        let record = cube.advance();
        let certificate = record.observed.certificate;
        least = least.min(certificate.min_det_f);
        touched += certificate.contacts;
        assert!(certificate.min_det_f > 0.0 && certificate.min_distance > 0.0, "{certificate:?}");
        assert!(record.observed.total() < start * (1.0 + 1e-6), "{}", record.observed.total());
    }
    assert!(touched > 0 && least < 0.5, "{touched} contacts, det F {least}");
}

/// A soft ball that a hard one hits at 10 m/s, `beside` its middle (m).
fn crushed(elements: &str, beside: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{
                "soft": (density: 1000, model: NeoHookean(young: 1e4, poisson: 0.45)),
                "hard": (density: 2000, model: NeoHookean(young: 1e8, poisson: 0.3)),
            }},
            bodies: [
                (name: "soft", shape: Ball(radius: 0.5, layers: 2), elements: {elements}, material: "soft", friction: 0.3),
                (
                    name: "hard",
                    shape: Ball(radius: 0.3, layers: 2),
                    material: "hard",
                    placement: (translate: ({beside}, 0.85, 0)),
                    velocity: (0, -10, 0),
                    friction: 0.3,
                ),
            ],
            gravity: (0, 0, 0),
            contact: Barrier(d_hat: 2e-3, kappa: 1e6, friction_rule: Mean),
            integrator: ImplicitEuler,
            time: (step: "1/100", duration: 0.15),
        )"#
    ))
}

/// Determinants that are positive where the energy is integrated may be negative between these points: the
/// second of these bodies had a smallest determinant of -0.04.
#[test]
fn no_accepted_step_inverts_quadratic_elements() {
    let cases =
        [("StraightQuadratic", 0.05, 15), ("StraightQuadratic", 0.1, 3), ("Quadratic", 0.05, 5)];
    for (elements, beside, fewest) in cases {
        let mut simulation = crushed(elements, beside);
        let mut least = f64::INFINITY;
        // A step that cannot be solved is not taken.
        let records = std::iter::from_fn(|| simulation.try_advance().ok());
        let taken =
            records.take(15).map(|record| record.observed.certificate).inspect(|certificate| {
                least = least.min(certificate.min_det_f);
                assert!(certificate.min_det_f > 0.0 && !certificate.inverted, "{certificate:?}");
            });
        let taken = taken.count();
        assert!(
            taken >= fewest && least < 0.1,
            "{elements}, {beside}: {taken} steps, det F {least}"
        );
    }
}

/// A node that is inverted above a height, and does not know until it is there.
struct Careless;

impl Energy for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn value(&self, _time: f64, _x: &[Vec3]) -> f64 {
        0.0
    }

    fn add_gradient(&self, _time: f64, _x: &[Vec3], _scale: f64, _out: &mut [Vec3]) {}

    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}

    fn certificate(&self, x: &[Vec3]) -> Certificate {
        Certificate::of_elements(1.0 - x[0].y, true)
    }
}

#[test]
fn inversion_certificate_fails_the_step() {
    let body = Body::new("node", vec![1.0]).with(Careless);
    let state = State::new(0.0, vec![Vec3::ZERO], vec![Vec3::Y]);
    let settings = WorldSettings {
        tolerance: 1e-6,
        friction_rounds: 0,
        dirichlet_tolerance: 0.0,
        method: Method::default(),
        max_halvings: 2,
        adaptive: None,
    };
    let mut world = World::new(vec![(body, state)], None, Box::new(ImplicitEuler), settings);
    let record = world.step(0.75, 0.75).expect("still below the height");
    assert!((record.observed.certificate.min_det_f - 0.25).abs() < 1e-12);
    let failure = world.step(0.75, 1.5).expect_err("inverted");
    assert!(
        matches!(&failure, StepFailure::Inverted { body, min_det_f, .. } if body == "node" && *min_det_f < 0.0),
        "{failure}"
    );
    assert_eq!(world.state(0).time, 0.75, "the world is as it was");
}

/// The stress at the side of a beam that bends under its own weight is `M c / I`: of a square cross-section of
/// width a `6 M / a^3`, with `M = rho g a^2 x^2 / 2` at the distance x from the free end.
#[test]
fn cantilever_stress_converges_to_beam_theory() {
    let (length, width, density, gravity) = (1.0, 0.1, 1000.0, 1.0);
    let moment = 0.5 * density * gravity * width * width * (0.5 * length) * (0.5 * length);
    let expected = 6.0 * moment / (width * width * width);
    let mut last = f64::INFINITY;
    for refined in [1, 2, 4] {
        let mut simulation = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: {density}, model: StVK(young: 1e9, poisson: 0)) }},
                bodies: [(
                    name: "beam",
                    shape: Box(size: ({length}, {width}, {width}), cells: ({}, {}, {})),
                    elements: Quadratic,
                    material: "m",
                    hold: [(region: Box(min: (-1, -1, -1), max: (-0.499, 1, 1)), motion: Fixed)],
                )],
                gravity: (0, -{gravity}, 0),
                integrator: ImplicitEuler,
                time: (step: 1, duration: 30),
                solver: (tolerance: 1e-8),
            )"#,
            5 * refined + refined % 2,
            refined,
            refined,
        ));
        let rest = simulation.world.state(0).positions.clone();
        (0..6).for_each(|_| drop(simulation.advance()));
        let stress = simulation.world.stress(0);
        let side = |node: &usize| {
            let at = rest[*node];
            at.x.abs() < 1e-9 && (at.y.abs() - 0.5 * width).abs() < 1e-9
        };
        let nodes: Vec<usize> = (0..rest.len()).filter(side).collect();
        let found = nodes.iter().map(|&node| stress.von_mises(node).expect("it is in elements"));
        let worst = found.map(|found| (found / expected - 1.0).abs()).fold(0.0, f64::max);
        assert!(!nodes.is_empty() && worst < 0.6 * last, "{worst} after {last}");
        last = worst;
    }
    assert!(last < 0.02, "{last}");
}

/// The stress of a bar that hangs is what hangs below: `rho g y`, `y` the height over its end.
#[test]
fn stress_of_a_hanging_bar_equals_the_weight_below() {
    // The stress of a linear element is that at its middle, up to half a cell away.
    for (elements, off) in [("Linear", 0.05), ("Quadratic", 0.01)] {
        let mut simulation = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0)) }},
                bodies: [(
                    name: "bar",
                    shape: Box(size: (0.1, 1, 0.1), cells: (1, 10, 1)),
                    elements: {elements},
                    material: "m",
                    hold: [(region: Box(min: (-1, 0.499, -1), max: (1, 1, 1)), motion: Fixed)],
                )],
                gravity: (0, -9.81, 0),
                integrator: ImplicitEuler,
                time: (step: 1, duration: 30),
                solver: (tolerance: 1e-9),
            )"#
        ));
        (0..30).for_each(|_| drop(simulation.advance()));
        let (stress, state) = (simulation.world.stress(0), simulation.world.state(0));
        let lowest = state.positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        let weight = 1000.0 * 9.81;
        for (node, x) in state.positions.iter().enumerate() {
            let height = x.y - lowest;
            if !(0.15..0.85).contains(&height) {
                continue; // a mean of one side alone
            }
            let found = stress.von_mises(node).expect("elements are around every node");
            let expected = weight * height;
            assert!((found - expected).abs() < off * weight, "{found} for {expected} at {height}");
        }
    }
}

/// The lumped masses are a quarter of each tetrahedron at each corner: their weights are the integrals of the shape
/// functions, and the second moments of a box of n cells are too large by `2 / n^2` of those across.
#[test]
fn lumped_masses_are_quarters_of_tetrahedra() {
    let text = |body: &str| {
        format!(
            r#"(version: 1, materials: {{"m": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))}},
            bodies: [(name: "box", shape: Box(size: (1, 1, 1), cells: (4, 4, 4)), material: "m", {body})],
            gravity: (0, 0, 0), integrator: ImplicitEuler, time: (step: 0.01, duration: 1))"#
        )
    };
    let moment = |body: &str| {
        let scene = SceneText::new("box.ron", text(body)).load().expect("a scene").scene;
        let built = build(&scene, Path::new("")).expect("it is built");
        let (masses, mesh) = (built.world.masses(0), &built.meshes[0]);
        let solid = TetMesh { positions: mesh.rest.clone(), tets: mesh.tets.clone() };
        let lumped = solid.lumped_masses(1000.0);
        let same = masses.iter().zip(&lumped).all(|(a, b)| (a - b).abs() < 1e-9);
        assert_eq!(same, body.contains("Lumped"), "{body}");
        masses.iter().zip(&mesh.rest).map(|(m, x)| m * x.x * x.x).sum::<f64>()
    };
    // The solid has m/12; of each cell the corners have a quarter of the square of its edge in place of a twelfth.
    let exact = 1000.0 / 12.0;
    assert!((moment("") - exact).abs() < 1e-6 * exact);
    let lumped = moment("masses: Lumped");
    assert!((lumped / exact - 1.0 - 2.0 / 16.0).abs() < 1e-6, "{lumped}");
    let wrong = text("masses: Lumped, elements: Quadratic");
    assert!(SceneText::new("box.ron", wrong).load().is_err());
}
