//! Velocities under friction alone, by a nonlinear block Gauss-Seidel method.
//!
//! ```text
//! argmin_v  1/2 |v - u|_m^2 + h D(v)
//! ```
//!
//! with a diagonal mass matrix is solved pair by pair. Given the impulses of all others, the impulse of a pair has
//! a closed form, because its mobility `w = sum_k w_k^2 / m_k` is the same in all directions of its tangent plane.
//! Let `a` be its slip without its own impulse. The remaining slip `y` has the direction of `a`, and
//!
//! ```text
//! |y| + w h mu lambda f1(|y|) = |a|.
//! ```
//!
//! Sweeps over all pairs are the projected Gauss-Seidel method of rigid-body contact (Jourdan, Alart and Jean
//! 1998). For the smoothed law it converges to the exact minimum. A sweep costs as much as a gradient. Newton's
//! method with one step length for all nodes needs tens to hundreds of iterations where many light nodes slip,
//! stick and reverse at once.

use super::lagged::{LaggedContacts, LaggedPair};
use crate::CollisionScene;
use crate::geometry::embedding::PointMap;
use resile_math::Vec3;
use resile_system::VelocityRelaxation;

/// A pair with a positive mobility.
pub(super) struct Block<'a> {
    pub(super) pair: &'a LaggedPair,
    /// Range in `terms` of its nodes (system indices) and their weights.
    pub(super) terms: std::ops::Range<usize>,
    /// Mobility `w` (1/kg).
    mobility: f64,
}

/// All pairs with their nodes and weights.
pub(super) struct Blocks<'a> {
    pub(super) blocks: Vec<Block<'a>>,
    /// Nodes and their weights in the slip, pair by pair.
    pub(super) terms: Vec<(usize, f64)>,
}

impl<'a> Blocks<'a> {
    /// The blocks of all pairs with friction and a positive mobility. `mobility` has the inverse masses of the nodes
    /// (1/kg).
    pub(super) fn new(
        points: &PointMap,
        pairs: impl Iterator<Item = &'a LaggedPair>,
        mobility: &[f64],
    ) -> Self {
        let (mut blocks, mut terms) = (Vec::new(), Vec::new());
        for pair in pairs.filter(|pair| pair.strength() > 0.0) {
            let first = terms.len();
            for (point, w) in pair.points.iter().zip(pair.weights) {
                let embedding = point.as_moving().map(|point| points.embedding_of_point(point));
                let nodes = embedding.iter().flat_map(|embedding| embedding.terms());
                nodes.for_each(|(node, weight)| add_weight(&mut terms, first, node, w * weight));
            }
            let pair_terms = first..terms.len();
            let squares = terms[pair_terms.clone()].iter().map(|&(node, w)| w * w * mobility[node]);
            let pair_mobility: f64 = squares.sum();
            if pair_mobility > 0.0 {
                blocks.push(Block { pair, terms: pair_terms, mobility: pair_mobility });
            }
        }
        Self { blocks, terms }
    }

    /// Slip (m/s) of a pair at the node velocities `v` (m/s).
    fn slip(&self, block: &Block<'_>, v: &[Vec3]) -> Vec3 {
        let pair_terms = &self.terms[block.terms.clone()];
        let relative: Vec3 = pair_terms.iter().map(|&(node, w)| v[node] * w).sum();
        block.pair.tangential(relative) + block.pair.offset
    }

    /// Subtracts an impulse (kg m/s) in the direction of the slip from the nodes of a pair. Returns the largest squared
    /// change of a velocity (m^2/s^2).
    fn subtract_impulse(
        &self,
        block: &Block<'_>,
        impulse: Vec3,
        mobility: &[f64],
        v: &mut [Vec3],
    ) -> f64 {
        let mut largest_change2: f64 = 0.0;
        for &(node, w) in &self.terms[block.terms.clone()] {
            let change = impulse * (w * mobility[node]);
            v[node] -= change;
            largest_change2 = largest_change2.max(change.length_squared());
        }
        largest_change2
    }

