//! Colliders of the world: surfaces of bodies, obstacles, and the collision filter.

use super::island_graph::IslandGraph;
use super::kinematic;
use super::settle::SlipOffset;
use resile_contact::neighbours::{Sweep, overlapping};
use resile_contact::{
    AdhesionPotential, BarrierPotential, Collider, CollisionFilter, CollisionMesh, CollisionScene,
    Contact, ContactDamping, Friction, FrictionPotential, Obstacles, PairTable, Role,
    RollingFriction, TangentialAdhesion,
};
use resile_math::Aabb;
use resile_system::{Body, State, System, Vec3};
use resile_watch::Interrupt;
use std::sync::Arc;

/// Surfaces of all bodies and obstacles, with their contact laws.
#[derive(Debug, Clone)]
pub struct Collisions {
    /// The surface of each body.
    pub surfaces: Vec<Arc<CollisionMesh>>,
    /// Whether each body is simulated or kinematic.
    pub roles: Vec<Role>,
    /// Half the thickness of each sheet (m); zero for others.
    pub half_thicknesses: Vec<f64>,
    /// Fixed obstacles.
    pub obstacles: Arc<Obstacles>,
    /// Collision filter of the colliders; bodies come first, in the order of the world.
    pub pairs: Arc<PairTable>,
    /// The barrier potential of contact.
    pub barrier: BarrierPotential,
    /// The adhesion, if there is any.
    pub adhesion: Option<Adhesion>,
    /// The friction potential.
    pub friction: FrictionPotential,
    /// Acceleration of free fall (m/s^2), for predicted sweeps.
    pub gravity: Vec3,
}

/// The adhesion of colliders.
#[derive(Debug, Clone)]
pub struct Adhesion {
    /// The adhesion potential.
    pub potential: AdhesionPotential,
    /// The resistance to slip, if there is any.
    pub tangential: Option<TangentialAdhesion>,
    /// The pairs of colliders that adhere.
    pairs: Arc<PairTable>,
}

impl Adhesion {
    /// The adhesion between all different colliders that collide according to `pairs`: surfaces do not stick to
    /// themselves, where corners and thin walls are nearer than the range.
    pub fn new(
        potential: AdhesionPotential,
        tangential: Option<TangentialAdhesion>,
        pairs: &PairTable,
    ) -> Self {
        let mut pairs = pairs.clone();
        pairs.set_self_filter(CollisionFilter::Ignored);
        Self { potential, tangential, pairs: Arc::new(pairs) }
    }
}

impl Collisions {
    /// The collision scene of a system of these bodies (indices in the world), with the obstacles. `first_nodes(k)` is
    /// the index in the system of the first node of its k-th body.
    pub fn scene(&self, bodies: &[usize], first_nodes: impl Fn(usize) -> usize) -> CollisionScene {
        self.scene_of_pairs(bodies, first_nodes, self.pairs.clone())
    }

    /// [`scene`](Self::scene) with other pairs.
    fn scene_of_pairs(
        &self,
        bodies: &[usize],
        first_nodes: impl Fn(usize) -> usize,
        pairs: Arc<PairTable>,
    ) -> CollisionScene {
        let collider = |(k, &b): (usize, &usize)| Collider {
            role: self.roles[b],
            mesh: self.surfaces[b].clone(),
            number: b,
            body: k,
            first_node: first_nodes(k),
            half_thickness: self.half_thicknesses[b],
        };
        let colliders = bodies.iter().enumerate().map(collider).collect();
        CollisionScene::new(colliders, self.obstacles.clone(), pairs)
    }

    /// Contact between the bodies of a system and with the obstacles.
    pub(super) fn contact(&self, system: &System, bodies: &[usize]) -> Contact {
        Contact::new(self.scene(bodies, |k| system.nodes(k).start), self.barrier)
    }

    /// Adhesion between the bodies of a system and to the obstacles, if there is any.
    pub(super) fn adhesion(&self, system: &System, bodies: &[usize]) -> Option<Contact> {
        let Adhesion { potential, pairs, .. } = self.adhesion.as_ref()?;
        let scene = self.scene_of_pairs(bodies, |k| system.nodes(k).start, pairs.clone());
        Some(Contact::adhesive(scene, *potential))
    }

    /// Tangential adhesion between the bodies of a system and to the obstacles, if there is any, with the slip speed
    /// (m/s) of `slip` and its velocities where slip is measured from other positions than the start of the step.
    fn tangential_adhesion(
        &self,
        system: &System,
        bodies: &[usize],
        slip: Option<&SlipOffset>,
        interrupt: &Interrupt,
    ) -> Option<Friction> {
        let Adhesion { potential, tangential, pairs } = self.adhesion.as_ref()?;
        let TangentialAdhesion { coefficient, slip_speed } = (*tangential)?;
        let scene = self.scene_of_pairs(bodies, |k| system.nodes(k).start, pairs.clone());
        let slip_speed = slip.map_or(slip_speed, |slip| slip.slip_speed);
        let law = TangentialAdhesion { coefficient, slip_speed };
        let bonds = Friction::adhesive(scene.with_interrupt(interrupt.clone()), *potential, law);
        Some(match slip {
            Some(slip) => bonds.with_offset(slip.velocities.clone()),
            None => bonds,
        })
    }

