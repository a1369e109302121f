//! How far bodies are from static equilibrium.

use super::{World, WorldBody, island};
use resile_contact::Role;
use resile_system::{State, Vec3};

/// Bound of the rounding error of elastic forces, relative to the product of stiffness and position: a few roundings.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The forces on the nodes of a body at rest.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ForceBalance {
    /// The largest net force (N) on a node in its free directions, with contact and joints; zero if it does not exceed the
    /// rounding error. It excludes weight for a body that only uniform fields and couplings act on from outside.
    pub residual: f64,
    /// The largest sum of the magnitudes of the forces (N) of the terms of the body on a node.
    pub largest_force: f64,
}

impl ForceBalance {
    /// The residual relative to the largest force; zero without forces. It is at most about 1e-8 in an equilibrium of
    /// [`load_step`](World::load_step), and 1 where loads are not balanced at all.
    pub fn relative_residual(&self) -> f64 {
        if self.residual == 0.0 { 0.0 } else { self.residual / self.largest_force }
    }
}

impl World {
    /// The balance of forces of each body at its present positions and at rest, zero for kinematic bodies. `None` if
    /// bodies touch with friction: the force of friction at rest is not determined by positions.
    pub fn force_balance(&self) -> Option<Vec<ForceBalance>> {
        if self.has_friction() && self.observe().certificate.contacts > 0 {
            return None;
        }
        let zero_forces = |member: &WorldBody| vec![Vec3::ZERO; member.body.node_count()];
        let net_forces = self.map_islands(zero_forces, |system, state| {
            let velocities = vec![Vec3::ZERO; state.velocities.len()];
            island::net_forces(system, &State { velocities, ..state.clone() })
        });
        let balances = net_forces.into_iter().enumerate().map(|(body, net_forces)| {
            let balance = body_balance(&self.members[body], net_forces);
            let is_rounding =
                balance.residual > 0.0 && balance.residual <= self.force_rounding(body);
            if is_rounding { ForceBalance { residual: 0.0, ..balance } } else { balance }
        });
        Some(balances.collect())
    }

    /// Bound of the rounding error (N) of the elastic forces on a node of a body.
    fn force_rounding(&self, body: usize) -> f64 {
        let positions = &self.members[body].state.positions;
        let farthest = positions.iter().map(|x| x.length()).fold(0.0, f64::max);
        ROUNDING * self.stiffness(body).largest_diagonal() * farthest
    }
}

/// The balance of a body under these net forces (N).
fn body_balance(member: &WorldBody, mut net_forces: Vec<Vec3>) -> ForceBalance {
    let WorldBody { body, state, role, .. } = member;
    if *role != Role::Simulated {
        return ForceBalance::default();
    }
    if body.is_free() {
        let acceleration = body.uniform_acceleration(state.time);
        net_forces.iter_mut().zip(&body.masses).for_each(|(f, m)| *f -= acceleration * *m);
    }
    for hold in &body.prescribed {
        net_forces[hold.node] = hold.held.rest(net_forces[hold.node]);
    }
    let residual = net_forces.iter().map(|force| force.length()).fold(0.0, f64::max);
    ForceBalance { residual, largest_force: largest_force(member) }
}

/// The largest sum of the magnitudes of the forces (N) of the terms of a body on a node at rest.
fn largest_force(member: &WorldBody) -> f64 {
    let State { time, positions, .. } = &member.state;
    let zero = vec![Vec3::ZERO; positions.len()];
    let mut sums = vec![0.0; positions.len()];
    let mut add = |forces: Vec<Vec3>| {
        sums.iter_mut().zip(forces).for_each(|(sum, force)| *sum += force.length());
    };
    for energy in member.energies() {
        let mut forces = zero.clone();
        energy.add_gradient(*time, positions, 1.0, &mut forces);
        add(forces);
    }
    for dissipation in &member.body.dissipations {
        let mut forces = zero.clone();
        dissipation.lagged(positions).add_gradient(*time, &zero, 1.0, &mut forces);
        add(forces);
    }
    sums.into_iter().fold(0.0, f64::max)
}
