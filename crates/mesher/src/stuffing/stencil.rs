//! Stencils: cutting one tetrahedron of the lattice.
//!
//! Corners are inside, outside or on the surface. The stencil keeps the inside part, with one cut
//! point on each edge between inside and outside: at most three tetrahedra.
//!
//! If a quadrilateral of a face is left, the tetrahedra on both sides must choose the same diagonal
//! independently. A face has one long and two short edges:
//!
//! * if one long and one short edge are cut, the diagonal ends in the cut point of
//!   the long edge;
//! * if both short edges are cut, the quadrilateral is symmetric, and the diagonal
//!   starts at the end of the long edge from which the short edge to the corner
//!   outside is even: it goes up along an even number of axes. From the other end
//!   it is odd, so this is a choice (a parity rule, as in the paper).
//!
//! The opposite rules, and a rule by the parity of the long edge's ends, leave angles of 6 and 9.6
//! degrees.

/// Side of the surface on which a lattice point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The field is negative.
    Inside,
    /// The point is on the surface, possibly moved there.
    On,
    /// The field is positive.
    Outside,
}

/// A tetrahedron of the lattice with positive volume. Corners 0 and 1 are joined by one of its long edges,
/// corners 2 and 3 by the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Side of each corner.
    pub(super) sides: [Side; 4],
    /// Whether the short edge from corner 0 to corner 2 goes up along an even number of axes. The parity of
    /// every other short edge and direction follows.
    pub(super) even: bool,
}

/// A corner of a kept tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Corner {
    /// A corner of the cell.
    Lattice(usize),
    /// The cut point between an inside and an outside corner.
    Cut(usize, usize),
}

use Corner::{Cut, Lattice};

/// For each corner, the other three in an order that gives a positive volume with this corner as the fourth.
const OPPOSITE: [[usize; 3]; 4] = [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]];

impl Cell {
    /// Calls `emit` for each kept tetrahedron; all have positive volume.
    pub(super) fn cut(&self, mut emit: impl FnMut([Corner; 4])) {
        let [inside, outside] = [self.corners(Side::Inside), self.corners(Side::Outside)];
        match (inside.as_slice(), outside.as_slice()) {
            ([], _) => {}
            (_, []) => emit([0, 1, 2, 3].map(Lattice)),
            (&[p], _) => emit([0, 1, 2, 3].map(|k| match self.sides[k] {
                Side::Outside => Cut(p, k),
                _ => Lattice(k),
            })),
            (&[p, q], &[m]) => self.pyramid(p, q, m, emit),
            (&[p, q], &[m, n]) => self.wedge([p, q], [m, n], emit),
            (_, &[m, ..]) => self.truncated_tetrahedron(m, emit),
        }
    }

    /// Number of tetrahedra that [`cut`](Self::cut) emits.
    pub(super) fn count(&self) -> usize {
        let mut count = 0;
        self.cut(|_| count += 1);
        count
    }

    /// Corners of the cell on a side of the surface.
    fn corners(&self, side: Side) -> CornerList {
        let mut list = CornerList { corners: [0; 4], count: 0 };
        for k in (0..4).filter(|&k| self.sides[k] == side) {
            list.corners[list.count] = k;
            list.count += 1;
        }
        list
    }

    /// Whether the diagonal of the remaining quadrilateral of the face `p q m`, with `m` outside, goes from `p`
    /// to the cut point of `q m` rather than from `q` to that of `p m`.
    fn starts_at(&self, p: usize, q: usize, m: usize) -> bool {
        if q == partner(p) { self.is_even(p, m) } else { m == partner(q) }
    }

    /// Whether the short edge from `p` to `m` goes up along an even number of axes. The other end of the same
    /// long edge changes the direction along one axis; reversing the edge changes it along three.
    fn is_even(&self, p: usize, m: usize) -> bool {
        self.even ^ (p % 2 == 1) ^ (m % 2 == 1) ^ (p > m)
    }