    /// Adds contact, adhesion, friction, contact damping and rolling friction to the system of an island in `state`, with
    /// searches that end when `interrupt` is raised.
    pub(super) fn couple(
        &self,
        system: System,
        state: &State,
        bodies: &[usize],
        interrupt: &Interrupt,
    ) -> System {
        let scene = self.scene(bodies, |k| system.nodes(k).start).with_interrupt(interrupt.clone());
        let slip = SlipOffset::new(state);
        let slip_speed = slip.as_ref().map_or(self.friction.slip_speed, |slip| slip.slip_speed);
        let law = FrictionPotential { slip_speed };
        let friction = Friction::new(scene.clone(), self.barrier, law);
        let bonds = self.tangential_adhesion(&system, bodies, slip.as_ref(), interrupt);
        let friction = match slip {
            Some(slip) => friction.with_offset(slip.velocities),
            None => friction,
        };
        let mut coupled = system.with_dissipation(friction);
        if let Some(bonds) = bonds {
            coupled = coupled.with_dissipation(bonds);
        }
        if self.pairs.has_contact_damping() {
            coupled = coupled.with_dissipation(ContactDamping::new(scene.clone(), self.barrier));
        }
        if self.pairs.has_rolling_friction() {
            let rolling = RollingFriction::new(scene.clone(), self.barrier, law);
            coupled = coupled.with_dissipation(rolling);
        }
        if let Some(adhesion) = self.adhesion(&coupled, bodies) {
            coupled = coupled.with_coupling(adhesion.with_interrupt(interrupt));
        }
        coupled.with_coupling(Contact::new(scene, self.barrier))
    }

    /// The sweep of a body that continues in free fall for a step of `h` (s). A larger margin would avoid repeated
    /// solves, but would couple more bodies that do not collide.
    pub(super) fn predicted_sweep<'a>(&self, body: usize, state: &'a State, h: f64) -> Sweep<'a> {
        let predicted_nodes: Vec<Vec3> = (state.positions.iter().zip(&state.velocities))
            .map(|(x, v)| *x + h * (*v + h * self.gravity))
            .collect();
        let surface = &self.surfaces[body];
        let current = surface.points(&state.positions);
        let predicted = surface.points(&predicted_nodes).into_owned();
        Sweep::new(surface.clone(), current, predicted, self.margin(body))
    }

    /// Offset (m) of surfaces: two bodies do not interact if their offset surfaces do not overlap.
    fn margin(&self, body: usize) -> f64 {
        0.5 * self.range() + self.half_thicknesses[body]
    }

    /// Gap (m) at and beyond which bodies exert no forces on each other.
    fn range(&self) -> f64 {
        let range = |adhesion: &Adhesion| adhesion.potential.range;
        self.adhesion.as_ref().map_or(0.0, range).max(self.barrier.d_hat)
    }

    /// The sweep of a body in a step with this `extent`. Bodies with disjoint sweeps had no forces on each other.
    pub(super) fn sweep<'a>(&self, body: usize, extent: &'a Extent) -> Sweep<'a> {
        Sweep::new(self.surfaces[body].clone(), &extent.low, &extent.high, self.margin(body))
    }

    /// The sweep of the kinematic `body` with this index over these times (s) and the straight paths between them,
    /// widened by a `deviation` (m) from these paths.
    pub(super) fn kinematic_sweep(
        &self,
        index: usize,
        body: &Body,
        times: &[f64],
        deviation: f64,
    ) -> Sweep<'static> {
        let surface = self.surfaces[index].clone();
        let mut extent = Extent::at_rest(surface, &kinematic::positions(body, times[0]));
        times[1..].iter().for_each(|&time| extent.add(&kinematic::positions(body, time)));
        let Extent { surface, low, high } = extent;
        Sweep::new(surface, low, high, self.margin(index) + deviation)
    }

    /// Joins the bodies of the `graph` whose sweeps overlap, except pairs that never collide. Bodies without a sweep
    /// are not joined with others.
    pub(super) fn join_overlapping(&self, sweeps: &[Option<Sweep<'_>>], graph: &mut IslandGraph) {
        let moving: Vec<(usize, &Sweep<'_>)> =
            sweeps.iter().enumerate().filter_map(|(b, sweep)| Some((b, sweep.as_ref()?))).collect();
        let hulls: Vec<Aabb> = moving.iter().map(|(_, sweep)| sweep.hull()).collect();
        // The result does not depend on the order of pairs.
        overlapping(&hulls, |k, l| {
            let [(a, sweep_a), (b, sweep_b)] = [moving[k], moving[l]];
            let is_new_pair = graph.is_unlinked(a, b) && self.pairs.collide(a, b);
            if is_new_pair && sweep_a.may_touch(sweep_b) {
                graph.join(a, b);
            }
        });
    }
}

/// Bounding boxes (m) of the points of a surface over a motion.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    surface: Arc<CollisionMesh>,
    /// Lower and upper corners of the boxes.
    low: Vec<Vec3>,
    high: Vec<Vec3>,
}

impl Extent {
    /// The extent of a body at rest.
    pub(super) fn at_rest(surface: Arc<CollisionMesh>, nodes: &[Vec3]) -> Self {
        let points = surface.points(nodes).into_owned();
        Self { low: points.clone(), high: points, surface }
    }

    /// Extends the boxes to further positions (m) of the nodes.
    pub(super) fn add(&mut self, nodes: &[Vec3]) {
        for (i, x) in self.surface.points(nodes).iter().enumerate() {
            self.low[i] = self.low[i].min(*x);
            self.high[i] = self.high[i].max(*x);
        }
    }
}
