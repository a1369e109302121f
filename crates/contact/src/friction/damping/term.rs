//! Contact damping as a dissipation between the bodies of a system.

use super::lagged::{DampedPair, DampedPairs, lagged};
use crate::friction::lagged_weight;
use crate::geometry::point::Point;
use crate::potential::cluster::Clusters;
use crate::potential::node_blocks::{self, NodeBlocks};
use crate::{BarrierPotential, Candidates, CollisionScene};
use resile_math::{Vec3, outer};
use resile_system::{
    CouplingDissipation, CouplingDissipationPotential, DissipationPotential, Hessian, Psd,
};
use std::sync::Arc;

/// Viscous damping of the gaps between surfaces as a term of a system: `D(s) = tau k min(s, 0)^2 / 2` (W), see
/// `docs/contact.md`.
///
/// Its coefficients are those of the scene's [`PairTable`](crate::PairTable). O(contacts).
#[derive(Debug, Clone)]
pub struct ContactDamping {
    scene: Arc<CollisionScene>,
    barrier: BarrierPotential,
}

/// The contact damping of a step, with its lagged pairs.
#[derive(Debug, Clone)]
pub struct LaggedContactDamping {
    law: ContactDamping,
    /// Pairs at the start of the step and, if requested, at its end.
    ends: [DampedPairs; 2],
}

impl ContactDamping {
    /// Damping of the contacts of `scene` under `barrier`.
    pub fn new(scene: CollisionScene, barrier: BarrierPotential) -> Self {
        Self { scene: Arc::new(scene), barrier }
    }

    /// The damping of a step that begins at the positions `x` (m). O(n log n).
    pub fn at(&self, x: &[Vec3]) -> LaggedContactDamping {
        LaggedContactDamping { law: self.clone(), ends: [self.pairs(x), DampedPairs::default()] }
    }

    /// Damped pairs for nodes at `x` (m).
    fn pairs(&self, x: &[Vec3]) -> DampedPairs {
        let candidates = Candidates::near(&self.scene, x, self.barrier.d_hat);
        lagged(&self.scene, &candidates, &self.barrier, x)
    }
}

impl LaggedContactDamping {
    /// Number of damped pairs.
    pub fn pair_count(&self) -> usize {
        self.ends.iter().map(|end| end.pairs.len()).sum()
    }

    /// Pairs of both ends of the step.
    fn acting(&self) -> impl Iterator<Item = &DampedPair> {
        self.ends.iter().flat_map(|end| &end.pairs)
    }

    /// Whether no pair is damped.
    fn is_idle(&self) -> bool {
        self.pair_count() == 0
    }
}

impl DampedPairs {
    /// The pairs that involve one of the flagged bodies.
    fn restricted(&self, bodies: &[bool]) -> Self {
        let involves = |pair: &&DampedPair| pair.bodies.iter().any(|&body| bodies[body as usize]);
        let (node_pairs, embedded) = self.pairs.split_at(self.node_pair_count);
        let mut pairs: Vec<DampedPair> = node_pairs.iter().filter(involves).copied().collect();
        let node_pair_count = pairs.len();
        pairs.extend(embedded.iter().filter(involves));
        Self { pairs, node_pair_count }
    }
}

impl CouplingDissipation for ContactDamping {
    fn name(&self) -> &'static str {
        "contact damping"
    }

    fn lagged(&self, x: &[Vec3], _v: &[Vec3]) -> Box<dyn CouplingDissipationPotential> {
        Box::new(self.at(x))
    }
}

impl CouplingDissipationPotential for LaggedContactDamping {
    fn lagged_at_end(&self, x: &[Vec3]) -> Box<dyn CouplingDissipationPotential> {
        let mut start = self.ends[0].clone();
        start.pairs.iter_mut().for_each(|pair| pair.weight = 0.0);
        Box::new(Self { law: self.law.clone(), ends: [start, self.law.pairs(x)] })
    }

    fn has_lagged_forces(&self) -> bool {
        !self.is_idle()
    }

    fn mixed(&self, start_weights: &[f64]) -> Box<dyn CouplingDissipationPotential> {
        let mut mixed = self.clone();
        let point_map = &self.law.scene.points;
        for (end_index, pairs) in mixed.ends.iter_mut().enumerate() {
            for pair in &mut pairs.pairs {
                let moving_points = pair.points.iter().filter_map(|point| point.as_moving());
                // The nodes of an embedded point belong to one body, whose free nodes have equal weights.
                let nodes = moving_points.map(|p| point_map.embedding_of_point(p).nodes[0]);
                pair.weight = lagged_weight(nodes, start_weights, end_index);
            }
        }
        Box::new(mixed)
    }

    fn restricted(&self, bodies: &[bool]) -> Box<dyn CouplingDissipationPotential> {
        let ends = self.ends.each_ref().map(|end| end.restricted(bodies));
        let mut law = self.law.clone();
        if !self.is_idle() {
            law.scene = Arc::new(self.law.scene.restricted(bodies));
        }
        Box::new(Self { law, ends })
    }

    fn is_viscous(&self) -> bool {
        true
    }

    fn add_power_by_body(&self, _time: f64, v: &[Vec3], kinematic: &[Vec3], bodies: &mut [f64]) {
        let [v, kinematic] = [v, kinematic].map(|v| self.law.scene.points.points(v));
        for pair in self.ends.iter().flat_map(|end| &end.pairs) {
            let power = pair.force(pair.opening_speed(&v)) * pair.opening_speed(&kinematic);
            pair.bodies.iter().for_each(|&body| bodies[body as usize] += 0.5 * power);
        }
    }
}

impl DissipationPotential for LaggedContactDamping {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        if self.is_idle() {
            return 0.0;
        }
        let v = &*self.law.scene.points.points(v);
        self.acting().map(|pair| pair.value(pair.opening_speed(v))).sum()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        if self.is_idle() {
            return;
        }
        let v = &*self.law.scene.points.points(v);
        self.law.scene.gather(out, |out| {
            for pair in self.acting() {
                let force = pair.normal * (pair.force(pair.opening_speed(v)) * scale);
                for (point, w) in pair.points.iter().zip(pair.weights) {
                    if let Some(point) = point.as_moving() {
                        out[point] += force * w;
                    }
                }
            }
        });
    }

    fn add_hessian(&self, _time: f64, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        if self.is_idle() {
            return;
        }
        let v = &*self.law.scene.points.points(v);
        let block = |pair: &DampedPair| {
            outer(pair.normal, pair.normal) * pair.curvature(pair.opening_speed(v))
        };
        for end in &self.ends {
            let (node_pairs, embedded) = end.pairs.split_at(end.node_pair_count);
            for pairs in node_pairs.chunks(node_blocks::MAX_PAIRS) {
                let mut sums = NodeBlocks::of_pairs(pairs.len());
                for pair in pairs {
                    sums.add_weighted(pair.points.map(Point::as_moving), pair.weights, block(pair));
                }
                node_blocks::push(&[sums.into_blocks()], out);
            }
            let mut clusters = Clusters::new(&self.law.scene.points);
            for pair in embedded {
                clusters.add_weighted(pair.points.map(Point::as_moving), pair.weights, block(pair));
            }
            clusters.into_clusters().iter().for_each(|cluster| cluster.push(out));
        }
    }
}
