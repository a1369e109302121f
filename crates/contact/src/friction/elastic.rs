//! Elastic slip: the part of a slip that is recovered on unloading.
//!
//! Friction below its limit holds a contact at a slip of less than the slip length `s`, in proportion to the force: the
//! elastic slip of finite-element codes (Wriggers 2006, *Computational Contact Mechanics*, section 4.2.3). In static
//! analysis the next load step starts with it; otherwise the force would be lost. Where the slip of a load step is
//! longer than `s`, its length is limited:
//!
//! ```text
//!   e = min(1, s / |u|) u.
//! ```
//!
//! Contacts change from step to step, nodes do not. It is therefore stored as displacements of nodes: the least-squares
//! solution of minimal norm whose slip at each contact is `e`.

use super::lagged::LaggedContacts;
use super::relax::{Block, Blocks};
use crate::CollisionScene;
use resile_math::Vec3;

/// Largest error of a slip, relative to the slip length, at which the iteration ends.
const SLIP_TOLERANCE: f64 = 1e-9;

/// Norm of the gradient of the sum of squared errors, relative to the initial one, at which the iteration ends.
const GRADIENT_TOLERANCE: f64 = 1e-10;

/// Maximum displacement of a node, relative to the slip length. For inclined tangent planes there may be no
/// displacement with the given slips, and the least-squares solution is then large. Truncated conjugate gradients
/// regularise (Hanke 1995, *Conjugate Gradient Type Methods for Ill-Posed Problems*).
const MAX_DISPLACEMENT: f64 = 1.5;

/// Maximum number of iterations.
const MAX_ITERATIONS: usize = 1000;

impl LaggedContacts {
    /// Adds the tangential part of `offset` (m/s, by node) to the slip of each pair.
    pub(super) fn set_offsets(&mut self, scene: &CollisionScene, offset: &[Vec3]) {
        let offset = &*scene.points.points(offset);
        for pair in &mut self.pairs {
            pair.offset = pair.tangential(pair.relative(offset));
        }
    }

    /// Elastic slip after `displacements` (m) of the nodes, as displacements (m) of nodes. The entry of a node in
    /// `mobile` is 1 if it may move and 0 if not. Slips are at most `slip_length` (m). Conjugate gradients on the normal
    /// equations (CGLS), O(contacts) per iteration.
    pub fn elastic_slip(
        &self,
        scene: &CollisionScene,
        displacements: &[Vec3],
        slip_length: f64,
        mobile: &[f64],
    ) -> Vec<Vec3> {
        let point_displacements = &*scene.points.points(displacements);
        let slips = SlipOperator(Blocks::new(&scene.points, self.pairs.iter(), mobile));
        let mut residual = slips.limited_slips(point_displacements, slip_length);
        let mut elastic = vec![Vec3::ZERO; displacements.len()];
        let mut gradient = slips.apply_transpose(&residual, mobile);
        let mut direction = gradient.clone();
        let initial_norm2 = sum_of_squares(&gradient);
        let mut norm2 = initial_norm2;
        for _ in 0..MAX_ITERATIONS {
            let max_error = residual.iter().map(|error| error.length()).fold(0.0, f64::max);
            if max_error <= SLIP_TOLERANCE * slip_length
                || norm2 <= GRADIENT_TOLERANCE * GRADIENT_TOLERANCE * initial_norm2
            {
                break;
            }
            let product = slips.apply(&direction);
            let step = norm2 / sum_of_squares(&product);
            let trial: Vec<Vec3> =
                elastic.iter().zip(&direction).map(|(e, d)| *e + *d * step).collect();
            if trial.iter().any(|e| e.length() > MAX_DISPLACEMENT * slip_length) {
                break;
            }
            elastic = trial;
            residual.iter_mut().zip(&product).for_each(|(r, product)| *r -= *product * step);
            gradient = slips.apply_transpose(&residual, mobile);
            let next_norm2 = sum_of_squares(&gradient);
            let beta = next_norm2 / norm2;
            direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = *g + *d * beta);
            norm2 = next_norm2;
        }
        elastic
    }
}

/// The slips of pairs as a linear function of displacements of nodes.
struct SlipOperator<'a>(Blocks<'a>);

impl SlipOperator<'_> {
    /// The slip (m) of each pair for these displacements of points (m), shortened to `slip_length` (m) where it is
    /// longer.
    fn limited_slips(&self, point_displacements: &[Vec3], slip_length: f64) -> Vec<Vec3> {
        let limited_slip = |block: &Block<'_>| {
            let slip = block.pair.slip(point_displacements);
            slip * (slip_length / slip.length()).min(1.0)
        };
        self.0.blocks.iter().map(limited_slip).collect()
    }

    /// The slip (m) of each pair for these displacements of nodes (m).
    fn apply(&self, displacements: &[Vec3]) -> Vec<Vec3> {
        let Blocks { blocks, terms } = &self.0;
        let slip_of_pair = |block: &Block<'_>| {
            let block_terms = terms[block.terms.clone()].iter();
            block.pair.tangential(block_terms.map(|&(node, w)| displacements[node] * w).sum())
        };
        blocks.iter().map(slip_of_pair).collect()
    }

    /// The transpose of [`apply`](Self::apply), restricted to mobile nodes: weighted sums of the slips of pairs by node.
    fn apply_transpose(&self, slips: &[Vec3], mobile: &[f64]) -> Vec<Vec3> {
        let Blocks { blocks, terms } = &self.0;
        let mut out = vec![Vec3::ZERO; mobile.len()];
        for (block, slip) in blocks.iter().zip(slips) {
            for &(node, w) in &terms[block.terms.clone()] {
                out[node] += *slip * (w * mobile[node]);
            }
        }
        out
    }
}

/// Sum of the squared lengths of vectors.
fn sum_of_squares(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(|v| v.length_squared()).sum()
}
