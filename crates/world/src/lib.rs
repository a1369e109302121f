#![doc = include_str!("../README.md")]
//! # Design
//!
//! The world: all bodies, advanced island by island.
//!
//! A [`World`] holds each body with its state. In each step it predicts which bodies may collide, joins those in
//! one system (an *island*), and advances the islands in parallel. If the sweeps of two islands are closer than
//! `d_hat` after the step, their results are discarded and both are solved again as one island. The result of an
//! island therefore depends only on its own bodies: the motion of a body is bitwise the same with or without
//! distant bodies, and for any number of threads.
//!
//! A body with prescribed motion of all nodes and without terms is a moving obstacle. It joins no islands: each island
//! that may collide with it has a copy.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod arcs;
mod collide;
mod control;
mod force_balance;
mod hand;
mod intact;
mod island;
mod island_graph;
mod kinematic;
mod modes;
mod momenta;
mod observe;
mod release;
mod retry;
mod settle;
mod standby;
mod step;
mod trace;

pub use arcs::TooFast;
pub use collide::{Adhesion, Collisions};
pub use control::ControlError;
pub use force_balance::ForceBalance;
pub use hand::{Hand, HandError};
pub use momenta::Momenta;
pub use observe::{BodyEnergies, Observed, StepRecord};
pub use resile_integrators::UnsupportedMotion;
pub use retry::{Retried, Retry};
use settle::SlipOffset;
pub use settle::{LoadStep, SettleFailure, Settled, Settling, SettlingStep};
pub use step::{NodePlace, StepFailure};
pub use trace::TracedIsland;

use arcs::PrescribedMotions;
use control::Controls;
use hand::PulledPoint;
use island::{JointList, Solvers};
use resile_contact::{
    CollisionScene, ContactForces, Intersection, PairForces, Role, intersections,
};
use resile_energy::JointShape;
use resile_integrators::{
    Adaptive, Integrator, VelocityTime, balanced_velocities, slip_dissipation,
};
use resile_solver::Method;
use resile_system::{Body, Energy, NodalStress, State, System, Vec3};
use resile_watch::{Activity, Interrupt};
use std::sync::Arc;

/// Tolerance of the velocities for reported forces of friction, relative to the slip speed.
const REPORT_TOLERANCE: f64 = 1e-4;

/// A body with its state.
#[derive(Debug)]
struct WorldBody {
    /// The body; its terms need not have the history variables of the state.
    body: Body,
    /// The state at the time of the world.
    state: State,
    /// Whether the body is simulated or kinematic.
    role: Role,
    /// The prescribed motions of the body, if it can collide.
    prescribed: PrescribedMotions,
}

impl WorldBody {
    /// The energies of the body with the history variables of its state.
    fn energies(&self) -> Vec<Arc<dyn Energy>> {
        self.body.energies_with(self.state.internal.of(0), self.state.time)
    }
}

/// Numerical settings of a world.
#[derive(Debug, Clone, Copy)]
pub struct WorldSettings {
    /// Newton's method stops when its step, as a velocity, is below this (m/s).
    pub tolerance: f64,
    /// Maximum number of repeated solves of a step with the normal forces of friction at its end.
    pub friction_rounds: u32,
    /// Largest distance of blocked prescribed nodes from their targets, relative to their displacement in a substep
    /// ([`StageSolver::dirichlet_tolerance`](resile_integrators::StageSolver::dirichlet_tolerance)).
    pub dirichlet_tolerance: f64,
    /// Newton and its linear solver.
    pub method: Method,
    /// Maximum number of halvings of a failed step.
    pub max_halvings: u32,
    /// Adaptive substeps.
    pub adaptive: Option<Adaptive>,
}

/// All bodies, and their time integration.
pub struct World {
    /// All bodies, by their indices in the world.
    members: Vec<WorldBody>,
    /// Colliders and contact laws; `None` without contact.
    collisions: Option<Collisions>,
    joints: JointList,
    integrator: Box<dyn Integrator>,
    settings: WorldSettings,
    solvers: Solvers,
    /// Interrupts a step.
    interrupt: Interrupt,
    /// Progress of a step.
    activity: Activity,
    /// The point that is pulled interactively.
    pulled_point: Option<PulledPoint>,
    /// Motions and forces set between steps.
    controls: Controls,
    /// Solved islands, if tracing is on.
    trace: Option<Vec<TracedIsland>>,
}

