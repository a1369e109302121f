//! A step that is interrupted anywhere leaves the world as it was, and is taken again to the bit.

use resile_contact::{
    Barrier, BarrierPotential, CollisionMesh, FrictionPotential, Obstacles, PairTable, Plane, Role,
};
use resile_energy::{ElastoPlastic, Gravity, Lame, Material, TetElasticity, VonMises};
use resile_integrators::{
    ASearch, Adaptive, Bdf2, Blend, FRICTION_ROUNDS, ImplicitEuler, Integrator, Measure, Newmark,
    RungeKutta, Theta,
};
use resile_math::Vec3;
use resile_mesh::generate::BoxGrid;
use resile_solver::NewtonSettings;
use resile_system::{Body, Energy, Hessian, Path, Psd, State};
use resile_watch::{Activity, Cause, Interrupt};
use resile_world::{Collisions, Settling, StepFailure, World, WorldSettings};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const H: f64 = 1.0 / 120.0;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// Raises an interrupt when it is asked for the last time that is left.
#[derive(Clone)]
struct Fuse {
    interrupt: Interrupt,
    left: Arc<AtomicUsize>,
}

impl Fuse {
    fn burn(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.interrupt.raise(Cause::Asked);
        }
    }
}

impl Energy for Fuse {
    fn name(&self) -> &'static str {
        "fuse"
    }
    fn value(&self, _time: f64, _: &[Vec3]) -> f64 {
        self.burn();
        0.0
    }
    fn add_gradient(&self, _time: f64, _: &[Vec3], _: f64, _: &mut [Vec3]) {
        self.burn();
    }
    fn add_hessian(&self, _time: f64, _: &[Vec3], _: Psd, _: &mut Hessian<'_>) {
        self.burn();
    }
    fn step_bound(&self, _: &[Path<'_>]) -> f64 {
        self.burn();
        1.0
    }
}

/// A cube of clay that falls onto one of rubber, which lies on a floor.
struct Trial {
    world: World,
    fuse: Fuse,
}

impl Trial {
    fn new(Method { integrator, adaptive, height }: Method) -> Self {
        let interrupt = Interrupt::new();
        let fuse = Fuse { interrupt: interrupt.clone(), left: Arc::new(usize::MAX.into()) };
        let grid = BoxGrid { cells: [2, 2, 2], size: Vec3::splat(0.1) };
        let mesh = grid.build().expect("it is a box");
        let lame = Lame::from_young_poisson(1e5, 0.3).expect("it is a material");
        let flow = VonMises::new(1.5e3, 1e4).expect("it is a flow");
        let [rubber, clay] =
            [Material::NeoHookean(lame), Material::ElastoPlastic(ElastoPlastic { lame, flow })];
        let cube = |name: &str, material: Material, height: f64, speed: f64| {
            let masses = mesh.node_masses(1000.0);
            let elastic = TetElasticity::new(&mesh.positions, &mesh.tets, material);
            let body = Body::new(name, masses.clone())
                .with(elastic.expect("it is a mesh"))
                .with(Gravity::new(masses, GRAVITY))
                .with(fuse.clone());
            let x: Vec<Vec3> = mesh.positions.iter().map(|x| *x + Vec3::Y * height).collect();
            let v = vec![Vec3::new(0.3, -speed, 0.0); x.len()];
            (body, State::new(0.0, x, v))
        };
        let surface = CollisionMesh::new(&mesh.positions, &mesh.surface().triangles);
        let surface = Arc::new(surface.expect("it is a surface"));
        let mut pairs = PairTable::new(3);
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            pairs.set_friction(a, b, 0.5);
        }
        let floor = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 2 };
        let collisions = Collisions {
            surfaces: vec![surface; 2],
            roles: vec![Role::Simulated; 2],
            half_thicknesses: vec![0.0; 2],
            obstacles: Arc::new(Obstacles::new(vec![floor], Vec::new()).expect("it is a plane")),
            pairs: Arc::new(pairs),
            barrier: BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 1e-3, kappa: 1e6 },
            adhesion: None,
            friction: FrictionPotential { slip_speed: 1e-3 },
            gravity: GRAVITY,
        };
        let settings = WorldSettings {
            tolerance: 1e-3,
            friction_rounds: FRICTION_ROUNDS,
            dirichlet_tolerance: 0.0,
            method: NewtonSettings::default().into(),
            max_halvings: 6,
            adaptive,
        };
        let bodies = vec![
            cube("lower", rubber, height + 0.05, 0.0),
            cube("upper", clay, 0.15 + 14.0 * height, 1.0),
        ];
        let mut world = World::new(bodies, Some(collisions), integrator, settings);
        world.watch(interrupt, Activity::new());
        Self { world, fuse }
    }

    /// States, and what is felt in them. `Debug` shows every bit of a number.
    fn states(&self) -> String {
        let bodies = 0..self.world.body_count();
        let states = bodies.map(|b| (self.world.state(b), self.world.stress(b)));
        format!("{:?}", states.collect::<Vec<_>>())
    }

    fn step(&mut self, number: u32) -> Result<(), StepFailure> {
        self.world.step(H, f64::from(number) * H).map(drop)
    }

    /// Takes a step that is interrupted at the evaluation `left`; says whether it was, and if so
    /// takes it again.
    fn step_with_interruption(&mut self, number: u32, left: usize) -> bool {
        let before = self.states();
        self.fuse.left.store(left, Ordering::SeqCst);
        let result = self.step(number);
        let after = 0_usize.wrapping_sub(self.fuse.left.swap(usize::MAX, Ordering::SeqCst));
        let interrupted = match result {
            Ok(()) => return false,
            Err(StepFailure::Interrupted { cause: Cause::Asked, bodies, .. }) => bodies,
            Err(other) => panic!("{other}"),
        };
        assert!(!interrupted.is_empty());
        assert!(after < 200, "{after} evaluations after {left}");
        assert_eq!(self.states(), before);
        self.fuse.interrupt.lower(Cause::Asked);
        self.step(number).unwrap_or_else(|failure| panic!("{failure}"));
        true
    }
}

