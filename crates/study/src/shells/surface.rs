//! Meshes of surfaces over the unit square.

use crate::drive::random;
use resile_mesh::TriMesh;
use resile_system::Vec3;

/// Largest shift of a node of a random mesh along each axis, in cells.
const RANDOM_SHIFT: f64 = 0.25;

/// The way in which the cells of a surface are split into triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshKind {
    /// All diagonals in the same direction.
    Structured,
    /// Alternating diagonals.
    Crossed,
    /// Diagonals of random directions between points that are moved at random.
    Random,
}

impl MeshKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Structured, Self::Crossed, Self::Random];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Crossed => "crossed",
            Self::Random => "random",
        }
    }
}

/// A surface over the unit square, open or closed along its first coordinate u.
pub(super) struct Surface {
    pub(super) kind: MeshKind,
    /// Number of cells along u and v.
    pub(super) cells: [usize; 2],
    /// Whether the columns at u = 0 and u = 1 coincide.
    pub(super) closed: bool,
    /// Number of rows of nodes at u = 0 that random meshes do not move.
    pub(super) fixed_rows: usize,
}

impl Surface {
    /// The mesh whose nodes are at `point_at(u, v)`. Random meshes do not move nodes on the boundary, nor nodes at
    /// multiples of 1/4 of u and 1/2 of v, where loads act.
    pub(super) fn mesh(&self, point_at: impl Fn(f64, f64) -> Vec3) -> TriMesh {
        let [nu, nv] = self.cells;
        let columns = if self.closed { nu } else { nu + 1 };
        let mut mesh = TriMesh::default();
        for (i, k) in (0..=nv).flat_map(|k| (0..columns).map(move |i| (i, k))) {
            let [u, v] = self.cell_coordinates(i, k);
            mesh.positions.push(point_at(u / nu as f64, v / nv as f64));
        }
        for (i, k) in (0..nv).flat_map(|k| (0..nu).map(move |i| (i, k))) {
            let node = |i: usize, k: usize| (i % columns + columns * k) as u32;
            let [a, b, c, d] = [node(i, k), node(i + 1, k), node(i + 1, k + 1), node(i, k + 1)];
            let has_rising_diagonal = match self.kind {
                MeshKind::Structured => true,
                MeshKind::Crossed => (i + k).is_multiple_of(2),
                MeshKind::Random => noise(3 * a as usize) > 0.0,
            };
            let cell =
                if has_rising_diagonal { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.triangles.extend(cell);
        }
        mesh
    }

    /// The coordinates of node (i, k) in cells, shifted at random in random meshes.
    fn cell_coordinates(&self, i: usize, k: usize) -> [f64; 2] {
        let [nu, nv] = self.cells;
        let regular = [i as f64, k as f64];
        let on_boundary = k == 0 || k == nv || (!self.closed && (i == 0 || i == nu));
        let is_loaded = (4 * i).is_multiple_of(nu) && (2 * k).is_multiple_of(nv);
        if self.kind != MeshKind::Random || on_boundary || is_loaded || i < self.fixed_rows {
            return regular;
        }
        let noise_index = 2 * (i + (nu + 1) * k);
        [0, 1].map(|axis| regular[axis] + RANDOM_SHIFT * noise(noise_index + axis))
    }
}

/// The element of a pseudo-random sequence with this index, between -1 and 1. The state of the generator before it is
/// the index times the increment of the generator.
fn noise(index: usize) -> f64 {
    random(&mut (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