/// A joint between two bodies of the world; they are always solved together.
#[derive(Debug, Clone)]
pub struct WorldJoint {
    /// The joint.
    pub shape: Arc<JointShape>,
    /// Indices of the bodies in the world.
    pub bodies: [usize; 2],
}

/// Contact forces by pair of bodies, with their points of application.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldForces {
    /// Forces by pair of colliders: bodies are numbered as in the world, obstacles follow as in the table of pairs.
    pub pairs: Vec<PairForces>,
    /// Forces by body.
    pub bodies: Vec<BodyForces>,
}

/// Contact forces on the points of a body's surface, in its point numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyForces {
    /// Barrier force (N).
    pub normal: Vec<Vec3>,
    /// Friction force (N).
    pub friction: Vec<Vec3>,
}

impl World {
    /// A world of bodies with their states, all at one time. Bodies that may collide in a step are solved together; all
    /// bodies are if the integrator controls the energy of the [scene](resile_integrators::Scope::Scene).
    pub fn new(
        bodies: Vec<(Body, State)>,
        collisions: Option<Collisions>,
        integrator: Box<dyn Integrator>,
        settings: WorldSettings,
    ) -> Self {
        let world_body = |(b, (body, state)): (usize, (Body, State))| {
            let role = if body.is_kinematic() { Role::Kinematic } else { Role::Simulated };
            let surface = collisions.as_ref().map(|collisions| &collisions.surfaces[b]);
            let prescribed = surface.map_or_else(PrescribedMotions::default, |surface| {
                PrescribedMotions::new(&body, surface)
            });
            let mut member = WorldBody { body, state, role, prescribed };
            // Releases before the start need no accounting.
            member.release(b, collisions.as_ref());
            member
        };
        let members = bodies.into_iter().enumerate().map(world_body).collect();
        let (interrupt, activity) = (Interrupt::new(), Activity::unobserved());
        let solvers = Solvers::new(&settings, &interrupt);
        Self {
            members,
            collisions,
            joints: JointList::default(),
            integrator,
            settings,
            solvers,
            interrupt,
            activity,
            pulled_point: None,
            controls: Controls::default(),
            trace: None,
        }
    }

    /// Makes steps end when `interrupt` is raised, and list in `activity` the islands that are being solved.
    pub fn watch(&mut self, interrupt: Interrupt, activity: Activity) {
        self.solvers = Solvers::new(&self.settings, &interrupt);
        (self.interrupt, self.activity) = (interrupt, activity);
    }

    /// The world with joints between its bodies.
    #[must_use]
    pub fn with_joints(self, joints: Vec<WorldJoint>) -> Self {
        Self { joints: JointList::new(joints), ..self }
    }

    /// The world with another integrator, such as one from outside the workspace.
    #[must_use]
    pub fn with_integrator(self, integrator: Box<dyn Integrator>) -> Self {
        Self { integrator, ..self }
    }

