//! Balls on a platform whose motion is prescribed.

use resile_contact::{
    Barrier, BarrierPotential, CollisionMesh, Embedding, FrictionPotential, Obstacles, PairTable,
    Role,
};
use resile_energy::{Gravity, Lame, Material, TetElasticity};
use resile_integrators::{ASearch, FRICTION_ROUNDS, Integrator, Theta};
use resile_mesh::generate::{Ball, BoxSurface};
use resile_solver::NewtonSettings;
use resile_system::{Body, Held, Motion, Prescribed, State, Vec3};
use resile_world::{Collisions, StepRecord, World, WorldSettings};
use std::sync::Arc;

const GRAVITY: Vec3 = Vec3::new(0.0, -9.8, 0.0);
const RADIUS: f64 = 0.05;

/// What meets what, in a contact so soft that steps of a millisecond resolve it.
const BARRIER: BarrierPotential =
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 0.02, kappa: 2e3 };
const FRICTION: FrictionPotential = FrictionPotential { slip_speed: 0.2 };

type Part = (Body, State, Arc<CollisionMesh>);

/// A rubber ball with its centre at `center`.
fn ball(name: &str, center: Vec3) -> Part {
    let mesh = Ball { radius: RADIUS, layers: 2 }.build().unwrap();
    let rest: Vec<Vec3> = mesh.positions.iter().map(|x| *x + center).collect();
    let rubber = Material::NeoHookean(Lame::from_young_poisson(5e4, 0.3).unwrap());
    let masses = mesh.node_masses(1000.0);
    let body = Body::new(name, masses.clone())
        .with(TetElasticity::new(&rest, &mesh.tets, rubber).unwrap())
        .with(Gravity::new(masses, GRAVITY));
    let surface = CollisionMesh::new(&rest, &mesh.surface().triangles).unwrap();
    let still = vec![Vec3::ZERO; rest.len()];
    (body, State::new(0.0, rest, still), Arc::new(surface))
}

/// A slab of 1 m x 0.1 m x 1 m on four nodes, its upper side at height zero.
fn platform(motion: &Motion) -> Part {
    let slab = BoxSurface { cells: [4, 1, 4], size: Vec3::new(1.0, 0.1, 1.0) }.build().unwrap();
    let middle = slab.positions.iter().copied().sum::<Vec3>() / slab.positions.len() as f64;
    let low = slab.positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let shift = Vec3::new(-middle.x, -0.1 - low, -middle.z);
    let rest: Vec<Vec3> = slab.positions.iter().map(|x| *x + shift).collect();
    let hang = |x: &Vec3| Embedding {
        nodes: [0, 1, 2, 3],
        weights: [1.0 - x.x - x.y - x.z, x.x, x.y, x.z],
    };
    let embedding = rest.iter().map(hang).collect();
    let surface = CollisionMesh::embedded(&rest, &slab.triangles, embedding, 4).unwrap();
    let nodes = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let prescribed = |(node, start)| Prescribed {
        node,
        start,
        motion: motion.clone(),
        until: None,
        held: Held::All,
    };
    let mut body = Body::new("platform", vec![1.0; 4]);
    body.prescribed = nodes.into_iter().enumerate().map(prescribed).collect();
    let start = nodes.map(|x0| motion.position(x0, 0.0)).to_vec();
    let rates = body.prescribed.iter().map(|p| p.motion.initial_velocity(p.start)).collect();
    (body, State::new(0.0, start, rates), Arc::new(surface))
}

fn world(parts: Vec<Part>, integrator: Box<dyn Integrator>, mu: f64) -> World {
    world_expecting(parts, integrator, mu, GRAVITY)
}

/// A world whose guesses of what will meet expect this acceleration.
fn world_expecting(
    parts: Vec<Part>,
    integrator: Box<dyn Integrator>,
    mu: f64,
    gravity: Vec3,
) -> World {
    let mut pairs = PairTable::new(parts.len());
    for a in 0..parts.len() {
        (0..parts.len()).for_each(|b| pairs.set_friction(a, b, mu));
    }
    let role = |part: &Part| if part.0.is_kinematic() { Role::Kinematic } else { Role::Simulated };
    let collisions = Collisions {
        surfaces: parts.iter().map(|part| part.2.clone()).collect(),
        roles: parts.iter().map(role).collect(),
        half_thicknesses: vec![0.0; parts.len()],
        obstacles: Arc::new(Obstacles::default()),
        pairs: Arc::new(pairs),
        barrier: BARRIER,
        adhesion: None,
        friction: FRICTION,
        gravity,
    };
    let settings = WorldSettings {
        tolerance: 1e-9,
        friction_rounds: FRICTION_ROUNDS,
        dirichlet_tolerance: 0.0,
        method: NewtonSettings::default().into(),
        max_halvings: 4,
        adaptive: None,
    };
    let bodies = parts.into_iter().map(|(body, state, _)| (body, state)).collect();
    World::new(bodies, Some(collisions), integrator, settings)
}

