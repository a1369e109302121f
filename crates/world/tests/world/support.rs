//! Tetrahedra and worlds of them.

use resile_contact::{
    Barrier, BarrierPotential, CollisionMesh, FrictionPotential, Obstacles, PairTable, Plane, Role,
};
use resile_energy::{Gravity, Lame, Material, TetElasticity};
use resile_integrators::{FRICTION_ROUNDS, ImplicitEuler, Integrator};
use resile_solver::NewtonSettings;
use resile_system::{Body, Held, Motion, Prescribed, State, Vec3};
use resile_world::{Collisions, StepRecord, World, WorldSettings};
use std::sync::Arc;

/// A time step (s).
pub(crate) const H: f64 = 0.01;

/// The edge of a tetrahedron along the axes (m).
pub(crate) const EDGE: f64 = 0.1;

/// The mass of a body (kg).
pub(crate) const MASS: f64 = 0.4;

const CORNERS: [Vec3; 4] =
    [Vec3::ZERO, Vec3::new(EDGE, 0.0, 0.0), Vec3::new(0.0, EDGE, 0.0), Vec3::new(0.0, 0.0, EDGE)];

const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// A body, its state and its surface.
pub(crate) type Part = (Body, State, Arc<CollisionMesh>);

/// A rubber tetrahedron with its right angle at `corner`, moving at `velocity` (m/s), under an acceleration `gravity` (m/s^2).
pub(crate) fn tetrahedron(name: &str, corner: Vec3, velocity: Vec3, gravity: Vec3) -> Part {
    let x = CORNERS.map(|x| x + corner).to_vec();
    let rubber = Material::NeoHookean(Lame::from_young_poisson(1e5, 0.3).expect("a material"));
    let masses = vec![MASS / 4.0; 4];
    let elastic = TetElasticity::new(&x, &[[0, 1, 2, 3]], rubber).expect("a mesh");
    let body = Body::new(name, masses.clone()).with(elastic).with(Gravity::new(masses, gravity));
    let surface = Arc::new(CollisionMesh::new(&x, &FACES).expect("a surface"));
    (body, State::new(0.0, x, vec![velocity; 4]), surface)
}

/// A tetrahedron of which every node moves at `velocity` (m/s) from time zero on.
pub(crate) fn pusher(name: &str, corner: Vec3, velocity: Vec3) -> Part {
    let (_, state, surface) = tetrahedron(name, corner, velocity, Vec3::ZERO);
    let motion = Motion::Steady {
        start: 0.0,
        end: 1e3,
        velocity,
        angular_velocity: Vec3::ZERO,
        pivot: Vec3::ZERO,
    };
    let prescribed = |(node, &start): (usize, &Vec3)| Prescribed {
        node,
        start,
        motion: motion.clone(),
        until: None,
        held: Held::All,
    };
    let mut body = Body::new(name, vec![0.0; 4]);
    body.prescribed = state.positions.iter().enumerate().map(prescribed).collect();
    (body, state, surface)
}

/// How a world is made.
pub(crate) struct Setup {
    pub(crate) integrator: Box<dyn Integrator>,
    /// What guesses of where bodies go expect (m/s^2).
    pub(crate) expected: Vec3,
    pub(crate) halvings: u32,
    pub(crate) friction: f64,
    /// Whether there is a floor at height zero.
    pub(crate) floor: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let integrator = Box::new(ImplicitEuler);
        Self { integrator, expected: Vec3::ZERO, halvings: 4, friction: 0.0, floor: false }
    }
}

impl Setup {
    pub(crate) fn world(self, parts: Vec<Part>) -> World {
        let bodies = parts.len();
        let mut pairs = PairTable::new(bodies + 1);
        for a in 0..bodies {
            (0..=bodies).for_each(|b| pairs.set_friction(a, b, self.friction));
        }
        let role = |part: &Part| match part.0.is_kinematic() {
            true => Role::Kinematic,
            false => Role::Simulated,
        };
        let floor = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: bodies };
        let planes = if self.floor { vec![floor] } else { Vec::new() };
        let collisions = Collisions {
            surfaces: parts.iter().map(|part| part.2.clone()).collect(),
            roles: parts.iter().map(role).collect(),
            half_thicknesses: vec![0.0; bodies],
            obstacles: Arc::new(Obstacles::new(planes, Vec::new()).expect("planes")),
            pairs: Arc::new(pairs),
            barrier: BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 1e-3, kappa: 1e6 },
            adhesion: None,
            friction: FrictionPotential { slip_speed: 1e-3 },
            gravity: self.expected,
        };
        let settings = WorldSettings {
            tolerance: 1e-6,
            friction_rounds: FRICTION_ROUNDS,
            dirichlet_tolerance: 0.0,
            method: NewtonSettings::default().into(),
            max_halvings: self.halvings,
            adaptive: None,
        };
        let bodies = parts.into_iter().map(|(body, state, _)| (body, state)).collect();
        World::new(bodies, Some(collisions), self.integrator, settings)
    }
}

/// Takes the step of this number, from 1.
pub(crate) fn step(world: &mut World, number: u32) -> StepRecord {
    let result = world.step(H, f64::from(number) * H);
    result.unwrap_or_else(|failure| panic!("step {number}: {failure}"))
}

/// The state of a body; `Debug` shows every bit of a number.
pub(crate) fn bits(world: &World, body: usize) -> String {
    format!("{:?}", world.state(body))
}

/// Those of all bodies.
pub(crate) fn all_bits(world: &World) -> Vec<String> {
    (0..world.body_count()).map(|body| bits(world, body)).collect()
}
