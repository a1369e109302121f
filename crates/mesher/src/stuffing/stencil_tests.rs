//! Worst dihedral angle of a stencil, by exhaustive search.

use super::*;
use crate::stuffing::cuts::{ALPHA_LONG, ALPHA_SHORT};
use resile_math::Vec3;
use resile_mesh::TetMesh;

/// Two centres and two corners of the cubic lattice of size 2.
const CELL: [Vec3; 4] = [
    Vec3::new(-1.0, 0.0, 0.0),
    Vec3::new(1.0, 0.0, 0.0),
    Vec3::new(0.0, -1.0, -1.0),
    Vec3::new(0.0, 1.0, -1.0),
];

/// Parameters of the positions of corners and cut points.
#[derive(Clone)]
struct Case {
    cell: Cell,
    /// For a corner on the surface, the edge along which it was moved.
    ways: [Vec3; 4],
    /// Position along that edge, from 0 to 1 of the range that warping allows.
    moved: [f64; 4],
    /// Position of the cut points along the edges, from 0 to 1 of the range that warping leaves.
    cuts: [[f64; 4]; 4],
}

impl Case {
    fn place(&self, corner: Corner) -> Vec3 {
        match corner {
            Lattice(k) if self.cell.sides[k] == Side::On => {
                let alpha = if is_long(self.ways[k]) { ALPHA_LONG } else { ALPHA_SHORT };
                CELL[k] + self.ways[k] * alpha * self.moved[k]
            }
            Lattice(k) => CELL[k],
            Cut(p, m) => {
                let alpha = if m == partner(p) { ALPHA_LONG } else { ALPHA_SHORT };
                CELL[p].lerp(CELL[m], alpha + (1.0 - 2.0 * alpha) * self.cuts[p][m])
            }
        }
    }

    fn smallest_angle(&self) -> f64 {
        let mut mesh = TetMesh::default();
        self.cell.cut(|tet| {
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(tet.map(|corner| self.place(corner)));
            mesh.tets.push([first, first + 1, first + 2, first + 3]);
        });
        assert_eq!(mesh.inverted(), Vec::<u32>::new(), "{:?}", self.cell);
        mesh.quality().map_or(f64::INFINITY, |quality| quality.smallest_dihedral)
    }

    /// The free parameters by index.
    fn number(&mut self, k: usize) -> &mut f64 {
        if k < 4 { &mut self.moved[k] } else { &mut self.cuts[(k - 4) / 4][k % 4] }
    }

    /// Coordinate descent over the parameters.
    fn descend(&mut self) -> f64 {
        let mut best = self.smallest_angle();
        let mut step = 0.5;
        while step > 1e-3 {
            let before = best;
            for k in 0..20 {
                for change in [-step, step] {
                    let old = *self.number(k);
                    *self.number(k) = (old + change).clamp(0.0, 1.0);
                    let angle = self.smallest_angle();
                    if angle < best {
                        best = angle;
                    } else {
                        *self.number(k) = old;
                    }
                }
            }
            if best == before {
                step *= 0.5;
            }
        }
        best
    }
}

fn is_long(way: Vec3) -> bool {
    way.abs().element_sum() == 2.0
}

/// Pseudo-random bits: Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}

fn ways() -> Vec<Vec3> {
    let mut ways = Vec::new();
    for k in 0..8 {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        ways.push(Vec3::new(sign(0), sign(1), sign(2)));
    }
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        ways.extend([2.0 * axis, -2.0 * axis]);
    }
    ways
}

/// All cases with a corner inside.
fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for code in 0..81_usize * 2 {
        let side = |k: u32| [Side::Inside, Side::On, Side::Outside][code / 3_usize.pow(k) % 3];
        let sides = [side(0), side(1), side(2), side(3)];
        if sides.contains(&Side::Inside) {
            cells.push(Cell { sides, even: code < 81 });
        }
    }
    cells
}

/// The paper proves 10.7 degrees. This search does not exclude combinations of cases that cannot occur
/// together, and finds 9.317 where a corner on the surface has been moved as far as possible towards the one
/// inside. `tests/mesh/stuffing.rs` measures whole lattices.
#[test]
fn no_cell_has_a_dihedral_angle_below_nine_degrees() {
    let (ways, mut random) = (ways(), Random(88_172_645_463_325_252));
    let mut worst = f64::INFINITY;
    for cell in cells() {
        for _ in 0..60 {
            let mut case = Case {
                cell,
                ways: [0; 4].map(|_| ways[random.below(ways.len())]),
                moved: [0; 4].map(|_| random.below(3) as f64 / 2.0),
                cuts: [[0; 4]; 4].map(|row| row.map(|_| random.below(3) as f64 / 2.0)),
            };
            worst = worst.min(case.descend());
        }
    }
    assert!((9.2..9.4).contains(&worst), "{worst}");
}
