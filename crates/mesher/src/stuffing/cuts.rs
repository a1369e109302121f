//! Cut points, and warping of lattice points onto them.

use super::lattice::{Lattice, NEIGHBOUR_OFFSETS, is_long};
use super::stencil::Side;

/// Fraction of a long edge within which a cut point moves the edge's end onto itself.
///
/// With these two fractions the paper proves dihedral angles between 10.7 and 164.8 degrees. Both are below one
/// half, so a cut point is near at most one end.
pub(super) const ALPHA_LONG: f64 = 0.249_99;
/// As [`ALPHA_LONG`], for short edges.
pub(super) const ALPHA_SHORT: f64 = 0.411_89;

/// Cut points: one on each edge with one end inside and one outside.
#[derive(Debug)]
pub(super) struct Cuts {
    /// Ends of each cut edge, ordered along the step from one to the other.
    pub(super) ends: Vec<[u32; 2]>,
    pub(super) long: Vec<bool>,
    /// Position of the cut point as a fraction of the edge, from the first end.
    pub(super) share: Vec<f64>,
    /// Ends of each cut edge, the smaller first, with the index of the cut point; sorted.
    by_ends: Vec<([u32; 2], u32)>,
}

impl Cuts {
    /// Finds the cut edges; `share` remains to be filled.
    pub(super) fn find(lattice: &Lattice, sides: &[Side]) -> Self {
        let (mut ends, mut long) = (Vec::new(), Vec::new());
        for (point, &side) in sides.iter().enumerate() {
            if side == Side::On {
                continue;
            }
            let place = lattice.place(point);
            for (number, &step) in NEIGHBOUR_OFFSETS.iter().enumerate() {
                let Some(other) = lattice.neighbour(place, step) else { continue };
                if sides[other] != Side::On && sides[other] != side {
                    ends.push([point as u32, other as u32]);
                    long.push(is_long(number));
                }
            }
        }
        let mut by_ends: Vec<_> =
            ends.iter().map(|&[a, b]| [a.min(b), a.max(b)]).zip(0..).collect();
        by_ends.sort_unstable();
        Self { ends, long, share: Vec::new(), by_ends }
    }

    /// Index of the cut point between two lattice points.
    pub(super) fn between(&self, a: usize, b: usize) -> usize {
        let ends = [a.min(b) as u32, a.max(b) as u32];
        let index = self.by_ends.partition_point(|&(other, _)| other < ends);
        self.by_ends[index].1 as usize
    }

    /// Moves lattice points onto cut points that are too near. Returns them in ascending order, each with its
    /// cut point. They then lie on the surface, so the cut points of their other edges are void.
    ///
    /// Sequential, because whether a point is moved may depend on whether its neighbour was. A point moves to
    /// its nearest cut point.
    pub(super) fn warp(&self, sides: &mut [Side]) -> Vec<(u32, u32)> {
        let mut moved = Vec::new();
        for edges in self.by_point().chunk_by(|a, b| a.0 == b.0) {
            let point = edges[0].0;
            let mut nearest = (f64::INFINITY, 0);
            for &(_, cut) in edges {
                let [a, b] = self.ends[cut as usize];
                let (other, share) = match self.share[cut as usize] {
                    share if a == point => (b, share),
                    share => (a, 1.0 - share),
                };
                let (alpha, length) = match self.long[cut as usize] {
                    true => (ALPHA_LONG, 1.0),
                    false => (ALPHA_SHORT, 0.75_f64.sqrt()),
                };
                if sides[other as usize] != Side::On && share < alpha && share * length < nearest.0
                {
                    nearest = (share * length, cut);
                }
            }
            if nearest.0 < f64::INFINITY {
                sides[point as usize] = Side::On;
                moved.push((point, nearest.1));
            }
        }
        moved
    }

    /// Pairs of a lattice point and the index of a cut on one of its edges, sorted.
    fn by_point(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> =
            self.ends.iter().zip(0..).flat_map(|(&[a, b], cut)| [(a, cut), (b, cut)]).collect();
        pairs.sort_unstable();
        pairs
    }
}
