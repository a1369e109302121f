//! Cut points, and warping of lattice points onto them.

use super::lattice::{Lattice, NEIGHBOUR_OFFSETS, is_long};
use super::stencil::Side;

/// Fraction of a long edge within which a cut point moves the edge's end onto itself.
///
/// With these two fractions the paper proves dihedral angles between 10.7 and 164.8 degrees. Both are below one
/// half, so a cut point is near at most one end.
pub(super) const ALPHA_LONG: f64 = 0.249_99;
/// Fraction of a short edge within which a cut point moves the edge's end onto itself; see [`ALPHA_LONG`].
pub(super) const ALPHA_SHORT: f64 = 0.411_89;

/// Cut points: one on each edge with one end inside and one outside.
#[derive(Debug)]
pub(super) struct Cuts {
    /// Ends of each cut edge, ordered along the step from one to the other.
    pub(super) ends: Vec<[u32; 2]>,
    /// Whether each cut edge is long.
    pub(super) is_long_edge: Vec<bool>,
    /// Position of the cut point as a fraction of the edge, from the first end.
    pub(super) fractions: Vec<f64>,
    /// Ends of each cut edge, the smaller first, with the index of the cut point; sorted.
    by_ends: Vec<([u32; 2], u32)>,
}

impl Cuts {
    /// Finds the cut edges; `fractions` remains to be filled.
    pub(super) fn find(lattice: &Lattice, sides: &[Side]) -> Self {
        let (mut ends, mut is_long_edge) = (Vec::new(), Vec::new());
        for (point, &side) in sides.iter().enumerate() {
            if side == Side::On {
                continue;
            }
            let coordinates = lattice.coordinates(point);
            for (step_index, &step) in NEIGHBOUR_OFFSETS.iter().enumerate() {
                let Some(other) = lattice.neighbour(coordinates, step) else { continue };
                if sides[other] != Side::On && sides[other] != side {
                    ends.push([point as u32, other as u32]);
                    is_long_edge.push(is_long(step_index));
                }
            }
        }
        let mut by_ends: Vec<_> =
            ends.iter().map(|&[a, b]| [a.min(b), a.max(b)]).zip(0..).collect();
        by_ends.sort_unstable();
        Self { ends, is_long_edge, fractions: Vec::new(), by_ends }
    }

    /// Index of the cut point between two lattice points.
    pub(super) fn index_between(&self, a: usize, b: usize) -> usize {
        let ends = [a.min(b) as u32, a.max(b) as u32];
        let index = self.by_ends.partition_point(|&(other, _)| other < ends);
        self.by_ends[index].1 as usize
    }

    /// Moves each lattice point with cut points that are too near onto the nearest of them, by setting its side to
    /// [`Side::On`]. Returns the points in ascending order, each with its cut point. The cut points of their other
    /// edges then have no effect. The loop is sequential, because whether a point moves depends on whether its
    /// neighbours moved before.
    pub(super) fn warp(&self, sides: &mut [Side]) -> Vec<(u32, u32)> {
        let mut moved = Vec::new();
        for cuts_of_point in self.cuts_by_point().chunk_by(|(a, _), (b, _)| a == b) {
            let &[(point, _), ..] = cuts_of_point else { continue };
            let (mut min_distance, mut nearest_cut) = (f64::INFINITY, None);
            for &(_, cut) in cuts_of_point {
                let [a, b] = self.ends[cut as usize];
                let (other, fraction) = match self.fractions[cut as usize] {
                    fraction if a == point => (b, fraction),
                    fraction => (a, 1.0 - fraction),
                };
                let (alpha, length) = match self.is_long_edge[cut as usize] {
                    true => (ALPHA_LONG, 1.0),
                    // Half of the space diagonal of a cell.
                    false => (ALPHA_SHORT, 0.75_f64.sqrt()),
                };
                let distance = fraction * length;
                if sides[other as usize] != Side::On && fraction < alpha && distance < min_distance
                {
                    (min_distance, nearest_cut) = (distance, Some(cut));
                }
            }
            if let Some(cut) = nearest_cut {
                sides[point as usize] = Side::On;
                moved.push((point, cut));
            }
        }
        moved
    }

    /// Pairs of a lattice point and the index of a cut on one of its edges, sorted.
    fn cuts_by_point(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> =
            self.ends.iter().zip(0..).flat_map(|(&[a, b], cut)| [(a, cut), (b, cut)]).collect();
        pairs.sort_unstable();
        pairs
    }
}
