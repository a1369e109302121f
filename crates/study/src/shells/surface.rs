//! Meshes of surfaces over the unit square.

use resile_mesh::TriMesh;
use resile_system::Vec3;

/// Displacement of the points of random meshes, relative to a cell.
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

    /// Its name in tables.
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
    /// Along u and v.
    pub(super) cells: [usize; 2],
    pub(super) closed: bool,
    /// Number of rows of nodes at u = 0 that random meshes do not move.
    pub(super) fixed_rows: usize,
}

impl Surface {
    /// The mesh, with the points at `at`. Random meshes do not move points at boundaries and at multiples of a quarter of u
    /// and half of v, where loads act.
    pub(super) fn mesh(&self, at: impl Fn(f64, f64) -> Vec3) -> TriMesh {
        let [nu, nv] = self.cells;
        let columns = if self.closed { nu } else { nu + 1 };
        let mut mesh = TriMesh::default();
        for (i, k) in (0..=nv).flat_map(|k| (0..columns).map(move |i| (i, k))) {
            let [u, v] = self.shifted(i, k);
            mesh.positions.push(at(u / nu as f64, v / nv as f64));
        }
        for (i, k) in (0..nv).flat_map(|k| (0..nu).map(move |i| (i, k))) {
            let node = |i: usize, k: usize| (i % columns + columns * k) as u32;
            let [a, b, c, d] = [node(i, k), node(i + 1, k), node(i + 1, k + 1), node(i, k + 1)];
            let rising = match self.kind {
                MeshKind::Structured => true,
                MeshKind::Crossed => (i + k).is_multiple_of(2),
                MeshKind::Random => noise(3 * a as usize) > 0.0,
            };
            let cell = if rising { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.triangles.extend(cell);
        }
        mesh
    }

    /// The coordinates of a node in cells.
    fn shifted(&self, i: usize, k: usize) -> [f64; 2] {
        let [nu, nv] = self.cells;
        let regular = [i as f64, k as f64];
        let at_side = k == 0 || k == nv || (!self.closed && (i == 0 || i == nu));
        let is_loaded = (4 * i).is_multiple_of(nu) && (2 * k).is_multiple_of(nv);
        if self.kind != MeshKind::Random || at_side || is_loaded || i < self.fixed_rows {
            return regular;
        }
        let number = 2 * (i + (nu + 1) * k);
        [0, 1].map(|axis| regular[axis] + RANDOM_SHIFT * noise(number + axis))
    }
}

/// A pseudo-random number between -1 and 1 for each integer (Steele, Lea, Flood 2014, `SplitMix64`).
fn noise(number: usize) -> f64 {
    let mut z = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let bits = (z ^ (z >> 31)) >> 11;
    bits as f64 / (1u64 << 52) as f64 - 1.0
}
