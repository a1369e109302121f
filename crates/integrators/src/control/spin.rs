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

#[derive(Debug)]
struct GroupSpin {
    nodes: Vec<usize>,
    /// Mass distribution at the end of the step.
    shape: Shape,
    /// Angular momentum at alpha = 0 (kg m^2/s).
    momentum: Vec3,
    /// Decrease of the angular momentum from alpha = 0 to alpha = 1.
    change: Vec3,
}

impl Spins {
    /// The angular momenta of the groups of `links` in a step to `x`; `before` is the gradient (N) of the terms at the
    /// start. Evaluates the gradient at both ends again, because the forces from which velocities were computed have
    /// the error of the solve.
    pub(crate) fn new(step: &Step<'_>, links: &Links, before: &[Vec3], x: &[Vec3]) -> Self {
        let after = step.system.gradient(step.end_time(), x);
        let (system, state) = (&step.system, step.state);
        let alone = |&b: &usize| {
            let body = &system.bodies()[b];
            body.prescribed.is_empty() && body.dissipations.is_empty() && !links.touches_obstacle(b)
        };
        let spin = |group: Vec<usize>| {
            let nodes: Vec<usize> = group.iter().flat_map(|&b| system.nodes(b)).collect();
            let select =
                |field: &[Vec3]| -> Vec<Vec3> { nodes.iter().map(|&i| field[i]).collect() };
            let masses: Vec<f64> = nodes.iter().map(|&i| system.masses()[i]).collect();
            let start = Shape::new(&masses, &select(&state.positions))?;
            let shape = Shape::new(&masses, &select(x))?;
            let impulses = |gradient: &[Vec3]| -> Vec<Vec3> {
                nodes.iter().map(|&i| -step.h / system.masses()[i] * gradient[i]).collect()
            };
            let torques = [start.momentum(&impulses(before)), shape.momentum(&impulses(&after))];
            let momentum = start.momentum(&select(&state.velocities)) + torques[1];
            Some(GroupSpin { nodes, shape, momentum, change: torques[1] - torques[0] })
        };
        let groups = links.groups().into_iter().filter(|group| group.iter().all(alone));
        Self(groups.filter_map(spin).collect())
    }

    /// Whether the list is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Corrects the velocities at alpha = 0 (m/s) and their change to alpha = 1.
    pub(crate) fn correct(&self, velocities: &mut [Vec3], dv: &mut [Vec3]) {
        for group in &self.0 {
            group.give(group.momentum, velocities);
            group.give(group.change, dv);
        }
    }

    /// Corrects velocities that are not linear in alpha; `alpha` is given for each node.
    pub(crate) fn hold(&self, alphas: &[f64], velocities: &mut [Vec3]) {
        for group in &self.0 {
            let alpha = alphas[group.nodes[0]];
            group.give(group.momentum - alpha * group.change, velocities);
        }
    }
}

impl GroupSpin {
    fn give(&self, momentum: Vec3, to: &mut [Vec3]) {
        let mut velocities: Vec<Vec3> = self.nodes.iter().map(|&i| to[i]).collect();
        self.shape.set_momentum(momentum, &mut velocities);
        self.nodes.iter().zip(velocities).for_each(|(&i, v)| to[i] = v);
    }
}