/// A method, and how high over the floor its lower cube begins (m).
struct Method {
    integrator: Box<dyn Integrator>,
    adaptive: Option<Adaptive>,
    height: f64,
}

fn methods() -> Vec<Method> {
    let adaptive = Adaptive { measure: Measure::Doubling, error: 1e-3, shortest: H / 1024.0 };
    let implicit: [(Box<dyn Integrator>, _); 6] = [
        (Box::new(ASearch::default()), None),
        (Box::new(ImplicitEuler), Some(adaptive)),
        (Box::new(Bdf2), None),
        (Box::new(Theta::MIDPOINT), None),
        (Box::new(Newmark { beta: 0.25, gamma: 0.5 }), None),
        (Box::new(Blend::default()), None),
    ];
    let near = |(integrator, adaptive)| Method { integrator, adaptive, height: 5e-4 };
    // A barrier is too stiff for explicit steps of this length, so that these fly.
    let verlet = Box::new(RungeKutta::verlet());
    let flies = Method { integrator: verlet, adaptive: Some(adaptive), height: 0.1 };
    implicit.into_iter().map(near).chain([flies]).collect()
}

fn interrupted_anywhere(method: usize) {
    const STEPS: u32 = 4;
    let begin = || Trial::new(methods().swap_remove(method));
    let mut uninterrupted = begin();
    (1..=STEPS).for_each(|n| uninterrupted.step(n).unwrap_or_else(|failure| panic!("{failure}")));
    let flies = method == 6;
    let strain = (0..27).filter_map(|node| uninterrupted.world.stress(1).plastic_strain(node));
    assert_eq!(strain.fold(0.0, f64::max) > 0.0, !flies, "the clay flows where it hits");
    let mut interrupted = 0;
    for left in [1, 2, 3, 5, 13, 34, 89, 233, 610] {
        let mut trial = begin();
        for n in 1..=STEPS {
            interrupted += u32::from(trial.step_with_interruption(n, left));
        }
        assert_eq!(trial.states(), uninterrupted.states(), "interrupted after {left}");
    }
    assert!(interrupted > 3 * STEPS, "{interrupted}");
}

/// Wherever it is interrupted, a step is taken again to the bit.
macro_rules! a_step_is_taken_again_to_the_bit {
    ($($name:ident: $method:literal,)*) => { mod a_step_is_taken_again_to_the_bit {$(
        #[test]
        fn $name() {
            super::interrupted_anywhere($method);
        }
    )*} };
}

a_step_is_taken_again_to_the_bit! {
    by_a_search: 0,
    by_adaptive_implicit_euler: 1,
    by_bdf2: 2,
    by_implicit_midpoint: 3,
    by_newmark: 4,
    by_blending: 5,
    by_adaptive_verlet: 6,
}

#[test]
fn interrupted_settling_reaches_the_same_equilibrium() {
    let settle = |left: Option<usize>| {
        let mut trial = Trial::new(methods().swap_remove(0));
        let mut settling = Settling::new(&mut trial.world, H);
        loop {
            if let Some(left) = left {
                trial.fuse.left.store(left, Ordering::SeqCst);
            }
            match settling.advance(&mut trial.world) {
                Ok(step) if step.settled.is_some() => return trial.states(),
                Ok(_) => {}
                Err(failure) => {
                    assert!(failure.to_string().contains("asked to stop"), "{failure}");
                    trial.fuse.left.store(usize::MAX, Ordering::SeqCst);
                    trial.fuse.interrupt.lower(Cause::Asked);
                    let step = settling.advance(&mut trial.world);
                    if step.unwrap_or_else(|failure| panic!("{failure}")).settled.is_some() {
                        return trial.states();
                    }
                }
            }
        }
    };
    let uninterrupted = settle(None);
    for left in [7, 40] {
        assert_eq!(settle(Some(left)), uninterrupted);
    }
}
