//! What can meet in the world: surfaces of bodies, obstacles, and the pairs that ignore each other.

use super::island_graph::IslandGraph;
use super::kinematic;
use resile_contact::neighbours::{Sweep, overlapping};
use resile_contact::{
    BarrierPotential, Collider, CollisionMesh, CollisionScene, Contact, Friction,
    FrictionPotential, Obstacles, PairTable, Role,
};
use resile_math::Aabb;
use resile_system::{Body, State, System, Vec3};
use resile_watch::Interrupt;
use std::sync::Arc;

/// Surfaces of all bodies and everything they may meet.
#[derive(Debug, Clone)]
pub struct Collisions {
    /// The surface of each body.
    pub surfaces: Vec<Arc<CollisionMesh>>,
    /// Whether each is solved for, or kinematic.
    pub roles: Vec<Role>,
    /// How far each reaches out of its surface (m): half the thickness of a sheet.
    pub half_thicknesses: Vec<f64>,
    /// What bodies collide with and that never moves.
    pub obstacles: Arc<Obstacles>,
    /// Which colliders meet; bodies come first, in the world's order.
    pub pairs: Arc<PairTable>,
    /// What keeps surfaces apart.
    pub barrier: BarrierPotential,
    /// Friction between them.
    pub friction: FrictionPotential,
    /// Acceleration of free fall (m/s^2), for guesses.
    pub gravity: Vec3,
}

impl Collisions {
    /// The colliders of a system that consists of these bodies, and the obstacles.
    pub fn scene(&self, bodies: &[usize], first_nodes: impl Fn(usize) -> usize) -> CollisionScene {
        let place = |(k, &b): (usize, &usize)| Collider {
            role: self.roles[b],
            mesh: self.surfaces[b].clone(),
            number: b,
            body: k,
            first_node: first_nodes(k),
            half_thickness: self.half_thicknesses[b],
        };
        let colliders = bodies.iter().enumerate().map(place).collect();
        CollisionScene::new(colliders, self.obstacles.clone(), self.pairs.clone())
    }

    /// Adds contact and friction to the system of an island, with searches that end when
    /// `interrupt` is raised.
    pub(super) fn couple(&self, system: System, bodies: &[usize], interrupt: &Interrupt) -> System {
        let scene = self.scene(bodies, |k| system.nodes(k).start);
        let scene = scene.with_interrupt(interrupt.clone());
        system
            .with_coupling(Contact::new(scene.clone(), self.barrier))
            .with_dissipation(Friction::new(scene, self.barrier, self.friction))
    }

    /// Where a body probably is during a step of `h`. A guess: a larger margin saves
    /// second solves and couples bodies that do not meet.
    pub(super) fn guess_sweep<'a>(&self, body: usize, state: &'a State, h: f64) -> Sweep<'a> {
        let then: Vec<Vec3> = (state.positions.iter().zip(&state.velocities))
            .map(|(x, v)| *x + h * (*v + h * self.gravity))
            .collect();
        let surface = &self.surfaces[body];
        let now = surface.points(&state.positions);
        let then = surface.points(&then).into_owned();
        Sweep::new(surface.clone(), now, then, self.margin(body))
    }

    /// Bodies whose surfaces, grown by this (m), are apart do not feel each other.
    fn margin(&self, body: usize) -> f64 {
        0.5 * self.barrier.d_hat + self.half_thicknesses[body]
    }

    /// Where a body has been, so that bodies that did not meet kept `d_hat` apart.
    pub(super) fn sweep<'a>(&self, body: usize, extent: &'a Extent) -> Sweep<'a> {
        Sweep::new(self.surfaces[body].clone(), &extent.low, &extent.high, self.margin(body))
    }

    /// Where a kinematic body is at these times, on the straight paths between any of
    /// them, and within `off` (m) of these paths.
    pub(super) fn kinematic_sweep(
        &self,
        number: usize,
        body: &Body,
        times: &[f64],
        off: f64,
    ) -> Sweep<'static> {
        let surface = self.surfaces[number].clone();
        let mut extent = Extent::at(surface, &kinematic::positions(body, times[0]));
        times[1..].iter().for_each(|&time| extent.add(&kinematic::positions(body, time)));
        let Extent { surface, low, high } = extent;
        Sweep::new(surface, low, high, self.margin(number) + off)
    }

    /// Joins bodies that may meet and do not ignore each other. A body without a
    /// sweep moved nowhere.
    pub(super) fn join_meeting(&self, sweeps: &[Option<Sweep<'_>>], graph: &mut IslandGraph) {
        let moving: Vec<(usize, &Sweep<'_>)> =
            sweeps.iter().enumerate().filter_map(|(b, sweep)| Some((b, sweep.as_ref()?))).collect();
        let hulls: Vec<Aabb> = moving.iter().map(|(_, sweep)| sweep.hull()).collect();
        // Which bodies are joined in the end does not depend on the order of pairs.
        overlapping(&hulls, |k, l| {
            let [(a, sweep), (b, other)] = [moving[k], moving[l]];
            let news = graph.lacks(a, b) && self.pairs.collide(a, b);
            if news && sweep.may_touch(other) {
                graph.join(a, b);
            }
        });
    }
}

/// The smallest and largest coordinates of each point of a surface over a motion (m).
#[derive(Debug, Clone)]
pub(super) struct Extent {
    surface: Arc<CollisionMesh>,
    low: Vec<Vec3>,
    high: Vec<Vec3>,
}

impl Extent {
    /// Of a body with nodes at rest.
    pub(super) fn at(surface: Arc<CollisionMesh>, nodes: &[Vec3]) -> Self {
        let points = surface.points(nodes).into_owned();
        Self { low: points.clone(), high: points, surface }
    }

    /// Takes in further positions of the nodes.
    pub(super) fn add(&mut self, nodes: &[Vec3]) {
        for (i, x) in self.surface.points(nodes).iter().enumerate() {
            self.low[i] = self.low[i].min(*x);
            self.high[i] = self.high[i].max(*x);
        }
    }
}
