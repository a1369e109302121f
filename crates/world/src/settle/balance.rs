//! Residual force and time scale of a settling world.
//!
//! A step of implicit Euler from rest ends where
//!
//! ```text
//! m (u - x) / h^2 = -grad P(u) - dD/dv,
//! ```
//!
//! so the left-hand side, the force of inertia, is the residual of the balance of forces. The equilibrium does not
//! depend on the density, and the search for it should not either. The initial forces cause a motion with the time
//! scale `1 / omega`, where
//!
//! ```text
//! omega^2 = a . H a / (a . m a),   a = -m^-1 grad P(x),   H = d2P/dx2,
//! ```
//!
//! (Rayleigh quotient). Steps that are multiples of this time scale give the same displacements for any density.

use super::{World, WorldBody};
use resile_contact::Role;
use resile_system::{Body, Energy, State, Vec3};
use std::sync::Arc;

/// The first step in units of `1 / omega`. A step of implicit Euler leaves `1 / (1 + (omega h)^2)` of a displacement
/// from equilibrium, here a hundredth.
const FIRST_STEP: f64 = 10.0;

/// Largest displacement of a node in the first step, relative to the extent of the bodies.
const MAX_FIRST_DISPLACEMENT: f64 = 0.1;

/// Displacement of the finite difference for the curvature, relative to the extent of the bodies. Its relative error is
/// of this order, and that of rounding is 2e-10.
const DIFFERENCE_DISPLACEMENT: f64 = 1e-6;

impl World {
    /// Largest force of inertia (N) at a node in a step of `h` (s) from rest in `start_states`.
    pub(super) fn largest_inertial_force(&self, start_states: &[State], h: f64) -> f64 {
        let members = self.members.iter().zip(start_states);
        let simulated = members.filter(|(member, _)| member.role == Role::Simulated);
        let body_maximum = |(member, start): (&WorldBody, &State)| {
            let mut displacements = super::differences(&member.state.positions, &start.positions);
            project_free(&member.body, &mut displacements);
            let products = displacements.iter().zip(&member.body.masses);
            products.map(|(displacement, m)| m * displacement.length()).fold(0.0, f64::max)
        };
        simulated.map(body_maximum).fold(0.0, f64::max) / (h * h)
    }

    /// Largest sum of the magnitudes of the forces (N) that the terms of a body exert on a node, so that
    /// cancellation does not count.
    pub(super) fn largest_force(&self) -> f64 {
        let mut largest: f64 = 0.0;
        for member in &self.members {
            let x = &member.state.positions;
            let mut sums = vec![0.0; x.len()];
            for energy in member.energies() {
                let force = gradient(&[energy], member.state.time, x);
                sums.iter_mut().zip(&force).for_each(|(sum, force)| *sum += force.length());
            }
            largest = sums.into_iter().fold(largest, f64::max);
        }
        largest
    }

    /// First step (s) of a world without friction: [`FIRST_STEP`] over the frequency `omega` of the
    /// [module](self), but at most the step in which the forces cause the displacement [`MAX_FIRST_DISPLACEMENT`]. `None`
    /// if no force acts.
    pub(super) fn natural_step(&self) -> Option<f64> {
        let forces: Vec<InitialForces> = self.members.iter().map(InitialForces::new).collect();
        let accelerations = forces.iter().flat_map(|forces| &forces.accelerations);
        let max_acceleration = accelerations.map(|a| a.length()).fold(0.0, f64::max);
        let extents = self.members.iter().map(|member| extent_of(&member.state.positions));
        let extent = extents.fold(0.0, f64::max);
        let squared_time = DIFFERENCE_DISPLACEMENT * extent / max_acceleration;
        if !squared_time.is_finite() || squared_time == 0.0 {
            return None;
        }
        let (mut inertia, mut curvature) = (0.0, 0.0);
        for (member, forces) in self.members.iter().zip(forces) {
            curvature += forces.curvature(member, squared_time);
            inertia += forces.inertia(&member.body);
        }
        let displacement_bound = MAX_FIRST_DISPLACEMENT * extent / max_acceleration;
        let stiffness_bound = FIRST_STEP * FIRST_STEP * inertia / curvature;
        let squared_step = if stiffness_bound > 0.0 {
            displacement_bound.min(stiffness_bound)
        } else {
            displacement_bound
        };
        (squared_step.is_finite() && squared_step > 0.0).then(|| squared_step.sqrt())
    }
}

/// The forces on a body at its present positions, and the accelerations that they cause.
struct InitialForces {
    /// Gradient (N) of the energies of the body.
    gradient: Vec<Vec3>,
    /// Accelerations (m/s^2) `a` of the nodes in their free directions; zero for kinematic bodies.
    accelerations: Vec<Vec3>,
}

impl InitialForces {
    /// Evaluates the energies of a body.
    fn new(member: &WorldBody) -> Self {
        let WorldBody { body, state, role, .. } = member;
        let gradient = gradient(&member.energies(), state.time, &state.positions);
        let mut accelerations: Vec<Vec3> =
            gradient.iter().zip(&body.masses).map(|(g, m)| *g / -*m).collect();
        project_free(body, &mut accelerations);
        if *role != Role::Simulated {
            accelerations.fill(Vec3::ZERO);
        }
        Self { gradient, accelerations }
    }

    /// `a . H a` (N m/s^4), by the difference quotient over the displacements `squared_time` (s^2) times `a`.
    fn curvature(&self, member: &WorldBody, squared_time: f64) -> f64 {
        let State { time, positions, .. } = &member.state;
        let displaced: Vec<Vec3> = (positions.iter().zip(&self.accelerations))
            .map(|(x, a)| *x + *a * squared_time)
            .collect();
        let displaced_gradient = gradient(&member.energies(), *time, &displaced);
        let changes = displaced_gradient
            .iter()
            .zip(&self.gradient)
            .zip(&self.accelerations)
            .map(|((displaced, present), a)| (*displaced - *present).dot(*a));
        changes.sum::<f64>() / squared_time
    }

    /// `a . m a` (kg m^2/s^4).
    fn inertia(&self, body: &Body) -> f64 {
        let nodes = self.accelerations.iter().zip(&body.masses);
        nodes.map(|(a, m)| m * a.length_squared()).sum()
    }
}

/// Removes the components of a nodal field in prescribed directions.
fn project_free(body: &Body, field: &mut [Vec3]) {
    let prescribed = body.prescribed.iter();
    prescribed.for_each(|hold| field[hold.node] = hold.held.rest(field[hold.node]));
}

/// Gradient (N) of energies of a body at the positions `x` (m).
fn gradient(energies: &[Arc<dyn Energy>], time: f64, x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    for energy in energies {
        energy.add_gradient(time, x, 1.0, &mut gradient);
    }
    gradient
}

/// Diagonal (m) of the bounding box of points.
fn extent_of(x: &[Vec3]) -> f64 {
    let first = x.first().copied().unwrap_or(Vec3::ZERO);
    let low = x.iter().fold(first, |low, x| low.min(*x));
    let high = x.iter().fold(first, |high, x| high.max(*x));
    high.distance(low)
}