    /// The two bodies of each joint and tie.
    pub fn joined_bodies(&self) -> impl Iterator<Item = [usize; 2]> {
        self.joints.iter().map(|joint| joint.bodies)
    }

    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.members.len()
    }

    /// Name of a body.
    pub fn name(&self, body: usize) -> &str {
        &self.members[body].body.name
    }

    /// The method of time integration.
    pub fn integrator(&self) -> &dyn Integrator {
        &*self.integrator
    }

    /// The state of a body.
    pub fn state(&self, body: usize) -> &State {
        &self.members[body].state
    }

    /// Whether these internal variables are admissible for a body.
    pub fn admits_internal(&self, body: usize, variables: &[f64]) -> bool {
        self.members[body].body.admits_internal(variables)
    }

    /// Replaces the state of a body, as on resuming a run. Nodes whose support has ended by then are free.
    ///
    /// # Panics
    /// If the number of nodes differs.
    pub fn set_state(&mut self, body: usize, state: State) {
        assert_eq!(state.positions.len(), self.members[body].state.positions.len(), "same nodes");
        self.members[body].state = state;
        if self.members[body].release(body, self.collisions.as_ref()).is_some() {
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
        }
    }

    /// Names of all energy terms, each once: those of bodies in the order of bodies, then those between bodies in the
    /// order of [`observe`](Self::observe). The names do not depend on the present contacts. Costs an observation of
    /// all bodies.
    pub fn term_names(&self) -> Vec<String> {
        let body_energies = self.members.iter().flat_map(|member| &member.body.energies);
        let body_term_names = body_energies.map(|energy| energy.name().to_owned());
        let observed_names = self.observe().terms.into_iter().map(|(name, _)| name);
        let mut names: Vec<String> = body_term_names.chain(observed_names).collect();
        let mut seen_names = std::collections::BTreeSet::new();
        names.retain(|name| seen_names.insert(name.clone()));
        names
    }

    /// The first `limit` intersections of surfaces, by a test of the present positions alone. Empty for an
    /// admissible state.
    pub fn intersections(&self, limit: usize) -> Vec<Intersection> {
        let Some(scene) = self.collision_scene() else { return Vec::new() };
        intersections(&scene, &self.concatenated(|state| &state.positions), limit)
    }

    /// Contact forces in the present state; `None` without contact. Friction, including static friction, is that of a
    /// step of `h` (s) from the present state, or, after a load step, that of the equilibrium. Costs a search of the
    /// whole scene, O(n log n), and a solve for the velocities under friction.
    pub fn contact_forces(&self, h: f64) -> Option<WorldForces> {
        let mut law = self.collisions.as_ref()?.friction;
        let v = match SlipOffset::new(&State::join(self.members.iter().map(|m| &m.state))) {
            Some(slip) => {
                law.slip_speed = slip.slip_speed;
                slip.velocities
            }
            None => self.balanced_velocities(h, REPORT_TOLERANCE * law.slip_speed),
        };
        let (collisions, scene) = (self.collisions.as_ref()?, self.collision_scene()?);
        let x = self.concatenated(|state| &state.positions);
        let ContactForces { pairs, normal, friction } =
            ContactForces::new(&scene, &collisions.barrier, &law, &x, &v);
        let body_forces = |body| {
            let points = ContactForces::points_of(&scene, body);
            let on_points = |forces: &[Vec3]| forces[points.clone()].to_vec();
            BodyForces { normal: on_points(&normal), friction: on_points(&friction) }
        };
        Some(WorldForces { pairs, bodies: (0..self.members.len()).map(body_forces).collect() })
    }

    /// Normal forces of all pairs of colliders in contact in the present state, without friction; none without contact.
    /// Colliders are numbered as in [`WorldForces`]. Costs a search of the whole scene, O(n log n).
    pub fn normal_forces(&self) -> Vec<PairForces> {
        let (Some(collisions), Some(scene)) = (&self.collisions, self.collision_scene()) else {
            return Vec::new();
        };
        let x = self.concatenated(|state| &state.positions);
        let at_rest = vec![Vec3::ZERO; x.len()];
        ContactForces::new(&scene, &collisions.barrier, &collisions.friction, &x, &at_rest).pairs
    }

    /// The velocities (m/s) of all nodes at which friction balances the other forces over `h` (s), with this tolerance
    /// (m/s).
    fn balanced_velocities(&self, h: f64, tolerance: f64) -> Vec<Vec3> {
        let at = self.velocity_time(h);
        let of_kinematic_body = |member: &WorldBody| match member.role {
            Role::Simulated => member.state.velocities.clone(),
            Role::Kinematic => {
                let mut system = System::new(vec![kinematic::without_terms(&member.body)]);
                balanced_velocities(&mut system, &member.state, h, tolerance, at)
            }
        };
        let by_body = self.map_islands(of_kinematic_body, |mut system, state| {
            let v = balanced_velocities(&mut system, state, h, tolerance, at);
            (0..system.bodies().len()).map(|k| v[system.nodes(k)].to_vec()).collect()
        });
        by_body.concat()
    }

    /// The time to which the velocities of bodies belong after a step of `h` (s), at which the slip on all supports
    /// dissipates least.
    fn velocity_time(&self, h: f64) -> VelocityTime {
        let (mut at_middle, mut at_end) = (0.0, 0.0);
        self.for_each_island(|_, system, state| {
            at_middle += slip_dissipation(&system, state, h, VelocityTime::Middle);
            at_end += slip_dissipation(&system, state, h, VelocityTime::End);
        });
        if at_end < at_middle { VelocityTime::End } else { VelocityTime::Middle }
    }

    /// The present stress in a body, by node.
    pub fn stress(&self, body: usize) -> NodalStress {
        let member = &self.members[body];
        let mut stress = NodalStress::new(member.body.node_count());
        let x = &member.state.positions;
        member.energies().iter().for_each(|energy| energy.add_stress(x, &mut stress));
        stress
    }

    /// The present stress by node in each material of a body, that is, in each term whose elements have volume. Scenes
    /// make such a term for each material of `group_materials`. Terms without volume (overlays: the branches of a Prony
    /// series, the slider of kinematic hardening) add to the last term with volume before them.
    pub fn stresses(&self, body: usize) -> Vec<NodalStress> {
        let member = &self.members[body];
        let mut stresses: Vec<NodalStress> = Vec::new();
        for energy in member.energies() {
            let mut stress_of_term = NodalStress::new(member.body.node_count());
            energy.add_stress(&member.state.positions, &mut stress_of_term);
            match stresses.last_mut() {
                Some(last_stress) if stress_of_term.is_empty() => {
                    last_stress.merge(&stress_of_term);
                }
                _ if stress_of_term.is_empty() => {}
                _ => stresses.push(stress_of_term),
            }
        }
        stresses
    }

    /// The forces (N) of all terms on the nodes of each body in the present state, with friction as at the start of
    /// a step. The force on a free node is its mass times its acceleration; the force on a held node is carried by
    /// the support. Fully prescribed bodies have zero forces.
    pub fn net_forces(&self) -> Vec<Vec<Vec3>> {
        let zero_forces = |member: &WorldBody| vec![Vec3::ZERO; member.body.node_count()];
        self.map_islands(zero_forces, island::net_forces)
    }

    /// The accelerations (m/s^2) of the nodes of each body by the [forces](Self::net_forces); zero in prescribed
    /// directions.
    pub fn accelerations(&self) -> Vec<Vec<Vec3>> {
        let body_accelerations = |(member, forces): (&WorldBody, Vec<Vec3>)| {
            let Body { masses, prescribed, .. } = &member.body;
            let mut accelerations: Vec<Vec3> =
                forces.into_iter().zip(masses).map(|(force, mass)| force / *mass).collect();
            for hold in prescribed.iter() {
                accelerations[hold.node] = hold.held.rest(accelerations[hold.node]);
            }
            accelerations
        };
        self.members.iter().zip(self.net_forces()).map(body_accelerations).collect()
    }

    /// All bodies as one collision scene with consecutive nodes.
    fn collision_scene(&self) -> Option<CollisionScene> {
        let end_nodes = self.members.iter().scan(0, |end, member| {
            *end += member.state.positions.len();
            Some(*end)
        });
        let first_nodes: Vec<usize> = std::iter::once(0).chain(end_nodes).collect();
        let bodies: Vec<usize> = (0..self.members.len()).collect();
        Some(self.collisions.as_ref()?.scene(&bodies, |k| first_nodes[k]))
    }

    /// A nodal field of the states of all bodies, in the order of bodies.
    fn concatenated(&self, field: impl Fn(&State) -> &[Vec3]) -> Vec<Vec3> {
        self.members.iter().flat_map(|member| field(&member.state)).copied().collect()
    }

    /// Total mass (kg).
    pub fn mass(&self) -> f64 {
        self.members.iter().flat_map(|m| &m.body.masses).sum()
    }

    /// Masses (kg) of the nodes of a body.
    pub fn masses(&self, body: usize) -> &[f64] {
        &self.members[body].body.masses
    }

    /// Whether a body is a moving obstacle.
    pub fn is_kinematic(&self, body: usize) -> bool {
        self.members[body].role == Role::Kinematic
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("bodies", &self.members.len())
            .field("integrator", &self.integrator.name())
            .finish_non_exhaustive()
    }
}
