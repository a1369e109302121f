//! Body-centred cubic lattice: two cubic grids, each with its points at the centres of the other's cells.
//!
//! A point has three integer coordinates in units of half a cell, all even for a corner of a cell, all odd for
//! its centre. Long edges, as long as a cell, join neighbours of one grid; short edges, by sqrt(3)/2 as long,
//! join a centre and the corners of its cell. Every tetrahedron has a long edge between two centres and one of
//! the four long edges around the face that it crosses. All are congruent, with dihedral angles of 60 and 90
//! degrees.

use resile_math::{Aabb, Vec3};

/// Coordinates of a lattice point, in half cells from the lattice's lowest corner.
pub(super) type LatticePoint = [i32; 3];

/// Steps from a point to seven of its fourteen neighbours; the opposite steps lead to the others. Long edges come
/// first.
pub(super) const NEIGHBOUR_OFFSETS: [LatticePoint; 7] =
    [[2, 0, 0], [0, 2, 0], [0, 0, 2], [-1, -1, 1], [1, -1, 1], [-1, 1, 1], [1, 1, 1]];

/// Whether step `step` of [`NEIGHBOUR_OFFSETS`] is along a long edge.
pub(super) fn is_long(step: usize) -> bool {
    step < 3
}

/// Corners of a face, counter-clockwise around the axis across it.
pub(super) const FACE_CORNERS: [[i32; 2]; 4] = [[1, 1], [-1, 1], [-1, -1], [1, -1]];

/// A finite part of the lattice.
#[derive(Debug, Clone)]
pub(super) struct Lattice {
    /// Number of cells along each axis.
    cells: [i32; 3],
    /// Position of the lowest corner (m).
    origin: Vec3,
    /// Length of a long edge (m).
    size: f64,
}

impl Lattice {
    /// A lattice of cells of this `size` (m) with at least one cell around `bounds` on every side. The caller has
    /// checked that their number fits.
    pub(super) fn around(bounds: Aabb, size: f64) -> Self {
        let cells = cells_around(bounds, size).map(|n| n as i32);
        let extent = size * Vec3::from_array(cells.map(f64::from));
        Self { cells, origin: bounds.center() - 0.5 * extent, size }
    }

    /// Number of points along each axis of the grid of corners, or of centres if `odd`.
    fn grid_counts(&self, odd: bool) -> [usize; 3] {
        self.cells.map(|n| n as usize + usize::from(!odd))
    }

    /// Number of points: first the corners, then the centres, each grid by rows along x.
    pub(super) fn point_count(&self) -> usize {
        [false, true].map(|odd| self.grid_counts(odd).iter().product::<usize>()).iter().sum()
    }

    /// Coordinates of a point by its index.
    pub(super) fn coordinates(&self, point: usize) -> LatticePoint {
        let corners: usize = self.grid_counts(false).iter().product();
        let odd = point >= corners;
        let [nx, ny, _] = self.grid_counts(odd);
        let index_in_grid = if odd { point - corners } else { point };
        [index_in_grid % nx, index_in_grid / nx % ny, index_in_grid / (nx * ny)]
            .map(|k| 2 * k as i32 + i32::from(odd))
    }

    /// Index of a point by its coordinates, which must be inside the lattice.
    pub(super) fn point(&self, coordinates: LatticePoint) -> usize {
        let odd = coordinates[0] % 2 == 1;
        let [nx, ny, _] = self.grid_counts(odd);
        let [x, y, z] = coordinates.map(|k| k as usize / 2);
        let first = if odd { self.grid_counts(false).iter().product() } else { 0 };
        first + x + nx * (y + ny * z)
    }

    /// Index of the point one step further; `None` outside the lattice.
    pub(super) fn neighbour(&self, coordinates: LatticePoint, step: LatticePoint) -> Option<usize> {
        let next: LatticePoint = [0, 1, 2].map(|k| coordinates[k] + step[k]);
        let inside = (0..3).all(|k| (0..=2 * self.cells[k]).contains(&next[k]));
        inside.then(|| self.point(next))
    }

    /// Position of a point (m).
    pub(super) fn position(&self, coordinates: LatticePoint) -> Vec3 {
        self.origin + 0.5 * self.size * Vec3::from_array(coordinates.map(f64::from))
    }

    /// Whether the point is so near to the border of the lattice that not all of its tetrahedra exist.
    pub(super) fn is_border(&self, coordinates: LatticePoint) -> bool {
        (0..3).any(|k| coordinates[k] <= 1 || coordinates[k] >= 2 * self.cells[k] - 1)
    }

    /// Number of cells along each axis.
    pub(super) fn cells(&self) -> [i32; 3] {
        self.cells
    }

    /// Calls `visit` for the four tetrahedra around the long edge that goes up from a centre along an axis,
    /// with the indices of their points in stencil order and their parity.
    pub(super) fn tets_along(
        &self,
        center: LatticePoint,
        axis: usize,
        visit: &mut impl FnMut([usize; 4], bool),
    ) {
        let [right, up] = [(axis + 1) % 3, (axis + 2) % 3];
        let Some(next) = self.neighbour(center, NEIGHBOUR_OFFSETS[axis]) else { return };
        let corner = |k: usize| {
            let mut coordinates = center;
            coordinates[axis] += 1;
            coordinates[right] += FACE_CORNERS[k][0];
            coordinates[up] += FACE_CORNERS[k][1];
            self.point(coordinates)
        };
        for k in 0..4 {
            let upward_steps = 1 + FACE_CORNERS[k].iter().filter(|&&step| step > 0).count();
            let tet = [self.point(center), next, corner(k), corner((k + 1) % 4)];
            visit(tet, upward_steps.is_multiple_of(2));
        }
    }
}

/// Number of cells that [`Lattice::around`] needs along each axis; exceeds the range of an integer if `size` is
/// tiny.
pub(super) fn cells_around(bounds: Aabb, size: f64) -> [f64; 3] {
    (bounds.size() / size).to_array().map(|n| n.ceil() + 2.0)
}

/// Number of points of the lattice [`Lattice::around`] these bounds.
pub(super) fn points_around(bounds: Aabb, size: f64) -> f64 {
    let cells = cells_around(bounds, size);
    cells.iter().product::<f64>() + cells.iter().map(|n| n + 1.0).product::<f64>()
}
