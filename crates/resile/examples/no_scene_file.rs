//! Two cubes of rubber fall onto a floor, one upon the other, without a scene file.
//!
//! `cargo run --release -p resile --example no_scene_file`
//!
//! A world is bodies with their states, what they collide with, and a method. A step takes all of
//! it on, island by island.

#![allow(clippy::print_stdout, reason = "an example shows what it did")]

use resile::contact::{
    Barrier, BarrierPotential, CollisionMesh, FrictionPotential, Obstacles, PairTable, Plane, Role,
};
use resile::energy::{Gravity, Lame, Material, TetElasticity};
use resile::integrators::{ASearch, FRICTION_ROUNDS};
use resile::mesh::generate::BoxGrid;
use resile::solver::Method;
use resile::system::{Body, State, Vec3};
use resile::world::{Collisions, World, WorldSettings};
use std::error::Error;
use std::sync::Arc;

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);
/// The time step (s).
const STEP: f64 = 1.0 / 120.0;

/// A body with its state, and its surface as contact sees it.
type Placed = ((Body, State), Arc<CollisionMesh>);

/// A cube with its centre at this height (m), at rest, and its surface.
fn cube(name: &str, height: f64) -> Result<Placed, Box<dyn Error>> {
    let mesh = BoxGrid { cells: [2, 2, 2], size: Vec3::splat(0.1) }.build()?;
    let rubber = Material::NeoHookean(Lame::from_young_poisson(1e5, 0.3)?);
    let masses = mesh.node_masses(1000.0);
    let body = Body::new(name, masses.clone())
        .with(TetElasticity::new(&mesh.positions, &mesh.tets, rubber)?)
        .with(Gravity::new(masses, GRAVITY));
    let surface = CollisionMesh::new(&mesh.positions, &mesh.surface().triangles)?;
    let x: Vec<Vec3> = mesh.positions.iter().map(|x| *x + Vec3::Y * height).collect();
    let state = State::new(0.0, x, vec![Vec3::ZERO; mesh.positions.len()]);
    Ok(((body, state), Arc::new(surface)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (lower, lower_surface) = cube("lower", 0.1)?;
    let (upper, upper_surface) = cube("upper", 0.25)?;

    // Colliders are numbered: the bodies first, then the floor.
    let mut pairs = PairTable::new(3);
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        pairs.set_friction(a, b, 0.5);
    }
    let floor = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 2 };
    let collisions = Collisions {
        surfaces: vec![lower_surface, upper_surface],
        roles: vec![Role::Simulated; 2],
        half_thicknesses: vec![0.0; 2],
        obstacles: Arc::new(Obstacles::new(vec![floor], Vec::new())?),
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
        method: Method::default(),
        max_halvings: 4,
        adaptive: None,
    };
    let bodies = vec![lower, upper];
    let mut world = World::new(bodies, Some(collisions), Box::new(ASearch::default()), settings);

    println!("time (s), heights of the centres (m), smallest distance (m)");
    for n in 1..=60 {
        let record = world.step(STEP, f64::from(n) * STEP)?;
        if n % 6 == 0 {
            let [lower, upper] = [0, 1].map(|body| world.center_of_mass(body).y);
            let distance = record.observed.certificate.min_distance;
            println!("{:.3} {lower:.4} {upper:.4} {distance:.1e}", f64::from(n) * STEP);
        }
    }
    assert!(world.intersections(1).is_empty());
    Ok(())
}
