//! The angular momentum of bodies that nothing from outside holds.
//!
//! A-search finds velocities from forces at two places, and takes positions a step on by the velocity of their
//! end. Both are of first order in angular momentum: the arms of the forces are not those of the motion, and the
//! orbital part `X x P` of a body changes by `h^2 F x P / m` beside the torque. Bodies that collide
//! off their centres then change the angular momentum that they have together, by up to a tenth at
//! 1/120 s.
//!
//! Bodies that exchange force among themselves and with nothing else keep it. So a group of them is given,
//! about its centre of mass, the rotation as a whole with which
//!
//! ```text
//! L(alpha) = L_n + h ((1 - alpha) T_n+1 + alpha T_n),   T_k = sum (x_k - X_k) x F_k,
//! ```
//!
//! the torques of the forces where they act, which are zero but for springs to the outside. It is a linear
//! function of alpha, as the velocities are: `w` and `dv` are corrected before alpha is sought, and the energy meets
//! its target with what is left. Where that would take more energy than there is, the momentum is given up: energy comes
//! first.
//!
//! Rejected: to give each body the spin that its own torques say. What is missing is orbital, so the sum stays
//! wrong (3.2 in place of 3.8 % of it for two balls at 1/120 s), and with arms that make the sum right, balls without friction begin
//! to spin.

use crate::inertia::Shape;
use crate::step::Step;
use resile_math::Vec3;
use resile_system::Links;

/// Whether corrected velocities keep angular momenta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MomentumRule {
    /// As forces at two places leave them, which is an error of first order.
    #[default]
    Plain,
    /// Bodies that nothing from outside touches, holds or damps keep theirs to rounding, together with those
    /// that they touch.
    Exact,
}

/// The angular momenta of the groups of a step that are kept.
#[derive(Debug, Default)]
pub(crate) struct Spins(Vec<GroupSpin>);

#[derive(Debug)]
struct GroupSpin {
    nodes: Vec<usize>,
    /// At the end of the step.
    shape: Shape,
    /// At alpha = 0 (kg m^2/s).
    momentum: Vec3,
    /// What of it alpha = 1 takes away.
    change: Vec3,
}

impl Spins {
    /// Of the groups of `links` in a step to `x`, `before` being the gradient (N) as the terms give it at the start. Costs the gradient at both ends once more: the forces by which
    /// velocities were found have the error of the solve.
    pub(crate) fn of(step: &Step<'_>, links: &Links, before: &[Vec3], x: &[Vec3]) -> Self {
        let after = step.system.gradient(x);
        let (system, state) = (&step.system, step.state);
        let alone = |&b: &usize| {
            let body = &system.bodies()[b];
            body.prescribed.is_empty() && body.dissipations.is_empty() && !links.touches_obstacle(b)
        };
        let spin = |group: Vec<usize>| {
            let nodes: Vec<usize> = group.iter().flat_map(|&b| system.nodes(b)).collect();
            let of = |all: &[Vec3]| -> Vec<Vec3> { nodes.iter().map(|&i| all[i]).collect() };
            let masses: Vec<f64> = nodes.iter().map(|&i| system.masses()[i]).collect();
            let start = Shape::new(&masses, &of(&state.positions))?;
            let shape = Shape::new(&masses, &of(x))?;
            let impulses = |gradient: &[Vec3]| -> Vec<Vec3> {
                nodes.iter().map(|&i| -step.h / system.masses()[i] * gradient[i]).collect()
            };
            let torques = [start.momentum(&impulses(before)), shape.momentum(&impulses(&after))];
            let momentum = start.momentum(&of(&state.velocities)) + torques[1];
            Some(GroupSpin { nodes, shape, momentum, change: torques[1] - torques[0] })
        };
        let groups = links.groups().into_iter().filter(|group| group.iter().all(alone));
        Self(groups.filter_map(spin).collect())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Corrects velocities at alpha = 0 (m/s), and what alpha = 1 takes from them.
    pub(crate) fn correct(&self, velocities: &mut [Vec3], dv: &mut [Vec3]) {
        for group in &self.0 {
            group.give(group.momentum, velocities);
            group.give(group.change, dv);
        }
    }

    /// Corrects velocities found otherwise, with the alpha of every node.
    pub(crate) fn hold(&self, alphas: &[f64], velocities: &mut [Vec3]) {
        for group in &self.0 {
            let alpha = alphas[group.nodes[0]];
            group.give(group.momentum - alpha * group.change, velocities);
        }
    }
}

impl GroupSpin {
    fn give(&self, momentum: Vec3, to: &mut [Vec3]) {
        let mut own: Vec<Vec3> = self.nodes.iter().map(|&i| to[i]).collect();
        self.shape.give_momentum(momentum, &mut own);
        self.nodes.iter().zip(own).for_each(|(&i, v)| to[i] = v);
    }
}