    /// Keeps a pyramid: two corners inside, one outside, one on the surface.
    fn pyramid(&self, p: usize, q: usize, m: usize, mut emit: impl FnMut([Corner; 4])) {
        let apex = 6 - p - q - m;
        let [p, q] = if is_even_permutation([p, q, m, apex]) { [p, q] } else { [q, p] };
        let (a, b, z) = (Lattice(p), Lattice(q), Lattice(apex));
        if self.starts_at(p, q, m) {
            emit([a, b, Cut(q, m), z]);
            emit([a, Cut(q, m), Cut(p, m), z]);
        } else {
            emit([a, b, Cut(p, m), z]);
            emit([Cut(p, m), b, Cut(q, m), z]);
        }
    }

    /// Keeps the prism at the edge `p q`: two corners inside, two outside.
    fn wedge(&self, [p, q]: [usize; 2], [m, n]: [usize; 2], emit: impl FnMut([Corner; 4])) {
        let [m, n] = if is_even_permutation([p, m, n, q]) { [m, n] } else { [n, m] };
        let bottom = [Lattice(p), Cut(p, m), Cut(p, n)];
        let top = [Lattice(q), Cut(q, m), Cut(q, n)];
        let (starts_at_p_toward_m, starts_at_p_toward_n) =
            (self.starts_at(p, q, m), self.starts_at(p, q, n));
        // Both rules make the two diagonals start at different ends, which determines the third diagonal, on
        // the surface.
        debug_assert!(starts_at_p_toward_m != starts_at_p_toward_n, "{self:?}");
        prism(
            bottom,
            top,
            [starts_at_p_toward_m, starts_at_p_toward_n, !starts_at_p_toward_n],
            emit,
        );
    }

    /// Keeps a truncated tetrahedron: all corners but `m` inside.
    fn truncated_tetrahedron(&self, m: usize, emit: impl FnMut([Corner; 4])) {
        let [p, q, r] = OPPOSITE[m];
        let starts = [self.starts_at(p, q, m), self.starts_at(q, r, m), self.starts_at(r, p, m)];
        prism([p, q, r].map(Lattice), [p, q, r].map(|k| Cut(k, m)), starts, emit);
    }
}

/// Up to four corners of a cell.
struct CornerList {
    corners: [usize; 4],
    count: usize,
}

impl CornerList {
    fn as_slice(&self) -> &[usize] {
        &self.corners[..self.count]
    }
}

/// Other end of the long edge of a corner.
fn partner(corner: usize) -> usize {
    corner ^ 1
}

/// Whether a permutation is even, by its number of inversions.
fn is_even_permutation(permutation: [usize; 4]) -> bool {
    let pairs = (0..4).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.filter(|&(i, j)| permutation[i] > permutation[j]).count().is_multiple_of(2)
}

/// Calls `emit` with three tetrahedra that fill a prism of positive volume with `top` opposite `bottom`. A column is
/// the edge from a corner of `bottom` to that of `top`. `starts[k]` states whether the diagonal of the face between
/// columns `k` and `k + 1` starts at the bottom of column `k`. Not all three may be equal, because no such tetrahedra
/// exist then.
fn prism(
    bottom: [Corner; 3],
    top: [Corner; 3],
    starts: [bool; 3],
    mut emit: impl FnMut([Corner; 4]),
) {
    // The columns can be ranked such that each diagonal starts at the bottom of the column of lower rank.
    let first = (0..3).find(|&k| starts[k] && !starts[(k + 2) % 3]).unwrap_or(0);
    let [second, third] = [(first + 1) % 3, (first + 2) % 3];
    let (a, b) = (bottom, top);
    if starts[second] {
        let [x, y, z] = [first, second, third];
        emit([a[x], a[y], a[z], b[z]]);
        emit([a[x], b[y], a[y], b[z]]);
        emit([a[x], b[x], b[y], b[z]]);
    } else {
        // An odd permutation of the columns mirrors the prism.
        let [x, y, z] = [first, third, second];
        emit([a[y], a[x], a[z], b[z]]);
        emit([b[y], a[x], a[y], b[z]]);
        emit([b[x], a[x], b[y], b[z]]);
    }
}

#[cfg(test)]
#[path = "stencil_tests.rs"]
mod tests;