/// Up, aside and turning, from the first moment on.
fn lifting() -> Motion {
    Motion::Steady {
        start: 0.0,
        end: 10.0,
        velocity: Vec3::new(0.3, 0.5, 0.0),
        angular_velocity: Vec3::new(0.1, 0.5, 0.0),
        pivot: Vec3::new(0.2, 0.0, 0.0),
    }
}

const ON_TOP: Vec3 = Vec3::new(0.0, RADIUS + 0.01, 0.0);

fn run(world: &mut World, h: f64, steps: u32) -> Vec<StepRecord> {
    let step = |k| world.step(h, f64::from(k) * h).unwrap_or_else(|failure| panic!("{failure}"));
    (1..=steps).map(step).collect()
}

#[test]
fn energy_ledger_of_a_lifted_ball_closes_at_the_order_of_the_method() {
    let off = |h: f64, steps| {
        // It starts with the platform's velocity: struck at 0.5 m/s it would swing in ways
        // that take finer steps to resolve.
        let mut ball = ball("ball", ON_TOP);
        ball.1.velocities.fill(Vec3::new(0.3, 0.5, 0.0));
        // The platform comes first: bodies behind it must still get their own.
        let parts = vec![platform(&lifting()), ball];
        let mut world = world(parts, Box::new(Theta::MIDPOINT), 0.3);
        let start = world.observe().total();
        let records = run(&mut world, h, steps);
        let work: f64 = records.iter().map(|r| r.work[1]).sum();
        let dissipated: f64 = records.iter().map(|r| r.dissipated[1]).sum();
        assert!(records.iter().all(|r| r.work[0] == 0.0 && r.dissipated[0] == 0.0));
        let end = records.last().unwrap().observed.total();
        assert!(work > 0.1 && dissipated.abs() > 1e-3, "{work} {dissipated}");
        (end - start + dissipated - work, work)
    };
    let ((coarse, work), (middle, _), (fine, _)) =
        (off(5e-4, 120), off(2.5e-4, 240), off(1.25e-4, 480));
    assert!(coarse.abs() < 0.04 * work, "{coarse} of {work}");
    // Implicit midpoint and the trapezoidal rule for the work are both of second order.
    let orders = [coarse / middle, middle / fine];
    assert!(orders.iter().all(|r| (3.0..5.0).contains(r)), "{coarse:e} {middle:e} {fine:e}");
}

#[test]
fn lifted_ball_has_its_target_energy_under_a_search() {
    let parts = vec![ball("ball", ON_TOP), platform(&lifting())];
    let mut world = world(parts, Box::new(ASearch::default()), 0.3);
    let start = world.observe().total();
    let mut added = 0.0;
    for record in run(&mut world, 2e-3, 80) {
        added += record.work[0] - (record.dissipated[0] + record.rest_loss[0]);
        let target = record.observed.target().unwrap();
        assert!((target - (start + added)).abs() < 1e-9 * start.abs().max(1.0));
        let alphas: Vec<_> = record.alphas.iter().map(|group| group.bodies.clone()).collect();
        assert_eq!(alphas, [[0]], "the platform has no alpha");
    }
    assert!(added > 0.1, "{added}");
}

#[test]
fn balls_on_one_platform_move_bitwise_independently() {
    let places = [Vec3::new(-0.3, 0.0, 0.1), Vec3::new(0.3, 0.0, -0.1)].map(|x| x + ON_TOP);
    let alone = places.map(|place| {
        let parts = vec![ball("ball", place), platform(&lifting())];
        let mut world = world(parts, Box::new(Theta::MIDPOINT), 0.3);
        run(&mut world, 2e-3, 40);
        world.state(0).clone()
    });
    let parts = vec![ball("left", places[0]), platform(&lifting()), ball("right", places[1])];
    let mut world = world(parts, Box::new(Theta::MIDPOINT), 0.3);
    for record in run(&mut world, 2e-3, 40) {
        assert_eq!(record.islands, [[0], [2]]);
        assert!(record.observed.certificate.contacts > 0);
    }
    assert!(*world.state(0) == alone[0] && *world.state(2) == alone[1]);
    assert!(alone[0].velocities[0].length() > 0.1);
}

#[test]
fn suddenly_moving_platform_is_not_crossed() {
    // In free fall through a height of h^2 g; the guess is told that nothing falls.
    let parts = vec![ball("ball", ON_TOP + Vec3::Y * 0.05), platform(&Motion::Fixed)];
    let integrator = Box::new(Theta { theta: 1.0 });
    let mut world = world_expecting(parts, integrator, 0.0, Vec3::ZERO);
    let h = 0.2;
    let record = run(&mut world, h, 1).remove(0);
    assert!(world.intersections(1).is_empty());
    assert!(
        record.observed.certificate.min_distance < BARRIER.d_hat,
        "{:?}",
        record.observed.certificate
    );
    let fallen = ON_TOP.y + 0.05 - world.center_of_mass(0).y;
    assert!(fallen > 0.02 && fallen < 0.06, "{fallen} m, and freely {} m", h * h * 9.8);
}