    /// Solves for the impulse (kg m/s) of each pair in turn, given those of all others, and updates the node velocities
    /// `v` (m/s). Returns the largest change of a velocity (m/s).
    fn sweep(
        &self,
        eps: f64,
        relaxation: &VelocityRelaxation<'_>,
        impulses: &mut [Vec3],
        v: &mut [Vec3],
    ) -> f64 {
        let mut largest_change2: f64 = 0.0;
        for (block, impulse) in self.blocks.iter().zip(impulses) {
            let free_slip = self.slip(block, v) + *impulse * block.mobility;
            let speed = free_slip.length();
            let strength = block.mobility * relaxation.h * block.pair.strength();
            let remaining_slip = balanced_slip(speed, strength, eps);
            let reduction = if speed > 0.0 { (speed - remaining_slip) / speed } else { 0.0 };
            let new_impulse = free_slip * (reduction / block.mobility);
            let change = new_impulse - *impulse;
            *impulse = new_impulse;
            let change2 = self.subtract_impulse(block, change, relaxation.mobility, v);
            largest_change2 = largest_change2.max(change2);
        }
        largest_change2.sqrt()
    }
}

/// Adds a weight to the entry of a node in `terms` from index `first` on; several points may share a node.
fn add_weight(terms: &mut Vec<(usize, f64)>, first: usize, node: usize, weight: f64) {
    match terms[first..].iter_mut().find(|(known, _)| *known == node) {
        Some((_, sum)) => *sum += weight,
        None => terms.push((node, weight)),
    }
}

/// Slip speed `y` with `y + strength f1(y) = slip`, all in m/s and none negative, for the slip speed `eps` (m/s) of the
/// law.
fn balanced_slip(slip: f64, strength: f64, eps: f64) -> f64 {
    if slip >= eps + strength {
        return slip - strength;
    }
    // y + strength (2 y / eps - y^2 / eps^2) = slip, the smaller root, written without cancellation.
    let linear = 0.5 * (1.0 + 2.0 * strength / eps);
    let square = strength / (eps * eps);
    slip / (linear + (linear * linear - square * slip).max(0.0).sqrt())
}

/// Applies friction of the contacts `lags` with the slip speed `eps` (m/s) to the node velocities `v` (m/s); see
/// [`VelocityRelaxation`].
pub(super) fn relax(
    scene: &CollisionScene,
    lags: [&LaggedContacts; 2],
    eps: f64,
    relaxation: &VelocityRelaxation<'_>,
    v: &mut [Vec3],
) {
    let VelocityRelaxation { h, mobility, guess, rounds } = *relaxation;
    let pairs = lags.into_iter().flat_map(|lagged| &lagged.pairs);
    let blocks = Blocks::new(&scene.points, pairs, mobility);
    let mut impulses = Vec::with_capacity(blocks.blocks.len());
    for block in &blocks.blocks {
        let impulse = block.pair.force(blocks.slip(block, guess), eps) * h;
        blocks.subtract_impulse(block, impulse, mobility, v);
        impulses.push(impulse);
    }
    for _ in 0..rounds.max_rounds {
        if blocks.sweep(eps, relaxation, &mut impulses, v) <= rounds.tolerance {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::balanced_slip;

    #[test]
    fn what_is_left_of_a_slip_balances_it() {
        let eps = 1e-3;
        let f1 = |y: f64| if y < eps { y / eps * (2.0 - y / eps) } else { 1.0 };
        for slip in [0.0, 1e-12, 1e-4, 9e-4, 1e-3, 2e-3, 0.5, 30.0] {
            for strength in [1e-9, 1e-4, 9.99e-4, 0.3, 29.999, 30.0, 500.0] {
                let y = balanced_slip(slip, strength, eps);
                let found = y + strength * f1(y);
                assert!((found - slip).abs() <= 1e-13 * slip, "{slip} {strength}: {found}");
            }
        }
    }
}
