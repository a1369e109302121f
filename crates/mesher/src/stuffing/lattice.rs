//! Body-centred cubic lattice: two cubic grids, each with its points at the centres of the other's cells.
//!
//! A point has three integer coordinates in units of half a cell, all even for a corner of a cell, all odd for
//! its centre. Long edges, as long as a cell, join neighbours of one grid; short edges, by sqrt(3)/2 as long,
//! join a centre and the corners of its cell. Every tetrahedron has a long edge between two centres and one of
//! the four long edges around the face that it crosses. All are congruent, with dihedral angles of 60 and 90
//! degrees.

use resile_math::{Aabb, Vec3};

/// Coordinates in half cells from the lattice's lowest corner.
pub(super) type Place = [i32; 3];

/// Steps from a point to half of its fourteen neighbours: every edge is one of these steps from exactly one of
/// its ends. Long edges come first.
pub(super) const NEIGHBOUR_OFFSETS: [Place; 7] =
    [[2, 0, 0], [0, 2, 0], [0, 0, 2], [-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]];

/// Whether step `step` of [`NEIGHBOUR_OFFSETS`] is along a long edge.
pub(super) fn is_long(step: usize) -> bool {
    step < 3
}

/// Corners of a face, counter-clockwise around the axis across it.
pub(super) const FACE_CORNERS: [[i32; 2]; 4] = [[1, 1], [-1, 1], [-1, -1], [1, -1]];

#[derive(Debug, Clone)]
pub(super) struct Lattice {
    cells: [i32; 3],
    origin: Vec3,
    /// Length of a long edge.
    size: f64,
}

impl Lattice {
    /// A lattice of cells of this `size` with at least one cell around `bounds` on every side. The caller has
    /// checked that their number fits.
    pub(super) fn around(bounds: Aabb, size: f64) -> Self {
        let cells = cells_around(bounds, size).map(|n| n as i32);
        let extent = size * Vec3::from_array(cells.map(f64::from));
        Self { cells, origin: bounds.center() - 0.5 * extent, size }
    }

    fn grid(&self, odd: bool) -> [usize; 3] {
        self.cells.map(|n| n as usize + usize::from(!odd))
    }

    /// Number of points: first the corners, then the centres, each grid by rows along x.
    pub(super) fn points(&self) -> usize {
        [false, true].map(|odd| self.grid(odd).iter().product::<usize>()).iter().sum()
    }

    pub(super) fn place(&self, point: usize) -> Place {
        let corners: usize = self.grid(false).iter().product();
        let odd = point >= corners;
        let [nx, ny, _] = self.grid(odd);
        let n = if odd { point - corners } else { point };
        [n % nx, n / nx % ny, n / (nx * ny)].map(|k| 2 * k as i32 + i32::from(odd))
    }

    /// Index of the point at a place inside the lattice.
    pub(super) fn point(&self, place: Place) -> usize {
        let odd = place[0] % 2 == 1;
        let [nx, ny, _] = self.grid(odd);
        let [x, y, z] = place.map(|k| k as usize / 2);
        let first = if odd { self.grid(false).iter().product() } else { 0 };
        first + x + nx * (y + ny * z)
    }

    /// Index of the point one step further; `None` outside the lattice.
    pub(super) fn neighbour(&self, place: Place, step: Place) -> Option<usize> {
        let next: Place = [0, 1, 2].map(|k| place[k] + step[k]);
        let inside = (0..3).all(|k| (0..=2 * self.cells[k]).contains(&next[k]));
        inside.then(|| self.point(next))
    }

    pub(super) fn position(&self, place: Place) -> Vec3 {
        self.origin + 0.5 * self.size * Vec3::from_array(place.map(f64::from))
    }

    /// Whether tetrahedra at this point may be missing.
    pub(super) fn is_border(&self, place: Place) -> bool {
        (0..3).any(|k| place[k] <= 1 || place[k] >= 2 * self.cells[k] - 1)
    }

    /// Number of cells along each axis.
    pub(super) fn cells(&self) -> [i32; 3] {
        self.cells
    }

    /// Calls `visit` for the four tetrahedra around the long edge that goes up from a centre along an axis,
    /// with their points in stencil order and their parity.
    pub(super) fn tets_along(
        &self,
        center: Place,
        axis: usize,
        visit: &mut impl FnMut([usize; 4], bool),
    ) {
        let [right, up] = [(axis + 1) % 3, (axis + 2) % 3];
        let Some(next) = self.neighbour(center, NEIGHBOUR_OFFSETS[axis]) else { return };
        let corner = |k: usize| {
            let mut place = center;
            place[axis] += 1;
            place[right] += FACE_CORNERS[k][0];
            place[up] += FACE_CORNERS[k][1];
            self.point(place)
        };
        for k in 0..4 {
            let ups = 1 + FACE_CORNERS[k].iter().filter(|&&step| step > 0).count();
            let tet = [self.point(center), next, corner(k), corner((k + 1) % 4)];
            visit(tet, ups.is_multiple_of(2));
        }
    }
}

/// Number of cells that [`Lattice::around`] needs along each axis; exceeds the range of an integer if `size` is
/// tiny.
pub(super) fn cells_around(bounds: Aabb, size: f64) -> [f64; 3] {
    (bounds.size() / size).to_array().map(|n| n.ceil() + 2.0)
}

/// Number of points of such a lattice.
pub(super) fn points_around(bounds: Aabb, size: f64) -> f64 {
    let cells = cells_around(bounds, size);
    cells.iter().product::<f64>() + cells.iter().map(|n| n + 1.0).product::<f64>()
}
