//! Rolling friction as a dissipation between the bodies of a system.

use super::lagged::{RollingPair, lagged};
use crate::friction::lagged_weight;
use crate::{BarrierPotential, Candidates, CollisionScene, FrictionPotential};
use resile_math::Vec3;
use resile_system::{
    CouplingDissipation, CouplingDissipationPotential, DissipationPotential, Hessian, Psd,
};
use std::sync::Arc;

/// Rolling friction of bodies with an affine motion as a term of a system: a torque of `rho` times the normal
/// force, see `docs/contact.md`.
///
/// Its coefficients are those of the scene's [`PairTable`](crate::PairTable). O(contacts).
#[derive(Debug, Clone)]
pub struct RollingFriction {
    scene: Arc<CollisionScene>,
    barrier: BarrierPotential,
    friction: FrictionPotential,
}

/// The rolling friction of a step, with its lagged pairs.
#[derive(Debug, Clone)]
pub struct LaggedRollingFriction {
    law: RollingFriction,
    /// Pairs at the start of the step and, if requested, at its end.
    ends: [Vec<RollingPair>; 2],
}

impl RollingFriction {
    /// Rolling friction of the contacts of `scene`, with the normal forces of `barrier`. The torque reaches its limit
    /// at the slip speed of `friction`.
    pub fn new(
        scene: CollisionScene,
        barrier: BarrierPotential,
        friction: FrictionPotential,
    ) -> Self {
        Self { scene: Arc::new(scene), barrier, friction }
    }

    /// The rolling friction of a step that begins with nodes at `x` (m). O(n log n).
    pub fn at(&self, x: &[Vec3]) -> LaggedRollingFriction {
        LaggedRollingFriction { law: self.clone(), ends: [self.pairs(x), Vec::new()] }
    }

    /// The lagged pairs with rolling friction for nodes at `x` (m).
    fn pairs(&self, x: &[Vec3]) -> Vec<RollingPair> {
        let candidates = Candidates::near(&self.scene, x, self.barrier.d_hat);
        lagged(&self.scene, &candidates, &self.barrier, x, self.friction.slip_speed)
    }
}

impl LaggedRollingFriction {
    /// Number of pairs that resist rolling.
    pub fn pair_count(&self) -> usize {
        self.ends.iter().map(Vec::len).sum()
    }

    /// Lagged pairs of both ends of the step.
    fn acting(&self) -> impl Iterator<Item = &RollingPair> {
        self.ends.iter().flatten()
    }
}

impl CouplingDissipation for RollingFriction {
    fn name(&self) -> &'static str {
        "rolling friction"
    }

    fn lagged(&self, x: &[Vec3], _v: &[Vec3]) -> Box<dyn CouplingDissipationPotential> {
        Box::new(self.at(x))
    }
}

impl CouplingDissipationPotential for LaggedRollingFriction {
    fn lagged_at_end(&self, x: &[Vec3]) -> Box<dyn CouplingDissipationPotential> {
        let mut start = self.ends[0].clone();
        start.iter_mut().for_each(|pair| pair.weight = 0.0);
        Box::new(Self { law: self.law.clone(), ends: [start, self.law.pairs(x)] })
    }

    fn has_lagged_forces(&self) -> bool {
        self.pair_count() > 0
    }

    fn mixed(&self, start_weights: &[f64]) -> Box<dyn CouplingDissipationPotential> {
        let mut mixed = self.clone();
        for (end_index, pairs) in mixed.ends.iter_mut().enumerate() {
            for pair in pairs {
                // The nodes of a rotor belong to one body, whose free nodes have equal weights.
                let nodes = pair.rotors.iter().map(|rotor| rotor.nodes[0]);
                pair.weight = lagged_weight(nodes, start_weights, end_index);
            }
        }
        Box::new(mixed)
    }

    fn restricted(&self, bodies: &[bool]) -> Box<dyn CouplingDissipationPotential> {
        let involves = |pair: &&RollingPair| pair.bodies.iter().any(|&body| bodies[body as usize]);
        let ends = self.ends.each_ref().map(|end| end.iter().filter(involves).cloned().collect());
        Box::new(Self { law: self.law.clone(), ends })
    }

    fn has_friction(&self) -> bool {
        self.pair_count() > 0
    }

    fn add_power_by_body(&self, _time: f64, v: &[Vec3], kinematic: &[Vec3], bodies: &mut [f64]) {
        for pair in self.ends.iter().flatten() {
            let power = pair.power(v, kinematic);
            pair.bodies.iter().for_each(|&body| bodies[body as usize] += 0.5 * power);
        }
    }
}

impl DissipationPotential for LaggedRollingFriction {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        self.acting().map(|pair| pair.value(v)).sum()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for pair in self.acting() {
            let torque = pair.torque(v) * scale;
            for rotor in &pair.rotors {
                for (node, force) in rotor.nodes.into_iter().zip(rotor.forces(torque)) {
                    out[node as usize] += force;
                }
            }
        }
    }

    fn add_hessian(&self, _time: f64, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for pair in self.acting() {
            pair.blocks(v).into_iter().for_each(|(i, j, block)| out.add(i, j, block));
        }
    }
}
