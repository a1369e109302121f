//! Conservation of the angular momentum of groups of bodies without external forces.
//!
//! A-search computes velocities from the forces at both ends of a step, and positions by the velocity at the end. Both
//! cause errors of first order in angular momentum: the lever arms differ from those of the motion, and the orbital
//! part `X x P` of a body changes by `h^2 F x P / m` in addition to the torque. In an eccentric collision the total
//! angular momentum changes by up to a tenth at 1/120 s.
//!
//! A group of bodies that exchange force only with each other conserves its angular momentum. It is therefore given a
//! rigid rotation about its centre of mass such that
//!
//! ```text
//! L(alpha) = L_n + h ((1 - alpha) T_n+1 + alpha T_n),   T_k = sum (x_k - X_k) x F_k,
//! ```
//!
//! the torques of the forces at their points of application, which are zero except for springs to fixed points. `L` is
//! linear in alpha, like the velocities: `w` and `dv` are corrected before the search for alpha, and the energy meets
//! its target with the corrected curves. If that needs more energy than available, the energy has priority and the
//! angular momentum is not conserved.
//!
//! Rejected: the spin of each body by its own torques. The error is in the orbital part, so the total remains wrong (by
//! 3.2 instead of 3.8 % for two balls at 1/120 s), and with lever arms that correct the total, balls without friction
//! begin to spin.

use crate::rigid::inertia::Shape;
use crate::step::Step;
use resile_math::Vec3;
use resile_system::Links;

/// Whether corrected velocities conserve angular momenta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename = "Momentum")
)]
pub enum MomentumRule {
    /// Angular momenta have an error of first order in the step.
    #[default]
    Plain,
    /// Groups of bodies without external contact, supports or damping conserve angular momentum to rounding.
    Exact,
}

/// The conserved angular momenta of the groups of a step.
#[derive(Debug, Default)]
pub(crate) struct Spins(Vec<GroupSpin>);

/// The angular momentum of a group as a linear function of alpha.
#[derive(Debug)]
struct GroupSpin {
    nodes: Vec<usize>,
    /// Mass distribution at the end of the step.
    shape: Shape,
    /// Angular momentum at alpha = 0 (kg m^2/s).
    momentum: Vec3,
    /// Decrease of the angular momentum (kg m^2/s) from alpha = 0 to alpha = 1.
    decrease: Vec3,
}

impl Spins {
    /// The angular momenta of the groups of `links` without external forces, in a step to `x` (m), where the system must
    /// be prepared. `start_gradient` (N) is the evaluated gradient of the potential at the start; that at the end is
    /// evaluated here. (The balancing gradients from which velocities were computed have the error of the solve.)
    pub(crate) fn new(step: &Step<'_>, links: &Links, start_gradient: &[Vec3], x: &[Vec3]) -> Self {
        let end_gradient = step.system.gradient(step.end_time(), x);
        let (system, state) = (&step.system, step.state);
        let is_isolated = |&b: &usize| {
            let body = &system.bodies()[b];
            body.prescribed.is_empty() && body.dissipations.is_empty() && !links.touches_obstacle(b)
        };
        let group_spin = |group: Vec<usize>| {
            let nodes: Vec<usize> = group.iter().flat_map(|&b| system.nodes(b)).collect();
            let gather =
                |field: &[Vec3]| -> Vec<Vec3> { nodes.iter().map(|&i| field[i]).collect() };
            let masses: Vec<f64> = nodes.iter().map(|&i| system.masses()[i]).collect();
            let start_shape = Shape::new(&masses, &gather(&state.positions))?;
            let end_shape = Shape::new(&masses, &gather(x))?;
            let velocity_changes = |gradient: &[Vec3]| -> Vec<Vec3> {
                nodes.iter().map(|&i| -step.h / system.masses()[i] * gradient[i]).collect()
            };
            // Torques at both ends times the step.
            let start_change = start_shape.momentum(&velocity_changes(start_gradient));
            let end_change = end_shape.momentum(&velocity_changes(&end_gradient));
            let momentum = start_shape.momentum(&gather(&state.velocities)) + end_change;
            let decrease = end_change - start_change;
            Some(GroupSpin { nodes, shape: end_shape, momentum, decrease })
        };
        let groups = links.groups().into_iter().filter(|group| group.iter().all(is_isolated));
        Self(groups.filter_map(group_spin).collect())
    }

    /// Whether no group conserves its angular momentum.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Rotates groups such that they have their angular momenta: the velocities (m/s) at alpha = 0, and their decrease
    /// `dv` (m/s) to alpha = 1.
    pub(crate) fn correct(&self, velocities: &mut [Vec3], dv: &mut [Vec3]) {
        for group in &self.0 {
            group.set_momentum(group.momentum, velocities);
            group.set_momentum(group.decrease, dv);
        }
    }

    /// Rotates groups such that the velocities (m/s) for an alpha have their angular momenta; `alphas` has the alpha of
    /// each node.
    pub(crate) fn correct_combined(&self, alphas: &[f64], velocities: &mut [Vec3]) {
        for group in &self.0 {
            let alpha = alphas[group.nodes[0]];
            group.set_momentum(group.momentum - alpha * group.decrease, velocities);
        }
    }
}

impl GroupSpin {
    /// Adds the rotation to the `field` of all nodes that gives the group this angular `momentum` about its centre.
    fn set_momentum(&self, momentum: Vec3, field: &mut [Vec3]) {
        let mut group_field: Vec<Vec3> = self.nodes.iter().map(|&i| field[i]).collect();
        self.shape.set_momentum(momentum, &mut group_field);
        self.nodes.iter().zip(group_field).for_each(|(&i, v)| field[i] = v);
    }
}
