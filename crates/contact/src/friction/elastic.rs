//! The part of a slip that is recovered when the force is taken away.
//!
//! Friction below its limit holds a contact at a slip of less than the slip length `s`, in proportion to the force: the
//! elastic slip of finite-element codes (Wriggers 2006, *Computational Contact Mechanics*, section 4.2.3). In static analysis
//! the next load step begins with it, or the force would be lost. Where the slip of a load step is longer than `s`, its
//! direction alone is kept:
//!
//! ```text
//!   e = min(1, s / |u|) u.
//! ```
//!
//! Contacts change from step to step, nodes do not. Therefore it is kept as displacements of nodes, the smallest ones that have the
//! slip `e` at each contact, or nearly so where there are more contacts than nodes.

use super::lagged::LaggedContacts;
use super::relax::{Block, Blocks};
use crate::CollisionScene;
use resile_math::Vec3;

/// Error of a slip, relative to the slip length, up to which displacements are improved.
const TOLERANCE: f64 = 1e-9;

/// Gradient of the squares of slips that are left, relative to the first one, at which they are as small as displacements of
/// nodes allow.
const LEAST: f64 = 1e-10;

/// Maximum displacement of a node, relative to the slip length. Slips that are not those of any displacement, as in planes that
/// are inclined to each other, would otherwise be fitted by displacements without bound (truncated conjugate gradients regularise:
/// Hanke 1995, *Conjugate Gradient Type Methods for Ill-Posed Problems*).
const MAX_DISPLACEMENT: f64 = 1.5;

/// Maximum number of iterations.
const ITERATIONS: usize = 1000;

impl LaggedContacts {
    /// Adds what `offset` (m/s) of the nodes is in the tangent plane of each pair to its slip.
    pub(super) fn set_offsets(&mut self, scene: &CollisionScene, offset: &[Vec3]) {
        let offset = &*scene.points.points(offset);
        for pair in &mut self.pairs {
            pair.offset = pair.tangential(pair.relative(offset));
        }
    }

    /// The elastic slip where nodes have been displaced by `displacements` (m), as displacements of nodes (m) with
    /// `mobile` 1; those with 0 have none. `slip_length` (m) is the longest. Conjugate gradients on the normal equations: O(contacts)
    /// an iteration.
    pub fn elastic_slip(
        &self,
        scene: &CollisionScene,
        displacements: &[Vec3],
        slip_length: f64,
        mobile: &[f64],
    ) -> Vec<Vec3> {
        let moved = &*scene.points.points(displacements);
        let slips = Slips(Blocks::new(&scene.points, self.pairs.iter(), mobile));
        let of_pair = |block: &Block<'_>| {
            let slip = block.pair.slip(moved);
            slip * (slip_length / slip.length()).min(1.0)
        };
        let mut left: Vec<Vec3> = slips.0.blocks.iter().map(of_pair).collect();
        let mut elastic = vec![Vec3::ZERO; displacements.len()];
        let mut gradient = slips.spread(&left, mobile);
        let mut direction = gradient.clone();
        let (first, mut square) = (squares(&gradient), squares(&gradient));
        for _ in 0..ITERATIONS {
            let largest = left.iter().map(|slip| slip.length()).fold(0.0, f64::max);
            if largest <= TOLERANCE * slip_length || square <= LEAST * LEAST * first {
                break;
            }
            let slid = slips.of(&direction);
            let step = square / squares(&slid);
            let longer: Vec<Vec3> =
                elastic.iter().zip(&direction).map(|(e, d)| *e + *d * step).collect();
            if longer.iter().any(|e| e.length() > MAX_DISPLACEMENT * slip_length) {
                break;
            }
            elastic = longer;
            left.iter_mut().zip(&slid).for_each(|(left, slid)| *left -= *slid * step);
            gradient = slips.spread(&left, mobile);
            let next = squares(&gradient);
            let turn = next / square;
            direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = *g + *d * turn);
            square = next;
        }
        elastic
    }
}

/// The slips of pairs as a linear function of displacements of nodes.
struct Slips<'a>(Blocks<'a>);

impl Slips<'_> {
    fn of(&self, displacements: &[Vec3]) -> Vec<Vec3> {
        let Blocks { blocks, terms } = &self.0;
        let of_pair = |block: &Block<'_>| {
            let own = terms[block.terms.clone()].iter();
            block.pair.tangential(own.map(|&(node, w)| displacements[node] * w).sum())
        };
        blocks.iter().map(of_pair).collect()
    }

    /// The transpose.
    fn spread(&self, slips: &[Vec3], mobile: &[f64]) -> Vec<Vec3> {
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

fn squares(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(|v| v.length_squared()).sum()
}
