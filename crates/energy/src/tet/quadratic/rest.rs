//! The undeformed mesh, in groups of eight elements.

use super::{EDGES, NODES};
use crate::tet::ElementError;
use crate::tet::rest as linear;
use resile_math::Vec3;
use resile_math::lanes::{self, LANES, Vec3x8};
use std::array::from_fn;

/// Largest distance of a midpoint node from the midpoint of its edge, relative to the length of the edge.
const MIDPOINT_TOLERANCE: f64 = 1e-9;

/// Eight elements: nodes, and the linear elements of their corners.
#[derive(Debug, Clone)]
pub(super) struct QuadraticGroup {
    pub(super) nodes: [[u32; NODES]; LANES],
    pub(super) corners: linear::TetGroup,
}

impl QuadraticGroup {
    /// Positions of the nodes after the first, minus that of the first.
    #[inline(always)]
    pub(super) fn gather(&self, x: &[Vec3]) -> [Vec3x8; NODES - 1] {
        lanes::edges(x, &self.nodes)
    }
}

/// Groups of [`LANES`] elements for SIMD evaluation, in the order of the elements.
pub(super) fn groups(
    rest: &[Vec3],
    elements: &[[u32; NODES]],
) -> Result<Vec<QuadraticGroup>, ElementError> {
    let nodes = rest.len();
    for (element, all) in elements.iter().enumerate() {
        if let Some(&node) = all.iter().find(|&&node| node as usize >= nodes) {
            return Err(ElementError::NoSuchNode { element, node, nodes });
        }
    }
    let tets: Vec<[u32; 4]> = elements.iter().map(|all| from_fn(|k| all[k])).collect();
    let linear = linear::groups(rest, &tets)?;
    for (element, all) in elements.iter().enumerate() {
        for (&node, [i, j]) in all[4..].iter().zip(EDGES) {
            let [a, b, middle] = [all[i], all[j], node].map(|node| rest[node as usize]);
            let off = middle.distance(0.5 * (a + b));
            // False also for NaN.
            let rounding = 4.0 * f64::EPSILON * a.abs().max(b.abs()).max_element();
            let straight = off <= MIDPOINT_TOLERANCE * a.distance(b) + rounding;
            if !straight {
                return Err(ElementError::NotInTheMiddle { element, node, off });
            }
        }
    }
    let parts = elements.chunks(LANES).zip(linear);
    Ok(parts
        .map(|(part, corners)| QuadraticGroup {
            nodes: from_fn(|l| part[l.min(part.len() - 1)]),
            corners,
        })
        .collect())
}
